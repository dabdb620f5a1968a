// Jobs of kind fit: td_fit_run over experiments, with accepted points into a spool, then members parameters [I, np],
// cost, start [I], best, deviation [np], covariance, correlation [np, np], singular_values [np], directions [np, np],
// and of each record fitted:E:D, first:E:D (where the search began), measured:E:D, residual:E:D [rows, width] and
// t:E:D [rows] (experiment E, record D).
//
// Every accepted point is a checkpoint: the state of the search, a few numbers. The experiments are run one after the
// other. A search that did not converge fails as unconverged, with its best so far, unless "unconverged" is "keep".
#include "worker/execute/experiments.h"
#include "worker/execute/fit_hint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NOISE = 1e-2; // relative: of derivatives by differences of runs

typedef struct fit_job {
  execution *r;
  spool rows;
  double *row; // np parameters, cost, start
  parameter_set set;
  td_unknown *unknowns;
  experiments *experiments;
  td_fit_spec spec;
  td_fit_result result;
  bool has_y;
  double *first;     // [samples] what the experiments gave where the search began, NULL: not known
  const void *state; // of a checkpoint, or of the last accepted point
  size_t state_size;
  void *own_state;
} fit_job;

enum { COST, START, COLUMNS }; // behind the parameters

// ------------------------------------------------------------------------------------------------ begin

static bool make_result(fit_job *f) {
  arena *a = f->r->memory;
  size_t n = f->set.count;
  f->result = (td_fit_result){.p = arena_array(a, n, sizeof(double)),
                              .at_bound = arena_array(a, n, sizeof(bool)),
                              .covariance = arena_array(a, n * n, sizeof(double)),
                              .correlation = arena_array(a, n * n, sizeof(double)),
                              .singular_values = arena_array(a, n, sizeof(double)),
                              .directions = arena_array(a, n * n, sizeof(double)),
                              .y = arena_array(a, f->spec.samples, sizeof(double))};
  const td_fit_result *r = &f->result;
  f->row = arena_array(a, n + COLUMNS, sizeof *f->row);
  f->own_state = arena_alloc(a, td_fit_state_size(n));
  return r->p && r->at_bound && r->covariance && r->correlation && r->singular_values && r->directions && r->y &&
         f->row && f->own_state;
}

static td_status begin(execution *r, td_error *err) {
  fit_job *f = r->work = arena_alloc(r->memory, sizeof *f);
  if (!f) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *f = (fit_job){.r = r};
  td_status status = codec_fit_resolve(&r->job.fit, r->model_json, NULL, r->memory, &f->set, &f->unknowns, err);
  if (status == TD_OK) status = experiments_create(r, &f->set, &f->experiments, err);
  if (status != TD_OK) return status;
  f->spec = (td_fit_spec){.unknowns = f->unknowns,
                          .count = f->set.count,
                          .data = experiments_data(f->experiments),
                          .sigma = experiments_sigma(f->experiments),
                          .samples = experiments_samples(f->experiments),
                          .predict = experiments_predict,
                          .predict_finer = experiments_step(f->experiments) ? experiments_predict_finer : NULL,
                          .context = f->experiments,
                          .options = r->job.fit.options};
  if (experiments_differ(f->experiments)) f->spec.options.derivative_noise = NOISE;
  if (!make_result(f)) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  return spool_init(&f->rows, f->set.count + COLUMNS)
             ? TD_OK
             : execute_disk_failed(r, "no file for the points can be made", err);
}

// ------------------------------------------------------------------------------------------------ checkpoints

static td_status restore(execution *r, td_error *err) {
  fit_job *f = r->work;
  const void *extra = NULL;
  size_t size = 0, own = td_fit_state_size(f->set.count), y = f->spec.samples * sizeof(double);
  td_status status = execute_restore(r, &f->rows, &extra, &size, err);
  if (status != TD_OK || !extra || size < own) return status;
  f->state = extra;
  f->state_size = own;
  f->has_y = size == own + y;
  if (f->has_y) memcpy(f->result.y, (const char *)extra + own, y);
  return TD_OK;
}

static bool on_iteration(void *context, const td_fit_iteration *now) {
  fit_job *f = context;
  size_t n = f->set.count;
  double all = (double)f->spec.options.starts * (f->spec.options.max_iterations + 1);
  memcpy(f->row, now->p, n * sizeof *f->row);
  f->row[n + COST] = now->cost;
  f->row[n + START] = now->start;
  memcpy(f->own_state, now->state, now->state_size);
  f->state = f->own_state;
  f->state_size = now->state_size;
  double done = (double)now->start * (f->spec.options.max_iterations + 1) + now->iteration;
  experiments_note(f->experiments, done, all);
  return spool_append(&f->rows, f->row) && execute_report(f->r, done / all, done, all) &&
         execute_save(f->r, &f->rows, now->state, now->state_size);
}

// All that the result needs, y included.
static void condemn(fit_job *f, const td_error *why) {
  size_t y = f->spec.samples * sizeof(double), size = f->state_size + y;
  char *extra = malloc(size);
  if (extra) {
    memcpy(extra, f->state, f->state_size);
    memcpy(extra + f->state_size, f->result.y, y);
  }
  execute_condemn(f->r, &f->rows, extra, extra ? size : 0, why);
  free(extra);
}

// ------------------------------------------------------------------------------------------------ compute

static void add_hint(const fit_job *f, char *text, size_t size) {
  char hint[TD_MESSAGE_SIZE / 2];
  size_t length = strlen(text);
  if (fit_hint(&f->r->job.fit, f->spec.data, f->spec.sigma, f->result.y, hint, sizeof hint) && length < size)
    snprintf(text + length, size - length, ". %s", hint);
}

// Without sigma nothing says how good is good; but what is far from what was measured is no fit.
static void judge_without_sigma(const fit_job *f) {
  static const double bad = 0.3;
  char text[TD_MESSAGE_SIZE];
  double left = f->spec.sigma ? 0 : fit_unexplained(&f->r->job.fit, f->spec.data, f->result.y);
  if (!(left > bad)) return;
  snprintf(text, sizeof text, "what is left over is %.0f %% of what was measured (root mean square)", 100 * left);
  add_hint(f, text, sizeof text);
  td_warn(&f->r->warnings, "misfit", "/of", "%s", text);
}

static bool is_said(const td_warnings *list, const char *code) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->list[i].code, code) == 0) return true;
  return false;
}

// Leftovers that are as small as sigma says, or that no sigma judges, may still be no noise. Those of data without noise
// are the errors of steps, which have a pattern and do not matter.
static void judge_pattern(const fit_job *f) {
  static const double little = 2e-3, quiet = 0.5; // of what was measured; of sigma
  const fit_document *fit = &f->r->job.fit;
  char text[TD_MESSAGE_SIZE];
  bool counts = f->spec.sigma ? f->result.misfit > quiet : fit_unexplained(fit, f->spec.data, f->result.y) > little;
  if (!counts || is_said(&f->r->warnings, "misfit")) return;
  if (fit_pattern(fit, f->spec.data, f->spec.sigma, f->result.y, text, sizeof text) > 0)
    td_warn(&f->r->warnings, "misfit", "/of", "%s", text);
}

// Pointers of the engine count numbers, those of the document places.
static void take_warnings(const fit_job *f) {
  const td_warnings *found = &f->result.warnings;
  for (int i = 0; i < found->count; i++) {
    td_warning w = found->list[i];
    codec_unknowns_place(&f->set, &w);
    if (strcmp(w.code, "misfit") == 0 && f->result.misfit > 1) add_hint(f, w.detail, sizeof w.detail);
    td_warnings_add(&f->r->warnings, "", &w);
  }
  judge_without_sigma(f);
  judge_pattern(f);
}

static void say_end(const fit_job *f, td_error *why) {
  const td_fit_result *r = &f->result;
  if (r->end == TD_FIT_STALLED)
    (void)td_fail(
        why, TD_UNCONVERGED, "/of",
        "the search stalled after %d iterations at cost %.6g: the derivatives promise less where there is none; "
        "contacts and kinks do that, and coarse tolerances",
        r->iterations, r->cost);
  else
    (void)td_fail(why, TD_UNCONVERGED, "/max_iterations", "after %d iterations the cost still falls: it is %.6g",
                  r->iterations, r->cost);
  add_hint(f, why->message, sizeof why->message);
}

static void judge(fit_job *f) {
  td_error why;
  if (f->result.end == TD_FIT_CONVERGED) return;
  say_end(f, &why);
  if (f->r->job.keep_unconverged)
    td_warn(&f->r->warnings, "unconverged", why.pointer, "%s", why.message);
  else
    condemn(f, &why);
}

typedef struct beginning { // of the search that won, out of the rows
  const fit_job *f;
  double *p, *row;
  size_t filled; // bytes of row
  bool found;
} beginning;

static bool on_rows(void *context, const void *bytes, size_t size) {
  beginning *b = context;
  size_t n = b->f->set.count, width = (n + COLUMNS) * sizeof(double);
  for (const char *at = bytes; size > 0 && !b->found;) {
    size_t part = size < width - b->filled ? size : width - b->filled;
    memcpy((char *)b->row + b->filled, at, part);
    b->filled += part, at += part, size -= part;
    if (b->filled < width) return true;
    b->filled = 0;
    b->found = b->row[n + START] == b->f->result.start;
    if (b->found) memcpy(b->p, b->row, n * sizeof *b->p);
  }
  return true;
}

// For the eye: an experiment that cannot be run there has none.
static td_status predict_first(fit_job *f, td_error *err) {
  arena *a = f->r->memory;
  size_t n = f->set.count;
  beginning b = {.f = f, .p = arena_array(a, n, sizeof *b.p), .row = arena_array(a, n + COLUMNS, sizeof *b.row)};
  double *y = arena_array(a, f->spec.samples, sizeof *y);
  if (!b.p || !b.row || !y) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  if (!spool_copy(&f->rows, 0, on_rows, &b)) return execute_disk_failed(f->r, "the points could not be read back", err);
  td_error why;
  td_status status = b.found ? experiments_predict(f->experiments, b.p, y, NULL, &why) : TD_NONFINITE;
  if (status == TD_OK) f->first = y;
  if (status != TD_CANCELLED && status != TD_LIMIT && status != TD_NO_MEMORY) return TD_OK;
  *err = why;
  return status;
}

static td_status compute(execution *r, td_error *err) {
  fit_job *f = r->work;
  td_fit_hooks hooks = {f, on_iteration};
  td_status status = td_fit_run(&f->spec, &hooks, f->state, f->state_size, &f->result, err);
  if (f->rows.failed) return execute_disk_failed(r, "a point could not be kept", err);
  if (status != TD_OK) return execute_stopped(r, status, (double)f->rows.rows, err);
  f->has_y = true;
  take_warnings(f);
  status = experiments_judge(f->experiments, f->result.p, &r->warnings, err);
  if (status == TD_OK) status = predict_first(f, err);
  if (status == TD_CANCELLED || status == TD_LIMIT || status == TD_NO_MEMORY)
    return execute_stopped(r, status, (double)f->rows.rows, err);
  judge(f);
  double done = f->spec.options.starts == 1 ? f->result.iterations : (double)f->rows.rows;
  return execute_report_end(r, done) ? TD_OK : execute_stopped(r, TD_CANCELLED, done, err);
}

// ------------------------------------------------------------------------------------------------ finish

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

// The experiments that an unknown is of: null where all share it.
static json_t *reach_part(const fit_job *f, size_t i) {
  const fit_entry *e = &f->r->job.fit.entry[f->set.place[i]];
  json_t *list = e->of ? json_array() : json_null();
  for (size_t k = 0; k < e->of_count; k++) json_array_append_new(list, json_integer(e->of[k]));
  return list;
}

static json_t *unknowns_part(const fit_job *f) {
  json_t *list = json_array();
  size_t n = f->set.count;
  for (size_t i = 0; i < n; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:o*, s:o, s:o, s:o, s:b}", "name", f->unknowns[i].name, "path",
                                    f->set.number[i].name, "also", codec_parameter_also(&f->set, i), "of",
                                    reach_part(f, i), "value", number(f->result.p[i]), "deviation",
                                    number(sqrt(f->result.covariance[i * n + i])), "at_bound", f->result.at_bound[i]));
  return list;
}

static json_t *records_part(const fit_job *f) {
  json_t *list = json_array();
  const fit_document *fit = &f->r->job.fit;
  for (size_t e = 0; e < fit->count; e++)
    for (size_t d = 0; d < fit->of[e].data_count; d++)
      json_array_append_new(list, json_pack("{s:I, s:I, s:s}", "experiment", (json_int_t)e, "record", (json_int_t)d,
                                            "field", fit->of[e].data[d].field));
  return list;
}

static json_t *fit_part(const fit_job *f) {
  const td_fit_result *r = &f->result;
  return json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:o, s:o, s:b, s:o, s:o, s:o}", "end", td_fit_end_name(r->end),
                   "start", r->start, "iterations", r->iterations, "failed_starts", r->failed_starts, "predictions",
                   (json_int_t)r->predictions, "samples", (json_int_t)r->used, "cost", number(r->cost), "misfit",
                   number(r->misfit), "has_sigma", f->r->job.fit.has_sigma, "derivative_error",
                   number(r->derivative_error), "parameters", unknowns_part(f), "records", records_part(f));
}

static void write_record(fit_job *f, size_t e, size_t d, size_t first) {
  npz_writer *w = f->r->writer;
  const fit_data *data = &f->r->job.fit.of[e].data[d];
  size_t dim[2] = {data->rows, data->width}, count = data->rows * data->width;
  char name[64];
  snprintf(name, sizeof name, "fitted:%zu:%zu", e, d);
  npz_write_doubles(w, name, f->result.y + first, 2, dim);
  snprintf(name, sizeof name, "first:%zu:%zu", e, d);
  if (f->first) npz_write_doubles(w, name, f->first + first, 2, dim);
  snprintf(name, sizeof name, "measured:%zu:%zu", e, d);
  npz_write_doubles(w, name, f->spec.data + first, 2, dim);
  snprintf(name, sizeof name, "residual:%zu:%zu", e, d);
  npz_write_begin(w, name, NPZ_F8, sizeof(double), 2, dim);
  for (size_t i = first; i < first + count; i++) {
    double residual = (f->result.y[i] - f->spec.data[i]) / (f->spec.sigma ? f->spec.sigma[i] : 1);
    npz_write_data(w, &residual, sizeof residual);
  }
  npz_write_end(w);
  snprintf(name, sizeof name, "t:%zu:%zu", e, d);
  if (data->t) npz_write_doubles(w, name, data->t, 1, dim);
}

static void write_records(fit_job *f) {
  size_t first = 0;
  const fit_document *fit = &f->r->job.fit;
  for (size_t e = 0; e < fit->count; e++)
    for (size_t d = 0; d < fit->of[e].data_count; d++) {
      write_record(f, e, d, first);
      first += fit->of[e].data[d].rows * fit->of[e].data[d].width;
    }
}

static void write_confidence(fit_job *f) {
  npz_writer *w = f->r->writer;
  const td_fit_result *r = &f->result;
  size_t n = f->set.count, dim[2] = {n, n};
  npz_write_doubles(w, "best", r->p, 1, dim);
  npz_write_begin(w, "deviation", NPZ_F8, sizeof(double), 1, dim);
  for (size_t i = 0; i < n; i++) {
    double deviation = sqrt(r->covariance[i * n + i]);
    npz_write_data(w, &deviation, sizeof deviation);
  }
  npz_write_end(w);
  npz_write_doubles(w, "covariance", r->covariance, 2, dim);
  npz_write_doubles(w, "correlation", r->correlation, 2, dim);
  npz_write_doubles(w, "singular_values", r->singular_values, 1, dim);
  npz_write_doubles(w, "directions", r->directions, 2, dim);
}

// What a checkpoint says, where nothing was computed.
static td_status look(fit_job *f, td_error *err) {
  bool computed = !f->r->assembled && f->result.end != TD_FIT_RUNNING;
  return computed || !f->state ? TD_OK : td_fit_peek(&f->spec, f->state, f->state_size, &f->result, err);
}

static td_status finish(execution *r, td_error *err) {
  fit_job *f = r->work;
  size_t n = f->set.count;
  td_status status = look(f, err);
  if (status != TD_OK) return status;
  r->fit = fit_part(f);
  bool done = spool_write_member(&f->rows, r->writer, "parameters", NPZ_F8, 0, n, 1, &n) &&
              spool_write_member(&f->rows, r->writer, "cost", NPZ_F8, n + COST, 1, 0, NULL) &&
              spool_write_member(&f->rows, r->writer, "start", NPZ_I8, n + START, 1, 0, NULL);
  if (done && f->state) write_confidence(f);
  if (done && f->has_y) write_records(f);
  return done ? TD_OK : execute_disk_failed(r, "the points could not be read back", err);
}

static void end(execution *r) {
  fit_job *f = r->work;
  if (!f) return;
  experiments_destroy(f->experiments);
  spool_fini(&f->rows);
}

const execute_kind execute_fit = {begin, restore, compute, finish, end};
