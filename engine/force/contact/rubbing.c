// Friction and damping of contacts (element/rubbing.h), in the world frame: what they add to forces of obstacles and
// pairs.
//
// A wrench W of maps by place P and by motion V about a sphere's centre c:  F -= W,  N += S^T P S,  B -= S^T V S,
// S = [1 0; -c^ 1]. N is what the wrench loses, seen from the body, as the body moves: where all moved together, the
// obstacle too, nothing would change but W's own turn, which the columns have (engine/README.md); so it is what the
// obstacle's motion the other way gives.
#include "force/contact/rubbing.h"
#include "force/contact/bristle.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "force/force_table.h"
#include "force/world_map.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// False: it does not touch. place: of point i. kinks: those of the contact's points in td_workspace.kinks, NULL.
static bool touch(const td_workspace *ws, const td_contact *c, int i, const double place[3], const double *kinks,
                  td_rubbed *b) {
  const td_contact_point *point = &c->point[i];
  const td_obstacle *o = &c->obstacle;
  const td_se3 *pose = &ws->pose[point->node];
  double centre[3];
  td_press press;
  for (int k = 0; k < 3; k++) centre[k] = place[k] + ws->origin[k];
  td_obstacle_measure(o, centre, point->radius, &b->at);
  if (!td_press_at(o, b->at.depth, kinks ? &kinks[i] : NULL, &press)) return false;
  b->radius = point->radius;
  b->push = point->share * press.push;
  b->steep = point->share * press.steep;
  td_point_velocity(ws, point->node, place, b->v);
  memcpy(b->w, ws->V[point->node], sizeof b->w);
  for (int k = 0; k < 3; k++) b->t[k] = pose->R[3 * k];
  b->share = point->share;
  b->held = false;
  b->on_rim = td_contact_rim(ws, c, i, &b->rim);
  if (!(c->rubbing.stick > 0)) return true;
  memset(b->z, 0, sizeof b->z);
  b->held = td_bristle_at_point(ws, c, i, place, b->z, b->lever);
  return true;
}

td_rubbing td_contact_law(const td_contact *c, int i) {
  td_rubbing law = c->rubbing;
  if (!td_contact_on_rod(&c->point[i])) law.along = law.across = 1;
  return law;
}

bool td_contact_rubbed(const td_model *m, const td_workspace *ws, int contact, int i, double place[3],
                       td_rubbed *rubbed) {
  const td_contact *c = &m->contact[contact];
  assert(i < c->point_count);
  td_contact_place(ws, c, i, place);
  return touch(ws, c, i, place, td_contact_kinks(m, ws, contact), rubbed);
}

static void add_point(td_workspace *ws, const td_contact *c, int i, const double *kinks, td_composite_level level) {
  int node = c->point[i].node;
  double p[3], moment[3], force[3], *F = ws->composite[node].F;
  td_rubbing law = td_contact_law(c, i);
  td_rubbed b;
  td_rubbing_maps maps;
  td_contact_place(ws, c, i, p);
  if (!touch(ws, c, i, p, kinks, &b)) return;
  td_rubbing_at(&law, &b, moment, force, NULL);
  td_vec3_cross_add(p, force, moment);
  for (int k = 0; k < 3; k++) F[k] -= moment[k], F[3 + k] -= force[k];
  if (level < TD_COMPOSITE_ALL) return;
  td_rubbing_slopes(&law, &b, &maps);
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
    if (m->contact[c].point_count > 0 && td_rubbing_acts(&m->contact[c].rubbing)) return TD_ACTS_BY_MAPS;
  return 0;
}

int td_contact_with_friction(const td_model *m) {
  for (int c = 0; c < m->contact_count; c++)
    if (td_rubbing_fades(&m->contact[c].rubbing)) return c;
  return -1;
}

// Sums of what could act and of what does, and where it is strongest.
typedef struct slips {
  double could, does, speed, most;
  td_contact_slip *out;
} slips;

static void note(slips *s, int contact, double friction, double slip, double slip_speed, double radius) {
  s->could += friction;
  s->does += friction * slip / hypot(slip, slip_speed);
  s->speed += friction * slip;
  if (friction > s->most) s->most = friction, s->out->contact = contact, s->out->radius = radius;
}

static void note_points(const td_model *m, const td_workspace *ws, int contact, slips *s) {
  const td_contact *c = &m->contact[contact];
  for (int i = 0; td_rubbing_fades(&c->rubbing) && i < c->point_count; i++) {
    td_rubbing r = td_contact_law(c, i);
    double p[3], moment[3], force[3], slip;
    td_rubbed b;
    td_contact_place(ws, c, i, p);
    if (!touch(ws, c, i, p, NULL, &b)) continue;
    td_rubbing_at(&r, &b, moment, force, &slip);
    note(s, contact, r.friction * b.push, slip, r.slip, c->point[i].half);
  }
}

static void note_grips(const td_model *m, td_workspace *ws, slips *s) {
  td_grip g = {0};
  if (m->solid_pair_count == 0) return;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, true, &g)) {
    int contact = m->solid_pair[g.pair].contact;
    const td_rubbing *r = &m->contact[contact].rubbing;
    td_meeting_force f;
    if (!td_rubbing_fades(r)) continue;
    td_meeting_rub(r, &g.meeting, &f);
    note(s, contact, r->friction * g.meeting.push, f.slip, r->slip, fmin(g.meeting.radius[0], g.meeting.radius[1]));
  }
}

void td_contact_slip_at(const td_model *m, td_workspace *ws, td_contact_slip *out) {
  slips s = {.out = out};
  *out = (td_contact_slip){.contact = -1};
  for (int c = 0; c < m->contact_count; c++) note_points(m, ws, c, &s);
  note_grips(m, ws, &s);
  if (s.could > 0) out->share = s.does / s.could, out->speed = s.speed / s.could;
}

// What springs hold that stick.
static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  (void)q, (void)u;
  for (int c = 0; ws->bristle && c < m->contact_count; c++)
    for (int i = 0; m->contact[c].bristle >= 0 && i < m->contact[c].point_count; i++) {
      double place[3];
      td_rubbed b;
      td_hold hold;
      td_rubbing law = td_contact_law(&m->contact[c], i);
      if (!td_contact_rubbed(m, ws, c, i, place, &b)) continue;
      td_rubbing_hold(&law, &b, &hold);
      energy->contact += hold.energy;
    }
}

const td_force td_force_rubbing = {.name = "rubbing",
                                   .acts = acts,
                                   .kind = TD_FORCE_RUBBING,
                                   .moves = true,
                                   .heats = true,
                                   .on_nodes = on_nodes,
                                   .energy = add_energy};
