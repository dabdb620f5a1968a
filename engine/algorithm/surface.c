// The deformed outer surface of a reduced body: circles of material points around its backbone, for pictures.
//
// At every computational point (base, Gauss points, tip) TD_SURFACE_AROUND points of the outline r = R(s), counterclockwise from
// the section's x axis: world position p + R_node (y1, y2, 0), y = X for rigid sections, the section map otherwise
// (element/section_map.h) with its local fields at that abscissa. Ritz bodies: rings of their box or the points of
// their mesh, moved by the modes.
#include "algorithm/dynamics.h"
#include "algorithm/kinematics.h"
#include "lie/vec3.h"
#include "strain/field_column.h"
#include "strain/section.h"
#include <math.h>

// The Ritz body of a link, NULL for other bodies.
static const td_solid *solid_of(const td_model *m, int link) {
  for (int i = 0; i < m->solid_count; i++)
    if (m->element[m->solid[i].element].link == link && m->link[link].body == TD_BODY_REDUCED) return &m->solid[i];
  return NULL;
}

int td_model_surface_count(const td_model *model, int link) {
  const td_link *l = &model->link[link];
  if (l->body != TD_BODY_REDUCED) return 0;
  return l->rod >= 0 ? model->rod[l->rod].point_count : solid_of(model, link)->skin_rings;
}

int td_model_surface_points(const td_model *model, int link) {
  const td_link *l = &model->link[link];
  bool mesh = l->body == TD_BODY_REDUCED && l->rod < 0;
  return mesh ? solid_of(model, link)->skin_count : TD_SURFACE_AROUND * td_model_surface_count(model, link);
}

// A point of a node's frame in the world.
static void to_world(const td_workspace *ws, int node, const double local[3], double out[3]) {
  td_mat3_vec(ws->pose[node].R, local, out);
  for (int d = 0; d < 3; d++) out[d] += ws->pose[node].p[d] + ws->origin[d];
}

static void solid_surface(const td_model *m, const td_workspace *ws, const td_solid *solid, const double *q,
                          double *at) {
  const double *own = q + m->element[solid->element].coordinate;
  for (int p = 0; p < solid->skin_count; p++, at += 3) {
    double x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = solid->skin[3 * p + i];
      for (int k = 0; k < solid->n; k++) x[i] += solid->skin_mode[3 * (solid->skin_count * k + p) + i] * own[k];
    }
    to_world(ws, solid->node, x, at);
  }
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

static void rod_surface(const td_model *m, const td_workspace *ws, const td_rod *rod, const double *q, double *at) {
  const td_element *e = &m->element[rod->element];
  for (int k = 0; k < rod->point_count; k++) {
    double p[4] = {0};
    td_section_at section;
    td_section_eval(rod->outline, rod->abscissa[k], &section);
    if (rod->section) fields_at(rod, e, q + e->coordinate, rod->abscissa[k], p);
    for (int i = 0; i < TD_SURFACE_AROUND; i++, at += 3) {
      double angle = 2 * M_PI * i / TD_SURFACE_AROUND,
             local[3] = {section.radius * cos(angle), section.radius * sin(angle), 0};
      place(rod, rod->abscissa[k], p, local);
      to_world(ws, rod->point_node[k], local, at);
    }
  }
}

td_status td_link_surface(const td_model *model, td_workspace *ws, const double *q, int link, double *points) {
  int count = td_model_surface_points(model, link);
  td_kinematics(model, ws, q, NULL, NULL, model->gravity, TD_LEVEL_POSE);
  if (count && model->link[link].rod >= 0)
    rod_surface(model, ws, &model->rod[model->link[link].rod], q, points);
  else if (count)
    solid_surface(model, ws, solid_of(model, link), q, points);
  return td_all_finite(points, 3 * count);
}
