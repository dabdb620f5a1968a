// Sweeps name their numbers; of a list of equilibria the inputs are looked at: where only one changes, and one way, its
// rows are a course.
#include "plot/curves/family.h"

#include "base/say.h"
#include "plot/curves/channels.h"
#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 4096, NUMBERS_MOST = 16 }; // jobs, and numbers that a sweep may vary

static size_t different(const double *values, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t j = 0;
    while (j < i && values[j] != values[i]) ++j;
    found += j == i;
  }
  return found;
}

static bool all_finite(const double *values, size_t count) {
  for (size_t i = 0; values && i < count; ++i)
    if (!isfinite(values[i])) return false;
  return values != NULL;
}

bool family_one_way(const double *u, size_t samples, size_t stride) {
  double way = u[(samples - 1) * stride] - u[0];
  for (size_t i = 1; i < samples; ++i)
    if (!((u[i * stride] - u[(i - 1) * stride]) * way > 0)) return false;
  return true;
}

// Where one of them is none there is no telling which jobs belong together.
long family_axis(const recording *r) {
  size_t count = varied_count(r), most = 0;
  long axis = -1;
  if (count < 2 || count > NUMBERS_MOST || varied_together(r) || r->samples < 2 || r->samples > ROWS_MOST) return -1;
  for (size_t k = 0; k < count; ++k) {
    const double *values = varied_values(r, k);
    if (!all_finite(values, r->samples)) return -1;
    size_t own = different(values, r->samples);
    if (own > most) axis = (long)k, most = own;
  }
  return most < 2 ? -1 : axis;
}

static bool take(family *f, const recording *r, const double *values, size_t stride, const char *name) {
  f->low = INFINITY, f->high = -INFINITY;
  for (size_t i = 0; i < r->samples; ++i)
    if (isfinite(values[i * stride]))
      f->low = fmin(f->low, values[i * stride]), f->high = fmax(f->high, values[i * stride]);
  if (!(f->high > f->low)) return false;
  f->value = must_alloc(r->samples * sizeof *f->value);
  for (size_t i = 0; i < r->samples; ++i) f->value[i] = values[i * stride];
  snprintf(f->name, sizeof f->name, "%.120s", name);
  return true;
}

// The first that varies beside those that have an axis and colours.
static long third_of(const recording *r, long axis, size_t paint) {
  for (size_t k = 0; axis >= 0 && k < varied_count(r); ++k) {
    const double *values = varied_values(r, k);
    if ((long)k != axis && k != paint && all_finite(values, r->samples) && different(values, r->samples) > 1)
      return (long)k;
  }
  return -1;
}

static bool take_varied(family *f, const recording *r) {
  long axis = family_axis(r);
  for (size_t k = 0; k < varied_count(r); ++k) {
    const double *values = varied_values(r, k);
    char name[128];
    varied_name(r, k, name, sizeof name);
    if (varied_together(r)) varied_axis(r, name, sizeof name);
    if ((long)k == axis || !values || !take(f, r, values, 1, name)) continue;
    f->third = third_of(r, axis, k);
    return true;
  }
  if (axis < 0) return false;
  char name[128]; // the others do not change
  varied_name(r, (size_t)axis, name, sizeof name);
  return take(f, r, varied_values(r, (size_t)axis), 1, name);
}

// Whether one input alone changes, and one way; *second is the second of those that change, of one that goes to and fro
// itself, -1: none changes.
static bool is_course(const recording *r, const double *u, size_t columns, long *second) {
  size_t changing = 0;
  bool one_way = true;
  *second = -1;
  for (size_t k = 0; u && k < columns; ++k) {
    bool changes = false;
    for (size_t i = 1; i < r->samples && !changes; ++i) changes = u[i * columns + k] != u[k];
    if (!changes) continue;
    one_way = family_one_way(u + k, r->samples, columns);
    if (++changing <= 2) *second = (long)k;
  }
  return changing == 0 || (changing == 1 && one_way);
}

bool family_open(family *f, const recording *r) {
  size_t columns = 0;
  long second = -1;
  *f = (family){.value = NULL, .third = -1};
  if (!r->statics || r->found || r->samples < 2 || json_object_get(r->summary, "continuation")) return false;
  const double *u = recording_field(r, "u", &columns);
  if (!r->sweep && is_course(r, u, columns, &second)) return false;
  if (r->sweep && take_varied(f, r)) return true;
  if (second >= 0) {
    char name[128];
    const char *channel = recording_name(r, "channels", (size_t)second);
    snprintf(name, sizeof name, "%.60s (%s)", channel ? channel : "u", channels_unit(channels_group(r, channel)));
    if (take(f, r, u + second, columns, name)) return true;
  }
  return take(f, r, r->x, 1, recording_axis(r));
}

void family_close(family *f) { free(f->value); }

double family_share(const family *f, size_t row) { return (f->value[row] - f->low) / (f->high - f->low); }
