// A profile along a rod in one allocation: knots, values and the spline's second derivatives behind the header.
//
// Kinds follow td_profile: one value is constant; two without knots are linear from base to tip; otherwise a natural
// cubic spline through the knots, one per column.  Invariant: `bytes` holds everything that the pointers point to.
#include "strain/profile.h"
#include "math/spline.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct td_profile_fixed {
  size_t count, width;
  const double *s;     // [count], NULL unless a spline
  const double *value; // [count][width]
  const double *m;     // [width][count], second derivatives, spline only
  double numbers[];
};

static td_status prepare_columns(const td_profile_fixed *p, double *m) {
  for (size_t column = 0; column < p->width; column++) {
    td_status status = td_spline_prepare(p->count, p->s, p->value + column, p->width, m + column * p->count);
    if (status) return status;
  }
  return TD_OK;
}

static td_status fill(td_profile_fixed *p, const td_profile *profile) {
  double *value = p->numbers, *s = value + p->count * p->width, *m = s + p->count;
  memcpy(value, profile->value, p->count * p->width * sizeof *value);
  p->value = value;
  if (!profile->s) return TD_OK;
  memcpy(s, profile->s, p->count * sizeof *s);
  p->s = s;
  p->m = m;
  return prepare_columns(p, m);
}

td_status td_profile_fixed_create(const td_profile *profile, td_profile_fixed **fixed) {
  size_t numbers = profile->count * profile->width + (profile->s ? profile->count * (1 + profile->width) : 0);
  td_profile_fixed *p = calloc(1, sizeof *p + numbers * sizeof(double));
  if (!p) return TD_NO_MEMORY;
  p->count = profile->count;
  p->width = profile->width;
  td_status status = fill(p, profile);
  if (status) {
    free(p);
    return status;
  }
  *fixed = p;
  return TD_OK;
}

void td_profile_fixed_destroy(td_profile_fixed *fixed) { free(fixed); }

size_t td_profile_fixed_width(const td_profile_fixed *fixed) { return fixed->width; }

void td_profile_fixed_eval(const td_profile_fixed *p, double s, double *out) {
  assert(s >= 0 && s <= 1);
  for (size_t i = 0; i < p->width; i++) {
    if (p->s)
      td_spline_eval(p->count, p->s, p->value + i, p->width, p->m + i * p->count, s, &out[i], NULL);
    else if (p->count == 2)
      out[i] = (1 - s) * p->value[i] + s * p->value[p->width + i];
    else
      out[i] = p->value[i];
  }
}
