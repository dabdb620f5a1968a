// Method: one pass over the archives into a spool, then one member after the other out of it.
//
// Invariant: jobs are added in their order, so the rows so far are those of the jobs [0, added).
#include "codec/result/stack.h"
#include "api/c/spool.h"
#include "codec/document/job/job.h"
#include "codec/json/memory.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct column { ///< a member of the result
  char name[NPZ_MAX_NAME + 1];
  npz_type type;
  int rank; ///< of a row
  size_t dim[NPZ_MAX_RANK], size, first;
  bool common;
} column;

enum { CHILD, SUCCEEDED, OWN_COLUMNS }; // then those of vary

struct codec_stack {
  const json_t *document;
  const codec_stack_job *jobs;
  size_t job_count, added;
  json_t *first_summary;
  json_t *failures; ///< of statics problems, by row
  sweep_document sweep;
  bool last_row_only; ///< dynamics
  column *columns;
  size_t column_count;
  arena *memory;
  spool rows;
  double *row;
};

static const json_t *value_of(const codec_stack *k, size_t i, size_t v) {
  return json_array_get(k->sweep.vary[v].values, codec_sweep_choice(&k->sweep, i, v));
}

static size_t own_columns(const codec_stack *k) { return OWN_COLUMNS + k->sweep.vary_count; }

// ------------------------------------------------------------------------------------------------ archives of jobs

static bool is_numeric(npz_type type) { return type == NPZ_F8 || type == NPZ_I8 || type == NPZ_BOOL; }

// A member that has rows of numbers.
static bool peek(const npz_archive *archive, const char *name, arena *memory, npz_array *array) {
  npz_trouble ignored;
  const npz_member *member = npz_find(archive, name);
  return member && npz_peek(archive, member, codec_npz_memory(memory), array, &ignored) && !array->fortran &&
         array->rank > 0 && is_numeric(array->type);
}

static double element(const npz_array *array, size_t i) {
  assert(i < array->count);
  const unsigned char *p = array->data + i * array->item;
  double x;
  int64_t integer;
  if (array->type == NPZ_BOOL) return *p != 0;
  memcpy(&x, p, sizeof x);
  memcpy(&integer, p, sizeof integer);
  return array->type == NPZ_F8 ? x : (double)integer;
}

static json_t *read_summary(const npz_archive *archive, arena *memory) {
  npz_array array;
  const npz_member *member = npz_find(archive, "summary");
  if (!member || codec_npz_read(archive, member, memory, &array, NULL) != TD_OK) return NULL;
  return codec_parse((const char *)array.data, array.count, NULL);
}

// ------------------------------------------------------------------------------------------------ columns

static column *add_column(codec_stack *k, const char *name, npz_type type, int rank, const size_t *dim) {
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

static bool all_numbers(const sweep_variation *v) {
  bool numbers = true;
  for (size_t j = 0; numbers && j < v->count; j++) numbers = json_is_number(json_array_get(v->values, j));
  return numbers;
}

static void add_own_columns(codec_stack *k) {
  char name[32];
  add_column(k, "child", NPZ_I8, 0, NULL);
  add_column(k, "succeeded", NPZ_BOOL, 0, NULL);
  for (size_t v = 0; v < k->sweep.vary_count; v++) {
    snprintf(name, sizeof name, "vary[%zu]", v);
    add_column(k, name, NPZ_F8, 0, NULL)->common = all_numbers(&k->sweep.vary[v]);
  }
}

static bool plan_columns(codec_stack *k, const npz_archive *first, arena *memory) {
  k->columns = arena_array(k->memory, own_columns(k) + first->count, sizeof *k->columns);
  if (!k->columns) return false;
  add_own_columns(k);
  for (size_t i = 0; i < first->count; i++) {
    npz_array array;
    const char *name = first->members[i].name;
    if (strcmp(name, "summary") != 0 && peek(first, name, memory, &array))
      add_column(k, name, array.type, array.rank - 1, array.dim + 1);
  }
  const column *last = &k->columns[k->column_count - 1];
  k->row = arena_array(k->memory, last->first + last->size, sizeof *k->row);
  return k->row != NULL;
}

static size_t row_width(const codec_stack *k) {
  const column *last = &k->columns[k->column_count - 1];
  return last->first + last->size;
}

codec_stack *codec_stack_open(const json_t *sweep, const codec_stack_job *jobs, size_t count) {
  codec_stack *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  k->document = sweep;
  k->jobs = jobs;
  k->job_count = count;
  k->memory = arena_create();
  k->failures = json_array();
  const char *kind = json_string_value(json_object_get(json_object_get(sweep, "base"), "kind"));
  bool good = k->memory && k->failures && kind && codec_sweep_outline(sweep, k->memory, &k->sweep);
  if (!good) return codec_stack_close(k), NULL;
  k->last_row_only = strcmp(kind, job_kind_name(JOB_DYNAMICS)) == 0;
  return k;
}

bool codec_stack_plan(codec_stack *k, const npz_archive *first, arena *memory, int spool_fd) {
  assert(!k->columns && k->added == 0);
  k->first_summary = read_summary(first, memory);
  if (k->first_summary && spool_fd >= 0 && plan_columns(k, first, memory))
    return spool_init_file(&k->rows, row_width(k), spool_fd);
  if (spool_fd >= 0) close(spool_fd);
  return false;
}

void codec_stack_close(codec_stack *k) {
  if (!k) return;
  json_decref(k->first_summary);
  json_decref(k->failures);
  spool_fini(&k->rows);
  arena_destroy(k->memory);
  free(k);
}

// ------------------------------------------------------------------------------------------------ rows

static bool fits(const column *c, const npz_array *array, size_t rows) {
  if (array->type != c->type || array->rank != c->rank + 1 || array->dim[0] < rows) return false;
  for (int i = 0; i < c->rank; i++)
    if (array->dim[1 + i] != c->dim[i]) return false;
  return true;
}

static void fill_own(codec_stack *k, size_t i) {
  k->row[CHILD] = (double)i;
  k->row[SUCCEEDED] = k->jobs[i].succeeded;
  for (size_t v = 0; v < k->sweep.vary_count; v++) k->row[OWN_COLUMNS + v] = json_number_value(value_of(k, i, v));
}

static bool add_empty(codec_stack *k, size_t i) {
  fill_own(k, i);
  for (size_t c = own_columns(k); c < k->column_count; c++)
    for (size_t e = 0; e < k->columns[c].size; e++)
      k->row[k->columns[c].first + e] = k->columns[c].type == NPZ_F8 ? NAN : 0;
  bool kept = true;
  for (size_t r = 0; kept && r < k->jobs[i].rows; r++) kept = spool_append(&k->rows, k->row);
  return kept;
}

// Why problems of a job did not converge, with the rows that they have here.
static void keep_failures(codec_stack *k, size_t i, const npz_archive *archive, arena *memory) {
  npz_array converged;
  bool all = !peek(archive, "converged", memory, &converged);
  for (size_t r = 0; !all && r < converged.dim[0] && element(&converged, r) != 0; r++) all = r + 1 == converged.dim[0];
  if (all) return;
  json_t *summary = read_summary(archive, memory), *entry;
  size_t e;
  json_array_foreach(json_object_get(summary, "failures"), e, entry) {
    json_int_t index = json_integer_value(json_object_get(entry, "index"));
    json_object_set_new(entry, "index", json_integer(index + (json_int_t)k->rows.rows));
    json_object_set_new(entry, "child", json_integer((json_int_t)i));
    json_array_append(k->failures, entry);
  }
  json_decref(summary);
}

static void fill_row(codec_stack *k, const npz_array *arrays, size_t r) {
  for (size_t c = own_columns(k); c < k->column_count; c++) {
    const column *col = &k->columns[c];
    size_t row = k->last_row_only && col->common ? arrays[c].dim[0] - 1 : r;
    for (size_t e = 0; col->common && e < col->size; e++)
      k->row[col->first + e] = element(&arrays[c], row * col->size + e);
  }
}

static bool add_result(codec_stack *k, size_t i, const npz_archive *archive, arena *memory) {
  size_t rows = k->jobs[i].rows;
  npz_array *arrays = arena_array(memory, k->column_count, sizeof *arrays);
  if (!arrays) return false;
  for (size_t c = own_columns(k); c < k->column_count; c++)
    if (!peek(archive, k->columns[c].name, memory, &arrays[c]) || !fits(&k->columns[c], &arrays[c], rows))
      k->columns[c].common = false;
  fill_own(k, i);
  keep_failures(k, i, archive, memory);
  bool kept = true;
  for (size_t r = 0; kept && r < rows; r++) {
    fill_row(k, arrays, r);
    kept = spool_append(&k->rows, k->row);
  }
  return kept;
}

bool codec_stack_add(codec_stack *k, const npz_archive *archive, arena *memory) {
  assert(k->columns && k->added < k->job_count);
  size_t i = k->added++;
  return archive ? add_result(k, i, archive, memory) : add_empty(k, i);
}

// ------------------------------------------------------------------------------------------------ archive

static void set_warnings(json_t *entry, const json_t *warnings) {
  assert(!warnings || json_is_array(warnings));
  json_object_set_new(entry, "warnings", warnings ? json_incref((json_t *)warnings) : json_array());
}

static json_t *describe_job(const codec_stack *k, size_t i) {
  const codec_stack_job *job = &k->jobs[i];
  json_t *values = json_array(), *entry = json_object();
  for (size_t v = 0; v < k->sweep.vary_count; v++) json_array_append(values, (json_t *)value_of(k, i, v));
  json_object_set_new(entry, "id", json_string(job->id));
  json_object_set_new(entry, "state", json_string(job->state));
  json_object_set_new(entry, "values", values);
  json_object_set_new(entry, "rows", json_integer((json_int_t)job->rows));
  if (job->error) json_object_set(entry, "error", (json_t *)job->error);
  set_warnings(entry, job->warnings);
  return entry;
}

static void copy_member(const codec_stack *k, const char *key, json_t *summary) {
  json_t *value = json_object_get(k->first_summary, key);
  if (value) json_object_set(summary, key, value);
}

static json_t *summarise(const codec_stack *k, const codec_stack_sweep *sweep) {
  static const char *const copied[] = {"coordinates", "channels", "energies",   "multipliers",
                                       "contacts",    "points",   "parameters", "build"};
  json_t *summary = json_object(), *jobs = json_array(), *left_out = json_array();
  for (size_t i = 0; i < k->job_count; i++) json_array_append_new(jobs, describe_job(k, i));
  for (size_t c = 0; c < k->column_count; c++)
    if (!k->columns[c].common) json_array_append_new(left_out, json_string(k->columns[c].name));
  json_object_set_new(summary, "kind", json_string(sweep->kind));
  json_object_set_new(summary, "state", json_string(sweep->state));
  if (!sweep->whole) json_object_set_new(summary, "partial", json_true());
  set_warnings(summary, sweep->warnings);
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) copy_member(k, copied[i], summary);
  json_object_set_new(summary, "jobs", jobs);
  json_object_set_new(summary, "not_stacked", left_out);
  if (json_object_get(k->first_summary, "failures")) json_object_set(summary, "failures", k->failures);
  json_object_set(summary, "job", (json_t *)k->document);
  copy_member(k, "model", summary); // the base's, or where it is varied that of the first job with a result
  return summary;
}

static bool write_members(codec_stack *k, npz_writer *w) {
  bool done = true;
  for (size_t c = 0; done && c < k->column_count; c++) {
    const column *col = &k->columns[c];
    if (col->common)
      done = spool_write_member(&k->rows, w, col->name, col->type, col->first, col->size, col->rank, col->dim);
  }
  return done;
}

bool codec_stack_write(codec_stack *k, const codec_stack_sweep *sweep, int fd, uint64_t *size) {
  assert(k->added == k->job_count);
  npz_trouble trouble;
  json_t *summary = summarise(k, sweep);
  char *text = summary ? json_memory_text(summary, JSON_COMPACT) : NULL;
  json_decref(summary);
  npz_writer *w = text ? npz_writer_to_fd(fd) : NULL;
  bool done = w && write_members(k, w);
  if (done) npz_write_bytes(w, "summary", text, strlen(text));
  free(text);
  if (done) return npz_writer_close(w, size, &trouble);
  npz_writer_abandon(w);
  return false;
}
