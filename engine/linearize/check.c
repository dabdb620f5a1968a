// Every rule of a linearisation that needs no computation. Pointers are those of the job document.
#include "linearize/check.h"
#include "input/initial_check.h"
#include "input/inputs.h"
#include "spec/place.h"
#include <string.h>

static td_status state_check(const td_place *at, const char *key, const double *x, size_t count, int n) {
  td_place place = td_place_key(at, key);
  if (count != (size_t)n)
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "has %zu entries, but the model has %d coordinates", count, n);
  return td_check_all_finite(&place, NULL, count, x);
}

static td_status times_check(const td_place *at, const td_linearize_spec *spec) {
  td_place list = td_place_key(at, "times");
  if (spec->time_count < 1 || spec->time_count > TD_MAX_SAMPLES)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "must have 1 to %d times, has %zu", (int)TD_MAX_SAMPLES,
                         spec->time_count);
  td_status status = td_check_all_finite(at, "times", spec->time_count, spec->times);
  for (size_t i = 0; !status && i < spec->time_count; i++) {
    td_place entry = td_place_at(&list, i);
    if (i == 0) status = td_check_not_negative(&entry, NULL, spec->times[0]);
    if (i > 0 && spec->times[i] <= spec->times[i - 1])
      status = td_place_fail(&entry, TD_INVALID_ARGUMENT, "times must rise strictly: %.15g follows %.15g",
                             spec->times[i], spec->times[i - 1]);
  }
  return status;
}

static const char *const run_fields[] = {"q", "qd", "qdd", "u"};

td_dynamics_spec td_linearize_run_spec(const td_linearize_spec *spec, double extended[2]) {
  td_dynamics_spec run = spec->run;
  run.times = spec->times;
  run.time_count = spec->time_count;
  run.t_end = spec->times[spec->time_count - 1];
  run.fields = run_fields;
  run.field_count = sizeof run_fields / sizeof *run_fields;
  if (run.t_end > 0) return run;
  extended[0] = spec->times[0];
  run.t_end = extended[1] = 1e-3;
  run.times = extended;
  run.time_count = 2;
  return run;
}

td_status td_linearize_check(const td_model *model, const td_linearize_spec *spec, td_error *err) {
  td_place root = td_place_root(err), at = td_place_key(&root, "at");
  int n = td_model_ndof(model);
  if (spec->at == TD_AT_TIMES) {
    double extended[2];
    td_status status = times_check(&at, spec);
    if (status) return status;
    td_dynamics_spec run = td_linearize_run_spec(spec, extended);
    return td_dynamics_check(model, &run, NULL, err);
  }
  td_status status = spec->at == TD_AT_STATE ? state_check(&at, "q", spec->q, spec->q_count, n) : TD_OK;
  if (spec->at == TD_AT_EQUILIBRIUM) status = td_rest_check(&root, model);
  if (!status && spec->at == TD_AT_STATE) status = td_initial_shape_check(model, spec->q, "/at/q", err);
  if (!status && spec->at == TD_AT_STATE && spec->qd) status = state_check(&at, "qd", spec->qd, spec->qd_count, n);
  return status ? status : td_inputs_check(&root, model, spec->run.inputs, spec->run.input_count, 0);
}

size_t td_linearize_count(const td_model *model, const td_linearize_spec *spec, td_error *err) {
  if (td_linearize_check(model, spec, err)) return 0;
  return spec->at == TD_AT_TIMES ? spec->time_count : 1;
}

int td_linearize_sensitivity_members(const td_model *model, const char *const *fields, size_t field_count,
                                     td_member *members, int capacity, size_t *row_size, td_error *err) {
  td_place root = td_place_root(err), of = td_place_key(&root, "sensitivity"), list = td_place_key(&of, "fields");
  int n = td_model_ndof(model), m = td_model_channel_count(model);
  const td_member known[] = {{.name = "A", .rank = 2, .dim = {2 * n, 2 * n}},
                             {.name = "B", .rank = 2, .dim = {2 * n, m}},
                             {.name = "q", .rank = 1, .dim = {n}},
                             {.name = "qd", .rank = 1, .dim = {n}},
                             {.name = "u", .rank = 1, .dim = {m}}};
  enum { KNOWN = sizeof known / sizeof *known };
  size_t offset = 0;
  for (size_t i = 0; i < field_count; i++) {
    td_place at = td_place_at(&list, i);
    int k = 0;
    while (k < KNOWN && strcmp(known[k].name, fields[i]) != 0) k++;
    for (size_t before = 0; before < i; before++)
      if (strcmp(fields[before], fields[i]) == 0)
        return (void)!td_place_fail(&at, TD_INVALID_ARGUMENT, "the field \"%.80s\" is listed twice", fields[i]), -1;
    if (k == KNOWN)
      return (void)!td_place_fail(&at, TD_INVALID_ARGUMENT,
                                  "unknown field \"%.80s\"; known of linearize are A, B, q, qd and u", fields[i]),
             -1;
    td_member member = known[k];
    member.offset = offset;
    member.size = (size_t)member.dim[0] * (size_t)(member.rank == 2 ? member.dim[1] : 1);
    offset += member.size;
    if (members && i < (size_t)capacity) members[i] = member;
  }
  if (row_size) *row_size = offset;
  return (int)field_count;
}
