// The walk over what touches: what is in each other (nearby.c), with the law of its contact and how it moves.
#include "force/contact/bristle.h"
#include "force/contact/pair/nearby.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <math.h>
#include <string.h>

static void begin(const td_model *m, td_workspace *ws, bool whole) {
  td_nearby_begin(m, ws, whole);
  if (!td_holds(ws, TD_HOLDS_MET)) ws->nearby->met = 0;
  ws->holds |= TD_HOLDS_MET;
}

void td_grip_begin(const td_model *m, td_workspace *ws) { begin(m, ws, false); }
void td_grip_begin_whole(const td_model *m, td_workspace *ws) { begin(m, ws, true); }

td_grip td_grip_seek(const td_model *m, const td_workspace *ws, int pair) {
  return (td_grip){.at = td_nearby_seek(m, ws, pair)};
}

const td_proxy *td_grip_proxy(const td_model *m, const td_grip *g, int side) { return &m->proxy[side ? g->b : g->a]; }

const double *td_grip_point(const td_workspace *ws, const td_grip *g, int side, int k) {
  bool nearest = side == g->core || (side && g->meeting.at.line);
  return nearest ? g->near->foot : ws->proxy_end[side ? g->b : g->a][k];
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
    int link = m->solid[side ? pair->b : pair->a].link, rod = link < 0 ? -1 : m->link[link].rod;
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

// The law of their contact.
static void press(const td_model *m, const td_near *near, td_grip *g) {
  const td_proxy *a = &m->proxy[near->a], *b = &m->proxy[near->b];
  double weight = a->weight * b->weight;
  g->pair = near->pair, g->a = near->a, g->b = near->b, g->core = near->core, g->near = near;
  g->meeting.at = near->at;
  g->meeting.radius[0] = a->radius;
  g->meeting.radius[1] = b->radius;
  g->meeting.push = weight * near->press.push;
  g->meeting.steep = weight * near->press.steep;
  g->potential = weight * near->press.potential;
}

static const td_near *next_near(const td_model *m, const td_workspace *ws, td_grip *g) {
  td_nearby *n = ws->nearby;
  if (g->at == n->count && n->more) {
    td_nearby_list(m, ws, n->pair, n->skip);
    g->at = 0;
  }
  return g->at < n->count ? &n->at[g->at++] : NULL;
}

// Once for all walks at a state, where they go on from the first touch.
static void meet(const td_model *m, const td_workspace *ws, td_grip *g) {
  const td_rubbing *law = &m->contact[m->solid_pair[g->pair].contact].rubbing;
  td_nearby *n = ws->nearby;
  td_met *how = &n->how[g->at - 1];
  if (g->at <= n->met) {
    g->meeting = how->meeting;
    g->rub = how->rub;
    return;
  }
  move(m, ws, g);
  find_grain(m, ws, g);
  if (m->solid_pair[g->pair].bristle >= 0) hold(m, ws, g);
  if (td_rubbing_acts(law)) td_meeting_rub(law, &g->meeting, &g->rub);
  if (g->at > n->met + 1) return;
  *how = (td_met){g->meeting, g->rub};
  n->met = g->at;
}

bool td_grip_next(const td_model *m, const td_workspace *ws, bool moving, td_grip *g) {
  const td_near *near = next_near(m, ws, g);
  if (!near) return false;
  memset(&g->rub, 0, sizeof g->rub);
  press(m, near, g);
  if (moving) meet(m, ws, g);
  return true;
}

bool td_pairs_rub(const td_model *m) {
  for (int i = 0; i < m->solid_pair_count; i++)
    if (td_rubbing_acts(&m->contact[m->solid_pair[i].contact].rubbing)) return true;
  return false;
}

bool td_pairs_turn(const td_model *m) {
  static const double ORIGIN[3] = {0};
  for (int i = 0; i < m->proxy_count; i++)
    if (m->proxy[i].role == TD_PROXY_CORE || memcmp(m->proxy[i].end[0], ORIGIN, sizeof ORIGIN) ||
        memcmp(m->proxy[i].end[1], ORIGIN, sizeof ORIGIN))
      return true;
  return td_pairs_rub(m);
}
