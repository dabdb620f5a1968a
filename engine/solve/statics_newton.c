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
#include "math/product.h"
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

void td_statics_gather(const td_statics *s, const double *full, double *out) {
  for (int i = 0; i < s->d; i++)
    for (int j = 0; j < s->d; j++) out[i * s->d + j] = full[s->free[i] * s->n + s->free[j]];
}

// x [d] loses what loops take up.
static void confine_vector(const td_statics *s, double *x) {
  const td_projection *p = &s->loops;
  for (int j = 0; j < p->rank; j++) {
    double along = 0;
    for (int i = 0; i < s->d; i++) along += p->Q[i * p->ldp + j] * x[i];
    for (int i = 0; i < s->d; i++) x[i] -= along * p->Q[i * p->ldp + j];
  }
}

// (I - Q Q^T) H (I - Q Q^T) + sigma Q Q^T = H - Q (V - (Q^T W + sigma) Q^T) - W Q^T,   V = Q^T H, W = H Q.
void td_statics_confine(const td_statics *s, double *H) {
  const td_projection *p = &s->loops;
  int d = s->d, k = p->rank, ld = p->ld, ldp = p->ldp;
  if (k == 0) return;
  double sigma = 10 * fmax(largest(d * d, H), 1e-300);
  double *Qt = s->confined, *V = Qt + ldp * ld, *W = V + ldp * ld, *Vt = W + d * ldp, *S = Vt + d * ldp;
  memset(Qt, 0, s->confined_size);
  td_multiply_add(d, d, k, 1, H, d, 1, p->Q, ldp, W, ldp);
  td_multiply_add(d, d, k, 1, H, 1, d, p->Q, ldp, Vt, ldp);
  for (int c = 0; c < k; c++)
    for (int i = 0; i < d; i++) Qt[c * ld + i] = p->Q[i * ldp + c], V[c * ld + i] = Vt[i * ldp + c];
  td_multiply_add(k, d, k, 1, Qt, ld, 1, W, ldp, S, ldp);
  for (int c = 0; c < k; c++) S[c * ldp + c] += sigma;
  td_multiply_add(k, k, d, -1, S, ldp, 1, Qt, ld, V, ld);
  td_multiply_add(d, k, d, -1, p->Q, ldp, 1, V, ld, H,
                  d); // columns beyond d of V and Qt are 0: rows of H may be read over
  td_multiply_add(d, k, d, -1, W, ldp, 1, Qt, ld, H, d);
}

// force [n] = tau - ID at q
static td_status force_at(td_statics *s, const double *q, double *force) {
  s->evaluations++;
  td_status status = td_residual_derivatives(s->model, s->ws, q, NULL, NULL, s->u, force, NULL, NULL, NULL);
  return status ? status : isfinite(largest(s->n, force)) ? TD_OK : TD_NONFINITE;
}

// trial_r = what is left of the forces at the trial with the multipliers of the iterate, along the motions allowed there
static td_status trial_residual(td_statics *s) {
  td_status status = TD_OK;
  if (s->loops.rows) {
    td_constraint_terms out = {.residual = s->trial_force};
    td_state state = {.q = s->trial_q, .u = s->u};
    s->evaluations++;
    status = td_constraint_terms_at(s->model, s->ws, &state, s->held, &out);
  } else {
    status = force_at(s, s->trial_q, s->trial_force);
  }
  if (status) return status;
  for (int i = 0; i < s->d; i++) s->trial_r[i] = s->trial_force[s->free[i]];
  confine_vector(s, s->trial_r);
  return isfinite(largest(s->d, s->trial_r)) ? TD_OK : TD_NONFINITE;
}

// K at the iterate, its multipliers held.
td_status td_statics_linearise(td_statics *s) {
  s->iterations++;
  s->jacobians++;
  td_state state = {.q = s->q, .u = s->u};
  td_constraint_terms out = {.K = s->full};
  td_status status = s->loops.rows
                         ? td_constraint_terms_at(s->model, s->ws, &state, s->held, &out)
                         : td_residual_derivatives(s->model, s->ws, s->q, NULL, NULL, s->u, NULL, s->full, NULL, NULL);
  if (!status) td_statics_gather(s, s->full, s->K);
  return status;
}

// Largest generalized force in play: actuation, elasticity, gravity and loads, before they cancel.
static double force_scale(td_statics *s) {
  int n = s->n;
  double *tau = s->part, *actuation = tau + n, *elastic = tau + 2 * n, *damping = tau + 3 * n;
  td_force_parts(s->model, s->ws, s->q, NULL, s->u, tau, actuation, elastic, damping);
  for (int i = 0; i < n; i++) damping[i] = tau[i] - s->force[i]; // id
  return fmax(fmax(largest(n, actuation), largest(n, elastic)), largest(n, damping));
}

// lambda of loops and r at the iterate, from its forces; then the forces of prescribed joints.
static td_status balance(td_statics *s) {
  td_projection *p = &s->loops;
  td_status status = td_loop_multipliers(p, s->q, s->force, s->lambda);
  if (status) return status;
  double *left = s->part;
  if (p->rows) memcpy(s->held, s->lambda, (size_t)p->rows * sizeof *left);
  memcpy(left, s->force, (size_t)s->n * sizeof *left);
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < s->n; j++) left[j] += p->G[i * s->n + j] * s->lambda[i];
  for (int i = 0; i < s->d; i++) s->r[i] = left[s->free[i]];
  for (int i = 0; i < td_model_prescribed_count(s->model); i++)
    s->lambda[p->rows + i] = -left[td_model_prescribed_coordinate(s->model, i, NULL)];
  return TD_OK;
}

td_status td_statics_evaluate(td_statics *s) {
  td_status status = force_at(s, s->q, s->force);
  if (!status) status = balance(s);
  if (status) return status;
  s->residual = largest(s->d, s->r);
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
  for (int i = 0; i < s->d; i++)
    if (!(fabs(step[i]) <= 4e-15 * (1 + fabs(s->q[s->free[i]])))) return false;
  return true;
}

static void cap(const td_statics *s, double *step) {
  double most = largest(s->d, step);
  if (!(most > STEP_MOST)) return;
  for (int i = 0; i < s->d; i++) step[i] *= STEP_MOST / most;
}

static td_status accept(td_statics *s) {
  memcpy(s->q, s->trial_q, (size_t)s->n * sizeof *s->q);
  return td_statics_evaluate(s);
}

// trial_q = a fraction of the step along the tangent, then back onto the constraint
static td_status move_to(td_statics *s, double fraction) {
  memcpy(s->trial_q, s->q, (size_t)s->n * sizeof *s->q);
  for (int i = 0; i < s->d; i++) s->trial_q[s->free[i]] += fraction * s->step[i];
  if (s->loops.rows == 0) return TD_OK;
  int rank = s->loops.rank; // the projection overwrites the basis of the tangent space
  memcpy(s->basis, s->loops.Q, s->basis_size);
  td_status status = td_project_position(&s->loops, s->trial_q);
  memcpy(s->loops.Q, s->basis, s->basis_size);
  s->loops.rank = rank;
  return status;
}

static td_status try_at(td_statics *s, double fraction) {
  td_status status = move_to(s, fraction);
  return status ? status : trial_residual(s);
}

// ------------------------------------------------------------------------------------------------ linear algebra

static void shifted(const td_statics *s, bool symmetric) {
  int d = s->d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double k = symmetric ? 0.5 * (s->K[i * d + j] + s->K[j * d + i]) : s->K[i * d + j];
      s->H[i * d + j] = k + s->shift * s->M[i * d + j];
    }
  td_statics_confine(s, s->H);
}

static bool positive_definite(td_statics *s) {
  shifted(s, true);
  s->factorisations++;
  return td_spd_factor(s->d, s->d, s->H, s->ld, s->U) == TD_OK;
}

static bool is_symmetric(const td_statics *s) {
  if (s->loops.rows) return false; // on the motions that loops allow it may be; the general way costs little more
  int n = s->d;
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
  for (int i = 0; i < s->d; i++) {
    double k = fabs(s->K[i * s->d + i]), m = s->M[i * s->d + i];
    if (m > 0) most = fmax(most, k / m);
  }
  return most > 0 ? most : 1;
}

static bool lu_step(td_statics *s) {
  shifted(s, false);
  s->factorisations++;
  if (!td_lu_factor(s->d, s->H, s->pivot)) return false;
  memcpy(s->step, s->r, (size_t)s->d * sizeof *s->step);
  td_lu_solve(s->d, s->H, s->pivot, s->step);
  return isfinite(largest(s->d, s->step));
}

// step = (K + shift M)^-1 r, the shift raised until the symmetric part is positive definite.
static bool descent_step(td_statics *s) {
  double floor = 1e-8 * stiffest(s);
  while (!positive_definite(s)) {
    s->shift = s->shift >= floor ? 4 * s->shift : floor;
    if (!(s->shift < 1e20 * floor)) return false;
  }
  if (!is_symmetric(s)) return lu_step(s);
  memcpy(s->step, s->r, (size_t)s->d * sizeof *s->step);
  td_spd_solve(s->d, s->ld, s->U, s->step);
  return isfinite(largest(s->d, s->step));
}

// ------------------------------------------------------------------------------------------------ descend

// s . K s
static double curvature(const td_statics *s, const double *step) {
  double sum = 0;
  for (int i = 0; i < s->d; i++) sum += step[i] * dot(s->d, s->K + (size_t)i * (size_t)s->d, step);
  return sum;
}

// Decrease of the potential over the step: integral of r . s by Simpson's rule on two halves; the trial is left at its end. With
// loops the path is bent back onto the constraint: an error of third order, which the trust region forgives.
static td_status decrease(td_statics *s, double slope, double *out) {
  static const double at[4] = {0.25, 0.5, 0.75, 1}, weight[4] = {4. / 12, 2. / 12, 4. / 12, 1. / 12};
  double sum = slope / 12;
  for (int i = 0; i < 4; i++) {
    td_status status = try_at(s, at[i]);
    if (status) return status;
    sum += weight[i] * dot(s->d, s->trial_r, s->step);
  }
  *out = sum;
  return TD_OK;
}

// Actual over predicted decrease; negative infinity when the trial cannot be evaluated.
static double quality(td_statics *s) {
  double slope = dot(s->d, s->r, s->step), predicted = slope - 0.5 * curvature(s, s->step), actual = 0;
  if (try_at(s, 1)) return -INFINITY;
  if (fabs(dot(s->d, s->trial_r, s->step)) < 0.2 * slope)
    return 1; // the slope along the step is nearly spent: a minimum
  if (largest(s->d, s->trial_r) < 1e-5 * s->scale && s->residual < 1e-3 * s->scale && s->shift == 0)
    return 1; // the end game: decreases of the potential drown in rounding
  if (decrease(s, slope, &actual)) return -INFINITY;
  return predicted > 0 ? actual / predicted : actual > 0 ? 1 : -1;
}

static void raise_shift(td_statics *s) {
  double mass = 0; // s . M s
  for (int i = 0; i < s->d; i++) mass += s->step[i] * dot(s->d, s->M + (size_t)i * (size_t)s->d, s->step);
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
  if (!(s->residual <= 1e-12 * largest(s->d * s->d, s->K))) return false;
  double shift = s->shift;
  s->shift = 0;
  bool rest = lu_step(s) && negligible(s, s->step);
  s->shift = shift;
  return rest;
}

// One accepted step.
static td_status descend_once(td_statics *s, bool *done) {
  td_status status = td_statics_linearise(s);
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
  double size = largest(s->d, s->step), fraction = 1;
  for (int i = 0; i < DAMPINGS; i++, fraction /= 2) {
    if (try_at(s, fraction)) continue;
    td_lu_solve(s->d, s->H, s->pivot, s->trial_r);
    if (largest(s->d, s->trial_r) <= (1 - fraction / 4) * size) return accept(s);
  }
  return TD_NOT_CONVERGED;
}

td_status td_statics_newton(td_statics *s) {
  s->shift = 0;
  td_status status = td_statics_evaluate(s);
  for (int i = 0; !status && i < s->options.max_iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    status = td_statics_linearise(s);
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
  if (!status) status = td_statics_linearise(s);
  double first = s->residual, start = 1e-3 * stiffest(s);
  for (int i = 0; !status && i < 10 * s->options.max_iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    double fall = s->residual / first;
    s->shift = fall < 1e-6 ? 0 : start * fall;
    if (!lu_step(s)) return TD_SINGULAR;
    cap(s, s->step);
    status = try_at(s, 1);
    if (!status) status = accept(s);
    if (!status) status = td_statics_linearise(s);
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}
