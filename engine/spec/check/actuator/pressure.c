// Pressures: of one chamber of a reduced body.
#include "element/reduced/chamber.h"
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"

static td_status check(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_actuator_spec *actuator = &spec->actuators[index];
  int link;
  td_place chamber = td_place_key(at, "chamber"), place = td_place_key(at, "link");
  td_status status = td_check_link_reference(spec, at, "link", actuator->link, &link);
  if (status) return status;
  const td_body_spec *body = &spec->links[link].body;
  int chambers = body->type == TD_BODY_REDUCED ? td_reduced_chamber_count(&body->reduced) : 0;
  if (chambers < 0) return td_place_fail(&place, TD_NO_MEMORY, "out of memory for the mesh of \"%s\"", actuator->link);
  if (chambers == 0)
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "this link has no chamber to inflate: \"%s\"", actuator->link);
  if (actuator->chamber >= 0 && actuator->chamber < chambers) return TD_OK;
  return td_place_fail(&chamber, TD_INVALID_ARGUMENT, "must lie in [0, %d], is %d", chambers - 1, actuator->chamber);
}

const td_actuator_row td_actuator_pressure = {.check = check};
