// How a touch changes: its ends, and what it exerts by UNITS of how they move (touch.h).
#include "force/contact/pair/touch.h"
#include "force/contact/bristle.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

enum { VECTORS = (TD_GRIP_UNITS + TD_LANES - 1) / TD_LANES };
_Static_assert(VECTORS *TD_LANES <= (int)TD_GRIP_STRIDE, "whole vectors");

// ---- ends

// A core turns, and so does the tangent at a rod's point. Such have no axis, whose units are theirs; beside a core, which
// has those of u, a tangent has those of v.
static int turn_of(const td_model *m, const td_grip *g, int side) {
  if (side == g->core) return TD_BY_U;
  if (side != g->meeting.grain || !td_grip_proxy(m, g, side)->ball) return -1;
  return g->core >= 0 || side ? TD_BY_V : TD_BY_U;
}

static void add_end(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *b, int side, int k,
                    const double lever[3], td_grip_change *t) {
  const td_proxy *p = td_grip_proxy(m, g, side);
  int node = m->proxy_frame[p->frame[k]].node;
  bool again = k && p->frame[1] == p->frame[0];
  const double *point = td_grip_point(ws, g, side, k), *origin = ws->pose[node].p;
  double sign = side ? -1 : 1, part = sign * (p->ball ? 1 : td_grip_share(g, side, k)),
         along = p->ball ? 0
                 : k     ? 1
                         : -1;
  td_grip_end *e = &t->end[again ? t->count - 1 : t->count++];
  if (!again) *e = (td_grip_end){.frame = p->frame[k], .side = side, .axis = !p->ball, .turn = turn_of(m, g, side)};
  e->part += part;
  e->along += along;
  memcpy(e->spin, ws->V[node], sizeof e->spin);
  for (int i = 0; i < 3; i++) {
    double way = point[i] - origin[i];
    e->beside |= way != 0;
    e->lever[i] += part * way;
    e->swing[i] += along * way;
    e->arm[i] += part * (way + lever[i]);
  }
  if (!b) return;
  double end[3], part_z = sign * td_bristle_end(m, ws, g, b, side, k, end);
  e->part_z += part_z;
  for (int i = 0; i < 3; i++) e->z[i] += part_z * (end[i] - origin[i]);
}

static void add_ends(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *held,
                     td_grip_change *t) {
  double lever[2][3];
  td_meeting_levers(&g->meeting, lever);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < td_grip_points(td_grip_proxy(m, g, side)); k++)
      add_end(m, ws, g, held, side, k, lever[side], t);
}

static void add_slides(td_grip_change *t) {
  for (int k = 0; k < t->count; k++) {
    td_grip_end *e = &t->end[k];
    double sign = e->side ? -1 : 1;
    td_vec3_cross(e->swing, t->f.force, e->slid_moment);
    for (int i = 0; i < 3; i++) {
      e->slid_force[i] = sign * e->along * t->f.force[i];
      e->slid_moment[i] = sign * e->slid_moment[i] + e->along * t->f.moment[e->side][i];
    }
  }
}

// ---- what changes by units

static int count_of(const td_grip_change *t) {
  return t->held ? TD_BY_Z + 3 : t->rubs ? TD_BY_VELOCITY + 3 : TD_BY_V + 3;
}

static void set_units(int count, td_meeting_way *way) {
  for (int unit = 0; unit < count; unit++) {
    td_meeting_way *x = &way[unit / TD_LANES];
    td_vec *of[] = {x->at.r, x->at.u, x->at.v, x->v, x->z};
    of[unit / 3][unit % 3][unit % TD_LANES] = 1;
  }
}

static void take_units(const td_meeting *x, const td_meeting_way *way, int first, td_grip_change *t) {
  for (int i = 0; i < 3; i++) {
    td_vec force = x->steep * way->at.depth * x->at.n[i] + x->push * way->at.n[i];
    if (t->rubs) force += way->force[i];
    *(td_vec *)(t->by[TD_MOMENT + i] + first) = way->moment[0][i];
    *(td_vec *)(t->by[TD_MOMENT + 3 + i] + first) = way->moment[1][i];
    *(td_vec *)(t->by[TD_FORCE_ROW + i] + first) = force;
  }
  *(td_vec *)(t->by[TD_SLIDE] + first) = way->at.s;
  *(td_vec *)(t->by[TD_SLIDE + 1] + first) = way->at.t;
}

// Where a ball touches a core: u is its turn.
static void follow_core(const td_grip *g, const double force[3], td_meeting_way *way) {
  double sign = g->core ? 1 : -1;
  td_vec place[3], slide[3];
  td_core_way x;
  for (int i = 0; i < 3; i++) place[i] = sign * way->at.r[i];
  td_core_follow(&g->near->near, place, way->at.u, &x);
  way->at.depth = -x.distance;
  for (int i = 0; i < 3; i++) way->at.n[i] = way->at.whole[i] = sign * x.n[i];
  for (int i = 0; i < 3; i++) slide[i] = sign * x.slide[i];
  const double *w = g->meeting.w[g->core];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    way->v[i] -= w[j] * slide[k] - w[k] * slide[j];
    way->slid[i] = force[j] * slide[k] - force[k] * slide[j];
  }
}

// The tangent that weighs friction.
static void follow_grain(const td_meeting *x, int turn, td_meeting_way *way) {
  const double *axis = x->grain ? x->at.v : x->at.u;
  const td_vec *change = x->grain ? way->at.v : way->at.u;
  double length = sqrt(td_vec3_dot(axis, axis));
  td_vec along = x->t[0] * change[0] + x->t[1] * change[1] + x->t[2] * change[2];
  if (turn >= 0) {
    td_vec t[3] = {td_splat(x->t[0]), td_splat(x->t[1]), td_splat(x->t[2])};
    td_v3_cross(turn == TD_BY_U ? way->at.u : way->at.v, t, way->t);
    return;
  }
  for (int i = 0; i < 3; i++) way->t[i] = (change[i] - x->t[i] * along) / length;
}

static void find_units(const td_rubbing *law, const td_grip *g, int grain_turn, td_grip_change *t) {
  const td_meeting *x = &g->meeting;
  td_meeting_way way[VECTORS];
  int count = count_of(t), vectors = (count + TD_LANES - 1) / TD_LANES;
  memset(way, 0, (size_t)vectors * sizeof *way);
  set_units(count, way);
  for (int i = 0; i < vectors; i++)
    g->core < 0 ? td_closest_follow(&x->at, &way[i].at) : follow_core(g, t->f.force, &way[i]);
  for (int i = 0; i < vectors && x->grain >= 0; i++) follow_grain(x, grain_turn, &way[i]);
  if (t->rubs) td_meeting_rub_follow(law, x, vectors, way);
  for (int i = 0; i < vectors && g->core >= 0; i++)
    for (int k = 0; k < 3; k++) way[i].moment[g->core][k] += way[i].slid[k];
  for (int i = 0; i < vectors; i++) take_units(x, &way[i], i * TD_LANES, t);
}

void td_grip_change_find(const td_model *m, const td_workspace *ws, const td_grip *g, td_grip_change *t) {
  const td_rubbing *law = &m->contact[m->solid_pair[g->pair].contact].rubbing;
  const td_bristle *held = law->stick > 0 ? td_bristle_of_grip(m, ws, g) : NULL;
  t->rubs = td_rubbing_acts(law);
  t->held = held;
  t->count = 0;
  t->f = g->rub;
  add_ends(m, ws, g, held, t);
  for (int i = 0; i < 3; i++) t->f.force[i] += g->meeting.push * g->meeting.at.n[i];
  add_slides(t);
  find_units(law, g, g->meeting.grain >= 0 ? turn_of(m, g, g->meeting.grain) : -1, t);
}
