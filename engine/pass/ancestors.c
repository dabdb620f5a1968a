// Blocks of the matrices between an element and its ancestors.
//
// With U = M s, W = B^T s, N^T s and Gq, Gv of the descendant's column d, and J, R, Q, Y of the ancestor's column a:
//   dID/dq [d][a] = U.Q + W.R + (N^T s).J    dID/dqd [d][a] = U.Y + W.J    M[d][a] = M[a][d] = U.J
//   dID/dq [a][d] = J.Gq                     dID/dqd [a][d] = J.Gv
// Off-branch blocks stay 0 and are never visited.
#include "pass/ancestors.h"
#include <assert.h>
#include <stdbool.h>

typedef struct cross_columns {
  td_vec q, v, m, up_q, up_v;
} cross_columns;

#define NO_COLUMNS ((cross_columns){td_splat(0), td_splat(0), td_splat(0), td_splat(0), td_splat(0)})

TD_INLINE td_vec load(const double *kept, int stride, int row) { return *(const td_vecu *)(kept + row * stride); }

TD_INLINE void cross_mass(const double *wrench, int stride, const double *kept, int kept_stride, cross_columns *out) {
  for (int r = 0; r < 6; r++) out->m += wrench[(TD_WRENCH_U + r) * stride] * load(kept, kept_stride, TD_ROW_J + r);
}

// `angular_rows` of W, R and N: 3, or 6 with full maps.
TD_INLINE void cross_all(const double *wrench, int stride, const double *kept, int kept_stride, bool world_forces,
                         int angular_rows, cross_columns *out) {
  for (int r = 0; r < 6; r++) {
    double U = wrench[(TD_WRENCH_U + r) * stride];
    td_vec J = load(kept, kept_stride, TD_ROW_J + r);
    out->m += U * J;
    out->q += U * load(kept, kept_stride, TD_ROW_Q + r);
    out->v += U * load(kept, kept_stride, TD_ROW_Y + r);
    out->up_q += wrench[(TD_WRENCH_GQ + r) * stride] * J;
    out->up_v += wrench[(TD_WRENCH_GV + r) * stride] * J;
  }
  for (int r = 0; r < angular_rows; r++) {
    double W = wrench[(TD_WRENCH_W + r) * stride];
    td_vec J = load(kept, kept_stride, TD_ROW_J + r);
    out->q += W * load(kept, kept_stride, TD_ROW_R + r);
    out->v += W * J;
    if (world_forces) out->q += wrench[(TD_WRENCH_N + r) * stride] * J;
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

void td_ancestor_blocks(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  int ld = m->ld, stride = ws->strip_stride, kept_stride = m->kept_stride;
  assert(e->n <= stride && td_holds(ws, TD_HOLDS_COMPOSITES));
  for (int c = 0; c < e->n; c++)
    for (int i = 0; i < e->range_count; i++)
      for (int k = 0; k < e->range[i].count; k += TD_LANES) {
        cross_columns x = NO_COLUMNS;
        int count = e->range[i].count - k < TD_LANES ? e->range[i].count - k : TD_LANES;
        int row = e->coordinate + c, column = e->range[i].coordinate + k;
        const double *kept = ws->kept + e->range[i].first + k;
        if (what == TD_COLUMNS_MASS)
          cross_mass(ws->wrench + c, stride, kept, kept_stride, &x);
        else if (ws->full)
          cross_all(ws->wrench + c, stride, kept, kept_stride, true, 6, &x);
        else
          cross_all(ws->wrench + c, stride, kept, kept_stride, ws->world_forces, 3, &x);
        if (what & TD_COLUMNS_MASS) {
          store_row(ws->mass + row * ld + column, x.m, count);
          store_column(ws->mass + column * ld + row, ld, x.m, count);
        }
        if (!(what & TD_COLUMNS_SLOPES)) continue;
        store_row(ws->did_dq + row * ld + column, x.q, count);
        store_row(ws->did_dqd + row * ld + column, x.v, count);
        store_column(ws->did_dq + column * ld + row, ld, x.up_q, count);
        store_column(ws->did_dqd + column * ld + row, ld, x.up_v, count);
      }
}
