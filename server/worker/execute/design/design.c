// Jobs of kind design: td_design_run over runs with derivatives. Members: parameters [E, np], objective, violation [E]
// of all evaluations, start [E] of each, best [np], and of the best the arrays of its run or list (t, q, …).
//
// Evaluations are the rows of the spool: a search that was interrupted goes through those that it has without running
// anything, and on from there with the same bits.
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static td_status begin(execution *r, td_error *err) {
  design_job *d = r->work = arena_alloc(r->memory, sizeof *d);
  if (!d) return no_memory(err);
  *d = (design_job){.r = r};
  const design_document *doc = &r->job.design;
  td_status status = codec_fit_resolve(&doc->unknowns, r->model_json, doc->of, r->memory, &d->set, &d->unknowns, err);
  if (status == TD_OK) status = design_plan(d, err);
  if (status != TD_OK) return status;
  d->model = json_deep_copy(r->model_json);
  size_t np = d->set.count;
  d->result = (td_design_result){.p = arena_array(r->memory, np, sizeof(double)),
                                 .at_bound = arena_array(r->memory, np, sizeof(bool)),
                                 .c = arena_array(r->memory, d->bound_count + 1, sizeof(double))};
  if (!d->model || !d->result.p || !d->result.at_bound || !d->result.c) return no_memory(err);
  d->spec = (td_design_spec){.unknowns = d->unknowns,
                             .count = np,
                             .constraints = d->bound_count,
                             .sizes = d->sizes,
                             .mirrored = d->mirrored,
                             .evaluate = design_evaluate,
                             .context = d};
  td_design_defaults(&d->spec);
  d->spec.method = doc->method;
  d->spec.max_evaluations = doc->max_evaluations;
  d->spec.starts = doc->unknowns.options.starts;
  d->spec.seed = doc->unknowns.options.seed;
  d->all = (double)doc->max_evaluations * d->spec.starts;
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
  d->kept = extra;
  d->kept_size = size;
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
  return spool_append(&d->rows, row) &&
         execute_report(d->r, fmin((double)d->done / d->all, 0.99), (double)d->done, d->all) &&
         execute_save(d->r, &d->rows, NULL, 0);
}

static void judge(design_job *d) {
  td_error why;
  if (d->result.end == TD_DESIGN_CONVERGED) return;
  design_say_end(d, &why);
  if (d->r->job.keep_unconverged)
    td_warn(&d->r->warnings, "unconverged", why.pointer, "%s", why.message);
  else
    design_condemn(d, &why);
}

static void take_warnings(const design_job *d) {
  for (int i = 0; i < d->result.warnings.count; i++) {
    td_warning w = d->result.warnings.list[i];
    codec_unknowns_place(&d->set, &w);
    td_warnings_add(&d->r->warnings, "", &w);
  }
}

static td_status compute(execution *r, td_error *err) {
  design_job *d = r->work;
  td_design_hooks hooks = {d, on_evaluated};
  size_t known = d->known ? d->rows.rows : 0;
  td_status status = design_find_gaps(d, err);
  if (status == TD_OK) status = td_design_run(&d->spec, d->known, known, &hooks, &d->result, err);
  if (d->rows.failed) return execute_disk_failed(r, "an evaluation could not be kept", err);
  if (status != TD_OK) return execute_stopped(r, status, (double)d->done, err);
  take_warnings(d);
  status = design_run_best(d, err);
  if (status != TD_OK) return execute_stopped(r, status, (double)d->done, err);
  judge(d);
  d->all = (double)d->result.evaluations;
  return execute_report_end(r, d->all) ? TD_OK : execute_stopped(r, TD_CANCELLED, d->all, err);
}

// ------------------------------------------------------------------------------------------------ finish

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

// The jobs that a number is of: null where all share it.
static json_t *reach_of(const design_job *d, size_t i) {
  const fit_entry *e = &d->r->job.design.unknowns.entry[d->set.place[i]];
  json_t *list = e->of ? json_array() : json_null();
  for (size_t k = 0; k < e->of_count; k++) json_array_append_new(list, json_integer(e->of[k]));
  return list;
}

// Of several jobs each goes its own way.
static const char *way_of(const design_job *d) {
  size_t back = 0;
  for (size_t i = 0; i < d->part_count; i++) back += d->parts[i].adjoint;
  return back == 0 ? "forward" : back == d->part_count ? "backward" : "both";
}

static json_t *summary_of(const design_job *d) {
  const td_design_result *r = &d->result;
  json_t *list = json_array();
  for (size_t i = 0; i < d->set.count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:o*, s:o, s:o, s:b}", "name", d->unknowns[i].name, "path",
                                          d->set.number[i].name, "also", codec_parameter_also(&d->set, i), "of",
                                          reach_of(d, i), "value", number(r->p[i]), "at_bound", r->at_bound[i]));
  return json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "derivatives", way_of(d),
                   "end", td_design_end_name(r->end), "method", td_design_method_name(d->spec.method), "evaluations",
                   (json_int_t)r->evaluations, "best", (json_int_t)r->best, "start", r->start, "failed_starts",
                   r->failed_starts, "objective", number(r->f), "first_objective", number(r->first_f), "violation",
                   number(r->violation), "promised", number(r->promised), "derivative_error",
                   number(r->derivative_error), "parameters", list, "constraints", design_constraints(d));
}

static bool is_of_search(const design_part *part, const char *name) {
  bool gradient = part->adjoint && (strcmp(name, "value") == 0 || strcmp(name, "gradient") == 0);
  return gradient || strcmp(name, "summary") == 0 || strncmp(name, "sensitivity:", 12) == 0;
}

static bool is_shape(const char *name) { return strncmp(name, "poses:", 6) == 0 || strncmp(name, "shape:", 6) == 0; }

// What runs give, without their derivatives: of the best all, of the first the shapes alone, as "first:poses:LINK".
// Members of several jobs begin with "0:", "1:", …
static void write_members(design_job *d, const design_part *part, const design_outcome *o, bool first) {
  char name[NPZ_MAX_NAME + 1], place[24] = "";
  if (json_is_array(d->jobs)) snprintf(place, sizeof place, "%zu:", part->index);
  for (size_t i = 0; i < o->archive.count; i++) {
    const npz_member *m = &o->archive.members[i];
    npz_array a;
    npz_trouble trouble;
    if (is_of_search(part, m->name) || (first && !is_shape(m->name))) continue;
    if (!npz_read(&o->archive, m, codec_npz_memory(o->memory), &a, &trouble)) continue;
    snprintf(name, sizeof name, "%s%s%.220s", place, first ? "first:" : "", m->name);
    npz_write_begin(d->r->writer, name, a.type, a.item, a.rank, a.dim);
    npz_write_data(d->r->writer, a.data, a.size);
    npz_write_end(d->r->writer);
  }
}

static bool has_shapes(const design_part *part) {
  const job_document *job = part->job->base;
  const char *const *fields = job->kind == JOB_DYNAMICS ? job->dynamics.fields : job->statics.fields;
  size_t count = job->kind == JOB_DYNAMICS ? job->dynamics.field_count : job->statics.field_count;
  for (size_t i = 0; i < count; i++)
    if (is_shape(fields[i])) return true;
  return false;
}

// Shapes where the search began, for the eye: a part that cannot be run again has none.
static td_status write_first(design_job *d, const double *p, td_error *err) {
  td_status status = design_move(d, p, err);
  for (size_t i = 0; status == TD_OK && i < d->part_count; i++) {
    design_outcome o;
    if (!has_shapes(&d->parts[i])) continue;
    status = design_execute(d, &d->parts[i], design_request(d, &d->parts[i]), &o, err);
    if (status == TD_OK) write_members(d, &d->parts[i], &o, true);
    arena_destroy(o.memory);
    if (status != TD_CANCELLED && status != TD_LIMIT && status != TD_NO_MEMORY) status = TD_OK;
  }
  return status;
}

static void write_starts(npz_writer *w, const double *rows, size_t count, size_t width) {
  npz_write_begin(w, "start", NPZ_I8, sizeof(int64_t), 1, &count);
  for (size_t k = 0; k < count; k++) {
    int64_t start = (int64_t)rows[k * width + width - 1];
    npz_write_data(w, &start, sizeof start);
  }
  npz_write_end(w);
}

static bool write_history(design_job *d, double *first) {
  npz_writer *w = d->r->writer;
  size_t np = d->set.count, count = d->rows.rows, width = d->rows.width;
  double *rows = malloc((count * width + d->bound_count + 1) * sizeof *rows), *sizes = rows + count * width;
  copying c = {(char *)rows};
  if (!rows || !spool_copy(&d->rows, 0, copy_rows, &c)) return free(rows), false;
  if (count > 0) td_design_sizes(&d->spec, rows, sizes);
  if (count > 0 && d->bound_count > 0)
    memcpy(d->sizes, sizes, d->bound_count * sizeof *sizes); // those not given, too: for the summary
  if (count > 0) memcpy(first, rows, np * sizeof *first);
  npz_write_rows(w, "parameters", rows, count, width, 1, &np);
  npz_write_rows(w, "objective", rows + np, count, width, 0, NULL);
  npz_write_begin(w, "violation", NPZ_F8, sizeof(double), 1, &count);
  for (size_t k = 0; k < count; k++) {
    double most = 0;
    for (size_t b = 0; b < d->bound_count; b++) most = fmax(most, rows[k * width + 2 * np + 1 + b] / sizes[b]);
    npz_write_data(w, &most, sizeof most);
  }
  npz_write_end(w);
  write_starts(w, rows, count, width);
  free(rows);
  return true;
}

static td_status finish(execution *r, td_error *err) {
  design_job *d = r->work;
  bool computed = !r->assembled && d->result.end != TD_DESIGN_RUNNING;
  double *first = arena_array(r->memory, d->set.count, sizeof *first);
  if (!first) return no_memory(err);
  if (!write_history(d, first)) return execute_disk_failed(r, "the evaluations could not be read back", err);
  if (!computed && d->rows.rows == 0) return TD_OK;
  td_status status = computed ? TD_OK : design_peek(d, err);
  if (status != TD_OK) return status;
  r->fit = summary_of(d);
  npz_write_doubles(r->writer, "best", d->result.p, 1, &d->set.count);
  for (size_t i = 0; d->best && i < d->part_count; i++)
    if (d->best[i].memory) write_members(d, &d->parts[i], &d->best[i], false);
  return computed ? write_first(d, first, err) : TD_OK;
}

static void end(execution *r) {
  design_job *d = r->work;
  if (!d) return;
  design_forget(d);
  design_forget_best(d);
  free(d->known);
  json_decref(d->model);
  spool_fini(&d->rows);
}

const execute_kind execute_design = {begin, restore, compute, finish, end};
