// The way from one state to the next is taken as the straight line between them in q, looked at so often that no point
// of a rod moves by more than an eighth of an obstacle between two looks.
//
// A backbone has gone through a cylinder where it has swept its axis. Seen along the axis, with w the angle that the
// backbone turns by about the axis from base to tip, and b, t those by which base and tip go about it on the way, the
// surface that is swept covers the axis
//     (w_to - w_from - t + b) / 2 pi
// times (the winding number of its rim). Only w_from, w_to of the polygon of points and the ways of base and tip are
// needed for it.
#include "statics/clearance.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 8, MOST = 512, PER_OBSTACLE = 8 };
static const double DEEP = 0.5;  // of the obstacle's size with the point's: it comes out on the other side
static const double STEP = 0.25; // the same: what a step may add to a depth

static bool is_round(const td_contact *c) {
  return c->obstacle.type == TD_CONTACT_CYLINDER_EXTERIOR || c->obstacle.type == TD_CONTACT_SPHERE;
}

static double size_of(const td_contact *c, int i) { return c->obstacle.radius + c->point[i].radius; }

// ------------------------------------------------------------------------------------------------ life

td_status td_clearance_init(td_clearance *c, const td_model *model, td_workspace *ws) {
  *c = (td_clearance){.model = model, .ws = ws};
  for (int i = 0; i < model->contact_count; i++)
    if (is_round(&model->contact[i])) c->count += model->contact[i].point_count;
  if (c->count == 0) return TD_OK;
  size_t count = (size_t)c->count;
  c->from = calloc(4 * count, sizeof *c->from);
  c->q = calloc((size_t)model->n + 1, sizeof *c->q);
  c->turns = calloc(count, sizeof *c->turns);
  if (!c->from || !c->q || !c->turns) return td_clearance_fini(c), TD_NO_MEMORY;
  c->to = c->from + count;
  c->between = c->to + count;
  c->trail = c->between + count;
  return TD_OK;
}

void td_clearance_fini(td_clearance *c) {
  free(c->from); // the others stand behind it
  free(c->q);
  free(c->turns);
  *c = (td_clearance){0};
}

// ------------------------------------------------------------------------------------------------ looks

// Points before round obstacles at q, in order.
static void look(const td_clearance *c, const double *q, td_sighting *out) {
  const td_model *m = c->model;
  td_kinematics(m, c->ws, q, c->ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && is_round(&m->contact[k]); i++)
      td_contact_sight(m, c->ws, k, i, out++);
}

static void look_at_part(td_clearance *c, const double *from, const double *to, double part) {
  for (int i = 0; i < c->model->n; i++) c->q[i] = from[i] + part * (to[i] - from[i]);
  look(c, c->q, c->between);
}

static double way_of(const td_clearance *c, int at) {
  const double *a = c->from[at].centre, *b = c->to[at].centre;
  return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

// How many places of the way see each obstacle more than once.
static int places(const td_clearance *c) {
  const td_model *m = c->model;
  double most = 0;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && is_round(&m->contact[k]); i++, at++)
      most = fmax(most, way_of(c, at) / size_of(&m->contact[k], i));
  return (int)fmin(fmax(PER_OBSTACLE * most, LEAST), MOST);
}

// ------------------------------------------------------------------------------------------------ steps

// Whether a point may be deeper at c->between than a step may take it.
static bool is_deeper(const td_clearance *c) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && is_round(&m->contact[k]); i++, at++)
      if (!(c->between[at].depth <= fmax(c->from[at].depth, 0) + STEP * size_of(&m->contact[k], i))) return true;
  return false;
}

// No point moves far enough to get there, whatever its direction.
static bool stays_near(const td_clearance *c) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && is_round(&m->contact[k]); i++, at++)
      if (!(way_of(c, at) + fmin(c->from[at].depth, 0) <= STEP * size_of(&m->contact[k], i))) return false;
  return true;
}

bool td_clearance_keeps(td_clearance *c, const double *from, const double *to) {
  assert(from != to);
  if (c->count == 0) return true;
  look(c, from, c->from);
  look(c, to, c->to);
  if (stays_near(c)) return true;
  int count = places(c);
  bool keeps = true;
  for (int k = 1; k <= count && keeps; k++) {
    look_at_part(c, from, to, (double)k / count);
    keeps = !is_deeper(c);
  }
  return keeps;
}

// ------------------------------------------------------------------------------------------------ passages

// The first point that c->between finds inside an obstacle it is apart from at both ends.
static bool finds_inside(const td_clearance *c, td_passage *found) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && is_round(&m->contact[k]); i++, at++) {
      if (c->from[at].depth > 0 || c->to[at].depth > 0) continue;
      if (!(c->between[at].depth > DEEP * size_of(&m->contact[k], i))) continue;
      *found = (td_passage){k, i};
      return true;
    }
  return false;
}

// The angle about the axis from a to b, the short way.
static double turn(const td_obstacle *o, const double a[3], const double b[3]) {
  double x[3], y[3], cross[3];
  for (int i = 0; i < 3; i++) x[i] = a[i] - o->origin[i], y[i] = b[i] - o->origin[i];
  td_vec3_cross(x, y, cross);
  double along = td_vec3_dot(x, o->axis) * td_vec3_dot(y, o->axis);
  return atan2(td_vec3_dot(cross, o->axis), td_vec3_dot(x, y) - along);
}

// The points of one rod before one cylinder, among all of a look: that of round obstacles, or of every one.
typedef struct chain {
  bool every;
  const td_obstacle *obstacle;
  int contact, point, at, count;
} chain;

// The next one from `chain` on, which begins as {.every}; false: there is none.
static bool next_chain(const td_model *m, chain *next) {
  next->at += next->count;
  next->point += next->count;
  for (; next->contact < m->contact_count; next->contact++, next->point = 0) {
    const td_contact *o = &m->contact[next->contact];
    bool seen = next->every || is_round(o);
    if (seen && o->obstacle.type != TD_CONTACT_CYLINDER_EXTERIOR) next->at += o->point_count;
    if (o->obstacle.type != TD_CONTACT_CYLINDER_EXTERIOR || next->point == o->point_count) continue;
    int i = next->point + 1;
    while (i < o->point_count && o->point[i].rod == o->point[i - 1].rod) i++;
    next->obstacle = &o->obstacle;
    next->count = i - next->point;
    return true;
  }
  return false;
}

// turns: b - t from c->trail to c->between, which becomes the trail.
static void follow_ends(td_clearance *c) {
  for (chain x = {0}; next_chain(c->model, &x);) {
    int tip = x.at + x.count - 1;
    c->turns[x.at] += turn(x.obstacle, c->trail[x.at].centre, c->between[x.at].centre) -
                      turn(x.obstacle, c->trail[tip].centre, c->between[tip].centre);
  }
  td_sighting *seen = c->trail;
  c->trail = c->between;
  c->between = seen;
}

static double winding(const chain *x, const td_sighting *sight) {
  double sum = 0;
  for (int i = 1; i < x->count; i++) sum += turn(x->obstacle, sight[x->at + i - 1].centre, sight[x->at + i].centre);
  return sum;
}

static double distance(const td_obstacle *o, const double p[3]) {
  double x[3] = {p[0] - o->origin[0], p[1] - o->origin[1], p[2] - o->origin[2]}, along = td_vec3_dot(x, o->axis);
  return sqrt(fmax(td_vec3_dot(x, x) - along * along, 0));
}

static int nearest(const chain *x, const td_sighting *sight) {
  int best = 0;
  for (int i = 1; i < x->count; i++)
    if (distance(x->obstacle, sight[x->at + i].centre) < distance(x->obstacle, sight[x->at + best].centre)) best = i;
  return best;
}

static bool finds_swept(const td_clearance *c, td_passage *found) {
  for (chain x = {0}; next_chain(c->model, &x);) {
    double times = (winding(&x, c->to) - winding(&x, c->from) + c->turns[x.at]) / (2 * M_PI);
    if (!(fabs(times) > 0.5)) continue;
    *found = (td_passage){x.contact, x.point + nearest(&x, c->to)};
    return true;
  }
  return false;
}

bool td_clearance_passes(td_clearance *c, const double *from, const double *to, td_passage *where) {
  if (c->count == 0) return false;
  look(c, from, c->from);
  look(c, to, c->to);
  memset(c->turns, 0, (size_t)c->count * sizeof *c->turns);
  memcpy(c->trail, c->from, (size_t)c->count * sizeof *c->trail);
  int count = places(c);
  for (int k = 1; k <= count; k++) {
    look_at_part(c, from, to, (double)k / count);
    if (finds_inside(c, where)) return true;
    follow_ends(c);
  }
  return finds_swept(c, where);
}

// ------------------------------------------------------------------------------------------------ steps of runs

static bool touches(const chain *x, const td_sighting *sight) {
  for (int i = 0; i < x->count; i++)
    if (sight[x->at + i].depth > 0) return true;
  return false;
}

// A rod that is mounted inside of it lies on no side.
static bool begins_inside(const td_model *m, const chain *x, const td_sighting *sight) {
  return sight[x->at].depth > DEEP * size_of(&m->contact[x->contact], x->point);
}

bool td_clearance_sweeps(const td_model *model, const td_sighting *from, const td_sighting *to, td_passage *where) {
  for (chain x = {.every = true}; next_chain(model, &x);) {
    if (!touches(&x, from) || !touches(&x, to) || begins_inside(model, &x, from)) continue;
    int tip = x.at + x.count - 1;
    double ends =
        turn(x.obstacle, from[x.at].centre, to[x.at].centre) - turn(x.obstacle, from[tip].centre, to[tip].centre);
    if (!(fabs(winding(&x, to) - winding(&x, from) + ends) > M_PI)) continue;
    *where = (td_passage){x.contact, x.point + nearest(&x, to)};
    return true;
  }
  return false;
}
