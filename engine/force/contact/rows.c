// What touches, row by row (td_contact_rows): points of a link before an obstacle stand one behind the other, proxies
// of two solids are one pair.
#include "force/contact/rows.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "force/contact/rubbing.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int contact_of_pair(const td_model *m, int pair) {
  return pair < m->solid_pair_count ? m->solid_pair[pair].contact : m->contact_count;
}

static bool next_points(const td_model *m, td_contact_row *r) {
  const td_contact *c = &m->contact[r->contact];
  r->first = r->last;
  if (r->first == c->point_count) return false;
  int link = td_contact_link(m, &c->point[r->first]);
  while (r->last < c->point_count && td_contact_link(m, &c->point[r->last]) == link) r->last++;
  return true;
}

static bool next_pair(const td_model *m, td_contact_row *r) {
  r->first = r->last = 0;
  if (contact_of_pair(m, r->pair + 1) != r->contact) return false;
  r->pair++;
  return true;
}

// Of a contact points, then pairs, which are laid out in the order of their contacts.
bool td_contact_row_next(const td_model *m, td_contact_row *r) {
  bool in_pairs = r->contact >= 0 && r->last == 0;
  if (r->contact < 0) r->contact = 0;
  for (; r->contact < m->contact_count; r->contact++, in_pairs = false)
    if ((!in_pairs && next_points(m, r)) || next_pair(m, r)) return true;
  return false;
}

void td_contact_normal(const double n[3], double unit[3]) {
  double length = sqrt(td_vec3_dot(n, n));
  for (int k = 0; k < 3; k++) unit[k] = length > 0 ? n[k] / length : 0;
}

int td_contact_row_count(const td_model *m) {
  td_contact_row r = TD_CONTACT_FIRST_ROW;
  int count = 0;
  while (td_contact_row_next(m, &r)) count++;
  return count;
}

void td_contact_row_name(const td_model *m, int row, char *name) {
  td_contact_row r = TD_CONTACT_FIRST_ROW;
  char own[TD_MAX_NAME + 1];
  bool found = td_contact_row_next(m, &r);
  for (int i = 0; found && i < row; i++) found = td_contact_row_next(m, &r);
  assert(found);
  const char *given = m->document ? m->document->contacts[r.contact].name : NULL;
  if (!given) snprintf(own, sizeof own, "contacts[%d]", r.contact);
  const td_solid_pair *pair = r.last > 0 ? NULL : &m->solid_pair[r.pair];
  if (!pair || m->solid[pair->b].link < 0) {
    int link = pair ? m->solid[pair->a].link : td_contact_link(m, &m->contact[r.contact].point[r.first]);
    snprintf(name, TD_CONTACT_ROW_NAME, "%s.%s", given ? given : own, m->link[link].name);
    return;
  }
  snprintf(name, TD_CONTACT_ROW_NAME, "%s.%s.%s", given ? given : own, m->link[m->solid[pair->a].link].name,
           m->link[m->solid[pair->b].link].name);
}

// ---- what they are at a state

typedef struct sums {
  double touch[3], force[3], most; // most: N, of what is pressed most
} sums;

static void add(sums *s, double depth, const double n[3], const double force[3], double slip) {
  double pressed = td_vec3_dot(n, force);
  s->touch[0] = fmax(s->touch[0], depth);
  s->touch[1] += pressed;
  if (pressed > s->most) s->most = pressed, s->touch[2] = slip;
  for (int k = 0; k < 3; k++) s->force[k] += force[k];
}

static void add_points(const td_model *m, const td_workspace *ws, const td_contact_row *r, sums *s) {
  for (int i = r->first; i < r->last; i++) {
    double place[3], moment[3], force[3], slip;
    td_rubbed b;
    td_rubbing law = td_contact_law(&m->contact[r->contact], i);
    if (!td_contact_rubbed(m, ws, r->contact, i, place, &b)) continue;
    td_rubbing_at(&law, &b, moment, force, &slip);
    for (int k = 0; k < 3; k++) force[k] += b.push * b.at.n[k];
    add(s, b.at.depth, b.at.n, force, slip);
  }
}

static void add_pair(const td_model *m, const td_workspace *ws, int pair, sums *s) {
  td_grip g = td_grip_seek(m, ws, pair);
  while (td_grip_next(m, ws, true, &g) && g.pair == pair) {
    const td_closest *at = &g.meeting.at;
    td_meeting_force f;
    double n[3];
    td_meeting_rub(&m->contact[m->solid_pair[pair].contact].rubbing, &g.meeting, &f);
    for (int k = 0; k < 3; k++) f.force[k] += g.meeting.push * at->n[k];
    td_contact_normal(at->n, n);
    add(s, at->depth, n, f.force, f.slip);
  }
}

td_status td_contact_rows(const td_model *m, td_workspace *ws, const double *q, const double *qd, double *touch,
                          double *force) {
  td_contact_row r = TD_CONTACT_FIRST_ROW;
  td_status status = TD_OK;
  td_kinematics(m, ws, q, qd ? qd : ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  if (m->solid_pair_count) td_grip_begin(m, ws);
  for (int row = 0; td_contact_row_next(m, &r); row++) {
    sums s = {0};
    r.last > 0 ? add_points(m, ws, &r, &s) : add_pair(m, ws, r.pair, &s);
    if (td_all_finite(s.touch, 3) || td_all_finite(s.force, 3)) status = TD_NONFINITE;
    if (touch) memcpy(touch + 3 * row, s.touch, sizeof s.touch);
    if (force) memcpy(force + 3 * row, s.force, sizeof s.force);
  }
  return status;
}
