// Three globalised Newton iterations for r(q) = tau(q, 0, u) - ID(q, 0, 0, u) = 0, all with the analytic K = -dr/dq.
//
// descend: gravity, elasticity, tendons and world-frame forces have a potential P with gradient -r, so an equilibrium that a
//   robot can hold is a minimum of P. Steps (K_sym + lambda M) s = r, lambda chosen so that the matrix is positive definite and
//   adapted like a trust region: the decrease of P along s, which is the integral of r . s, is compared with the quadratic
//   model. P itself is never needed. Near the solution lambda is 0 and the full K is used: quadratic convergence.
// newton: s = K^-1 r, halved until the next simplified correction is smaller (natural monotonicity, Deuflhard).
// relax: (K + lambda M) s = r with lambda proportional to the residual; every finite step is taken.
// No coordinate moves by more than STEP_MOST (rad, m, or strain modes) at a time.
#include "algorithm/dynamics.h"
#include "math/cholesky.h"
#include "math/lu.h"
#include "solve/statics.h"
#include <math.h>
#include <string.h>

static const double STEP_MOST = 1.0;
enum { DAMPINGS = 12, REJECTIONS = 40 };

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

// ------------------------------------------------------------------------------------------------ evaluation

static td_status residual_at(td_statics *s, const double *q, double *r) {
  td_status status = td_residual_derivatives(s->model, s->ws, q, NULL, NULL, s->u, r, NULL, NULL, NULL);
  return status ? status : isfinite(largest(s->n, r)) ? TD_OK : TD_NONFINITE;
}

static td_status linearise(td_statics *s) {
  s->iterations++;
  return td_residual_derivatives(s->model, s->ws, s->q, NULL, NULL, s->u, s->r, s->K, NULL, NULL);
}

// Largest generalized force in play: actuation, elasticity, gravity and loads, before they cancel.
static double force_scale(td_statics *s) {
  int n = s->n;
  double *tau = s->part, *actuation = tau + n, *elastic = tau + 2 * n, *damping = tau + 3 * n;
  td_force_parts(s->model, s->ws, s->q, NULL, s->u, tau, actuation, elastic, damping);
  for (int i = 0; i < n; i++) damping[i] = tau[i] - s->r[i]; // id
  return fmax(fmax(largest(n, actuation), largest(n, elastic)), largest(n, damping));
}

td_status td_statics_evaluate(td_statics *s) {
  td_status status = residual_at(s, s->q, s->r);
  if (status) return status;
  s->residual = largest(s->n, s->r);
  s->scale = force_scale(s);
  if (s->residual < s->best && s->u != s->scaled_u) {
    s->best = s->residual;
    memcpy(s->best_q, s->q, (size_t)s->n * sizeof *s->q);
  }
  return TD_OK;
}

bool td_statics_converged(const td_statics *s) { return s->residual <= s->options.tolerance * s->scale; }

// A full Newton correction at rounding level: nothing more can be gained. Where gravity alone acts on a joint the forces in play
// vanish together with the residual, and this is the only test that ends the iteration.
static bool negligible(const td_statics *s, const double *step) {
  for (int i = 0; i < s->n; i++)
    if (!(fabs(step[i]) <= 4e-15 * (1 + fabs(s->q[i])))) return false;
  return true;
}

static void cap(const td_statics *s, double *step) {
  double most = largest(s->n, step);
  if (!(most > STEP_MOST)) return;
  for (int i = 0; i < s->n; i++) step[i] *= STEP_MOST / most;
}

static td_status accept(td_statics *s) {
  memcpy(s->q, s->trial_q, (size_t)s->n * sizeof *s->q);
  return td_statics_evaluate(s);
}

static td_status try_at(td_statics *s, double fraction) {
  for (int i = 0; i < s->n; i++) s->trial_q[i] = s->q[i] + fraction * s->step[i];
  return residual_at(s, s->trial_q, s->trial_r);
}

// ------------------------------------------------------------------------------------------------ linear algebra

static void shifted(const td_statics *s, bool symmetric) {
  int n = s->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double k = symmetric ? 0.5 * (s->K[i * n + j] + s->K[j * n + i]) : s->K[i * n + j];
      s->H[i * n + j] = k + s->shift * s->M[i * n + j];
    }
}

static bool positive_definite(td_statics *s) {
  shifted(s, true);
  return td_spd_factor(s->n, s->n, s->H, s->ld, s->U) == TD_OK;
}

static bool is_symmetric(const td_statics *s) {
  int n = s->n;
  double most = 0, skew = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      most = fmax(most, fabs(s->K[i * n + j]));
      skew = fmax(skew, fabs(s->K[i * n + j] - s->K[j * n + i]));
    }
  return skew <= 1e-8 * most;
}

// The scale of eigenvalues of (K, M): the largest ratio of their diagonals.
static double stiffest(const td_statics *s) {
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    double k = fabs(s->K[i * s->n + i]), m = s->M[i * s->n + i];
    if (m > 0) most = fmax(most, k / m);
  }
  return most > 0 ? most : 1;
}

static bool lu_step(td_statics *s) {
  shifted(s, false);
  if (!td_lu_factor(s->n, s->H, s->pivot)) return false;
  memcpy(s->step, s->r, (size_t)s->n * sizeof *s->step);
  td_lu_solve(s->n, s->H, s->pivot, s->step);
  return isfinite(largest(s->n, s->step));
}

// step = (K + shift M)^-1 r, the shift raised until the symmetric part is positive definite.
static bool descent_step(td_statics *s) {
  double floor = 1e-8 * stiffest(s);
  while (!positive_definite(s)) {
    s->shift = s->shift >= floor ? 4 * s->shift : floor;
    if (!(s->shift < 1e20 * floor)) return false;
  }
  if (!is_symmetric(s)) return lu_step(s);
  memcpy(s->step, s->r, (size_t)s->n * sizeof *s->step);
  td_spd_solve(s->n, s->ld, s->U, s->step);
  return isfinite(largest(s->n, s->step));
}

// ------------------------------------------------------------------------------------------------ descend

// s . K s
static double curvature(const td_statics *s, const double *step) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += step[i] * dot(s->n, s->K + (size_t)i * (size_t)s->n, step);
  return sum;
}

// Decrease of the potential over the step: integral of r . s by Simpson's rule on two halves; the trial is left at its end.
static td_status decrease(td_statics *s, double slope, double *out) {
  static const double at[4] = {0.25, 0.5, 0.75, 1}, weight[4] = {4. / 12, 2. / 12, 4. / 12, 1. / 12};
  double sum = slope / 12;
  for (int i = 0; i < 4; i++) {
    td_status status = try_at(s, at[i]);
    if (status) return status;
    sum += weight[i] * dot(s->n, s->trial_r, s->step);
  }
  *out = sum;
  return TD_OK;
}

// Actual over predicted decrease; negative infinity when the trial cannot be evaluated.
static double quality(td_statics *s) {
  double slope = dot(s->n, s->r, s->step), predicted = slope - 0.5 * curvature(s, s->step), actual = 0;
  if (try_at(s, 1)) return -INFINITY;
  if (fabs(dot(s->n, s->trial_r, s->step)) < 0.2 * slope)
    return 1; // the slope along the step is nearly spent: a minimum
  if (largest(s->n, s->trial_r) < 1e-5 * s->scale && s->residual < 1e-3 * s->scale && s->shift == 0)
    return 1; // the end game: decreases of the potential drown in rounding
  if (decrease(s, slope, &actual)) return -INFINITY;
  return predicted > 0 ? actual / predicted : actual > 0 ? 1 : -1;
}

static void raise_shift(td_statics *s) {
  double mass = 0; // s . M s
  for (int i = 0; i < s->n; i++) mass += s->step[i] * dot(s->n, s->M + (size_t)i * (size_t)s->n, s->step);
  double along = fabs(curvature(s, s->step)) / mass; // a shift of this size halves the step along itself
  s->shift = fmax(4 * s->shift, isfinite(along) ? 0.5 * along : 0);
  if (!(s->shift > 0)) s->shift = 1e-8 * stiffest(s);
}

static void adapt_shift(td_statics *s, double quality_) {
  if (quality_ < 0.25) raise_shift(s);
  if (quality_ > 0.7) s->shift *= 0.1;
  if (s->shift < 1e-8 * stiffest(s)) s->shift = 0;
}

// At an equilibrium already, stable or not, as far as rounding lets one tell.
static bool at_rest(td_statics *s) {
  if (!(s->residual <= 1e-12 * largest(s->n * s->n, s->K))) return false;
  double shift = s->shift;
  s->shift = 0;
  bool rest = lu_step(s) && negligible(s, s->step);
  s->shift = shift;
  return rest;
}

// One accepted step.
static td_status descend_once(td_statics *s, bool *done) {
  td_status status = linearise(s);
  if (status) return status;
  *done = at_rest(s);
  if (*done) return TD_OK;
  for (int i = 0; i < REJECTIONS; i++) {
    if (!descent_step(s)) return TD_SINGULAR;
    cap(s, s->step);
    *done = s->shift == 0 && negligible(s, s->step);
    if (*done) return TD_OK;
    double q = quality(s);
    if (q > 0.05) {
      status = accept(s);
      adapt_shift(s, q);
      return status;
    }
    raise_shift(s);
  }
  return TD_NOT_CONVERGED;
}

td_status td_statics_descend(td_statics *s) {
  s->shift = 0;
  td_status status = td_statics_evaluate(s);
  for (int i = 0; !status && i < s->options.max_iterations; i++) {
    bool done = td_statics_converged(s);
    if (!done) status = descend_once(s, &done);
    if (done) return TD_OK;
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}

// ------------------------------------------------------------------------------------------------ newton, relax

static td_status damped_step(td_statics *s) {
  double size = largest(s->n, s->step), fraction = 1;
  for (int i = 0; i < DAMPINGS; i++, fraction /= 2) {
    if (try_at(s, fraction)) continue;
    td_lu_solve(s->n, s->H, s->pivot, s->trial_r);
    if (largest(s->n, s->trial_r) <= (1 - fraction / 4) * size) return accept(s);
  }
  return TD_NOT_CONVERGED;
}

td_status td_statics_newton(td_statics *s) {
  s->shift = 0;
  td_status status = td_statics_evaluate(s);
  for (int i = 0; !status && i < s->options.max_iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    status = linearise(s);
    if (!status && !lu_step(s)) status = TD_SINGULAR;
    if (status) return status;
    if (negligible(s, s->step)) return TD_OK;
    cap(s, s->step);
    status = damped_step(s);
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}

td_status td_statics_relax(td_statics *s) {
  td_status status = td_statics_evaluate(s);
  if (!status) status = linearise(s);
  double first = s->residual, start = 1e-3 * stiffest(s);
  for (int i = 0; !status && i < 10 * s->options.max_iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    double fall = s->residual / first;
    s->shift = fall < 1e-6 ? 0 : start * fall;
    if (!lu_step(s)) return TD_SINGULAR;
    cap(s, s->step);
    status = try_at(s, 1);
    if (!status) status = accept(s);
    if (!status) status = linearise(s);
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}
