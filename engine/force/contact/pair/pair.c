// Contact of bodies with each other, and of rods with themselves: capsules and balls (element/closest.h).
//
// A touch is shared out over the two ends of either axis, in parts 1 - s and s: a potential's force on their places.
// On rods capsules join at points that count with weight -1, so that
//   U = sum over proxies i of a, j of b of  w_i w_j k d_ij^(p+1) / (p+1)
// counts a touch at a joining point once, without a jump where it goes from one capsule to the next, and twice only
// where a rod bends around what it touches. Friction has the same weights.
#include "force/contact/pair/pair.h"
#include "force/force_table.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- forces

// A share of a force and moments, at a point of a frame.
static void apply_at(const td_model *m, td_workspace *ws, int frame, const double *point, double share, double sign,
                     const double *all_moment, const double *all_force) {
  double moment[3], force[3], *sum = ws->frame_wrench[frame];
  int node = m->proxy_frame[frame].node;
  const double *origin = ws->pose[node].p;
  for (int i = 0; i < 3; i++) moment[i] = share * all_moment[i], force[i] = sign * share * all_force[i];
  if (point[0] != origin[0] || point[1] != origin[1] || point[2] != origin[2])
    td_composite_apply(&ws->composite[node], moment, force, point);
  else
    for (int i = 0; i < 3; i++) sum[i] += moment[i], sum[3 + i] += force[i];
}

// A force and moments at the nearest points, over the ends of their axes. Those that are points of nodes, as all of rods
// are, are added up first; what acts beside its node turns with it. Where both ends are of one frame it acts between.
static void apply(const td_model *m, td_workspace *ws, const td_grip *g, const td_meeting_force *f) {
  for (int side = 0; side < 2; side++) {
    const td_proxy *p = td_grip_proxy(m, g, side);
    const double *near = td_grip_point(ws, g, side, 0), *far = td_grip_point(ws, g, side, 1);
    double sign = side ? -1 : 1, share = td_grip_share(g, side, 1), point[3];
    if (p->ball) {
      apply_at(m, ws, p->frame[0], near, 1, sign, f->moment[side], f->force);
    } else if (p->frame[0] == p->frame[1]) {
      for (int i = 0; i < 3; i++) point[i] = (1 - share) * near[i] + share * far[i];
      apply_at(m, ws, p->frame[0], point, 1, sign, f->moment[side], f->force);
    } else {
      apply_at(m, ws, p->frame[0], near, 1 - share, sign, f->moment[side], f->force);
      apply_at(m, ws, p->frame[1], far, share, sign, f->moment[side], f->force);
    }
  }
}

// To the nodes.
static void hand_over(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->proxy_frame_count; i++) {
    double *w = ws->frame_wrench[i], most = 0;
    int node = m->proxy_frame[i].node;
    for (int k = 0; k < 6; k++) most += fabs(w[k]);
    if (most == 0) continue;
    td_composite_apply(&ws->composite[node], w, w + 3, ws->pose[node].p);
    memset(w, 0, sizeof *ws->frame_wrench);
  }
}

// A pass that asks for both kinds has them in one walk.
static bool together(const td_workspace *ws, const td_force_pass *pass) {
  enum { BOTH = TD_FORCE_CONTACT | TD_FORCE_RUBBING };
  return (pass->kinds & BOTH) == BOTH && td_holds(ws, TD_HOLDS_TWISTS);
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  td_grip g = {0};
  bool rubs = together(ws, pass) && td_pairs_rub(m);
  assert(pass->level != TD_COMPOSITE_MASS);
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, rubs, &g)) {
    td_meeting_force f = g.rub;
    for (int i = 0; i < 3; i++) f.force[i] += g.meeting.push * g.meeting.at.n[i];
    apply(m, ws, &g, &f);
  }
  if (g.at) hand_over(m, ws);
}

static void rub_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  td_grip g = {0};
  assert(pass->level != TD_COMPOSITE_MASS && td_holds(ws, TD_HOLDS_TWISTS));
  if (together(ws, pass)) return; // on_nodes
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, true, &g))
    if (td_rubbing_acts(&m->contact[m->solid_pair[g.pair].contact].rubbing)) apply(m, ws, &g, &g.rub);
  if (g.at) hand_over(m, ws);
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  td_grip g = {0};
  (void)q, (void)u;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, false, &g)) energy->contact += g.potential;
}

// What springs hold that stick.
static void add_held(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  td_grip g = {0};
  (void)q, (void)u;
  if (!ws->bristle) return;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, true, &g)) {
    td_hold hold;
    if (m->solid_pair[g.pair].bristle < 0) continue;
    td_meeting_hold(&m->contact[m->solid_pair[g.pair].contact].rubbing, &g.meeting, &hold);
    energy->contact += hold.energy;
  }
}

// ---- what acts

static unsigned acts(const td_model *m) { return m->solid_pair_count ? TD_ACTS_IN_WORLD : 0; }
static unsigned rubbing_acts(const td_model *m) { return td_pairs_rub(m) ? TD_ACTS_IN_WORLD | TD_ACTS_WIDE_ROWS : 0; }

const td_force td_force_pair = {.name = "pair",
                                .acts = acts,
                                .kind = TD_FORCE_CONTACT,
                                .on_nodes = on_nodes,
                                .between = td_grip_between,
                                .energy = add_energy};
const td_force td_force_pair_rubbing = {.name = "pair_rubbing",
                                        .acts = rubbing_acts,
                                        .kind = TD_FORCE_RUBBING,
                                        .moves = true,
                                        .heats = true,
                                        .on_nodes = rub_nodes,
                                        .energy = add_held};
