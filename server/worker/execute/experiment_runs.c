// Predictions of a fit: the model is frozen with the values that are asked about, from its document, the way that every
// model goes, and jobs whose numbers are sought are read anew from theirs; then the experiments run in their order, each
// with the fields and at the times of its records, differentiated by the numbers that it depends on.
//
// Derivatives go along with the runs (td_gradient_forward) and equilibria (td_sensitivity_rows_at), by neighbours of
// the model frozen around each parameter. Runs that have none (td_gradient_check) go by central differences, 2 np more
// runs with h a 1024th of each parameter's scale: good to 1e-6 of them where runs are.
#include "codec/document/model/model.h"
#include "codec/json/pointer.h"
#include "worker/execute/experiment_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct taking {
  experiments *e;
  experiment *x;
  const td_model *model;
  double *y, *row; // row: of statics
  double *dy_dp;   // NULL: not wanted
  td_parameters *by;
  td_sensitivity_rows *slopes; // of statics
  double *row_dp, *du;         // du: [m][its np]; NULL: no input depends on numbers
  arena *memory;
  size_t sample;
  td_error failure; // of a problem that was measured
} taking;

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static bool report(const experiments *e) {
  return execute_report(e->r, e->all > 0 ? e->iterations / e->all : 0, e->iterations, e->all);
}

// ------------------------------------------------------------------------------------------------ rows

// Picks what was measured out of a row.
static void take_row(taking *t, size_t sample, const double *row) {
  for (size_t k = 0; k < t->x->says->data_count; k++) {
    const record *rec = &t->x->records[k];
    for (size_t i = 0; i < rec->rows; i++)
      for (size_t j = 0; rec->sample[i] == sample && j < rec->width; j++)
        t->y[rec->first + i * rec->width + j] = row[rec->at[j]];
  }
}

// Columns of numbers that the experiment does not depend on are 0.
static void take_slope(const taking *t, const double *from, double *to) {
  const experiment *x = t->x;
  memset(to, 0, t->e->set->count * sizeof *to);
  for (size_t c = 0; c < x->numbers.set.count; c++) to[x->column[c]] = from[c];
}

static void take_slopes(taking *t, size_t sample, const double *row_dp) {
  size_t np = t->e->set->count, own = t->x->numbers.set.count;
  for (size_t k = 0; k < t->x->says->data_count; k++) {
    const record *rec = &t->x->records[k];
    for (size_t i = 0; i < rec->rows; i++)
      for (size_t j = 0; rec->sample[i] == sample && j < rec->width; j++)
        take_slope(t, row_dp + rec->slope[j] * own, t->dy_dp + (rec->first + i * rec->width + j) * np);
  }
}

static bool was_measured(const taking *t, size_t sample) {
  for (size_t k = 0; k < t->x->says->data_count; k++) {
    const record *rec = &t->x->records[k];
    for (size_t i = 0; i < rec->rows; i++)
      for (size_t j = 0; rec->sample[i] == sample && j < rec->width; j++)
        if (!isnan(t->e->data[rec->first + i * rec->width + j])) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------ runs

static bool on_step(void *context, double t) {
  (void)t;
  return report(((taking *)context)->e);
}

static bool on_sample(void *context, double time, const double *row) {
  (void)time;
  taking *t = context;
  take_row(t, t->sample++, row);
  return true;
}

static bool on_sloped_sample(void *context, double time, const double *row, const double *row_dp) {
  (void)time;
  taking *t = context;
  take_row(t, t->sample, row);
  take_slopes(t, t->sample++, row_dp);
  return true;
}

static td_check on_check(void *context, double part) {
  (void)part;
  const experiments *e = ((taking *)context)->e;
  if (!e->warnings) return TD_CHECK_CUT;
  return report(e) ? TD_CHECK_ON : TD_CHECK_CANCEL;
}

static td_status run_sloped_dynamics(taking *t, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                                     td_run_statistics *statistics, td_error *err) {
  execution_numbers *n = &t->x->numbers;
  td_variables by;
  td_forward_hooks forward = {.run = *hooks, .sample = on_sloped_sample, .context = t};
  forward.run.sample = NULL;
  n->model = t->by;
  td_status status = numbers_find(n, t->model, spec, spec->inputs, spec->input_count, t->memory, err);
  if (status == TD_OK) status = numbers_variables(n, t->model, spec, t->memory, &by, err);
  if (status == TD_OK) status = td_gradient_forward(t->model, spec, &by, &forward, NULL, 0, statistics, err);
  numbers_forget(n);
  return status;
}

// How long equal steps are, 0 where steps follow their errors.
static double equal_steps(const td_model *model, const td_dynamics_spec *spec) {
  td_integrator_spec used;
  td_integrator_resolve(model, spec, &used);
  return used.adaptive ? 0 : used.h;
}

static td_status run_dynamics(taking *t, td_run_statistics *statistics, td_error *err) {
  td_dynamics_spec spec = experiment_run_spec(t->x);
  double h = t->e->halves ? equal_steps(t->model, &spec) : 0;
  if (h > 0) spec.integrator.h = h / 2;
  td_run_hooks hooks = {.context = t, .step = on_step, .sample = on_sample, .check = on_check};
  bool sloped = t->dy_dp && !t->x->by_differences;
  return sloped ? run_sloped_dynamics(t, &spec, &hooks, statistics, err)
                : td_dynamics_run(t->model, &spec, &hooks, NULL, 0, statistics, err);
}

// ------------------------------------------------------------------------------------------------ equilibria

static size_t output_size(const taking *t) {
  td_statics_spec spec = experiment_list_spec(t->x);
  td_member member;
  size_t size = 0;
  return td_statics_output_members(t->model, &spec, &member, 1, &size, NULL) < 0 ? 0 : size;
}

static void slope_row(taking *t, size_t index, const double *u, const double *q) {
  if (t->du) numbers_of_problem(&t->x->numbers, index, (size_t)td_model_channel_count(t->model), t->du);
  td_equilibrium at = {.q = q, .u = u, .du_dp = t->du};
  td_error why = {.status = TD_OK};
  td_status status = td_sensitivity_rows_at(t->slopes, &at, t->row_dp, &why);
  if (status != TD_OK && t->failure.status == TD_OK) {
    t->failure = why;
    t->failure.status = status;
  }
  take_slopes(t, index, t->row_dp);
}

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  taking *t = context;
  size_t n = (size_t)td_model_ndof(t->model), m = (size_t)td_model_channel_count(t->model);
  size_t all = experiment_state_size(t->model);
  bool counts = was_measured(t, index);
  if (failure) {
    if (t->failure.status == TD_OK && counts) t->failure = *failure;
    return report(t->e);
  }
  memcpy(t->row, q, n * sizeof *q);
  memcpy(t->row + n, u, m * sizeof *u);
  if (result->lambda) memcpy(t->row + n + m, result->lambda, (all - n - m) * sizeof *t->row);
  if (result->output) memcpy(t->row + all, result->output, output_size(t) * sizeof *t->row);
  take_row(t, index, t->row);
  if (t->slopes && counts) slope_row(t, index, u, q);
  return report(t->e);
}

static td_status begin_slopes(taking *t, const td_statics_spec *spec, td_error *err) {
  execution_numbers *n = &t->x->numbers;
  td_member member;
  size_t sloped = 0, np = n->set.count, m = (size_t)td_model_channel_count(t->model);
  if (td_sensitivity_members(t->model, t->x->sloped, t->x->sloped_count, &member, 1, &sloped, err) < 0)
    return err->status;
  n->model = t->by;
  td_status status = numbers_find(n, t->model, NULL, spec->inputs, spec->input_count, t->memory, err);
  if (status != TD_OK) return status;
  t->row_dp = calloc(sloped * np + 1, sizeof *t->row_dp);
  t->du = n->inputs ? arena_array(t->memory, m * np, sizeof *t->du) : NULL;
  if (!t->row_dp || (n->inputs && !t->du)) return no_memory(err);
  return td_sensitivity_rows_create(t->model, np, t->by, n->which, t->x->sloped, t->x->sloped_count, &t->slopes, err);
}

static td_status begin_list(taking *t, const td_statics_spec *spec, td_error *err) {
  t->row = calloc(experiment_state_size(t->model) + output_size(t), sizeof *t->row);
  if (!t->row) return no_memory(err);
  return t->dy_dp ? begin_slopes(t, spec, err) : TD_OK;
}

static td_status run_statics(taking *t, td_run_statistics *statistics, td_error *err) {
  td_statics_spec spec = experiment_list_spec(t->x);
  td_statics_hooks hooks = {.context = t, .solved = on_solved};
  td_status status = begin_list(t, &spec, err);
  if (status == TD_OK) status = td_statics_run(t->model, &spec, 0, NULL, &hooks, statistics, err);
  td_sensitivity_rows_destroy(t->slopes);
  numbers_forget(&t->x->numbers);
  free(t->row_dp);
  free(t->row);
  if (status != TD_OK || t->failure.status == TD_OK) return status;
  return (*err = t->failure).status;
}

// ------------------------------------------------------------------------------------------------ all of them

enum { ALL = CODEC_MAX_PARAMETERS }; // in place of a number: all experiments

static void add_statistics(td_run_statistics *all, const td_run_statistics *one) {
  all->steps += one->steps;
  all->rejected += one->rejected;
  all->evaluations += one->evaluations;
  all->jacobians += one->jacobians;
  all->factorisations += one->factorisations;
  all->newton_iterations += one->newton_iterations;
  all->nonlinear_failures += one->nonlinear_failures;
}

// Whether an experiment is run: all are, or those that are differentiated by differences and depend on a number.
static bool takes_part(const experiments *e, size_t k, size_t number) {
  return number == ALL || (e->of[k].by_differences && experiment_depends(e, k, number));
}

// On one model. `dy_dp` NULL: not wanted; otherwise `by` are its parameters, NULL: none.
static td_status run_all(experiments *e, const td_model *model, size_t number, double *y, td_parameters *by,
                         double *dy_dp, arena *memory, td_error *err) {
  td_status status = TD_OK;
  char prefix[48];
  for (size_t i = 0; status == TD_OK && i < e->r->job.fit.count; i++) {
    if (!takes_part(e, i, number)) continue;
    taking t = {.e = e, .x = &e->of[i], .model = model, .y = y, .dy_dp = dy_dp, .by = by, .memory = memory};
    td_run_statistics statistics = {0};
    status = experiment_is_run(t.x) ? run_dynamics(&t, &statistics, err) : run_statics(&t, &statistics, err);
    add_statistics(&e->r->statistics, &statistics);
    snprintf(prefix, sizeof prefix, "/of/%zu/job", i);
    if (status != TD_OK) codec_error_prefix(err, prefix);
    td_warnings_append(e->warnings, prefix, &statistics.warnings);
  }
  return status;
}

// In the document of the model, or in those of the jobs that it is a number of.
static td_status move(experiments *e, size_t i, double value, td_error *err) {
  bool of_job = codec_parameter_is_of_job(e->set, i), done = true;
  if (!of_job) done = codec_parameters_move(e->set, e->document, i, value);
  for (size_t k = 0; of_job && done && k < e->r->job.fit.count; k++) {
    if (!experiment_depends(e, k, i)) continue;
    done = codec_parameters_move(e->set, e->of[k].document, i, value);
    e->of[k].stale = true;
  }
  return done ? TD_OK : no_memory(err);
}

static td_status move_all(experiments *e, const double *p, td_error *err) {
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < e->set->count; i++) status = move(e, i, p[i], err);
  return status;
}

// Reads a job whose document has moved, and judges it as every job is.
static td_status read_again(const experiments *e, experiment *x, const td_model *model, td_error *err) {
  arena_destroy(x->memory);
  x->memory = arena_create();
  job_document *job = x->memory ? arena_alloc(x->memory, sizeof *job) : NULL;
  if (!job) return no_memory(err);
  td_status status = codec_job_read_local(x->document, "", x->memory, job, err);
  if (status == TD_OK) status = codec_job_check(job, model, "", NULL, NULL, err);
  if (status != TD_OK) return status;
  x->job = job;
  x->stale = false;
  numbers_place(&x->numbers, e->set, x->column, job);
  return TD_OK;
}

static td_status read_moved(experiments *e, const td_model *model, td_error *err) {
  td_status status = TD_OK;
  char prefix[48];
  for (size_t k = 0; status == TD_OK && k < e->r->job.fit.count; k++) {
    if (!e->of[k].stale) continue;
    status = read_again(e, &e->of[k], model, err);
    snprintf(prefix, sizeof prefix, "/of/%zu/job", k);
    if (status != TD_OK) codec_error_prefix(err, prefix);
  }
  return status;
}

// What its document says now.
static td_status freeze(experiments *e, td_model **model, td_error *err) {
  td_status status = codec_model_build_moved(e->document, NULL, model, err);
  if (status != TD_OK) codec_error_prefix(err, "/model");
  return status;
}

static td_status run_document(experiments *e, size_t number, double *y, td_error *err) {
  td_model *model = NULL;
  td_status status = freeze(e, &model, err);
  if (status == TD_OK) status = read_moved(e, model, err);
  if (status == TD_OK) status = run_all(e, model, number, y, NULL, NULL, NULL, err);
  td_model_destroy(model);
  return status;
}

// ------------------------------------------------------------------------------------------------ derivatives

static void take_differences(const experiments *e, size_t i, double width, double *dy_dp) {
  size_t np = e->set->count;
  const double *below = e->beside, *above = e->beside + e->samples;
  for (size_t k = 0; k < e->r->job.fit.count; k++) {
    const experiment *x = &e->of[k];
    const record *last = &x->records[x->says->data_count - 1];
    size_t end = last->first + last->rows * last->width;
    for (size_t s = x->records[0].first; x->by_differences && s < end; s++)
      dy_dp[s * np + i] = takes_part(e, k, i) ? (above[s] - below[s]) / width : 0;
  }
}

// Column i of the experiments that have no other.
static td_status differ(experiments *e, size_t i, double p, double *dy_dp, td_error *err) {
  static const double part = 0x1p-10;
  const td_parameter *number = &e->set->number[i];
  double scale = number->value != 0 ? number->scale * fabs(p / number->value) : number->scale;
  double low = fmax(p - part * scale, number->lower), high = fmin(p + part * scale, number->upper);
  td_status status = move(e, i, low, err);
  if (status == TD_OK) status = run_document(e, i, e->beside, err);
  if (status == TD_OK) status = move(e, i, high, err);
  if (status == TD_OK) status = run_document(e, i, e->beside + e->samples, err);
  if (status == TD_OK) take_differences(e, i, high - low, dy_dp);
  td_status back = move(e, i, p, err);
  return status != TD_OK ? status : back;
}

bool experiments_differ(const experiments *e) {
  for (size_t i = 0; i < e->r->job.fit.count; i++)
    if (e->of[i].by_differences) return true;
  return false;
}

typedef struct neighbours {
  experiments *e;
  parameter_set set; // at p
} neighbours;

static td_status freeze_neighbour(void *context, size_t index, double value, td_model **model, td_error *err) {
  neighbours *n = context;
  if (!report(n->e)) return TD_CANCELLED;
  if (!codec_parameters_move(&n->set, n->e->document, index, value)) return no_memory(err);
  td_status status = freeze(n->e, model, err);
  if (codec_parameters_restore(&n->set, n->e->document, index)) return status;
  if (status == TD_OK) td_model_destroy(*model);
  *model = NULL;
  return no_memory(err);
}

// y and its derivatives on the document's model: steps of differences are those of the values that it has now.
static td_status run_sloped(experiments *e, double *y, double *dy_dp, td_error *err) {
  neighbours n = {.e = e};
  td_model *model = NULL;
  td_parameters *by = NULL;
  arena *a = arena_create();
  if (!a) return no_memory(err);
  td_status status = codec_parameters_resolve(&e->of_model, e->document, NULL, a, &n.set, err);
  if (status == TD_OK) status = freeze(e, &model, err);
  if (status == TD_OK) status = read_moved(e, model, err);
  if (status == TD_OK && e->model_numbers > 0)
    status = td_parameters_create(model, n.set.number, n.set.count, freeze_neighbour, &n, &by, err);
  if (status == TD_OK) status = run_all(e, model, ALL, y, by, dy_dp, a, err);
  td_parameters_destroy(by);
  td_model_destroy(model);
  arena_destroy(a);
  return status;
}

td_status experiments_predict(void *context, const double *p, double *y, double *dy_dp, td_error *err) {
  experiments *e = context;
  td_status status = move_all(e, p, err);
  if (status == TD_OK) status = dy_dp ? run_sloped(e, y, dy_dp, err) : run_document(e, ALL, y, err);
  bool differed = dy_dp && experiments_differ(e);
  for (size_t i = 0; status == TD_OK && differed && i < e->set->count; i++) status = differ(e, i, p[i], dy_dp, err);
  return status;
}

bool experiments_step(const experiments *e) {
  bool any = false;
  for (size_t k = 0; k < e->r->job.fit.count && !any; k++) {
    if (!experiment_is_run(&e->of[k])) continue;
    td_dynamics_spec spec = experiment_run_spec(&e->of[k]);
    any = equal_steps(e->r->model, &spec) > 0;
  }
  return any;
}

td_status experiments_predict_finer(void *context, const double *p, double *y, double *dy_dp, td_error *err) {
  experiments *e = context;
  (void)dy_dp;
  td_status status = move_all(e, p, err);
  e->halves = true;
  if (status == TD_OK) status = run_document(e, ALL, y, err);
  e->halves = false;
  return status;
}

td_status experiments_judge(experiments *e, const double *p, td_warnings *warnings, td_error *err) {
  td_status status = move_all(e, p, err);
  e->warnings = warnings;
  if (status == TD_OK) status = run_document(e, ALL, e->beside, err);
  e->warnings = NULL;
  return status;
}
