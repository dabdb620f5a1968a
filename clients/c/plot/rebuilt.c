// Rows of one model that follow one another are asked for together. Jobs of a sweep differ in the places that it
// varies, so the model of a row is the summary's with the values of the row's job there.
#include "plot/rebuilt.h"

#include "base/say.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1000 };
static const double BYTES_MOST = 1e9;

// ------------------------------------------------------------------------------------------------ the model of a row

static const json_t *vary_of(const recording *r) {
  return r->sweep ? json_object_get(json_object_get(r->summary, "job"), "vary") : NULL;
}

static const char *path_of(const json_t *place) {
  const char *path = json_string_value(json_object_get(place, "path"));
  return path ? path : "";
}

static bool is_whole_model(const char *path) { return strcmp(path, "/job/model") == 0; }

static bool is_in_model(const char *path) { return strncmp(path, "/model/", 7) == 0; }

static const json_t *values_at(const recording *r, size_t row) {
  const tendril_array *child = tendril_arrays_find(r->file, "child");
  bool known = child && child->values && child->count == r->samples && child->values[row] >= 0;
  const json_t *job = json_array_get(json_object_get(r->summary, "jobs"), known ? (size_t)child->values[row] : row);
  return json_object_get(job, "values");
}

// "a~1b" is the key "a/b"; returns what stands behind the token.
static const char *take_token(const char *path, char key[256]) {
  size_t length = 0;
  for (; *path && *path != '/'; ++path) {
    char letter = *path;
    if (letter == '~' && (path[1] == '0' || path[1] == '1')) letter = *++path == '0' ? '~' : '/';
    if (length + 1 < 256) key[length++] = letter;
  }
  key[length] = '\0';
  return path;
}

// Another value at a place of a document; where there is no such place nothing changes, and the server tells.
static void put_value(json_t *document, const char *pointer, const json_t *value) {
  char key[256];
  while (*pointer == '/') {
    pointer = take_token(pointer + 1, key);
    bool last = *pointer == '\0', listed = json_is_array(document);
    size_t index = strtoul(key, NULL, 10);
    if (last && listed) json_array_set_new(document, index, json_deep_copy(value));
    if (last && !listed) json_object_set_new(document, key, json_deep_copy(value));
    document = listed ? json_array_get(document, index) : json_object_get(document, key);
  }
}

// The caller's own; NULL: the row's job ran a model that the summary does not hold.
static json_t *model_at(const recording *r, size_t row) {
  const json_t *vary = vary_of(r), *values = vary ? values_at(r, row) : NULL, *place;
  json_t *model = json_deep_copy(r->model);
  size_t k;
  json_array_foreach(vary, k, place) {
    const char *path = path_of(place);
    const json_t *value = json_array_get(values, k);
    if (is_in_model(path)) put_value(model, path + strlen("/model"), value);
    if (!is_whole_model(path)) continue;
    json_decref(model);
    model = json_is_object(value) ? json_deep_copy(value) : NULL;
    if (!model) break;
  }
  return model;
}

static bool same_model(const recording *r, size_t a, size_t b) {
  const json_t *vary = vary_of(r), *one = vary ? values_at(r, a) : NULL, *other = vary ? values_at(r, b) : NULL, *place;
  size_t k;
  json_array_foreach(vary, k, place) {
    bool models = is_in_model(path_of(place)) || is_whole_model(path_of(place));
    if (models && !json_equal(json_array_get(one, k), json_array_get(other, k))) return false;
  }
  return true;
}

bool recording_rebuildable(const recording *r) {
  const tendril_array *q = tendril_arrays_find(r->file, "q");
  const json_t *place;
  size_t k;
  json_array_foreach(vary_of(r), k, place) {
    if (is_whole_model(path_of(place)) && !json_is_object(json_array_get(values_at(r, 0), k))) return false;
  }
  return r->model && !r->linear && q && q->values && q->rank == 2 && q->shape[0] == r->samples && q->shape[1] > 0;
}

// ------------------------------------------------------------------------------------------------ what the server says

static bool is_solved(const double *q, size_t width) {
  for (size_t i = 0; i < width; ++i)
    if (!isfinite(q[i])) return false;
  return true;
}

// Rows [first, end) of one model that have a solution: their numbers, and their q one behind the other.
typedef struct batch {
  size_t count, end;
  size_t row[BATCH];
  double *q; ///< [BATCH][width]
} batch;

static void fill_batch(batch *b, const recording *r, const tendril_array *q, size_t first) {
  size_t width = q->shape[1];
  b->count = 0;
  for (b->end = first; b->end < r->samples && b->count < BATCH && (b->end == first || same_model(r, first, b->end));
       ++b->end) {
    const double *at = q->values + b->end * width;
    if (!is_solved(at, width)) continue;
    memcpy(b->q + b->count * width, at, width * sizeof *at);
    b->row[b->count++] = b->end;
  }
}

static tendril_status fail(tendril_error *err, const char *text) {
  *err = (tendril_error){.status = TENDRIL_INVALID};
  snprintf(err->detail, sizeof err->detail, "%s", text);
  return TENDRIL_INVALID;
}

// A place for every link of the first answer, NaN until rows are filled.
static tendril_status make_room(recording *r, tendril_arrays *reply, tendril_error *err) {
  double bytes = 0;
  for (int i = 0; i < tendril_arrays_count(reply) && r->rebuilt_count < TRACK_LIMIT; ++i) {
    const tendril_array *a = tendril_arrays_find(reply, tendril_arrays_at(reply, i)->name);
    if (strncmp(a->name, "poses/", 6) != 0 || !a->values || a->rank < 3) continue;
    tendril_array *own = &r->rebuilt[r->rebuilt_count];
    *own = (tendril_array){.type = "<f8", .rank = a->rank};
    memcpy(own->shape, a->shape, sizeof own->shape);
    own->shape[0] = r->samples;
    own->count = a->count / a->shape[0] * r->samples;
    own->size = own->count * sizeof(double);
    if ((bytes += (double)own->size) > BYTES_MOST)
      return fail(err, "there are too many rows to place the robot at each; `tendril result --stride` takes a part");
    own->name = must_format("poses:%s", a->name + 6);
    double *values = must_alloc(own->size);
    for (size_t k = 0; k < own->count; ++k) values[k] = NAN;
    own->values = values;
    ++r->rebuilt_count;
  }
  return TENDRIL_OK;
}

static bool keep_rows(recording *r, tendril_arrays *reply, const batch *b) {
  for (int i = 0; i < r->rebuilt_count; ++i) {
    const tendril_array *own = &r->rebuilt[i];
    char *name = must_format("poses/%s", own->name + 6);
    const tendril_array *a = tendril_arrays_find(reply, name);
    free(name);
    size_t width = own->count / own->shape[0];
    if (!a || !a->values || a->count != b->count * width) return false;
    for (size_t k = 0; k < b->count; ++k)
      memcpy((double *)(uintptr_t)own->values + b->row[k] * width, a->values + k * width, width * sizeof(double));
  }
  return true;
}

static tendril_status ask(recording *r, tendril_client *client, const batch *b, const tendril_array *q,
                          tendril_error *err) {
  json_t *model = model_at(r, b->row[0]);
  char *text = model ? json_dumps(model, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(model);
  if (!text) return fail(err, "a job of the sweep ran a model that the result does not hold");
  tendril_arrays *reply = NULL;
  tendril_states states = {.count = b->count, .ndof = q->shape[1], .q = b->q};
  tendril_status status = tendril_evaluate(client, text, "poses", &states, &reply, err);
  free(text);
  if (status == TENDRIL_OK && r->rebuilt_count == 0) status = make_room(r, reply, err);
  if (status == TENDRIL_OK && !keep_rows(r, reply, b))
    status = fail(err, "links of the jobs have different numbers of points");
  tendril_arrays_close(reply);
  return status;
}

tendril_status recording_rebuild(recording *r, tendril_client *client, tendril_error *err) {
  const tendril_array *q = tendril_arrays_find(r->file, "q");
  tendril_status status = TENDRIL_OK;
  batch *b = must_alloc(sizeof *b);
  b->q = must_alloc(BATCH * q->shape[1] * sizeof *b->q);
  for (size_t first = 0; first < r->samples && status == TENDRIL_OK; first = b->end) {
    fill_batch(b, r, q, first);
    if (b->count > 0) status = ask(r, client, b, q, err);
  }
  free(b->q);
  free(b);
  if (status != TENDRIL_OK)
    recording_drop_rebuilt(r);
  else
    recording_take_rebuilt(r);
  return status;
}
