// Whether all sections of all reduced bodies are within the validity of their maps, and rods not inside out; where not, why.
//
// The root w of w^2 + alpha w^3 = 1 (element/lvp.c) ends at alpha = -2/sqrt 27: bent further, the inner side of a section would
// fold over. A body compressed to no length and a cavity whose source has emptied it are the two other ends. The cause is told
// apart by asking again without curvature, then without source. A Ritz body ends where a particle has no volume left.
#include "algorithm/validity.h"
#include "body/rod/inside_out.h"
#include "strain/field_column.h"
#include <stdio.h>
#include <string.h>

static const char bends[] = "bends beyond what the volume-preserving kinematics can represent",
                  shrinks[] = "is compressed to no length, beyond what the volume-preserving kinematics can represent",
                  turns[] = "is turned inside out by its modes",
                  pushed[] = "is pushed to no length or turned inside out: its stretch reaches 0",
                  closes[] = "closes its cavity, beyond what the volume-preserving kinematics can represent";

enum { KX = 0, KY = 1, SZ = 5 };

// Local fields of a slice, its curvatures `bend` times and its source `source` times as large.
static void fields_at(const td_model *m, const td_slice *slice, const double *q, double bend, double source,
                      double p[4]) {
  const td_rod *rod = &m->rod[slice->rod];
  const td_element *e = &m->element[rod->element];
  for (int d = 0; d < rod->section->fields; d++) {
    int component = rod->section->component[d];
    const double *phi = slice->phi + d * (e->npad + TD_LANES);
    p[d] = slice->rest[d];
    for (int c = 0; c < e->n; c++) p[d] += phi[c] * q[e->coordinate + c];
    if (component == KX || component == KY) p[d] *= bend;
    if (component >= TD_COMPONENT_LOCAL) p[d] *= source;
  }
}

// `point` holds one material point in lane 0, without weight.
static td_section_points alone(const td_section_points *point) {
  td_section_points one = *point;
  one.weight = td_splat(0);
  one.weight[0] = 1;
  return one;
}

static bool points_valid(const td_model *m, const td_slice *slice, const td_section_points *points, int count,
                         const double *p) {
  const td_section_row *row = m->rod[slice->rod].section;
  for (int i = 0; row->valid && i < count; i++)
    if (!row->valid(&points[i], p)) return false;
  return true;
}

static bool slice_valid(const td_model *m, const td_slice *slice, const td_section_points *points, int count,
                        const double *q, double margin, td_shape_fault *fault) {
  double p[4] = {0};
  fields_at(m, slice, q, margin, 1, p);
  if (points_valid(m, slice, points, count, p)) return true;
  fields_at(m, slice, q, 0, 1, p);
  bool bent = points_valid(m, slice, points, count, p);
  fields_at(m, slice, q, 0, 0, p);
  bool closed = points_valid(m, slice, points, count, p);
  const td_rod *rod = &m->rod[slice->rod];
  *fault = (td_shape_fault){rod->link, slice->s * rod->length, bent ? bends : closed ? closes : shrinks};
  return false;
}

// det(1 + sum q_k grad phi_k) of eight particles.
static td_vec determinant(const td_solid *solid, int batch, const double *q) {
  td_vec F[9];
  for (int i = 0; i < 9; i++) F[i] = td_splat(i % 4 == 0);
  for (int k = 0; k < solid->n; k++)
    for (int i = 0; i < 9; i++) F[i] += q[k] * solid->modes[batch * solid->n + k].gradient[i];
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// The compressible energy needs det F > 0 at every particle.
static bool solid_valid(const td_model *m, const td_solid *solid, const double *q, td_shape_fault *fault) {
  const td_element *e = &m->element[solid->element];
  for (int b = 0; b < solid->batch_count; b++) {
    td_vec det = determinant(solid, b, q + e->coordinate);
    for (int l = 0; l < TD_LANES; l++) {
      if (det[l] > 0) continue;
      *fault = (td_shape_fault){e->link, solid->points[b].X[2][l], turns};
      return false;
    }
  }
  return true;
}

static bool rods_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  td_inside_out at;
  if (!td_inside_out_find(m, q, margin, &at)) return true;
  const td_rod *rod = &m->rod[at.rod];
  *fault = (td_shape_fault){rod->link, at.s * rod->length, pushed};
  return false;
}

bool td_shape_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  if (!rods_valid(m, q, margin, fault)) return false;
  for (int i = 0; i < m->solid_count; i++)
    if (!solid_valid(m, &m->solid[i], q, fault)) return false;
  for (int i = 0; i < m->slice_count; i++) {
    const td_slice *slice = &m->slice[i];
    if (!slice_valid(m, slice, slice->points, slice->batch_count, q, margin, fault)) return false;
  }
  for (int i = 0; i < m->mark_count; i++) {
    td_section_points point = alone(&m->mark[i].point);
    if (!slice_valid(m, &m->slice[m->mark[i].slice], &point, 1, q, margin, fault)) return false;
  }
  return !m->guide || td_shape_valid(m->guide, q, margin, fault);
}

int td_shape_explain(const td_model *m, const double *q, double margin, char *text, size_t size) {
  td_shape_fault fault;
  text[0] = '\0';
  if (td_shape_valid(m, q, margin, &fault)) return -1;
  snprintf(text, size, "body \"%.63s\" at s = %.3g m %s", m->link[fault.link].name, fault.s, fault.why);
  return fault.link;
}
