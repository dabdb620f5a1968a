// Values by the job itself; a product with the Jacobian's transpose by a gradient job (one sweep back, whatever the
// number of inputs); a product with the Jacobian by the job's sensitivities. All of them are exact derivatives of what
// the job computes. A job is deleted once its numbers are here.
#include "umbridge/model.h"

#include "base/say.h"
#include "umbridge/place.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool um_fail(um_error *e, int http, const char *type, const char *format, ...) {
  va_list list;
  va_start(list, format);
  e->http = http;
  snprintf(e->type, sizeof e->type, "%s", type);
  vsnprintf(e->message, sizeof e->message, format, list);
  va_end(list);
  return false;
}

size_t um_input_size(const um_model *m) {
  size_t sum = 0;
  for (size_t i = 0; i < m->inputs; ++i) sum += m->input[i].size;
  return sum;
}

size_t um_output_size(const um_model *m) {
  size_t sum = 0;
  for (size_t i = 0; i < m->outputs; ++i) sum += m->output[i].size;
  return sum;
}

// The job with these numbers; the caller releases it.
static json_t *job_at(const um_model *m, const double *values) {
  json_t *job = json_deep_copy(m->job);
  for (size_t i = 0; job && i < m->inputs; ++i) {
    size_t k;
    const json_t *path;
    json_array_foreach(m->input[i].paths, k, path) {
      place_write(job, json_string_value(path), values);
      values += place_count(m->job, json_string_value(path));
    }
  }
  return job;
}

// What a wrong number does is the caller's fault, what a run does is not.
static bool refuse(const tendril_error *err, um_error *e) {
  char detail[sizeof err->detail], pointer[sizeof err->pointer];
  say_safe(detail, sizeof detail, err->detail), say_safe(pointer, sizeof pointer, err->pointer);
  const char *at = *pointer ? " at " : "";
  if (err->status == TENDRIL_REFUSED && err->http == 400)
    return um_fail(e, 400, "InvalidInput", "%s%s%s", detail, at, pointer);
  return um_fail(e, err->status == TENDRIL_UNREACHABLE ? 503 : 500, "EvaluationFailed", "%s%s%s", detail, at, pointer);
}

// Takes `document` over. The caller closes the result.
static tendril_arrays *run(tendril_client *client, json_t *document, um_error *e) {
  char *text = document ? json_dumps(document, JSON_REAL_PRECISION(17)) : NULL;
  json_decref(document);
  if (!text) return um_fail(e, 500, "EvaluationFailed", "not enough memory"), NULL;
  tendril_job job = {.id = ""};
  tendril_error err, ignored;
  tendril_arrays *result = NULL;
  tendril_status status = tendril_run(client, text, strlen(text), &job, &result, &err);
  free(text);
  if (*job.id && tendril_state_ended(job.state)) (void)tendril_job_delete(client, job.id, &ignored);
  if (status == TENDRIL_OK) return result;
  tendril_arrays_close(result);
  return refuse(&err, e), NULL;
}

static bool all_finite(const double *x, size_t count, um_error *e) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return um_fail(e, 500, "InvalidOutput", "number %zu of the output is %g", i, x[i]);
  return true;
}

// ------------------------------------------------------------------------------------------------ values

// What the first run says of an output holds for all: so many rows of that many numbers.
static const tendril_array *array_of(const um_output *o, tendril_arrays *result, const char *prefix, size_t each,
                                     um_error *e) {
  char *name = must_format("%s%s", prefix, o->field);
  const tendril_array *a = tendril_arrays_find(result, name);
  free(name);
  bool good = a && a->values && a->rank >= 1 && a->shape[0] == o->rows && a->count % (o->rows * each) == 0;
  if (good) return a;
  um_fail(e, 500, "InvalidOutput", "the result has no %s%s of %zu rows, as the first run had", prefix, o->field,
          o->rows);
  return NULL;
}

static bool read_output(const um_output *o, tendril_arrays *result, double *out, um_error *e) {
  const tendril_array *a = array_of(o, result, "", 1, e);
  if (!a) return false;
  size_t width = a->count / o->rows;
  for (size_t row = o->all ? 0 : o->rows - 1; row < o->rows; ++row)
    for (size_t i = 0; i < o->selected; ++i) *out++ = a->values[row * width + o->place[i]];
  return all_finite(out - o->size, o->size, e);
}

bool um_evaluate(const um_model *m, tendril_client *client, const double *values, double *out, um_error *e) {
  tendril_arrays *result = run(client, job_at(m, values), e);
  bool good = result != NULL;
  for (size_t i = 0; good && i < m->outputs; out += m->output[i++].size)
    good = read_output(&m->output[i], result, out, e);
  tendril_arrays_close(result);
  return good;
}

// ------------------------------------------------------------------------------------------------ derivatives

static json_t *numbers(const double *x, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, json_real(x[i]));
  return list;
}

// sens . output: a row for each sample where all count.
static json_t *term_of(const um_output *o, const double *sens) {
  json_t *linear = o->all ? json_array() : numbers(sens, o->size);
  for (size_t row = 0; o->all && row < o->rows; ++row)
    json_array_append_new(linear, numbers(sens + row * o->selected, o->selected));
  json_t *term = json_pack("{s:s, s:o, s:s}", "field", o->field, "linear", linear, "at", o->all ? "all" : "end");
  if (o->select) json_object_set_new(term, "select", json_deep_copy(o->select));
  return term;
}

bool um_gradient(const um_model *m, tendril_client *client, const double *values, size_t output, size_t input,
                 const double *sens, double *out, um_error *e) {
  json_t *document = json_pack("{s:s, s:o, s:o, s:[o]}", "kind", "gradient", "of", job_at(m, values), "parameters",
                               json_deep_copy(m->input[input].paths), "objective", term_of(&m->output[output], sens));
  tendril_arrays *result = run(client, document, e);
  if (!result) return false;
  const tendril_array *a = tendril_arrays_find(result, "gradient");
  size_t size = m->input[input].size;
  bool good = a && a->values && a->count == size;
  if (good)
    memcpy(out, a->values, size * sizeof *out);
  else
    um_fail(e, 500, "InvalidOutput", "the result has no gradient of %zu numbers", size);
  good = good && all_finite(out, size, e);
  tendril_arrays_close(result);
  return good;
}

bool um_jacobian(const um_model *m, tendril_client *client, const double *values, size_t output, size_t input,
                 const double *vec, double *out, um_error *e) {
  const um_output *o = &m->output[output];
  size_t size = m->input[input].size;
  json_t *job = job_at(m, values);
  json_object_set_new(
      job, "sensitivity",
      json_pack("{s:o, s:[s]}", "parameters", json_deep_copy(m->input[input].paths), "fields", o->field));
  tendril_arrays *result = run(client, job, e);
  const tendril_array *a = result ? array_of(o, result, "sensitivity:", size, e) : NULL;
  size_t width = a ? a->count / o->rows : 0;
  for (size_t row = o->all ? 0 : o->rows - 1; a && row < o->rows; ++row)
    for (size_t i = 0; i < o->selected; ++i) {
      const double *slope = a->values + row * width + o->place[i] * size;
      double sum = 0;
      for (size_t k = 0; k < size; ++k) sum += slope[k] * vec[k];
      *out++ = sum;
    }
  bool good = a && all_finite(out - o->size, o->size, e);
  tendril_arrays_close(result);
  return good;
}
