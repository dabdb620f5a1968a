// Explicit Runge-Kutta methods on y' = (qd, fd): rk45, Dormand and Prince's pair of orders 5 and 4 with a PI step controller,
// and the classical rk4 with a fixed step. For systems that are not stiff; soft robots with damping usually are, and then the
// step is bounded by stability.
//
// Error norm of rk45: RMS over y of error / (atol + rtol max(|y0|, |y1|)), as in CVODE. The pair is first-same-as-last: the last stage
// is the rate at the new point. Between steps: Shampine's quartic for rk45, cubic Hermite for rk4.
// Source: Hairer, Norsett, Wanner, Solving ODEs I, II.4-II.6.
#include "model/model.h"
#include "solve/grid.h"
#include "solve/integrator.h"
#include "solve/strike.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 7 };

struct td_stepper {
  td_plant *plant;
  const td_integrator_spec *spec;
  const char *name;
  int size;               // 2n; prescribed entries are overwritten by their inputs at every stage
  double *y0, *y, *trial; // [size] start and end of the last step, stage argument
  double *k[STAGES];      // [size] rates; k[0] at y0, k[6] at y
  double t0, t, stop;
  double h, last_error;
  td_grid grid;     // rk4
  td_strike strike; // rk4
};

static const double C[STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double A[STAGES][6] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double E[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
static const double D[STAGES] = {-12715105075. / 11282082432.,  0,
                                 87487479700. / 32700410799.,   -10690763975. / 1880347072.,
                                 701980252875. / 199316789632., -1453857185. / 822651844.,
                                 69997945. / 29380423.};

static void destroy(td_stepper *s) {
  if (!s) return;
  free(s->y0);
  free(s);
}

static td_status create(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper) {
  td_stepper *s = *stepper = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  size_t size = 2 * (size_t)plant->n;
  *s = (td_stepper){.plant = plant, .spec = spec, .size = (int)size};
  s->y0 = calloc(size * (STAGES + 4) + 1, sizeof(double));
  if (!s->y0) {
    destroy(s);
    *stepper = NULL;
    return TD_NO_MEMORY;
  }
  s->y = s->y0 + size;
  s->trial = s->y + size;
  for (size_t i = 0; i < STAGES; i++) s->k[i] = s->trial + (i + 1) * size;
  s->strike.slope[0] = s->trial + (STAGES + 1) * size;
  s->strike.slope[1] = s->strike.slope[0] + plant->n;
  return TD_OK;
}

static td_status begin(td_stepper *s, const char *name, double t, double stop, const double *y, td_error *err) {
  s->name = name;
  s->t0 = s->t = t;
  s->stop = stop;
  memcpy(s->y, y, (size_t)s->size * sizeof *y);
  td_status status = td_plant_rate(s->plant, t, s->y, s->k[6]);
  if (!status) return TD_OK;
  return td_fail(err, status, "", "%s at t = %.9g s: the accelerations at the start cannot be found: %s", name, t,
                 status == TD_SINGULAR ? td_plant_singular(s->plant) : "they are not finite");
}

// Rate of a stage, whose prescribed coordinates are put where they belong first.
static td_status rate(td_stepper *s, double t, double *y, double *dy) {
  td_plant_drive(s->plant, t, y, NULL);
  return td_plant_rate(s->plant, t, y, dy);
}

// Puts the end of an accepted step back on the loops' constraint, where it then has another rate.
static td_status hold(td_stepper *s) {
  bool moved = false;
  td_plant_hold(s->plant, TD_HOLD_ABOVE, s->y, &moved);
  return moved ? td_plant_rate(s->plant, s->t, s->y, s->k[6]) : TD_OK;
}

// The old end becomes the start of the next step.
static void turn(td_stepper *s) {
  s->t0 = s->t;
  memcpy(s->y0, s->y, (size_t)s->size * sizeof *s->y);
  memcpy(s->k[0], s->k[6], (size_t)s->size * sizeof *s->y);
}

static td_status fail(td_stepper *s, td_status status, const char *reason, const double *size, td_error *err) {
  int n = s->plant->n;
  if (status == TD_SINGULAR) reason = td_plant_singular(s->plant);
  for (int i = 0; i < n; i++) s->trial[i] = fmax(fabs(size[i]), fabs(size[n + i]));
  return td_plant_fail(s->plant, status, err, s->name, s->t0, s->trial, reason);
}

// ------------------------------------------------------------------------------------------------ rk45

static double norm(const td_stepper *s, const double *e, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->size; i++) {
    double x = e[i] / (s->spec->atol + s->spec->rtol * fmax(fabs(a[i]), fabs(b[i])));
    sum += x * x;
  }
  return s->size ? sqrt(sum / s->size) : 0;
}

// First step: two rate evaluations, Hairer II.4.
static td_status first_step(td_stepper *s) {
  double d0 = norm(s, s->y, s->y, s->y), d1 = norm(s, s->k[6], s->y, s->y);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  for (int i = 0; i < s->size; i++) s->trial[i] = s->y[i] + h * s->k[6][i];
  td_status status = rate(s, s->t, s->trial, s->k[1]);
  if (status) return status;
  for (int i = 0; i < s->size; i++) s->k[2][i] = (s->k[1][i] - s->k[6][i]) / h;
  double d2 = fmax(d1, norm(s, s->k[2], s->y, s->y));
  s->h = fmin(100 * h, d2 <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / d2, 0.2));
  return TD_OK;
}

static td_status rk45_start(td_stepper *s, double t, double stop, double hint, const double *y, const double *carry,
                            td_error *err) {
  (void)carry;
  td_status status = begin(s, "rk45", t, stop, y, err);
  if (status) return status;
  s->last_error = 1e-4;
  s->h = hint > 0 ? hint : s->spec->h;
  if (!(s->h > 0)) status = first_step(s);
  if (status) return td_fail(err, status, "", "rk45 at t = %.9g s: the accelerations are not finite", t);
  if (s->spec->h_max > 0) s->h = fmin(s->h, s->spec->h_max);
  return TD_OK;
}

static td_status rk45_stages(td_stepper *s, double h) {
  for (int stage = 1; stage < STAGES; stage++) {
    double *y = stage == STAGES - 1 ? s->y : s->trial;
    for (int i = 0; i < s->size; i++) {
      double sum = 0;
      for (int j = 0; j < stage; j++) sum += A[stage][j] * s->k[j][i];
      y[i] = s->y0[i] + h * sum;
    }
    td_status status = rate(s, s->t0 + C[stage] * h, y, s->k[stage]);
    if (status) return status;
  }
  return TD_OK;
}

static double rk45_error(td_stepper *s, double h) {
  for (int i = 0; i < s->size; i++) {
    double sum = 0;
    for (int j = 0; j < STAGES; j++) sum += E[j] * s->k[j][i];
    s->trial[i] = h * sum;
  }
  return norm(s, s->trial, s->y0, s->y);
}

// PI controller: grow by at most 10, shrink by at most 5; never grow right after a rejection.
static void adapt(td_stepper *s, double error, bool rejected) {
  double factor = 0.9 * pow(error, -0.7 / 5) * pow(s->last_error, 0.4 / 5);
  factor = fmin(fmax(factor, 0.2), rejected ? 1 : 10);
  s->last_error = fmax(error, 1e-4);
  s->h *= factor;
  if (s->spec->h_max > 0) s->h = fmin(s->h, s->spec->h_max);
}

static td_status rk45_step(td_stepper *s, double *t, td_error *err) {
  turn(s);
  for (bool rejected = false;; rejected = true) {
    double left = s->stop - s->t0, chosen = s->h, most = fmin(chosen, s->plant->barrier - s->t0);
    bool last = most >= left * (1 - 1e-12);
    double h = last ? left : most > left / 2 ? left / 2 : most; // no sliver is left for the end
    td_status status = rk45_stages(s, h);
    double error = status ? INFINITY : rk45_error(s, h);
    if (error <= 1) {
      s->t = last ? s->stop : s->t0 + h;
      s->h = h;
      adapt(s, fmax(error, 1e-10), rejected);
      if (h < chosen) s->h = fmax(s->h, chosen); // cut short for the end, not for the error
      *t = s->t;
      status = hold(s);
      return status ? fail(s, status, "the rates at the end of the step cannot be found", s->k[0], err) : TD_OK;
    }
    s->plant->statistics->rejected++;
    s->h = h * (isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2);
    if (s->h < 1e-14 * fmax(1, fabs(s->t0)))
      return fail(s, status ? status : TD_STEP_TOO_SMALL, "no step is small enough to meet the tolerances", s->k[0],
                  err);
  }
}

// Shampine's continuous extension, Hairer II.6: fourth order.
static td_status rk45_interpolate(td_stepper *s, double t, double *y) {
  double h = s->t - s->t0, x = (t - s->t0) / h;
  for (int i = 0; i < s->size; i++) {
    double dy = s->y[i] - s->y0[i], b = h * s->k[0][i] - dy, extra = 0;
    for (int j = 0; j < STAGES; j++) extra += D[j] * s->k[j][i];
    double c = dy - h * s->k[6][i] - b;
    y[i] = s->y0[i] + x * (dy + (1 - x) * (b + x * (c + (1 - x) * h * extra)));
  }
  return TD_OK;
}

static double rk45_hint(const td_stepper *s) { return s->h; }

// ------------------------------------------------------------------------------------------------ rk4

static td_status rk4_start(td_stepper *s, double t, double stop, double hint, const double *y, const double *carry,
                           td_error *err) {
  (void)hint, (void)carry;
  s->grid = td_grid_start(t, stop, td_step_count(stop - t, s->spec->h));
  td_strike_start(&s->strike, s->plant, y);
  return begin(s, "rk4", t, stop, y, err);
}

static td_status rk4_stages(td_stepper *s) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  td_status status = TD_OK;
  for (int stage = 1; !status && stage < 4; stage++) {
    for (int i = 0; i < s->size; i++) s->trial[i] = s->y0[i] + at[stage] * s->h * s->k[stage - 1][i];
    status = rate(s, s->t0 + at[stage] * s->h, s->trial, s->k[stage]);
  }
  for (int i = 0; i < s->size; i++) {
    double sum = 0;
    for (int stage = 0; stage < 4; stage++) sum += weight[stage] * s->k[stage][i];
    s->y[i] = s->y0[i] + s->h * sum;
  }
  return status;
}

// The coordinate that went furthest on the way to `to` within the step, where that is further than any robot goes, else -1.
// Beyond the limit of stability a step multiplies what it should damp, and what then fails (a mass matrix of rounding, inertia
// that overflows) is not to blame.
static int blown_up(const td_stepper *s, const double *to) {
  double furthest = 100; // rad, m, 1/m
  int worst = -1;
  for (int i = 0; i < s->plant->n; i++)
    if (!(fabs(to[i] - s->y0[i]) <= furthest)) furthest = fabs(to[i] - s->y0[i]), worst = i;
  return worst;
}

static td_status rk4_fail(td_stepper *s, td_status status, const double *to, td_error *err) {
  int worst = s->plant->uncontrolled ? -1 : blown_up(s, to);
  if (worst < 0) return fail(s, status, "the accelerations are not finite", s->k[0], err);
  return td_fail(err, TD_NONFINITE, "",
                 "rk4 at t = %.9g s: the motion has blown up, worst at %s (%.3g in a step): the step of %.3g s is too "
                 "large for this "
                 "explicit method; take a smaller one, or an implicit method (generalized_alpha, bdf)",
                 s->t0, td_model_coordinate_name(s->plant->model, worst), fabs(to[worst] - s->y0[worst]), s->h);
}

static td_status rk4_step(td_stepper *s, double *t, td_error *err) {
  turn(s);
  td_grid_shorten(&s->grid, s->t0, s->plant->barrier);
  for (;; s->plant->statistics->rejected++) {
    s->t = td_grid_end(&s->grid);
    s->h = td_grid_size(&s->grid);
    td_status status = rk4_stages(s);
    const double *to = status ? s->trial : s->y;
    if (!status) status = rate(s, s->t, s->y, s->k[6]);
    if (!status) status = hold(s);
    bool whole = !td_grid_divisible(&s->grid);
    if (status && (whole || s->plant->model->contact_count == 0)) return rk4_fail(s, status, to, err);
    if (!status && (whole || td_strike_error(&s->strike, s->plant, s->y0, s->y) <= 1)) break;
    s->grid.fraction /= 2;
  }
  td_strike_accept(&s->strike);
  td_grid_advance(&s->grid);
  *t = s->t;
  return TD_OK;
}

static td_status rk4_interpolate(td_stepper *s, double t, double *y) {
  double h = s->t - s->t0;
  td_hermite(s->size, (t - s->t0) / h, h, s->y0, s->k[0], s->y, s->k[6], y);
  return TD_OK;
}

const td_integrator td_integrator_rk45 = {
    .name = "rk45",
    .adaptive = true,
    .kinked = true,
    .create = create,
    .destroy = destroy,
    .start = rk45_start,
    .step = rk45_step,
    .interpolate = rk45_interpolate,
    .hint = rk45_hint,
};

// The Taylor series of exp(i w h) up to h^4.
static void rk4_accuracy(const td_integrator_spec *spec, int *order, double *constant) {
  (void)spec;
  *order = 4;
  *constant = 1. / 120;
}

const td_integrator td_integrator_rk4 = {
    .name = "rk4",
    .accuracy = rk4_accuracy,
    .default_h = 0.002,
    .create = create,
    .destroy = destroy,
    .start = rk4_start,
    .step = rk4_step,
    .interpolate = rk4_interpolate,
};
