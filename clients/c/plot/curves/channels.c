// Actuators carry the channel's name; a load lists its six channels, moments first; a spring has one; the fluid lists
// three.
#include "plot/curves/channels.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *title, *unit;
} groups[CHANNEL_GROUPS] = {
    [CHANNEL_TENSION] = {"tendon tensions u", "N"},
    [CHANNEL_LENGTH] = {"lengths of tendons pulled in u", "m"},
    [CHANNEL_TORQUE] = {"joint torques u", "N m"},
    [CHANNEL_FORCE] = {"joint forces u", "N"},
    [CHANNEL_JOINT_FORCE] = {"joint forces u", "N, N m"},
    [CHANNEL_ANGLE] = {"prescribed angles u", "rad"},
    [CHANNEL_SLIDE] = {"prescribed slides u", "m"},
    [CHANNEL_POSITION] = {"prescribed positions u", "rad, m"},
    [CHANNEL_PRESSURE] = {"chamber pressures u", "Pa"},
    [CHANNEL_LOAD_MOMENT] = {"moments of loads u", "N m"},
    [CHANNEL_LOAD_FORCE] = {"forces of loads u", "N"},
    [CHANNEL_LOAD_MOMENT_PER_LENGTH] = {"moments of loads per length u", "N"},
    [CHANNEL_LOAD_FORCE_PER_LENGTH] = {"forces of loads per length u", "N/m"},
    [CHANNEL_REST] = {"rests of springs u", "m"},
    [CHANNEL_FLOW] = {"velocities of the fluid u", "m/s"},
    [CHANNEL_OTHER] = {"inputs u", "N, N m"},
};

const char *channels_title(channel_group group) { return groups[group].title; }
const char *channels_unit(channel_group group) { return groups[group].unit; }

static const char *text(const json_t *object, const char *key) {
  const char *value = json_string_value(json_object_get(object, key));
  return value ? value : "";
}

const char *channels_joint_unit(const recording *r, const char *link, long k) {
  const json_t *joint = json_object_get(recording_entry(r, "links", link, strlen(link)), "joint");
  const char *type = text(joint, "type");
  if (!*type) return "";
  if (strcmp(type, "prismatic") == 0) return "m";
  bool turns_first = strcmp(type, "cylindrical") == 0 || strcmp(type, "planar") == 0;
  return (turns_first && k > 0) || (strcmp(type, "free") == 0 && k > 2) ? "m" : "rad";
}

// "base[4]" is the fifth coordinate of its joint.
static channel_group of_joint(const recording *r, const json_t *actuator, const char *name) {
  const char *bracket = strrchr(name, '[');
  const char *unit = channels_joint_unit(r, text(actuator, "link"), bracket ? strtol(bracket + 1, NULL, 10) : 0);
  bool position = strcmp(text(actuator, "mode"), "position") == 0;
  if (*unit == 'r') return position ? CHANNEL_ANGLE : CHANNEL_TORQUE;
  if (*unit == 'm') return position ? CHANNEL_SLIDE : CHANNEL_FORCE;
  return position ? CHANNEL_POSITION : CHANNEL_JOINT_FORCE;
}

static channel_group of_load(const recording *r, const char *name) {
  const json_t *load, *spring, *channel;
  size_t i, k;
  json_array_foreach(json_object_get(r->model, "loads"), i, load) {
    json_array_foreach(json_object_get(load, "channels"), k, channel) {
      const char *own = json_string_value(channel);
      if (!own || strcmp(own, name) != 0) continue;
      if (json_is_true(json_object_get(load, "per_length")))
        return k < 3 ? CHANNEL_LOAD_MOMENT_PER_LENGTH : CHANNEL_LOAD_FORCE_PER_LENGTH;
      return k < 3 ? CHANNEL_LOAD_MOMENT : CHANNEL_LOAD_FORCE;
    }
  }
  json_array_foreach(json_object_get(r->model, "springs"), i, spring) {
    if (strcmp(text(spring, "channel"), name) == 0) return CHANNEL_REST;
  }
  json_array_foreach(json_object_get(json_object_get(r->model, "fluid"), "channels"), k, channel) {
    const char *own = json_string_value(channel);
    if (own && strcmp(own, name) == 0) return CHANNEL_FLOW;
  }
  return CHANNEL_OTHER;
}

channel_group channels_group(const recording *r, const char *name) {
  if (!name) return CHANNEL_OTHER;
  const json_t *actuator = recording_entry(r, "actuators", name, strcspn(name, "["));
  const char *type = text(actuator, "type");
  if (strcmp(type, "tendon") == 0) return strcmp(text(actuator, "mode"), "length") ? CHANNEL_TENSION : CHANNEL_LENGTH;
  if (strcmp(type, "pressure") == 0) return CHANNEL_PRESSURE;
  return strcmp(type, "joint") == 0 ? of_joint(r, actuator, name) : of_load(r, name);
}
