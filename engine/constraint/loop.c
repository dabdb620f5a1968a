// Loop rows from the poses, twists and ancestor columns of their two frames. Mathew2025 section 4.4, (D70)-(D80),
// corrected.
//
// A world twist is the same for all points of a body, so that the pose of a loop frame on its body only enters through
// C. The multiplier of a loop is the wrench Lambda = C^T lambda on A's body and -Lambda on B's.
#include "constraint/loop.h"
#include "constraint/loop_closure.h"
#include "lie/inverse_tangent.h"
#include "lie/vec3.h"
#include "pass/path_columns.h"
#include <assert.h>
#include <string.h>

// out = Ad_g^-T F: a covector on twists in frame g, as one on twists in the parent frame.
static void carry(const td_se3 *g, const double F[6], double out[6]) {
  td_mat3_vec(g->R, F, out);
  td_mat3_vec(g->R, F + 3, out + 3);
  td_vec3_cross_add(g->p, out + 3, out);
}

// Rows by the format's logarithm: C of A, T of de/dq.
static void log_rows(const td_loop *l, const td_se3 *b, const td_se3 *relative, td_loop_state *s, double *e) {
  double inverse_tangent[TD_MATRIX6];
  td_se3_log(relative, s->xi);
  td_inverse_tangent(s->xi, inverse_tangent);
  for (int i = 0; i < l->rows; i++) {
    double turned[6] = {0};
    for (int k = 0; k < 6; k++)
      for (int c = 0; c < 6; c++) turned[c] += l->phi[i][k] * inverse_tangent[6 * k + c];
    e[i] = td_dot6(l->phi[i], s->xi);
    carry(b, l->phi[i], s->C[i]);
    carry(b, turned, s->T[i]);
  }
}

static void closure_rows(const td_loop *l, const td_se3 *b, const td_se3 *relative, td_loop_state *s, double *e) {
  td_closure rows;
  td_loop_closure(l, relative, s, &rows);
  for (int i = 0; i < l->rows; i++) {
    e[i] = rows.e[i];
    carry(b, rows.A[i], s->C[i]);
    carry(b, rows.G[i], s->T[i]);
  }
  if (l->group) return;
  double w[3] = {s->w[0], s->w[1], s->w[2]}, k[3] = {l->axis == 0, l->axis == 1, l->axis == 2};
  td_mat3_vec(b->R, w, s->w);
  td_mat3_vec(b->R, k, s->k);
}

static void loop_poses(td_workspace *ws, const td_loop *l, td_loop_state *s, double *e) {
  td_se3 a, b, inverse, relative;
  td_se3_compose(&ws->pose[l->a.node], &l->a.pose, &a);
  td_se3_compose(&ws->pose[l->b.node], &l->b.pose, &b);
  td_se3_inverse(&b, &inverse);
  td_se3_compose(&inverse, &a, &relative);
  if (ws->constraint.closure)
    closure_rows(l, &b, &relative, s, e + l->first);
  else
    log_rows(l, &b, &relative, s, e + l->first);
}

void td_loop_poses(const td_model *m, td_workspace *ws) {
  assert(td_holds(ws, TD_HOLDS_POSES));
  for (int i = 0; i < m->loop_count; i++) loop_poses(ws, &m->loop[i], &ws->constraint.loop[i], ws->constraint.e);
}

void td_loop_rates(const td_model *m, td_workspace *ws, double T) {
  assert(T > 0 && td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_TWISTS | TD_HOLDS_ACCELERATIONS));
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    td_loop_state *s = &ws->constraint.loop[i];
    const double *Va = ws->V[l->a.node], *Vb = ws->V[l->b.node], *Aa = ws->A[l->a.node], *Ab = ws->A[l->b.node];
    memset(s->delta, 0, sizeof s->delta);
    td_bracket_add(Va, Vb, s->delta); // -[V_B, V_A]
    for (int k = 0; k < 6; k++) s->delta[k] += Aa[k] - Ab[k] + 2 / T * (Va[k] - Vb[k]);
    for (int k = 0; k < l->rows; k++)
      ws->constraint.a[l->first + k] = td_dot6(s->C[k], s->delta) + ws->constraint.e[l->first + k] / (T * T);
    if (td_loop_turns_itself(ws, l)) ws->constraint.a[l->first] += td_universal_rate(s, Va, Vb);
  }
}

// ---- rows

void td_loop_jacobian(const td_model *m, td_workspace *ws, double *A, double *G) {
  int ld = m->ld;
  assert(td_holds(ws, TD_HOLDS_COLUMNS) || m->loop_rows == 0);
  if (A) memset(A, 0, (size_t)(m->loop_rows * ld) * sizeof *A);
  if (G) memset(G, 0, (size_t)(m->loop_rows * ld) * sizeof *G);
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    const td_loop_state *s = &ws->constraint.loop[i];
    for (int end = 0; end < 2; end++) {
      const td_loop_frame *f = end ? &l->b : &l->a;
      double sign = end ? -1 : 1;
      if (A) td_path_columns(m, ws, f, TD_ROW_J, sign, l->rows, s->C[0], ld, A + l->first * ld);
      if (G) td_path_columns(m, ws, f, TD_ROW_J, sign, l->rows, s->T[0], ld, G + l->first * ld);
    }
  }
}

void td_loop_unpad(const td_model *m, int ldx, const double *padded, double *out) {
  for (int i = 0; i < m->loop_rows; i++) memcpy(out + i * m->n, padded + i * ldx, (size_t)m->n * sizeof *out);
}

// ---- multipliers

void td_loop_wrench(const td_loop *l, const td_loop_state *s, const double *lambda, double wrench[6]) {
  memset(wrench, 0, 6 * sizeof *wrench);
  for (int i = 0; i < l->rows; i++)
    for (int k = 0; k < 6; k++) wrench[k] += s->C[i][k] * lambda[l->first + i];
}

void td_loop_apply(const td_model *m, td_workspace *ws, const double *lambda) {
  assert(!td_holds(ws, TD_HOLDS_COMPOSITES)); // before they are summed
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    double wrench[6];
    td_loop_wrench(l, &ws->constraint.loop[i], lambda, wrench);
    for (int k = 0; k < 6; k++) {
      ws->composite[l->a.node].F[k] -= wrench[k];
      ws->composite[l->b.node].F[k] += wrench[k];
    }
  }
}
