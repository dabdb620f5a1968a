// Columns of a strip: its own block of dID/dq, dID/dqd and M, eight columns at a time, from the tables of
// strip_tables.c.
//
// With prefix sums J, R, Q, Y before interval j and sums Gq, Gv, U over the intervals beyond it (own step included),
//   block = sum_j Phi_j^T ( C_j^T X_j + H_j Phi_j ),   C = table s (6x12),
//   X(dq) = M Q + B R + N J + Gq,   X(dqd) = M Y + B J + Gv,   X(mass) = M J + U,
// M, B, N composites beyond the interval. A column of Phi has one component, so the outer product costs two
// multiplications an entry. Side intervals (to a child in mid-rod) start at a node of the main chain and add their sums
// there.
#include "body/rod/strip.h"
#include "lie/spatial.h"
#include <assert.h>
#include <stdbool.h>
#include <string.h>

// Pieces of one chunk at one interval: phi at both Zanna points, and what selects the table's columns.
typedef struct chunk_view {
  const td_vec *phi; ///< [count][2]
  const td_piece *piece;
  int count;
} chunk_view;

TD_INLINE chunk_view view_of(const td_element *e, int interval, int first_piece, int count) {
  return (chunk_view){e->phi_piece + 2 * (interval * e->piece_count + first_piece), e->piece + first_piece, count};
}

// out[rows] = table rows expanded to the chunk's columns, for one lane (interval) of the table.
TD_INLINE void expand(const chunk_view *v, td_vec table[][12], int lane, int rows, td_vec *out) {
  for (int r = 0; r < rows; r++) out[r] = td_splat(0);
  for (int p = 0; p < v->count; p++) {
    td_vec phi1 = v->phi[2 * p], phi2 = v->phi[2 * p + 1];
    int a = v->piece[p].component;
    for (int r = 0; r < rows; r++) out[r] += table[r][a][lane] * phi1 + table[r][6 + a][lane] * phi2;
  }
}

TD_INLINE int local_node(const td_model *m, const td_element *e, int node) {
  return node == e->start ? 0 : m->node[node].interval + 1;
}

// Prefix sums of the chunk at every local node.
TD_INLINE void sum_forward(const td_model *m, td_workspace *ws, const td_element *e, int first_piece, int pieces,
                           td_columns what) {
  int rows = what & TD_COLUMNS_SLOPES ? TD_ROWS : 6;
  for (int r = 0; r < rows; r++) ws->prefix[r] = td_splat(0);
  for (int i = 0; i < e->interval_count; i++) {
    chunk_view v = view_of(e, i, first_piece, pieces);
    td_tables *t = ws->tables + i / TD_LANES;
    const td_vec *before = ws->prefix + TD_ROWS * local_node(m, e, e->from[i]);
    td_vec *after = ws->prefix + TD_ROWS * (i + 1), step[6];
    int lane = i % TD_LANES;
    expand(&v, t->s, lane, 6, step);
    for (int r = 0; r < 6; r++) after[TD_ROW_J + r] = before[TD_ROW_J + r] + step[r];
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    expand(&v, t->r, lane, 3, step);
    for (int r = 0; r < 3; r++) after[TD_ROW_R + r] = before[TD_ROW_R + r] + step[r];
    if (m->wide_rows) {
      expand(&v, t->r + 3, lane, 3, step);
      for (int r = 0; r < 3; r++) after[TD_ROW_R + 3 + r] = before[TD_ROW_R + 3 + r] + step[r];
    }
    expand(&v, t->k, lane, 6, step);
    for (int r = 0; r < 6; r++) after[TD_ROW_Q + r] = before[TD_ROW_Q + r] + step[r];
    expand(&v, t->y, lane, 6, step);
    for (int r = 0; r < 6; r++) after[TD_ROW_Y + r] = before[TD_ROW_Y + r] + step[r];
  }
}

// projected[z][component][which] of one interval: C^T X for the active components.
TD_INLINE void project_columns(const td_element *e, const td_tables *t, int lane, td_vec X[6], int which,
                               td_vec *projected) {
  for (int g = 0; g < e->group_count; g++)
    for (int z = 0; z < 2; z++) {
      int a = e->group[g].component, column = 6 * z + a;
      td_vec sum = t->s[3][column][lane] * X[3] + t->s[4][column][lane] * X[4] + t->s[5][column][lane] * X[5];
      if (a < 3) sum += t->s[0][column][lane] * X[0] + t->s[1][column][lane] * X[1] + t->s[2][column][lane] * X[2];
      projected[3 * column + which] = sum;
    }
}

// Groups of a reduced body may share a component: what belongs to components is done once.
TD_INLINE bool repeats(const td_element *e, int group) {
  for (int g = 0; g < group; g++)
    if (e->group[g].component == e->group[group].component) return true;
  return false;
}

TD_INLINE void add_curvature(const td_element *e, const chunk_view *v, td_tables *t, int lane, td_vec *projected) {
  for (int g = 0; g < e->group_count; g++)
    for (int z = 0; z < 2 && !repeats(e, g); z++) {
      td_vec row;
      expand(v, t->H + 6 * z + e->group[g].component, lane, 1, &row);
      projected[3 * (6 * z + e->group[g].component)] += row;
    }
}

// X = M J;  X = M Q + B R + N J;  X = M Y + B J of the columns before an interval, with the composites beyond it.
TD_INLINE void inertial_columns(const td_workspace *ws, int node, const td_vec *prefix, td_vec X[6]) {
  const td_vec *J = prefix + TD_ROW_J;
  if (!ws->full) {
    td_inertia_times_columns(ws->composite[node].M, J, J + 3, X);
    return;
  }
  for (int r = 0; r < 6; r++) X[r] = td_splat(0);
  td_full_map_add_columns(ws->full[node].M, J, J + 3, X);
}

TD_INLINE void position_columns(const td_workspace *ws, int node, const td_vec *prefix, td_vec X[6]) {
  const td_vec *J = prefix + TD_ROW_J, *R = prefix + TD_ROW_R, *Q = prefix + TD_ROW_Q;
  const td_composite *c = &ws->composite[node];
  if (!ws->full) {
    td_inertia_times_columns(c->M, Q, Q + 3, X);
    td_angular_map_add_columns(c->B, R, X);
    if (ws->world_forces) td_angular_map_add_columns(c->N, J, X);
    return;
  }
  const td_full *full = &ws->full[node];
  for (int r = 0; r < 6; r++) X[r] = td_splat(0);
  td_full_map_add_columns(full->M, Q, Q + 3, X);
  td_full_map_add_columns(full->B, R, R + 3, X);
  td_full_map_add_columns(full->N, J, J + 3, X);
}

TD_INLINE void velocity_columns(const td_workspace *ws, int node, const td_vec *prefix, td_vec X[6]) {
  const td_vec *J = prefix + TD_ROW_J, *Y = prefix + TD_ROW_Y;
  const td_composite *c = &ws->composite[node];
  if (!ws->full) {
    td_inertia_times_columns(c->M, Y, Y + 3, X);
    td_angular_map_add_columns(c->B, J, X);
    return;
  }
  const td_full *full = &ws->full[node];
  for (int r = 0; r < 6; r++) X[r] = td_splat(0);
  td_full_map_add_columns(full->M, Y, Y + 3, X);
  td_full_map_add_columns(full->B, J, J + 3, X);
}

// What the slice at a local node adds to the sums of the columns: its own columns, folded by phi.
TD_INLINE void add_slice(const td_model *m, const td_workspace *ws, const td_element *e, int local, int chunk,
                         td_columns what, td_vec *G) {
  int index = e->slice_at ? e->slice_at[local] : -1;
  if (index < 0) return;
  const td_slice_state *s = &ws->slice[index];
  for (int d = 0; d < m->rod[e->rod].section->fields; d++) {
    td_vec phi = *(const td_vecu *)(m->slice[index].phi + d * (e->npad + TD_LANES) + chunk * TD_LANES);
    for (int r = 0; r < 6; r++) G[TD_WRENCH_U + r] += s->U[d][r] * phi;
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    for (int r = 0; r < 6; r++) G[TD_WRENCH_GQ + r] += s->Gq[d][r] * phi, G[TD_WRENCH_GV + r] += s->Gv[d][r] * phi;
    for (int r = 0; r < 3; r++) G[TD_WRENCH_W + r] += s->W[d][r] * phi, G[TD_WRENCH_N + r] += s->N[d][r] * phi;
  }
}

// Rows of the slices for the chunk's columns: against the strip's columns before their nodes, and among themselves.
TD_INLINE void slice_rows(const td_model *m, td_workspace *ws, const td_element *e, int chunk, td_columns what) {
  const td_rod *rod = &m->rod[e->rod];
  const bool mass = what & TD_COLUMNS_MASS, slopes = what & TD_COLUMNS_SLOPES;
  int stride = e->npad + TD_LANES;
  for (int local = 0; local <= e->interval_count; local++) {
    int index = e->slice_at[local];
    if (index < 0) continue;
    const td_slice_state *s = &ws->slice[index];
    const td_vec *prefix = ws->prefix + TD_ROWS * local, *J = prefix + TD_ROW_J, *R = prefix + TD_ROW_R,
                 *Q = prefix + TD_ROW_Q, *Y = prefix + TD_ROW_Y;
    for (int d = 0; d < rod->section->fields; d++) {
      td_vec *row = ws->slice_rows + ((index - rod->first_slice) * 4 + d) * 3;
      row[0] = row[1] = row[2] = td_splat(0);
      for (int r = 0; r < 6 && mass; r++) row[2] += s->U[d][r] * J[r];
      for (int r = 0; r < 6 && slopes; r++) row[0] += s->U[d][r] * Q[r], row[1] += s->U[d][r] * Y[r];
      for (int r = 0; r < 3 && slopes; r++) {
        row[0] += s->W[d][r] * R[r] + s->N[d][r] * J[r];
        row[1] += s->W[d][r] * J[r];
      }
      for (int f = 0; f < rod->section->fields; f++) {
        td_vec phi = *(const td_vecu *)(m->slice[index].phi + f * stride + chunk * TD_LANES);
        if (mass) row[2] += s->mass[d][f] * phi;
        if (slopes) row[0] += s->dq[d][f] * phi, row[1] += s->dqd[d][f] * phi;
      }
    }
  }
}

TD_INLINE void add_lanes(double *out, td_vec value, int count) {
  for (int l = 0; l < TD_LANES && l < count; l++) out[l] += value[l];
}

// Adds phi^T times those rows to the strip's own block; rows of columns without a strain start from 0.
TD_INLINE void add_slice_rows(const td_model *m, td_workspace *ws, const td_element *e, int chunk, td_columns what) {
  const td_rod *rod = &m->rod[e->rod];
  int stride = e->npad + TD_LANES, count = e->n - chunk * TD_LANES;
  slice_rows(m, ws, e, chunk, what);
  for (int c = 0; c < e->n; c++) {
    int d = rod->local_of[c], at = (e->coordinate + c) * m->ld + e->coordinate + chunk * TD_LANES;
    td_vec sum[3] = {td_splat(0), td_splat(0), td_splat(0)};
    double *const out[3] = {ws->did_dq + at, ws->did_dqd + at, ws->mass + at};
    for (int i = 0; d >= 0 && i < rod->slice_count; i++)
      for (int k = 0; k < 3; k++)
        sum[k] += m->slice[rod->first_slice + i].phi[d * stride + c] * ws->slice_rows[(i * 4 + d) * 3 + k];
    for (int k = what & TD_COLUMNS_SLOPES ? 0 : 2; k < (what & TD_COLUMNS_MASS ? 3 : 2); k++) {
      if (rod->column[c].component >= TD_COMPONENT_LOCAL)
        for (int l = 0; l < TD_LANES && l < count; l++) out[k][l] = 0;
      add_lanes(out[k], sum[k], count);
    }
  }
}

// Sums U, Gq, Gv (and W, N when ancestors need them) from the far ends to the start, projecting at every interval.
TD_INLINE void sum_backward(const td_model *m, td_workspace *ws, const td_element *e, int first_piece, int pieces,
                            td_columns what, td_vec *G) {
  int main_count = e->rod < 0 ? 1 : m->rod[e->rod].point_count - 1;
  int rows = !(what & TD_COLUMNS_SLOPES) ? 6 : e->range_count ? TD_WRENCH_ROWS : TD_WRENCH_W;
  bool side = e->interval_count > main_count;
  if (side) memset(ws->branch, 0, (size_t)(main_count + 1) * TD_WRENCH_ROWS * sizeof(td_vec));
  for (int r = 0; r < TD_WRENCH_ROWS; r++) G[r] = td_splat(0);
  for (int i = e->interval_count - 1; i >= 0; i--) {
    chunk_view v = view_of(e, i, first_piece, pieces);
    td_tables *t = ws->tables + i / TD_LANES;
    int lane = i % TD_LANES, from = local_node(m, e, e->from[i]);
    int to = e->to[i], angular_rows = ws->full ? 6 : 3;
    const td_vec *prefix = ws->prefix + TD_ROWS * from;
    td_vec step[6], X[6], *projected = ws->projected + TD_PROJECTED * i;
    if (i >= main_count - 1) // a side interval begins from nothing, the main chain from its tip
      for (int r = 0; r < TD_WRENCH_ROWS; r++) G[r] = td_splat(0);
    if (side && i < main_count) // what hangs beside the main chain at this interval's end
      for (int r = 0; r < rows; r++) G[r] += ws->branch[TD_WRENCH_ROWS * (i + 1) + r];
    add_slice(m, ws, e, i + 1, e->piece[first_piece].chunk, what, G);
    expand(&v, t->U, lane, 6, step);
    for (int r = 0; r < 6; r++) G[TD_WRENCH_U + r] += step[r];
    if (what & TD_COLUMNS_MASS) {
      inertial_columns(ws, to, prefix, X);
      for (int r = 0; r < 6; r++) X[r] += G[TD_WRENCH_U + r];
      project_columns(e, t, lane, X, 2, projected);
    }
    if (what & TD_COLUMNS_SLOPES) {
      expand(&v, t->Gq, lane, 6, step);
      position_columns(ws, to, prefix, X);
      for (int r = 0; r < 6; r++) G[TD_WRENCH_GQ + r] += step[r], X[r] += G[TD_WRENCH_GQ + r];
      project_columns(e, t, lane, X, 0, projected);
      add_curvature(e, &v, t, lane, projected);
      expand(&v, t->Gv, lane, 6, step);
      velocity_columns(ws, to, prefix, X);
      for (int r = 0; r < 6; r++) G[TD_WRENCH_GV + r] += step[r], X[r] += G[TD_WRENCH_GV + r];
      project_columns(e, t, lane, X, 1, projected);
      if (e->range_count) {
        expand(&v, t->W, lane, angular_rows, step);
        for (int r = 0; r < angular_rows; r++) G[TD_WRENCH_W + r] += step[r];
        expand(&v, t->N, lane, angular_rows, step);
        for (int r = 0; r < angular_rows; r++) G[TD_WRENCH_N + r] += step[r];
      }
    }
    if (i >= main_count)
      for (int r = 0; r < rows; r++) ws->branch[TD_WRENCH_ROWS * from + r] += G[r];
  }
  if (side)
    for (int r = 0; r < rows; r++) G[r] += ws->branch[r];
  add_slice(m, ws, e, 0, e->piece[first_piece].chunk, what, G);
}

TD_INLINE void store_lanes(double *out, td_vec value, int count) {
  if (count >= TD_LANES)
    *(td_vecu *)out = value;
  else
    for (int l = 0; l < count; l++) out[l] = value[l];
}

// Row c of the chunk: sum_j phi1_cj p1_j + phi2_cj p2_j (p: ws->projected), for up to `tile` rows of one component at a
// time.
TD_INLINE void contract(const td_workspace *ws, const td_element *e, int component, int c, int tile, td_columns what,
                        td_vec out[4][3]) {
  int stride = e->npad + TD_LANES;
  for (int r = 0; r < tile; r++) out[r][0] = out[r][1] = out[r][2] = td_splat(0);
  for (int i = 0; i < e->interval_count; i++)
    for (int z = 0; z < 2; z++) {
      const td_vec *projected = ws->projected + TD_PROJECTED * i + 3 * (6 * z + component);
      const double *phi = e->phi_column + (2 * i + z) * stride + c;
      for (int r = 0; r < tile; r++) {
        if (what & TD_COLUMNS_MASS) out[r][2] += phi[r] * projected[2];
        if (!(what & TD_COLUMNS_SLOPES)) continue;
        out[r][0] += phi[r] * projected[0];
        out[r][1] += phi[r] * projected[1];
      }
    }
}

TD_INLINE void write_rows(const td_model *m, td_workspace *ws, const td_element *e, int c, int tile, int chunk,
                          td_columns what, td_vec out[4][3]) {
  int count = e->n - chunk * TD_LANES;
  for (int r = 0; r < tile; r++) {
    int at = (e->coordinate + c + r) * m->ld + e->coordinate + chunk * TD_LANES;
    if (what & TD_COLUMNS_MASS) store_lanes(ws->mass + at, out[r][2], count);
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    store_lanes(ws->did_dq + at, out[r][0], count);
    store_lanes(ws->did_dqd + at, out[r][1], count);
  }
}

TD_INLINE void diagonal_block(const td_model *m, td_workspace *ws, const td_element *e, int chunk, td_columns what) {
  td_vec out[4][3];
  for (int g = 0; g < e->group_count; g++) {
    int a = e->group[g].component, c = e->group[g].first, last = c + e->group[g].count;
    for (; c + 4 <= last; c += 4) {
      contract(ws, e, a, c, 4, what, out);
      write_rows(m, ws, e, c, 4, chunk, what, out);
    }
    for (; c < last; c++) {
      contract(ws, e, a, c, 1, what, out);
      write_rows(m, ws, e, c, 1, chunk, what, out);
    }
  }
}

// What descendants and ancestors need of the chunk: kept columns at the nodes where something hangs, sums over the
// strip.
TD_INLINE void keep_columns(const td_model *m, td_workspace *ws, const td_element *e, int chunk, td_columns what,
                            const td_vec *G) {
  int count = e->n - chunk * TD_LANES, rows = what & TD_COLUMNS_SLOPES ? TD_ROWS : 6,
      wrench_rows = what & TD_COLUMNS_SLOPES ? TD_WRENCH_ROWS : 6;
  int blocks = td_may_touch(ws) ? e->block_count : e->whole_blocks;
  for (int b = 0; b < blocks; b++) {
    const td_vec *prefix = ws->prefix + TD_ROWS * local_node(m, e, e->block[b].node);
    int kept = b < e->whole_blocks || rows < TD_ROW_Q ? rows : TD_ROW_Q;
    for (int r = 0; r < kept; r++)
      store_lanes(ws->kept + r * m->kept_stride + e->block[b].first + chunk * TD_LANES, prefix[r], count);
  }
  if (!e->range_count) return;
  for (int r = 0; r < wrench_rows; r++) store_lanes(ws->wrench + r * ws->strip_stride + chunk * TD_LANES, G[r], count);
}

// Inlined into each of the three cases, so that no innermost loop asks what is wanted.
TD_INLINE void all_chunks(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  for (int first = 0; first < e->piece_count && !td_stopped(ws);) {
    int chunk = e->piece[first].chunk, pieces = 0;
    while (first + pieces < e->piece_count && e->piece[first + pieces].chunk == chunk) pieces++;
    td_vec G[TD_WRENCH_ROWS];
    sum_forward(m, ws, e, first, pieces, what);
    sum_backward(m, ws, e, first, pieces, what, G);
    diagonal_block(m, ws, e, chunk, what);
    if (e->slice_at) add_slice_rows(m, ws, e, chunk, what);
    keep_columns(m, ws, e, chunk, what, G);
    first += pieces;
  }
}

void td_strip_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  assert(e->n <= ws->strip_stride && e->batch_count <= m->max_batches);
  assert(!e->slice_at || m->rod[e->rod].section); // only sections that deform have particles
  td_strip_tables(ws, e, what);
  switch (what) {
  case TD_COLUMNS_MASS:
    all_chunks(m, ws, e, TD_COLUMNS_MASS);
    break;
  case TD_COLUMNS_SLOPES:
    all_chunks(m, ws, e, TD_COLUMNS_SLOPES);
    break;
  case TD_COLUMNS_ALL:
    all_chunks(m, ws, e, TD_COLUMNS_ALL);
    break;
  }
}
