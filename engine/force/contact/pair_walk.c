// The walk over what touches: boxes about solids, about CHUNK proxies that follow each other and about each of them
// leave what is near. Behind those of solids, ws->solid_box has those of proxies, then those of chunks, by the number of
// their first proxy: one that is of two solids holds both.
#include "force/contact/bristle.h"
#include "force/contact/pair.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- where proxies are

enum { CHUNK = 8 };

static double *box_of(const td_model *m, const td_workspace *ws, int proxy) {
  return ws->solid_box[m->solid_count + proxy];
}

static double *chunk_of(const td_model *m, const td_workspace *ws, int proxy) {
  return ws->solid_box[m->solid_count + m->proxy_count + proxy / CHUNK];
}

static void empty(double *box) {
  for (int k = 0; k < 3; k++) box[k] = INFINITY, box[3 + k] = -INFINITY;
}

// box += what reaches so far about a point.
static void widen_by(double *box, const double at[3], const double reach[3]) {
  for (int k = 0; k < 3; k++) {
    if (at[k] - reach[k] < box[k]) box[k] = at[k] - reach[k];
    if (at[k] + reach[k] > box[3 + k]) box[3 + k] = at[k] + reach[k];
  }
}

static void widen(double *box, const double at[3], double reach) {
  widen_by(box, at, (const double[3]){reach, reach, reach});
}

static void place_core(const td_model *m, td_workspace *ws, int p, double *boxes[3]) {
  const td_proxy *x = &m->proxy[p];
  const td_core *core = &m->core[x->core];
  int node = m->proxy_frame[x->frame[0]].node;
  double R[9], middle[3], *at = ws->proxy_end[p][0], reach[3];
  td_mat3_mul(ws->pose[node].R, core->pose.R, R);
  td_mat3_vec(core->pose.R, core->middle, middle);
  for (int k = 0; k < 3; k++) middle[k] += core->pose.p[k];
  td_node_point(ws, node, middle, at);
  memcpy(ws->proxy_end[p][1], at, sizeof *ws->proxy_end[p]);
  for (int k = 0; k < 3; k++) {
    reach[k] = core->rounding;
    for (int i = 0; i < 3; i++) reach[k] += fabs(R[3 * k + i]) * core->half[i];
  }
  for (int i = 0; i < 3; i++) widen_by(boxes[i], at, reach);
}

static void place(const td_model *m, td_workspace *ws, int p, double *solid) {
  const td_proxy *x = &m->proxy[p];
  double reach = x->radius * (1 + TD_BARREL), *box = box_of(m, ws, p), *chunk = chunk_of(m, ws, p);
  empty(box);
  if (p % CHUNK == 0) empty(chunk);
  if (x->role == TD_PROXY_CORE) {
    place_core(m, ws, p, (double *[3]){box, chunk, solid});
    return;
  }
  for (int e = 0; e < 2; e++) {
    double *at = ws->proxy_end[p][e];
    if (e && x->ball)
      memcpy(at, ws->proxy_end[p][0], sizeof *ws->proxy_end[p]);
    else
      td_node_point(ws, m->proxy_frame[x->frame[e]].node, x->end[e], at);
    widen(box, at, reach);
    widen(chunk, at, reach);
    widen(solid, at, reach);
  }
}

// Proxies of solids follow each other, so that chunks are emptied before they are filled.
void td_grip_begin(const td_model *m, td_workspace *ws) {
  assert(td_holds(ws, TD_HOLDS_POSES));
  for (int i = 0; i < m->solid_count; i++) {
    empty(ws->solid_box[i]);
    for (int p = m->solid[i].first; p < m->solid[i].first + m->solid[i].count; p++) place(m, ws, p, ws->solid_box[i]);
  }
}

static bool boxes_apart(const double *a, const double *b) {
  for (int k = 0; k < 3; k++)
    if (a[k] > b[3 + k] || b[k] > a[3 + k]) return true;
  return false;
}

// ---- the walk

const td_proxy *td_grip_proxy(const td_model *m, const td_grip *g, int side) { return &m->proxy[side ? g->b : g->a]; }

const double *td_grip_point(const td_workspace *ws, const td_grip *g, int side, int k) {
  return side == g->core ? g->foot : ws->proxy_end[side ? g->b : g->a][k];
}

double td_grip_share(const td_grip *g, int side, int k) {
  double x = side ? g->meeting.at.t : g->meeting.at.s;
  return k ? x : 1 - x;
}

static void hold(const td_model *m, const td_workspace *ws, td_grip *g) {
  const td_bristle *b = td_bristle_of_grip(m, ws, g);
  g->meeting.weight = m->proxy[g->a].weight * m->proxy[g->b].weight;
  memset(g->meeting.z, 0, sizeof g->meeting.z);
  if (b) td_bristle_stretch(m, ws, g, b, g->meeting.z);
}

// The tangent that weighs friction: of a rod's capsule that of its axis, of its points that of its node.
static void find_grain(const td_model *m, const td_workspace *ws, td_grip *g) {
  const td_solid_pair *pair = &m->solid_pair[g->pair];
  const td_rubbing *law = &m->contact[pair->contact].rubbing;
  td_meeting *x = &g->meeting;
  x->grain = -1;
  for (int side = 0; side < 2 && x->grain < 0 && !(law->along == 1 && law->across == 1); side++) {
    int rod = m->link[m->solid[side ? pair->b : pair->a].link].rod;
    const td_proxy *p = td_grip_proxy(m, g, side);
    if (rod < 0 || !m->rod[rod].basis) continue;
    const double *axis = side ? x->at.v : x->at.u, *R = ws->pose[m->proxy_frame[p->frame[0]].node].R;
    double length = sqrt(td_vec3_dot(axis, axis));
    for (int i = 0; i < 3; i++) x->t[i] = p->ball ? R[3 * i] : axis[i] / length;
    x->grain = side;
  }
}

// Velocity of the nearest point of a's axis against b's, of the axes, spins there.
static void move(const td_model *m, const td_workspace *ws, td_grip *g) {
  td_meeting *x = &g->meeting;
  memset(x->v, 0, sizeof x->v);
  memset(x->vu, 0, sizeof x->vu);
  memset(x->vv, 0, sizeof x->vv);
  memset(x->w, 0, sizeof x->w);
  memset(x->wu, 0, sizeof x->wu);
  for (int side = 0; side < 2; side++) {
    const td_proxy *p = td_grip_proxy(m, g, side);
    double sign = side ? -1 : 1, *along = side ? x->vv : x->vu;
    for (int k = 0; k < td_grip_points(p); k++) {
      int node = m->proxy_frame[p->frame[k]].node;
      double v[3], share = td_grip_share(g, side, k), end = p->ball ? 0 : k ? 1 : -1;
      td_point_velocity(ws, node, td_grip_point(ws, g, side, k), v);
      for (int i = 0; i < 3; i++) {
        x->v[i] += sign * share * v[i];
        along[i] += end * v[i];
        x->w[side][i] += share * ws->V[node][i];
        x->wu[side][i] += end * ws->V[node][i];
      }
    }
  }
}

// Whether a proxy of one role touches one of another.
static const bool MEETS[TD_PROXY_ROLES][TD_PROXY_ROLES] = {
    [TD_PROXY_AXIS] = {[TD_PROXY_AXIS] = true, [TD_PROXY_BALL] = true, [TD_PROXY_CORNER] = true},
    [TD_PROXY_BALL] = {[TD_PROXY_AXIS] = true, [TD_PROXY_BALL] = true, [TD_PROXY_CORE] = true},
    [TD_PROXY_POINT] = {[TD_PROXY_CORE] = true},
    [TD_PROXY_CORNER] = {[TD_PROXY_AXIS] = true, [TD_PROXY_CORE] = true},
    [TD_PROXY_CORE] = {[TD_PROXY_BALL] = true, [TD_PROXY_POINT] = true, [TD_PROXY_CORNER] = true},
};

// A ball before a core.
static bool before_core(const td_model *m, const td_workspace *ws, td_grip *g) {
  const td_proxy *core = td_grip_proxy(m, g, g->core), *ball = td_grip_proxy(m, g, !g->core);
  const td_se3 *pose = &ws->pose[m->proxy_frame[core->frame[0]].node];
  const double *x = ws->proxy_end[g->core ? g->a : g->b][0];
  double way[3], local[3], half[9], sign = g->core ? 1 : -1;
  td_closest *at = &g->meeting.at;
  td_core_near own;
  for (int k = 0; k < 3; k++) way[k] = x[k] - pose->p[k];
  td_mat3_tvec(pose->R, way, local);
  td_core_near_at(&m->core[core->core], local, &own);
  memset(at, 0, sizeof *at);
  at->depth = core->radius + ball->radius - own.distance;
  if (!(at->depth > 0)) return false;
  g->near.distance = own.distance;
  td_mat3_vec(pose->R, own.n, g->near.n);
  td_mat3_mul(pose->R, own.bend, half);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) g->near.bend[3 * i + k] = td_vec3_dot(half + 3 * i, pose->R + 3 * k);
  at->D = 1;
  for (int k = 0; k < 3; k++) {
    at->r[k] = at->n[k] = sign * g->near.n[k];
    g->foot[k] = x[k] - own.distance * g->near.n[k];
  }
  return true;
}

// Sets the depth, and where they touch the rest of `at`.
static bool meet(const td_model *m, const td_workspace *ws, const td_solid_pair *pair, td_grip *g) {
  const td_proxy *a = &m->proxy[g->a], *b = &m->proxy[g->b];
  g->meeting.at.depth = -INFINITY;
  if (!MEETS[a->role][b->role]) return false;
  if (pair->apart > 0 && b->from - a->to < pair->apart && a->from - b->to < pair->apart) return false;
  g->core = a->role == TD_PROXY_CORE ? 0 : b->role == TD_PROXY_CORE ? 1 : -1;
  if (g->core >= 0) return before_core(m, ws, g);
  td_axes axes = {(const double(*)[3])ws->proxy_end[g->a], (const double(*)[3])ws->proxy_end[g->b], a->ball, b->ball,
                  a->radius + b->radius};
  return td_closest_find(&axes, &g->meeting.at);
}

double td_grip_depth(const td_model *m, const td_workspace *ws, const td_solid_pair *pair, int a, int b) {
  td_grip g = {.a = a, .b = b};
  (void)meet(m, ws, pair, &g);
  return g.meeting.at.depth;
}

static bool touches(const td_model *m, const td_workspace *ws, const td_solid_pair *pair, td_grip *g) {
  const td_proxy *a = &m->proxy[g->a], *b = &m->proxy[g->b];
  const td_contact *contact = &m->contact[pair->contact];
  td_press press;
  if (boxes_apart(box_of(m, ws, g->a), box_of(m, ws, g->b)) || !meet(m, ws, pair, g)) return false;
  if (!td_press_at(&contact->obstacle, g->meeting.at.depth, NULL, &press)) return false;
  double weight = a->weight * b->weight;
  g->meeting.radius[0] = a->radius;
  g->meeting.radius[1] = b->radius;
  g->meeting.push = weight * press.push;
  g->meeting.steep = weight * press.steep;
  g->potential = weight * press.potential;
  return true;
}

// The next two proxies of a pair but those whose chunk is apart; false: it has no more.
static bool step(const td_model *m, const td_workspace *ws, const td_solid_pair *pair, td_grip *g) {
  const td_solid *a = &m->solid[pair->a], *b = &m->solid[pair->b];
  bool self = pair->a == pair->b;
  int end = b->first + b->count;
  if (g->a < 0) g->a = a->first, g->b = self ? a->first : b->first - 1;
  for (;;) {
    if (++g->b == end) g->a++, g->b = self ? g->a + 1 : b->first;
    if (!(g->a < a->first + a->count && g->b < end)) return false;
    bool whole = g->b % CHUNK == 0 && g->b + CHUNK <= end;
    if (!whole || !boxes_apart(box_of(m, ws, g->a), chunk_of(m, ws, g->b))) return true;
    g->b += CHUNK - 1;
  }
}

bool td_grip_next(const td_model *m, const td_workspace *ws, bool moving, td_grip *g) {
  for (; g->pair < m->solid_pair_count; g->pair++, g->a = -1) {
    const td_solid_pair *pair = &m->solid_pair[g->pair];
    if (boxes_apart(ws->solid_box[pair->a], ws->solid_box[pair->b])) continue;
    while (step(m, ws, pair, g))
      if (touches(m, ws, pair, g)) {
        if (moving) move(m, ws, g), find_grain(m, ws, g);
        if (moving && pair->bristle >= 0) hold(m, ws, g);
        return true;
      }
  }
  return false;
}
