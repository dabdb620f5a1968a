// Derivatives of loop rows and of the forces of multipliers.
//
// With V, A the twist and acceleration of a frame, J, R, Q, Y its columns (engine/README.md) and C constant in frame B:
//   dV/dq = R + [J, V],   dA/dq = Q + [J, A] - [V, R],   dA/dqd = Y + [J, V],   d(C x) = C (dx - [J_B, x]).
// For x = delta (workspace.h) every column of frame A or B is multiplied by constant covectors, made of those of C by
// c.[a, y] = -(a x* c).y, with b = V_A + V_B and t = 2/T:
//   dq:   c on Q,   b x* c + t c on R,   and on J
//         A:  A_A x* c + V_A x* (V_B x* c) + t V_A x* c + c_e / T^2          (c_e: rows of de/dq)
//         B:  A_B x* c + V_B x* (V_A x* c) + t V_B x* c + delta x* c + c_e / T^2, all columns of B with a minus
//   dqd:  c on Y,   b x* c + t c on J.
// The multiplier's wrench Lambda is fixed in B: as one fixed to the bodies it is on (composites hold it so) it lacks
// on A
//   J_A^T ((J_A - J_B) x* Lambda).            Replaces (D72)-(D82) of Mathew2025, which has misprints there.
#include "constraint/loop.h"
#include "constraint/loop_closure.h"
#include "lie/vec3.h"
#include "math/product.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "pass/path_columns.h"
#include <assert.h>
#include <string.h>

// out += k (a x* c)
static void add_turned(double k, const double a[6], const double c[6], double out[6]) {
  double turned[6] = {0};
  td_cobracket_add(a, c, turned);
  for (int i = 0; i < 6; i++) out[i] += k * turned[i];
}

// ---- rows

// W[0] += what the rate term of a universal joint adds on R (on J for dqd): -(q.k) w.
static void add_universal_rate(const td_workspace *ws, const td_loop *l, const td_loop_state *s, double W[6]) {
  double qk = td_vec3_dot(s->w, s->k);
  for (int i = 0; i < 3; i++) W[i] -= qk * (ws->V[l->a.node][i] - ws->V[l->b.node][i]);
}

// W[0] += what the turning of a universal joint's row n adds on J of an end with twist V:
//   delta.dn - |w|^2 n / 4 - (q.k) V x w,   w the relative angular velocity.
static void add_universal_pose(const td_workspace *ws, const td_loop *l, const td_loop_state *s, const double *V,
                               double W[6]) {
  double w[3], n[3], turned[3], crossed[3], qk = td_vec3_dot(s->w, s->k);
  for (int i = 0; i < 3; i++) w[i] = ws->V[l->a.node][i] - ws->V[l->b.node][i];
  td_vec3_cross(s->w, s->k, n);
  td_universal_turn(s, s->delta, turned);
  td_vec3_cross(V, w, crossed);
  double square = td_vec3_dot(w, w);
  for (int i = 0; i < 3; i++) W[i] += turned[i] - 0.25 * square * (s->w0 * s->k[i] + n[i]) - qk * crossed[i];
}

// Covectors on R (and, for dqd, on J): b x* c + t c.
static void rate_weights(const td_workspace *ws, const td_loop *l, const td_loop_state *s, double t, double W[6][6]) {
  for (int i = 0; i < l->rows; i++) {
    for (int k = 0; k < 6; k++) W[i][k] = t * s->C[i][k];
    add_turned(1, ws->V[l->a.node], s->C[i], W[i]);
    add_turned(1, ws->V[l->b.node], s->C[i], W[i]);
  }
  if (td_loop_turns_itself(ws, l)) add_universal_rate(ws, l, s, W[0]);
}

// Covectors on J for dq, of end B or A.
static void pose_weights(const td_workspace *ws, const td_loop *l, const td_loop_state *s, double t, bool end,
                         double W[6][6]) {
  const double *V = ws->V[end ? l->b.node : l->a.node], *other = ws->V[end ? l->a.node : l->b.node];
  for (int i = 0; i < l->rows; i++) {
    const double *c = s->C[i];
    double turned[6] = {0};
    for (int k = 0; k < 6; k++) W[i][k] = 0.25 * t * t * s->T[i][k];
    add_turned(1, ws->A[end ? l->b.node : l->a.node], c, W[i]);
    add_turned(1, other, c, turned);
    add_turned(1, V, turned, W[i]);
    add_turned(t, V, c, W[i]);
    if (end) add_turned(1, s->delta, c, W[i]);
  }
  if (td_loop_turns_itself(ws, l)) add_universal_pose(ws, l, s, V, W[0]);
}

void td_loop_rate_derivatives(const td_model *m, td_workspace *ws, double T, double *da) {
  int ldx = 2 * m->ld;
  assert(T > 0 && (m->loop_rows == 0 || td_holds(ws, TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES)));
  memset(da, 0, (size_t)(m->loop_rows * ldx) * sizeof *da);
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    const td_loop_state *s = &ws->constraint.loop[i];
    double rate[6][6], pose[6][6], *dq = da + l->first * ldx, *dqd = dq + m->ld;
    rate_weights(ws, l, s, 2 / T, rate);
    for (int end = 0; end < 2; end++) {
      const td_loop_frame *f = end ? &l->b : &l->a;
      double sign = end ? -1 : 1;
      pose_weights(ws, l, s, 2 / T, end, pose);
      td_path_columns(m, ws, f, TD_ROW_Q, sign, l->rows, s->C[0], ldx, dq);
      td_path_columns(m, ws, f, TD_ROW_R, sign, l->rows, rate[0], ldx, dq);
      td_path_columns(m, ws, f, TD_ROW_J, sign, l->rows, pose[0], ldx, dq);
      td_path_columns(m, ws, f, TD_ROW_Y, sign, l->rows, s->C[0], ldx, dqd);
      td_path_columns(m, ws, f, TD_ROW_J, sign, l->rows, rate[0], ldx, dqd);
    }
  }
}

void td_loop_turn(const td_model *m, const td_workspace *ws, double *D) {
  assert(m->loop_rows == 0 || td_holds(ws, TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES));
  memset(D, 0, (size_t)(m->loop_rows * m->ld) * sizeof *D);
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    const td_loop_state *s = &ws->constraint.loop[i];
    double turned[6][6] = {{0}}, *out = D + l->first * m->ld;
    for (int k = 0; k < l->rows; k++) add_turned(1, ws->V[l->a.node], s->C[k], turned[k]);
    if (td_loop_turns_itself(ws, l)) {
      double w[3], own[3];
      for (int k = 0; k < 3; k++) w[k] = ws->V[l->a.node][k] - ws->V[l->b.node][k];
      td_universal_turn(s, w, own);
      for (int k = 0; k < 3; k++) turned[0][k] += own[k];
    }
    for (int end = 0; end < 2; end++) {
      const td_loop_frame *f = end ? &l->b : &l->a;
      double sign = end ? -1 : 1;
      td_path_columns(m, ws, f, TD_ROW_R, sign, l->rows, s->C[0], m->ld, out);
      td_path_columns(m, ws, f, TD_ROW_J, sign, l->rows, turned[0], m->ld, out);
    }
  }
}

// ---- forces

// moved [6][ld] = L (J_A - J_B)
static void move_relative(const td_model *m, td_workspace *ws, const td_loop *l, double L[6][6]) {
  double *moved = ws->constraint.moved;
  memset(moved, 0, 6 * (size_t)m->ld * sizeof *moved);
  td_path_columns(m, ws, &l->a, TD_ROW_J, 1, 6, L[0], m->ld, moved);
  td_path_columns(m, ws, &l->b, TD_ROW_J, -1, 6, L[0], m->ld, moved);
}

// ws->did_dq += sign J^T moved, J of one end.
static void add_end(const td_model *m, td_workspace *ws, const td_loop_frame *f, double sign) {
  for (int i = 0; i < f->range_count; i++) {
    const td_column_range *range = &f->range[i];
    td_multiply_add(range->count, 6, m->ld, sign, ws->kept + TD_ROW_J * m->kept_stride + range->first, 1,
                    m->kept_stride, ws->constraint.moved, m->ld, ws->did_dq + range->coordinate * m->ld, m->ld);
  }
}

// A universal joint's couple lambda n turns with its row: ws->did_dq -= lambda (J_A - J_B)^T D (J_A - J_B).
static void add_universal_stiffness(const td_model *m, td_workspace *ws, const td_loop *l, double lambda) {
  double D[3][3], L[6][6] = {{0}};
  td_universal_turns(&ws->constraint.loop[l - m->loop], D);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) L[i][j] = lambda * D[i][j];
  move_relative(m, ws, l, L);
  add_end(m, ws, &l->a, -1);
  add_end(m, ws, &l->b, 1);
}

// ws->did_dq += J_A^T ((J_A - J_B) x* Lambda) of one loop.
static void add_stiffness(const td_model *m, td_workspace *ws, const td_loop *l, const double wrench[6]) {
  double L[6][6] = {{0}};
  for (int k = 0; k < 6; k++) { // L x = x x* Lambda, column by column
    double unit[6] = {0}, turned[6] = {0};
    unit[k] = 1;
    td_cobracket_add(unit, wrench, turned);
    for (int i = 0; i < 6; i++) L[i][k] = turned[i];
  }
  move_relative(m, ws, l, L);
  add_end(m, ws, &l->a, 1);
}

static void add_stiffnesses(const td_model *m, td_workspace *ws, const double *lambda) {
  for (int i = 0; i < m->loop_count; i++) {
    double wrench[6];
    td_loop_wrench(&m->loop[i], &ws->constraint.loop[i], lambda, wrench);
    add_stiffness(m, ws, &m->loop[i], wrench);
    if (td_loop_turns_itself(ws, &m->loop[i])) add_universal_stiffness(m, ws, &m->loop[i], lambda[m->loop[i].first]);
  }
}

void td_loop_id_derivatives(const td_model *m, td_workspace *ws, const td_state *state, const double *lambda,
                            const double *gravity, td_columns what) {
  const double *qd = state->qd ? state->qd : ws->zero, *qdd = state->qdd ? state->qdd : ws->zero;
  td_kinematics(m, ws, state->q, qd, qdd, gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, state->u, TD_FORCE_ALL, gravity, TD_COMPOSITE_ALL);
  td_loop_poses(m, ws);
  td_loop_apply(m, ws, lambda);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_composite_project(m, ws, ws->id);
  td_columns_of(m, ws, what);
  if (what & TD_COLUMNS_SLOPES) td_composite_between(m, ws);
  add_stiffnesses(m, ws, lambda);
}

void td_loop_force_derivative(const td_model *m, td_workspace *ws, const double *q, const double *lambda) {
  static const double NONE[3] = {0};
  td_kinematics(m, ws, q, ws->zero, ws->zero, NONE, TD_LEVEL_ACCELERATION);
  td_composite_clear(m, ws);
  td_loop_poses(m, ws);
  td_loop_apply(m, ws, lambda);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_columns_of(m, ws, TD_COLUMNS_SLOPES);
  add_stiffnesses(m, ws, lambda);
}
