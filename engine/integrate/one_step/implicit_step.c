// One-step implicit methods on tau - ID = 0: memory, start, and the choice of steps.
//
// Fixed: a segment is divided into equal steps (grid.h), which are halved when Newton fails, before an obstacle
// (approach.c), or when the step strides over a contact (strike.c). Adaptive: sizes follow the estimated local error
// (step_control.c). Invariant: s->now is the state at t; at the start of a segment its accelerations and multipliers
// satisfy the equations of motion at index 1, unless they are carried over. Index 1 with loops: the end of each step is
// put back on the constraint; one-step methods need no restart for that.
#include "base/carve.h"
#include "integrate/one_step/implicit_newton.h"
#include "math/hermite.h"
#include "model/model.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-12, LEAST_STEP = 1e-13, MOST_RINGING = 0.93;

// ------------------------------------------------------------------------------------------------ life

struct td_stepper {
  td_implicit implicit;
};

void td_implicit_destroy(td_stepper *stepper) {
  if (!stepper) return;
  td_implicit *s = &stepper->implicit;
  free(s->K);
  td_saddle_fini(&s->saddle);
  td_sieve_fini(&s->sieve);
  free(stepper);
}

static bool carve(td_implicit *s) {
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  double *control = NULL;
  bool room = TD_CARVE({&s->K, n * n}, {&s->C, n * n}, {&s->M, n * n}, {&s->A, r * n}, {&s->G, r * n}, {&s->Cq, r * n},
                       {&s->Cv, r * n}, {&s->now.y, 2 * n}, {&s->before.y, 2 * n}, {&s->trial.y, 2 * n},
                       {&s->dy0, 2 * n}, {&s->dy1, 2 * n}, {&s->now.a, n}, {&s->before.a, n}, {&s->trial.a, n},
                       {&s->now.b, n}, {&s->before.b, n}, {&s->trial.b, n}, {&s->shifted, n}, {&s->r, n}, {&s->dq, n},
                       {&s->bar, n}, {&s->now.l, r}, {&s->before.l, r}, {&s->trial.l, r}, {&s->e, r}, {&s->dl, r},
                       {&s->lbar, r}, {&s->idle, r}, {&s->strike.slope[0], n}, {&s->strike.slope[1], n},
                       {&control, td_step_control_size((int)n)}, {&s->secants, TD_MOST_SECANTS * n});
  if (room) td_step_control_assign(&s->control, (int)n, control);
  return room;
}

static td_slopes slopes_of(const td_implicit *s, double h) {
  td_point none = {0};
  return s->predictor(s->method, s->spec, 0, h, &none, &none);
}

// The factor by which equal steps multiply what is left along a constraint that holds q, from gamma and beta, which the
// slopes of a step of size 1 tell: sqrt(1 - (gamma - 1/2) / beta).
static double ringing_of(const td_implicit *s) {
  td_slopes one = slopes_of(s, 1);
  return sqrt(fmax(0, 1 + 0.5 * one.b - one.v));
}

// Projections measure by the matrix of a step with those slopes from now on.
static void measure(const td_implicit *s, const td_slopes *slopes) {
  s->plant->metric = (td_step_metric){1 / slopes->a, slopes->v / slopes->a};
  s->plant->measured = s->plant->rows > 0;
}

td_status td_implicit_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                             td_predictor predictor, td_stepper **stepper) {
  *stepper = calloc(1, sizeof **stepper);
  if (!*stepper) return TD_NO_MEMORY;
  td_implicit *s = &(*stepper)->implicit;
  s->plant = plant;
  s->spec = spec;
  s->method = method;
  s->predictor = predictor;
  s->ringing = ringing_of(s);
  s->index3 = spec->formulation == TD_FORMULATION_INDEX3;
  s->tolerance = spec->adaptive ? fmax(TOLERANCE, fmin(1e-10, 1e-4 * fmin(spec->rtol, spec->atol))) : TOLERANCE;
  bool ok = carve(s) && !td_sieve_init(&s->sieve, plant, spec->adaptive ? spec->cutoff : 0);
  if (ok && !td_saddle_init(&s->saddle, plant->free_count, plant->rows)) return TD_OK;
  td_implicit_destroy(*stepper);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ start

size_t td_implicit_carry_size(const td_plant *plant) { return 2 * (size_t)plant->n + (size_t)plant->rows + 1; }

void td_implicit_carry(const td_stepper *stepper, double *carry) {
  const td_implicit *s = &stepper->implicit;
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  memcpy(carry, s->now.a, n * sizeof *carry);
  memcpy(carry + n, s->now.b, n * sizeof *carry);
  if (r) memcpy(carry + 2 * n, s->now.l, r * sizeof *carry);
  carry[2 * n + r] = s->b_h;
}

static void resume(td_implicit *s, const double *carry) {
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  memcpy(s->now.a, carry, n * sizeof *carry);
  memcpy(s->now.b, carry + n, n * sizeof *carry);
  if (r) memcpy(s->now.l, carry + 2 * n, r * sizeof *carry);
  s->b_h = carry[2 * n + r];
}

static td_status begin(td_implicit *s, double t) {
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  td_status status = td_plant_rate(s->plant, t, s->now.y, s->dy1);
  memcpy(s->now.a, s->dy1 + n, n * sizeof *s->now.a);
  memcpy(s->now.b, s->dy1 + n, n * sizeof *s->now.b);
  if (r) memcpy(s->now.l, s->plant->lambda, r * sizeof *s->now.l);
  s->b_h = 0;
  return status;
}

static void rates(const td_implicit *s, const td_point *x, double *dy) {
  size_t n = (size_t)s->plant->n;
  memcpy(dy, x->y + n, n * sizeof *dy);
  memcpy(dy + n, x->a, n * sizeof *dy);
}

static double first_step(td_implicit *s, double hint) {
  if (s->spec->h > 0) return s->spec->h;
  rates(s, &s->now, s->dy1);
  double h = 1 / fmax(td_step_control_pace(s->plant, s->spec, s->now.y, s->dy1), 1e-3);
  h = fmax(h, 1e-7);
  // where a force sets in the pace is known, and states depart from their tangents as its square
  if (s->plant->turned && hint > 0) return fmin(sqrt(h * hint), hint);
  return hint > 0 ? fmin(h, hint) : fmin(h, 0.01 * s->spec->h_max);
}

td_status td_implicit_start(td_stepper *stepper, double t, double stop, double hint, const double *y,
                            const double *carry, td_error *err) {
  assert(stop > t);
  td_implicit *s = &stepper->implicit;
  s->t = s->t0 = t;
  s->stop = stop;
  s->grid = td_grid_start(t, stop, td_step_count(stop - t, s->spec->h > 0 ? s->spec->h : stop - t));
  s->matrices = false;
  memcpy(s->now.y, y, 2 * (size_t)s->plant->n * sizeof *y);
  td_status status = TD_OK;
  if (carry)
    resume(s, carry);
  else
    status = begin(s, t);
  if (status)
    return td_fail(err, status, "", "%s at t = %.9g s: the accelerations at the start cannot be found: %s",
                   s->method->name, t, status == TD_SINGULAR ? td_plant_singular(s->plant) : "they are not finite");
  s->h = s->spec->adaptive ? first_step(s, hint) : s->grid.h;
  s->first_h = s->h;
  td_projection_metric(&s->plant->projection, NULL);
  td_slopes slopes = slopes_of(s, s->b_h > 0 ? s->b_h : s->h); // of the step before, or of the first
  measure(s, &slopes);
  s->held = TD_NOT_HELD;
  s->control.count = 0;
  td_step_control_push(&s->control, s->plant->n, t, y);
  if (!s->spec->adaptive) td_strike_start(&s->strike, s->plant, y);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ steps

static td_status fail(td_implicit *s, td_status status, double t, td_error *err) {
  td_plant *p = s->plant;
  td_implicit_predict(s, t, t - s->t0);
  if (td_plant_residual(p, t, s->now.y, s->now.y + p->n, s->now.a, NULL, s->r))
    memset(s->r, 0, (size_t)p->n * sizeof *s->r);
  const char *why = "the equation of motion cannot be evaluated";
  if (status == TD_NOT_CONVERGED) why = "the Newton iteration does not converge at the smallest step";
  if (status == TD_STEP_TOO_SMALL) why = "no step is small enough to meet the tolerances";
  if (status == TD_SINGULAR) why = p->uncontrolled ? td_plant_singular(p) : "the matrix of the step is singular";
  return td_plant_fail(p, status, err, s->method->name, t, s->r, why);
}

// At index 3 e = 0 holds q alone, and along the constraint what is left of the formulas, (h qd, h^2 b), is a recursion
// of its own: equal steps multiply its noise by a matrix with the double eigenvalue -rho_inf, and a change of h by
// diag(r, r^2) between steps. That product grows without bound at rho_inf 1 on any mechanism whose constraint turns,
// and with adaptive steps from rho_inf 0.8 on (measured: a four-bar with 12 J gained 51 J). So the end of a step is put
// on A qd = 0 and A qdd + Ad qd = 0: the recursion starts from the truth each time. Equal steps of methods that damp it
// enough are left alone.
static bool lets_rates_ring(const td_implicit *s) {
  return s->index3 && (s->spec->adaptive || s->ringing > MOST_RINGING);
}

static void hold_rates(td_implicit *s) {
  td_plant *p = s->plant;
  measure(s, &s->slopes);
  s->held = TD_NOT_HELD;
  if (p->rows == 0 || !lets_rates_ring(s)) return;
  // in a soft robot the metric is mostly stiffness, and what it takes away is no inertia: there multipliers are those
  // of the step
  bool soft = p->model->rod_count + p->model->ritz_count > 0;
  double *lambda = soft ? NULL : s->now.l;
  td_point_copy(s, &s->now, &s->trial);
  if (td_project_rates(&p->projection, &p->metric, s->now.y, s->now.y + p->n, s->now.a, s->now.b, lambda)) {
    td_point_copy(s, &s->trial, &s->now);
    return;
  }
  s->held = TD_HELD_RATES;
  if (lambda) memcpy(p->lambda, lambda, (size_t)p->rows * sizeof *lambda);
  p->statistics->projections++;
}

// The state at `end` is accepted.
static void arrive(td_implicit *s, double end, double h, double *t) {
  bool moved = false;
  if (s->index3) td_plant_note_drift(s->plant, s->now.y);
  if (!s->index3 && s->plant->rows) {
    td_point_copy(s, &s->now, &s->trial);
    td_plant_hold(s->plant, td_plant_hold_above(s->plant), s->now.y, &moved);
    if (moved) s->held = TD_HELD_STATE;
  }
  s->b_before = s->b_h;
  s->b_h = h;
  s->plant->h = h;
  s->t = end;
  rates(s, &s->now, s->dy1);
  *t = end;
}

static td_status fixed_step(td_implicit *s, double *t, td_error *err) {
  td_grid_shorten(&s->grid, s->t0, s->plant->barrier);
  for (;;) {
    double end = td_grid_end(&s->grid), h = td_grid_size(&s->grid);
    td_status status = td_implicit_solve(s, end, h);
    if (!status) hold_rates(s);
    bool whole = !td_grid_divisible(&s->grid);
    bool strides = !status && !whole && td_strike_error(&s->strike, s->plant, s->before.y, s->now.y) > 1;
    if (!status && !strides) {
      td_strike_accept(&s->strike);
      td_grid_advance(&s->grid);
      arrive(s, end, h, t);
      return TD_OK;
    }
    if (strides)
      s->plant->statistics->rejected++;
    else
      s->plant->statistics->nonlinear_failures++;
    if (whole) return fail(s, status, end, err);
    s->grid.fraction /= 2;
  }
}

// The step to take now: what is left when that is nearly all, half of it rather than a sliver at the end.
static double next_size(const td_implicit *s) {
  double left = s->stop - s->t0, h = fmin(fmin(s->h, s->spec->h_max), s->plant->barrier - s->t0);
  return h >= left * (1 - 1e-12) ? left : h > left / 2 ? left / 2 : h;
}

// With loops at index 3 the rates of stiff modes carry errors that do not fall with the step, and in a soft robot what
// the method does not damp rings on in them: rates count by what they move in a hundred steps, or there in one.
static double rate_steps(const td_implicit *s) {
  const td_model *m = s->plant->model;
  if (!s->index3 || s->plant->rows == 0) return 0;
  return s->ringing > MOST_RINGING && m->rod_count + m->ritz_count > 0 ? 1 : 100;
}

static td_status adaptive_step(td_implicit *s, double *t, td_error *err) {
  for (bool rejected = false;; rejected = true) {
    double h = next_size(s), end = h == s->stop - s->t0 ? s->stop : s->t0 + h;
    td_status status = td_implicit_solve(s, end, h);
    if (!status) hold_rates(s);
    double noise = 10 * td_implicit_tolerance(s) * s->slopes.v, error = INFINITY;
    if (!status)
      error =
          td_step_control_error(&s->control, s->plant, s->spec, end, s->now.y, s->dy0, rate_steps(s), noise, &s->sieve);
    if (error <= 1) {
      double wanted = h * td_step_control_factor(&s->control, error, false);
      s->h = rejected ? fmin(h, wanted) : h < s->h ? fmax(s->h, wanted) : wanted;
      s->first_h = s->h;
      arrive(s, end, h, t);
      td_step_control_push(&s->control, s->plant->n, end, s->now.y);
      return TD_OK;
    }
    if (status)
      s->plant->statistics->nonlinear_failures++;
    else
      s->plant->statistics->rejected++;
    if (h < LEAST_STEP * fmax(1, fabs(s->t0))) return fail(s, status ? status : TD_STEP_TOO_SMALL, end, err);
    s->h = h * (status || !isfinite(error) ? 0.25 : td_step_control_factor(&s->control, error, true));
  }
}

// One that another run has taken.
static td_status given_step(td_implicit *s, double *t, td_error *err) {
  double end = s->plant->given->t, h = s->plant->given->h;
  td_status status = td_implicit_solve(s, end, h);
  if (status) return fail(s, status, end, err);
  hold_rates(s);
  arrive(s, end, h, t);
  return TD_OK;
}

td_status td_implicit_step(td_stepper *stepper, double *t, td_error *err) {
  td_implicit *s = &stepper->implicit;
  s->t0 = s->t;
  if (s->plant->turned) s->matrices = s->plant->turned = false;
  td_point_copy(s, &s->now, &s->before);
  rates(s, &s->before, s->dy0);
  if (s->plant->given) return given_step(s, t, err);
  return s->spec->adaptive ? adaptive_step(s, t, err) : fixed_step(s, t, err);
}

bool td_implicit_back(td_stepper *stepper, double h) {
  td_implicit *s = &stepper->implicit;
  if (!s->spec->adaptive) return false;
  td_point_copy(s, &s->before, &s->now);
  memcpy(s->dy1, s->dy0, 2 * (size_t)s->plant->n * sizeof *s->dy1);
  s->t = s->t0;
  s->b_h = s->b_before;
  s->h = h;
  td_step_control_pop(&s->control);
  return true;
}

td_status td_implicit_interpolate(td_stepper *stepper, double t, double *y) {
  const td_implicit *s = &stepper->implicit;
  double h = s->t - s->t0;
  td_hermite(2 * s->plant->n, (t - s->t0) / h, h, s->before.y, s->dy0, s->now.y, s->dy1, y);
  return TD_OK;
}

double td_implicit_hint(const td_stepper *stepper) {
  const td_implicit *s = &stepper->implicit;
  return s->spec->adaptive ? s->first_h : 0;
}
