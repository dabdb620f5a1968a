// Experiments of a fit. A prediction freezes the model with the values that it is asked about, from its document, the
// way that every model goes; then the experiments run in their order, each with the fields and at the times of its records.
//
// Derivatives: central differences of all of that, 2 np more predictions, h a 1024th of each parameter's scale: good to
// 1e-6 of them where runs are.
#include "worker/execute/experiments.h"
#include "codec/document/model/model.h"
#include "codec/json/pointer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// One record: where its numbers stand in rows of the experiment, and where they go.
typedef struct record {
  size_t *at;                // [width] in a row
  size_t *sample;            // [rows] of the run
  size_t rows, width, first; // first: of y
} record;

typedef struct experiment {
  const fit_experiment *says;
  const char **fields; // [field_count] without doubles; statics: without q, u and lambda
  size_t field_count;
  double *times; // [time_count] of dynamics, rising, the last one the end
  size_t time_count;
  record *records; // [says->data_count]
} experiment;

struct experiments {
  execution *r;
  const parameter_set *set;
  json_t *document; // of the model, ours
  experiment *of;
  double *data, *sigma; // [samples]
  double *beside;       // [samples] at a neighbour
  size_t samples;
  double iterations, all; // for reports
  td_warnings *warnings;  // NULL: no checks of runs, nobody wants to know
};

// ------------------------------------------------------------------------------------------------ plans

static bool is_state(const char *name) {
  return strcmp(name, "q") == 0 || strcmp(name, "u") == 0 || strcmp(name, "lambda") == 0;
}

static void add_field(experiment *x, const char *name) {
  for (size_t i = 0; i < x->field_count; i++)
    if (strcmp(x->fields[i], name) == 0) return;
  x->fields[x->field_count++] = name;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// All times of all records, and the end.
static bool collect_times(experiment *x, arena *a) {
  size_t room = 1;
  for (size_t k = 0; k < x->says->data_count; k++) room += x->says->data[k].t_count;
  x->times = arena_array(a, room, sizeof *x->times);
  if (!x->times) return false;
  x->times[x->time_count++] = x->says->job->dynamics.t_end;
  for (size_t k = 0; k < x->says->data_count; k++)
    for (size_t i = 0; i < x->says->data[k].t_count; i++) x->times[x->time_count++] = x->says->data[k].t[i];
  qsort(x->times, x->time_count, sizeof *x->times, by_value);
  size_t kept = 1;
  for (size_t i = 1; i < x->time_count; i++)
    if (x->times[i] > x->times[kept - 1]) x->times[kept++] = x->times[i];
  x->time_count = kept;
  return true;
}

static size_t sample_at(const experiment *x, double t) {
  const double *found = bsearch(&t, x->times, x->time_count, sizeof t, by_value);
  assert(found); // it is one of them
  return (size_t)(found - x->times);
}

static bool is_run(const experiment *x) { return x->says->job->kind == JOB_DYNAMICS; }

// Rows of statics: q, u and lambda, then the fields.
static size_t state_offset(const td_model *model, const char *name) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  return strcmp(name, "q") == 0 ? 0 : strcmp(name, "u") == 0 ? n : n + m;
}

static size_t state_size(const td_model *model) {
  return (size_t)(td_model_ndof(model) + td_model_channel_count(model) + td_model_loop_row_count(model) +
                  td_model_prescribed_count(model));
}

static td_dynamics_spec run_spec(const experiment *x) {
  td_dynamics_spec spec = x->says->job->dynamics;
  spec.fields = x->fields;
  spec.field_count = x->field_count;
  spec.times = x->times;
  spec.time_count = x->time_count;
  return spec;
}

static td_statics_spec list_spec(const experiment *x) {
  td_statics_spec spec = x->says->job->statics;
  spec.fields = x->fields;
  spec.field_count = x->field_count;
  return spec;
}

static int members_of(const experiment *x, const td_model *model, td_member *members, size_t *row, td_error *err) {
  td_dynamics_spec run = run_spec(x);
  td_statics_spec list = list_spec(x);
  int room = (int)x->field_count;
  return is_run(x) ? td_run_output_members(model, &run, members, room, row, err)
                   : td_statics_output_members(model, &list, members, room, row, err);
}

static td_status plan_record(experiments *e, const experiment *x, const td_model *model, size_t k, td_error *err) {
  const fit_data *d = &x->says->data[k];
  record *rec = &x->records[k];
  arena *a = e->r->memory;
  td_member member, *members = arena_array(a, x->field_count, sizeof *members);
  *rec = (record){arena_array(a, d->width, sizeof *rec->at), arena_array(a, d->rows, sizeof *rec->sample), d->rows,
                  d->width, e->samples};
  if (!members || !rec->at || !rec->sample) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = codec_fit_member(x->says, model, d->field, &member, err);
  if (status == TD_OK) status = codec_fit_select(d, &member, rec->at, err);
  size_t row = 0, base = 0;
  int count = status == TD_OK ? members_of(x, model, members, &row, err) : -1;
  if (count < 0) return err->status;
  if (!is_run(x)) base = is_state(d->field) ? state_offset(model, d->field) : state_size(model);
  for (int i = 0; i < count; i++)
    if (strcmp(members[i].name, d->field) == 0) base += members[i].offset;
  for (size_t i = 0; i < d->width; i++) rec->at[i] += base;
  for (size_t i = 0; i < d->rows; i++) rec->sample[i] = is_run(x) ? sample_at(x, d->t[i]) : i;
  e->samples += d->rows * d->width;
  return TD_OK;
}

static td_status plan_experiment(experiments *e, experiment *x, const fit_experiment *says, td_error *err) {
  arena *a = e->r->memory;
  *x = (experiment){.says = says,
                    .fields = arena_array(a, says->data_count, sizeof *x->fields),
                    .records = arena_array(a, says->data_count, sizeof *x->records)};
  if (!x->fields || !x->records || (is_run(x) && !collect_times(x, a)))
    return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t k = 0; k < says->data_count; k++)
    if (is_run(x) || !is_state(says->data[k].field)) add_field(x, says->data[k].field);
  td_status status = TD_OK;
  for (size_t k = 0; status == TD_OK && k < says->data_count; k++) status = plan_record(e, x, e->r->model, k, err);
  return status;
}

static void fill_data(experiments *e) {
  const fit_document *fit = &e->r->job.fit;
  for (size_t i = 0; i < fit->count; i++)
    for (size_t k = 0; k < fit->of[i].data_count; k++) {
      const fit_data *d = &fit->of[i].data[k];
      const record *rec = &e->of[i].records[k];
      memcpy(e->data + rec->first, d->value, rec->rows * rec->width * sizeof *d->value);
      for (size_t s = 0; fit->has_sigma && s < rec->rows * rec->width; s++)
        e->sigma[rec->first + s] = d->sigma[d->sigma_count == 1 ? 0 : s % rec->width];
    }
}

td_status experiments_create(execution *r, const parameter_set *set, experiments **out, td_error *err) {
  const fit_document *fit = &r->job.fit;
  experiments *e = *out = arena_alloc(r->memory, sizeof *e);
  if (!e) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *e = (experiments){.r = r, .set = set, .of = arena_array(r->memory, fit->count, sizeof *e->of)};
  e->document = json_deep_copy(r->model_json);
  if (!e->document || !e->of) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < fit->count; i++) status = plan_experiment(e, &e->of[i], &fit->of[i], err);
  if (status != TD_OK) return status;
  e->data = arena_array(r->memory, e->samples, sizeof *e->data);
  e->sigma = arena_array(r->memory, e->samples, sizeof *e->sigma);
  e->beside = arena_array(r->memory, 2 * e->samples, sizeof *e->beside);
  if (!e->data || !e->sigma || !e->beside) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  fill_data(e);
  return TD_OK;
}

void experiments_destroy(experiments *e) {
  if (e) json_decref(e->document);
}

const double *experiments_data(const experiments *e) { return e->data; }
const double *experiments_sigma(const experiments *e) { return e->r->job.fit.has_sigma ? e->sigma : NULL; }
size_t experiments_samples(const experiments *e) { return e->samples; }

void experiments_note(experiments *e, double iterations, double all) {
  e->iterations = iterations;
  e->all = all;
}

// ------------------------------------------------------------------------------------------------ one run

typedef struct taking {
  experiments *e;
  const experiment *x;
  const td_model *model;
  double *y, *row; // row: of statics
  size_t sample;
  td_error failure; // of a problem that was measured
} taking;

static bool report(const experiments *e) {
  return execute_report(e->r, e->all > 0 ? e->iterations / e->all : 0, e->iterations, e->all);
}

// Picks what was measured out of a row.
static void take_row(taking *t, size_t sample, const double *row) {
  for (size_t k = 0; k < t->x->says->data_count; k++) {
    const record *rec = &t->x->records[k];
    for (size_t i = 0; i < rec->rows; i++)
      for (size_t j = 0; rec->sample[i] == sample && j < rec->width; j++)
        t->y[rec->first + i * rec->width + j] = row[rec->at[j]];
  }
}

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

static td_check on_check(void *context, double part) {
  (void)part;
  const experiments *e = ((taking *)context)->e;
  if (!e->warnings) return TD_CHECK_CUT;
  return report(e) ? TD_CHECK_ON : TD_CHECK_CANCEL;
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

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  taking *t = context;
  size_t n = (size_t)td_model_ndof(t->model), m = (size_t)td_model_channel_count(t->model), all = state_size(t->model);
  if (failure) {
    if (t->failure.status == TD_OK && was_measured(t, index)) t->failure = *failure;
    return report(t->e);
  }
  memcpy(t->row, q, n * sizeof *q);
  memcpy(t->row + n, u, m * sizeof *u);
  if (result->lambda) memcpy(t->row + n + m, result->lambda, (all - n - m) * sizeof *t->row);
  if (result->output) {
    td_member member;
    size_t size = 0;
    if (td_statics_output_members(t->model,
                                  &(td_statics_spec){.fields = t->x->fields, .field_count = t->x->field_count}, &member,
                                  1, &size, NULL) >= 0)
      memcpy(t->row + all, result->output, size * sizeof *t->row);
  }
  take_row(t, index, t->row);
  return report(t->e);
}

static void add_statistics(td_run_statistics *all, const td_run_statistics *one) {
  all->steps += one->steps;
  all->rejected += one->rejected;
  all->evaluations += one->evaluations;
  all->jacobians += one->jacobians;
  all->factorisations += one->factorisations;
  all->newton_iterations += one->newton_iterations;
  all->nonlinear_failures += one->nonlinear_failures;
}

static td_status run_list(taking *t, td_run_statistics *statistics, td_error *err) {
  td_statics_spec spec = list_spec(t->x);
  td_statics_hooks hooks = {.context = t, .solved = on_solved};
  td_member member;
  size_t size = 0;
  if (td_statics_output_members(t->model, &spec, &member, 1, &size, err) < 0) return err->status;
  t->row = calloc(state_size(t->model) + size, sizeof *t->row);
  if (!t->row) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = td_statics_run(t->model, &spec, 0, NULL, &hooks, statistics, err);
  free(t->row);
  if (status != TD_OK || t->failure.status == TD_OK) return status;
  return (*err = t->failure).status;
}

static td_status run_one(taking *t, td_run_statistics *statistics, td_error *err) {
  if (!is_run(t->x)) return run_list(t, statistics, err);
  td_dynamics_spec spec = run_spec(t->x);
  td_run_hooks hooks = {.context = t, .step = on_step, .sample = on_sample, .check = on_check};
  return td_dynamics_run(t->model, &spec, &hooks, NULL, 0, statistics, err);
}

// ------------------------------------------------------------------------------------------------ predictions

// All experiments on one model.
static td_status run_all(experiments *e, const td_model *model, double *y, td_error *err) {
  td_status status = TD_OK;
  char prefix[48];
  for (size_t i = 0; status == TD_OK && i < e->r->job.fit.count; i++) {
    taking t = {.e = e, .x = &e->of[i], .model = model, .y = y};
    td_run_statistics statistics = {0};
    status = run_one(&t, &statistics, err);
    add_statistics(&e->r->statistics, &statistics);
    snprintf(prefix, sizeof prefix, "/of/%zu/job", i);
    if (status != TD_OK) codec_error_prefix(err, prefix);
    td_warnings_append(e->warnings, prefix, &statistics.warnings);
  }
  return status;
}

static td_status move(experiments *e, size_t i, double value, td_error *err) {
  return codec_parameters_move(e->set, e->document, i, value) ? TD_OK
                                                              : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
}

// What its document now says.
static td_status run_document(experiments *e, double *y, td_error *err) {
  td_model *model = NULL;
  td_status status = codec_model_build_moved(e->document, NULL, &model, err);
  if (status != TD_OK) return codec_error_prefix(err, "/model"), status;
  status = run_all(e, model, y, err);
  td_model_destroy(model);
  return status;
}

static td_status differ(experiments *e, size_t i, double p, double *dy_dp, td_error *err) {
  static const double part = 0x1p-10;
  size_t np = e->set->count;
  const td_parameter *number = &e->set->number[i];
  double scale = number->value != 0 ? number->scale * fabs(p / number->value) : number->scale;
  double low = fmax(p - part * scale, number->lower), high = fmin(p + part * scale, number->upper);
  double *below = e->beside, *above = e->beside + e->samples;
  td_status status = move(e, i, low, err);
  if (status == TD_OK) status = run_document(e, below, err);
  if (status == TD_OK) status = move(e, i, high, err);
  if (status == TD_OK) status = run_document(e, above, err);
  for (size_t s = 0; status == TD_OK && s < e->samples; s++) dy_dp[s * np + i] = (above[s] - below[s]) / (high - low);
  td_status back = move(e, i, p, err);
  return status != TD_OK ? status : back;
}

static td_status move_all(experiments *e, const double *p, td_error *err) {
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < e->set->count; i++) status = move(e, i, p[i], err);
  return status;
}

td_status experiments_predict(void *context, const double *p, double *y, double *dy_dp, td_error *err) {
  experiments *e = context;
  td_status status = move_all(e, p, err);
  if (status == TD_OK) status = run_document(e, y, err);
  for (size_t i = 0; status == TD_OK && dy_dp && i < e->set->count; i++) status = differ(e, i, p[i], dy_dp, err);
  return status;
}

td_status experiments_judge(experiments *e, const double *p, td_warnings *warnings, td_error *err) {
  td_status status = move_all(e, p, err);
  e->warnings = warnings;
  if (status == TD_OK) status = run_document(e, e->beside, err);
  e->warnings = NULL;
  return status;
}
