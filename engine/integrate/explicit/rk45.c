// Dormand and Prince's pair of orders 5 and 4 with a PI step controller, for systems that are not stiff; soft robots
// with damping usually are, and then the step is bounded by stability.
//
// Error norm: RMS over y of error / (atol + rtol max(|y0|, |y1|)), as in CVODE. The pair is first-same-as-last: the
// last stage is the rate at the new point. Between steps: Shampine's quartic. Source: Hairer, Norsett, Wanner, Solving
// ODEs I, II.4-II.6.
#include "integrate/explicit/explicit_step.h"
#include <math.h>

enum { STAGES = TD_EXPLICIT_STAGES, LAST = STAGES - 1 };

static const td_tableau tableau = {
    .stages = LAST,
    .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    .A =
        {
            {0},
            {1. / 5},
            {3. / 40, 9. / 40},
            {44. / 45, -56. / 15, 32. / 9},
            {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
            {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
            {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
        },
    .dense = {-12715105075. / 11282082432., 0, 87487479700. / 32700410799., -10690763975. / 1880347072.,
              701980252875. / 199316789632., -1453857185. / 822651844., 69997945. / 29380423.},
};
static const double E[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};

static double norm(const td_explicit *s, const double *e, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->size; i++) {
    double x = e[i] / (s->spec->atol + s->spec->rtol * fmax(fabs(a[i]), fabs(b[i])));
    sum += x * x;
  }
  return s->size ? sqrt(sum / s->size) : 0;
}

// First step: two rate evaluations, Hairer II.4.
static td_status first_step(td_explicit *s) {
  double d0 = norm(s, s->y, s->y, s->y), d1 = norm(s, s->k[LAST], s->y, s->y);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  for (int i = 0; i < s->size; i++) s->trial[i] = s->y[i] + h * s->k[LAST][i];
  td_status status = td_explicit_rate(s, s->t, s->trial, s->k[1]);
  if (status) return status;
  for (int i = 0; i < s->size; i++) s->k[2][i] = (s->k[1][i] - s->k[LAST][i]) / h;
  double d2 = fmax(d1, norm(s, s->k[2], s->y, s->y));
  s->h = fmin(100 * h, d2 <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / d2, 0.2));
  return TD_OK;
}

static td_status start(td_stepper *stepper, double t, double stop, double hint, const double *y, const double *carry,
                       td_error *err) {
  td_explicit *s = td_explicit_of(stepper);
  (void)carry;
  td_status status = td_explicit_begin(s, t, stop, y, err);
  if (status) return status;
  s->last_error = 1e-4;
  s->h = hint > 0 ? hint : s->spec->h;
  if (!(s->h > 0)) status = first_step(s);
  if (status) return td_fail(err, status, "", "rk45 at t = %.9g s: the accelerations are not finite", t);
  if (s->spec->h_max > 0) s->h = fmin(s->h, s->spec->h_max);
  return TD_OK;
}

static td_status stages(td_explicit *s, double h) {
  for (int stage = 1; stage < STAGES; stage++) {
    double *y = stage == LAST ? s->y : s->trial;
    for (int i = 0; i < s->size; i++) {
      double sum = 0;
      for (int j = 0; j < stage; j++) sum += tableau.A[stage][j] * s->k[j][i];
      y[i] = s->y0[i] + h * sum;
    }
    td_status status = td_explicit_rate(s, s->t0 + tableau.c[stage] * h, y, s->k[stage]);
    if (status) return status;
  }
  return TD_OK;
}

static double error_of(td_explicit *s, double h) {
  for (int i = 0; i < s->size; i++) {
    double sum = 0;
    for (int j = 0; j < STAGES; j++) sum += E[j] * s->k[j][i];
    s->trial[i] = h * sum;
  }
  return norm(s, s->trial, s->y0, s->y);
}

// PI controller: grow by at most 10, shrink by at most 5; never grow right after a rejection.
static void adapt(td_explicit *s, double error, bool rejected) {
  double factor = 0.9 * pow(error, -0.7 / 5) * pow(s->last_error, 0.4 / 5);
  factor = fmin(fmax(factor, 0.2), rejected ? 1 : 10);
  s->last_error = fmax(error, 1e-4);
  s->h *= factor;
  if (s->spec->h_max > 0) s->h = fmin(s->h, s->spec->h_max);
}

static td_status arrive(td_explicit *s, double t, double h, double *end, td_error *err) {
  *end = s->t = t;
  s->plant->h = h;
  td_status status = td_explicit_hold(s);
  return status ? td_explicit_fail(s, status, "the rates at the end of the step cannot be found", s->k[0], err) : TD_OK;
}

// One that another run has taken.
static td_status given_step(td_explicit *s, double *t, td_error *err) {
  const td_step_taken *given = s->plant->given;
  td_status status = stages(s, given->h);
  if (status) return td_explicit_fail(s, status, "the accelerations are not finite", s->k[0], err);
  return arrive(s, given->t, given->h, t, err);
}

static td_status step(td_stepper *stepper, double *t, td_error *err) {
  td_explicit *s = td_explicit_of(stepper);
  td_explicit_turn(s);
  if (s->plant->given) return given_step(s, t, err);
  for (bool rejected = false;; rejected = true) {
    double left = s->stop - s->t0, chosen = s->h, most = fmin(chosen, s->plant->barrier - s->t0);
    bool last = most >= left * (1 - 1e-12);
    double h = last ? left : most > left / 2 ? left / 2 : most; // no sliver is left for the end
    td_status status = stages(s, h);
    double error = status ? INFINITY : error_of(s, h);
    if (error <= 1) {
      s->h = h;
      adapt(s, fmax(error, 1e-10), rejected);
      if (h < chosen) s->h = fmax(s->h, chosen); // cut short for the end, not for the error
      return arrive(s, last ? s->stop : s->t0 + h, h, t, err);
    }
    s->plant->statistics->rejected++;
    s->h = h * (isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2);
    if (s->h < 1e-14 * fmax(1, fabs(s->t0)))
      return td_explicit_fail(s, status ? status : TD_STEP_TOO_SMALL, "no step is small enough to meet the tolerances",
                              s->k[0], err);
  }
}

// Shampine's continuous extension, Hairer II.6: fourth order.
static td_status interpolate(td_stepper *stepper, double t, double *y) {
  td_explicit *s = td_explicit_of(stepper);
  double h = s->t - s->t0, x = (t - s->t0) / h;
  for (int i = 0; i < s->size; i++) {
    double dy = s->y[i] - s->y0[i], b = h * s->k[0][i] - dy, extra = 0;
    for (int j = 0; j < STAGES; j++) extra += tableau.dense[j] * s->k[j][i];
    double c = dy - h * s->k[LAST][i] - b;
    y[i] = s->y0[i] + x * (dy + (1 - x) * (b + x * (c + (1 - x) * h * extra)));
  }
  return TD_OK;
}

static double hint(const td_stepper *stepper) { return ((const td_explicit *)stepper)->h; }

const td_integrator td_integrator_rk45 = {
    .name = "rk45",
    .tableau = &tableau,
    .options = TD_OPTIONS_OF_CONTROL,
    .adaptive = true,
    .conditional = true,
    .grows = 9,
    .kinked = true,
    .create = td_explicit_create,
    .destroy = td_explicit_destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .hint = hint,
};
