// Joints of one coordinate (a unit screw s) and of none, inside the passes over the tree.
//
// A screw has the columns  r = [V1, s],  k = [A1, s] + [V1, r],  y = [V0 + V1, s]  (engine/README.md).
#include "body/body.h"
#include "lie/spatial.h"
#include <math.h>
#include <string.h>

static void start_frame(const td_workspace *ws, const td_element *e, td_se3 *g) {
  if (e->has_pre)
    td_se3_compose(&ws->pose[e->start], &e->pre, g);
  else
    *g = ws->pose[e->start];
}

// exp(screw q): a rotation about a unit axis through the frame's origin with a slide along it, or a pure slide.
TD_INLINE void screw_exp(const td_element *e, double q, td_se3 *g) {
  const double *w = e->screw, *v = e->screw + 3;
  if (!e->rotates) {
    *g = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {v[0] * q, v[1] * q, v[2] * q}};
    return;
  }
  double s, c;
  sincos(q, &s, &c);
  double h = c > 0 ? s * s / (1 + c) : 1 - c; // 1 - cos q without cancellation
  *g = (td_se3){.R = {c + h * w[0] * w[0], h * w[0] * w[1] - s * w[2], h * w[0] * w[2] + s * w[1],
                      h * w[0] * w[1] + s * w[2], c + h * w[1] * w[1], h * w[1] * w[2] - s * w[0],
                      h * w[0] * w[2] - s * w[1], h * w[1] * w[2] + s * w[0], c + h * w[2] * w[2]},
                .p = {v[0] * q, v[1] * q, v[2] * q}};
}

static void screw_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  double *s = ws->screw[e - m->element], sd[6];
  if (td_sweeps(sweep, TD_LEVEL_POSE)) {
    td_se3 start, motion;
    start_frame(ws, e, &start);
    screw_exp(e, sweep->q[e->coordinate], &motion);
    td_mat3_mul(start.R, motion.R, ws->pose[e->end].R);
    td_mat3_vec(start.R, motion.p, ws->pose[e->end].p);
    for (int i = 0; i < 3; i++) ws->pose[e->end].p[i] += start.p[i];
    td_adjoint(&start, e->screw, s);
  }
  if (sweep->last < TD_LEVEL_TWIST) return;
  const double *V = ws->V[e->start], *A = ws->A[e->start], rate = sweep->qd[e->coordinate];
  for (int i = 0; i < 6; i++) sd[i] = s[i] * rate, ws->V[e->end][i] = V[i] + sd[i];
  if (sweep->last < TD_LEVEL_ACCELERATION) return;
  double out[6];
  for (int i = 0; i < 6; i++) out[i] = A[i] + s[i] * sweep->qdd[e->coordinate];
  td_bracket_add(V, sd, out);
  memcpy(ws->A[e->end], out, sizeof out);
}

static void screw_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out) {
  *out = td_dot6(ws->screw[e - m->element], ws->composite[e->end].F);
}

static void screw_jacobian(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J) {
  (void)node;
  for (int r = 0; r < 6; r++) J[r * m->n + e->coordinate] = ws->screw[e - m->element][r];
}

static void fixed_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  (void)m;
  if (td_sweeps(sweep, TD_LEVEL_POSE)) start_frame(ws, e, &ws->pose[e->end]);
  if (td_sweeps(sweep, TD_LEVEL_TWIST)) memcpy(ws->V[e->end], ws->V[e->start], sizeof *ws->V);
  if (td_sweeps(sweep, TD_LEVEL_ACCELERATION)) memcpy(ws->A[e->end], ws->A[e->start], sizeof *ws->A);
}

// ---- columns of a screw

static void lean_screw(const td_composite *c, const double *s, const double *column, double *wrench) {
  const double *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
  td_inertia_times_scalar(c->M, k, k + 3, wrench + TD_WRENCH_GQ);
  td_angular_map_add_scalar(c->B, column + TD_ROW_R, wrench + TD_WRENCH_GQ);
  td_angular_map_add_scalar(c->N, s, wrench + TD_WRENCH_GQ);
  td_inertia_times_scalar(c->M, y, y + 3, wrench + TD_WRENCH_GV);
  td_angular_map_add_scalar(c->B, s, wrench + TD_WRENCH_GV);
  td_angular_map_transposed_scalar(c->B, s, s + 3, wrench + TD_WRENCH_W);
  td_angular_map_transposed_scalar(c->N, s, s + 3, wrench + TD_WRENCH_N);
}

static void full_screw(const td_full *full, const double *s, const double *column, double *wrench) {
  const double *k = column + TD_ROW_Q, *y = column + TD_ROW_Y, *r = column + TD_ROW_R;
  td_full_map_add_scalar(full->M, k, k + 3, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->B, r, r + 3, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->N, s, s + 3, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->M, y, y + 3, wrench + TD_WRENCH_GV);
  td_full_map_add_scalar(full->B, s, s + 3, wrench + TD_WRENCH_GV);
  td_full_map_transposed_scalar(full->B, s, s + 3, wrench + TD_WRENCH_W);
  td_full_map_transposed_scalar(full->N, s, s + 3, wrench + TD_WRENCH_N);
}

static void screw_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  const td_composite *c = &ws->composite[e->end];
  const double *s = ws->screw[e - m->element];
  double column[TD_ROWS] = {0}, wrench[TD_WRENCH_ROWS] = {0};
  int rows = what & TD_COLUMNS_SLOPES ? TD_ROWS : 6, at = e->coordinate * m->ld + e->coordinate;
  memcpy(column + TD_ROW_J, s, 6 * sizeof *s);
  if (ws->full)
    td_full_map_add_scalar(ws->full[e->end].M, s, s + 3, wrench + TD_WRENCH_U);
  else
    td_inertia_times_scalar(c->M, s, s + 3, wrench + TD_WRENCH_U);
  if (what & TD_COLUMNS_MASS) ws->mass[at] = td_dot6(s, wrench + TD_WRENCH_U);
  if (what & TD_COLUMNS_SLOPES) {
    const double *V0 = ws->V[e->start], *V1 = ws->V[e->end];
    double r[6] = {0}, V[6], *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
    td_bracket_add(V1, s, r);
    memcpy(column + TD_ROW_R, r, sizeof r);
    td_bracket_add(ws->A[e->end], s, k);
    td_bracket_add(V1, r, k);
    for (int i = 0; i < 6; i++) V[i] = V0[i] + V1[i];
    td_bracket_add(V, s, y);
    if (ws->full)
      full_screw(&ws->full[e->end], s, column, wrench);
    else
      lean_screw(c, s, column, wrench);
    td_cobracket_add(s, c->F, wrench + TD_WRENCH_GQ);
    ws->did_dq[at] = td_dot6(s, wrench + TD_WRENCH_GQ);
    ws->did_dqd[at] = td_dot6(s, wrench + TD_WRENCH_GV);
  }
  for (int i = 0; i < TD_WRENCH_ROWS; i++) ws->wrench[i * ws->strip_stride] = wrench[i];
  if (e->block_count)
    for (int i = 0; i < rows; i++) ws->kept[i * m->kept_stride + e->block[0].first] = column[i];
}

const td_body_row td_body_fixed = {.name = "fixed", .motion = fixed_motion};
const td_body_row td_body_screw = {.name = "screw",
                                   .motion = screw_motion,
                                   .project = screw_project,
                                   .columns = screw_columns,
                                   .jacobian = screw_jacobian};
