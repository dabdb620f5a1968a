// Friction and damping of contacts (element/rubbing.h), in the world frame: what they add to the forces of contact.c.
//
// A wrench W of maps by place P and by motion V about a sphere's centre c:  F -= W,  N += S^T P S,  B -= S^T V S,
// S = [1 0; -c^ 1]. N is what the wrench loses, seen from the body, as the body moves: where all moved together, the
// obstacle too, nothing would change but W's own turn, which the columns have (engine/README.md); so it is what the
// obstacle's motion the other way gives.
#include "force/contact/rubbing.h"
#include "force/contact/contact.h"
#include "force/force_table.h"
#include "force/world_map.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// False: it does not touch. kinks: those of the contact's points in td_workspace.kinks, NULL.
static bool touch(const td_workspace *ws, const td_contact *c, int i, const double *kinks, td_rubbed *b) {
  const td_contact_point *point = &c->point[i];
  const td_obstacle *o = &c->obstacle;
  const td_se3 *pose = &ws->pose[point->node];
  double centre[3];
  td_press press;
  for (int k = 0; k < 3; k++) centre[k] = pose->p[k] + ws->origin[k];
  td_obstacle_measure(o, centre, point->radius, &b->at);
  if (!td_press_at(o, b->at.depth, kinks ? &kinks[i] : NULL, &press)) return false;
  b->radius = point->radius;
  b->push = point->share * press.push;
  b->steep = point->share * press.steep;
  td_point_velocity(ws, point->node, pose->p, b->v);
  memcpy(b->w, ws->V[point->node], sizeof b->w);
  for (int k = 0; k < 3; k++) b->t[k] = pose->R[3 * k];
  return true;
}

static void add_point(td_workspace *ws, const td_contact *c, int i, const double *kinks, td_composite_level level) {
  int node = c->point[i].node;
  const double *p = ws->pose[node].p;
  double moment[3], force[3], *F = ws->composite[node].F;
  td_rubbed b;
  td_rubbing_maps maps;
  if (!touch(ws, c, i, kinks, &b)) return;
  td_rubbing_at(&c->rubbing, &b, moment, force, NULL);
  td_vec3_cross_add(p, force, moment);
  for (int k = 0; k < 3; k++) F[k] -= moment[k], F[3 + k] -= force[k];
  if (level < TD_COMPOSITE_ALL) return;
  td_rubbing_slopes(&c->rubbing, &c->obstacle, &b, &maps);
  for (int k = 0; k < TD_MATRIX6; k++) maps.motion[k] = -maps.motion[k];
  td_add_body_map(maps.place, p, ws->full[node].N);
  td_add_body_map(maps.motion, p, ws->full[node].B);
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full && pass->level != TD_COMPOSITE_MASS);
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; td_rubbing_acts(&m->contact[c].rubbing) && i < m->contact[c].point_count; i++)
      add_point(ws, &m->contact[c], i, td_contact_kinks(m, ws, c), pass->level);
}

static unsigned acts(const td_model *m) {
  for (int c = 0; c < m->contact_count; c++)
    if (td_rubbing_acts(&m->contact[c].rubbing)) return TD_ACTS_BY_MAPS;
  return 0;
}

int td_contact_with_friction(const td_model *m) {
  for (int c = 0; c < m->contact_count; c++)
    if (m->contact[c].rubbing.friction > 0) return c;
  return -1;
}

void td_contact_slip_at(const td_model *m, const td_workspace *ws, td_contact_slip *out) {
  double could = 0, does = 0, most = 0;
  *out = (td_contact_slip){.contact = -1};
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; m->contact[c].rubbing.friction > 0 && i < m->contact[c].point_count; i++) {
      const td_rubbing *r = &m->contact[c].rubbing;
      double moment[3], force[3], slip, friction;
      td_rubbed b;
      if (!touch(ws, &m->contact[c], i, NULL, &b)) continue;
      td_rubbing_at(r, &b, moment, force, &slip);
      friction = r->friction * b.push;
      could += friction, does += friction * slip / hypot(slip, r->slip);
      out->speed += friction * slip;
      if (friction > most) most = friction, out->contact = c, out->radius = b.radius;
    }
  if (could > 0) out->share = does / could, out->speed /= could;
}

const td_force td_force_rubbing = {
    .name = "rubbing", .acts = acts, .kind = TD_FORCE_RUBBING, .moves = true, .heats = true, .on_nodes = on_nodes};
