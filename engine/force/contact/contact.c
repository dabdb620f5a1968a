// Contact of points of rods with obstacles (element/contact.c), in the world frame.
//
// A force f at p, fixed in the world, with slope S = df/dp:  F -= (p x f, f),  N of such a force, less P^T S P with P =
// [-p^, 1].
// Source: Mathew2025 (57)-(61), with the corrections of the signs (engine/README.md).
#include "force/contact/contact.h"
#include "force/force_table.h"
#include "force/world_map.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>

static void world_centre(const td_workspace *ws, int node, double centre[3]) {
  for (int k = 0; k < 3; k++) centre[k] = ws->pose[node].p[k] + ws->origin[k];
}

static void touch_node(const td_workspace *ws, const td_contact *c, int i, td_touch *touch) {
  double centre[3];
  world_centre(ws, c->point[i].node, centre);
  td_touch_at(&c->obstacle, centre, c->point[i].radius, touch);
  double share = c->point[i].share;
  touch->potential *= share;
  for (int k = 0; k < 3; k++) touch->force[k] *= share;
  for (int k = 0; k < 9; k++) touch->slope[k] *= share;
}

static void add_to_nodes(td_workspace *ws, const td_contact *c, td_composite_level level) {
  static const double ZERO[3] = {0};
  for (int i = 0; i < c->point_count; i++) {
    int node = c->point[i].node;
    td_touch touch;
    touch_node(ws, c, i, &touch);
    if (!(touch.depth > 0)) continue;
    td_composite_apply(&ws->composite[node], ZERO, touch.force, ws->pose[node].p);
    if (level < TD_COMPOSITE_ALL) continue;
    for (int k = 0; k < 9; k++) touch.slope[k] = -touch.slope[k];
    td_add_point_map(touch.slope, ws->pose[node].p, ws->full[node].N);
  }
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full && pass->level != TD_COMPOSITE_MASS);
  for (int i = 0; i < m->contact_count; i++) add_to_nodes(ws, &m->contact[i], pass->level);
}

void td_contact_sight(const td_model *m, const td_workspace *ws, int contact, int i, td_sighting *sighting) {
  const td_contact *c = &m->contact[contact];
  int node = c->point[i].node;
  td_touch touch;
  assert(contact < m->contact_count && i < c->point_count);
  world_centre(ws, node, sighting->centre);
  td_point_velocity(ws, node, ws->pose[node].p, sighting->velocity);
  touch_node(ws, c, i, &touch);
  sighting->depth = touch.depth;
  sighting->energy = touch.potential;
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double sum = 0;
  (void)q, (void)u;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) {
      td_touch touch;
      touch_node(ws, &m->contact[c], i, &touch);
      sum += touch.potential;
    }
  energy->contact += sum;
}

static unsigned acts(const td_model *m) { return m->contact_count ? TD_ACTS_BY_MAPS : 0; }

const td_force td_force_contact = {
    .name = "contact", .acts = acts, .kind = TD_FORCE_CONTACT, .on_nodes = on_nodes, .energy = add_energy};
