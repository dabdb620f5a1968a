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
#include "element/contact.h"
#include "force/contact/obstacle/chain.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 8, MOST = 512, PER_OBSTACLE = 8 };
static const double DEEP = 0.5;  // of the obstacle's size with the point's: it comes out on the other side
static const double STEP = 0.25; // the same: what a step may add to a depth

// ------------------------------------------------------------------------------------------------ life

td_status td_clearance_init(td_clearance *c, const td_model *model, td_workspace *ws) {
  *c = (td_clearance){.model = model, .ws = ws};
  for (int i = 0; i < model->contact_count; i++)
    if (td_contact_is_round(&model->contact[i])) c->count += model->contact[i].point_count;
  if (c->count == 0 && model->solid_pair_count == 0) return TD_OK;
  size_t count = (size_t)c->count;
  c->from = calloc(4 * count + 1, sizeof *c->from);
  c->q = calloc((size_t)model->n + 1, sizeof *c->q);
  c->turns = calloc(2 * count + 1, sizeof *c->turns);
  if (!c->from || !c->q || !c->turns || td_clearance_pairs_init(&c->pairs, model))
    return td_clearance_fini(c), TD_NO_MEMORY;
  c->deepest = c->turns + count;
  c->to = c->from + count;
  c->between = c->to + count;
  c->trail = c->between + count;
  return TD_OK;
}

void td_clearance_fini(td_clearance *c) {
  free(c->from); // the others stand behind it
  free(c->q);
  free(c->turns);
  td_clearance_pairs_fini(&c->pairs);
  *c = (td_clearance){0};
}

// ------------------------------------------------------------------------------------------------ looks

// Points before round obstacles at q, in order.
static void look(const td_clearance *c, const double *q, td_sighting *out) {
  const td_model *m = c->model;
  td_kinematics(m, c->ws, q, c->ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++)
      td_contact_sight(m, c->ws, k, i, out++);
}

static void look_at_part(td_clearance *c, const double *from, const double *to, double part) {
  for (int i = 0; i < c->model->n; i++) c->q[i] = from[i] + part * (to[i] - from[i]);
  look(c, c->q, c->between);
  td_clearance_pairs_look(&c->pairs, c->model, c->ws);
}

static void look_at_ends(td_clearance *c, const double *from, const double *to) {
  look(c, from, c->from);
  td_clearance_pairs_begin(&c->pairs, c->model, c->ws);
  look(c, to, c->to);
  td_clearance_pairs_end(&c->pairs, c->model, c->ws);
}

static double way_of(const td_clearance *c, int at) {
  const double *a = c->from[at].centre, *b = c->to[at].centre;
  return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

// How many places of the way see each obstacle more than once.
static int places(const td_clearance *c) {
  const td_model *m = c->model;
  double most = td_clearance_pairs_way(&c->pairs, m);
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++, at++)
      most = fmax(most, way_of(c, at) / td_contact_size(&m->contact[k], i));
  return (int)fmin(fmax(PER_OBSTACLE * most, LEAST), MOST);
}

// ------------------------------------------------------------------------------------------------ steps

// Whether a point may be deeper at c->between than a step may take it.
static bool is_deeper(const td_clearance *c) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++, at++)
      if (!(c->between[at].depth <= fmax(c->from[at].depth, 0) + STEP * td_contact_size(&m->contact[k], i)))
        return true;
  return td_clearance_pairs_deepen(&c->pairs, m, STEP);
}

// No point moves far enough to get there, whatever its direction.
static bool stays_near(const td_clearance *c) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++, at++)
      if (!(way_of(c, at) + fmin(c->from[at].depth, 0) <= STEP * td_contact_size(&m->contact[k], i))) return false;
  return td_clearance_pairs_stay(&c->pairs, m, STEP);
}

bool td_clearance_keeps(td_clearance *c, const double *from, const double *to) {
  assert(from != to);
  if (!c->q) return true;
  look_at_ends(c, from, to);
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
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++, at++) {
      if (c->from[at].depth > 0 || c->to[at].depth > 0) continue;
      if (!(c->between[at].depth > DEEP * td_contact_size(&m->contact[k], i))) continue;
      *found = (td_passage){k, i, -1};
      return true;
    }
  return false;
}

static void note_depths(td_clearance *c) {
  for (int i = 0; i < c->count; i++) c->deepest[i] = fmax(c->deepest[i], c->between[i].depth);
}

// Whether what lay on one side of an obstacle's middle lies on the other.
static bool is_across(const td_obstacle *o, const td_sighting *from, const td_sighting *to) {
  double a[3], b[3];
  bool bar = o->type == TD_CONTACT_CYLINDER_EXTERIOR;
  (void)td_obstacle_distance(o, from->centre, bar, a);
  (void)td_obstacle_distance(o, to->centre, bar, b);
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0;
}

// The first point that was deep in an obstacle and is on the other side of it.
static bool finds_across(const td_clearance *c, bool part, td_passage *found) {
  const td_model *m = c->model;
  int at = 0;
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count && td_contact_is_round(&m->contact[k]); i++, at++) {
      double deep = DEEP * td_contact_size(&m->contact[k], i);
      if (!(c->deepest[at] > deep) || c->from[at].depth > deep) continue;
      if (c->to[at].depth > deep ? !part : !is_across(&m->contact[k].obstacle, &c->from[at], &c->to[at])) continue;
      *found = (td_passage){k, i, -1};
      return true;
    }
  return false;
}

// turns: b - t from c->trail to c->between, which becomes the trail.
static void follow_ends(td_clearance *c) {
  for (td_contact_chain x = {0}; td_contact_chain_next(c->model, &x);) {
    if (!td_contact_chain_is_bar(&x)) continue;
    int tip = x.at + x.count - 1;
    c->turns[x.at] += td_contact_turn(x.obstacle, c->trail[x.at].centre, c->between[x.at].centre) -
                      td_contact_turn(x.obstacle, c->trail[tip].centre, c->between[tip].centre);
  }
  td_sighting *seen = c->trail;
  c->trail = c->between;
  c->between = seen;
}

static bool finds_swept(const td_clearance *c, td_passage *found) {
  for (td_contact_chain x = {0}; td_contact_chain_next(c->model, &x);) {
    if (!td_contact_chain_is_bar(&x)) continue;
    double times = (td_contact_winding(&x, c->to) - td_contact_winding(&x, c->from) + c->turns[x.at]) / (2 * M_PI);
    if (!(fabs(times) > 0.5)) continue;
    *found = (td_passage){x.contact, x.point + td_contact_nearest(&x, c->to), -1};
    return true;
  }
  return false;
}

bool td_clearance_passes(td_clearance *c, const double *from, const double *to, bool part, td_passage *where) {
  if (!c->q) return false;
  look_at_ends(c, from, to);
  memset(c->turns, 0, 2 * (size_t)c->count * sizeof *c->turns);
  memcpy(c->trail, c->from, (size_t)c->count * sizeof *c->trail);
  int count = places(c);
  for (int k = 1; k <= count; k++) {
    look_at_part(c, from, to, (double)k / count);
    if (finds_inside(c, where)) return true;
    note_depths(c);
    follow_ends(c);
  }
  if (finds_across(c, part, where)) return true;
  int pair = td_clearance_pairs_passed(&c->pairs, c->model, DEEP, part);
  if (pair >= 0) *where = (td_passage){c->model->solid_pair[pair].contact, -1, pair};
  return pair >= 0 || finds_swept(c, where);
}
