// Documents of jobs that seek or differentiate: fit, design, gradient. Parts that are JSON already are read and put in;
// rows of numbers are written, NaN as null.
#include "lib/base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A part given as text; NULL after saying whose text is none.
static json_t *read_part(const char *what, const char *text, tendril_error *err) {
  json_error_t why;
  json_t *value = json_loads(text, JSON_DECODE_ANY, &why);
  if (!value) client_fail(err, TENDRIL_INVALID, "%.60s is no JSON: %.160s", what, why.text);
  return value;
}

static bool set_part(json_t *object, const char *key, const char *text, tendril_error *err) {
  json_t *value = text ? read_part(key, text, err) : NULL;
  if (value) json_object_set_new(object, key, value);
  return value || !text;
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *numbers(const double *x, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, number(x[i]));
  return list;
}

static json_t *record_of(const tendril_record *r, tendril_error *err) {
  json_t *record = json_pack("{s:s}", "field", r->field), *rows = json_array();
  for (size_t i = 0; i < r->rows; ++i) json_array_append_new(rows, numbers(r->value + i * r->width, r->width));
  if (!record || json_object_set_new(record, "value", rows) != 0) return json_decref(record), NULL;
  if (r->t) json_object_set_new(record, "t", numbers(r->t, r->rows));
  if (r->sigma > 0) json_object_set_new(record, "sigma", json_real(r->sigma));
  if (set_part(record, "select", r->select, err)) return record;
  json_decref(record);
  return NULL;
}

static json_t *experiment_of(const tendril_experiment *e, tendril_error *err) {
  json_t *job = read_part("the job of an experiment", e->job, err), *data = json_array();
  bool good = job && data;
  for (size_t i = 0; good && i < e->count; ++i) good = json_array_append_new(data, record_of(&e->records[i], err)) == 0;
  if (good) return json_pack("{s:o, s:o}", "job", job, "data", data);
  json_decref(job);
  json_decref(data);
  return NULL;
}

static json_t *paths_of(const tendril_choice *c) {
  json_t *list = json_pack("[s]", c->path);
  for (size_t k = 0; c->also[k]; ++k) json_array_append_new(list, json_string(c->also[k]));
  return list;
}

static json_t *choices_of(const tendril_choice *choices, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) {
    const tendril_choice *c = &choices[i];
    json_t *one = c->also ? json_pack("{s:o}", "paths", paths_of(c)) : json_pack("{s:s}", "path", c->path);
    if (c->name) json_object_set_new(one, "name", json_string(c->name));
    if (c->lower < c->upper) json_object_set_new(one, "lower", number(c->lower));
    if (c->lower < c->upper) json_object_set_new(one, "upper", number(c->upper));
    if (c->log) json_object_set_new(one, "scale", json_string("log"));
    if (c->value) json_object_set_new(one, "value", number(*c->value));
    json_array_append_new(list, one);
  }
  return list;
}

// The document as text, with further members; takes it over.
static char *finish(json_t *document, const char *more, bool good, tendril_error *err) {
  json_t *members = good && more ? read_part("more", more, err) : NULL;
  if (members && json_object_update(document, members) != 0)
    good = client_fail(err, TENDRIL_INVALID, "more is no JSON object") == TENDRIL_OK;
  good = good && (members || !more);
  char *text = good ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  if (good && !text) client_fail(err, TENDRIL_INVALID, "a text or a number in it cannot be written as JSON");
  json_decref(members);
  json_decref(document);
  return text;
}

static bool starts_an_object(const char *text) { return text[strspn(text, " \t\r\n")] == '{'; }

char *tendril_fit_document(const char *model, const tendril_experiment *experiments, size_t count,
                           const tendril_choice *choices, size_t choice_count, const char *more, tendril_error *err) {
  json_t *of = json_array(), *document = json_pack("{s:s, s:o}", "kind", "fit", "of", of);
  bool good = document != NULL;
  if (!good) return client_no_memory(err), NULL;
  for (size_t i = 0; good && i < count; ++i) {
    json_t *one = experiment_of(&experiments[i], err);
    good = one && json_array_append_new(of, one) == 0;
  }
  json_object_set_new(document, "parameters", choices_of(choices, choice_count));
  if (good && model && starts_an_object(model)) good = set_part(document, "model", model, err);
  if (good && model && !starts_an_object(model)) json_object_set_new(document, "model", json_string(model));
  return finish(document, more, good, err);
}

char *tendril_design_document(const char *of, const tendril_choice *choices, size_t choice_count, const char *objective,
                              const char *constraints, const char *more, tendril_error *err) {
  json_t *document = json_pack("{s:s}", "kind", "design");
  if (!document) return client_no_memory(err), NULL;
  json_object_set_new(document, "parameters", choices_of(choices, choice_count));
  bool good = set_part(document, "of", of, err) && set_part(document, "objective", objective, err) &&
              set_part(document, "constraints", constraints, err);
  return finish(document, more, good, err);
}

char *tendril_gradient_document(const char *of, const char *const *paths, size_t count, const char *objective,
                                const char *more, tendril_error *err) {
  json_t *document = json_pack("{s:s}", "kind", "gradient"), *list = json_array();
  if (!document || json_object_set_new(document, "parameters", list) != 0) return client_no_memory(err), NULL;
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, json_string(paths[i]));
  bool good = set_part(document, "of", of, err) && set_part(document, "objective", objective, err);
  return finish(document, more, good, err);
}
