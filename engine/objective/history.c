// Terms that look at all samples at once, with their derivatives by every number of every row.
//
//   peak       ln(sum exp(k x)) / k over samples and numbers: smooth, above the largest by ln(count) / k at the most
//   work       sum over steps from sample to sample of (u_1 + u_2) / 2 (x_2 - x_1), of tendons with x the shortening
//   stiffness  (u_2 - u_1) / (x_2 - x_1), the secant between two samples
#include "objective/parts.h"

#include <assert.h>
#include <math.h>

typedef struct history {
  const td_objective *of;
  const double *rows;
  size_t width;
  double *cotangents; // NULL: not wanted
} history;

static double at(const history *h, size_t sample, size_t offset) { return h->rows[sample * h->width + offset]; }

static void add(const history *h, size_t sample, size_t offset, double slope) {
  if (h->cotangents) h->cotangents[sample * h->width + offset] += slope;
}

static double peak(const history *h, const ready *r) {
  double k = r->term->sharpness, most = -INFINITY, sum = 0;
  for (int pass = 0; pass < 3; pass++)
    for (size_t s = 0; s < h->of->samples; s++) {
      if (!td_term_counts(h->of, r, s)) continue;
      for (size_t i = 0; i < r->count; i++) {
        double x = at(h, s, r->offset[i]);
        if (pass == 0) most = fmax(most, x);
        if (pass == 1) sum += exp(k * (x - most));
        if (pass == 2) add(h, s, r->offset[i], r->term->factor * exp(k * (x - most)) / sum);
      }
    }
  return r->term->factor * (most + log(sum) / k);
}

static double work(const history *h, const ready *r) {
  double sum = 0, factor = r->pulls ? -r->term->factor : r->term->factor;
  for (size_t s = 0; s + 1 < h->of->samples; s++)
    for (size_t i = 0; i < r->count; i++) {
      size_t x = r->offset[i], u = r->channel[i];
      double mean = 0.5 * (at(h, s, u) + at(h, s + 1, u)), way = at(h, s + 1, x) - at(h, s, x);
      sum += factor * mean * way;
      add(h, s, u, 0.5 * factor * way);
      add(h, s + 1, u, 0.5 * factor * way);
      add(h, s, x, -factor * mean);
      add(h, s + 1, x, factor * mean);
    }
  return sum;
}

static double stiffness(const history *h, const ready *r) {
  size_t x = r->offset[0], u = r->channel[0], pair[2] = {0, 0}, found = 0;
  for (size_t s = 0; s < h->of->samples && found < 2; s++)
    if (td_term_counts(h->of, r, s)) pair[found++] = s;
  assert(found == 2);
  double way = at(h, pair[1], x) - at(h, pair[0], x), k = (at(h, pair[1], u) - at(h, pair[0], u)) / way;
  for (int side = 0; side < 2; side++) {
    double sign = side ? r->term->factor : -r->term->factor;
    add(h, pair[side], u, sign / way);
    add(h, pair[side], x, -sign * k / way);
  }
  return r->term->factor * k;
}

bool td_objective_has_history(const td_objective *o) {
  bool some = false;
  for (size_t i = 0; i < o->count && !some; i++) some = o->term[i].term->kind != TD_TERM_SUM;
  return some;
}

double td_objective_history(const td_objective *o, const double *rows, size_t width, double *cotangents) {
  static double (*const values[])(const history *, const ready *) = {
      [TD_TERM_PEAK] = peak, [TD_TERM_WORK] = work, [TD_TERM_STIFFNESS] = stiffness};
  const history h = {o, rows, width, cotangents};
  double sum = 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->term[i].term->kind != TD_TERM_SUM) sum += values[o->term[i].term->kind](&h, &o->term[i]);
  return sum;
}
