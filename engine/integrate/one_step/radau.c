// Radau IIA of order 5 with error control: what stiff systems without damping ask for. Bdf of order 3 and more is
// unstable near the imaginary axis, where the modes of an undamped robot lie, and creeps in steps that resolve the
// fastest of them; this method is stable there at any step, so that accuracy alone bounds it, and the fifth order makes
// few steps of it. Step sizes: Gustafsson's predictive control. Tolerances: 0.1 rtol^(2/3) for the error estimate,
// which is of third order; the result of fifth order then is about rtol away (Hairer and Wanner's code does the same).
// Loops at index 1: the end of each step is put back on the constraint.
#include "integrate/one_step/radau_stages.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 4, MOST_FAILURES = 10 };
static const double LEAST_STEP = 1e-14, SAFETY = 0.9, GROWTH = 8, SHRINK = 0.2, KEEP = 1.2;

// Up to which rate of convergence matrices serve the next step, too. Old ones cost iterations, new ones a dfd: that of
// reduced bodies, of sections that deform and of bodies that touch takes ten to fifty times as long as a residual (the
// helicoid then takes 0.7 of the time), that of others three (the serial robot would take 1.16).
static double kept_up_to(const td_plant *p) {
  const td_model *m = p->model;
  bool dear = m->ritz_count > 0 || m->slice_count > 0 || m->solid_pair_count > 0;
  return dear && p->rows == 0 ? 0.03 : 1e-3;
}

struct td_stepper {
  td_radau radau;
};

static void destroy(td_stepper *stepper) {
  if (!stepper) return;
  td_radau_fini(&stepper->radau);
  free(stepper);
}

static td_status create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                        td_stepper **stepper) {
  *stepper = calloc(1, sizeof **stepper);
  (void)method;
  td_status status = *stepper ? td_radau_init(&(*stepper)->radau, plant, spec) : TD_NO_MEMORY;
  if (!status) return TD_OK;
  destroy(*stepper);
  *stepper = NULL;
  return status;
}

static double first_step(const td_radau *s) {
  return s->spec->h > 0 ? s->spec->h : fmin(1e-6, 1e-3 * (s->stop - s->t));
}

static td_status start(td_stepper *stepper, double t, double stop, double hint, const double *y, const double *carry,
                       td_error *err) {
  (void)carry;
  td_radau *s = &stepper->radau;
  td_plant *p = s->plant;
  size_t n = (size_t)p->n, r = (size_t)p->rows;
  td_radau_point *end = &s->stage[TD_RADAU_STAGES - 1];
  s->t = s->t0 = t;
  s->stop = stop;
  s->matrices = s->fresh = p->measured = false;
  s->factored = s->last_h = 0;
  s->eta = 1;
  s->first = true;
  s->attempts = 0;
  s->own_mass = s->own_mass_fails = false;
  memcpy(end->y, y, 2 * n * sizeof *y);
  td_status status = td_plant_rate(p, t, y, s->rate);
  if (status)
    return td_fail(err, status, "", "radau at t = %.9g s: the accelerations at the start cannot be found: %s", t,
                   status == TD_SINGULAR ? td_plant_singular(p) : "they are not finite");
  memcpy(end->a, s->rate + n, n * sizeof *y);
  if (r) memcpy(end->l, p->lambda, r * sizeof *y);
  s->h = hint > 0 ? hint : first_step(s);
  return TD_OK;
}

static void copy(const td_radau *s, const td_radau_point *from, td_radau_point *to) {
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  memcpy(to->y, from->y, 2 * n * sizeof *to->y);
  memcpy(to->a, from->a, n * sizeof *to->a);
  if (r) memcpy(to->l, from->l, r * sizeof *to->l);
}

// The step just taken becomes the past, its end the start of the next.
static void turn(td_radau *s) {
  size_t row = 2 * (size_t)s->plant->n;
  memcpy(s->past, s->from.y, row * sizeof *s->past);
  for (size_t i = 0; i < TD_RADAU_STAGES; i++) memcpy(s->past + (i + 1) * row, s->stage[i].y, row * sizeof *s->past);
  copy(s, &s->stage[TD_RADAU_STAGES - 1], &s->from);
  s->t0 = s->t;
}

static double factor_for(const td_radau *s, double error) {
  double safety = fmin(SAFETY, SAFETY * 21. / (s->newton + 20));
  return fmax(SHRINK, fmin(GROWTH, safety * pow(error, -0.25)));
}

// The step to take now: what is left when that is nearly all, half of it rather than a sliver at the end.
static double next_size(const td_radau *s) {
  double left = s->stop - s->t, h = fmin(fmin(s->h, s->spec->h_max), s->plant->barrier - s->t);
  return h >= left * (1 - 1e-10) ? left : h > left / 2 ? left / 2 : h;
}

static td_status fail(td_radau *s, td_status status, double h, td_error *err) {
  const char *why = "the equation of motion cannot be evaluated";
  if (status == TD_NOT_CONVERGED) why = "the Newton iteration does not converge at the smallest step";
  if (status == TD_STEP_TOO_SMALL) why = "no step is small enough to meet the tolerances";
  if (status == TD_SINGULAR)
    why = s->plant->uncontrolled ? td_plant_singular(s->plant) : "the matrix of the step is singular";
  (void)h;
  return td_plant_fail(s->plant, status, err, "radau", s->t, s->r[TD_RADAU_STAGES - 1], why);
}

static void accept(td_radau *s, double h, double error, double *t) {
  td_plant *p = s->plant;
  td_radau_point *end = &s->stage[TD_RADAU_STAGES - 1];
  td_radau_keep(s);
  bool whole = h == s->stop - s->t;
  double factor = factor_for(s, error);
  if (s->last_h > 0 && s->last_error > 0) {
    double predicted = SAFETY * h / s->last_h * pow(s->last_error / (error * error), 0.25);
    factor = fmin(factor, fmax(SHRINK, fmin(GROWTH, predicted)));
  }
  double wanted = h * factor;
  if (s->rejected) wanted = fmin(wanted, h);
  bool keep = s->theta <= kept_up_to(p) && wanted >= h && wanted <= KEEP * h;
  s->h = keep ? h : h < s->h && factor > 1 ? fmax(s->h, wanted) : wanted;
  s->t = *t = whole ? s->stop : s->t + h;
  s->held = false;
  if (p->rows) {
    p->metric = (td_step_metric){s->g * s->g, s->g};
    p->measured = true;
    memcpy(s->open, end->y, 2 * (size_t)p->n * sizeof *end->y);
    td_plant_hold(p, td_plant_hold_above(p), end->y, &s->held);
  }
  if (p->rows) memcpy(p->lambda, end->l, (size_t)p->rows * sizeof *end->l);
  s->last_h = p->h = h;
  s->last_error = fmax(error, 1e-2);
  s->first = false;
  s->fresh = false;
  if (s->theta > kept_up_to(p)) s->matrices = false;
}

// A step that did not get across a loss of rank with the matrices of either side may do so from nearer by; small steps
// towards it end in it, where multipliers are not determined.
static void try_again(td_radau *s) {
  if (s->attempts == 0) return;
  s->attempts--;
  s->h = fmax(s->h, s->across);
}

// One that another run has taken, with matrices of its own start or middle, whatever those of the other run were.
static td_status given_step(td_radau *s, double *t, td_error *err) {
  double end = s->plant->given->t, h = s->plant->given->h;
  bool ahead = false;
  for (;;) {
    td_status status = ahead ? TD_OK : td_radau_linearise(s);
    if (!status) status = td_radau_solve(s, h);
    if (!status) break;
    if (status == TD_NOT_CONVERGED && td_radau_turn_to_own_mass(s)) continue;
    ahead = !ahead && s->plant->rows > 0 && !td_radau_linearise_ahead(s, h);
    if (!ahead) return fail(s, status, h, err);
  }
  accept(s, h, td_radau_error(s), t);
  s->matrices = false;
  s->t = *t = end;
  return TD_OK;
}

static td_status step(td_stepper *stepper, double *t, td_error *err) {
  td_radau *s = &stepper->radau;
  turn(s);
  s->rejected = false;
  if (s->plant->given) return given_step(s, t, err);
  if (s->plant->turned) s->matrices = s->plant->turned = false;
  int failures = 0;
  bool ahead = false; // the matrices are those of a later stage
  for (;;) {
    double h = next_size(s), error = INFINITY;
    td_status status = s->matrices ? TD_OK : td_radau_linearise(s);
    if (!status) status = td_radau_solve(s, h);
    if (!status) error = td_radau_error(s);
    if (error < 1) {
      accept(s, h, error, t);
      if (ahead)
        s->matrices = false, s->attempts = 0;
      else
        try_again(s);
      return TD_OK;
    }
    bool worn = status && !s->fresh;
    if (status)
      s->plant->statistics->nonlinear_failures++;
    else
      s->plant->statistics->rejected++;
    if (status) s->eta = 1;
    if (h < LEAST_STEP * fmax(1, fabs(s->t))) return fail(s, status ? status : TD_STEP_TOO_SMALL, h, err);
    s->matrices = s->matrices && s->fresh;
    s->rejected = true;
    if (worn) continue; // the matrices were old: the same step with new ones
    failures += status == TD_NOT_CONVERGED;
    if (status == TD_NOT_CONVERGED && td_radau_turn_to_own_mass(s)) continue;
    if (s->own_mass && failures > MOST_FAILURES) td_radau_leave_own_mass(s);
    if (status && s->plant->rows > 0) {
      ahead = !ahead && !td_radau_linearise_ahead(s, h);
      if (ahead) continue;
      s->matrices = false;
      if (s->attempts == 0) s->across = h, s->attempts = ATTEMPTS;
    }
    s->h = h * (status || !isfinite(error) ? 0.5 : s->first ? fmin(0.1, factor_for(s, error)) : factor_for(s, error));
  }
}

static td_status interpolate(td_stepper *stepper, double t, double *y) {
  const td_radau *s = &stepper->radau;
  double h = s->t - s->t0;
  td_radau_at(s, h > 0 ? (t - s->t0) / h : 1, y);
  td_plant_drive(s->plant, t, y, NULL);
  return TD_OK;
}

static double hint(const td_stepper *stepper) { return stepper->radau.h; }

// The error of the step accepted last, and what the sieve let through of it (measure).
static const double *sifted(const td_stepper *stepper, double *both) {
  const td_radau *s = &stepper->radau;
  if (!s->sieve.ready) return NULL;
  for (int k = 0; k < 2 * s->plant->free_count; k++) both[k] = s->error[k] - s->full[k];
  return s->M;
}

const td_integrator td_integrator_radau = {
    .name = "radau",
    .serves = TD_SERVES_TREES | TD_SERVES_LOOPS | TD_SERVES_JUDGES,
    .options = TD_OPTIONS_OF_CONTROL | TD_OPTION_CUTOFF,
    .adaptive = true,
    .grows = 5.8,
    .kinked = true,
    .collocates = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .hint = hint,
    .sifted = sifted,
    .loss = td_radau_loss,
};
