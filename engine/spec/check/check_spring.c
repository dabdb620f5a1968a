// Springs: their ends must exist and be able to move against each other.
#include "spec/check/checks.h"
#include <math.h>
#include <string.h>

static td_status check_name(const td_model_spec *spec, const td_place *at, size_t index) {
  const char *name = spec->springs[index].name;
  td_place place = td_place_key(at, "name");
  if (!name) return TD_OK;
  td_status status = td_check_name(&place, NULL, name);
  for (size_t i = 0; i < index && !status; i++)
    if (spec->springs[i].name && !strcmp(spec->springs[i].name, name))
      status = td_place_fail(&place, TD_INVALID_ARGUMENT, "spring %zu has this name already: \"%s\"", i, name);
  return status;
}

static td_status check_ends(const td_model_spec *spec, const td_place *at, const td_spring_spec *spring) {
  td_anchor a, b;
  td_status status = td_check_end(spec, at, "a", &spring->a, &a);
  if (!status) status = td_check_end(spec, at, "b", &spring->b, &b);
  if (status || !td_spec_one_body(spec, a, b)) return status;
  return td_place_fail(at, TD_INVALID_ARGUMENT,
                       "both ends are on one body: no joint and no rod lies between \"%s\" and \"%s\", so that the "
                       "spring never changes its length",
                       spring->a.link, spring->b.link);
}

static td_status check_spring(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_spring_spec *spring = &spec->springs[index];
  td_status status = check_name(spec, at, index);
  if (!status) status = check_ends(spec, at, spring);
  if (!status) status = td_check_not_negative(at, "stiffness", spring->stiffness);
  if (!status) status = td_check_not_negative(at, "damping", spring->damping);
  if (!status && !isnan(spring->rest)) status = td_check_not_negative(at, "rest", spring->rest);
  return status || !spring->channel ? status : td_check_name(at, "channel", spring->channel);
}

td_status td_check_springs(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "springs");
  if (spec->spring_count > TD_MAX_SPRINGS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "may have %d springs, has %zu", (int)TD_MAX_SPRINGS,
                         spec->spring_count);
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->spring_count; i++) {
    td_place at = td_place_at(&list, i);
    td_status status = check_spring(spec, &at, i);
    if (!first) first = status;
    if (!td_place_goes_on(&list, status)) break;
  }
  return first;
}
