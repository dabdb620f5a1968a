// Actuators of MJCF: the force of a joint, or the tension of a tendon. Gains and bounds are a controller's matter.
#include "codec/import/mjcf/parts.h"

#include <string.h>

static const char SERVO[] =
    "is an input of force: the law of a servo belongs to a controller of the job (pd_plus, computed_torque), or "
    "\"actuators\": \"position\" prescribes the motion";
static const char GEARED[] = "is left out: the input is the joint's own force or the tendon's tension, behind the gear";
static const char PULLS[] = "takes its tension, not below 0: a force of MJCF on a tendon has the other sign";
static const char ELSEWHERE[] = "is left out: only joints and spatial tendons on sites are driven";

static td_status set_joint(mjcf *m, xml_element *e, const char *name, json_t *out, bool *made) {
  for (size_t i = 0; i < m->joint_count; i++) {
    if (strcmp(m->joints[i].name, name) != 0) continue;
    import_set(out, "type", json_string("joint"), &m->failed);
    import_set(out, "link", json_string(m->joints[i].link), &m->failed);
    import_set(out, "mode", json_string(import_actuators_word(m->choice->actuators)), &m->failed);
    return *made = true, TD_OK;
  }
  return import_fail(m->r, e, "joint=\"%.60s\": there is no joint of that name", name);
}

static td_status set_tendon(mjcf *m, xml_element *e, const char *name, json_t *out, bool *made) {
  json_t *segments;
  char whose[REMARK_TEXT_SIZE];
  td_status status = mjcf_segments(m, e, name, &segments);
  if (status || !segments) return status;
  import_set(out, "type", json_string("tendon"), &m->failed);
  import_set(out, "segments", segments, &m->failed);
  remark_add(m->r->remarks, PULLS, e->line, "%s", import_whose(e, whose));
  return *made = true, TD_OK;
}

static td_status tell_gear(mjcf *m, xml_element *e) {
  double gear[6] = {1};
  size_t count;
  char whose[REMARK_TEXT_SIZE];
  td_status status = mjcf_numbers(m, e, "gear", 1, 6, gear, &count);
  if (!status && gear[0] != 1)
    remark_add(m->r->remarks, GEARED, e->line, "gear %g of %s", gear[0], import_whose(e, whose));
  if (!status && strcmp(e->name, "motor") != 0) remark_add(m->r->remarks, SERVO, e->line, "%s", import_whose(e, whose));
  return status;
}

static td_status add_one(mjcf *m, xml_element *e) {
  const char *joint = xml_attribute_of(e, "joint"), *tendon = xml_attribute_of(e, "tendon"),
             *name = xml_attribute_of(e, "name");
  char whose[REMARK_TEXT_SIZE];
  bool made = false;
  if (!joint) joint = xml_attribute_of(e, "jointinparent");
  if (!joint && !tendon) return remark_add(m->r->remarks, ELSEWHERE, e->line, "%s", import_whose(e, whose)), TD_OK;
  json_t *out = json_object();
  import_set(out, "name", json_string(name ? name : joint ? joint : tendon), &m->failed);
  td_status status = joint ? set_joint(m, e, joint, out, &made) : set_tendon(m, e, tendon, out, &made);
  if (status || !made) {
    if (!status) remark_add(m->r->remarks, ELSEWHERE, e->line, "%s", import_whose(e, whose));
    return json_decref(out), status;
  }
  if (m->lines->actuator_count < m->line_room) m->lines->actuators[m->lines->actuator_count++] = e->line;
  import_append(m->actuators, out, &m->failed);
  return tell_gear(m, e);
}

td_status mjcf_add_actuators(mjcf *m, xml_element *list) {
  static const char *const words[] = {"motor",       "position", "velocity", "general",
                                      "intvelocity", "damper",   "cylinder", "muscle"};
  td_status status = TD_OK;
  if (m->choice->actuators == IMPORT_NO_ACTUATORS) return TD_OK;
  list->read = true;
  for (xml_element *e = list->first; e && !status; e = e->next)
    for (size_t i = 0; i < sizeof words / sizeof *words && !status; i++)
      if (strcmp(e->name, words[i]) == 0) e->read = true, status = add_one(m, e);
  return status;
}
