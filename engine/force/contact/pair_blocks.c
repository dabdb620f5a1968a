// One touch: how its force changes as the ends of its axes go and turn (element/closest.h, element/meeting.h), in UNITS:
// of r at s and t held, of u and v (of a core, of its turn), of the velocity midway, and of the spring that holds.
//
// An end at `lever` from its node has the part w of r (1 - s, s, minus that on b) and the part e of its axis (-1, 1; 0
// of a ball):
//   dr = sum w dp,  du = sum e dp (a),  dv = sum e dp (b),  dp = dx + turn x lever,
//   force on it  w dF + (e ds or -e dt) F,  moment  |w| dm + (e ds or e dt) m, and lever x force about the node.
// By velocities all of it acts at the point midway, h from the nearest point and arm = lever + h from the node:
// dF = D (sum w (v + spin x arm)), so that blocks are  w [arm^; 1] D [-arm'^, 1] w'.
// The nearest point of a core slides in it, which adds force x slide to the moment on it and turns the velocity there.
#include "force/contact/pair_blocks.h"
#include "force/contact/bristle.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// Units stand in groups of three, each with a fourth place that is empty: a group is one quad.
enum { OF_R, OF_U, OF_V, OF_VELOCITY, OF_Z, GROUPS };
enum { UNITS = 4 * GROUPS + 4, VECTORS = UNITS / 2 }; // whole vectors of eight; vectors at the most
enum { FORCE = 0, MOMENT = 3, S = 9, RESULTS = 11 };  // moments of a and b; s and t

typedef struct end {
  int frame, side;
  double part, along, lever[3], arm[3];
  double part_z, z[3]; // of the spring: part, from the node to the spring's end
  double spin[3];
  bool beside, turns; // it is not its node's point; it does something as its node turns
  int turn;           // the group of its node's turn, -1: none
} end;

typedef struct touch {
  bool rubs, held, whole; // whole: they turn bodies (td_pairs_turn)
  int count;
  end end[4];
  td_meeting_force f; // all of it
  _Alignas(64) double by[RESULTS][UNITS];
} touch;

// ---- blocks

void td_touch_blocks_clear(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->proxy_frame_count; i++) ws->touch_of[i] = -1;
  ws->touch_count = 0;
}

bool td_touch_blocks_have_room(const td_model *m, const td_workspace *ws) {
  return ws->touch_count + 16 <= td_touch_most(m);
}

static td_touch_block *block_of(const td_model *m, td_workspace *ws, int f, int g) {
  for (int b = ws->touch_of[f]; b >= 0; b = ws->touch[b].next)
    if (ws->touch[b].g == g) return &ws->touch[b];
  assert(ws->touch_count < td_touch_most(m));
  (void)m;
  td_touch_block *block = &ws->touch[ws->touch_count];
  memset(block, 0, sizeof *block);
  block->g = g;
  block->next = ws->touch_of[f];
  ws->touch_of[f] = ws->touch_count++;
  return block;
}

// ---- ends

// A core turns, and so does the tangent at a rod's point. Such have no axis, whose group is theirs; beside a core, which
// has that of u, a tangent has that of v.
static int turn_of(const td_model *m, const td_grip *g, int side) {
  if (side == g->core) return OF_U;
  if (side != g->meeting.grain || !td_grip_proxy(m, g, side)->ball) return -1;
  return g->core >= 0 || side ? OF_V : OF_U;
}

static void add_end(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *b, int side, int k,
                    touch *t) {
  int node = m->proxy_frame[td_grip_proxy(m, g, side)->frame[k]].node;
  const td_proxy *p = td_grip_proxy(m, g, side);
  end *e = &t->end[t->count++];
  double sign = side ? -1 : 1, share = p->ball ? 1 : td_grip_share(g, side, k);
  *e = (end){.frame = p->frame[k], .side = side, .part = sign * share, .along = p->ball ? 0 : k ? 1 : -1};
  double lever[2][3];
  td_meeting_levers(&g->meeting, lever);
  memcpy(e->spin, ws->V[node], sizeof e->spin);
  for (int i = 0; i < 3; i++) {
    e->lever[i] = td_grip_point(ws, g, side, k)[i] - ws->pose[node].p[i];
    e->arm[i] = e->lever[i] + lever[side][i];
  }
  e->beside = td_vec3_dot(e->lever, e->lever) > 0;
  e->turn = turn_of(m, g, side);
  e->turns = e->beside || b || e->turn >= 0;
  if (!b) return;
  e->part_z = sign * td_bristle_end(m, ws, g, b, side, k, e->z);
  for (int i = 0; i < 3; i++) e->z[i] -= ws->pose[node].p[i];
}

// ---- what changes by units

static int groups_of(const touch *t) { return t->held ? OF_Z + 1 : t->rubs ? OF_VELOCITY + 1 : OF_V + 1; }

static void set_units(const touch *t, td_meeting_way *way) {
  for (int group = 0; group < groups_of(t); group++)
    for (int k = 0; k < 3; k++) {
      int unit = 4 * group + k;
      td_meeting_way *x = &way[unit / TD_LANES];
      td_vec *of[] = {x->at.r, x->at.u, x->at.v, x->v, x->z};
      of[group][k][unit % TD_LANES] = 1;
    }
}

static void take_units(const td_meeting *x, const td_meeting_way *way, int first, touch *t) {
  for (int i = 0; i < 3; i++) {
    td_vec force = x->steep * way->at.depth * x->at.n[i] + x->push * way->at.n[i];
    if (t->rubs) force += way->force[i];
    *(td_vecu *)(t->by[MOMENT + i] + first) = way->moment[0][i];
    *(td_vecu *)(t->by[MOMENT + 3 + i] + first) = way->moment[1][i];
    *(td_vecu *)(t->by[FORCE + i] + first) = force;
  }
  *(td_vecu *)(t->by[S] + first) = way->at.s;
  *(td_vecu *)(t->by[S + 1] + first) = way->at.t;
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
    td_v3_cross(turn == OF_U ? way->at.u : way->at.v, t, way->t);
    return;
  }
  for (int i = 0; i < 3; i++) way->t[i] = (change[i] - x->t[i] * along) / length;
}

static void find_units(const td_rubbing *law, const td_grip *g, int grain_turn, touch *t) {
  const td_meeting *x = &g->meeting;
  td_meeting_way way[VECTORS];
  int vectors = (4 * groups_of(t) + TD_LANES - 1) / TD_LANES;
  memset(way, 0, (size_t)vectors * sizeof *way);
  set_units(t, way);
  for (int i = 0; i < vectors; i++)
    g->core < 0 ? td_closest_follow(&x->at, &way[i].at) : follow_core(g, t->f.force, &way[i]);
  for (int i = 0; i < vectors && x->grain >= 0; i++) follow_grain(x, grain_turn, &way[i]);
  if (t->rubs) td_meeting_rub_follow(law, x, vectors, way);
  for (int i = 0; i < vectors && g->core >= 0; i++)
    for (int k = 0; k < 3; k++) way[i].moment[g->core][k] += way[i].slid[k];
  for (int i = 0; i < vectors; i++) take_units(x, &way[i], i * TD_LANES, t);
}

static td_quad quad_of(const touch *t, int result, int group) { return *(const td_quad *)(t->by[result] + 4 * group); }

static td_quad cross(const double *a, td_quad b) {
  return (td_quad){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0};
}

// ---- into blocks

// What an end does: as it turns, as it goes; by its spin and velocity, of parts 1.
typedef struct done {
  td_quad turns[RESULTS], goes[RESULTS], spins[3], moves[3];
} done;

static void by_end(const touch *t, const end *e, done *to) {
  td_quad lever = {e->lever[0], e->lever[1], e->lever[2]}, spin = {e->spin[0], e->spin[1], e->spin[2]};
  double across = td_vec3_dot(e->spin, e->lever);
  for (int i = 0; i < RESULTS; i++) {
    to->goes[i] = e->part * quad_of(t, i, OF_R) + e->along * quad_of(t, i, e->side ? OF_V : OF_U);
    if (e->turns) to->turns[i] = cross(e->lever, to->goes[i]);
    if (e->turn >= 0) to->turns[i] += quad_of(t, i, e->turn);
    if (t->held) {
      td_quad z = e->part_z * quad_of(t, i, OF_Z);
      to->goes[i] += z;
      to->turns[i] += cross(e->z, z);
    }
    if (!t->rubs || !e->beside) continue;
    td_quad by = quad_of(t, i, OF_VELOCITY), product = by * lever;
    to->turns[i] += e->part * (across * by - (product[0] + product[1] + product[2]) * spin);
  }
  for (int i = 0; i < 3 && t->rubs; i++) {
    to->moves[i] = e->part * quad_of(t, FORCE + i, OF_VELOCITY);
    to->spins[i] = cross(e->arm, to->moves[i]);
  }
}

// Rows of a block: a force, and what it does at an arm.
static void add_rows(const double *arm, const td_quad *force, int column, td_quad (*to)[2]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    to[3 + i][column] += force[i];
    to[i][column] += arm[j] * force[k] - arm[k] * force[j];
  }
}

// What end e feels of it.
static void add_way(const touch *t, const end *e, const td_quad *by, int column, td_quad (*K)[2]) {
  td_quad slide = e->along * by[S + e->side], way = e->side ? -slide : slide, force[3];
  const td_quad *moment = by + MOMENT + 3 * e->side;
  for (int i = 0; i < 3; i++) force[i] = e->part * by[FORCE + i] + way * t->f.force[i];
  if (!t->whole) {
    for (int i = 0; i < 3; i++) K[3 + i][column] += force[i];
    return;
  }
  if (e->beside)
    add_rows(e->lever, force, column, K);
  else
    for (int i = 0; i < 3; i++) K[3 + i][column] += force[i];
  for (int i = 0; i < 3; i++) K[i][column] += fabs(e->part) * moment[i] + slide * t->f.moment[e->side][i];
}

static void add_two(const touch *t, const end *e, const end *by, const done *does, td_touch_block *to) {
  add_way(t, e, does->goes, 1, to->by_way);
  if (by->turns) add_way(t, e, does->turns, 0, to->by_way);
  if (!t->rubs) return;
  td_quad spins[3], moves[3];
  for (int i = 0; i < 3; i++) spins[i] = e->part * does->spins[i], moves[i] = e->part * does->moves[i];
  add_rows(e->arm, spins, 0, to->by_velocity);
  add_rows(e->arm, moves, 1, to->by_velocity);
}

void td_touch_blocks_add(const td_model *m, td_workspace *ws, const td_grip *g, bool whole) {
  const td_rubbing *law = &m->contact[m->solid_pair[g->pair].contact].rubbing;
  const td_bristle *held = law->stick > 0 ? td_bristle_of_grip(m, ws, g) : NULL;
  touch t;
  t.rubs = td_rubbing_acts(law);
  t.held = held;
  t.whole = whole;
  t.count = 0;
  memset(&t.f, 0, sizeof t.f);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < td_grip_points(td_grip_proxy(m, g, side)); k++) add_end(m, ws, g, held, side, k, &t);
  if (t.rubs) td_meeting_rub(law, &g->meeting, &t.f);
  for (int i = 0; i < 3; i++) t.f.force[i] += g->meeting.push * g->meeting.at.n[i];
  find_units(law, g, g->meeting.grain >= 0 ? turn_of(m, g, g->meeting.grain) : -1, &t);
  for (int b = 0; b < t.count; b++) {
    done does;
    by_end(&t, &t.end[b], &does);
    for (int a = 0; a < t.count; a++)
      add_two(&t, &t.end[a], &t.end[b], &does, block_of(m, ws, t.end[a].frame, t.end[b].frame));
  }
}
