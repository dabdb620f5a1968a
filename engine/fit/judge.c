// What has to be said of an answer.
#include "fit/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WRONG_DERIVATIVE = 0.02;  // differences of runs that end by a tolerance are not much better
static const double WIDE = 1.5, NARROW = 0.2; // of the misfit
static const double WIDEST = 3, UNLIKELY = 5; // of few data, and in deviations of its chance
enum { NARROW_FREEDOM = 10 };

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
