// Matrices of lanes of states: body/rod/strip_columns.c, the columns of body/joint.c and pass/ancestors.c, lane by lane
// and column by column.
//   block = sum_j Phi_j^T (C_j^T X_j + H_j Phi_j),   X(dq) = M Q + B R + Gq,   X(dqd) = M Y + B J + Gv,   X(mass) = M J + U
#include "batch/lanes.h"
#include "lie/spatial.h"
#include <assert.h>
#include <string.h>

// A column of the strip at work: its component and phi at both Zanna points of each interval.
typedef struct strip_column {
  int index, component, stride;
  const double *phi; ///< at its own place in interval 0
} strip_column;

TD_INLINE td_vec entry(const strip_column *c, int interval, const td_vec row[12]) {
  const double *phi = c->phi + 2 * interval * c->stride;
  return td_splat(0) + (row[c->component] * phi[0] + row[6 + c->component] * phi[c->stride]);
}

static int local_node(const td_model *m, const td_element *e, int node) {
  return node == e->start ? 0 : m->node[node].interval + 1;
}

static void sum_forward(td_lanes *l, const td_element *e, const strip_column *c, td_columns what) {
  const td_model *m = l->model;
  for (int r = 0; r < TD_ROWS; r++) l->prefix[r] = td_splat(0);
  for (int i = 0; i < e->interval_count; i++) {
    const td_tables *t = &l->tables[i];
    const td_vec *before = l->prefix + TD_ROWS * local_node(m, e, e->from[i]);
    td_vec *after = l->prefix + TD_ROWS * (i + 1);
    for (int r = 0; r < 6; r++) after[TD_ROW_J + r] = before[TD_ROW_J + r] + entry(c, i, t->s[r]);
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    for (int r = 0; r < (m->wide_rows ? 6 : 3); r++) after[TD_ROW_R + r] = before[TD_ROW_R + r] + entry(c, i, t->r[r]);
    for (int r = 0; r < 6; r++) after[TD_ROW_Q + r] = before[TD_ROW_Q + r] + entry(c, i, t->k[r]);
    for (int r = 0; r < 6; r++) after[TD_ROW_Y + r] = before[TD_ROW_Y + r] + entry(c, i, t->y[r]);
  }
}

TD_INLINE void project(const td_element *e, const td_tables *t, const td_vec X[6], int which, td_vec *projected) {
  for (int g = 0; g < e->group_count; g++)
    for (int z = 0; z < 2; z++) {
      int a = e->group[g].component, k = 6 * z + a;
      td_vec sum = t->s[3][k] * X[3] + t->s[4][k] * X[4] + t->s[5][k] * X[5];
      if (a < 3) sum += t->s[0][k] * X[0] + t->s[1][k] * X[1] + t->s[2][k] * X[2];
      projected[3 * k + which] = sum;
    }
}

static bool repeats(const td_element *e, int group) {
  for (int g = 0; g < group; g++)
    if (e->group[g].component == e->group[group].component) return true;
  return false;
}

static void add_curvature(const td_element *e, const strip_column *c, int i, const td_tables *t, td_vec *projected) {
  for (int g = 0; g < e->group_count; g++)
    for (int z = 0; z < 2 && !repeats(e, g); z++) {
      int k = 6 * z + e->group[g].component;
      projected[3 * k] += entry(c, i, t->H[k]);
    }
}

// What one interval adds to G, and what its columns project on its strains.
static void pass_interval(td_lanes *l, const td_element *e, const strip_column *c, int i, td_columns what, td_vec *G) {
  const td_tables *t = &l->tables[i];
  const td_lane_composite *w = &l->node[e->to[i]].c;
  const td_vec *before = l->prefix + TD_ROWS * local_node(l->model, e, e->from[i]), *J = before + TD_ROW_J;
  td_vec X[6], *projected = l->projected + TD_PROJECTED * i;
  for (int r = 0; r < 6; r++) G[TD_WRENCH_U + r] += entry(c, i, t->U[r]);
  if (what & TD_COLUMNS_MASS) {
    td_inertia_times_lanes(w->M, J, J + 3, X);
    for (int r = 0; r < 6; r++) X[r] += G[TD_WRENCH_U + r];
    project(e, t, X, 2, projected);
  }
  if (!(what & TD_COLUMNS_SLOPES)) return;
  const td_vec *R = before + TD_ROW_R, *Q = before + TD_ROW_Q, *Y = before + TD_ROW_Y;
  td_inertia_times_lanes(w->M, Q, Q + 3, X);
  td_angular_map_add_lanes(w->B, R, X);
  for (int r = 0; r < 6; r++) G[TD_WRENCH_GQ + r] += entry(c, i, t->Gq[r]), X[r] += G[TD_WRENCH_GQ + r];
  project(e, t, X, 0, projected);
  add_curvature(e, c, i, t, projected);
  td_inertia_times_lanes(w->M, Y, Y + 3, X);
  td_angular_map_add_lanes(w->B, J, X);
  for (int r = 0; r < 6; r++) G[TD_WRENCH_GV + r] += entry(c, i, t->Gv[r]), X[r] += G[TD_WRENCH_GV + r];
  project(e, t, X, 1, projected);
  if (!e->range_count) return;
  for (int r = 0; r < 3; r++) G[TD_WRENCH_W + r] += entry(c, i, t->W[r]);
  for (int r = 0; r < 3; r++) G[TD_WRENCH_N + r] += entry(c, i, t->N[r]);
}

static void sum_backward(td_lanes *l, const td_element *e, const strip_column *c, td_columns what, td_vec *G) {
  const td_model *m = l->model;
  int main_count = e->rod < 0 ? 1 : m->rod[e->rod].point_count - 1;
  bool side = e->interval_count > main_count;
  if (side) memset(l->branch, 0, (size_t)(main_count + 1) * TD_WRENCH_ROWS * sizeof(td_vec));
  for (int r = 0; r < TD_WRENCH_ROWS; r++) G[r] = td_splat(0);
  for (int i = e->interval_count - 1; i >= 0; i--) {
    if (i >= main_count - 1) // a side interval begins from nothing, the main chain from its tip
      for (int r = 0; r < TD_WRENCH_ROWS; r++) G[r] = td_splat(0);
    if (side && i < main_count)
      for (int r = 0; r < TD_WRENCH_ROWS; r++) G[r] += l->branch[TD_WRENCH_ROWS * (i + 1) + r];
    pass_interval(l, e, c, i, what, G);
    td_vec *at = l->branch + TD_WRENCH_ROWS * local_node(m, e, e->from[i]);
    for (int r = 0; r < TD_WRENCH_ROWS && i >= main_count; r++) at[r] += G[r];
  }
  for (int r = 0; r < TD_WRENCH_ROWS && side; r++) G[r] += l->branch[r];
}

// Column c of the strip's own block.
static void contract(td_lanes *l, const td_element *e, const strip_column *c, td_columns what) {
  int n = l->model->n, stride = e->npad + TD_LANES;
  for (int g = 0; g < e->group_count; g++)
    for (int row = e->group[g].first; row < e->group[g].first + e->group[g].count; row++) {
      td_vec out[3] = {td_splat(0), td_splat(0), td_splat(0)};
      for (int k = 0; k < 2 * e->interval_count; k++) {
        const td_vec *projected = l->projected + 3 * (6 * k + e->group[g].component);
        double phi = e->phi_column[k * stride + row];
        if (what & TD_COLUMNS_MASS) out[2] += phi * projected[2];
        if (what & TD_COLUMNS_SLOPES) out[0] += phi * projected[0], out[1] += phi * projected[1];
      }
      int at = (e->coordinate + row) * n + e->coordinate + c->index;
      if (what & TD_COLUMNS_MASS) l->mass[at] = out[2];
      if (what & TD_COLUMNS_SLOPES) l->did_dq[at] = out[0], l->did_dqd[at] = out[1];
    }
}

static void strip_columns(td_lanes *l, const td_element *e, td_columns what) {
  const td_model *m = l->model;
  int first = l->first_interval[e - m->element];
  for (int i = 0; i < e->interval_count; i++)
    td_interval_tables(&l->motion[first + i], &l->node[e->to[i]].c, NULL, what, &l->tables[i]);
  for (int g = 0; g < e->group_count; g++)
    for (int k = 0; k < e->group[g].count; k++) {
      int index = e->group[g].first + k;
      strip_column c = {index, e->group[g].component, e->npad + TD_LANES, e->phi_column + index};
      sum_forward(l, e, &c, what);
      sum_backward(l, e, &c, what, l->wrench + TD_WRENCH_ROWS * index);
      contract(l, e, &c, what);
      for (int b = 0; b < e->block_count; b++)
        memcpy(l->kept + TD_ROWS * (e->block[b].first + index),
               l->prefix + TD_ROWS * local_node(m, e, e->block[b].node), TD_ROWS * sizeof(td_vec));
    }
}

// ------------------------------------------------------------------------------------------------ screws

TD_INLINE td_vec dot6(const td_vec *a, const td_vec *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
TD_INLINE void bracket_add(const td_vec *a, const td_vec *b, td_vec *out) {
  td_v3_cross_add(a, b, out);
  td_v3_cross_add(a, b + 3, out + 3);
  td_v3_cross_add(a + 3, b, out + 3);
}
TD_INLINE void cobracket_add(const td_vec *a, const td_vec *F, td_vec *out) {
  td_v3_cross_add(a, F, out);
  td_v3_cross_add(a + 3, F + 3, out);
  td_v3_cross_add(a, F + 3, out + 3);
}

static void screw_slopes(td_lanes *l, const td_element *e, const td_vec *s, td_vec *column, td_vec *wrench) {
  const td_lane_node *from = &l->node[e->start], *to = &l->node[e->end];
  const td_lane_composite *c = &to->c;
  td_vec r[6] = {0}, V[6], *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
  int at = e->coordinate * l->model->n + e->coordinate;
  bracket_add(to->V, s, r);
  memcpy(column + TD_ROW_R, r, sizeof r);
  bracket_add(to->A, s, k);
  bracket_add(to->V, r, k);
  for (int i = 0; i < 6; i++) V[i] = from->V[i] + to->V[i];
  bracket_add(V, s, y);
  td_inertia_times_lanes(c->M, k, k + 3, wrench + TD_WRENCH_GQ);
  td_angular_map_add_lanes(c->B, r, wrench + TD_WRENCH_GQ);
  td_angular_map_add_lanes(c->N, s, wrench + TD_WRENCH_GQ);
  td_inertia_times_lanes(c->M, y, y + 3, wrench + TD_WRENCH_GV);
  td_angular_map_add_lanes(c->B, s, wrench + TD_WRENCH_GV);
  td_angular_map_transposed_lanes(c->B, s, s + 3, wrench + TD_WRENCH_W);
  td_angular_map_transposed_lanes(c->N, s, s + 3, wrench + TD_WRENCH_N);
  cobracket_add(s, c->F, wrench + TD_WRENCH_GQ);
  l->did_dq[at] = dot6(s, wrench + TD_WRENCH_GQ);
  l->did_dqd[at] = dot6(s, wrench + TD_WRENCH_GV);
}

static void screw_columns(td_lanes *l, const td_element *e, td_columns what) {
  const td_vec *s = l->screw[e - l->model->element];
  td_vec column[TD_ROWS], *wrench = l->wrench;
  memset(column, 0, sizeof column);
  memcpy(column + TD_ROW_J, s, 6 * sizeof *s);
  for (int i = 0; i < TD_WRENCH_ROWS; i++) wrench[i] = td_splat(0);
  td_inertia_times_lanes(l->node[e->end].c.M, s, s + 3, wrench + TD_WRENCH_U);
  if (what & TD_COLUMNS_MASS) l->mass[e->coordinate * l->model->n + e->coordinate] = dot6(s, wrench + TD_WRENCH_U);
  if (what & TD_COLUMNS_SLOPES) screw_slopes(l, e, s, column, wrench);
  if (e->block_count) memcpy(l->kept + TD_ROWS * e->block[0].first, column, sizeof column);
}

// ------------------------------------------------------------------------------------------------ ancestors

// Column d = coordinate `row` of the element (its wrenches), a that of an ancestor (kept): both blocks.
TD_INLINE void cross(td_lanes *l, int row, int ancestor, const td_vec *wrench, const td_vec *kept, td_columns what) {
  td_vec m = td_splat(0), q = td_splat(0), v = td_splat(0), up_q = td_splat(0), up_v = td_splat(0);
  int n = l->model->n, down = row * n + ancestor, up = ancestor * n + row;
  for (int r = 0; r < 6; r++) m += wrench[TD_WRENCH_U + r] * kept[TD_ROW_J + r];
  if (what & TD_COLUMNS_MASS) l->mass[down] = l->mass[up] = m;
  if (!(what & TD_COLUMNS_SLOPES)) return;
  for (int r = 0; r < 6; r++) {
    td_vec J = kept[TD_ROW_J + r], U = wrench[TD_WRENCH_U + r];
    q += U * kept[TD_ROW_Q + r];
    v += U * kept[TD_ROW_Y + r];
    up_q += wrench[TD_WRENCH_GQ + r] * J;
    up_v += wrench[TD_WRENCH_GV + r] * J;
  }
  for (int r = 0; r < 3; r++) {
    td_vec W = wrench[TD_WRENCH_W + r];
    q += W * kept[TD_ROW_R + r];
    v += W * kept[TD_ROW_J + r];
  }
  l->did_dq[down] = q, l->did_dqd[down] = v;
  l->did_dq[up] = up_q, l->did_dqd[up] = up_v;
}

static void ancestor_blocks(td_lanes *l, const td_element *e, td_columns what) {
  for (int c = 0; c < e->n; c++)
    for (int i = 0; i < e->range_count; i++)
      for (int k = 0; k < e->range[i].count; k++)
        cross(l, e->coordinate + c, e->range[i].coordinate + k, l->wrench + TD_WRENCH_ROWS * c,
              l->kept + TD_ROWS * (e->range[i].first + k), what);
}

void td_lanes_columns(td_lanes *l, td_columns what) {
  const td_model *m = l->model;
  size_t size = (size_t)m->n * (size_t)m->n * sizeof(td_vec);
  if (m->branched && what & TD_COLUMNS_MASS) memset(l->mass, 0, size);
  if (m->branched && what & TD_COLUMNS_SLOPES) memset(l->did_dq, 0, size), memset(l->did_dqd, 0, size);
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->n == 0) continue;
    if (e->type == TD_ELEMENT_SCREW)
      screw_columns(l, e, what);
    else
      strip_columns(l, e, what);
    if (e->range_count) ancestor_blocks(l, e, what);
  }
}
