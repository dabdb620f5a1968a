// Every rule of a dynamics job that needs no simulation. Pointers are those of the job document.
#include "input/initial_check.h"
#include "integrate/integrator.h"
#include "integrate/options.h"
#include "model/model.h"
#include "run/job_oddities.h"
#include "spec/place.h"
#include <math.h>

static td_status state_check(const td_place *initial, const char *key, const double *x, size_t count, int n) {
  td_place at = td_place_key(initial, key);
  if (count != (size_t)n)
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "has %zu entries, but the model has %d coordinates", count, n);
  return td_check_all_finite(&at, NULL, count, x);
}

static td_status initial_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  td_place initial = td_place_key(root, "initial");
  td_status status = spec->initial == TD_INITIAL_EQUILIBRIUM ? td_rest_check(root, model) : TD_OK;
  if (spec->initial == TD_INITIAL_ARRAY)
    status = state_check(&initial, "q", spec->q, spec->q_count, td_model_ndof(model));
  if (!status && spec->initial == TD_INITIAL_ARRAY)
    status = td_initial_shape_check(model, spec->q, "/initial/q", root->err);
  if (!status && spec->qd) status = state_check(&initial, "qd", spec->qd, spec->qd_count, td_model_ndof(model));
  return status;
}

static td_status output_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec,
                              td_error *err) {
  td_place output = td_place_key(root, "output"), dt = td_place_key(&output, "dt");
  td_status status = spec->times ? TD_OK : td_check_positive(&dt, NULL, spec->output_dt);
  if (status) return status;
  if (td_run_sample_count(spec) > TD_MAX_SAMPLES)
    return td_place_fail(&dt, TD_INVALID_ARGUMENT, "%g s at intervals of %g s are more than %d samples", spec->t_end,
                         spec->output_dt, (int)TD_MAX_SAMPLES);
  return td_run_output_members(model, spec, NULL, 0, NULL, err) < 0 ? TD_INVALID_ARGUMENT : TD_OK;
}

static td_status signals_only(const td_place *root, const td_dynamics_spec *spec) {
  td_place inputs = td_place_key(root, "inputs");
  for (size_t i = 0; i < spec->input_count; i++) {
    td_place at = td_place_key(&inputs, spec->inputs[i].channel);
    if (spec->inputs[i].list)
      return td_place_fail(&at, TD_INVALID_ARGUMENT,
                           "a list of values is for statics; here a number or a signal is needed");
  }
  return TD_OK;
}

td_status td_dynamics_check(const td_model *model, const td_dynamics_spec *spec, td_warnings *warnings, td_error *err) {
  td_place root = td_place_root_of(warnings, err);
  td_status status = td_check_positive(&root, "t_end", spec->t_end);
  if (!status) status = initial_check(&root, model, spec);
  if (!status) status = signals_only(&root, spec);
  if (!status) status = td_inputs_check(model, spec->inputs, spec->input_count, spec->t_end, err);
  td_place initial = td_place_key(&root, "initial");
  if (!status) status = td_initial_check(&initial, model, spec);
  if (!status) status = td_controllers_check(model, spec, err);
  if (!status) status = td_integrator_check(&root, model, spec);
  if (!status) status = output_check(&root, model, spec, err);
  if (status) return status;
  td_integrator_spec used;
  td_integrator_resolve(model, spec, &used);
  td_job_remark(&root, model, spec, &used);
  return TD_OK;
}
