// A sphere whose centre is beyond an obstacle's surface was put there: contacts push spheres out long before. So was a
// joint that stands beyond its limit by a degree or two.
#include "input/odd_start.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "force/stop.h"
#include "pass/kinematics.h"
#include <math.h>

static const double BEYOND = 1.001;
static const double PRESSED = 0.02; // rad, m
static const double OVERLAP = 0.1;  // of the radii of two bodies together

static void remark_contact(const td_place *at, const td_model *m, td_workspace *ws, int contact) {
  const td_contact *c = &m->contact[contact];
  int inside = 0;
  double deepest = 0;
  for (int i = 0; i < c->point_count; i++) {
    td_sighting s;
    td_contact_sight(m, ws, contact, i, &s);
    if (!(s.depth > BEYOND * c->point[i].half)) continue;
    inside++;
    deepest = fmax(deepest, s.depth - c->point[i].half);
  }
  bool turned = c->obstacle.type == TD_CONTACT_PLANE && inside == c->point_count;
  if (inside > 0)
    td_place_warn(at, "starts_inside",
                  "%d of the %d points that may touch it start beyond its surface, up to %.4g m deep: %s", inside,
                  c->point_count, deepest,
                  turned ? "the plane's `axis` points out of the obstacle to where the robot may be; turn it round"
                         : "the contact throws them out; move the obstacle or give another `initial`");
}

// Bodies that start in each other, by more than a contact gives way.
static void remark_pairs(const td_place *list, const td_model *m, td_workspace *ws) {
  if (m->solid_pair_count > 0) td_grip_begin(m, ws);
  for (int i = 0; i < m->solid_pair_count; i++) {
    const td_solid_pair *pair = &m->solid_pair[i];
    td_place at = td_place_at(list, (size_t)pair->contact);
    char a[TD_SOLID_TEXT], b[TD_SOLID_TEXT];
    td_sighting s;
    td_grip_text(m, i, 0, a);
    td_grip_text(m, i, 1, b);
    td_grip_sight(m, ws, i, &s);
    s.depth = fmax(s.depth, td_grip_engulfed(m, ws, i));
    if (!(s.depth > OVERLAP * td_grip_size(m, i))) continue;
    td_place_warn(
        &at, "starts_inside",
        "%s starts %.4g m deep in %s: the contact throws them apart; give another `initial`, or leave out what hangs "
        "together there",
        a, s.depth, b);
  }
}

static void remark_stops(const td_place *model, const td_model *m, const double *q) {
  const td_stops *all = td_stops_of(m);
  td_place links = td_place_key(model, "links");
  for (int i = 0; i < td_stops_count(m); i++) {
    const td_stop *s = &all->stop[i];
    td_place link = td_place_at(&links, (size_t)s->link), joint = td_place_key(&link, "joint"),
             limits = td_place_key(&joint, "limits");
    int side;
    double depth = td_stop_signed(s, q[s->coordinate], &side);
    if (depth > PRESSED)
      td_place_warn(&limits, "starts_inside",
                    "the joint starts at %.4g, %.4g beyond its %s limit: the stop throws it back with %.3g (N m, N); "
                    "give another `initial`, or where it is prescribed another input",
                    q[s->coordinate], depth, side > 0 ? "upper" : "lower", s->stiffness * depth);
  }
}

void td_start_remark(const td_place *root, const td_model *m, const double *q) {
  if (m->loop_count == 0 && m->prescribed_count == 0) td_start_remark_assembled(root, m, q);
}

void td_start_remark_assembled(const td_place *root, const td_model *m, const double *q) {
  td_workspace *ws = NULL;
  if (!root->warnings || m->contact_count + td_stops_count(m) == 0 || td_workspace_create(m, &ws)) return;
  td_place all = td_place_key(root, "model"), list = td_place_key(&all, "contacts");
  td_kinematics(m, ws, q ? q : ws->zero, ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int c = 0; c < m->contact_count; c++) {
    td_place at = td_place_at(&list, (size_t)c);
    remark_contact(&at, m, ws, c);
  }
  remark_pairs(&list, m, ws);
  remark_stops(&all, m, q ? q : ws->zero);
  td_workspace_destroy(ws);
}
