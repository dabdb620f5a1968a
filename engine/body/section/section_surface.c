// The deformed outer surface of a reduced body with a backbone: circles of material points around it, for pictures.
//
// At every computational point (base, Gauss points, tip) TD_SURFACE_AROUND points of the outline r = R(s),
// counterclockwise from the section's x axis: world position p + R_node (y1, y2, 0), y = X for rigid sections, the
// section map otherwise (element/reduced/section_map.h) with its local fields at that abscissa.
#include "body/section/slice.h"
#include "pass/composite.h"
#include "strain/field_column.h"
#include "strain/section.h"
#include <math.h>

int td_section_skin(const td_model *m, const td_element *e, int *rings) {
  *rings = m->rod[e->rod].point_count;
  return TD_SURFACE_AROUND * *rings;
}

// Local fields of the sections at s/L.
static void fields_at(const td_rod *rod, const td_element *e, const double *q, double s, double p[4]) {
  for (int d = 0; d < rod->section->fields; d++) p[d] = rod->section->component[d] == 5;
  for (int c = 0; c < e->n; c++)
    if (rod->local_of[c] >= 0) p[rod->local_of[c]] += td_field_column_eval(&rod->column[c], s, NULL) * q[c];
}

// Where the material point (x, y) of the section goes in its plane.
static void place(const td_rod *rod, double s, const double *p, double local[3]) {
  td_section_points point = {.weight = td_splat(0)};
  td_poly y[2];
  if (!rod->section) return;
  for (int k = 0; k < TD_SECTION_DATA; k++) point.data[k] = td_splat(k < 2 ? local[k] : 0);
  td_section_mark(rod->section, s, rod->length, &point);
  rod->section->map(&point, p, 1, y);
  local[0] = y[0].c[0][0], local[1] = y[1].c[0][0];
}

void td_section_surface(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *at) {
  const td_rod *rod = &m->rod[e->rod];
  for (int k = 0; k < rod->point_count; k++) {
    double p[4] = {0};
    td_section_at section;
    td_section_eval(rod->outline, rod->abscissa[k], &section);
    if (rod->section) fields_at(rod, e, q + e->coordinate, rod->abscissa[k], p);
    for (int i = 0; i < TD_SURFACE_AROUND; i++, at += 3) {
      double angle = 2 * M_PI * i / TD_SURFACE_AROUND,
             local[3] = {section.radius * cos(angle), section.radius * sin(angle), 0};
      place(rod, rod->abscissa[k], p, local);
      td_node_place(ws, rod->point_node[k], local, at);
    }
  }
}
