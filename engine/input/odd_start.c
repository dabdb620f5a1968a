// A sphere whose centre is beyond an obstacle's surface was put there: contacts push spheres out long before.
#include "input/odd_start.h"
#include "force/contact/contact.h"
#include "pass/kinematics.h"
#include <math.h>

static const double BEYOND = 1.001;

static void remark_contact(const td_place *at, const td_model *m, td_workspace *ws, int contact) {
  const td_contact *c = &m->contact[contact];
  int inside = 0;
  double deepest = 0;
  for (int i = 0; i < c->point_count; i++) {
    td_sighting s;
    td_contact_sight(m, ws, contact, i, &s);
    if (!(s.depth > BEYOND * c->point[i].radius)) continue;
    inside++;
    deepest = fmax(deepest, s.depth - c->point[i].radius);
  }
  bool turned = c->obstacle.type == TD_CONTACT_PLANE && inside == c->point_count;
  if (inside > 0)
    td_place_warn(at, "starts_inside",
                  "%d of the %d points that may touch it start beyond its surface, up to %.4g m deep: %s", inside,
                  c->point_count, deepest,
                  turned ? "the plane's `axis` points out of the obstacle to where the robot may be; turn it round"
                         : "the contact throws them out; move the obstacle or give another `initial`");
}

void td_start_remark(const td_place *root, const td_model *m, const double *q) {
  if (m->loop_count == 0 && m->prescribed_count == 0) td_start_remark_assembled(root, m, q);
}

void td_start_remark_assembled(const td_place *root, const td_model *m, const double *q) {
  td_workspace *ws = NULL;
  if (!root->warnings || m->contact_count == 0 || td_workspace_create(m, &ws)) return;
  td_place all = td_place_key(root, "model"), list = td_place_key(&all, "contacts");
  td_kinematics(m, ws, q ? q : ws->zero, ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int c = 0; c < m->contact_count; c++) {
    td_place at = td_place_at(&list, (size_t)c);
    remark_contact(&at, m, ws, c);
  }
  td_workspace_destroy(ws);
}
