// Actuators of joints: a channel for each coordinate, numbered where there are several.
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"
#include <assert.h>
#include <string.h>

static int channels(const td_model_spec *spec, const td_actuator_spec *actuator) {
  int link = td_spec_link_find(spec, spec->link_count, actuator->link);
  assert(link >= 0);
  return td_joint_dof(spec->links[link].joint.type);
}

// Forces on one joint add up; a motion that is prescribed leaves nothing for another actuator to decide.
static td_status check_driven_once(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_actuator_spec *actuator = &spec->actuators[index];
  td_place place = td_place_key(at, "link");
  for (size_t i = 0; i < index; i++) {
    const td_actuator_spec *other = &spec->actuators[i];
    if (other->type != TD_ACTUATOR_JOINT || strcmp(other->link, actuator->link) != 0) continue;
    if (!other->mode_position && !actuator->mode_position) continue;
    return td_place_fail(
        &place, TD_INVALID_ARGUMENT,
        other->mode_position && actuator->mode_position
            ? "actuator %zu (\"%s\") prescribes the motion of this joint already: \"%s\""
            : "a joint is driven either by force or by position; actuator %zu (\"%s\") drives this one "
              "the other way: \"%s\"",
        i, other->name, actuator->link);
  }
  return TD_OK;
}

static td_status check(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_actuator_spec *actuator = &spec->actuators[index];
  int link;
  td_place place = td_place_key(at, "link");
  td_status status = td_check_link_reference(spec, at, "link", actuator->link, &link);
  if (status) return status;
  if (td_joint_dof(spec->links[link].joint.type) == 0)
    return td_place_fail(&place, TD_INVALID_ARGUMENT,
                         "the joint of this link is fixed and has no coordinate to drive: \"%s\"", actuator->link);
  return check_driven_once(spec, at, index);
}

const td_actuator_row td_actuator_joint = {.channels = channels, .check = check};
