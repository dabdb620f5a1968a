// Every rule of a dynamics job that needs no simulation. Pointers are those of the job document.
//
// The first broken rule ends the check. Where all errors are wanted, each section whose needs have passed has its own.
#include "input/initial_check.h"
#include "integrate/integrator.h"
#include "integrate/options.h"
#include "model/model.h"
#include "plant/output.h"
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

static td_status output_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  td_place output = td_place_key(root, "output"), dt = td_place_key(&output, "dt");
  td_status status = spec->times ? TD_OK : td_check_positive(&dt, NULL, spec->output_dt);
  if (status) return status;
  if (td_run_sample_count(spec) > TD_MAX_SAMPLES)
    return td_place_fail(&dt, TD_INVALID_ARGUMENT, "%g s at intervals of %g s are more than %d samples", spec->t_end,
                         spec->output_dt, (int)TD_MAX_SAMPLES);
  return td_output_check(root, model, spec);
}

static td_status end_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  (void)model;
  return td_check_positive(root, "t_end", spec->t_end);
}

static td_status inputs_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  return td_inputs_check(root, model, spec->inputs, spec->input_count, spec->t_end);
}

// Against the inputs.
static td_status prescribed_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  td_place initial = td_place_key(root, "initial");
  return td_initial_check(&initial, model, spec);
}

static td_status signals_only(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  (void)model;
  td_place inputs = td_place_key(root, "inputs");
  for (size_t i = 0; i < spec->input_count; i++) {
    td_place at = td_place_key(&inputs, spec->inputs[i].channel);
    if (spec->inputs[i].list)
      return td_place_fail(&at, TD_INVALID_ARGUMENT,
                           "a list of values is for statics; here a number or a signal is needed");
  }
  return TD_OK;
}

// In the order in which their errors are told.
static const struct {
  td_status (*check)(const td_place *root, const td_model *model, const td_dynamics_spec *spec);
  size_t needs; ///< sections, from the first one on, that must have passed
} SECTIONS[] = {
    {end_check, 0},        {initial_check, 0},        {signals_only, 0},        {inputs_check, 1},
    {prescribed_check, 4}, {td_controllers_check, 1}, {td_integrator_check, 1}, {output_check, 1},
};

static td_status check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  const size_t count = sizeof SECTIONS / sizeof *SECTIONS;
  size_t passed = count; // sections from the first one on
  td_status first = TD_OK;
  for (size_t i = 0; i < count; i++) {
    td_status status = passed >= SECTIONS[i].needs ? SECTIONS[i].check(root, model, spec) : TD_OK;
    if (!status) continue;
    if (!first) first = status;
    if (passed == count) passed = i;
    if (!td_place_goes_on(root, status)) break;
  }
  return first;
}

td_status td_dynamics_check(const td_model *model, const td_dynamics_spec *spec, td_warnings *warnings, td_error *err) {
  td_place root = td_place_root_of(warnings, err);
  td_status status = check(&root, model, spec);
  if (status) return status;
  td_integrator_spec used;
  td_integrator_resolve(model, spec, &used);
  td_job_remark(&root, model, spec, &used);
  return TD_OK;
}

void td_dynamics_errors(const td_model *model, const td_dynamics_spec *spec, td_errors *all) {
  td_error err = {.status = TD_OK};
  td_place root = td_place_root(&err);
  root.all = all;
  (void)check(&root, model, spec);
}
