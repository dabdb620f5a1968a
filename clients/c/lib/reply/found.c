// What a fit, a design or a gradient found: from the summary of its result (`fit`, `design`, `parameters`), its arrays
// `parameters`, `start`, `cost`, `objective`, `value`, `gradient`, and the bounds in the job's document. Documents with
// the values found are those of the summary with numbers put at the paths.
#include "lib/base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
  tendril_arrays *result;
  json_t *summary;
  const json_t *part; ///< summary.fit or summary.design; NULL: a gradient
  const json_t *job;
} reading;

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static double number_of(const json_t *object, const char *key) {
  const json_t *number = json_object_get(object, key);
  return json_is_number(number) ? json_number_value(number) : NAN;
}

static bool reading_open(reading *r, tendril_arrays *result, tendril_error *err) {
  const tendril_array *bytes = tendril_arrays_find(result, "summary");
  *r = (reading){.result = result};
  if (bytes) r->summary = json_loadb(bytes->data, strnlen(bytes->data, bytes->size), 0, NULL);
  const char *kind = text_of(r->summary, "kind");
  if (strcmp(kind, "fit") == 0 || strcmp(kind, "design") == 0) r->part = json_object_get(r->summary, kind);
  r->job = json_object_get(r->summary, "job");
  if (r->part || (strcmp(kind, "gradient") == 0 && tendril_arrays_find(result, "gradient"))) return true;
  client_fail(err, TENDRIL_INVALID, "it is a result of kind '%.40s', and no whole fit, design or gradient", kind);
  json_decref(r->summary);
  return false;
}

// ------------------------------------------------------------------------------------------------ parameters

static bool is_below(const char *own, const char *path) {
  size_t length = strlen(own);
  return *own && strncmp(own, path, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

// The entry of the job's list that holds this number: its place, or an array around it; of several places the first.
static const json_t *choice_at(const json_t *job, const char *path) {
  const json_t *entry;
  size_t i;
  json_array_foreach(json_object_get(job, "parameters"), i, entry) {
    const char *first = json_string_value(json_array_get(json_object_get(entry, "paths"), 0));
    if (is_below(json_is_string(entry) ? json_string_value(entry) : first ? first : text_of(entry, "path"), path))
      return entry;
  }
  return NULL;
}

// Row of `parameters` with which the fit that won began; a design is held against what it was given.
static size_t first_row(const reading *r) {
  const tendril_array *start = tendril_arrays_find(r->result, "start");
  double won = number_of(r->part, "start");
  if (strcmp(text_of(r->summary, "kind"), "fit") != 0) return 0;
  for (size_t i = 0; start && start->values && i < start->count; ++i)
    if (start->values[i] == won) return i;
  return 0;
}

static double entry_of(tendril_arrays *result, const char *name, size_t at) {
  const tendril_array *a = tendril_arrays_find(result, name);
  return a && a->values && at < a->count ? a->values[at] : NAN;
}

static void read_parameter(const reading *r, const json_t *row, size_t i, size_t count, tendril_parameter *p) {
  const json_t *choice = choice_at(r->job, text_of(row, "path"));
  *p = (tendril_parameter){.value = number_of(row, "value"),
                           .deviation = number_of(row, "deviation"),
                           .first = r->part ? entry_of(r->result, "parameters", first_row(r) * count + i) : NAN,
                           .lower = number_of(choice, "lower"),
                           .upper = number_of(choice, "upper"),
                           .slope = r->part ? NAN : entry_of(r->result, "gradient", i),
                           .log = strcmp(text_of(choice, "scale"), "log") == 0,
                           .at_bound = json_is_true(json_object_get(row, "at_bound"))};
  client_copy(p->name, sizeof p->name, text_of(row, "name"));
  client_copy(p->path, sizeof p->path, text_of(row, "path"));
}

static void read_constraints(const reading *r, tendril_found *f) {
  const json_t *list = json_object_get(r->part, "constraints"), *one;
  size_t i;
  f->constraint = calloc(json_array_size(list) + 1, sizeof *f->constraint);
  if (!f->constraint) return;
  json_array_foreach(list, i, one) {
    tendril_constraint *c = &f->constraint[f->constraints++];
    c->index = (long)json_integer_value(json_object_get(one, "constraint"));
    c->value = number_of(one, "value");
    c->lower = number_of(one, "lower");
    c->upper = number_of(one, "upper");
    c->missed = number_of(one, "missed");
    c->active = json_is_true(json_object_get(one, "active"));
    client_copy(c->number, sizeof c->number, text_of(one, "number"));
  }
}

static double first_value(const reading *r) {
  if (strcmp(text_of(r->summary, "kind"), "fit") == 0) return entry_of(r->result, "cost", first_row(r));
  return number_of(r->part, "first_objective");
}

static double value_of(const reading *r) {
  if (!r->part) return entry_of(r->result, "value", 0);
  double cost = number_of(r->part, "cost");
  return isfinite(cost) ? cost : number_of(r->part, "objective");
}

static long count_of(const json_t *part, const char *key) {
  return (long)json_integer_value(json_object_get(part, key));
}

tendril_found *tendril_found_read(tendril_arrays *result, tendril_error *err) {
  reading r;
  if (!reading_open(&r, result, err)) return NULL;
  const json_t *rows = json_object_get(r.part ? r.part : r.summary, "parameters");
  size_t count = json_array_size(rows);
  tendril_found *f = calloc(1, sizeof *f);
  if (f) f->parameter = calloc(count + 1, sizeof *f->parameter);
  if (!f || !f->parameter) {
    client_no_memory(err);
    json_decref(r.summary);
    free(f);
    return NULL;
  }
  client_copy(f->kind, sizeof f->kind, text_of(r.summary, "kind"));
  client_copy(f->end, sizeof f->end, text_of(r.part, "end"));
  f->value = value_of(&r);
  f->first_value = first_value(&r);
  f->misfit = number_of(r.part, "misfit");
  f->estimated = json_is_false(json_object_get(r.part, "has_sigma"));
  f->violation = number_of(r.part, "violation");
  f->first_violation = r.part ? entry_of(r.result, "violation", 0) : NAN;
  f->iterations = count_of(r.part, "iterations");
  f->runs = count_of(r.part, "predictions") + count_of(r.part, "evaluations");
  for (f->count = 0; f->count < count; ++f->count)
    read_parameter(&r, json_array_get(rows, f->count), f->count, count, &f->parameter[f->count]);
  read_constraints(&r, f);
  json_decref(r.summary);
  return f;
}

void tendril_found_free(tendril_found *f) {
  if (f) free(f->parameter), free(f->constraint);
  free(f);
}

// ------------------------------------------------------------------------------------------------ documents

// One step down: the member or entry that a token names; *end is behind it. NULL: there is none.
static json_t *step_down(json_t *at, const char *token, size_t length, char key[512]) {
  size_t n = 0;
  for (size_t i = 0; i < length && n + 1 < 512; ++i) {
    bool escape = token[i] == '~' && i + 1 < length;
    key[n++] = escape ? (token[i + 1] == '1' ? '/' : '~') : token[i];
    i += escape;
  }
  key[n] = '\0';
  return json_is_array(at) ? json_array_get(at, (size_t)strtoul(key, NULL, 10)) : json_object_get(at, key);
}

// A number at a path below `root`, which stands for the path's first word.
static bool put(json_t *root, const char *path, double value) {
  char key[512] = "";
  const char *at = strchr(path + 1, '/');
  json_t *holder = NULL, *now = root;
  while (at && now) {
    size_t length = strcspn(at + 1, "/");
    holder = now;
    now = step_down(holder, at + 1, length, key);
    at = strchr(at + 1, '/');
  }
  if (!holder || !now || !json_is_number(now)) return false;
  json_t *number = json_real(value);
  return json_is_array(holder) ? json_array_set_new(holder, (size_t)strtoul(key, NULL, 10), number) == 0
                               : json_object_set_new(holder, key, number) == 0;
}

// Whether a number is one of job k (of experiment k): of all, where no list says which.
static bool counts(const json_t *row, long k) {
  const json_t *of = json_object_get(row, "of"), *one;
  size_t i;
  if (k < 0 || !json_is_array(of)) return true;
  json_array_foreach(of, i, one) if (json_integer_value(one) == k) return true;
  return false;
}

// At the place of a number and at the further ones that share it; *path is the one that is not there.
static bool put_all(json_t *root, const json_t *row, const char **path) {
  const json_t *also = json_object_get(row, "also");
  double value = number_of(row, "value");
  *path = text_of(row, "path");
  bool done = put(root, *path, value);
  for (size_t k = 0; done && k < json_array_size(also); ++k) {
    *path = json_string_value(json_array_get(also, k));
    done = *path && put(root, *path, value);
  }
  return done;
}

// A copy of the document with all values whose paths begin with `root`; of job k, negative: of any. NULL after
// filling *err.
static json_t *filled(const reading *r, const json_t *document, const char *root, long k, tendril_error *err) {
  json_t *copy = json_deep_copy(document), *row;
  size_t i;
  if (!copy) return client_fail(err, TENDRIL_BAD_REPLY, "the result holds no document for %.40s", root), NULL;
  json_array_foreach(json_object_get(r->part, "parameters"), i, row) {
    const char *path = text_of(row, "path");
    if (strncmp(path, root, strlen(root)) != 0 || !counts(row, k) || put_all(copy, row, &path)) continue;
    client_fail(err, TENDRIL_BAD_REPLY, "the document has no number at %.400s", path ? path : "?");
    json_decref(copy);
    return NULL;
  }
  return copy;
}

static json_t *filled_model(const reading *r, tendril_error *err) {
  return filled(r, json_object_get(json_object_get(r->summary, "model"), "document"), "/model/", -1, err);
}

// A job that reports what was looked at, where it does not say what it reports: fields of terms and of constraints.
static void add_fields(const reading *r, json_t *job, json_int_t k) {
  static const char *const lists[] = {"objective", "constraints"};
  bool run = strcmp(text_of(job, "kind"), "dynamics") == 0;
  json_t *output = json_object_get(job, "output"), *entry;
  json_t *fields = run ? json_pack("[s, s]", "q", "qd") : json_array(); // what a run reports by itself
  for (size_t l = 0; l < sizeof lists / sizeof *lists; ++l) {
    size_t i;
    json_array_foreach(json_object_get(r->job, lists[l]), i, entry) {
      const char *field = text_of(entry, "field");
      bool known = !*field || json_integer_value(json_object_get(entry, "of")) != k;
      known = known || (!run && (strcmp(field, "q") == 0 || strcmp(field, "u") == 0 || strcmp(field, "lambda") == 0));
      for (size_t j = 0; j < json_array_size(fields) && !known; ++j)
        known = strcmp(json_string_value(json_array_get(fields, j)), field) == 0;
      if (!known) json_array_append_new(fields, json_string(field));
    }
  }
  if (json_array_size(fields) > 0 && !json_object_get(output, "fields")) {
    if (!output) json_object_set_new(job, "output", output = json_object());
    json_object_set(output, "fields", fields);
  }
  json_decref(fields);
}

// The job within a design; of a fit, or a design of several, the list of its jobs.
static json_t *filled_job(const reading *r, tendril_error *err) {
  const json_t *of = json_object_get(r->job, "of"), *one;
  size_t k;
  bool design = strcmp(text_of(r->summary, "kind"), "design") == 0;
  if (!json_is_array(of)) {
    json_t *job = filled(r, of, "/job/", -1, err);
    if (job && design) add_fields(r, job, 0);
    return job;
  }
  json_t *jobs = json_array();
  json_array_foreach(of, k, one) {
    json_t *job = filled(r, design ? one : json_object_get(one, "job"), "/job/", (long)k, err);
    if (job && design) add_fields(r, job, (json_int_t)k);
    if (job && json_array_append_new(jobs, job) == 0) continue;
    json_decref(jobs);
    return NULL;
  }
  return jobs;
}

static char *document_of(tendril_arrays *result, json_t *(*fill)(const reading *, tendril_error *),
                         tendril_error *err) {
  reading r;
  if (!reading_open(&r, result, err)) return NULL;
  json_t *document = r.part ? fill(&r, err) : NULL;
  if (!r.part) client_fail(err, TENDRIL_INVALID, "a gradient finds no numbers to put there: fits and designs do");
  char *text = document ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(document);
  json_decref(r.summary);
  return text;
}

char *tendril_found_model(tendril_arrays *result, tendril_error *err) { return document_of(result, filled_model, err); }
char *tendril_found_job(tendril_arrays *result, tendril_error *err) { return document_of(result, filled_job, err); }
