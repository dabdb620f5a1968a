// Whether all sections of reduced bodies are within the validity of their maps; where not, why.
//
// The root w of w^2 + alpha w^3 = 1 (element/reduced/lvp.c) ends at alpha = -2/sqrt 27: bent further, the inner side of
// a section would fold over. A body compressed to no length and a cavity whose source has emptied it are the two other
// ends. The cause is told apart by asking again without curvature, then without source.
#include "body/section/slice.h"
#include "strain/field_column.h"

static const char bends[] = "bends beyond what the volume-preserving kinematics can represent",
                  shrinks[] = "is compressed to no length, beyond what the volume-preserving kinematics can represent",
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

bool td_section_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  for (int i = 0; i < m->slice_count; i++) {
    const td_slice *slice = &m->slice[i];
    if (!slice_valid(m, slice, slice->points, slice->batch_count, q, margin, fault)) return false;
  }
  for (int i = 0; i < m->mark_count; i++) {
    td_section_points point = alone(&m->mark[i].point);
    if (!slice_valid(m, &m->slice[m->mark[i].slice], &point, 1, q, margin, fault)) return false;
  }
  return true;
}
