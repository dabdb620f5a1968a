// Blocks between an element and its ancestors, columns of one-coordinate joints, and the matrix passes over the tree.
//
// With U = M s, W = B^T s, N^T s and Gq, Gv of the descendant's column d, and J, R, Q, Y of the ancestor's column a:
//   dID/dq [d][a] = U.Q + W.R + (N^T s).J    dID/dqd [d][a] = U.Y + W.J    M[d][a] = M[a][d] = U.J
//   dID/dq [a][d] = J.Gq                     dID/dqd [a][d] = J.Gv
// For a screw s: r = [V1, s], k = [A1, s] + [V1, r], y = [V0 + V1, s]. Off-branch blocks stay 0 and are never visited.
#include "algorithm/columns.h"
#include "algorithm/composite.h"
#include "algorithm/dynamics.h"
#include "algorithm/kinematics.h"
#include "algorithm/ritz.h"
#include "algorithm/strip.h"
#include "lie/spatial.h"
#include <math.h>
#include <string.h>

// ---- ancestors

typedef struct cross_columns {
  td_vec q, v, m, up_q, up_v;
} cross_columns;

#define NO_COLUMNS ((cross_columns){td_splat(0), td_splat(0), td_splat(0), td_splat(0), td_splat(0)})

TD_INLINE td_vec load(const double *slot, int stride, int row) { return *(const td_vecu *)(slot + row * stride); }

TD_INLINE void cross_mass(const double *own, int stride, const double *slot, int slot_stride, cross_columns *out) {
  for (int r = 0; r < 6; r++) out->m += own[(TD_OWN_U + r) * stride] * load(slot, slot_stride, TD_ROW_J + r);
}

// `angular_rows` of W, R and N: 3, or 6 with full maps.
TD_INLINE void cross_all(const double *own, int stride, const double *slot, int slot_stride, bool world_forces,
                         int angular_rows, cross_columns *out) {
  for (int r = 0; r < 6; r++) {
    double U = own[(TD_OWN_U + r) * stride];
    td_vec J = load(slot, slot_stride, TD_ROW_J + r);
    out->m += U * J;
    out->q += U * load(slot, slot_stride, TD_ROW_Q + r);
    out->v += U * load(slot, slot_stride, TD_ROW_Y + r);
    out->up_q += own[(TD_OWN_GQ + r) * stride] * J;
    out->up_v += own[(TD_OWN_GV + r) * stride] * J;
  }
  for (int r = 0; r < angular_rows; r++) {
    double W = own[(TD_OWN_W + r) * stride];
    td_vec J = load(slot, slot_stride, TD_ROW_J + r);
    out->q += W * load(slot, slot_stride, TD_ROW_R + r);
    out->v += W * J;
    if (world_forces) out->q += own[(TD_OWN_N + r) * stride] * J;
  }
}

TD_INLINE void store_row(double *out, td_vec value, int count) {
  if (count >= TD_LANES)
    *(td_vecu *)out = value;
  else
    for (int l = 0; l < count; l++) out[l] = value[l];
}
TD_INLINE void store_column(double *out, int ld, td_vec value, int count) {
  for (int l = 0; l < count; l++) out[l * ld] = value[l];
}

void td_ancestor_blocks(const td_model *m, td_workspace *ws, const td_element *e, int mass_only) {
  int ld = m->ld, stride = ws->strip_stride, slots = m->slot_stride;
  for (int c = 0; c < e->n; c++)
    for (int i = 0; i < e->run_count; i++)
      for (int k = 0; k < e->run[i].count; k += TD_LANES) {
        cross_columns x = NO_COLUMNS;
        int count = e->run[i].count - k < TD_LANES ? e->run[i].count - k : TD_LANES;
        int row = e->coordinate + c, column = e->run[i].coordinate + k;
        const double *slot = ws->slot + e->run[i].slot + k;
        if (mass_only)
          cross_mass(ws->own + c, stride, slot, slots, &x);
        else if (ws->full)
          cross_all(ws->own + c, stride, slot, slots, true, 6, &x);
        else
          cross_all(ws->own + c, stride, slot, slots, ws->world_forces, 3, &x);
        store_row(ws->mass + row * ld + column, x.m, count);
        store_column(ws->mass + column * ld + row, ld, x.m, count);
        if (mass_only) continue;
        store_row(ws->did_dq + row * ld + column, x.q, count);
        store_row(ws->did_dqd + row * ld + column, x.v, count);
        store_column(ws->did_dq + column * ld + row, ld, x.up_q, count);
        store_column(ws->did_dqd + column * ld + row, ld, x.up_v, count);
      }
}

// ---- one-coordinate joints

static void lean_screw(const td_composite *c, const double *s, const double *column, double *own) {
  const double *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
  td_inertia_times_scalar(c->M, k, k + 3, own + TD_OWN_GQ);
  td_angular_map_add_scalar(c->B, column + TD_ROW_R, own + TD_OWN_GQ);
  td_angular_map_add_scalar(c->N, s, own + TD_OWN_GQ);
  td_inertia_times_scalar(c->M, y, y + 3, own + TD_OWN_GV);
  td_angular_map_add_scalar(c->B, s, own + TD_OWN_GV);
  td_angular_map_transposed_scalar(c->B, s, s + 3, own + TD_OWN_W);
  td_angular_map_transposed_scalar(c->N, s, s + 3, own + TD_OWN_N);
}

static void full_screw(const td_full *full, const double *s, const double *column, double *own) {
  const double *k = column + TD_ROW_Q, *y = column + TD_ROW_Y, *r = column + TD_ROW_R;
  td_full_map_add_scalar(full->M, k, k + 3, own + TD_OWN_GQ);
  td_full_map_add_scalar(full->B, r, r + 3, own + TD_OWN_GQ);
  td_full_map_add_scalar(full->N, s, s + 3, own + TD_OWN_GQ);
  td_full_map_add_scalar(full->M, y, y + 3, own + TD_OWN_GV);
  td_full_map_add_scalar(full->B, s, s + 3, own + TD_OWN_GV);
  td_full_map_transposed_scalar(full->B, s, s + 3, own + TD_OWN_W);
  td_full_map_transposed_scalar(full->N, s, s + 3, own + TD_OWN_N);
}

void td_screw_columns(const td_model *m, td_workspace *ws, const td_element *e, int mass_only) {
  const td_composite *c = &ws->composite[e->end];
  const double *s = ws->screw[e - m->element];
  double column[TD_ROWS] = {0}, own[TD_OWN_ROWS] = {0};
  int rows = mass_only ? 6 : TD_ROWS, at = e->coordinate * m->ld + e->coordinate;
  memcpy(column + TD_ROW_J, s, 6 * sizeof *s);
  if (ws->full)
    td_full_map_add_scalar(ws->full[e->end].M, s, s + 3, own + TD_OWN_U);
  else
    td_inertia_times_scalar(c->M, s, s + 3, own + TD_OWN_U);
  ws->mass[at] = td_dot6(s, own + TD_OWN_U);
  if (!mass_only) {
    const double *V0 = ws->V[e->start], *V1 = ws->V[e->end];
    double r[6] = {0}, V[6], *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
    td_bracket_add(V1, s, r);
    memcpy(column + TD_ROW_R, r, sizeof r);
    td_bracket_add(ws->A[e->end], s, k);
    td_bracket_add(V1, r, k);
    for (int i = 0; i < 6; i++) V[i] = V0[i] + V1[i];
    td_bracket_add(V, s, y);
    if (ws->full)
      full_screw(&ws->full[e->end], s, column, own);
    else
      lean_screw(c, s, column, own);
    td_cobracket_add(s, c->F, own + TD_OWN_GQ);
    ws->did_dq[at] = td_dot6(s, own + TD_OWN_GQ);
    ws->did_dqd[at] = td_dot6(s, own + TD_OWN_GV);
  }
  for (int i = 0; i < TD_OWN_ROWS; i++) ws->own[i * ws->strip_stride] = own[i];
  if (e->block_count)
    for (int i = 0; i < rows; i++) ws->slot[i * m->slot_stride + e->block[0].slot] = column[i];
}

// ---- passes over the tree

static void all_columns(const td_model *m, td_workspace *ws, int mass_only) {
  for (int i = 0; i < m->element_count && !td_stopped(ws); i++) {
    const td_element *e = &m->element[i];
    if (e->n == 0) continue;
    if (e->type == TD_ELEMENT_SCREW) {
      td_screw_columns(m, ws, e, mass_only);
    } else if (e->type == TD_ELEMENT_SOLID) {
      td_ritz_columns(m, ws, e, mass_only);
    } else {
      td_strip_tables(ws, e, mass_only);
      td_strip_columns(m, ws, e, mass_only);
    }
    if (e->run_count) td_ancestor_blocks(m, ws, e, mass_only);
  }
}

static void clear(const td_model *m, double *matrix) {
  if (m->branched) memset(matrix, 0, (size_t)m->n * (size_t)m->ld * sizeof *matrix);
}

void td_mass_columns(const td_model *m, td_workspace *ws) {
  clear(m, ws->mass);
  all_columns(m, ws, 1);
}

void td_mass_padded(const td_model *m, td_workspace *ws, const double *q) {
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  td_composite_nodes(m, ws, NULL, 0, NULL, TD_COMPOSITE_MASS);
  td_composite_sum(m, ws, TD_COMPOSITE_MASS);
  td_mass_columns(m, ws);
}

void td_derivative_columns(const td_model *m, td_workspace *ws) {
  clear(m, ws->mass);
  clear(m, ws->did_dq);
  clear(m, ws->did_dqd);
  all_columns(m, ws, 0);
}

void td_id_derivatives_padded(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                              const double *u) {
  td_kinematics(m, ws, q, qd ? qd : ws->zero, qdd ? qdd : ws->zero, m->gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, u, TD_FORCE_ALL, m->gravity, TD_COMPOSITE_ALL);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_composite_project(m, ws, ws->id);
  td_derivative_columns(m, ws);
}

void td_unpad(const td_model *m, const double *padded, double *out) {
  for (int i = 0; i < m->n; i++) memcpy(out + i * m->n, padded + i * m->ld, (size_t)m->n * sizeof *out);
}

td_status td_mass_matrix(const td_model *model, td_workspace *ws, const double *q, double *mass) {
  td_mass_padded(model, ws, q);
  td_unpad(model, ws->mass, mass);
  return td_all_finite(mass, model->n * model->n);
}

td_status td_id_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                            const double *qdd, const double *u, double *id, double *did_dq, double *did_dqd,
                            double *mass) {
  td_id_derivatives_padded(model, ws, q, qd, qdd, u);
  if (id) memcpy(id, ws->id, (size_t)model->n * sizeof *id);
  if (did_dq) td_unpad(model, ws->did_dq, did_dq);
  if (did_dqd) td_unpad(model, ws->did_dqd, did_dqd);
  if (mass) td_unpad(model, ws->mass, mass);
  return td_all_finite(ws->did_dq, model->n * model->ld);
}
