// One evaluation: the job within, with the values that are asked about in its document and its model's, executed as any
// job with `sensitivity` is, then the objective and the constraints of what it reports, with their derivatives.
#include "api/c/nameless_file.h"
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static bool on_progress(void *context, const execute_progress *now) {
  const design_job *d = context;
  double all = d->spec.max_evaluations, done = (double)d->done + now->fraction;
  return execute_report(d->r, fmin(done / all, 0.99), (double)d->done, all);
}

static void on_finished(void *context, const td_run_statistics *statistics, const td_warnings *warnings) {
  design_job *d = context;
  td_run_statistics *all = &d->r->statistics;
  all->steps += statistics->steps;
  all->evaluations += statistics->evaluations;
  all->jacobians += statistics->jacobians;
  all->factorisations += statistics->factorisations;
  all->newton_iterations += statistics->newton_iterations;
  d->found = *warnings;
}

static td_status move(design_job *d, const double *p, td_error *err) {
  for (size_t i = 0; i < d->set.count; i++)
    if (!codec_parameters_move(&d->set, codec_parameter_is_of_job(&d->set, i) ? d->job : d->model, i, p[i]))
      return no_memory(err);
  return TD_OK;
}

static td_status read_back(int fd, uint64_t size, design_outcome *o, td_error *err) {
  o->memory = arena_create();
  char *bytes = o->memory ? arena_alloc(o->memory, size) : NULL;
  if (!bytes) return no_memory(err);
  for (uint64_t at = 0; at < size;) {
    ssize_t n = pread(fd, bytes + at, size - at, (off_t)at);
    if (n <= 0) return td_fail(err, TD_LIMIT, "", "an evaluation could not be read back: the disk fails");
    at += (uint64_t)n;
  }
  return codec_npz_open(bytes, size, o->memory, &o->archive, err);
}

// Runs the job at p. The outcome is the caller's to give back, also after an error.
td_status design_execute_at(design_job *d, const double *p, design_outcome *o, td_error *err) {
  execute_observer observer = {.context = d, .progress = on_progress, .finished = on_finished};
  *o = (design_outcome){.memory = NULL};
  td_status status = move(d, p, err);
  char *job = json_dumps(d->job, JSON_COMPACT), *model = json_dumps(d->model, JSON_COMPACT);
  int fd = nameless_file(NULL);
  uint64_t size = 0;
  if (status == TD_OK && (!job || !model)) status = no_memory(err);
  if (status == TD_OK && fd < 0) status = execute_disk_failed(d->r, "no file for an evaluation can be made", err);
  if (status == TD_OK) {
    execute_request request = {
        .model = model, .model_size = strlen(model), .job = job, .job_size = strlen(job), .attempt = 1};
    status = d->r->execute(&request, &observer, fd, &size, err);
    if (status != TD_OK && *err->pointer && strncmp(err->pointer, "/model", 6) != 0) codec_error_prefix(err, "/of");
  }
  if (status == TD_OK) status = read_back(fd, size, o, err);
  if (fd >= 0) close(fd);
  free(job);
  free(model);
  return status;
}

static td_status find_array(const design_outcome *o, const char *name, const double **values, td_error *err) {
  const npz_member *member = npz_find(&o->archive, name);
  npz_array array;
  npz_trouble trouble;
  if (!member || !npz_read(&o->archive, member, codec_npz_memory(o->memory), &array, &trouble))
    return td_fail(err, TD_INTERNAL, "", "an evaluation has no %.200s", name);
  *values = npz_doubles(&array, codec_npz_memory(o->memory));
  return *values ? TD_OK : no_memory(err);
}

// Fields of the members, [samples][size] each, and their derivatives, NULL where there are none.
typedef struct fields {
  const double **value, **slope; // [member_count]
} fields;

static bool is_sloped(const design_job *d, const char *name) {
  const job_sensitivity *by = &design_within(d)->sensitivity;
  for (size_t i = 0; i < by->field_count; i++)
    if (strcmp(by->fields[i], name) == 0) return true;
  return false;
}

static td_status find_fields(const design_job *d, const design_outcome *o, fields *f, td_error *err) {
  char name[NPZ_MAX_NAME + 1];
  f->value = arena_array(o->memory, d->member_count, sizeof *f->value);
  f->slope = arena_array(o->memory, d->member_count, sizeof *f->slope);
  if (!f->value || !f->slope) return no_memory(err);
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < d->member_count; i++) {
    f->slope[i] = NULL;
    status = find_array(o, d->members[i].name, &f->value[i], err);
    if (status != TD_OK || !is_sloped(d, d->members[i].name)) continue;
    snprintf(name, sizeof name, "sensitivity:%s", d->members[i].name);
    status = find_array(o, name, &f->slope[i], err);
  }
  return status;
}

static void gather(const design_job *d, const fields *f, size_t sample, double *row) {
  for (size_t i = 0; i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    memcpy(row + m->offset, f->value[i] + sample * m->size, m->size * sizeof *row);
  }
}

// The derivatives of number `at` of a row; NULL: it has none.
static const double *slope_at(const design_job *d, const fields *f, size_t sample, size_t at) {
  for (size_t i = 0; i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    if (at >= m->offset && at < m->offset + m->size && f->slope[i])
      return f->slope[i] + (sample * m->size + at - m->offset) * d->set.count;
  }
  return NULL;
}

static void add_objective(const design_job *d, const fields *f, double *row, double *value, double *df_dp) {
  size_t np = d->set.count;
  double *cotangent = row + d->row_size;
  *value = 0;
  for (size_t i = 0; df_dp && i < np; i++) df_dp[i] = 0;
  for (size_t s = 0; s < d->samples; s++) {
    if (!td_objective_counts(d->objective, s)) continue;
    gather(d, f, s, row);
    memset(cotangent, 0, d->row_size * sizeof *cotangent);
    *value += td_objective_at(d->objective, s, row, cotangent);
    for (size_t k = 0; df_dp && k < d->row_size; k++) {
      const double *slope = cotangent[k] != 0 ? slope_at(d, f, s, k) : NULL;
      for (size_t i = 0; slope && i < np; i++) df_dp[i] += cotangent[k] * slope[i];
    }
  }
}

static void fill_constraints(const design_job *d, const fields *f, double *row, double *c, double *dc_dp) {
  size_t np = d->set.count;
  for (size_t b = 0; b < d->bound_count; b++) {
    const design_bound *it = &d->bounds[b];
    gather(d, f, it->sample, row);
    c[b] = it->sign * (row[it->at] - it->value);
    const double *slope = slope_at(d, f, it->sample, it->at);
    for (size_t i = 0; dc_dp && i < np; i++) dc_dp[b * np + i] = slope ? it->sign * slope[i] : 0;
  }
}

td_status design_evaluate(void *context, const double *p, double *value, double *df_dp, double *c, double *dc_dp,
                          td_error *err) {
  design_job *d = context;
  design_outcome o;
  fields f;
  double *row = calloc(2 * d->row_size, sizeof *row);
  td_status status = design_execute_at(d, p, &o, err);
  if (status == TD_OK && !row) status = no_memory(err);
  if (status == TD_OK) status = find_fields(d, &o, &f, err);
  if (status == TD_OK) {
    add_objective(d, &f, row, value, df_dp);
    fill_constraints(d, &f, row, c, dc_dp);
  }
  arena_destroy(o.memory);
  free(row);
  return status;
}
