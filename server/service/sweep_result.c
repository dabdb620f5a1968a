// The result of a sweep: what its jobs have in common, stacked, put together from their archives whenever it is asked for.
//
// Rows: every job adds as many as its result has problems (statics) or points (linearize); of a dynamics job it is the last
// sample. A job without a result (yet) adds rows of NaN, so that a row's place never depends on what is done. Members: child
// (position of the job), succeeded, vary[k] (the value that the job took, where all are numbers), then the members of the
// first job that has a result; those that differ in shape between jobs are left out and named in the summary. Method: one pass
// over the archives into a spool, one member after the other out of it. The same jobs make the same bytes.
#include "api/c/spool.h"
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"
#include "service/results.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct part { ///< a job of the sweep
  store_job row;      ///< without its texts
  size_t rows;
  json_t *error; ///< or NULL
} part;

typedef struct column { ///< a member of the result
  char name[NPZ_MAX_NAME + 1];
  npz_type type;
  int rank; ///< of a row
  size_t dim[NPZ_MAX_RANK], size, first;
  bool common;
} column;

typedef struct stack {
  service *s;
  const store_job *sweep;
  json_t *document, *first_summary;
  json_t *failures;       ///< of statics problems, by row
  sweep_document outline; ///< vary and zip only
  bool last_row_only;     ///< dynamics
  part *parts;
  size_t part_count, part_room;
  column *columns;
  size_t column_count;
  arena *memory;
  spool rows;
  double *row;
  bool short_of_memory;
} stack;

static bool no_memory(fault *f) { return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short"); }

// ------------------------------------------------------------------------------------------------ the sweep

static void add_part(void *context, const store_sweep_job *job) {
  stack *k = context;
  if (k->part_count == k->part_room) {
    size_t room = k->part_room ? 2 * k->part_room : 64;
    part *more = realloc(k->parts, room * sizeof *more);
    if (!more) {
      k->short_of_memory = true;
      return;
    }
    k->parts = more;
    k->part_room = room;
  }
  part *p = &k->parts[k->part_count++];
  *p = (part){.row = job->row, .rows = (size_t)job->rows};
  p->row.document = p->row.labels = p->row.error = p->row.warnings = NULL;
  p->error = job->row.error ? json_loads(job->row.error, 0, NULL) : NULL;
}

// Of a document that was checked when it came in.
static bool read_outline(stack *k, fault *f) {
  k->document = json_loads(k->sweep->document, 0, NULL);
  const json_t *vary = json_object_get(k->document, "vary");
  const char *mode = json_string_value(json_object_get(k->document, "mode"));
  const char *kind = json_string_value(json_object_get(json_object_get(k->document, "base"), "kind"));
  size_t count = json_array_size(vary);
  sweep_variation *list = arena_array(k->memory, count, sizeof *list);
  if (!kind || !list) return no_memory(f);
  for (size_t v = 0; v < count; v++) {
    const json_t *values = json_object_get(json_array_get(vary, v), "values");
    list[v] = (sweep_variation){json_string_value(json_object_get(json_array_get(vary, v), "path")), values,
                                json_array_size(values)};
  }
  k->outline = (sweep_document){.vary = list, .vary_count = count, .zip = mode && strcmp(mode, "zip") == 0};
  k->last_row_only = strcmp(kind, job_kind_name(JOB_DYNAMICS)) == 0;
  return true;
}

static const json_t *value_of(const stack *k, size_t i, size_t v) {
  return json_array_get(k->outline.vary[v].values, codec_sweep_choice(&k->outline, i, v));
}

static bool all_numbers(const sweep_variation *v) {
  bool numbers = true;
  for (size_t j = 0; numbers && j < v->count; j++) numbers = json_is_number(json_array_get(v->values, j));
  return numbers;
}

// ------------------------------------------------------------------------------------------------ archives of jobs

typedef struct source {
  void *map;
  size_t size;
  arena *memory;
  npz_archive archive;
} source;

static void source_close(source *src) {
  if (src->map) munmap(src->map, src->size);
  arena_destroy(src->memory);
}

static bool source_open(service *s, const store_job *job, source *src, fault *f) {
  td_error err = {.status = TD_OK};
  *src = (source){.size = (size_t)job->result_size, .memory = arena_create()};
  int fd;
  store_result_condition found = store_result_open(s->store, job, &fd);
  if (found == STORE_RESULT_GOOD) {
    src->map = mmap(NULL, src->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
  }
  if (src->map == MAP_FAILED) src->map = NULL;
  if (src->map && src->memory && codec_npz_open(src->map, src->size, src->memory, &src->archive, &err) == TD_OK)
    return true;
  source_close(src);
  store_result_report(s->store, job, found);
  if (found == STORE_RESULT_GOOD || found == STORE_RESULT_UNREADABLE)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the result of job \"%s\" cannot be read now", job->id);
  return fault_set(f, PROBLEM_RESULT_LOST, NULL, "the result of job \"%s\" of the sweep is lost: %s", job->id,
                   store_result_words(found));
}

// A job that failed although its rows are all there (inconsistent, unconverged): what its last checkpoint keeps.
static bool source_open_kept(service *s, const store_job *row, source *src) {
  store_job job;
  result_file file;
  fault ignored;
  *src = (source){.memory = arena_create()};
  if (!src->memory || store_job_get(s->store, row->id, &job) != STORE_OK) return source_close(src), false;
  bool kept = store_job_whole(s->store, &job) == STORE_OK && results_open_prefix(s, &job, &file, &ignored);
  store_job_fini(&job);
  if (!kept) return source_close(src), false;
  src->size = (size_t)file.size;
  src->map = mmap(NULL, src->size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  close(file.fd);
  if (src->map == MAP_FAILED) src->map = NULL;
  if (src->map && codec_npz_open(src->map, src->size, src->memory, &src->archive, NULL) == TD_OK) return true;
  source_close(src);
  return false;
}

static bool is_whole(const part *p) {
  const char *code = json_string_value(json_object_get(p->error, "code"));
  return code && (!strcmp(code, td_status_name(TD_INCONSISTENT)) || !strcmp(code, td_status_name(TD_UNCONVERGED)));
}

static bool is_numeric(npz_type type) { return type == NPZ_F8 || type == NPZ_I8 || type == NPZ_BOOL; }

static bool peek(const source *src, const char *name, npz_array *array) {
  npz_trouble ignored;
  const npz_member *member = npz_find(&src->archive, name);
  return member && npz_peek(&src->archive, member, codec_npz_memory(src->memory), array, &ignored) && !array->fortran &&
         array->rank > 0 && is_numeric(array->type);
}

static double element(const npz_array *array, size_t i) {
  const unsigned char *p = array->data + i * array->item;
  double x;
  int64_t integer;
  if (array->type == NPZ_BOOL) return *p != 0;
  memcpy(&x, p, sizeof x);
  memcpy(&integer, p, sizeof integer);
  return array->type == NPZ_F8 ? x : (double)integer;
}

// ------------------------------------------------------------------------------------------------ columns

static column *add_column(stack *k, const char *name, npz_type type, int rank, const size_t *dim) {
  column *c = &k->columns[k->column_count];
  snprintf(c->name, sizeof c->name, "%s", name);
  c->type = type;
  c->rank = rank;
  c->size = 1;
  c->common = true;
  for (int i = 0; i < rank; i++) c->dim[i] = dim[i], c->size *= dim[i];
  c->first = k->column_count ? k->columns[k->column_count - 1].first + k->columns[k->column_count - 1].size : 0;
  k->column_count++;
  return c;
}

enum { OWN_COLUMNS = 2 }; // child and succeeded; then those of vary

static void add_own_columns(stack *k) {
  char name[32];
  add_column(k, "child", NPZ_I8, 0, NULL);
  add_column(k, "succeeded", NPZ_BOOL, 0, NULL);
  for (size_t v = 0; v < k->outline.vary_count; v++) {
    snprintf(name, sizeof name, "vary[%zu]", v);
    add_column(k, name, NPZ_F8, 0, NULL)->common = all_numbers(&k->outline.vary[v]);
  }
}

static bool plan_columns(stack *k, const source *first, fault *f) {
  size_t room = OWN_COLUMNS + k->outline.vary_count + first->archive.count;
  k->columns = arena_array(k->memory, room, sizeof *k->columns);
  if (!k->columns) return no_memory(f);
  add_own_columns(k);
  for (size_t i = 0; i < first->archive.count; i++) {
    npz_array array;
    const char *name = first->archive.members[i].name;
    if (strcmp(name, "summary") != 0 && peek(first, name, &array))
      add_column(k, name, array.type, array.rank - 1, array.dim + 1);
  }
  const column *last = &k->columns[k->column_count - 1];
  k->row = arena_array(k->memory, last->first + last->size, sizeof *k->row);
  int fd = k->row ? store_tmp_file(k->s->store) : -1;
  return (fd >= 0 && spool_init_file(&k->rows, last->first + last->size, fd)) ||
         fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory or disk for the result");
}

static json_t *read_summary(const source *src) {
  npz_array array;
  const npz_member *member = npz_find(&src->archive, "summary");
  if (!member || codec_npz_read(&src->archive, member, src->memory, &array, NULL) != TD_OK) return NULL;
  return codec_parse((const char *)array.data, array.count, NULL);
}

static const part *first_with_result(const stack *k) {
  for (size_t i = 0; i < k->part_count; i++)
    if (k->parts[i].row.state == JOB_SUCCEEDED) return &k->parts[i];
  for (size_t i = 0; i < k->part_count; i++)
    if (is_whole(&k->parts[i])) return &k->parts[i];
  return NULL;
}

static bool no_rows(const stack *k, fault *f) {
  return fault_set(f, PROBLEM_NOT_READY, NULL, "sweep \"%s\" is %s and none of its jobs has succeeded yet",
                   k->sweep->id, job_state_name(k->sweep->state));
}

static bool plan(stack *k, fault *f) {
  source first;
  const part *p = first_with_result(k);
  if (!p) return no_rows(k, f);
  if (p->row.state != JOB_SUCCEEDED) {
    if (!source_open_kept(k->s, &p->row, &first)) return no_rows(k, f);
  } else if (!source_open(k->s, &p->row, &first, f))
    return false;
  k->first_summary = read_summary(&first);
  bool done = plan_columns(k, &first, f) && (k->first_summary || no_memory(f));
  source_close(&first);
  return done;
}

// ------------------------------------------------------------------------------------------------ rows

static bool fits(const column *c, const npz_array *array, size_t rows) {
  if (array->type != c->type || array->rank != c->rank + 1 || array->dim[0] < rows) return false;
  for (int i = 0; i < c->rank; i++)
    if (array->dim[1 + i] != c->dim[i]) return false;
  return true;
}

static void fill_own(stack *k, size_t i) {
  k->row[0] = (double)i;
  k->row[1] = k->parts[i].row.state == JOB_SUCCEEDED;
  for (size_t v = 0; v < k->outline.vary_count; v++) k->row[OWN_COLUMNS + v] = json_number_value(value_of(k, i, v));
}

static bool append_empty(stack *k, size_t i) {
  fill_own(k, i);
  for (size_t c = OWN_COLUMNS + k->outline.vary_count; c < k->column_count; c++)
    for (size_t e = 0; e < k->columns[c].size; e++)
      k->row[k->columns[c].first + e] = k->columns[c].type == NPZ_F8 ? NAN : 0;
  bool kept = true;
  for (size_t r = 0; kept && r < k->parts[i].rows; r++) kept = spool_append(&k->rows, k->row);
  return kept;
}

// Why problems of a job did not converge, with the rows that they have here.
static void keep_failures(stack *k, size_t i, const source *src) {
  npz_array converged;
  bool all = !peek(src, "converged", &converged);
  for (size_t r = 0; !all && r < converged.dim[0] && element(&converged, r) != 0; r++) all = r + 1 == converged.dim[0];
  if (all) return;
  json_t *summary = read_summary(src), *entry;
  size_t e;
  json_array_foreach(json_object_get(summary, "failures"), e, entry) {
    json_int_t index = json_integer_value(json_object_get(entry, "index"));
    json_object_set_new(entry, "index", json_integer(index + (json_int_t)k->rows.rows));
    json_object_set_new(entry, "child", json_integer((json_int_t)i));
    json_array_append(k->failures, entry);
  }
  json_decref(summary);
}

static bool append_result(stack *k, size_t i, const source *src) {
  size_t own = OWN_COLUMNS + k->outline.vary_count, rows = k->parts[i].rows;
  npz_array *arrays = arena_array(src->memory, k->column_count, sizeof *arrays);
  if (!arrays) return false;
  for (size_t c = own; c < k->column_count; c++)
    if (!peek(src, k->columns[c].name, &arrays[c]) || !fits(&k->columns[c], &arrays[c], rows))
      k->columns[c].common = false;
  fill_own(k, i);
  keep_failures(k, i, src);
  bool kept = true;
  for (size_t r = 0; kept && r < rows; r++) {
    for (size_t c = own; c < k->column_count; c++) {
      const column *col = &k->columns[c];
      size_t row = k->last_row_only && col->common ? arrays[c].dim[0] - 1 : r;
      for (size_t e = 0; col->common && e < col->size; e++)
        k->row[col->first + e] = element(&arrays[c], row * col->size + e);
    }
    kept = spool_append(&k->rows, k->row);
  }
  return kept;
}

static bool gather(stack *k, fault *f) {
  bool kept = true;
  for (size_t i = 0; kept && i < k->part_count; i++) {
    source src;
    if (k->parts[i].row.state != JOB_SUCCEEDED) {
      bool whole = is_whole(&k->parts[i]) && source_open_kept(k->s, &k->parts[i].row, &src);
      kept = whole ? append_result(k, i, &src) : append_empty(k, i);
      if (whole) source_close(&src);
      continue;
    }
    if (!source_open(k->s, &k->parts[i].row, &src, f)) return false;
    kept = append_result(k, i, &src);
    source_close(&src);
  }
  return kept || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory or disk for the result");
}

// ------------------------------------------------------------------------------------------------ archive

static json_t *describe_part(const stack *k, size_t i) {
  const part *p = &k->parts[i];
  json_t *values = json_array(), *entry = json_object();
  for (size_t v = 0; v < k->outline.vary_count; v++) json_array_append(values, (json_t *)value_of(k, i, v));
  json_object_set_new(entry, "id", json_string(p->row.id));
  json_object_set_new(entry, "state", json_string(job_state_name(p->row.state)));
  json_object_set_new(entry, "values", values);
  json_object_set_new(entry, "rows", json_integer((json_int_t)p->rows));
  if (p->error) json_object_set(entry, "error", p->error);
  return entry;
}

static void copy_member(const stack *k, const char *key, json_t *summary) {
  json_t *value = json_object_get(k->first_summary, key);
  if (value) json_object_set(summary, key, value);
}

static json_t *summarise(const stack *k) {
  static const char *const copied[] = {"coordinates", "channels", "multipliers", "points", "build"};
  json_t *summary = json_object(), *parts = json_array(), *left_out = json_array();
  for (size_t i = 0; i < k->part_count; i++) json_array_append_new(parts, describe_part(k, i));
  for (size_t c = 0; c < k->column_count; c++)
    if (!k->columns[c].common) json_array_append_new(left_out, json_string(k->columns[c].name));
  json_object_set_new(summary, "kind", json_string(k->sweep->kind));
  json_object_set_new(summary, "state", json_string(job_state_name(k->sweep->state)));
  if (k->sweep->state != JOB_SUCCEEDED) json_object_set_new(summary, "partial", json_true());
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) copy_member(k, copied[i], summary);
  json_object_set_new(summary, "jobs", parts);
  json_object_set_new(summary, "not_stacked", left_out);
  if (json_object_get(k->first_summary, "failures")) json_object_set(summary, "failures", k->failures);
  json_object_set(summary, "job", k->document);
  copy_member(k, "model", summary); // the base's, or where it is varied that of the first job with a result
  return summary;
}

static bool write_members(stack *k, npz_writer *w) {
  json_t *summary = summarise(k);
  char *text = summary ? json_memory_text(summary, JSON_COMPACT) : NULL;
  bool done = text != NULL;
  for (size_t c = 0; done && c < k->column_count; c++) {
    const column *col = &k->columns[c];
    if (col->common)
      done = spool_write_member(&k->rows, w, col->name, col->type, col->first, col->size, col->rank, col->dim);
  }
  if (done) npz_write_bytes(w, "summary", text, strlen(text));
  free(text);
  json_decref(summary);
  return done;
}

static bool write_archive(stack *k, result_file *file, fault *f) {
  td_error err = {.status = TD_OK};
  uint64_t bytes = 0;
  file->fd = store_tmp_file(k->s->store);
  npz_writer *w = file->fd >= 0 ? npz_writer_to_fd(file->fd) : NULL;
  bool done = w && write_members(k, w);
  if (w && !done) npz_writer_abandon(w);
  done = done && codec_npz_close(w, &bytes, &err) == TD_OK && digest_of_file(file->fd, file->sha256);
  file->size = (int64_t)bytes;
  if (done) return true;
  if (file->fd >= 0) close(file->fd);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL,
                   "the result could not be put together: memory is short or the disk full");
}

static void stack_fini(stack *k) {
  for (size_t i = 0; i < k->part_count; i++) json_decref(k->parts[i].error);
  free(k->parts);
  json_decref(k->document);
  json_decref(k->first_summary);
  json_decref(k->failures);
  spool_fini(&k->rows);
  arena_destroy(k->memory);
}

bool results_open_sweep(service *s, const store_job *sweep, result_file *file, fault *f) {
  stack k = {.s = s, .sweep = sweep, .memory = arena_create(), .failures = json_array()};
  if (!k.memory || !k.failures) return stack_fini(&k), no_memory(f);
  store_status status = store_sweep_jobs(s->store, sweep->id, &(store_visit){.context = &k, .sweep_job = add_part});
  bool done =
      status == STORE_OK ? !k.short_of_memory || no_memory(f) : fault_from_store(f, status, "the jobs of the sweep");
  done = done && read_outline(&k, f) && plan(&k, f) && gather(&k, f) && write_archive(&k, file, f);
  stack_fini(&k);
  return done;
}
