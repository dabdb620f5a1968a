// Where bodies touch (td_contact_places): points midway between the surfaces, with what acts there.
//
// What lies closer together than half of a radius is one place: so are capsules of a rod where they join. What the ball
// there takes away again, whose weight is -1 (pair/pair.c), is taken from the nearest. A place is where its strongest
// touch is. Beyond the places that there are, weaker ones give way to stronger ones.
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "force/contact/rows.h"
#include "force/contact/rubbing.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

enum { MOST = 64, ROW = 0, AT = 1, FORCE = 4, NORMAL = 7 };
static const double NEAR = 0.5; // of a radius

int td_contact_place_count(const td_model *m) {
  td_contact_row r = TD_CONTACT_FIRST_ROW;
  int count = 0;
  while (count < MOST && td_contact_row_next(m, &r)) {
    if (r.last > 0) {
      count += r.last - r.first;
      continue;
    }
    const td_solid *a = &m->solid[m->solid_pair[r.pair].a], *b = &m->solid[m->solid_pair[r.pair].b];
    count += a->count > MOST || b->count > MOST ? MOST : a->count * b->count;
  }
  return count < MOST ? count : MOST;
}

typedef struct places {
  double (*at)[TD_CONTACT_PLACE];
  double pressed[MOST], most[MOST]; // N, of a place; of its strongest touch
  int count, limit, row;
} places;

typedef struct touch {
  double at[3], n[3], force[3], radius;
} touch;

// The nearest one of the row, within a reach.
static int place_near(const places *p, const touch *t, double reach) {
  int nearest = -1;
  double least = reach * reach;
  for (int i = p->count - 1; i >= 0 && (int)p->at[i][ROW] == p->row; i--) {
    double way[3];
    for (int k = 0; k < 3; k++) way[k] = t->at[k] - p->at[i][AT + k];
    double square = td_vec3_dot(way, way);
    if (square < least) least = square, nearest = i;
  }
  return nearest;
}

// -1: all there are press more.
static int new_place(places *p, double pressed) {
  int i = p->count, least = 0;
  if (i < p->limit) {
    p->count++;
  } else {
    for (int k = 1; k < p->count; k++)
      if (p->pressed[k] < p->pressed[least]) least = k;
    if (!(pressed > p->pressed[least])) return -1;
    int after = p->count - 1 - least; // rows stay in their order
    memmove(p->at + least, p->at + least + 1, (size_t)after * sizeof *p->at);
    memmove(p->pressed + least, p->pressed + least + 1, (size_t)after * sizeof *p->pressed);
    memmove(p->most + least, p->most + least + 1, (size_t)after * sizeof *p->most);
    i = p->count - 1;
  }
  memset(p->at[i], 0, sizeof *p->at);
  p->at[i][ROW] = p->row;
  p->pressed[i] = 0;
  p->most[i] = -INFINITY; // friction alone may be left where bodies part
  return i;
}

static void add(places *p, const touch *t, bool taken) {
  double pressed = td_vec3_dot(t->n, t->force);
  int i = place_near(p, t, taken ? INFINITY : NEAR * t->radius);
  if (i < 0 && !taken) i = new_place(p, pressed);
  if (i < 0) return;
  p->pressed[i] += pressed;
  for (int k = 0; k < 3; k++) p->at[i][FORCE + k] += t->force[k];
  if (!(pressed > p->most[i])) return;
  p->most[i] = pressed;
  memcpy(p->at[i] + AT, t->at, sizeof t->at);
  memcpy(p->at[i] + NORMAL, t->n, sizeof t->n);
}

static void add_points(const td_model *m, const td_workspace *ws, const td_contact_row *r, places *p) {
  for (int i = r->first; i < r->last; i++) {
    double place[3], moment[3];
    td_rubbed b;
    touch t;
    td_rubbing law = td_contact_law(&m->contact[r->contact], i);
    if (!td_contact_rubbed(m, ws, r->contact, i, place, &b)) continue;
    td_rubbing_at(&law, &b, moment, t.force, NULL);
    for (int k = 0; k < 3; k++) {
      t.force[k] += b.push * b.at.n[k];
      t.n[k] = b.at.n[k];
      t.at[k] = ws->origin[k] + place[k] - b.at.n[k] * (b.radius - 0.5 * b.at.depth);
    }
    t.radius = 0; // points of a rod are places of their own
    add(p, &t, false);
  }
}

static void add_pair(const td_model *m, const td_workspace *ws, int pair, bool taken, places *p) {
  td_grip g = td_grip_seek(m, ws, pair);
  while (td_grip_next(m, ws, true, &g) && g.pair == pair) {
    double lever[2][3];
    touch t;
    td_meeting_force f;
    if ((g.meeting.push < 0) != taken) continue;
    td_meeting_rub(&m->contact[m->solid_pair[pair].contact].rubbing, &g.meeting, &f);
    td_meeting_levers(&g.meeting, lever);
    td_contact_normal(g.meeting.at.n, t.n);
    for (int i = 0; i < 3; i++) {
      t.force[i] = f.force[i] + g.meeting.push * g.meeting.at.n[i];
      t.at[i] = ws->origin[i] + lever[0][i];
      for (int k = 0; k < td_grip_points(td_grip_proxy(m, &g, 0)); k++)
        t.at[i] += td_grip_share(&g, 0, k) * td_grip_point(ws, &g, 0, k)[i];
    }
    t.radius = fmax(g.meeting.radius[0], g.meeting.radius[1]);
    add(p, &t, taken);
  }
}

td_status td_contact_places(const td_model *m, td_workspace *ws, const double *q, const double *qd, double *out) {
  td_contact_row r = TD_CONTACT_FIRST_ROW;
  places p = {.at = (double(*)[TD_CONTACT_PLACE])out, .limit = td_contact_place_count(m)};
  td_kinematics(m, ws, q, qd ? qd : ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  if (m->solid_pair_count) td_grip_begin(m, ws);
  for (; td_contact_row_next(m, &r); p.row++) {
    if (r.last > 0) add_points(m, ws, &r, &p);
    for (int taken = 0; taken < 2 && r.last == 0; taken++) add_pair(m, ws, r.pair, taken, &p);
  }
  for (int i = p.count; i < p.limit; i++) {
    memset(p.at[i], 0, sizeof *p.at);
    p.at[i][ROW] = -1;
  }
  return td_all_finite(out, TD_CONTACT_PLACE * p.limit);
}
