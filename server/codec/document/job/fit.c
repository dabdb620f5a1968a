// Jobs of kind fit: experiments, what was measured in them, and the unknowns.
#include "codec/document/job/fit.h"
#include "codec/document/job/parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RANK = 3, MAX_SELECT = 4096 };

// ------------------------------------------------------------------------------------------------ records

static td_status read_index_tuple(reader *r, const json_t *value, size_t rank, int *out) {
  if (!json_is_array(value)) return fail_type(r, "an array of indices", value);
  if (json_array_size(value) != rank)
    return fail_here(r, TD_INVALID_ARGUMENT, "has %zu indices, the first of this list has %zu", json_array_size(value),
                     rank);
  td_status status = TD_OK;
  for (size_t k = 0; status == TD_OK && k < rank; k++) {
    size_t mark = codec_pointer_index(&r->at, k);
    status = read_integer(r, json_array_get(value, k), &out[k]);
    if (status == TD_OK && out[k] < 0)
      status = fail_here(r, TD_INVALID_ARGUMENT, "an index must not be negative, is %d", out[k]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

// [[0, 3], [1, 3]]; of fields with one axis [0, 2] will do.
static td_status read_select(reader *r, const json_t *value, void *out) {
  fit_data *d = out;
  if (!json_is_array(value)) return fail_type(r, "an array of indices", value);
  const json_t *first = json_array_get(value, 0);
  bool plain = json_is_integer(first);
  d->select_count = json_array_size(value);
  d->select_rank = plain ? 1 : json_array_size(first);
  if (d->select_count == 0 || d->select_count > MAX_SELECT)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs 1 to %d entries, has %zu", MAX_SELECT, d->select_count);
  if (d->select_rank < 1 || d->select_rank > MAX_RANK)
    return fail_here(r, TD_INVALID_ARGUMENT, "an entry has 1 to %d indices, the first has %zu", MAX_RANK,
                     d->select_rank);
  int *list = arena_array(r->memory, d->select_count * d->select_rank, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  d->select = list;
  if (plain) {
    return read_index_tuple(r, value, d->select_count, list);
  }
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < d->select_count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_index_tuple(r, json_array_get(value, i), d->select_rank, list + i * d->select_rank);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status read_times(reader *r, const json_t *value, void *out) {
  fit_data *d = out;
  td_status status = read_numbers(r, value, FIT_MAX_SAMPLES, &d->t, &d->t_count);
  for (size_t i = 0; status == TD_OK && i < d->t_count; i++)
    if (d->t[i] < 0 || (i > 0 && d->t[i] <= d->t[i - 1]))
      status = fail_here(r, TD_INVALID_ARGUMENT, "times must rise from 0 on, number %zu is %.15g", i, d->t[i]);
  return status;
}

// A number, or null for a sample that is missing.
static td_status read_sample(reader *r, const json_t *value, double *out) {
  if (json_is_null(value)) return *out = NAN, TD_OK;
  if (!json_is_number(value)) return fail_type(r, "a number, or null where it is missing", value);
  return read_number(r, value, out);
}

// `selected`: a row has as many numbers as `select`; else as the first row.
static td_status fail_width(reader *r, size_t has, size_t width, bool selected) {
  return fail_here(r, TD_INVALID_ARGUMENT, "has %zu numbers, %s has %zu", has,
                   selected ? "`select`" : "the first row of this record", width);
}

static td_status read_sample_row(reader *r, const json_t *value, size_t width, bool selected, double *out) {
  if (json_is_null(value)) {
    for (size_t k = 0; k < width; k++) out[k] = NAN;
    return TD_OK;
  }
  if (width == 1 && !json_is_array(value)) return read_sample(r, value, out);
  if (selected && json_is_number(value)) return fail_width(r, 1, width, selected);
  if (!json_is_array(value)) return fail_type(r, "an array of numbers", value);
  if (json_array_size(value) != width) return fail_width(r, json_array_size(value), width, selected);
  td_status status = TD_OK;
  for (size_t k = 0; status == TD_OK && k < width; k++) {
    size_t mark = codec_pointer_index(&r->at, k);
    status = read_sample(r, json_array_get(value, k), out + k);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

// Of the first row that is there; 1 where the rows are plain numbers.
static size_t width_of(const json_t *value) {
  for (size_t i = 0; i < json_array_size(value); i++)
    if (json_is_array(json_array_get(value, i))) return json_array_size(json_array_get(value, i));
  return 1;
}

static td_status read_value(reader *r, const json_t *value, void *out) {
  fit_data *d = out;
  if (!json_is_array(value)) return fail_type(r, "an array of rows", value);
  bool selected = d->width > 0;
  d->rows = json_array_size(value);
  if (d->width == 0) d->width = width_of(value);
  if (d->rows == 0 || d->width == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one number");
  if (d->rows > FIT_MAX_SAMPLES / d->width)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu rows of %zu numbers are more than %d", d->rows, d->width,
                     (int)FIT_MAX_SAMPLES);
  double *list = arena_array(r->memory, d->rows * d->width, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  d->value = list;
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < d->rows; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_sample_row(r, json_array_get(value, i), d->width, selected, list + i * d->width);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  for (size_t j = 0; status == TD_OK && j < d->rows * d->width; j++) d->given += !isnan(list[j]);
  return status;
}

// A number, or one for each number of a row.
static td_status read_sigma(reader *r, const json_t *value, void *out) {
  fit_data *d = out;
  td_status status = TD_OK;
  if (json_is_array(value)) {
    status = read_numbers(r, value, MAX_SELECT, &d->sigma, &d->sigma_count);
  } else {
    double *one = arena_array(r->memory, 1, sizeof *one);
    if (!one) return fail_here(r, TD_NO_MEMORY, "out of memory");
    d->sigma = one;
    d->sigma_count = 1;
    status = read_number(r, value, one);
  }
  for (size_t k = 0; status == TD_OK && k < d->sigma_count; k++)
    if (!(d->sigma[k] > 0)) status = fail_here(r, TD_INVALID_ARGUMENT, "must be positive, is %.15g", d->sigma[k]);
  return status;
}

static const field data_fields[] = {
    REQUIRED_FIELD(fit_data, field, "field", read_text),
    {"select", read_select, 0, false, NULL},
    {"t", read_times, 0, false, NULL},
    {"value", read_value, 0, true, NULL},
    {"sigma", read_sigma, 0, false, NULL},
};

// What was not measured at all, and what no square holds.
static td_status check_values(reader *r, const fit_data *d) {
  static const double most = 1e100; // times sigma
  if (d->given == 0)
    return fail_key(r, "value", TD_INVALID_ARGUMENT,
                    "there are no data: every number of this record is missing; leave the record out");
  for (size_t i = 0; i < d->rows * d->width; i++) {
    double sigma = !d->sigma ? 1 : d->sigma[d->sigma_count == 1 ? 0 : i % d->width];
    if (fabs(d->value[i]) > most * fmin(1, sigma))
      return fail_key(r, "value", TD_INVALID_ARGUMENT, "number %zu of row %zu is %.9g, too large to be fitted",
                      i % d->width, i / d->width, d->value[i]);
  }
  return TD_OK;
}

static td_status read_record(reader *r, const json_t *value, void *out) {
  fit_data *d = out;
  d->width = json_array_size(json_object_get(value, "select")); // of every row; 0: as the first one
  td_status status = read_object(r, value, data_fields, COUNT_OF(data_fields), d);
  if (status != TD_OK) return status;
  if (d->t && d->t_count != d->rows)
    return fail_key(r, "value", TD_INVALID_ARGUMENT, "has %zu rows, t has %zu times", d->rows, d->t_count);
  if (d->sigma && d->sigma_count != 1 && d->sigma_count != d->width)
    return fail_key(r, "sigma", TD_INVALID_ARGUMENT, "has %zu numbers, a row of value has %zu", d->sigma_count,
                    d->width);
  return check_values(r, d);
}

// ------------------------------------------------------------------------------------------------ experiments

// The job itself is read by job.c, when all else is.
static td_status read_experiment_job(reader *r, const json_t *value, void *out) {
  fit_experiment *e = out;
  e->json = value;
  return json_is_object(value) ? TD_OK : fail_type(r, "a job", value);
}

static td_status read_data(reader *r, const json_t *value, void *out) {
  static const fit_data none = {0};
  fit_experiment *e = out;
  void *list = NULL;
  td_status status = read_list(r, value, FIT_MAX_DATA, sizeof none, &none, read_record, &list, &e->data_count);
  e->data = list;
  if (status == TD_OK && e->data_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one record");
  return status;
}

static td_status read_experiment(reader *r, const json_t *value, void *out) {
  static const field fields[] = {{"job", read_experiment_job, 0, true, NULL}, {"data", read_data, 0, true, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_experiments(reader *r, const json_t *value, void *out) {
  static const fit_experiment none = {0};
  fit_document *fit = out;
  void *list = NULL;
  td_status status = read_list(r, value, FIT_MAX_EXPERIMENTS, sizeof none, &none, read_experiment, &list, &fit->count);
  fit->of = list;
  if (status != TD_OK) return status;
  return fit->count > 0 ? TD_OK : fail_here(r, TD_INVALID_ARGUMENT, "needs at least one experiment");
}

// ------------------------------------------------------------------------------------------------ the document

static const field fit_fields[] = {
    COMMON_FIELDS,
    REQUIRED_FIELD(job_document, fit, "of", read_experiments),
    REQUIRED_FIELD(job_document, fit, "parameters", read_fit_unknowns),
    FIELD(job_document, fit.options.starts, "starts", read_integer),
    FIELD(job_document, fit.options.seed, "seed", read_seed),
    FIELD(job_document, fit.options.max_iterations, "max_iterations", read_integer),
    FIELD(job_document, fit.options.tolerance, "tolerance", read_positive),
    FIELD(job_document, keep_unconverged, "unconverged", read_unconverged),
};

static td_status fail_experiment(reader *r, size_t i, const char *rest, const char *what) {
  char pointer[64];
  size_t n = strlen(r->at.text);
  snprintf(pointer, sizeof pointer, "/of/%zu/%s", i, rest);
  return td_fail(r->err, TD_INVALID_ARGUMENT, n + strlen(pointer) < TD_POINTER_SIZE ? pointer : "", "%s", what);
}

// All experiments are of one robot: it stands at the top, or in the first of them; who has it, too, has the same.
static td_status share_model(reader *r, const json_t *doc, job_document *job) {
  static const char *const places[2] = {"/model", "/of/0/job/model"};
  const json_t *model = json_object_get(doc, "model");
  fit_document *fit = &job->fit;
  for (size_t i = 0; i < fit->count; i++) {
    const json_t *own = json_object_get(fit->of[i].json, "model");
    if (own && model && !json_equal(own, model))
      return fail_experiment(r, i, "job/model", "all experiments of a fit are of one model; this is another one");
    if (own && !model && i > 0)
      return fail_experiment(r, i, "job/model", "the model stands at the top of a fit, or in its first job");
    if (own && !model) {
      model = own;
      job->model = fit->of[0].job->model;
      job->model_name = fit->of[0].job->model_name;
      job->model_revision = fit->of[0].job->model_revision;
      job->model_at = places[1];
    }
  }
  return TD_OK;
}

static td_status count_samples(reader *r, fit_document *fit) {
  size_t with = 0, records = 0;
  for (size_t i = 0; i < fit->count; i++)
    for (size_t k = 0; k < fit->of[i].data_count; k++) {
      const fit_data *d = &fit->of[i].data[k];
      fit->samples += d->rows * d->width;
      with += d->sigma != NULL;
      records++;
    }
  fit->has_sigma = with > 0;
  if (fit->samples > FIT_MAX_SAMPLES)
    return td_fail(r->err, TD_LIMIT, "/of", "%zu numbers of data are more than %d", fit->samples, (int)FIT_MAX_SAMPLES);
  if (with > 0 && with < records)
    return td_fail(r->err, TD_INVALID_ARGUMENT, "/of",
                   "%zu of %zu records have no sigma: all need one, or none (it is then taken as alike for all)",
                   records - with, records);
  return TD_OK;
}

static td_status check_times(reader *r, const fit_document *fit) {
  for (size_t i = 0; i < fit->count; i++)
    for (size_t k = 0; k < fit->of[i].data_count; k++) {
      char pointer[64];
      bool timed = fit->of[i].data[k].t != NULL, wanted = fit->of[i].job->kind == JOB_DYNAMICS;
      snprintf(pointer, sizeof pointer, "/of/%zu/data/%zu/t", i, k);
      if (timed != wanted)
        return td_fail(r->err, TD_INVALID_ARGUMENT, pointer,
                       timed ? "equilibria have no times: row i is that of problem i"
                             : "a record of a run needs its times: t");
    }
  return TD_OK;
}

td_status check_fit_end(reader *r, const fit_experiment *e, size_t i) {
  char pointer[64];
  for (size_t k = 0; e->job->kind == JOB_DYNAMICS && k < e->data_count; k++) {
    const fit_data *d = &e->data[k];
    if (d->t_count == 0 || !d->t || d->t[d->t_count - 1] <= e->job->dynamics.t_end) continue;
    snprintf(pointer, sizeof pointer, "%.20s/of/%zu/data/%zu/t", r->at.text, i, k);
    return td_fail(r->err, TD_INVALID_ARGUMENT, pointer, "the last time %.15g is after the end of the run, %.15g",
                   d->t[d->t_count - 1], e->job->dynamics.t_end);
  }
  return TD_OK;
}

td_status read_fit(reader *r, const json_t *doc, job_document *job) {
  td_fit_defaults(&job->fit.options);
  job->fit.each = "experiment";
  job->fit.list.of_job = true;
  return read_object(r, doc, fit_fields, COUNT_OF(fit_fields), job);
}

td_status settle_fit(reader *r, const json_t *doc, job_document *job) {
  td_status status = share_model(r, doc, job);
  if (status == TD_OK) status = check_times(r, &job->fit);
  return status == TD_OK ? count_samples(r, &job->fit) : status;
}

// ------------------------------------------------------------------------------------------------ against the model

td_status codec_fit_member(const fit_experiment *e, const td_model *model, const char *name, td_member *member,
                           td_error *err) {
  size_t row = 0;
  int n = td_model_ndof(model), m = td_model_channel_count(model);
  int c = td_model_loop_row_count(model) + td_model_prescribed_count(model);
  if (e->job->kind == JOB_DYNAMICS) {
    td_dynamics_spec spec = e->job->dynamics;
    spec.fields = &name;
    spec.field_count = 1;
    return td_run_output_members(model, &spec, member, 1, &row, err) < 0 ? err->status : TD_OK;
  }
  int size = strcmp(name, "q") == 0 ? n : strcmp(name, "u") == 0 ? m : strcmp(name, "lambda") == 0 ? c : -1;
  *member = (td_member){.name = name, .rank = 1, .dim = {size}, .size = size > 0 ? (size_t)size : 0};
  if (size >= 0) return TD_OK;
  td_statics_spec spec = e->job->statics;
  spec.fields = &name;
  spec.field_count = 1;
  return td_statics_output_members(model, &spec, member, 1, &row, err) < 0 ? err->status : TD_OK;
}

td_status codec_fit_select(const fit_data *d, const td_member *member, size_t *at, td_error *err) {
  char pointer[48];
  if (!d->select) {
    if (d->width != member->size)
      return td_fail(err, TD_INVALID_ARGUMENT, "/value",
                     "its rows have %zu numbers, a sample of %.100s has %zu: `select` says which are measured",
                     d->width, d->field, member->size);
    for (size_t k = 0; k < d->width; k++) at[k] = k;
    return TD_OK;
  }
  if ((int)d->select_rank != member->rank)
    return td_fail(err, TD_INVALID_ARGUMENT, "/select", "a sample of %.100s has %d axes, an entry %zu indices",
                   d->field, member->rank, d->select_rank);
  for (size_t k = 0; k < d->width; k++) {
    at[k] = 0;
    for (int a = 0; a < member->rank; a++) {
      int index = d->select[k * d->select_rank + (size_t)a];
      snprintf(pointer, sizeof pointer, "/select/%zu", k);
      if (index >= member->dim[a])
        return td_fail(err, TD_INVALID_ARGUMENT, pointer, "index %d of axis %d is not below %d", index, a,
                       member->dim[a]);
      at[k] = at[k] * (size_t)member->dim[a] + (size_t)index;
    }
  }
  return TD_OK;
}

static td_status check_record(const fit_experiment *e, const fit_data *d, const td_model *model, size_t problems,
                              td_error *err) {
  td_member member;
  size_t at[MAX_SELECT];
  if (d->width > MAX_SELECT)
    return td_fail(err, TD_LIMIT, "/value", "rows have %zu numbers, more than %d", d->width, (int)MAX_SELECT);
  td_status status = codec_fit_member(e, model, d->field, &member, err);
  if (status != TD_OK) return strcpy(err->pointer, "/field"), status;
  if (e->job->kind == JOB_STATICS && problems > 0 && d->rows != problems)
    return td_fail(err, TD_INVALID_ARGUMENT, "/value", "has %zu rows, the job %zu problems", d->rows, problems);
  return codec_fit_select(d, &member, at, err);
}

td_status check_fit_records(const fit_experiment *e, const td_model *model, size_t problems, td_errors *all,
                            td_error *err) {
  char prefix[32];
  td_status first = TD_OK;
  for (size_t k = 0; k < e->data_count; k++) {
    td_status status = check_record(e, &e->data[k], model, problems, err);
    snprintf(prefix, sizeof prefix, "/data/%zu", k);
    if (status != TD_OK) codec_error_prefix(err, prefix);
    if (!first) first = status;
    if (!check_goes_on(all, status, err)) break;
  }
  return first;
}
