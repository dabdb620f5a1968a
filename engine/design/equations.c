// Equations among constraints, as a search that meets them may still move: along what is left of a direction when the
// slopes of the equations are taken out of it.
//
// Modified Gram-Schmidt, twice for each row, in the order of the constraints. What is left of a row beside those before it
// decides whether it counts: equations that depend on each other span what fewer span.
#include "design/parts.h"

#include <math.h>
#include <stdlib.h>

static const double DEPENDENT = 1e-7; // of a row: less beside the others is nothing
static const double NOUGHT = 1e-9;    // of what a constraint is measured by, over a reach: nothing changes it

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

// One more row, in q [count].
static void add_row(design_span *s, size_t room, size_t constraint, double measure) {
  double *own = s->q + s->count * s->n, *r = s->r + s->count * room, size = sqrt(dot(own, own, s->n));
  if (!(size > NOUGHT * measure)) return;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < s->count; k++) {
      double part = dot(own, s->q + k * s->n, s->n);
      for (size_t j = 0; j < s->n; j++) own[j] -= part * s->q[k * s->n + j];
      r[k] = pass == 0 ? part : r[k] + part;
    }
  double left = sqrt(dot(own, own, s->n));
  if (!(left > DEPENDENT * size)) return;
  for (size_t j = 0; j < s->n; j++) own[j] /= left;
  r[s->count] = left;
  s->which[s->count++] = constraint;
}

bool design_span_make(const design *d, const double *row, design_span *s) {
  size_t n = d->spec->count, m = d->spec->constraints, room = 0;
  const double *slopes = row + 2 * n + 1 + m;
  for (size_t i = 0; i < m; i++) room += design_is_equation(d, i);
  if (room > n) room = n;
  *s = (design_span){.n = n};
  if (room == 0) return true;
  s->q = calloc((room + 1) * n, sizeof *s->q);
  s->r = calloc((room + 1) * room, sizeof *s->r);
  s->which = calloc(room + 1, sizeof *s->which);
  if (!s->q || !s->r || !s->which) return design_span_free(s), false;
  for (size_t i = 0; i < m && s->count < room; i++) {
    if (!design_is_equation(d, i)) continue;
    for (size_t j = 0; j < n; j++) s->q[s->count * n + j] = slopes[i * n + j] * design_slope(d, row, j);
    add_row(s, room, i, d->measure[i]);
  }
  s->stride = room;
  return true;
}

void design_span_free(design_span *s) {
  free(s->q);
  free(s->r);
  free(s->which);
  *s = (design_span){.n = s->n};
}

void design_span_leave(const design_span *s, double *x) {
  for (size_t k = 0; k < s->count; k++) {
    double part = dot(x, s->q + k * s->n, s->n);
    for (size_t j = 0; j < s->n; j++) x[j] -= part * s->q[k * s->n + j];
  }
}

// sum_i lambda_i a_i = -(what of g lies in the span), a_i = sum over k <= i of r_ik q_k: from the last one back.
void design_span_multipliers(const design_span *s, const double *g, double *lambda) {
  for (size_t k = s->count; k-- > 0;) {
    double rest = -dot(g, s->q + k * s->n, s->n);
    for (size_t i = k + 1; i < s->count; i++) {
      size_t c = s->which[i];
      rest -= (lambda[c] - lambda[c + 1]) * s->r[i * s->stride + k];
    }
    double value = rest / s->r[k * s->stride + k];
    lambda[s->which[k]] = fmax(value, 0);
    lambda[s->which[k] + 1] = fmax(-value, 0);
  }
}
