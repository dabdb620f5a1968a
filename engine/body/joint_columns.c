// Joints of several coordinates inside the passes over the tree: exp(Omega) with Omega = sum_c q_c e_c, each e_c a component of the twist or
// its opposite: strips of one interval, with all strain at its first Zanna point. There Z = dOmega/dq = 1 and does not
// change, which leaves of the columns of strip_tables.c, in the world frame,
//   s = Ad T e,   r = Ad D e + [V1, s],   k = Ad (D'' + D2) e + [V0, Ad D e] + [A1, s] + [V1, r],
//   y = Ad (T' + D) e + [V0 + V1, s],
// and, since no column of the element stands before the interval, of its own block
//   dID/dq = s.Gq + e.(d(T^T f)/dOmega) e,   dID/dqd = s.Gv,   M = s.U.
// A lane is a column.
#include "body/rod/strip_motion.h"
#include "lie/spatial.h"
#include <assert.h>
#include <stdbool.h>

enum { MOST_COLUMNS = 6, MOST_CHUNKS = (MOST_COLUMNS + TD_LANES - 1) / TD_LANES };

// The maps and motions of the interval, each the same in all lanes.
typedef struct joint_maps {
  td_dmat T, Ad, D, Ddd, rate, K; ///< D; D'' + D2; T' + D; d(T^T f)/dOmega
  td_dvec V0, V1, V, A1;          ///< V = V0 + V1
} joint_maps;

// As many columns as there are lanes: e, the rows TD_ROW_* and TD_WRENCH_*, and (d(T^T f)/dOmega) e by component.
typedef struct joint_chunk {
  td_dvec e;
  td_vec row[TD_ROWS], wrench[TD_WRENCH_ROWS], curvature[6];
} joint_chunk;

TD_INLINE void spread(td_vec *x, int count) {
  for (int i = 0; i < count; i++) x[i] = td_splat(x[i][0]);
}
TD_INLINE void spread_matrix(td_dmat *m) { spread(m->re, 9), spread(m->du, 9); }
TD_INLINE void spread_vector(td_dvec *x) { spread(x->re, 3), spread(x->du, 3); }

// Twists (w, v) are w + e v.
TD_INLINE void store_twist(const td_dvec *x, td_vec out[6]) {
  for (int i = 0; i < 3; i++) out[i] = x->re[i], out[3 + i] = x->du[i];
}

static void find_maps(const td_motion *o, const double F[6], bool slopes, joint_maps *m) {
  m->T = o->T, m->Ad = o->Ad;
  spread_matrix(&m->T), spread_matrix(&m->Ad);
  if (!slopes) return;
  td_motion_slopes(o, &m->D, &m->Ddd, &m->rate);
  td_dvec wrench, local;
  for (int i = 0; i < 3; i++) wrench.re[i] = td_splat(F[3 + i]), wrench.du[i] = td_splat(F[i]);
  local = td_dmat_tvec(&m->Ad, &wrench);
  td_tangent_derivative(&o->tangent, &local, -1, &m->K);
  spread_matrix(&m->D), spread_matrix(&m->Ddd), spread_matrix(&m->rate), spread_matrix(&m->K);
  m->V0 = o->V0, m->V1 = o->V1, m->A1 = o->A1;
  spread_vector(&m->V0), spread_vector(&m->V1), spread_vector(&m->A1);
  m->V = m->V0;
  td_dvec_add_real(&m->V, td_splat(1), &m->V1);
}

// e_c of columns first …, 0 in lanes without one.
TD_INLINE td_dvec components(const td_element *e, int first) {
  td_dvec out = {0};
  for (int c = first; c < e->n && c < first + TD_LANES; c++) {
    int component = e->group[c].component;
    td_vec *row = component < 3 ? &out.re[component] : &out.du[component - 3];
    (*row)[c - first] = 0.5 * e->phi_column[c];
  }
  return out;
}

TD_INLINE td_dvec mapped(const joint_maps *m, const td_dmat *map, const td_dvec *e) {
  td_dvec local = td_dmat_vec(map, e);
  return td_dmat_vec(&m->Ad, &local);
}
TD_INLINE void add_bracket(td_dvec *out, const td_dvec *a, const td_dvec *b) {
  td_dvec c = td_dvec_cross(a, b);
  td_dvec_add_real(out, td_splat(1), &c);
}

TD_INLINE void find_columns(const joint_maps *m, bool slopes, joint_chunk *c) {
  td_dvec s = mapped(m, &m->T, &c->e);
  store_twist(&s, c->row + TD_ROW_J);
  if (!slopes) return;
  td_dvec dsigma = mapped(m, &m->D, &c->e), r = dsigma, k = mapped(m, &m->Ddd, &c->e), y = mapped(m, &m->rate, &c->e);
  add_bracket(&r, &m->V1, &s);
  add_bracket(&k, &m->V0, &dsigma);
  add_bracket(&k, &m->A1, &s);
  add_bracket(&k, &m->V1, &r);
  add_bracket(&y, &m->V, &s);
  store_twist(&r, c->row + TD_ROW_R);
  store_twist(&k, c->row + TD_ROW_Q);
  store_twist(&y, c->row + TD_ROW_Y);
  td_dvec curvature = td_dmat_vec(&m->K, &c->e); // a wrench (m, f) is f + e m
  for (int i = 0; i < 3; i++) c->curvature[i] = curvature.du[i], c->curvature[3 + i] = curvature.re[i];
}

TD_INLINE void lean_wrenches(const td_composite *w, bool slopes, joint_chunk *c) {
  const td_vec *s = c->row + TD_ROW_J, *r = c->row + TD_ROW_R, *k = c->row + TD_ROW_Q, *y = c->row + TD_ROW_Y;
  td_inertia_times_columns(w->M, s, s + 3, c->wrench + TD_WRENCH_U);
  if (!slopes) return;
  td_inertia_times_columns(w->M, k, k + 3, c->wrench + TD_WRENCH_GQ);
  td_angular_map_add_columns(w->B, r, c->wrench + TD_WRENCH_GQ);
  td_angular_map_add_columns(w->N, s, c->wrench + TD_WRENCH_GQ);
  td_inertia_times_columns(w->M, y, y + 3, c->wrench + TD_WRENCH_GV);
  td_angular_map_add_columns(w->B, s, c->wrench + TD_WRENCH_GV);
  td_angular_map_transposed_columns(w->B, s, s + 3, c->wrench + TD_WRENCH_W);
  td_angular_map_transposed_columns(w->N, s, s + 3, c->wrench + TD_WRENCH_N);
}

TD_INLINE void full_wrenches(const td_full *w, bool slopes, joint_chunk *c) {
  const td_vec *s = c->row + TD_ROW_J, *r = c->row + TD_ROW_R, *k = c->row + TD_ROW_Q, *y = c->row + TD_ROW_Y;
  for (int i = 0; i < TD_WRENCH_W; i++) c->wrench[i] = td_splat(0);
  td_full_map_add_columns(w->M, s, s + 3, c->wrench + TD_WRENCH_U);
  if (!slopes) return;
  td_full_map_add_columns(w->M, k, k + 3, c->wrench + TD_WRENCH_GQ);
  td_full_map_add_columns(w->B, r, r + 3, c->wrench + TD_WRENCH_GQ);
  td_full_map_add_columns(w->N, s, s + 3, c->wrench + TD_WRENCH_GQ);
  td_full_map_add_columns(w->M, y, y + 3, c->wrench + TD_WRENCH_GV);
  td_full_map_add_columns(w->B, s, s + 3, c->wrench + TD_WRENCH_GV);
  td_full_map_transposed_columns(w->B, s, s + 3, c->wrench + TD_WRENCH_W);
  td_full_map_transposed_columns(w->N, s, s + 3, c->wrench + TD_WRENCH_N);
}

// Gq += s x* F
TD_INLINE void turn_wrench(const double F[6], joint_chunk *c) {
  td_vec wrench[6], *s = c->row + TD_ROW_J, *Gq = c->wrench + TD_WRENCH_GQ;
  for (int i = 0; i < 6; i++) wrench[i] = td_splat(F[i]);
  td_v3_cross_add(s + 3, wrench + 3, Gq);
  td_v3_cross_add(s, wrench, Gq);
  td_v3_cross_add(s, wrench + 3, Gq + 3);
}

TD_INLINE void store_lanes(double *out, td_vec value, int count) {
  for (int l = 0; l < TD_LANES && l < count; l++) out[l] = value[l];
}

// Row c of the joint's own block, at columns of `chunk`.
TD_INLINE void write_row(const td_model *m, td_workspace *ws, const td_element *e, int c, const joint_chunk *all,
                         int chunk, td_columns what) {
  int lane = c % TD_LANES, count = e->n - chunk * TD_LANES;
  int at = (e->coordinate + c) * m->ld + e->coordinate + chunk * TD_LANES;
  const td_vec *s = all[c / TD_LANES].row + TD_ROW_J, *wrench = all[chunk].wrench;
  td_vec sum[3] = {td_splat(0), td_splat(0), td_splat(0)};
  for (int r = 0; r < 6; r++) {
    sum[0] += s[r][lane] * wrench[TD_WRENCH_GQ + r];
    sum[1] += s[r][lane] * wrench[TD_WRENCH_GV + r];
    sum[2] += s[r][lane] * wrench[TD_WRENCH_U + r];
  }
  if (what & TD_COLUMNS_MASS) store_lanes(ws->mass + at, sum[2], count);
  if (!(what & TD_COLUMNS_SLOPES)) return;
  sum[0] += 0.5 * e->phi_column[c] * all[chunk].curvature[e->group[c].component];
  store_lanes(ws->did_dq + at, sum[0], count);
  store_lanes(ws->did_dqd + at, sum[1], count);
}

// What descendants and ancestors need: columns kept at nodes where something hangs, and the wrenches they make.
TD_INLINE void keep(const td_model *m, td_workspace *ws, const td_element *e, const joint_chunk *c, int chunk,
                    bool slopes) {
  int count = e->n - chunk * TD_LANES, blocks = td_may_touch(ws) ? e->block_count : e->whole_blocks;
  for (int b = 0; b < blocks; b++) {
    bool moves = e->block[b].node != e->start;
    int rows = !slopes ? TD_ROW_R : b < e->whole_blocks ? TD_ROWS : TD_ROW_Q;
    double *kept = ws->kept + e->block[b].first + chunk * TD_LANES;
    for (int r = 0; r < rows; r++) store_lanes(kept + r * m->kept_stride, moves ? c->row[r] : td_splat(0), count);
  }
  double *wrench = ws->wrench + chunk * TD_LANES;
  for (int r = 0; e->range_count && r < (slopes ? TD_WRENCH_ROWS : TD_WRENCH_GQ); r++)
    store_lanes(wrench + r * ws->strip_stride, c->wrench[r], count);
}

static void joint_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  assert(e->n <= MOST_COLUMNS && e->n <= ws->strip_stride && e->interval_count == 1);
  const td_composite *w = &ws->composite[e->end];
  const bool slopes = what & TD_COLUMNS_SLOPES;
  joint_maps maps;
  joint_chunk chunk[MOST_CHUNKS];
  int chunks = (e->n + TD_LANES - 1) / TD_LANES;
  find_maps(ws->motion + e->first_batch, w->F, slopes, &maps);
  for (int i = 0; i < chunks; i++) {
    chunk[i].e = components(e, i * TD_LANES);
    find_columns(&maps, slopes, &chunk[i]);
    if (ws->full)
      full_wrenches(&ws->full[e->end], slopes, &chunk[i]);
    else
      lean_wrenches(w, slopes, &chunk[i]);
    if (slopes) turn_wrench(w->F, &chunk[i]);
    keep(m, ws, e, &chunk[i], i, slopes);
  }
  for (int c = 0; c < e->n; c++)
    for (int i = 0; i < chunks; i++) write_row(m, ws, e, c, chunk, i, what);
}

const td_body_row td_body_joint = {.name = "joint",
                                   .motion = td_strip_motion,
                                   .project = td_strip_project,
                                   .columns = joint_columns,
                                   .jacobian = td_strip_jacobian};
