// The equations of statics at an iterate: forces, multipliers, stiffness, and steps that stay on the loops' constraint.
//
// `fraction` f < 1 takes away from everything but elasticity (the robot as it is without inputs):
//     r_f(q) = f (tau - ID) + (1 - f) tau(q, 0, 0) + A^T lambda,      K_f = f K + (1 - f) K_elastic
// so that f leads from the unloaded robot to the loaded one, gravity, contacts and constant loads included.
#include "force/spring.h"
#include "force/tendon/tension.h"
#include "math/lu.h"
#include "math/product.h"
#include "pass/generalized_force.h"
#include "statics/statics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

double td_statics_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double td_statics_largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

// ------------------------------------------------------------------------------------------------ motions left by
// loops

void td_statics_gather(const td_statics *s, const double *full, double *out) {
  assert(full != out);
  for (int i = 0; i < s->d; i++)
    for (int j = 0; j < s->d; j++) out[i * s->d + j] = full[s->free[i] * s->n + s->free[j]];
}

void td_statics_confine_vector(const td_statics *s, double *x) {
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
  double sigma = 10 * fmax(td_statics_largest(d * d, H), 1e-300);
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

// ------------------------------------------------------------------------------------------------ forces

// force [n] = tau - ID at q; s->part [n] its elastic part where the fraction asks for it
static td_status force_at(td_statics *s, const double *q, double *force) {
  s->evaluations++;
  td_status status = td_residual_derivatives(s->model, s->ws, q, s->qd, NULL, s->u, force, NULL, NULL, NULL);
  if (!status && s->fraction < 1) {
    status = td_generalized_force(s->model, s->ws, q, NULL, NULL, s->part);
    for (int i = 0; i < s->n; i++) force[i] = s->fraction * force[i] + (1 - s->fraction) * s->part[i];
  }
  return status ? status : isfinite(td_statics_largest(s->n, force)) ? TD_OK : TD_NONFINITE;
}

// force [n] += A^T lambda at q: what loops do there with the multipliers of the iterate.
static td_status loop_force_at(td_statics *s, const double *q, double *force) {
  td_projection *p = &s->loops;
  td_status status = td_loop_error(s->model, s->ws, q, NULL, p->G);
  for (int i = 0; !status && i < p->rows; i++)
    for (int j = 0; j < s->n; j++) force[j] += p->G[i * s->n + j] * s->held[i];
  return status;
}

td_status td_statics_trial_residual(td_statics *s) {
  td_status status = TD_OK;
  if (s->loops.rows && s->fraction == 1) {
    td_constraint_terms out = {.residual = s->trial_force};
    td_state state = {.q = s->trial_q, .qd = s->qd, .u = s->u};
    s->evaluations++;
    status = td_constraint_terms_at(s->model, s->ws, &state, s->held, &out);
  } else {
    status = force_at(s, s->trial_q, s->trial_force);
    if (!status && s->loops.rows) status = loop_force_at(s, s->trial_q, s->trial_force);
  }
  if (status) return status;
  for (int i = 0; i < s->d; i++) s->trial_r[i] = s->trial_force[s->free[i]];
  td_statics_confine_vector(s, s->trial_r);
  return isfinite(td_statics_largest(s->d, s->trial_r)) ? TD_OK : TD_NONFINITE;
}

// s->full = f s->full + (1 - f) K_elastic; what loops' multipliers add to K is left whole.
static td_status fade_stiffness(td_statics *s) {
  size_t count = (size_t)s->n * (size_t)s->n;
  td_status status = td_residual_derivatives(s->model, s->ws, s->q, s->qd, NULL, s->u, NULL, s->faded, NULL, NULL);
  for (size_t i = 0; !status && i < count; i++) s->full[i] -= (1 - s->fraction) * s->faded[i];
  if (!status) status = td_force_derivatives(s->model, s->ws, s->q, NULL, NULL, s->faded, NULL, NULL);
  for (size_t i = 0; !status && i < count; i++) s->full[i] -= (1 - s->fraction) * s->faded[i]; // K_elastic = -dtau/dq
  return status;
}

td_status td_statics_linearise(td_statics *s) {
  s->jacobians++;
  td_state state = {.q = s->q, .qd = s->qd, .u = s->u};
  td_constraint_terms out = {.K = s->full};
  td_status status = s->loops.rows
                         ? td_constraint_terms_at(s->model, s->ws, &state, s->held, &out)
                         : td_residual_derivatives(s->model, s->ws, s->q, s->qd, NULL, s->u, NULL, s->full, NULL, NULL);
  if (!status && s->fraction < 1) status = fade_stiffness(s);
  if (!status) td_statics_gather(s, s->full, s->K);
  return status;
}

// Largest generalized force in play: actuation, elasticity, gravity and loads, before they cancel.
static double force_scale(td_statics *s) {
  int n = s->n;
  double *tau = s->part, *actuation = tau + n, *elastic = tau + 2 * n, *damping = tau + 3 * n;
  td_force_parts(s->model, s->ws, s->q, s->qd, s->u, tau, actuation, elastic, damping);
  for (int i = 0; i < n; i++) damping[i] = tau[i] - s->force[i]; // id
  double outer = fmax(td_statics_largest(n, actuation), td_statics_largest(n, damping));
  double inner = td_statics_largest(n, elastic);
  if (s->model->length_count) inner = fmax(inner, td_tension_scale(s->model, s->ws, s->q, s->u));
  if (s->model->spring_count) inner = fmax(inner, td_spring_scale(s->model, s->ws, s->q, s->u));
  return fmax(s->fraction * outer, inner);
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
  s->residual = td_statics_largest(s->d, s->r);
  s->scale = force_scale(s);
  if (s->residual < s->best && s->fraction == 1) {
    s->best = s->residual;
    memcpy(s->best_q, s->q, (size_t)s->n * sizeof *s->q);
  }
  return TD_OK;
}

bool td_statics_converged(const td_statics *s) {
  return s->residual <= fmax(s->options.tolerance * s->scale, s->weightless);
}

bool td_statics_negligible(const td_statics *s, const double *step) {
  for (int i = 0; i < s->d; i++)
    if (!(fabs(step[i]) <= 4e-15 * (1 + fabs(s->q[s->free[i]])))) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------ steps

td_status td_statics_accept(td_statics *s) {
  s->moved = true;
  memcpy(s->q, s->trial_q, (size_t)s->n * sizeof *s->q);
  return td_statics_evaluate(s);
}

// trial_q = a fraction of the step along the tangent, then back onto the constraint
static td_status move_to(td_statics *s, double part) {
  memcpy(s->trial_q, s->q, (size_t)s->n * sizeof *s->q);
  for (int i = 0; i < s->d; i++) s->trial_q[s->free[i]] += part * s->step[i];
  if (s->loops.rows == 0) return TD_OK;
  int rank = s->loops.rank; // the projection overwrites the basis of the tangent space
  memcpy(s->basis, s->loops.Q, s->basis_size);
  s->loops.metric = s->stiff;
  td_status status = td_project_step(&s->loops, s->trial_q);
  s->loops.metric = false;
  memcpy(s->loops.Q, s->basis, s->basis_size);
  s->loops.rank = rank;
  return status;
}

td_status td_statics_try(td_statics *s, double part) {
  assert(part > 0);
  td_status status = move_to(s, part);
  return status ? status : td_statics_trial_residual(s);
}

// P(q) - P(from) = -int (tau - ID) . dq, three points of Gauss on each of the panels.
bool td_statics_rises(td_statics *s, const double *from) {
  enum { PANELS = 24 };
  static const double CERTAIN = 1e-2; // of all the work there and back
  static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169}, weight[3] = {5. / 18, 8. / 18, 5. / 18};
  double rise = 0, size = 0;
  for (int k = 0; k < 3 * PANELS; k++) {
    double part = (k / 3 + at[k % 3]) / PANELS, power = 0;
    for (int i = 0; i < s->n; i++) s->trial_q[i] = from[i] + part * (s->q[i] - from[i]);
    if (force_at(s, s->trial_q, s->trial_force)) return false;
    for (int i = 0; i < s->n; i++) power += s->trial_force[i] * (s->q[i] - from[i]);
    rise -= weight[k % 3] * power / PANELS;
    size += weight[k % 3] * fabs(power) / PANELS;
  }
  return rise > CERTAIN * size;
}

// ------------------------------------------------------------------------------------------------ linear algebra

void td_statics_shifted(const td_statics *s, bool symmetric) {
  int d = s->d;
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++)
      s->H[i * d + j] = symmetric ? 0.5 * (s->K[i * d + j] + s->K[j * d + i]) : s->K[i * d + j];
    s->H[i * d + i] += s->shift * s->weight[i];
  }
  td_statics_confine(s, s->H);
}

bool td_statics_conservative(td_statics *s) {
  const double *K = s->K;
  int d = s->d;
  double most = 0, skew = 0;
  if (s->loops.rows) {
    s->shift = 0;
    td_statics_shifted(s, false);
    K = s->H;
    most = td_statics_largest(d * d, s->K);
  }
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++) {
      most = s->loops.rows ? most : fmax(most, fabs(K[i * d + j]));
      skew = fmax(skew, fabs(K[i * d + j] - K[j * d + i]));
    }
  return skew <= 1e-7 * most;
}

bool td_statics_lu_step(td_statics *s) {
  td_statics_shifted(s, false);
  s->factorisations++;
  if (!td_lu_factor(s->d, s->H, s->pivot)) return false;
  memcpy(s->step, s->r, (size_t)s->d * sizeof *s->step);
  td_lu_solve(s->d, s->H, s->pivot, s->step);
  return isfinite(td_statics_largest(s->d, s->step));
}
