// The classical Runge-Kutta method of order 4 with equal steps, halved where they stride over a contact. Between steps:
// cubic Hermite.
#include "integrate/explicit/explicit_step.h"
#include "math/hermite.h"
#include "model/model.h"
#include <math.h>

enum { LAST = TD_EXPLICIT_STAGES - 1 }; // rate at the end of a step

static td_status start(td_stepper *stepper, double t, double stop, double hint, const double *y, const double *carry,
                       td_error *err) {
  td_explicit *s = td_explicit_of(stepper);
  (void)hint, (void)carry;
  s->grid = td_grid_start(t, stop, td_step_count(stop - t, s->spec->h));
  td_strike_start(&s->strike, s->plant, y);
  return td_explicit_begin(s, t, stop, y, err);
}

static td_status stages(td_explicit *s) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  td_status status = TD_OK;
  for (int stage = 1; !status && stage < 4; stage++) {
    for (int i = 0; i < s->size; i++) s->trial[i] = s->y0[i] + at[stage] * s->h * s->k[stage - 1][i];
    status = td_explicit_rate(s, s->t0 + at[stage] * s->h, s->trial, s->k[stage]);
  }
  for (int i = 0; i < s->size; i++) {
    double sum = 0;
    for (int stage = 0; stage < 4; stage++) sum += weight[stage] * s->k[stage][i];
    s->y[i] = s->y0[i] + s->h * sum;
  }
  return status;
}

// The coordinate that went furthest on the way to `to` within the step, where that is further than any robot goes, else
// -1. Beyond the limit of stability a step multiplies what it should damp, and what then fails (a mass matrix of
// rounding, inertia that overflows) is not to blame.
static int blown_up(const td_explicit *s, const double *to) {
  double furthest = 100; // rad, m, 1/m
  int worst = -1;
  for (int i = 0; i < s->plant->n; i++)
    if (!(fabs(to[i] - s->y0[i]) <= furthest)) furthest = fabs(to[i] - s->y0[i]), worst = i;
  return worst;
}

static td_status fail(td_explicit *s, td_status status, const double *to, td_error *err) {
  int worst = s->plant->uncontrolled ? -1 : blown_up(s, to);
  if (worst < 0) return td_explicit_fail(s, status, "the accelerations are not finite", s->k[0], err);
  return td_fail(err, TD_NONFINITE, "",
                 "rk4 at t = %.9g s: the motion has blown up, worst at %s (%.3g in a step): the step of %.3g s is too "
                 "large for this explicit method; take a smaller one, \"integrator\": {\"method\": \"rk4\", \"h\": "
                 "%.3g} (%.3g where none is said), or an implicit method (generalized_alpha, bdf)",
                 s->t0, td_model_coordinate_name(s->plant->model, worst), fabs(to[worst] - s->y0[worst]), s->h,
                 s->h / 10, s->method->default_h);
}

// The step from s->t0 to `end`, whose size is h.
static td_status take(td_explicit *s, double end, double h, const double **to) {
  s->t = end;
  s->h = s->plant->h = h;
  td_status status = stages(s);
  *to = status ? s->trial : s->y;
  if (!status) status = td_explicit_rate(s, s->t, s->y, s->k[LAST]);
  return status ? status : td_explicit_hold(s);
}

// One that another run has taken.
static td_status given_step(td_explicit *s, double *t, td_error *err) {
  const double *to;
  td_status status = take(s, s->plant->given->t, s->plant->given->h, &to);
  *t = s->t;
  return status ? fail(s, status, to, err) : TD_OK;
}

static td_status step(td_stepper *stepper, double *t, td_error *err) {
  td_explicit *s = td_explicit_of(stepper);
  td_explicit_turn(s);
  if (s->plant->given) return given_step(s, t, err);
  td_grid_shorten(&s->grid, s->t0, s->plant->barrier);
  for (;; s->plant->statistics->rejected++) {
    const double *to;
    td_status status = take(s, td_grid_end(&s->grid), td_grid_size(&s->grid), &to);
    bool whole = !td_grid_divisible(&s->grid);
    if (status && (whole || !td_strike_exists(s->plant->model))) return fail(s, status, to, err);
    if (!status && (whole || td_strike_error(&s->strike, s->plant, s->y0, s->y) <= 1)) break;
    s->grid.fraction /= 2;
  }
  td_strike_accept(&s->strike);
  td_grid_advance(&s->grid);
  *t = s->t;
  return TD_OK;
}

static td_status interpolate(td_stepper *stepper, double t, double *y) {
  td_explicit *s = td_explicit_of(stepper);
  double h = s->t - s->t0;
  td_hermite(s->size, (t - s->t0) / h, h, s->y0, s->k[0], s->y, s->k[LAST], y);
  return TD_OK;
}

// The Taylor series of exp(i w h) up to h^4.
static void accuracy(const td_integrator *method, const td_integrator_spec *spec, int *order, double *constant) {
  (void)method, (void)spec;
  *order = 4;
  *constant = 1. / 120;
}

static const td_tableau tableau = {
    .stages = 4,
    .c = {0, 0.5, 0.5, 1},
    .A = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}},
};

const td_integrator td_integrator_rk4 = {
    .name = "rk4",
    .tableau = &tableau,
    .map = TD_MAP_EXPLICIT,
    .conditional = true,
    .accuracy = accuracy,
    .default_h = 0.002,
    .create = td_explicit_create,
    .destroy = td_explicit_destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
};
