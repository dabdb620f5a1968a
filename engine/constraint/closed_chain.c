// Forward dynamics with loops and prescribed coordinates, index 1 (Mathew2025 (39)-(51), corrected), by the range
// space.
//
//   M x - A^T lambda = tau - ID(q, qd, 0),   A x = -c,   x = qdd, on the free coordinates (prescribed ones enter ID and
//     c).
// Rows of A may depend on each other: with P an orthonormal basis of its range, A = P Ar, lambda = P mu (the smallest),
// and P^T c is all of c that can be met. With M = U^T U and U^-T Ar^T = Q R (Gram-Schmidt, so that cond(Ar M^-1 Ar^T)
// is never squared), g = U^-T (tau - ID), h = Q^T g + R^-T P^T c:
//   x = U^-1 (g - Q h),   mu = -R^-1 h.
// Prescribed coordinates: their rows and columns of M become those of 1, their columns of A and their right-hand sides
// 0.
#include "constraint/closed_chain.h"
#include "constraint/loop.h"
#include "math/cholesky.h"
#include "math/finite.h"
#include "math/product.h"
#include "math/range.h"
#include "model/mass_factor.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/generalized_force.h"
#include "pass/kinematics.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include "why/mass_rank.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- the solver

// out [k] = P^T x of all rows x [r].
static void reduce(const td_model *m, const td_workspace *ws, const double *x, double *out) {
  const td_constraint_scratch *s = &ws->constraint;
  memset(out, 0, (size_t)s->kpad * sizeof *out);
  for (int i = 0; i < m->loop_rows; i++)
    for (int j = 0; j < s->rank; j++) out[j] += s->basis[i * s->kpad + j] * x[i];
}

static void mask_columns(const td_model *m, const double *A, double *out) {
  for (int i = 0; i < m->loop_rows; i++)
    for (int j = 0; j < m->ld; j++) out[i * m->ld + j] = A[i * m->ld + j] * m->prescribed_mask[j];
}

static void mask_mass(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->prescribed_count; i++) {
    int c = m->prescribed[i].coordinate;
    memcpy(ws->constraint.mass_rows + i * m->ld, ws->mass + c * m->ld, (size_t)m->ld * sizeof(double));
  }
  for (int i = 0; i < m->prescribed_count; i++) {
    int c = m->prescribed[i].coordinate;
    for (int j = 0; j < m->n; j++) ws->mass[c * m->ld + j] = ws->mass[j * m->ld + c] = j == c ? 1 : 0;
  }
}

// Factor of M, basis P, Q and R, from ws->mass and A.
static td_status factor(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  int n = m->n, ld = m->ld, kpad = s->kpad;
  mask_mass(m, ws);
  if (td_stopped(ws)) return TD_CANCELLED;
  td_status status = td_mass_factor(m, ws->mass, ws->factor);
  if (!status) status = td_mass_regular(m, ws);
  s->rank = 0;
  if (status || m->loop_rows == 0) return status;
  status = td_all_finite(s->A, m->loop_rows * ld);
  if (status) return status;
  mask_columns(m, s->A, s->reduced);
  s->rank = td_range_basis(m->loop_rows, n, ld, s->reduced, td_rank_tolerance(s), kpad, s->basis, s->work);
  s->rank = td_rank_held(s, s->rank);
  assert(s->rank <= s->kpad);
  memset(s->Q, 0, (size_t)(n * kpad) * sizeof *s->Q);
  for (int i = 0; i < s->rank; i++)
    for (int j = 0; j < n; j++) s->Q[j * kpad + i] = s->reduced[i * ld + j];
  td_mass_forward_many(m, ws->factor, kpad, kpad, s->Q);
  td_orthonormal_columns(n, s->rank, kpad, s->Q, s->R, s->work);
  return TD_OK;
}

// x [n] holds forces on free coordinates and becomes accelerations; c [r] what A x must cancel (NULL: 0); lambda [r]
// out.
static void solve(const td_model *m, td_workspace *ws, double *x, const double *c, double *lambda) {
  td_constraint_scratch *s = &ws->constraint;
  int n = m->n, k = s->rank, kpad = s->kpad;
  double *h = s->work, *Qg = h + kpad;
  td_mass_forward(m, ws->factor, x);
  if (k > 0) {
    memset(h, 0, (size_t)kpad * sizeof *h);
    if (c) reduce(m, ws, c, h);
    for (int i = 0; i < k; i++) { // R^-T P^T c
      for (int j = 0; j < i; j++) h[i] -= s->R[j * kpad + i] * h[j];
      h[i] /= s->R[i * kpad + i];
    }
    memset(Qg, 0, (size_t)kpad * sizeof *Qg);
    td_multiply_add(1, n, k, 1, x, 0, 1, s->Q, kpad, Qg, kpad);
    for (int i = 0; i < k; i++) h[i] += Qg[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < k; j++) x[i] -= s->Q[i * kpad + j] * h[j];
  }
  td_mass_backward(m, ws->factor, x);
  for (int i = k - 1; i >= 0; i--) { // mu = -R^-1 h
    for (int j = i + 1; j < k; j++) h[i] -= s->R[i * kpad + j] * h[j];
    h[i] /= s->R[i * kpad + i];
  }
  for (int i = 0; i < m->loop_rows; i++) {
    lambda[i] = 0;
    for (int j = 0; j < k; j++) lambda[i] -= s->basis[i * kpad + j] * h[j];
  }
}

static void clear_prescribed(const td_model *m, double *x) {
  for (int i = 0; i < m->prescribed_count; i++) x[m->prescribed[i].coordinate] = 0;
}

// Forces of prescribed coordinates: rows of M x - f - A^T lambda, f and x free forces and accelerations (0 where
// prescribed).
static void reactions(const td_model *m, const td_workspace *ws, const double *f, const double *x, const double *lambda,
                      double *out) {
  const td_constraint_scratch *s = &ws->constraint;
  for (int i = 0; i < m->prescribed_count; i++) {
    int c = m->prescribed[i].coordinate;
    out[i] = -f[c];
    for (int j = 0; j < m->n; j++) out[i] += s->mass_rows[i * m->ld + j] * x[j];
    for (int j = 0; j < m->loop_rows; j++) out[i] -= s->A[j * m->ld + c] * lambda[j];
  }
}

void td_closed_solve(const td_model *m, td_workspace *ws, const double *force, const double *c, const double *turn,
                     double *x, double *lambda) {
  memcpy(x, force, (size_t)m->n * sizeof *x);
  clear_prescribed(m, x);
  solve(m, ws, x, c, lambda);
  clear_prescribed(m, x);
  for (int i = 0; turn && i < m->loop_rows; i++) lambda[i] += turn[i];
  reactions(m, ws, force, x, lambda, lambda + m->loop_rows);
}

// ---- accelerations

// ws->fd = qdd and constraint.lambda at the state; leaves factor, A, P, Q, R for derivatives.
static td_status accelerate(const td_model *m, td_workspace *ws, const td_state *state, double T) {
  td_constraint_scratch *s = &ws->constraint;
  td_status status = td_generalized_force(m, ws, state->q, state->qd, state->u, ws->tau);
  if (status) return status;
  memset(s->qdd, 0, (size_t)m->ld * sizeof *s->qdd);
  for (int i = 0; state->qdd && i < m->prescribed_count; i++)
    s->qdd[m->prescribed[i].coordinate] = state->qdd[m->prescribed[i].coordinate];
  td_id_parts(m, ws, state->q, state->qd, s->qdd, state->u, TD_FORCE_ALL, m->gravity, ws->id);
  td_columns_of(m, ws, TD_COLUMNS_MASS);
  td_loop_poses(m, ws);
  td_loop_rates(m, ws, T);
  td_loop_jacobian(m, ws, s->A, NULL);
  status = td_all_finite(ws->id, m->n);
  if (!status) status = factor(m, ws);
  if (status) return status;
  for (int i = 0; i < m->n; i++) ws->id[i] = ws->fd[i] = ws->tau[i] - ws->id[i];
  clear_prescribed(m, ws->fd);
  solve(m, ws, ws->fd, s->a, s->lambda);
  clear_prescribed(m, ws->fd);
  reactions(m, ws, ws->id, ws->fd, s->lambda, s->lambda + m->loop_rows);
  for (int i = 0; i < m->prescribed_count; i++)
    ws->fd[m->prescribed[i].coordinate] = s->qdd[m->prescribed[i].coordinate];
  status = td_all_finite(ws->fd, m->n);
  return status ? status : td_all_finite(s->lambda, m->loop_rows + m->prescribed_count);
}

// ---- derivatives

// X [n][2 ld] = dtau - dID with respect to q and qd, its prescribed rows apart in force_rows and 0 in X.
static void fill_forces(const td_model *m, td_workspace *ws) {
  int ld = m->ld;
  for (int i = 0; i < m->n; i++) {
    double *row = ws->solution + 2 * i * ld;
    for (int j = 0; j < ld; j++) row[j] = ws->dtau_dq[i * ld + j] - ws->did_dq[i * ld + j];
    for (int j = 0; j < ld; j++) row[ld + j] = ws->dtau_dqd[i * ld + j] - ws->did_dqd[i * ld + j];
  }
  for (int i = 0; i < m->prescribed_count; i++) {
    double *row = ws->solution + 2 * m->prescribed[i].coordinate * ld;
    memcpy(ws->constraint.force_rows + 2 * i * ld, row, 2 * (size_t)ld * sizeof *row);
    memset(row, 0, 2 * (size_t)ld * sizeof *row);
  }
}

// turn_Q, turn_R: QR of (P^T A)^T, that is of A's row space.
static void factor_rows(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  assert(s->rank < m->loop_rows); // the range of independent rows does not turn
  memset(s->turn_Q, 0, (size_t)(m->n * s->kpad) * sizeof *s->turn_Q);
  for (int i = 0; i < s->rank; i++)
    for (int j = 0; j < m->n; j++) s->turn_Q[j * s->kpad + i] = s->reduced[i * m->ld + j];
  td_orthonormal_columns(m->n, s->rank, s->kpad, s->turn_Q, s->turn_R, s->work);
}

// Is some of a left over, beyond rounding? Only dependent rows that contradict each other leave any.
static bool has_leftover(const td_model *m, const td_workspace *ws, const double *a) {
  const td_constraint_scratch *s = &ws->constraint;
  double scale = 0, left = 0;
  for (int i = 0; i < m->loop_rows; i++) {
    double sum = 0;
    for (int j = 0; j < m->n; j++) sum += fabs(s->A[i * m->ld + j] * ws->fd[j]);
    scale = fmax(scale, sum);
    left = fmax(left, fabs(a[i]));
  }
  return left > 1e-11 * scale;
}

// What is left of a is orthogonal to the range of A and stays so as the range turns (Golub & Pereyra 1973):
//   P^T da + (Ar Ar^T)^-1 Ar d(A^T a)/dq = 0 at the a left over, so that H gains the second term.
static void add_leftover(const td_model *m, td_workspace *ws, const double *q) {
  td_constraint_scratch *s = &ws->constraint;
  double *gain = s->G; // [k][ld]
  td_loop_force_derivative(m, ws, q, s->a);
  memset(gain, 0, (size_t)(s->rank * m->ld) * sizeof *gain);
  td_multiply_add(s->rank, m->n, m->ld, -1, s->turn_Q, 1, s->kpad, ws->did_dq, m->ld, gain, m->ld);
  td_triangular_backward(s->rank, s->kpad, s->turn_R, m->ld, m->ld, gain);
  for (int i = 0; i < s->rank; i++)
    for (int j = 0; j < m->ld; j++) s->H[2 * i * m->ld + j] += gain[i * m->ld + j];
}

// H [k][2 ld] = P^T da
static void reduce_rows(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  memset(s->H, 0, (size_t)(2 * s->rank * m->ld) * sizeof *s->H);
  td_multiply_add(s->rank, m->loop_rows, 2 * m->ld, 1, s->basis, 1, s->kpad, s->da, 2 * m->ld, s->H, 2 * m->ld);
}

// X = dqdd/d(q, qd), H = -dmu/d(q, qd): the solve of accelerations for all columns at once.
static void solve_columns(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  int n = m->n, k = s->rank, columns = 2 * m->ld;
  double *X = ws->solution;
  for (int c = 0, next; c < columns && !td_stopped(ws); c = next) {
    next = td_solve_end(n, c, columns);
    td_mass_forward_many(m, ws->factor, next - c, columns, X + c);
  }
  if (k > 0) {
    td_triangular_forward(k, s->kpad, s->R, columns, columns, s->H);
    td_multiply_add(k, n, columns, 1, s->Q, 1, s->kpad, X, columns, s->H, columns);
    td_multiply_add(n, k, columns, -1, s->Q, s->kpad, 1, s->H, columns, X, columns);
    td_triangular_backward(k, s->kpad, s->R, columns, columns, s->H);
  }
  for (int c = 0, next; c < columns && !td_stopped(ws); c = next) {
    next = td_solve_end(n, c, columns);
    td_mass_backward_many(m, ws->factor, next - c, columns, X + c);
  }
}

// da [r + prescribed][2 ld] becomes dlambda: P dmu, and the rows of M dx - df - A^T dlambda.
static void multiplier_columns(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  int columns = 2 * m->ld, r = m->loop_rows;
  memset(s->da, 0, (size_t)((r + m->prescribed_count) * columns) * sizeof *s->da);
  td_multiply_add(r, s->rank, columns, -1, s->basis, s->kpad, 1, s->H, columns, s->da, columns);
}

// turn_Q turn_R^-T P^T lambda
void td_closed_range_motion(const td_model *m, td_workspace *ws, const double *lambda, double *w) {
  td_constraint_scratch *s = &ws->constraint;
  int k = s->rank, kpad = s->kpad;
  double *mu = s->work;
  reduce(m, ws, lambda, mu);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < i; j++) mu[i] -= s->turn_R[j * kpad + i] * mu[j];
    mu[i] /= s->turn_R[i * kpad + i];
  }
  memset(w, 0, (size_t)m->n * sizeof *w);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < k; j++) w[i] += s->turn_Q[i * kpad + j] * mu[j];
}

// The smallest lambda lies in the range of A and turns with it: dlambda = P dmu + (1 - P P^T) d(A w)/dq at w with A w =
// lambda.
static void add_range_turn(const td_model *m, td_workspace *ws, const double *q) {
  td_constraint_scratch *s = &ws->constraint;
  int k = s->rank, kpad = s->kpad, ld = m->ld, r = m->loop_rows;
  double *w = s->qdd, *PD = s->H;
  memset(w, 0, (size_t)ld * sizeof *w);
  td_closed_range_motion(m, ws, s->lambda, w);
  td_id_derivatives_padded(m, ws, q, w, NULL, NULL, TD_COLUMNS_SLOPES);
  td_loop_turn(m, ws, s->G);
  memset(PD, 0, (size_t)(k * ld) * sizeof *PD);
  td_multiply_add(k, r, ld, 1, s->basis, 1, kpad, s->G, ld, PD, ld);
  td_multiply_add(r, k, ld, -1, s->basis, kpad, 1, PD, ld, s->G, ld);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < ld; j++) s->da[2 * i * ld + j] += s->G[i * ld + j];
}

static void add_reactions(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  int columns = 2 * m->ld, r = m->loop_rows;
  for (int i = 0; i < m->prescribed_count; i++) {
    double *out = s->da + (r + i) * columns;
    for (int j = 0; j < columns; j++) out[j] = -s->force_rows[i * columns + j];
    td_multiply_add(1, m->n, columns, 1, s->mass_rows + i * m->ld, 0, 1, ws->solution, columns, out, columns);
    td_multiply_add(1, r, columns, -1, s->A + m->prescribed[i].coordinate, 0, m->ld, s->da, columns, out, columns);
  }
}

static void copy_columns(int rows, int n, int ldx, const double *from, double *out) {
  for (int i = 0; out && i < rows; i++) memcpy(out + i * n, from + i * ldx, (size_t)n * sizeof *out);
}

static td_status state_derivatives(const td_model *m, td_workspace *ws, const td_state *state, double T,
                                   const td_constrained_output *out) {
  td_constraint_scratch *s = &ws->constraint;
  int n = m->n, ld = m->ld, c = m->loop_rows + m->prescribed_count;
  bool dependent = s->rank < m->loop_rows, lambdas = out->dlambda_dq || out->dlambda_dqd;
  td_force_derivatives_padded(m, ws, state->q, state->qd, state->u);
  td_state moving = {.q = state->q, .qd = state->qd, .qdd = ws->fd, .u = state->u};
  td_loop_id_derivatives(m, ws, &moving, s->lambda, m->gravity, TD_COLUMNS_SLOPES);
  fill_forces(m, ws);
  td_loop_rates(m, ws, T);
  td_loop_rate_derivatives(m, ws, T, s->da);
  reduce_rows(m, ws);
  if (dependent) factor_rows(m, ws);
  if (dependent && has_leftover(m, ws, s->a)) add_leftover(m, ws, state->q);
  solve_columns(m, ws);
  copy_columns(n, n, 2 * ld, ws->solution, out->dfd_dq);
  copy_columns(n, n, 2 * ld, ws->solution + ld, out->dfd_dqd);
  if (lambdas) {
    multiplier_columns(m, ws);
    if (dependent && out->dlambda_dq) add_range_turn(m, ws, state->q);
    add_reactions(m, ws);
    copy_columns(c, n, 2 * ld, s->da, out->dlambda_dq);
    copy_columns(c, n, 2 * ld, s->da + ld, out->dlambda_dqd);
  }
  td_status status = td_all_finite(ws->solution, 2 * n * ld);
  return status || !lambdas ? status : td_all_finite(s->da, 2 * c * ld);
}

// ---- derivatives in other directions

bool td_closed_dependent(const td_model *m, td_workspace *ws, const double *a) {
  assert(ws->constraint.rank < m->loop_rows);
  factor_rows(m, ws);
  return has_leftover(m, ws, a);
}

void td_closed_leftover(const td_model *m, td_workspace *ws, const double *force, double *c) {
  td_constraint_scratch *s = &ws->constraint;
  int k = s->rank, kpad = s->kpad;
  double *gain = s->work;
  memset(gain, 0, (size_t)kpad * sizeof *gain);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < k; j++) gain[j] += s->turn_Q[i * kpad + j] * force[i];
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++) gain[i] -= s->turn_R[i * kpad + j] * gain[j];
    gain[i] /= s->turn_R[i * kpad + i];
  }
  for (int i = 0; i < m->loop_rows; i++)
    for (int j = 0; j < k; j++) c[i] += s->basis[i * kpad + j] * gain[j];
}

void td_closed_project_out(const td_model *m, td_workspace *ws, double *v) {
  td_constraint_scratch *s = &ws->constraint;
  int k = s->rank, kpad = s->kpad;
  double *along = s->work;
  memset(along, 0, (size_t)kpad * sizeof *along);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < k; j++) along[j] += s->turn_Q[i * kpad + j] * v[i];
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < k; j++) v[i] -= s->turn_Q[i * kpad + j] * along[j];
}

void td_closed_turn(const td_model *m, td_workspace *ws, const double *rows, double *turn) {
  td_constraint_scratch *s = &ws->constraint;
  double *inside = s->work;
  reduce(m, ws, rows, inside);
  for (int i = 0; i < m->loop_rows; i++) {
    turn[i] = rows[i];
    for (int j = 0; j < s->rank; j++) turn[i] -= s->basis[i * s->kpad + j] * inside[j];
  }
}

// Input columns one by one: few, and rarely asked for.
static td_status input_derivatives(const td_model *m, td_workspace *ws, const td_state *state,
                                   const td_constrained_output *out) {
  const double *q = state->q;
  td_constraint_scratch *s = &ws->constraint;
  int n = m->n, channels = m->channel_count, r = m->loop_rows, p = m->prescribed_count;
  double *did_du = ws->solution, *force = ws->tau, *x = ws->id, *lambda = s->lambda;
  td_status status = td_force_derivatives(m, ws, q, state->qd, state->u, NULL, NULL, s->inputs);
  if (!status) status = td_id_input_derivative(m, ws, q, state->qd, state->u, did_du);
  if (status) return status;
  for (int i = 0; i < n * channels; i++) s->inputs[i] -= did_du[i];
  for (int c = 0; c < channels; c++) {
    for (int i = 0; i < n; i++) force[i] = s->inputs[i * channels + c];
    td_closed_solve(m, ws, force, NULL, NULL, x, lambda);
    for (int i = 0; out->dfd_du && i < n; i++) out->dfd_du[i * channels + c] = x[i];
    for (int i = 0; out->dlambda_du && i < r + p; i++) out->dlambda_du[i * channels + c] = lambda[i];
  }
  status = out->dfd_du ? td_all_finite(out->dfd_du, n * channels) : TD_OK;
  return status || !out->dlambda_du ? status : td_all_finite(out->dlambda_du, (r + p) * channels);
}

td_status td_closed_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                             const td_constrained_output *out) {
  double T = state->baumgarte > 0 ? state->baumgarte : TD_BAUMGARTE;
  td_status status = accelerate(model, ws, state, T);
  if (status) return status;
  if (out->fd) memcpy(out->fd, ws->fd, (size_t)model->n * sizeof(double));
  if (out->lambda)
    memcpy(out->lambda, ws->constraint.lambda, (size_t)(model->loop_rows + model->prescribed_count) * sizeof(double));
  if (out->dfd_dq || out->dfd_dqd || out->dlambda_dq || out->dlambda_dqd)
    status = state_derivatives(model, ws, state, T, out);
  if (!status && (out->dfd_du || out->dlambda_du)) status = input_derivatives(model, ws, state, out);
  return status;
}
