// Magnetic fields: their three components, and with a gradient the five numbers of that (force/magnetism.c).
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"

static const char *const COMPONENTS[] = {"x", "y", "z", "xx", "xy", "xz", "yy", "yz"};

static int channels(const td_model_spec *spec, const td_actuator_spec *actuator) {
  (void)spec;
  return actuator->gradient ? 8 : 3;
}

static bool is_zero(const double m[3]) { return m[0] == 0 && m[1] == 0 && m[2] == 0; }

static td_status check(const td_model_spec *spec, const td_place *at, size_t index) {
  bool idle = true;
  (void)index;
  for (size_t i = 0; i < spec->link_count && idle; i++) {
    const td_body_spec *body = &spec->links[i].body;
    idle = body->type == TD_BODY_RIGID ? is_zero(body->rigid.magnetisation)
                                       : body->type != TD_BODY_ROD || is_zero(body->rod.magnetisation);
  }
  if (idle)
    td_place_warn(at, "idle_force",
                  "this field acts on nothing: no rod and no rigid body has a `magnetisation` other than 0");
  return TD_OK;
}

const td_actuator_row td_actuator_field = {.channels = channels, .components = COMPONENTS, .check = check};
