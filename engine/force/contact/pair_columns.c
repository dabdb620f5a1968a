// Derivatives of touches between bodies, by the columns of the ends of their axes.
//
// With the rows by coordinates of what a touch is made of,
//   P = dr/dq at s and t held, U and V those of the axes, W_a and W_b of the turns at the nearest points,
// a touch exerts Q = P^T F + W_a^T m_a + W_b^T m_b. That P, W turn with F, m held is in the composites (wrenches fixed
// in the world). What is left is
//   did_dq -= P^T dF + W_a^T dm_a + W_b^T dm_b + (U^T F + W_a'^T m_a) ds + (W_b'^T m_b - V^T F) dt,
//   did_dqd -= P^T dF + W_a^T dm_a + W_b^T dm_b  of dr' = P, dw = W,
// W' the turns of the far end of an axis against the near one. Changes of velocities by q: x' = v + w x x has
// W.R + (V x* W).J + (n x w).Jp along n (force/spring.c).
#include "force/contact/bristle.h"
#include "force/contact/pair.h"
#include "lie/vec3.h"
#include "pass/path_columns.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// Rows of ws->meeting, three each where nothing else is said.
enum {
  PLACE = 0,
  AXIS = 3,     // of a, then of b
  TURN = 9,     // of a, then of b
  TURNED = 15,  // W'
  RATE = 21,    // of r' by q
  SPIN = 24,    // of the spins by q
  BY_Q = 30,    // force, moments
  SLIDE = 39,   // one each
  BY_QD = 41,   // force, moments
  ENDS = 50,    // one each: what slides along an axis does
  STRETCH = 52, // of the spring that holds
  ROWS = 55
};
_Static_assert((int)ROWS <= (int)TD_MEETING_ROWS, "a workspace has them");

typedef struct rows {
  double *at;
  int ld;
} rows;

static double *row(const rows *r, int i) { return r->at + i * r->ld; }

// Three rows from `first` on += scale times the velocity (or turn) of a point by J.
static void add_place(const td_model *m, const td_workspace *ws, const td_loop_frame *f, const double *p, double scale,
                      const rows *r, int first) {
  double W[3][6] = {{0}};
  for (int i = 0; i < 3; i++) {
    W[i][3 + i] = 1;
    td_vec3_cross(p, W[i] + 3, W[i]);
  }
  td_path_columns(m, ws, f, TD_ROW_J, scale, 3, W[0], r->ld, row(r, first));
}

static void add_turn(const td_model *m, const td_workspace *ws, const td_loop_frame *f, double scale, const rows *r,
                     int first) {
  double W[3][6] = {{0}};
  for (int i = 0; i < 3; i++) W[i][i] = 1;
  td_path_columns(m, ws, f, TD_ROW_J, scale, 3, W[0], r->ld, row(r, first));
}

// Three rows from `first` on += scale times the change by q of a point's velocity (p NULL: of the spin).
static void add_rate(const td_model *m, const td_workspace *ws, const td_loop_frame *f, const double *p, double scale,
                     const rows *r, int first) {
  const double *V = ws->V[f->node];
  double W[3][6] = {{0}}, turned[3][6] = {{0}};
  for (int i = 0; i < 3; i++) {
    W[i][p ? 3 + i : i] = 1;
    if (p) {
      td_vec3_cross(W[i] + 3, V, turned[i] + 3);
      td_vec3_cross(p, turned[i] + 3, turned[i]);
      td_vec3_cross(p, W[i] + 3, W[i]);
    }
    td_cobracket_add(V, W[i], turned[i]);
  }
  td_path_columns(m, ws, f, TD_ROW_R, scale, 3, W[0], r->ld, row(r, first));
  td_path_columns(m, ws, f, TD_ROW_J, scale, 3, turned[0], r->ld, row(r, first));
}

static void fill_end(const td_model *m, const td_workspace *ws, const td_grip *g, int side, int k, bool rubs,
                     const rows *r) {
  const td_proxy *proxy = td_grip_proxy(m, g, side);
  const td_loop_frame *f = &m->proxy_frame[proxy->frame[k]];
  const double *p = td_grip_point(ws, g, side, k), sign = side ? -1 : 1, share = td_grip_share(g, side, k),
               end = k ? 1 : -1;
  add_place(m, ws, f, p, sign * share, r, PLACE);
  if (!proxy->ball) add_place(m, ws, f, p, end, r, AXIS + 3 * side);
  if (rubs || side == g->core) add_turn(m, ws, f, share, r, TURN + 3 * side);
  if (!rubs) return;
  if (!proxy->ball) add_turn(m, ws, f, end, r, TURNED + 3 * side);
  add_rate(m, ws, f, p, sign * share, r, RATE);
  add_rate(m, ws, f, NULL, share, r, SPIN + 3 * side);
}

// The spring's stretch: how its ends move.
static void fill_stretch(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *b,
                         const rows *r) {
  for (int side = 0; side < 2; side++) {
    const td_proxy *proxy = td_grip_proxy(m, g, side);
    for (int k = 0; k < td_grip_points(proxy); k++) {
      double point[3], share = td_bristle_end(m, ws, g, b, side, k, point);
      add_place(m, ws, &m->proxy_frame[proxy->frame[k]], point, side ? -share : share, r, STRETCH);
    }
  }
}

static void clear(const td_solid_pair *pair, int first, int count, const rows *r) {
  for (int i = 0; i < pair->range_count; i++)
    for (int k = first; k < first + count; k++)
      memset(row(r, k) + pair->range[i].coordinate, 0, (size_t)pair->range[i].count * sizeof *r->at);
}

static void read3(const rows *r, int first, int j, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = row(r, first + i)[j];
}
static void write3(const rows *r, int first, int j, const double x[3]) {
  for (int i = 0; i < 3; i++) row(r, first + i)[j] = x[i];
}

// Where a ball touches a core: the nearest point slides in the core by `slide`, of b against a.
static void follow_core(const td_grip *g, int j, const rows *r, td_meeting_way *way, double slide[3]) {
  double turn[3], place[3], sign = g->core ? 1 : -1;
  td_core_way x;
  read3(r, TURN + 3 * g->core, j, turn);
  for (int i = 0; i < 3; i++) place[i] = sign * way->at.r[i];
  td_core_follow(&g->near, place, turn, &x);
  way->at.depth = -x.distance;
  for (int i = 0; i < 3; i++) {
    way->at.n[i] = way->at.whole[i] = sign * x.n[i];
    slide[i] = sign * x.slide[i];
  }
}

// The tangent that weighs friction.
static void follow_grain(const td_grip *g, bool ball, int j, const rows *r, td_meeting_way *way) {
  const td_meeting *x = &g->meeting;
  double turn[3];
  if (ball) {
    read3(r, TURN + 3 * x->grain, j, turn);
    td_vec3_cross(turn, x->t, way->t);
    return;
  }
  const double *axis = x->grain ? x->at.v : x->at.u, *change = x->grain ? way->at.v : way->at.u;
  double length = sqrt(td_vec3_dot(axis, axis)), along = td_vec3_dot(x->t, change);
  for (int i = 0; i < 3; i++) way->t[i] = (change[i] - x->t[i] * along) / length;
}

// What changes by coordinate j: rows BY_Q, SLIDE, BY_QD. force [3]: all of the touch's; ball: the
// tangent is that of a node.
static void follow(const td_grip *g, const td_rubbing *law, const double force[3], bool ball, int j, const rows *r) {
  const td_meeting *x = &g->meeting;
  td_meeting_way way = {0};
  td_meeting_force change = {0};
  read3(r, PLACE, j, way.at.r);
  read3(r, AXIS, j, way.at.u);
  read3(r, AXIS + 3, j, way.at.v);
  double slid[3] = {0};
  if (g->core < 0)
    td_closest_follow(&x->at, &way.at);
  else
    follow_core(g, j, r, &way, slid);
  if (law) {
    double by_slide[3] = {0};
    read3(r, RATE, j, way.v);
    if (g->core >= 0) td_vec3_cross(x->w[g->core], slid, by_slide);
    for (int i = 0; i < 3; i++) way.v[i] -= by_slide[i];
    for (int side = 0; side < 2; side++) read3(r, SPIN + 3 * side, j, way.w[side]);
    if (law->stick > 0) read3(r, STRETCH, j, way.z);
    if (x->grain >= 0) follow_grain(g, ball, j, r, &way);
    td_meeting_rub_follow(law, x, &way, &change);
  }
  if (g->core >= 0) td_vec3_cross_add(force, slid, change.moment[g->core]);
  if (law || g->core >= 0)
    for (int side = 0; side < 2; side++) write3(r, BY_Q + 3 + 3 * side, j, change.moment[side]);
  for (int i = 0; i < 3; i++) change.force[i] += x->steep * way.at.depth * x->at.n[i] + x->push * way.at.n[i];
  write3(r, BY_Q, j, change.force);
  row(r, SLIDE)[j] = way.at.s;
  row(r, SLIDE + 1)[j] = way.at.t;
  if (!law) return;
  way = (td_meeting_way){0};
  read3(r, PLACE, j, way.v);
  for (int side = 0; side < 2; side++) read3(r, TURN + 3 * side, j, way.w[side]);
  td_meeting_rub_follow(law, x, &way, &change);
  write3(r, BY_QD, j, change.force);
  for (int side = 0; side < 2; side++) write3(r, BY_QD + 3 + 3 * side, j, change.moment[side]);
}

// What sliding along the axes does to coordinate j: rows ENDS.
static void slide(const td_meeting_force *f, bool rubs, int j, const rows *r) {
  for (int side = 0; side < 2; side++) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += (side ? -1 : 1) * row(r, AXIS + 3 * side + i)[j] * f->force[i];
      if (rubs) sum += row(r, TURNED + 3 * side + i)[j] * f->moment[side][i];
    }
    row(r, ENDS + side)[j] = sum;
  }
}

// matrix -= sum over k of left_k^T right_k, on the coordinates of the pair.
static void subtract(const td_solid_pair *pair, int count, const rows *r, int left, int right, double *matrix) {
  for (int a = 0; a < pair->range_count; a++)
    for (int i = pair->range[a].coordinate; i < pair->range[a].coordinate + pair->range[a].count; i++)
      for (int b = 0; b < pair->range_count; b++) {
        int from = pair->range[b].coordinate;
        for (int k = 0; k < count; k++) {
          const double x = row(r, left + k)[i], *y = row(r, right + k) + from;
          double *to = matrix + i * r->ld + from;
          for (int j = 0; j < pair->range[b].count; j++) to[j] -= x * y[j];
        }
      }
}

static void add_grip(const td_model *m, td_workspace *ws, const td_grip *g) {
  const td_solid_pair *pair = &m->solid_pair[g->pair];
  const td_rubbing *law = &m->contact[pair->contact].rubbing;
  const rows r = {ws->meeting, m->ld};
  bool rubs = td_rubbing_acts(law), turns = rubs || g->core >= 0;
  td_meeting_force f = {0};
  bool ball = g->meeting.grain >= 0 && td_grip_proxy(m, g, g->meeting.grain)->ball; // whose tangent it is
  const td_bristle *held = law->stick > 0 ? td_bristle_of_grip(m, ws, g) : NULL;
  clear(pair, PLACE, turns ? BY_Q : TURN, &r);
  if (law->stick > 0) clear(pair, STRETCH, 3, &r);
  if (held) fill_stretch(m, ws, g, held, &r);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < td_grip_points(td_grip_proxy(m, g, side)); k++) fill_end(m, ws, g, side, k, rubs, &r);
  if (rubs) td_meeting_rub(law, &g->meeting, &f);
  for (int i = 0; i < 3; i++) f.force[i] += g->meeting.push * g->meeting.at.n[i];
  for (int i = 0; i < pair->range_count; i++)
    for (int j = pair->range[i].coordinate; j < pair->range[i].coordinate + pair->range[i].count; j++) {
      follow(g, rubs ? law : NULL, f.force, ball, j, &r);
      slide(&f, rubs, j, &r);
    }
  subtract(pair, 3, &r, PLACE, BY_Q, ws->did_dq);
  subtract(pair, 2, &r, ENDS, SLIDE, ws->did_dq);
  if (turns) subtract(pair, 6, &r, TURN, BY_Q + 3, ws->did_dq);
  if (!rubs) return;
  subtract(pair, 3, &r, PLACE, BY_QD, ws->did_dqd);
  subtract(pair, 6, &r, TURN, BY_QD + 3, ws->did_dqd);
}

void td_grip_between(const td_model *m, td_workspace *ws) {
  td_grip g = {.a = -1};
  assert(td_holds(ws, TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES | TD_HOLDS_TWISTS));
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, true, &g)) add_grip(m, ws, &g);
}
