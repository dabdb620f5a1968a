// Springs of contacts that stick: how they go on after a step (bristle.h).
//
// Sliding that turns round within a step would go back the way it came, as a spring does. So steps are to be no longer
// than half the time in which the velocity, as it changed over the last step, comes to 0, but for ways that the spring
// itself can take, within which nothing slides.
#include "force/contact/bristle.h"
#include "force/contact/rubbing.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// A point about the origin in a node's frame.
static void fix(const td_workspace *ws, int node, const double point[3], double local[3]) {
  const td_se3 *pose = &ws->pose[node];
  double way[3];
  for (int i = 0; i < 3; i++) way[i] = point[i] - pose->p[i];
  td_mat3_tvec(pose->R, way, local);
}

static void note(td_bristles_left *left, const td_hold *hold, const td_bristle *before, double h, td_bristle *next) {
  double change = 0, speed = sqrt(td_vec3_dot(hold->slip, hold->slip));
  left->energy += hold->energy;
  next->held = 1;
  memcpy(next->slip, hold->slip, sizeof next->slip);
  if (!before || !(before->held > 0) || !(h > 0) || !(speed > 0)) return;
  for (int i = 0; i < 3; i++) change += pow(hold->slip[i] - before->slip[i], 2);
  double turns = 0.5 * speed * h / sqrt(change), springs = 0.5 * hold->most / speed, longest = fmax(turns, springs);
  if (longest > 0) left->hurry = fmax(left->hurry, 1 / longest);
}

static void take_point(const td_workspace *ws, const td_contact *c, int i, const td_rubbed *b, const double place[3],
                       double h, td_bristle *next, td_bristles_left *left) {
  td_hold hold;
  td_rubbing law = td_contact_law(c, i);
  double end[3];
  td_rubbing_hold(&law, b, &hold);
  note(left, &hold, ws->bristle ? &ws->bristle[c->bristle + i] : NULL, h, next);
  for (int k = 0; k < 3; k++) {
    end[k] = place[k] + hold.point[k];
    next->at[1][0][k] = end[k] + ws->origin[k] - hold.z[k];
  }
  fix(ws, c->point[i].node, end, next->at[0][0]);
}

static void take_grip(const td_model *m, const td_workspace *ws, const td_grip *g, double h, td_bristle *next,
                      td_bristles_left *left) {
  td_hold hold;
  double middle[3] = {0};
  td_meeting_hold(&m->contact[m->solid_pair[g->pair].contact].rubbing, &g->meeting, &hold);
  note(left, &hold, td_bristle_of_grip(m, ws, g), h, next);
  for (int k = 0; k < td_grip_points(td_grip_proxy(m, g, 0)); k++)
    for (int i = 0; i < 3; i++) middle[i] += td_grip_share(g, 0, k) * td_grip_point(ws, g, 0, k)[i];
  for (int side = 0; side < 2; side++) {
    const td_proxy *p = td_grip_proxy(m, g, side);
    double end[3];
    next->share[side] = side ? g->meeting.at.t : g->meeting.at.s;
    for (int i = 0; i < 3; i++) end[i] = middle[i] + hold.point[i] - (side ? hold.z[i] : 0);
    for (int k = 0; k < td_grip_points(p); k++) fix(ws, m->proxy_frame[p->frame[k]].node, end, next->at[side][k]);
  }
}

td_bristles_left td_bristles_take(const td_model *m, td_workspace *ws, double h, td_bristle *next) {
  td_bristles_left left = {0};
  td_grip g = {0};
  assert(td_holds(ws, TD_HOLDS_TWISTS));
  memset(next, 0, (size_t)m->bristle_count * sizeof *next);
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; m->contact[c].bristle >= 0 && i < m->contact[c].point_count; i++) {
      double place[3];
      td_rubbed b;
      if (td_contact_rubbed(m, ws, c, i, place, &b))
        take_point(ws, &m->contact[c], i, &b, place, h, &next[m->contact[c].bristle + i], &left);
    }
  if (m->solid_pair_count == 0) return left;
  td_grip_begin_whole(m, ws);
  while (td_grip_next(m, ws, true, &g))
    if (m->solid_pair[g.pair].bristle >= 0) take_grip(m, ws, &g, h, &next[td_bristle_number(m, &g)], &left);
  return left;
}
