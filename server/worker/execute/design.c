// Jobs of kind design: td_design_run over runs with derivatives. Members: parameters [E, np], objective, violation [E]
// of all evaluations, best [np], and of the best the arrays of its run or list (t, q, …).
//
// An evaluation is the job within, with the values that are asked about in its document and its model's, executed as
// any job with `sensitivity` is. Evaluations are the rows of the spool: a search that was interrupted goes through
// those that it has without running anything, and on from there with the same bits.
#include "api/c/nameless_file.h"
#include "codec/json/pointer.h"
#include "codec/wire/archive.h"
#include "worker/execute/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bound { // of one number of a sample, from one side: sign (x - value) / scale <= 0
  size_t sample, at;
  double sign, value, scale;
} bound;

typedef struct design_job {
  execution *r;
  spool rows;
  parameter_set set;
  td_unknown *unknowns;
  td_member *members;
  size_t member_count, row_size, samples;
  double *t;
  td_objective *objective;
  bound *bounds;
  size_t bound_count, bound_room;
  json_t *model, *job; // ours, moved about
  td_design_spec spec;
  td_design_result result;
  double *known;
  size_t done; // evaluations
  td_warnings found;
} design_job;

// An archive of an evaluation, in memory.
typedef struct outcome {
  arena *memory;
  npz_archive archive;
} outcome;

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

// ------------------------------------------------------------------------------------------------ plans

static const job_document *within(const design_job *d) { return d->r->job.base; }

static bool add_bound(design_job *d, bound b) {
  if (d->bound_count == d->bound_room) {
    size_t room = d->bound_room ? 2 * d->bound_room : 64;
    bound *more = realloc(d->bounds, room * sizeof *more);
    if (!more) return false;
    d->bounds = more;
    d->bound_room = room;
  }
  d->bounds[d->bound_count++] = b;
  return true;
}

// Numbers are measured by what lies between their bounds, else by the bound.
static bool add_bounds(design_job *d, size_t sample, size_t at, double lower, double upper) {
  double span = upper - lower, size = fabs(isnan(upper) ? lower : upper);
  double scale = span > 0 ? span : size > 0 ? size : 1;
  bool done = isnan(upper) || add_bound(d, (bound){sample, at, 1, upper, scale});
  return done && (isnan(lower) || add_bound(d, (bound){sample, at, -1, lower, scale}));
}

typedef struct bounding {
  design_job *d;
  double lower, upper;
} bounding;

static bool on_number(void *context, size_t sample, size_t at) {
  const bounding *b = context;
  return add_bounds(b->d, sample, at, b->lower, b->upper);
}

static td_status plan(design_job *d, td_error *err) {
  execution *r = d->r;
  d->members = arena_array(r->memory, CODEC_GRADIENT_FIELDS, sizeof *d->members);
  if (!d->members) return no_memory(err);
  td_status status = codec_gradient_objective(&r->job, r->model, d->members, CODEC_GRADIENT_FIELDS, &d->t, &d->samples,
                                              &d->objective, err);
  if (status != TD_OK) return status;
  const job_document *of = within(d);
  d->member_count = of->kind == JOB_DYNAMICS ? of->dynamics.field_count : of->sensitivity.field_count;
  for (size_t i = 0; i < d->member_count; i++) d->row_size += d->members[i].size;
  const design_document *doc = &r->job.design;
  for (size_t i = 0; status == TD_OK && i < doc->constraints.count; i++) {
    bounding b = {d, doc->lower[i], doc->upper[i]};
    status = codec_design_constraint(&r->job, r->model, i, on_number, &b, err);
  }
  return status;
}

static json_t *texts(const char *const *list, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_string(list[i]));
  return array;
}

// The job within with all that has to be reported and differentiated.
static json_t *job_to_run(const design_job *d) {
  const job_document *of = within(d);
  const job_sensitivity *by = &of->sensitivity;
  json_t *job = json_deep_copy(d->r->job.gradient.of), *output = json_object_get(job, "output"), *paths = json_array();
  if (!job || !paths) return json_decref(job), json_decref(paths), NULL;
  bool run = of->kind == JOB_DYNAMICS;
  json_object_del(job, "model");
  output = output ? json_incref(output) : json_object();
  json_t *fields =
      run ? texts(of->dynamics.fields, of->dynamics.field_count) : texts(of->statics.fields, of->statics.field_count);
  json_object_set_new(output, "fields", fields);
  json_object_set_new(job, "output", output);
  for (size_t i = 0; i < by->parameters.count; i++)
    json_array_append_new(paths, json_string(by->parameters.place[i].path));
  json_object_set_new(job, "sensitivity",
                      json_pack("{s:o, s:o}", "parameters", paths, "fields", texts(by->fields, by->field_count)));
  return job;
}

// q, u and lambda are in every result of statics, and no fields of its output.
static void leave_states_out(const design_job *d) {
  json_t *fields = json_object_get(json_object_get(d->job, "output"), "fields");
  for (size_t i = json_array_size(fields); within(d)->kind == JOB_STATICS && i-- > 0;) {
    const char *name = json_string_value(json_array_get(fields, i));
    if (strcmp(name, "q") == 0 || strcmp(name, "u") == 0 || strcmp(name, "lambda") == 0) json_array_remove(fields, i);
  }
}

// ------------------------------------------------------------------------------------------------ one evaluation

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

static td_status read_back(int fd, uint64_t size, outcome *o, td_error *err) {
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
static td_status execute_at(design_job *d, const double *p, outcome *o, td_error *err) {
  execute_observer observer = {.context = d, .progress = on_progress, .finished = on_finished};
  *o = (outcome){.memory = NULL};
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

static td_status find_array(const outcome *o, const char *name, const double **values, td_error *err) {
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
  const job_sensitivity *by = &within(d)->sensitivity;
  for (size_t i = 0; i < by->field_count; i++)
    if (strcmp(by->fields[i], name) == 0) return true;
  return false;
}

static td_status find_fields(const design_job *d, const outcome *o, fields *f, td_error *err) {
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
    const bound *it = &d->bounds[b];
    gather(d, f, it->sample, row);
    c[b] = it->sign * (row[it->at] - it->value) / it->scale;
    const double *slope = slope_at(d, f, it->sample, it->at);
    for (size_t i = 0; dc_dp && i < np; i++) dc_dp[b * np + i] = slope ? it->sign * slope[i] / it->scale : 0;
  }
}

static td_status evaluate(void *context, const double *p, double *value, double *df_dp, double *c, double *dc_dp,
                          td_error *err) {
  design_job *d = context;
  outcome o;
  fields f;
  double *row = calloc(2 * d->row_size, sizeof *row);
  td_status status = execute_at(d, p, &o, err);
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

// ------------------------------------------------------------------------------------------------ the job

static td_status begin(execution *r, td_error *err) {
  design_job *d = r->work = arena_alloc(r->memory, sizeof *d);
  if (!d) return no_memory(err);
  *d = (design_job){.r = r};
  const design_document *doc = &r->job.design;
  td_status status =
      codec_fit_resolve(&doc->unknowns, r->model_json, r->job.gradient.of, r->memory, &d->set, &d->unknowns, err);
  if (status == TD_OK) status = plan(d, err);
  if (status != TD_OK) return status;
  d->model = json_deep_copy(r->model_json);
  d->job = job_to_run(d);
  size_t np = d->set.count;
  d->result = (td_design_result){.p = arena_array(r->memory, np, sizeof(double)),
                                 .at_bound = arena_array(r->memory, np, sizeof(bool))};
  if (!d->model || !d->job || !d->result.p || !d->result.at_bound) return no_memory(err);
  leave_states_out(d);
  d->spec = (td_design_spec){
      .unknowns = d->unknowns, .count = np, .constraints = d->bound_count, .evaluate = evaluate, .context = d};
  td_design_defaults(&d->spec);
  d->spec.method = doc->method;
  d->spec.max_evaluations = doc->max_evaluations;
  d->spec.tolerance = doc->tolerance;
  status = td_design_check(&d->spec, err);
  if (status != TD_OK) return status;
  return spool_init(&d->rows, td_design_row_size(&d->spec))
             ? TD_OK
             : execute_disk_failed(r, "no file for the evaluations can be made", err);
}

typedef struct copying {
  char *to;
} copying;

static bool copy_rows(void *context, const void *bytes, size_t size) {
  copying *c = context;
  memcpy(c->to, bytes, size);
  c->to += size;
  return true;
}

static td_status restore(execution *r, td_error *err) {
  design_job *d = r->work;
  const void *extra = NULL;
  size_t size = 0;
  td_status status = execute_restore(r, &d->rows, &extra, &size, err);
  if (status != TD_OK || d->rows.rows == 0) return status;
  d->known = malloc(d->rows.rows * d->rows.width * sizeof *d->known);
  copying c = {(char *)d->known};
  if (!d->known) return no_memory(err);
  d->done = d->rows.rows;
  return spool_copy(&d->rows, 0, copy_rows, &c) ? TD_OK : execute_disk_failed(r, "evaluations could not be read", err);
}

static bool on_evaluated(void *context, const double *row, size_t index) {
  design_job *d = context;
  d->done = index + 1;
  double all = d->spec.max_evaluations;
  return spool_append(&d->rows, row) && execute_report(d->r, fmin((double)d->done / all, 0.99), (double)d->done, all) &&
         execute_save(d->r, &d->rows, NULL, 0);
}

static void say_end(const design_job *d, td_error *why) {
  const td_design_result *r = &d->result;
  const char *pointer = r->end == TD_DESIGN_EXHAUSTED    ? "/max_evaluations"
                        : r->end == TD_DESIGN_INFEASIBLE ? "/constraints"
                                                         : "/objective";
  char reason[300] = "";
  if (r->end == TD_DESIGN_FAILED)
    snprintf(reason, sizeof reason, ": %.60s %.200s", r->failure.pointer, r->failure.message);
  (void)td_fail(why, TD_UNCONVERGED, pointer,
                "the search ended (%s) after %zu evaluations at %.6g, constraints missed by %.2g of their size%s",
                td_design_end_name(r->end), r->evaluations, r->f, r->violation, reason);
}

static void judge(design_job *d) {
  td_error why;
  if (d->result.end == TD_DESIGN_CONVERGED) return;
  say_end(d, &why);
  if (d->r->job.keep_unconverged)
    td_warn(&d->r->warnings, "unconverged", why.pointer, "%s", why.message);
  else
    execute_condemn(d->r, &d->rows, NULL, 0, &why);
}

// Pointers of the engine count numbers, those of the document places.
static void take_warnings(const design_job *d) {
  for (int i = 0; i < d->result.warnings.count; i++) {
    td_warning w = d->result.warnings.list[i];
    size_t number;
    if (sscanf(w.pointer, "/parameters/%zu", &number) == 1 && number < d->set.count)
      snprintf(w.pointer, sizeof w.pointer, "/parameters/%zu", d->set.place[number]);
    td_warnings_add(&d->r->warnings, "", &w);
  }
}

static td_status compute(execution *r, td_error *err) {
  design_job *d = r->work;
  td_design_hooks hooks = {d, on_evaluated};
  size_t known = d->known ? d->rows.rows : 0;
  td_status status = td_design_run(&d->spec, d->known, known, &hooks, &d->result, err);
  if (d->rows.failed) return execute_disk_failed(r, "an evaluation could not be kept", err);
  if (status != TD_OK) return execute_stopped(r, status, (double)d->done, err);
  take_warnings(d);
  judge(d);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ finish

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *design_part(const design_job *d) {
  const td_design_result *r = &d->result;
  json_t *list = json_array();
  for (size_t i = 0; i < d->set.count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:b}", "name", d->unknowns[i].name, "path",
                                          d->set.number[i].name, "value", number(r->p[i]), "at_bound", r->at_bound[i]));
  return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "end", td_design_end_name(r->end), "method",
                   td_design_method_name(d->spec.method), "evaluations", (json_int_t)r->evaluations, "best",
                   (json_int_t)r->best, "objective", number(r->f), "first_objective", number(r->first_f), "violation",
                   number(r->violation), "promised", number(r->promised), "derivative_error",
                   number(r->derivative_error), "parameters", list);
}

// What the best run gives, without its derivatives, and what was odd about it.
static td_status write_best(design_job *d, td_error *err) {
  outcome o;
  td_status status = execute_at(d, d->result.p, &o, err);
  for (size_t i = 0; status == TD_OK && i < o.archive.count; i++) {
    const npz_member *m = &o.archive.members[i];
    npz_array a;
    npz_trouble trouble;
    if (strcmp(m->name, "summary") == 0 || strncmp(m->name, "sensitivity:", 12) == 0) continue;
    if (!npz_read(&o.archive, m, codec_npz_memory(o.memory), &a, &trouble)) continue;
    npz_write_begin(d->r->writer, m->name, a.type, a.item, a.rank, a.dim);
    npz_write_data(d->r->writer, a.data, a.size);
    npz_write_end(d->r->writer);
  }
  if (status == TD_OK) td_warnings_append(&d->r->warnings, "/of", &d->found);
  arena_destroy(o.memory);
  return status;
}

static bool write_history(design_job *d) {
  npz_writer *w = d->r->writer;
  size_t np = d->set.count, count = d->rows.rows, width = d->rows.width;
  double *rows = malloc((count * width + 1) * sizeof *rows);
  copying c = {(char *)rows};
  if (!rows || !spool_copy(&d->rows, 0, copy_rows, &c)) return free(rows), false;
  npz_write_rows(w, "parameters", rows, count, width, 1, &np);
  npz_write_rows(w, "objective", rows + np, count, width, 0, NULL);
  npz_write_begin(w, "violation", NPZ_F8, sizeof(double), 1, &count);
  for (size_t k = 0; k < count; k++) {
    double most = 0;
    for (size_t b = 0; b < d->bound_count; b++) most = fmax(most, rows[k * width + 2 * np + 1 + b]);
    npz_write_data(w, &most, sizeof most);
  }
  npz_write_end(w);
  free(rows);
  return true;
}

static td_status finish(execution *r, td_error *err) {
  design_job *d = r->work;
  bool computed = !r->assembled && d->result.end != TD_DESIGN_RUNNING;
  if (!write_history(d)) return execute_disk_failed(r, "the evaluations could not be read back", err);
  if (!computed) return TD_OK;
  r->fit = design_part(d);
  npz_write_doubles(r->writer, "best", d->result.p, 1, &d->set.count);
  return write_best(d, err);
}

static void end(execution *r) {
  design_job *d = r->work;
  if (!d) return;
  td_objective_destroy(d->objective);
  free(d->t);
  free(d->bounds);
  free(d->known);
  json_decref(d->model);
  json_decref(d->job);
  spool_fini(&d->rows);
}

const execute_kind execute_design = {begin, restore, compute, finish, end};
