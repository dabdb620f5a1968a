// The deformed outer surface of reduced bodies, for pictures: each kind has its own (body.h).
#include "math/finite.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"

// The element that ends at the distal frame of a reduced body.
static const td_element *body_of(const td_model *m, int link) {
  return &m->element[m->node[m->link[link].distal].element];
}

static int skin_of(const td_model *m, int link, int *rings) {
  *rings = 0;
  if (m->link[link].body != TD_BODY_REDUCED) return 0;
  const td_element *e = body_of(m, link);
  return e->row->skin(m, e, rings);
}

int td_model_surface_count(const td_model *model, int link) {
  int rings;
  (void)skin_of(model, link, &rings);
  return rings;
}

int td_model_surface_points(const td_model *model, int link) {
  int rings;
  return skin_of(model, link, &rings);
}

td_status td_link_surface(const td_model *model, td_workspace *ws, const double *q, int link, double *points) {
  int count = td_model_surface_points(model, link);
  td_kinematics(model, ws, q, NULL, NULL, model->gravity, TD_LEVEL_POSE);
  if (count) body_of(model, link)->row->surface(model, ws, body_of(model, link), q, points);
  return td_all_finite(points, 3 * count);
}
