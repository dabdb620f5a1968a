// Strips: columns of intervals (model.h), and those of joints with several coordinates.
//
// A strip's interval is one 4th-order Magnus step: Omega = (a1 + a2)/2 + sqrt(3)/12 [a1, a2] with a_i = h xi at the two
// Zanna points s0 + (1/2 -+ sqrt(3)/6)(s1 - s0). A joint exp(Phi q) is the same with a1 = 2 Phi q, a2 = 0. Source:
// Mathew2025 (A).
#include "build/build.h"
#include "element/joint_type.h"
#include "element/rigid_shape.h"
#include <math.h>
#include <string.h>

// ---- common to all strips

td_status td_strip_allocate(td_model *m, td_element *e, int intervals) {
  e->interval_count = intervals;
  e->batch_count = (intervals + TD_LANES - 1) / TD_LANES;
  e->from = td_block_alloc(&m->blocks, (size_t)intervals, sizeof(int));
  e->to = td_block_alloc(&m->blocks, (size_t)intervals, sizeof(int));
  e->phi_lane = td_block_alloc(&m->blocks, (size_t)e->batch_count * (size_t)e->n * 2, sizeof(td_vec));
  e->rest_lane = td_block_alloc(&m->blocks, (size_t)e->batch_count * 12, sizeof(td_vec));
  e->phi_column = td_block_alloc(&m->blocks, (size_t)intervals * 2 * (size_t)(e->npad + TD_LANES), sizeof(double));
  return e->from && e->to && e->phi_lane && e->rest_lane && e->phi_column ? TD_OK : TD_NO_MEMORY;
}

void td_strip_set_phi(td_element *e, int interval, int column, int zanna, double value) {
  int batch = interval / TD_LANES, lane = interval % TD_LANES;
  double *lanes = (double *)(e->phi_lane + (batch * e->n + column) * 2 + zanna);
  lanes[lane] = value;
  ((double *)e->phi_column)[(interval * 2 + zanna) * (e->npad + TD_LANES) + column] = value;
}

void td_strip_set_rest(td_element *e, int interval, int zanna, const double xi[6], double h) {
  double *lanes = (double *)(e->rest_lane + (interval / TD_LANES) * 12 + zanna * 6);
  for (int c = 0; c < 6; c++) lanes[c * TD_LANES + interval % TD_LANES] = h * xi[c];
}

// True when lane l of piece p is one of the columns of its group.
static bool in_piece(const td_element *e, int p, int l) {
  if (e->piece[p].group < 0) return false;
  int c = e->piece[p].chunk * TD_LANES + l;
  const td_group *group = &e->group[e->piece[p].group];
  return c >= group->first && c < group->first + group->count;
}

// Cuts the groups at multiples of eight columns and lays out phi piece by piece: after groups and phi_column stand.
td_status td_strip_pieces(td_model *m, td_element *e) {
  td_piece *piece = td_block_alloc(&m->blocks, (size_t)(e->group_count + 2 * (e->npad / TD_LANES) + 1), sizeof *piece);
  if (!piece) return TD_NO_MEMORY;
  for (int chunk = 0; chunk < e->npad / TD_LANES; chunk++) {
    int before = e->piece_count;
    for (int g = 0; g < e->group_count; g++) {
      int first = e->group[g].first, last = first + e->group[g].count;
      if (first < (chunk + 1) * TD_LANES && last > chunk * TD_LANES)
        piece[e->piece_count++] = (td_piece){chunk, e->group[g].component, g};
    }
    if (e->piece_count == before) piece[e->piece_count++] = (td_piece){chunk, 0, -1}; // local columns only
  }
  e->piece = piece;
  td_vec *phi = td_block_alloc(&m->blocks, (size_t)(e->interval_count * e->piece_count * 2), sizeof *phi);
  if (!phi) return TD_NO_MEMORY;
  e->phi_piece = phi;
  for (int i = 0; i < e->interval_count; i++)
    for (int p = 0; p < e->piece_count; p++)
      for (int z = 0; z < 2; z++, phi++)
        for (int l = 0; l < TD_LANES; l++)
          if (in_piece(e, p, l))
            (*phi)[l] = e->phi_column[(i * 2 + z) * (e->npad + TD_LANES) + piece[p].chunk * TD_LANES + l];
  return TD_OK;
}

td_status td_strip_gauss_pieces(td_model *m, td_rod *rod, const td_element *e) {
  td_vec *phi = td_block_alloc(&m->blocks, (size_t)(rod->gauss_count * e->piece_count), sizeof *phi);
  if (!phi) return TD_NO_MEMORY;
  rod->piece_gauss = phi;
  for (int k = 0; k < rod->gauss_count; k++)
    for (int p = 0; p < e->piece_count; p++, phi++)
      for (int l = 0; l < TD_LANES; l++)
        if (in_piece(e, p, l)) (*phi)[l] = rod->phi_gauss[k * (e->npad + TD_LANES) + e->piece[p].chunk * TD_LANES + l];
  return TD_OK;
}

// ---- joints

td_status td_build_joint_strip(td_model *m, td_element *e, const td_joint_spec *joint) {
  td_status status = td_strip_allocate(m, e, 1);
  if (status) return status;
  ((int *)e->from)[0] = e->start;
  ((int *)e->to)[0] = e->end;
  bool oriented = td_joint_has_axis(joint->type);
  td_se3 frame = td_se3_identity();
  double axis[3] = {0, 0, 1}, sign = 1;
  if (oriented) { // columns e1, e2, e3 = e1 x e2; the axis is +e3 or -e3
    double e1[3], e2[3];
    td_axis_plane(joint->axis, axis, e1, e2);
    double e3[3] = {e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]};
    sign = e3[0] * axis[0] + e3[1] * axis[1] + e3[2] * axis[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) frame.R[3 * i] = e1[i], frame.R[3 * i + 1] = e2[i], frame.R[3 * i + 2] = e3[i];
  }
  td_se3_compose(&e->pre, &frame, &e->pre);
  td_se3_inverse(&frame, &e->post);
  td_group *group = td_block_alloc(&m->blocks, (size_t)e->n, sizeof *group);
  if (!group) return TD_NO_MEMORY;
  e->group = group;
  e->group_count = e->n;
  for (int c = 0; c < e->n; c++) {
    int component = td_joint_component(joint->type, c);
    bool along_axis = oriented && component % 3 == 2;
    group[c] = (td_group){component, c, 1};
    td_strip_set_phi(e, 0, c, 0, along_axis ? 2 * sign : 2);
  }
  return td_strip_pieces(m, e);
}
