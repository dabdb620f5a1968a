// Jobs of kind gradient: the job within is executed by its own kind, with its rows and members; here is what comes with
// them: the objective's value and its derivatives, `value` and `gradient` [np].
//
// A run goes backward once it is over (td_gradient_backward); equilibria are differentiated one by one as they are
// found. What was added up so far is part of every checkpoint.
#include "tendril/gradient.h"
#include "tendril/sensitivity.h"
#include "worker/execute/parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RUN_PART = 0.3; // of the work; the sweep goes through the run once more, and factors every step

td_status execute_plan_gradient(execution *r, td_error *err) {
  execution_gradient *g = r->gradient = arena_alloc(r->memory, sizeof *g);
  if (!g) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *g = (execution_gradient){.np = r->numbers.set.count};
  g->sums = arena_array(r->memory, 1 + g->np, sizeof *g->sums);
  g->member = arena_array(r->memory, CODEC_GRADIENT_FIELDS, sizeof *g->member);
  if (!g->sums || !g->member) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  memset(g->sums, 0, (1 + g->np) * sizeof *g->sums);
  if (r->run->kind == JOB_DYNAMICS) r->run_part = RUN_PART;
  size_t samples;
  return codec_gradient_objective(&r->job, r->model, g->member, CODEC_GRADIENT_FIELDS, &g->t, &samples, &g->objective,
                                  err);
}

void execute_forget_gradient(execution *r) {
  if (!r->gradient) return;
  td_objective_destroy(r->gradient->objective);
  free(r->gradient->t);
}

size_t execute_take_sums(execution *r, const void *extra, size_t size) {
  size_t bytes = r->gradient ? (1 + r->gradient->np) * sizeof *r->gradient->sums : 0;
  assert(size >= bytes);
  (void)size;
  if (bytes) memcpy(r->gradient->sums, extra, bytes);
  return bytes;
}

bool execute_write_gradient(execution *r) {
  const execution_gradient *g = r->gradient;
  if (!g || r->assembled || r->verdict.status != TD_OK) return true;
  npz_write_doubles(r->writer, "value", g->sums, 0, NULL);
  npz_write_doubles(r->writer, "gradient", g->sums + 1, 1, &g->np);
  return true;
}

// No number that is none goes into a result.
static td_status check_sums(const execution *r, td_error *err) {
  const execution_gradient *g = r->gradient;
  char pointer[32];
  if (!isfinite(g->sums[0]))
    return td_fail(err, TD_NONFINITE, r->job.gradient.objective_given ? "/objective" : "/cotangents", "the value is %g",
                   g->sums[0]);
  for (size_t k = 0; k < g->np; k++)
    if (!isfinite(g->sums[1 + k])) {
      snprintf(pointer, sizeof pointer, "/parameters/%zu", r->numbers.set.place[k]);
      return td_fail(err, TD_NONFINITE, pointer, "the derivative of the value by %.200s is %g",
                     r->numbers.set.number[k].name, g->sums[1 + k]);
    }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ runs

typedef struct backward {
  execution *r;
  spool *rows;
  const td_run_hooks *run;
  double *state; // sums, then the engine's bytes
  size_t room;
} backward;

static bool on_step(void *context, double t) {
  const td_run_hooks *run = ((backward *)context)->run;
  return run->step(run->context, t);
}
static bool on_sample(void *context, double t, const double *row) {
  backward *b = context;
  execution_gradient *g = b->r->gradient;
  g->sums[0] += td_objective_at(g->objective, b->rows->rows, row, NULL);
  return b->run->sample(b->run->context, t, row);
}
static void on_share(void *context, double share) {
  const td_run_hooks *run = ((backward *)context)->run;
  run->share(run->context, share);
}
static td_check on_check(void *context, double part) {
  const td_run_hooks *run = ((backward *)context)->run;
  return run->check(run->context, part);
}

static bool on_cotangent(void *context, size_t sample, double t, const double *row, double *cotangent) {
  (void)t;
  const backward *b = context;
  (void)td_objective_at(b->r->gradient->objective, sample, row, cotangent);
  return true;
}

static bool on_progress(void *context, double part) {
  const backward *b = context;
  double t_end = b->r->run->dynamics.t_end;
  b->r->checking = false;
  return execute_report(b->r, RUN_PART + (1 - RUN_PART) * part, t_end, t_end);
}

static bool on_checkpoint(void *context, double t, double part, const void *bytes, size_t size) {
  (void)t;
  (void)part;
  backward *b = context;
  const execution_gradient *g = b->r->gradient;
  size_t sums = (1 + g->np) * sizeof *g->sums;
  if (sums + size > b->room) {
    double *more = realloc(b->state, sums + size);
    if (!more) return true; // the next one may find memory; the run needs none
    b->state = more;
    b->room = sums + size;
  }
  memcpy(b->state, g->sums, sums);
  memcpy((char *)b->state + sums, bytes, size);
  return execute_save(b->r, b->rows, b->state, sums + size);
}

td_status execute_run_backward(execution *r, spool *rows, const td_run_hooks *run, const void *resume,
                               size_t resume_size, td_error *err) {
  const td_dynamics_spec *spec = &r->run->dynamics;
  td_variables by;
  backward b = {.r = r, .rows = rows, .run = run};
  td_status status = execute_freeze_numbers(r, spec->inputs, spec->input_count, err);
  if (status == TD_OK) status = execute_variables(r, spec, &by, err);
  if (status != TD_OK) return status;
  td_backward_hooks hooks = {.context = &b, .cotangent = on_cotangent, .progress = on_progress};
  if (r->observer->checkpoint) hooks.checkpoint = on_checkpoint;
  hooks.run = (td_run_hooks){.context = &b,
                             .step = on_step,
                             .sample = on_sample,
                             .share = on_share,
                             .check = on_check,
                             .checkpoint_dt = run->checkpoint_dt};
  status = td_gradient_backward(r->model, spec, &by, &hooks, resume, resume_size, r->gradient->sums + 1, &r->statistics,
                                err);
  free(b.state);
  if (status != TD_OK && *err->pointer) codec_error_prefix(err, "/of");
  return status == TD_OK ? check_sums(r, err) : status;
}

// ------------------------------------------------------------------------------------------------ equilibria

// Inputs of this problem to the numbers that they come from; NaN: a loop parts with one.
static td_status add_inputs(execution *r, size_t index, const double *u, td_error *err) {
  const execution_numbers *n = &r->numbers;
  size_t count = n->inputs ? td_input_numbers_of_problem(n->inputs, index, n->slope) : 0;
  for (size_t i = 0; i < count; i++) {
    const td_input_slope *s = &n->slope[i];
    if (!isfinite(u[s->channel]))
      return td_fail(err, TD_SINGULAR, n->set.number[s->number].name,
                     "with another value loops that depend on each other would not close");
    r->gradient->sums[1 + s->number] += u[s->channel] * s->of[0];
  }
  return TD_OK;
}

td_status execute_add_equilibrium(execution *r, td_sensitivity_rows *rows, size_t index, const td_equilibrium *at,
                                  const double *row, size_t size, td_error *err) {
  execution_gradient *g = r->gradient;
  size_t m = (size_t)td_model_channel_count(r->model);
  double *cotangent = calloc(size + m + g->np + 1, sizeof *cotangent), *u = cotangent + size, *p = u + m;
  if (!cotangent) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  g->sums[0] += td_objective_at(g->objective, index, row, cotangent);
  td_status status = td_sensitivity_rows_pull(rows, at, cotangent, u, p, err);
  for (size_t k = 0; status == TD_OK && k < g->np; k++) g->sums[1 + k] += p[k];
  if (status == TD_OK) status = add_inputs(r, index, u, err);
  free(cotangent);
  return status == TD_OK ? check_sums(r, err) : status;
}
