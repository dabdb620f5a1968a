// Composites and generalized forces of lanes of states: body/rigid.c, pass/composite.c and the projections of joints and
// strips, lane by lane.
#include "batch/lanes.h"
#include "body/rigid_maps.h"
#include "body/rod/strip_motion.h"
#include "lie/spatial.h"
#include <string.h>

// out += a x* F
TD_INLINE void cobracket_add(const td_vec *a, const td_vec *F, td_vec *out) {
  td_v3_cross_add(a, F, out);
  td_v3_cross_add(a + 3, F + 3, out);
  td_v3_cross_add(a, F + 3, out + 3);
}

static void rigid_node(const td_inertia *in, td_lane_node *node, td_composite_level level) {
  td_lane_composite *c = &node->c;
  td_vec momentum[6];
  td_world_inertia_lanes(in, node->R, node->p, c->M);
  if (level == TD_COMPOSITE_MASS) return;
  td_inertia_times_lanes(c->M, node->A, node->A + 3, c->F);
  td_inertia_times_lanes(c->M, node->V, node->V + 3, momentum);
  cobracket_add(node->V, momentum, c->F);
  if (level == TD_COMPOSITE_ALL) td_coriolis_map_lanes(c->M, node->V, momentum, c->B);
}

TD_INLINE void add_composite(td_lane_composite *to, const td_lane_composite *from, int size) {
  td_vec *a = (td_vec *)to;
  const td_vec *b = (const td_vec *)from;
  for (int i = 0; i < size; i++) a[i] += b[i];
}

static void sum(td_lanes *l, td_composite_level level) {
  const td_model *m = l->model;
  int size = level == TD_COMPOSITE_ALL ? TD_COMPOSITE_SIZE : 6 + TD_INERTIA_SIZE;
  for (int i = m->element_count - 1; i >= 0; i--) {
    const td_element *e = &m->element[i];
    if (e->type != TD_ELEMENT_STRIP) add_composite(&l->node[e->start].c, &l->node[e->end].c, size);
    for (int k = e->interval_count - 1; k >= 0 && e->type == TD_ELEMENT_STRIP; k--)
      add_composite(&l->node[e->from[k]].c, &l->node[e->to[k]].c, size);
  }
}

// ------------------------------------------------------------------------------------------------ projections

static void project_interval(td_lanes *l, const td_element *e, int i, const td_vec y[12], td_vec *sums) {
  int stride = e->npad + TD_LANES;
  const double *phi = e->phi_column + 2 * i * stride;
  (void)l;
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    td_vec y1 = y[group->component], y2 = y[6 + group->component];
    for (int c = group->first; c < group->first + group->count; c++) sums[c] += phi[c] * y1 + phi[stride + c] * y2;
  }
}

// The intervals of one vector of a state by itself are one sum, as they are there.
static void project_strip(td_lanes *l, const td_element *e) {
  td_vec *out = l->id + e->coordinate, *sums = l->wrench;
  for (int c = 0; c < e->n; c++) out[c] = td_splat(0);
  for (int first = 0; first < e->interval_count; first += TD_LANES) {
    for (int c = 0; c < e->n; c++) sums[c] = td_splat(0);
    for (int i = first; i < first + TD_LANES && i < e->interval_count; i++) {
      const td_vec *wrench = l->node[e->to[i]].c.F;
      td_dvec F;
      td_vec y[12];
      for (int k = 0; k < 3; k++) F.re[k] = wrench[3 + k], F.du[k] = wrench[k];
      td_motion_projection(&l->motion[l->first_interval[e - l->model->element] + i], &F, y);
      project_interval(l, e, i, y, sums);
    }
    for (int c = 0; c < e->n; c++) out[c] += sums[c];
  }
}

TD_INLINE td_vec dot6(const td_vec *a, const td_vec *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void project(td_lanes *l) {
  const td_model *m = l->model;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW) l->id[e->coordinate] = dot6(l->screw[i], l->node[e->end].c.F);
    if (e->type == TD_ELEMENT_STRIP) project_strip(l, e);
  }
}

void td_lanes_wrenches(td_lanes *l, td_composite_level level) {
  const td_model *m = l->model;
  for (int k = 0; k < m->node_count; k++) {
    td_lane_node *node = &l->node[k];
    memset(&node->c, 0, sizeof node->c);
    if (m->node[k].inertia >= 0) rigid_node(&m->inertia[m->node[k].inertia], node, level);
  }
  sum(l, level);
  if (level != TD_COMPOSITE_MASS) project(l);
}
