// Experiments of a fit: which numbers of which rows are measured, and where they go.
#include "worker/execute/experiment_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ plans

static bool is_state(const char *name) {
  return strcmp(name, "q") == 0 || strcmp(name, "u") == 0 || strcmp(name, "lambda") == 0;
}

static void add_name(const char **list, size_t *count, const char *name) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(list[i], name) == 0) return;
  list[(*count)++] = name;
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

// Rows of statics: q, u and lambda, then the fields.
static size_t state_offset(const td_model *model, const char *name) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  return strcmp(name, "q") == 0 ? 0 : strcmp(name, "u") == 0 ? n : n + m;
}

size_t experiment_state_size(const td_model *model) {
  return (size_t)(td_model_ndof(model) + td_model_channel_count(model) + td_model_loop_row_count(model) +
                  td_model_prescribed_count(model));
}

// Runs that can be differentiated are those that are.
td_dynamics_spec experiment_run_spec(const experiment *x) {
  td_dynamics_spec spec = x->job->dynamics;
  if (!x->by_differences) td_gradient_job(&x->job->dynamics, &spec);
  spec.fields = x->fields;
  spec.field_count = x->field_count;
  spec.times = x->times;
  spec.time_count = x->time_count;
  return spec;
}

td_statics_spec experiment_list_spec(const experiment *x) {
  td_statics_spec spec = x->job->statics;
  spec.fields = x->fields;
  spec.field_count = x->field_count;
  return spec;
}

static int members_of(const experiment *x, const td_model *model, td_member *members, size_t *row, td_error *err) {
  td_dynamics_spec run = experiment_run_spec(x);
  td_statics_spec list = experiment_list_spec(x);
  int room = (int)x->field_count;
  return experiment_is_run(x) ? td_run_output_members(model, &run, members, room, row, err)
                              : td_statics_output_members(model, &list, members, room, row, err);
}

// Where a field of equilibria begins in a row of derivatives.
static td_status find_sloped(const experiment *x, const td_model *model, arena *a, const char *name, size_t *offset,
                             td_error *err) {
  td_member *members = arena_array(a, x->sloped_count, sizeof *members);
  size_t row = 0;
  if (!members) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  int count = td_sensitivity_members(model, x->sloped, x->sloped_count, members, (int)x->sloped_count, &row, err);
  for (int i = 0; i < count; i++)
    if (strcmp(x->sloped[i], name) == 0) *offset = members[i].offset;
  return count < 0 ? err->status : TD_OK;
}

static td_status plan_record(experiments *e, const experiment *x, const td_model *model, size_t k, td_error *err) {
  const fit_data *d = &x->says->data[k];
  record *rec = &x->records[k];
  arena *a = e->r->memory;
  td_member member, *members = arena_array(a, x->field_count, sizeof *members);
  *rec = (record){.at = arena_array(a, d->width, sizeof *rec->at),
                  .slope = arena_array(a, d->width, sizeof *rec->slope),
                  .sample = arena_array(a, d->rows, sizeof *rec->sample),
                  .rows = d->rows,
                  .width = d->width,
                  .first = e->samples};
  if (!members || !rec->at || !rec->slope || !rec->sample) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = codec_fit_member(x->says, model, d->field, &member, err);
  if (status == TD_OK) status = codec_fit_select(d, &member, rec->at, err);
  size_t row = 0, base = 0, sloped = 0;
  int count = status == TD_OK ? members_of(x, model, members, &row, err) : -1;
  if (count < 0) return err->status;
  if (!experiment_is_run(x)) base = is_state(d->field) ? state_offset(model, d->field) : experiment_state_size(model);
  for (int i = 0; i < count; i++)
    if (strcmp(members[i].name, d->field) == 0) base += members[i].offset;
  if (!experiment_is_run(x) && find_sloped(x, model, a, d->field, &sloped, err) != TD_OK) return err->status;
  for (size_t i = 0; i < d->width; i++) {
    rec->slope[i] = rec->at[i] + (experiment_is_run(x) ? base : sloped);
    rec->at[i] += base;
  }
  for (size_t i = 0; i < d->rows; i++) rec->sample[i] = experiment_is_run(x) ? sample_at(x, d->t[i]) : i;
  e->samples += d->rows * d->width;
  return TD_OK;
}

bool experiment_depends(const experiments *e, size_t k, size_t i) {
  return !codec_parameter_is_of_job(e->set, i) || codec_fit_reaches(&e->r->job.fit, e->set->place[i], k);
}

// Its numbers among those of the fit, and a document of its own where some are its job's.
static bool plan_numbers(experiments *e, size_t k, experiment *x) {
  arena *a = e->r->memory;
  size_t np = e->set->count;
  execution_numbers *own = &x->numbers;
  x->column = arena_array(a, np, sizeof *x->column);
  own->which = arena_array(a, np, sizeof *own->which);
  if (!x->column || !own->which) return false;
  for (size_t i = 0, model = 0; i < np; i++) {
    if (!experiment_depends(e, k, i)) continue;
    bool of_job = codec_parameter_is_of_job(e->set, i);
    if (!of_job) own->which[model++] = own->set.count;
    if (of_job && !x->document && !(x->document = json_deep_copy(x->says->json))) return false;
    x->column[own->set.count++] = i;
  }
  return numbers_begin_places(own, e->set, x->column, a);
}

// Runs that have no derivatives of their own, and laws whose references are found by inversion.
static bool is_differed(const experiments *e, const experiment *x, td_error *why) {
  td_variables by = {.count = e->set->count};
  return experiment_is_run(x) && (td_gradient_check(e->r->model, &x->job->dynamics, &by, why) != TD_OK ||
                                  td_law_numbers_check_model(&x->job->dynamics, why) != TD_OK);
}

static void tell_differed(experiments *e, size_t index, const td_error *why) {
  char pointer[TD_POINTER_SIZE];
  snprintf(pointer, sizeof pointer, "/of/%zu/job%.200s", index, why->pointer);
  td_warn(
      &e->r->warnings, "by_differences", pointer,
      "derivatives are differences of runs, two more for each number, and as good as the tolerances let them be: %s",
      why->message);
}

static td_status plan_experiment(experiments *e, size_t index, const fit_experiment *says, td_error *err) {
  experiment *x = &e->of[index];
  arena *a = e->r->memory;
  td_error why = {.status = TD_OK};
  *x = (experiment){.says = says,
                    .job = says->job,
                    .fields = arena_array(a, says->data_count, sizeof *x->fields),
                    .sloped = arena_array(a, says->data_count, sizeof *x->sloped),
                    .records = arena_array(a, says->data_count, sizeof *x->records)};
  if (!x->fields || !x->sloped || !x->records || !plan_numbers(e, index, x) ||
      (experiment_is_run(x) && !collect_times(x, a)))
    return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t k = 0; k < says->data_count; k++) {
    const char *name = says->data[k].field;
    if (experiment_is_run(x) || !is_state(name)) add_name(x->fields, &x->field_count, name);
    if (!experiment_is_run(x)) add_name(x->sloped, &x->sloped_count, name);
  }
  x->by_differences = is_differed(e, x, &why);
  if (x->by_differences) tell_differed(e, index, &why);
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

// The entries of the model alone: places that are left out stand for nothing.
static bool plan_model(experiments *e) {
  const parameter_list *all = &e->r->job.fit.list;
  e->of_model = (parameter_list){arena_array(e->r->memory, all->count, sizeof *all->place), all->count, false};
  for (size_t i = 0; e->of_model.place && i < all->count; i++) e->of_model.place[i] = (parameter_place){.path = NULL};
  for (size_t i = 0; e->of_model.place && i < e->set->count; i++) {
    if (codec_parameter_is_of_job(e->set, i)) continue;
    e->of_model.place[e->set->place[i]] = all->place[e->set->place[i]];
    e->model_numbers++;
  }
  return e->of_model.place;
}

td_status experiments_create(execution *r, const parameter_set *set, experiments **out, td_error *err) {
  const fit_document *fit = &r->job.fit;
  experiments *e = *out = arena_alloc(r->memory, sizeof *e);
  if (!e) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *e = (experiments){.r = r, .set = set, .of = arena_array(r->memory, fit->count, sizeof *e->of)};
  e->document = json_deep_copy(r->model_json);
  if (!e->document || !e->of || !plan_model(e)) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < fit->count; i++) status = plan_experiment(e, i, &fit->of[i], err);
  if (status != TD_OK) return status;
  e->data = arena_array(r->memory, e->samples, sizeof *e->data);
  e->sigma = arena_array(r->memory, e->samples, sizeof *e->sigma);
  e->beside = arena_array(r->memory, 2 * e->samples, sizeof *e->beside);
  if (!e->data || !e->sigma || !e->beside) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  fill_data(e);
  return TD_OK;
}

void experiments_destroy(experiments *e) {
  if (!e) return;
  for (size_t i = 0; e->of && i < e->r->job.fit.count; i++) {
    json_decref(e->of[i].document);
    arena_destroy(e->of[i].memory);
  }
  json_decref(e->document);
}

const double *experiments_data(const experiments *e) { return e->data; }
const double *experiments_sigma(const experiments *e) { return e->r->job.fit.has_sigma ? e->sigma : NULL; }
size_t experiments_samples(const experiments *e) { return e->samples; }

void experiments_note(experiments *e, double iterations, double all) {
  e->iterations = iterations;
  e->all = all;
}
