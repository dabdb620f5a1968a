// Steps of radau, linearised: of the converged stages, whatever Newton's iteration took.
//
// With the coefficients A of the method, A^2 = B, stages i = 1, 2, 3 and da_i the motion of free accelerations,
//     q_i = q^_i + h^2 B_ij da_j,   v_i = v^_i + h A_ij da_j,   q^_i = q0 + c_i h v0,   v^_i = v0,
// prescribed coordinates at their course, and (K, C, M and the rows' slopes at each stage; index 1)
//     sum_j (h^2 B_ij K_i + h A_ij C_i + 1_ij M_i) da_j - A_i^T dl_i = r_u du + r_p dp - K q^_i - C v^_i - M a^_i
//     sum_j (h^2 B_ij Cq_i + h A_ij Cv_i + 1_ij A_i) da_j            = -a_p dp - Cq q^_i - Cv v^_i - A a^_i,
// one system of three stages' size, factored once for all numbers. Rows that depend on each other are reduced by a
// basis P of the range of A, as in integrate/saddle.h. Backward: the transposed system.
#include "base/carve.h"
#include "build/build.h"
#include "constraint/closed_chain.h"
#include "gradient/chain.h"
#include "gradient/kink/kink.h"
#include "math/lu.h"
#include "math/range.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = TD_RADAU_STAGES };

// ------------------------------------------------------------------------------------------------ life

static bool carve(td_chain *c) {
  td_collocation *s = &c->radau;
  size_t n = (size_t)c->n, r = (size_t)c->plant.rows, f = (size_t)c->plant.free_count,
         block = td_linear_block(&c->linear);
  size_t ld = (size_t)td_pad((int)f + 1), ldp = (size_t)s->ldp, most = (size_t)s->most;
  size_t wide = c->backward ? 0 : 2 * n * (size_t)c->ld, one = c->backward ? 2 * n : 0;
  double **B = s->block, **P = s->P, **Y = s->Y, **L = s->Ly;
  return TD_CARVE({&s->memory, 1}, {&B[0], block}, {&B[1], block}, {&B[2], block}, {&P[0], r * ldp}, {&P[1], r * ldp},
                  {&P[2], r * ldp}, {&s->A, r * ld}, {&s->work, ld + r * ldp + most}, {&s->J, most * most},
                  {&s->X, most * (c->backward ? 1 : (size_t)c->ld)}, {&Y[0], wide}, {&Y[1], wide}, {&Y[2], wide},
                  {&L[0], one}, {&L[1], one}, {&L[2], one}, {&s->error, 2 * n}, {&s->x, 2 * n}, {&s->shifted, 3 * n},
                  {&s->moved, n}, {&s->lambda, r}, {&s->E, wide}, {&s->R, wide}, {&s->Le, one}, {&s->Lx, one});
}

td_status td_radau_chain_init(td_chain *c) {
  td_collocation *s = &c->radau;
  if (s->memory) return TD_OK;
  int f = c->plant.free_count, r = c->plant.rows, rank = r < f ? r : f;
  s->rule = td_radau_coefficients();
  s->ldp = td_pad(rank + 1);
  s->most = S * (f + rank);
  s->bent_at = NAN;
  s->pivot = calloc((size_t)s->most + 1, sizeof *s->pivot);
  if (!s->pivot || !carve(c)) return TD_NO_MEMORY;
  return td_saddle_init(&s->filter, f, r);
}

void td_radau_chain_fini(td_chain *c) {
  free(c->radau.memory);
  free(c->radau.pivot);
  td_saddle_fini(&c->radau.filter);
}

// ------------------------------------------------------------------------------------------------ the system

static double time_of(const td_chain *c, const td_note *step, int i) {
  return step->from + c->radau.rule.node[i] * step->h;
}

static td_linear_point stage_of(const td_chain *c, const td_note *step, int i) {
  const double *x = td_tape_point(c->tape, step->start + 1 + (size_t)i);
  size_t n = (size_t)c->n;
  return (td_linear_point){time_of(c, step, i), x, x + n, x + 2 * n, x + 3 * n};
}

// Inputs and matrices of stage i, which are kept, and a basis of what its rows span.
static td_status linearise(td_chain *c, const td_note *step, int i) {
  td_collocation *s = &c->radau;
  td_linear *l = &c->linear;
  td_linear_point at = stage_of(c, step, i);
  td_chain_place(c, step, step->start + 1 + (size_t)i);
  td_status status = td_chain_list(c, at.t, at.q, at.v);
  td_kinks_keep(c, at.q);
  if (!status) status = td_linear_matrices(l, &at, false, c->listed > 0);
  if (status) return status;
  td_linear_keep(l, s->block[i]);
  s->rank[i] = 0;
  if (l->rows == 0) return TD_OK;
  int f = c->plant.free_count, ld = td_pad(f + 1);
  td_constraint_scratch *loops = &c->ws->constraint;
  td_saddle_rows(&c->plant, ld, 1, l->A, 0, NULL, 0, NULL, s->A);
  int rank = td_range_basis(l->rows, f, ld, s->A, td_rank_tolerance(loops), s->ldp, s->P[i], s->work);
  s->rank[i] = td_rank_held(loops, rank);
  return TD_OK;
}

// Where the unknowns of stage i begin.
static int offset(const td_chain *c, int i) {
  int at = 0;
  for (int k = 0; k < i; k++) at += c->plant.free_count + c->radau.rank[k];
  return at;
}

static double largest(const td_chain *c) {
  double most = 0;
  for (int i = 0; i < c->n * c->n; i++) most = fmax(most, fabs(c->linear.M[i]));
  return most > 0 ? most : 1;
}

// Block (i, j): q, v and a are what da_j counts in stage i.
static void fill(td_chain *c, int i, int j, double q, double v, double a) {
  td_collocation *s = &c->radau;
  const td_linear *l = &c->linear;
  const int *at = c->plant.free;
  int f = c->plant.free_count, n = c->n;
  double *J = s->J + (size_t)offset(c, i) * (size_t)s->size + offset(c, j), scale = s->scale[i];
  for (int k = 0; k < f; k++)
    for (int m = 0; m < f; m++) {
      int e = at[k] * n + at[m];
      J[k * s->size + m] = q * l->K[e] + v * l->C[e] + a * l->M[e];
    }
  for (int k = 0; k < s->rank[i]; k++)
    for (int m = 0; m < f; m++) {
      double row = 0, force = 0;
      for (int w = 0; w < l->rows; w++) {
        int e = w * n + at[m];
        double part = scale * s->P[i][w * s->ldp + k];
        row += part * (q * l->Cq[e] + v * l->Cv[e] + a * l->A[e]);
        force -= part * l->A[e];
      }
      J[(f + k) * s->size + m] = row;
      if (i == j) J[m * s->size + f + k] = force;
    }
}

static td_status factor(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  double h = step->h;
  s->size = offset(c, S);
  memset(s->J, 0, (size_t)s->size * (size_t)s->size * sizeof *s->J);
  for (int i = 0; i < S; i++) {
    td_linear_recall(&c->linear, s->block[i]);
    for (int j = 0; j < S; j++) fill(c, i, j, h * h * s->rule.square[i][j], h * s->rule.weight[i][j], i == j);
  }
  return td_lu_factor(s->size, s->J, s->pivot) ? TD_OK : TD_SINGULAR;
}

// ------------------------------------------------------------------------------------------------ forward

// What is set of stage i, q^ and v^ in Y, and the rows of its right-hand sides.
static td_status set(td_chain *c, const td_note *step, int i) {
  td_collocation *s = &c->radau;
  size_t all = (size_t)c->n * (size_t)c->ld, ld = (size_t)c->ld;
  double *q = s->Y[i], *v = q + all, *a = c->T[TD_A], ch = s->rule.node[i] * step->h;
  for (size_t k = 0; k < all; k++) q[k] = c->T0[TD_Q][k] + ch * c->T0[TD_V][k];
  memcpy(v, c->T0[TD_V], all * sizeof *v);
  memset(a, 0, all * sizeof *a);
  td_chain_drive_tangents(c, q, v, a);
  td_status status = td_chain_right_sides(c);
  td_tangent_columns T = {c->np, c->ld, q, v, a};
  if (!status) td_linear_take(&c->linear, &T, c->f, c->g);
  double *X = s->X + (size_t)offset(c, i) * ld;
  for (int k = 0; k < c->plant.free_count; k++, X += ld)
    memcpy(X, c->f + (size_t)c->plant.free[k] * ld, ld * sizeof *X);
  for (int k = 0; k < s->rank[i]; k++, X += ld)
    for (size_t j = 0; j < ld; j++) {
      X[j] = 0;
      for (int w = 0; w < c->plant.rows; w++) X[j] += s->scale[i] * s->P[i][w * s->ldp + k] * c->g[(size_t)w * ld + j];
    }
  return status;
}

// What the motion X of all stages adds to stage i.
static void move(td_chain *c, const td_note *step, int i) {
  td_collocation *s = &c->radau;
  size_t ld = (size_t)c->ld, all = (size_t)c->n * ld;
  for (int j = 0; j < S; j++) {
    double on_v = step->h * s->rule.weight[i][j], on_q = step->h * step->h * s->rule.square[i][j];
    const double *X = s->X + (size_t)offset(c, j) * ld;
    for (int k = 0; k < c->plant.free_count; k++, X += ld) {
      double *q = s->Y[i] + (size_t)c->plant.free[k] * ld, *v = q + all;
      for (size_t m = 0; m < ld; m++) q[m] += on_q * X[m], v[m] += on_v * X[m];
    }
  }
}

td_status td_radau_forward(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  size_t ld = (size_t)c->ld, all = (size_t)c->n * ld;
  td_status status = TD_OK;
  s->bent_at = NAN;
  for (int k = 0; k < TD_B; k++) memcpy(c->T0[k], c->T[k], all * sizeof *c->T[k]);
  for (int i = 0; !status && i < S; i++) {
    status = linearise(c, step, i);
    s->scale[i] = largest(c);
    if (!status) status = set(c, step, i);
  }
  if (!status) status = factor(c, step);
  if (status) return status;
  td_lu_solve_many(s->size, s->J, s->pivot, c->np, c->ld, s->X, s->work);
  for (int i = 0; i < S; i++) move(c, step, i);
  memcpy(c->T[TD_Q], s->Y[S - 1], all * sizeof *c->f);
  memcpy(c->T[TD_V], s->Y[S - 1] + all, all * sizeof *c->f);
  const double *X = s->X + (size_t)offset(c, S - 1) * ld;
  for (int k = 0; k < c->plant.free_count; k++, X += ld) // prescribed ones are there
    memcpy(c->T[TD_A] + (size_t)c->plant.free[k] * ld, X, ld * sizeof *X);
  memset(c->T[TD_B], 0, all * sizeof *c->f);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ backward

// X: cotangents of the motion of stage j, from those of all stages, Ly, and of the accelerations at the end.
static void gather(td_chain *c, const td_note *step, int j) {
  td_collocation *s = &c->radau;
  double *X = s->X + offset(c, j);
  for (int k = 0; k < c->plant.free_count; k++) {
    int at = c->plant.free[k];
    X[k] = j == S - 1 ? c->L[TD_A][at] : 0;
    for (int i = 0; i < S; i++)
      X[k] += step->h * step->h * s->rule.square[i][j] * s->Ly[i][at] +
              step->h * s->rule.weight[i][j] * s->Ly[i][c->n + at];
  }
  memset(X + c->plant.free_count, 0, (size_t)s->rank[j] * sizeof *X);
}

// What stage i was set to: its cotangents go to inputs, numbers and the start, c->L0.
static td_status give(td_chain *c, const td_note *step, int i) {
  td_collocation *s = &c->radau;
  td_linear *l = &c->linear;
  const double *X = s->X + offset(c, i);
  double *q = s->Ly[i], *v = q + c->n, *a = c->L[TD_A];
  td_linear_recall(l, s->block[i]);
  l->at = stage_of(c, step, i);
  td_chain_place(c, step, step->start + 1 + (size_t)i);
  td_status status = td_plant_inputs(&c->plant, l->at.t, l->at.q, l->at.v);
  if (!status) status = td_chain_list(c, l->at.t, l->at.q, l->at.v);
  td_kinks_keep(c, l->at.q);
  if (status) return status;
  memset(l->f, 0, (size_t)c->n * sizeof *l->f);
  for (int k = 0; k < c->plant.free_count; k++) l->f[c->plant.free[k]] = X[k];
  for (int w = 0; w < c->plant.rows; w++) {
    l->g[w] = 0;
    for (int k = 0; k < s->rank[i]; k++) l->g[w] += s->scale[i] * s->P[i][w * s->ldp + k] * X[c->plant.free_count + k];
  }
  for (int k = 0; k < c->plant.free_count; k++) a[c->plant.free[k]] = 0;
  if (i < S - 1) memset(a, 0, (size_t)c->n * sizeof *a);
  td_linear_give(l, q, v, a);
  for (int k = 0; k < c->plant.free_count; k++) a[c->plant.free[k]] = 0; // 0 was set
  status = td_chain_right_side_cotangents(c);
  td_chain_drive_cotangents(c, q, v, a);
  double ch = s->rule.node[i] * step->h;
  for (int k = 0; k < c->n; k++) {
    c->L0[TD_Q][k] += q[k];
    c->L0[TD_V][k] += v[k] + ch * q[k];
  }
  memset(q, 0, 2 * (size_t)c->n * sizeof *q);
  return status;
}

td_status td_radau_backward(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  td_status status = td_radau_error_backward(c, step);
  for (int i = 0; !status && i < S; i++) {
    status = linearise(c, step, i);
    s->scale[i] = largest(c);
  }
  if (!status) status = factor(c, step);
  if (status) return status;
  for (int k = 0; k < c->n; k++) s->Ly[S - 1][k] += c->L[TD_Q][k], s->Ly[S - 1][c->n + k] += c->L[TD_V][k];
  for (int j = 0; j < S; j++) gather(c, step, j);
  td_lu_solve_transposed(s->size, s->J, s->pivot, s->X);
  for (int i = S - 1; !status && i >= 0; i--) status = give(c, step, i); // the end's accelerations first
  for (int k = 0; k < TD_B; k++) {
    memcpy(c->L[k], c->L0[k], (size_t)c->n * sizeof *c->L[k]);
    memset(c->L0[k], 0, (size_t)c->n * sizeof *c->L[k]);
  }
  memset(c->L[TD_B], 0, (size_t)c->n * sizeof *c->L[TD_B]);
  return status;
}
