// What has to be said of an answer.
#include "fit/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RANK = 1e-7;              // of singular values: told by nobody
static const double WRONG_DERIVATIVE = 0.02;  // differences of runs that end by a tolerance are not much better
static const double WIDE = 1.5, NARROW = 0.2; // of the misfit
static const double WIDEST = 3, UNLIKELY = 5; // of few data, and in deviations of its chance
enum { NARROW_FREEDOM = 10, NAMED = 4, TOLD = 3 };

static void point_to(char pointer[48], size_t i) { snprintf(pointer, 48, "/parameters/%zu", i); }

static void judge_bounds(const fit *f, td_fit_result *r) {
  char pointer[48];
  for (size_t j = 0; j < f->spec->count; j++) {
    const td_unknown *u = &f->spec->unknowns[j];
    double p = f->best_p[j];
    double x = fit_x_of(u, p); // as the search sees it: exp and ln round
    bool above = x >= f->upper[j], below = x <= f->lower[j];
    point_to(pointer, j);
    if (above || below)
      td_warn(&r->warnings, "fit_at_bound", pointer,
              "%.120s is at its %s bound %.9g: the data want it beyond. The intervals of the others are those with it "
              "held there",
              u->name, above ? "upper" : "lower", above ? u->upper : u->lower);
  }
}

// Noise of the size of sigma leaves a misfit of 1 with a deviation of about 1 / sqrt(2 freedom).
static double widest_by_chance(size_t freedom) {
  return fmin(fmax(WIDE, 1 + UNLIKELY / sqrt(2 * (double)freedom)), WIDEST);
}

static void judge_misfit(const fit *f, td_fit_result *r) {
  size_t freedom = f->used - (f->used > f->spec->count ? f->spec->count : f->used);
  if (!f->spec->sigma || freedom == 0) return;
  if (r->misfit > widest_by_chance(freedom))
    td_warn(&r->warnings, "misfit", "/of",
            "what is left over is %.3g times sigma (root mean square): the robot cannot do what was measured, or sigma "
            "is too small. Covariance and intervals go by sigma, so that they are too narrow by that",
            r->misfit);
  else if (r->misfit < NARROW && freedom >= NARROW_FREEDOM)
    td_warn(&r->warnings, "misfit", "/of",
            "what is left over is only %.3g times sigma (root mean square): sigma is too large. Covariance and "
            "intervals go by sigma, so that they are too wide by that",
            r->misfit);
}

static void judge_derivatives(td_fit_result *r) {
  if (!(r->derivative_error > WRONG_DERIVATIVE)) return;
  td_warn(&r->warnings, "wrong_derivative", "",
          "the derivatives of what is predicted are off by %.2g of them from differences at the answer: it may not be "
          "the best, and its intervals may be wrong. Contacts and other kinks near the answer do that, and runs with "
          "coarse tolerances",
          r->derivative_error);
}

void fit_judge(const fit *f, td_fit_result *r) {
  judge_bounds(f, r);
  judge_misfit(f, r);
  judge_derivatives(r);
  if (r->failed_starts > 0)
    td_warn(&r->warnings, "failed_starts", "/starts",
            "at %d of %d starts nothing could be predicted: the bounds reach to robots that cannot be computed",
            r->failed_starts, f->spec->options.starts);
}

// "0.71 ln(young)" or, of what is not sought by its logarithm, "0.71 (mass / 1.29)", by its size at the answer.
static int name_part(const fit *f, size_t j, double part, const char *sign, char *text, size_t size) {
  const td_unknown *u = &f->spec->unknowns[j];
  return u->log ? snprintf(text, size, "%s%.2f ln(%.60s)", sign, part, u->name)
                : snprintf(text, size, "%s%.2f (%.60s / %.3g)", sign, part, u->name, fit_size_at(f, j));
}

// "0.71 ln(young) - 0.71 ln(density)", the largest parts first; returns the index of the first.
static size_t name_direction(const fit *f, const size_t *of, size_t k, const double *v, char *text, size_t size) {
  bool named[TD_MAX_UNKNOWNS] = {false}, turned = false;
  size_t first = 0, length = 0, count = 0;
  *text = '\0';
  for (; count < NAMED && count < k; count++) {
    size_t best = k;
    for (size_t j = 0; j < k; j++)
      if (!named[j] && (best == k || fabs(v[j]) > fabs(v[best]))) best = j;
    if (fabs(v[best]) < 0.05) break;
    named[best] = true;
    if (count == 0) first = of[best];
    if (count == 0) turned = v[best] < 0;
    const char *sign = count == 0 ? "" : (v[best] < 0) != turned ? " - " : " + ";
    int n = name_part(f, of[best], fabs(v[best]), sign, text + length, size - length);
    if (n < 0 || (length += (size_t)n) >= size) break;
  }
  return first;
}

// A deviation along v, by the reach of the unknown that it is most of.
static double widest(const fit *f, const size_t *of, size_t k, const double *v, double deviation) {
  double most = 0;
  for (size_t j = 0; j < k; j++)
    most = fmax(most, fabs(v[j]) * deviation * fit_size_at(f, of[j]) / fit_reach(&f->spec->unknowns[of[j]]));
  return most;
}

void fit_judge_directions(const fit *f, const size_t *of, size_t k, const double *s, const double *V,
                          td_fit_result *r) {
  char text[320], pointer[48];
  double unit = f->spec->sigma ? 1 : r->misfit;
  int told = 0;
  for (size_t i = k; i-- > 0 && told < TOLD;) {
    bool lost = !(s[i] > RANK * s[0]);
    double wide = lost ? INFINITY : widest(f, of, k, V + i * k, unit / s[i]);
    if (!(wide > 1)) continue;
    told++;
    point_to(pointer, name_direction(f, of, k, V + i * k, text, sizeof text));
    if (lost)
      td_warn(&r->warnings, "unidentified", pointer,
              "the data do not tell %s: along it nothing that was measured changes. Fix one of them, or give a prior",
              text);
    else
      td_warn(
          &r->warnings, "unidentified", pointer,
          "the data hardly tell %s: its standard deviation is %.2g times as far as it may be sought (e-fold of what is "
          "sought by its logarithm; the span of bounds, or ten times the first value). Fix one of them, or give a "
          "prior",
          text, wide);
  }
}
