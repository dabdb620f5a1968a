// Read from the job document in the summary, which may hold anything: what does not fit the arrays of the result is left
// out. A target may be one number, one for each entry, or rows of those for the samples that count.
#include "plot/curves/targets.h"

#include "base/say.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct term { // one term of an objective, or one constraint
  const json_t *document;
  const tendril_array *array; ///< of its field
  size_t width, count;        ///< entries of a sample, those that are selected
  const double *values;
} term;

static bool open_term(const recording *r, const json_t *document, term *out) {
  const char *field = json_string_value(json_object_get(document, "field"));
  const json_t *job = json_object_get(r->summary, "job");
  char name[96];
  bool history =
      json_object_get(document, "peak") || json_object_get(document, "work") || json_object_get(document, "stiffness");
  if (!field || history) return false;
  json_int_t of = json_integer_value(json_object_get(document, "of"));
  if (json_is_array(json_object_get(job, "of")))
    snprintf(name, sizeof name, "%lld:%.63s", (long long)of, field);
  else
    snprintf(name, sizeof name, "%.63s", field);
  *out = (term){.document = document, .array = tendril_arrays_find(r->file, name)};
  const tendril_array *a = out->array;
  if (!a || a->rank < 1 || a->shape[0] != r->samples || !a->values) return false;
  size_t selected = json_array_size(json_object_get(document, "select"));
  out->width = a->count / r->samples;
  out->count = selected ? selected : out->width;
  out->values = a->values;
  return out->width > 0;
}

// Which number of a sample the i-th selected one is; false where the field has none there.
static bool place_of(const term *t, size_t i, size_t *place) {
  const json_t *select = json_object_get(t->document, "select"), *entry = json_array_get(select, i);
  *place = i;
  if (!json_array_size(select)) return i < t->width;
  size_t axes = (size_t)t->array->rank - 1, given = json_is_array(entry) ? json_array_size(entry) : 1;
  if (given != axes) return false;
  *place = 0;
  for (size_t k = 0; k < axes; ++k) {
    json_int_t index = json_integer_value(json_is_array(entry) ? json_array_get(entry, k) : entry);
    if (index < 0 || (size_t)index >= t->array->shape[k + 1]) return false;
    *place = *place * t->array->shape[k + 1] + (size_t)index;
  }
  return true;
}

// Whether a sample counts: the last one, all, or those at given times (statics: problems).
static bool counts(const recording *r, const term *t, size_t sample) {
  const json_t *at = json_object_get(t->document, "at"), *time;
  const char *word = json_string_value(at);
  size_t i;
  if (json_is_array(at)) {
    json_array_foreach(at, i, time) {
      if (fabs(json_number_value(time) - r->x[sample]) <= 1e-9 * (1 + fabs(r->x[sample]))) return true;
    }
    return false;
  }
  bool all = word ? strcmp(word, "all") == 0 : r->statics;
  return all || sample + 1 == r->samples;
}

// Rows of {t, value}: linear in between, held outside.
static double target_at(const json_t *t, const json_t *value, double time, size_t i) {
  size_t rows = json_array_size(t), k = 0;
  while (k + 1 < rows && json_number_value(json_array_get(t, k + 1)) <= time) ++k;
  const json_t *a = json_array_get(value, k), *b = json_array_get(value, k + 1 < rows ? k + 1 : k);
  double t0 = json_number_value(json_array_get(t, k)),
         t1 = json_number_value(json_array_get(t, k + 1 < rows ? k + 1 : k));
  double share = t1 > t0 ? fmin(1, fmax(0, (time - t0) / (t1 - t0))) : 0;
  const json_t *x = json_is_array(a) ? json_array_get(a, i) : a, *y = json_is_array(b) ? json_array_get(b, i) : b;
  return json_is_number(x) && json_is_number(y) ? (1 - share) * json_number_value(x) + share * json_number_value(y)
                                                : NAN;
}

// Of the i-th selected number at a sample, the `counted`-th of those that count; NaN without a target.
static double target_of(const recording *r, const term *t, size_t sample, size_t counted, size_t i) {
  const json_t *target = json_object_get(t->document, "target"), *row;
  if (json_is_number(target)) return json_number_value(target);
  if (json_is_object(target))
    return target_at(json_object_get(target, "t"), json_object_get(target, "value"), r->x[sample], i);
  row = json_array_get(target, 0);
  if (json_is_array(row)) row = json_array_get(target, counted), target = row;
  row = json_array_get(target, i);
  return json_is_number(row) ? json_number_value(row) : NAN;
}

// ------------------------------------------------------------------------------------------------ list

double targets_missed(const wanted *w) {
  double missed = 0;
  if (isfinite(w->target)) missed = fabs(w->value - w->target);
  if (isfinite(w->lower)) missed = fmax(missed, w->lower - w->value);
  if (isfinite(w->upper)) missed = fmax(missed, w->value - w->upper);
  return missed;
}

// How near a bound is counts as much as how far beyond it a number lies.
static double pressing(const wanted *w) {
  double near = isfinite(w->target) ? fabs(w->value - w->target) : -INFINITY;
  if (isfinite(w->lower)) near = fmax(near, w->lower - w->value);
  if (isfinite(w->upper)) near = fmax(near, w->value - w->upper);
  return near;
}

static double bound_of(const term *t, const char *key) {
  const json_t *bound = json_object_get(t->document, key);
  return json_is_number(bound) ? json_number_value(bound) : NAN;
}

// "x" of the position in a pose, else the number's place.
static void name_entry(const term *t, size_t place, wanted *w) {
  const tendril_array *a = t->array;
  bool pose = strncmp(w->field, "poses:", 6) == 0 && a->rank >= 3 && a->shape[a->rank - 1] == 4;
  w->length = (pose && place % 4 == 3) || strncmp(w->field, "shape:", 6) == 0 || strcmp(w->field, "tendons") == 0;
  if (pose && place % 4 == 3 && place % 16 < 12)
    snprintf(w->entry, sizeof w->entry, "%c", "xyz"[place % 16 / 4]);
  else
    snprintf(w->entry, sizeof w->entry, "[%zu]", place);
}

static bool fill(const recording *r, const term *t, size_t i, wanted *w) {
  size_t place, counted = 0;
  bool any = false;
  if (!place_of(t, i, &place)) return false;
  *w = (wanted){.value = NAN};
  snprintf(w->field, sizeof w->field, "%.63s", json_string_value(json_object_get(t->document, "field")));
  name_entry(t, place, w);
  for (size_t sample = 0; sample < r->samples; ++sample) {
    if (!counts(r, t, sample)) continue;
    wanted one = *w;
    one.target = target_of(r, t, sample, counted++, i);
    one.lower = bound_of(t, "lower"), one.upper = bound_of(t, "upper");
    one.value = t->values[sample * t->width + place];
    bool asked = isfinite(one.target) || isfinite(one.lower) || isfinite(one.upper);
    if (asked && isfinite(one.value) && (!any || pressing(&one) > pressing(w))) *w = one, any = true;
  }
  return any;
}

static size_t list_terms(const recording *r, const char *key, wanted list[WANTED_MOST], size_t count) {
  const json_t *document;
  size_t k;
  json_array_foreach(json_object_get(json_object_get(r->summary, "job"), key), k, document) {
    term t;
    if (!open_term(r, document, &t)) continue;
    for (size_t i = 0; i < t.count && count < WANTED_MOST; ++i) count += fill(r, &t, i, &list[count]);
  }
  return count;
}

size_t targets_list(const recording *r, wanted list[WANTED_MOST]) {
  if (!r->found || strcmp(r->found->kind, "fit") == 0) return 0;
  return list_terms(r, "constraints", list, list_terms(r, "objective", list, 0));
}

// ------------------------------------------------------------------------------------------------ points

enum { POINTS_MOST = 256 };

// A term whose three numbers are the position in a pose.
static bool is_position(const term *t) {
  size_t place[3];
  if (t->count != 3 || !json_object_get(t->document, "target")) return false;
  for (size_t i = 0; i < 3; ++i)
    if (!place_of(t, i, &place[i]) || place[i] % 16 != 4 * i + 3 || place[i] / 16 != place[0] / 16) return false;
  return strncmp(json_string_value(json_object_get(t->document, "field")), "poses:", 6) == 0;
}

double *targets_points(const recording *r, size_t *count) {
  const json_t *document;
  size_t k;
  *count = 0;
  if (!r->found || strcmp(r->found->kind, "fit") == 0) return NULL;
  double *points = must_alloc(3 * POINTS_MOST * sizeof *points);
  json_array_foreach(json_object_get(json_object_get(r->summary, "job"), "objective"), k, document) {
    term t;
    size_t counted = 0;
    if (!open_term(r, document, &t) || !is_position(&t)) continue;
    for (size_t sample = 0; sample < r->samples && *count < POINTS_MOST; ++sample) {
      if (!counts(r, &t, sample)) continue;
      double *p = points + 3 * *count;
      for (size_t i = 0; i < 3; ++i) p[i] = target_of(r, &t, sample, counted, i);
      *count += isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
      ++counted;
    }
  }
  if (*count > 0) return points;
  free(points);
  return NULL;
}
