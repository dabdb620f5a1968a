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
#include <string.h>

// ---- forces

// A force and moments at the nearest points, over the ends of their axes. Those that are points of nodes, as all of rods
// are, are added up first; what acts beside its node turns with it.
static void apply(const td_model *m, td_workspace *ws, const td_grip *g, const td_meeting_force *f) {
  for (int side = 0; side < 2; side++) {
    const td_proxy *p = td_grip_proxy(m, g, side);
    for (int k = 0; k < td_grip_points(p); k++) {
      double share = td_grip_share(g, side, k), moment[3], force[3], *sum = ws->frame_wrench[p->frame[k]];
      const double *point = td_grip_point(ws, g, side, k);
      int node = m->proxy_frame[p->frame[k]].node;
      for (int i = 0; i < 3; i++)
        moment[i] = share * f->moment[side][i], force[i] = (side ? -share : share) * f->force[i];
      if (memcmp(point, ws->pose[node].p, 3 * sizeof *point))
        td_composite_apply(&ws->composite[node], moment, force, point);
      else
        for (int i = 0; i < 3; i++) sum[i] += moment[i], sum[3 + i] += force[i];
    }
  }
}

// To the nodes.
static void hand_over(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->proxy_frame_count; i++) {
    double *w = ws->frame_wrench[i];
    int node = m->proxy_frame[i].node;
    td_composite_apply(&ws->composite[node], w, w + 3, ws->pose[node].p);
    memset(w, 0, sizeof *ws->frame_wrench);
  }
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  td_grip g = {0};
  assert(pass->level != TD_COMPOSITE_MASS);
  (void)pass;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, false, &g)) {
    td_meeting_force f = {0};
    for (int i = 0; i < 3; i++) f.force[i] = g.meeting.push * g.meeting.at.n[i];
    apply(m, ws, &g, &f);
  }
  if (g.at) hand_over(m, ws);
}

static void rub_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  td_grip g = {0};
  assert(pass->level != TD_COMPOSITE_MASS && td_holds(ws, TD_HOLDS_TWISTS));
  (void)pass;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, true, &g)) {
    const td_rubbing *law = &m->contact[m->solid_pair[g.pair].contact].rubbing;
    td_meeting_force f;
    if (!td_rubbing_acts(law)) continue;
    td_meeting_rub(law, &g.meeting, &f);
    apply(m, ws, &g, &f);
  }
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
