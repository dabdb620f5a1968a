// Every rule of a linearisation that needs no computation. Pointers are those of the job document.
#include "linearize/check.h"
#include "input/initial_check.h"
#include "input/inputs.h"
#include "spec/place.h"

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

static const char *const fields[] = {"q", "qd", "qdd", "u"};

td_dynamics_spec td_linearize_run_spec(const td_linearize_spec *spec, double extended[2]) {
  td_dynamics_spec run = spec->run;
  run.times = spec->times;
  run.time_count = spec->time_count;
  run.t_end = spec->times[spec->time_count - 1];
  run.fields = fields;
  run.field_count = sizeof fields / sizeof *fields;
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
  if (!status && spec->at == TD_AT_STATE) status = td_initial_shape_check(model, spec->q, "/at/q", err);
  if (!status && spec->at == TD_AT_STATE && spec->qd) status = state_check(&at, "qd", spec->qd, spec->qd_count, n);
  return status ? status : td_inputs_check(model, spec->run.inputs, spec->run.input_count, 0, err);
}

size_t td_linearize_count(const td_model *model, const td_linearize_spec *spec, td_error *err) {
  if (td_linearize_check(model, spec, err)) return 0;
  return spec->at == TD_AT_TIMES ? spec->time_count : 1;
}
