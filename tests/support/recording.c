// Runs a dynamics job and keeps what it reports.
#include "support/recording.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

td_dynamics_spec recording_job(const td_model *model, td_method method, double t_end, const double *q) {
  static const char *const fields[] = {"q", "qd"};
  td_dynamics_spec spec = {.t_end = t_end, .output_dt = t_end / 10, .fields = fields, .field_count = 2};
  td_integrator_defaults(&spec.integrator);
  spec.integrator.method = method;
  if (q) spec.initial = TD_INITIAL_ARRAY;
  spec.q = q;
  spec.q_count = q ? (size_t)td_model_ndof(model) : 0;
  return spec;
}

static bool keep_sample(void *context, double t, const double *row) {
  recording *r = context;
  if (r->count == r->room) {
    r->room = r->room ? 2 * r->room : 16;
    r->t = realloc(r->t, r->room * sizeof *r->t);
    r->rows = realloc(r->rows, (r->room * r->row + 1) * sizeof *r->rows);
    ck_assert(r->t && r->rows);
  }
  r->t[r->count] = t;
  memcpy(r->rows + r->count * r->row, row, r->row * sizeof *row);
  r->count++;
  return true;
}

static bool keep_checkpoint(void *context, double t, const void *bytes, size_t size) {
  recording *r = context;
  if (fabs(t - r->keep_at) > 1e-9) return true;
  r->checkpoint = realloc(r->checkpoint, size);
  memcpy(r->checkpoint, bytes, size);
  r->checkpoint_size = size;
  return true;
}

static bool count_steps(void *context, double t) {
  recording *r = context;
  (void)t;
  return r->step_limit == 0 || --r->step_limit > 0;
}

static void keep_step(void *context, const td_step_taken *step) {
  recording *r = context;
  if (r->step_count == r->step_room) {
    r->step_room = r->step_room ? 2 * r->step_room : 64;
    r->steps = realloc(r->steps, r->step_room * sizeof *r->steps);
    ck_assert(r->steps);
  }
  r->steps[r->step_count++] = *step;
}

void recording_run(recording *r, const td_model *model, const td_dynamics_spec *spec, const recording *resume) {
  td_run_hooks hooks = {.context = r,
                        .sample = keep_sample,
                        .checkpoint = keep_checkpoint,
                        .step = count_steps,
                        .took = keep_step,
                        .checkpoint_dt = r->checkpoint_dt};
  if (r->again) hooks.again = r->again->steps, hooks.again_count = r->again->step_count;
  if (td_run_output_members(model, spec, NULL, 0, &r->row, &r->error) < 0) r->row = 0;
  r->status = td_dynamics_run(model, spec, &hooks, resume ? resume->checkpoint : NULL,
                              resume ? resume->checkpoint_size : 0, &r->statistics, &r->error);
}

void recording_ok(recording *r, const td_model *model, const td_dynamics_spec *spec) {
  recording_run(r, model, spec, NULL);
  ck_assert_msg(r->status == TD_OK, "%s: %s", r->error.pointer, r->error.message);
  ck_assert_uint_eq(r->count, td_run_sample_count(spec));
}

const double *recording_last(const recording *r) { return r->rows + (r->count - 1) * r->row; }

void recording_free(recording *r) {
  free(r->t);
  free(r->rows);
  free(r->checkpoint);
  free(r->steps);
  *r = (recording){0};
}

void recording_goes_on(const td_model *model, const td_dynamics_spec *spec, double checkpoint_dt, double keep_at) {
  recording whole = {.checkpoint_dt = checkpoint_dt, .keep_at = keep_at},
            rest = {.checkpoint_dt = checkpoint_dt, .keep_at = -1};
  recording_ok(&whole, model, spec);
  recording_run(&rest, model, spec, &whole);
  ck_assert_int_eq(rest.status, TD_OK);
  ck_assert_uint_eq(rest.statistics.steps, whole.statistics.steps);
  ck_assert_mem_eq(recording_last(&rest), recording_last(&whole), rest.row * sizeof *rest.rows);
  recording_free(&whole);
  recording_free(&rest);
}
