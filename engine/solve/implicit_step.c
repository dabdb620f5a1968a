// One-step implicit methods on tau - ID = 0: stepping, Newton iteration, step division.
//
// A segment is divided into equal grid steps. Within a grid step the method takes dyadic fractions: the whole step first;
// when Newton fails, half of it, and so on down to 2^-LEVELS, growing again as soon as the position allows. Newton:
// matrix K + cv C + ca M, kept over steps while it converges fast (a new step size only combines and factors anew); when
// that fails, full Newton with damping by the natural monotonicity test (Deuflhard): a trial is accepted when the next
// simplified correction is smaller. Converged when the estimated error of q is below TOLERANCE (1 + |q|), or when the
// corrections stall at rounding level. Invariant: (y, a) is the state at t; a satisfies the equation of motion at the start of each segment.
#include "solve/implicit_step.h"
#include "math/lu.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 12, SIMPLIFIED_LIMIT = 12, FULL_LIMIT = 30, DAMPINGS = 8 };
static const double TOLERANCE = 1e-12, ROUNDING = 1e-9, SLOW = 0.3;

struct td_stepper {
  td_plant *plant;
  const td_integrator_spec *spec;
  const char *name;
  td_predictor predictor;
  double *K, *C, *M, *lu;                   // [n][n]
  double *y, *a, *y0, *a0;                  // [2n], [n]: end and start of the last step
  double *dy0, *dy1;                        // [2n] rates for interpolation
  double *r, *dq, *trial_y, *trial_a, *bar; // [n], [n], [2n], [n], [n]
  int *pivot;
  bool matrices, refresh; // K, C, M exist; should be renewed at the next step
  double cv, ca;          // of the step being solved
  double factored_cv, factored_ca;
  double t, t0, grid_start, stop, h; // h: one grid step
  double grid_count, grid_index;
  uint32_t position, fraction; // in units of 2^-LEVELS grid steps
};

void td_implicit_destroy(td_stepper *s) {
  if (!s) return;
  free(s->K);
  free(s->pivot);
  free(s);
}

static void assign(td_stepper *s, double *at) {
  size_t n = (size_t)s->plant->n;
  double **matrix[] = {&s->K, &s->C, &s->M, &s->lu}, **pair[] = {&s->y, &s->y0, &s->dy0, &s->dy1, &s->trial_y};
  double **single[] = {&s->a, &s->a0, &s->r, &s->dq, &s->trial_a, &s->bar};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++, at += n * n) *matrix[i] = at;
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++, at += 2 * n) *pair[i] = at;
  for (size_t i = 0; i < sizeof single / sizeof *single; i++, at += n) *single[i] = at;
}

td_status td_implicit_create(td_plant *plant, const td_integrator_spec *spec, td_predictor predictor, const char *name,
                             td_stepper **stepper) {
  td_stepper *s = *stepper = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  size_t n = (size_t)plant->n;
  s->plant = plant;
  s->spec = spec;
  s->name = name;
  s->predictor = predictor;
  s->pivot = calloc(n + 1, sizeof *s->pivot);
  double *memory = calloc(4 * n * n + 16 * n + 1, sizeof *memory);
  if (memory) assign(s, memory);
  if (memory && s->pivot) return TD_OK;
  td_implicit_destroy(s);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

td_status td_implicit_start(td_stepper *s, double t, double stop, double hint, const double *y, td_error *err) {
  (void)hint;
  int n = s->plant->n;
  s->t = s->t0 = s->grid_start = t;
  s->stop = stop;
  s->grid_count = td_step_count(stop - t, s->spec->h);
  s->h = (stop - t) / s->grid_count;
  s->grid_index = 0;
  s->position = 0;
  s->fraction = 1u << LEVELS;
  s->matrices = false;
  memcpy(s->y, y, 2 * (size_t)n * sizeof *y);
  td_status status = td_plant_rate(s->plant, t, s->y, s->dy1);
  memcpy(s->a, s->dy1 + n, (size_t)n * sizeof *s->a);
  if (!status) return TD_OK;
  return td_fail(err, status, "", "%s at t = %.9g s: the accelerations at the start cannot be found", s->name, t);
}

// ------------------------------------------------------------------------------------------------ Newton

// Size of a correction relative to the coordinates it corrects.
static double size_of(const td_stepper *s, const double *dq, const double *q) {
  double size = 0;
  for (int i = 0; i < s->plant->n; i++) {
    double x = fabs(dq[i]) / (1 + fabs(q[i]));
    if (!(x <= size)) size = x; // keeps NaN
  }
  return size;
}

static td_status factor(td_stepper *s) {
  size_t size = (size_t)s->plant->n * (size_t)s->plant->n;
  for (size_t i = 0; i < size; i++) s->lu[i] = s->K[i] + s->cv * s->C[i] + s->ca * s->M[i];
  s->factored_cv = s->cv;
  s->factored_ca = s->ca;
  s->plant->statistics->factorisations++;
  return td_lu_factor(s->plant->n, s->lu, s->pivot) ? TD_OK : TD_SINGULAR;
}

static td_status renew(td_stepper *s, double t, const double *y, const double *a) {
  td_status status = td_plant_matrices(s->plant, t, y, y + s->plant->n, a, s->K, s->C, s->M);
  s->matrices = !status;
  s->refresh = false;
  return status ? status : factor(s);
}

// to = from moved by scale dq along the method's relations
static void move(const td_stepper *s, double scale, const double *dq, const double *y, const double *a, double *to_y,
                 double *to_a) {
  int n = s->plant->n;
  for (int i = 0; i < n; i++) {
    double d = scale * dq[i];
    to_y[i] = y[i] + d;
    to_y[n + i] = y[n + i] + s->cv * d;
    to_a[i] = a[i] + s->ca * d;
  }
}

// out = lu^-1 (residual at (y, a)); the residual itself stays in s->r
static td_status correction(td_stepper *s, double t, const double *y, const double *a, double *out) {
  td_status status = td_plant_residual(s->plant, t, y, y + s->plant->n, a, s->r);
  if (status) return status;
  memcpy(out, s->r, (size_t)s->plant->n * sizeof *out);
  td_lu_solve(s->plant->n, s->lu, s->pivot, out);
  return TD_OK;
}

// Newton with the matrix at hand.
static td_status simplified_newton(td_stepper *s, double t) {
  double before = 0, rate = 0.5; // pessimistic until two corrections are known
  for (int i = 0; i < SIMPLIFIED_LIMIT; i++) {
    td_status status = correction(s, t, s->y, s->a, s->dq);
    if (status) return status;
    s->plant->statistics->newton_iterations++;
    double size = size_of(s, s->dq, s->y);
    if (i > 0) rate = size / before;
    bool stalled = i > 0 && rate > 0.5 && size < ROUNDING;
    if (!isfinite(size) || (i > 0 && rate > 0.9 && !stalled)) return TD_NOT_CONVERGED;
    move(s, 1, s->dq, s->y, s->a, s->y, s->a);
    if (stalled || size * rate / (1 - rate) <= TOLERANCE) {
      s->refresh = i > 1 && rate > SLOW && !stalled;
      return TD_OK;
    }
    before = size;
  }
  return TD_NOT_CONVERGED;
}

// The longest damped step whose next simplified correction is smaller; the trial replaces the state.
static td_status damped_move(td_stepper *s, double t, double size) {
  double scale = 1;
  for (int i = 0; i < DAMPINGS; i++, scale /= 2) {
    move(s, scale, s->dq, s->y, s->a, s->trial_y, s->trial_a);
    td_status status = correction(s, t, s->trial_y, s->trial_a, s->bar);
    double next = status ? INFINITY : size_of(s, s->bar, s->trial_y);
    if (!(next <= (1 - scale / 4) * size) && !(size < ROUNDING && next < ROUNDING)) continue;
    memcpy(s->y, s->trial_y, 2 * (size_t)s->plant->n * sizeof *s->y);
    memcpy(s->a, s->trial_a, (size_t)s->plant->n * sizeof *s->a);
    return TD_OK;
  }
  return TD_NOT_CONVERGED;
}

static td_status full_newton(td_stepper *s, double t) {
  for (int i = 0; i < FULL_LIMIT; i++) {
    td_status status = renew(s, t, s->y, s->a);
    if (!status) status = correction(s, t, s->y, s->a, s->dq);
    if (status) return status;
    s->plant->statistics->newton_iterations++;
    double size = size_of(s, s->dq, s->y);
    if (!isfinite(size)) return TD_NOT_CONVERGED;
    status = damped_move(s, t, size);
    if (status) return status;
    if (size <= 1e-8) return TD_OK; // quadratic: the error left is its square
  }
  return TD_NOT_CONVERGED;
}

static void predict(td_stepper *s, double h) {
  s->predictor(s->spec, s->plant->n, h, s->y0, s->a0, s->y, s->a, &s->cv, &s->ca);
}

static td_status solve(td_stepper *s, double t, double h) {
  predict(s, h);
  td_status status = TD_OK;
  if (!s->matrices || s->refresh)
    status = renew(s, t, s->y, s->a);
  else if (s->cv != s->factored_cv || s->ca != s->factored_ca)
    status = factor(s);
  if (!status) status = simplified_newton(s, t);
  if (!status) return TD_OK;
  predict(s, h);
  return full_newton(s, t);
}

// ------------------------------------------------------------------------------------------------ steps

static double time_at(const td_stepper *s, double index, uint32_t position) {
  return s->grid_start + (index + (double)position / (1u << LEVELS)) * s->h;
}

static void advance(td_stepper *s, double t) {
  s->t = t;
  s->position += s->fraction;
  while (s->fraction < 1u << LEVELS && s->position % (2 * s->fraction) == 0) s->fraction *= 2;
  if (s->position < 1u << LEVELS) return;
  s->position = 0;
  s->grid_index++;
}

static void rates(const td_stepper *s, const double *y, const double *a, double *dy) {
  size_t n = (size_t)s->plant->n;
  memcpy(dy, y + n, n * sizeof *dy);
  memcpy(dy + n, a, n * sizeof *dy);
}

static td_status fail(td_stepper *s, td_status status, double t, td_error *err) {
  predict(s, time_at(s, s->grid_index, s->position + s->fraction) - s->t0);
  if (td_plant_residual(s->plant, t, s->y, s->y + s->plant->n, s->a, s->r))
    memset(s->r, 0, (size_t)s->plant->n * sizeof *s->r);
  return td_plant_fail(s->plant, status, err, s->name, t, s->r,
                       status == TD_NOT_CONVERGED ? "the Newton iteration does not converge at the smallest step"
                                                  : "the equation of motion cannot be evaluated");
}

td_status td_implicit_step(td_stepper *s, double *t, td_error *err) {
  int n = s->plant->n;
  s->t0 = s->t;
  memcpy(s->y0, s->y, 2 * (size_t)n * sizeof *s->y);
  memcpy(s->a0, s->a, (size_t)n * sizeof *s->a);
  rates(s, s->y0, s->a0, s->dy0);
  for (;;) {
    bool last = s->grid_index + 1 >= s->grid_count && s->position + s->fraction == 1u << LEVELS;
    double end = last ? s->stop : time_at(s, s->grid_index, s->position + s->fraction);
    // the size is taken from the grid, not from rounded times: equal steps keep one factorisation
    td_status status = solve(s, end, s->h * (double)s->fraction / (1u << LEVELS));
    if (!status) {
      advance(s, end);
      rates(s, s->y, s->a, s->dy1);
      *t = end;
      return TD_OK;
    }
    s->plant->statistics->nonlinear_failures++;
    if (s->fraction == 1) return fail(s, status, end, err);
    s->fraction /= 2;
  }
}

td_status td_implicit_interpolate(td_stepper *s, double t, double *y) {
  double h = s->t - s->t0;
  td_hermite(2 * s->plant->n, (t - s->t0) / h, h, s->y0, s->dy0, s->y, s->dy1, y);
  return TD_OK;
}
