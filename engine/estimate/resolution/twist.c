// Twist at equilibria. A shaft that is twisted moves no point of its axis, so that shapes say nothing of it: a torque
// in the middle of a rod is a kink in its twist, of which smooth functions leave a part out wherever it is read but at
// the ends. Seen by the frames of points, from the base of their rod, as in resolution.c by dq = K^-1 r.
#include "estimate/resolution/parts.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TORSION = 0 };
static const double LEAST_TURNED = 1e-2; // of what the rod that is twisted most is
static const double AT_REST = 1e-5;      // rad
static const double OWN = 0.3;           // of what it moves by, over its length: less is of its bending

static bool is_twisted(const td_resolution *r, int rod_index) {
  const td_rod *rod = &r->twin.model->rod[rod_index];
  bool found = false;
  for (int g = 0; g < rod->group_count && rod->basis; g++) found |= rod->group[g].component == TORSION;
  return found;
}

// Frames of the twin's nodes at q + dq, each from the base of its rod; NULL: 0.
static void frames_at(td_resolution *r, const double *q, const double *dq, td_se3 *out) {
  const td_model *t = r->twin.model;
  td_se3 back;
  for (int i = 0; i < r->N; i++) r->moved[i] = (q ? q[i] : 0) + (dq ? dq[i] : 0);
  td_kinematics(t, r->twin.ws, r->moved, NULL, NULL, t->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    td_se3_inverse(&r->twin.ws->pose[rod->point_node[0]], &back);
    for (int k = 0; k < rod->point_count && rod->basis; k++)
      td_se3_compose(&back, &r->twin.ws->pose[rod->point_node[k]], &out[rod->point_node[k]]);
  }
}

// The most that a point of the rod is turned about its tangent from one to the other, rad.
static double turn(const td_resolution *r, int rod_index, const td_se3 *a, const td_se3 *b) {
  const td_rod *rod = &r->twin.model->rod[rod_index];
  double most = 0;
  for (int k = 1; k < rod->point_count; k++)
    most = fmax(most, fabs(td_twist_between(&a[rod->point_node[k]], &b[rod->point_node[k]])));
  return most;
}

// Whether a twist is more than what bending to all sides makes of it, and counts in the robot.
static bool counts(const td_resolution *r, int rod, double turned, double most) {
  double moved = r->moved_by[rod] / r->model->rod[rod].length;
  return is_twisted(r, rod) && turned > AT_REST && turned >= LEAST_TURNED * most && turned >= OWN * moved;
}

// Twists with all polynomials less those with k of them; b: the frames with all.
static void tails(td_resolution *r, double *sigma, const double *turned, td_se3 *a, const td_se3 *b) {
  for (int k = 1; k < r->how.enrichment; k++) {
    if (!td_resolution_solve(r, k, sigma, r->fine, r->dq)) return;
    frames_at(r, r->q, r->dq, a);
    for (int i = 0; i < r->model->rod_count; i++)
      if (r->wrong[i] > 0) r->found[r->model->rod[i].element].turns[k] = turn(r, i, a, b) / turned[i];
  }
}

static void look(td_resolution *r, const td_resolution_state *at, double sigma, double *turned, td_se3 *a, td_se3 *b) {
  int rods = r->model->rod_count;
  double most = 0;
  bool any = false;
  frames_at(r, NULL, NULL, a);
  frames_at(r, r->q, NULL, b);
  for (int i = 0; i < rods; i++) turned[i] = is_twisted(r, i) ? turn(r, i, a, b) : 0, most = fmax(most, turned[i]);
  if (!(most > AT_REST) || !td_resolution_solve(r, 0, &sigma, r->fine, r->dq)) return;
  frames_at(r, r->q, r->dq, a);
  if (!td_resolution_solve(r, r->how.enrichment, &sigma, r->fine, r->dq)) return;
  frames_at(r, r->q, r->dq, b);
  for (int i = 0; i < rods; i++) {
    td_finding *f = &r->found[r->model->rod[i].element];
    bool asked = td_resolution_is_asked(at, i) && counts(r, i, turned[i], most);
    double part = asked ? turn(r, i, a, b) / turned[i] : 0;
    r->wrong[i] = part > fmax(f->turn, TD_COARSE_TWIST);
    any |= r->wrong[i] > 0;
    if (!(part > f->turn)) continue;
    f->turn = part;
    snprintf(f->turn_at, sizeof f->turn_at, "%s", at->where);
  }
  if (any) tails(r, &sigma, turned, a, b);
}

void td_resolution_look_at_twist(td_resolution *r, const td_resolution_state *at, double sigma) {
  size_t nodes = (size_t)r->twin.model->node_count;
  bool any = false;
  for (int i = 0; i < r->model->rod_count; i++) any |= is_twisted(r, i);
  if (!any || at->state.qdd || at->path || at->start || r->how.enrichment == 0) return;
  td_se3 *frames = calloc(2 * nodes + 1, sizeof *frames);
  double *turned = calloc((size_t)r->model->rod_count + 1, sizeof *turned);
  if (frames && turned) look(r, at, sigma, turned, frames, frames + nodes);
  free(frames);
  free(turned);
}
