// The document: {"name": "arm", "job": {…}, "inputs": [["/job/inputs/cable1"], …], "outputs": [{"field":
// "poses:arm@1", "select": [[0, 3], [1, 3], [2, 3]], "at": "end"}, …]}.
#include "umbridge/model.h"

#include "base/files.h"
#include "base/say.h"
#include "umbridge/place.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool known_keys(const json_t *object, const char *what, const char *const *keys) {
  const char *key;
  json_t *value;
  char safe[100];
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    int i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0) ++i;
    if (!keys[i]) return say_error("%s: \"%s\" is not known here", what, say_safe(safe, sizeof safe, key)), false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ the job

// A stored model by its document.
static bool fetch_model(um_model *m, tendril_client *client) {
  const char *name = json_string_value(json_object_get(m->job, "model"));
  tendril_error err;
  if (!name) return true;
  if (tendril_model_get(client, name, NULL, &err) != TENDRIL_OK)
    return say_error("the model \"%.64s\": %s", name, err.detail), false;
  tendril_text text = tendril_reply_member(client, "document");
  json_t *model = text.at ? json_loadb(text.at, text.size, 0, NULL) : NULL;
  if (!model) return say_error("the model \"%.64s\" cannot be read", name), false;
  json_object_set_new(m->job, "model", model);
  return true;
}

static bool is_listed(const json_t *list, const char *text) {
  size_t i;
  const json_t *entry;
  json_array_foreach(list, i, entry) {
    const char *own = json_string_value(entry);
    if (own && strcmp(own, text) == 0) return true;
  }
  return false;
}

// The job keeps the fields of the outputs.
static void keep_fields(um_model *m) {
  json_t *output = json_object_get(m->job, "output"), *fields = json_object_get(output, "fields");
  if (!json_is_object(output)) {
    json_object_set_new(m->job, "output", json_object());
    output = json_object_get(m->job, "output");
  }
  if (!json_is_array(fields)) {
    json_object_set_new(output, "fields", json_array());
    fields = json_object_get(output, "fields");
  }
  for (size_t i = 0; i < m->outputs; ++i)
    if (!is_listed(fields, m->output[i].field)) json_array_append_new(fields, json_string(m->output[i].field));
}

// ------------------------------------------------------------------------------------------------ vectors

static bool read_input(um_model *m, const json_t *paths, size_t number) {
  um_input *in = &m->input[number];
  *in = (um_input){.paths = paths};
  size_t i;
  const json_t *path;
  char safe[200];
  json_array_foreach(paths, i, path) {
    const char *text = json_string_value(path);
    size_t count = text ? place_count(m->job, text) : 0;
    if (count == 0)
      return say_error("/inputs/%zu/%zu: \"%s\" is no place of numbers below /job or /model", number, i,
                       say_safe(safe, sizeof safe, text ? text : "")),
             false;
    in->size += count;
  }
  return in->size > 0 || (say_error("/inputs/%zu must be a list of places of numbers", number), false);
}

static bool read_output(um_model *m, const json_t *entry, size_t number) {
  static const char *const keys[] = {"field", "select", "at", NULL};
  um_output *out = &m->output[number];
  const char *at = json_string_value(json_object_get(entry, "at"));
  *out = (um_output){.field = json_string_value(json_object_get(entry, "field")),
                     .select = json_object_get(entry, "select"),
                     .all = at && strcmp(at, "all") == 0};
  if (!known_keys(entry, "outputs", keys)) return false;
  if (!out->field || (json_object_get(entry, "at") && (!at || (!out->all && strcmp(at, "end") != 0))))
    return say_error("/outputs/%zu: wanted are \"field\", \"select\", and \"at\", which is end or all", number), false;
  return true;
}

static bool read_vectors(um_model *m) {
  const json_t *inputs = json_object_get(m->document, "inputs"), *outputs = json_object_get(m->document, "outputs");
  m->inputs = json_array_size(inputs), m->outputs = json_array_size(outputs);
  if (m->inputs == 0 || m->outputs == 0 || m->inputs > UM_VECTORS || m->outputs > UM_VECTORS)
    return say_error("\"inputs\" and \"outputs\" must be lists of 1 to %d vectors", UM_VECTORS), false;
  for (size_t i = 0; i < m->inputs; ++i)
    if (!read_input(m, json_array_get(inputs, i), i)) return false;
  for (size_t i = 0; i < m->outputs; ++i)
    if (!read_output(m, json_array_get(outputs, i), i)) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------ sizes

// Place of a selected number in a row: an index, or a list of them, one for each axis.
static bool find_place(const tendril_array *a, const json_t *entry, size_t *place) {
  size_t axes = json_is_array(entry) ? json_array_size(entry) : 1;
  *place = 0;
  if (axes != (size_t)a->rank - 1) return false;
  for (size_t k = 0; k < axes; ++k) {
    const json_t *index = json_is_array(entry) ? json_array_get(entry, k) : entry;
    json_int_t value = json_integer_value(index);
    if (!json_is_integer(index) || value < 0 || (size_t)value >= a->shape[k + 1]) return false;
    *place = *place * a->shape[k + 1] + (size_t)value;
  }
  return true;
}

static bool measure(um_output *o, tendril_arrays *result, size_t number) {
  const tendril_array *a = tendril_arrays_find(result, o->field);
  char safe[100];
  if (!a || !a->values || a->rank < 1 || a->shape[0] == 0 || a->count == 0)
    return say_error("/outputs/%zu: the result has no numbers called \"%s\"", number,
                     say_safe(safe, sizeof safe, o->field)),
           false;
  o->rows = a->shape[0];
  o->selected = o->select ? json_array_size(o->select) : a->count / a->shape[0];
  o->place = must_alloc((o->selected + 1) * sizeof *o->place);
  for (size_t i = 0; i < o->selected; ++i) {
    o->place[i] = i;
    if (o->select && !find_place(a, json_array_get(o->select, i), &o->place[i]))
      return say_error("/outputs/%zu/select/%zu is no place in a row of %s", number, i, o->field), false;
  }
  o->size = o->selected * (o->all ? o->rows : 1);
  return o->size > 0 || (say_error("/outputs/%zu/select chooses nothing", number), false);
}

// The job as it stands, which shows that it runs, too.
static bool measure_all(um_model *m, tendril_client *client) {
  tendril_error err, ignored;
  tendril_job job = {.id = ""};
  tendril_arrays *result = NULL;
  char *text = json_dumps(m->job, JSON_REAL_PRECISION(17));
  bool good = tendril_run(client, text, strlen(text), &job, &result, &err) == TENDRIL_OK;
  free(text);
  if (!good) say_error("the job: %s%s%s", err.detail, *err.pointer ? " at " : "", err.pointer);
  for (int i = 0; good && i < job.warning_count; ++i)
    say_note("%s: warning: %s: %s", m->name, job.warning[i].code, job.warning[i].detail);
  for (size_t i = 0; good && i < m->outputs; ++i) good = measure(&m->output[i], result, i);
  tendril_arrays_close(result);
  if (*job.id && tendril_state_ended(job.state)) (void)tendril_job_delete(client, job.id, &ignored);
  return good;
}

// Derivatives are there when every output has them by every input.
static void try_derivatives(um_model *m, tendril_client *client) {
  size_t most = um_input_size(m) + um_output_size(m);
  double *values = must_alloc((um_input_size(m) + 1) * sizeof *values), *zero = must_alloc((most + 1) * sizeof *zero);
  double *out = must_alloc((most + 1) * sizeof *out), *next = values;
  um_error e = {.http = 0};
  for (size_t i = 0, k; i < m->inputs; ++i)
    for (k = 0; k < json_array_size(m->input[i].paths); ++k) {
      const char *path = json_string_value(json_array_get(m->input[i].paths, k));
      place_read(m->job, path, next);
      next += place_count(m->job, path);
    }
  for (size_t i = 0; i < most; ++i) zero[i] = 0;
  m->gradient = m->jacobian = true;
  for (size_t o = 0; o < m->outputs; ++o)
    for (size_t i = 0; i < m->inputs; ++i) {
      if (m->gradient && !um_gradient(m, client, values, o, i, zero, out, &e)) {
        m->gradient = false;
        say_note("%s: no Gradient: %s", m->name, e.message);
      }
      if (m->jacobian && !um_jacobian(m, client, values, o, i, zero, out, &e)) {
        m->jacobian = false;
        say_note("%s: no ApplyJacobian: %s", m->name, e.message);
      }
    }
  free(values), free(zero), free(out);
}

bool um_open(um_model *m, tendril_client *client, const char *path) {
  static const char *const keys[] = {"name", "job", "inputs", "outputs", NULL};
  size_t size;
  *m = (um_model){.document = NULL};
  char *text = file_read(path, &size);
  m->document = text ? json_from_bytes(path, text, size) : NULL;
  free(text);
  if (!m->document) return false;
  m->name = json_string_value(json_object_get(m->document, "name"));
  m->job = json_object_get(m->document, "job");
  if (!m->name || !*m->name || !json_is_object(m->job))
    return say_error("%s: wanted are \"name\", \"job\", \"inputs\" and \"outputs\"", path), false;
  if (!known_keys(m->document, path, keys) || !fetch_model(m, client) || !read_vectors(m)) return false;
  keep_fields(m);
  if (!measure_all(m, client)) return false;
  try_derivatives(m, client);
  return true;
}

void um_close(um_model *m) {
  for (size_t i = 0; i < m->outputs && i < UM_VECTORS; ++i) free(m->output[i].place);
  json_decref(m->document);
  *m = (um_model){.document = NULL};
}
