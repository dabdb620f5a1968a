// Solids before each other, as those see it who look into steps: how far apart, how fast they may come nearer.
#include "force/contact/nearby.h"
#include "force/contact/pair.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Points of an axis move as a mean of its ends do.
static double fastest(const td_model *m, const td_workspace *ws, int solid) {
  double most = 0, v[3];
  const td_solid *s = &m->solid[solid];
  for (int p = s->first; p < s->first + s->count; p++)
    for (int k = 0; k < td_grip_points(&m->proxy[p]); k++) {
      td_point_velocity(ws, m->proxy_frame[m->proxy[p].frame[k]].node, ws->proxy_end[p][k], v);
      most = fmax(most, td_vec3_dot(v, v));
    }
  return sqrt(most);
}

void td_grip_sight(const td_model *m, const td_workspace *ws, int index, td_sighting *out) {
  const td_solid_pair *pair = &m->solid_pair[index];
  double gap = td_nearby_gap(m, ws, pair), most = 0;
  memset(out, 0, sizeof *out);
  out->velocity[0] = fastest(m, ws, pair->a) + fastest(m, ws, pair->b);
  out->depth = gap > 0 ? -gap : td_nearby_deepest(m, ws, index);
  if (!(out->depth > 0)) return;
  td_grip g = td_grip_seek(m, ws, index);
  while (td_grip_next(m, ws, true, &g) && g.pair == index) {
    out->energy += g.potential;
    if (!(g.meeting.at.depth > most)) continue;
    most = g.meeting.at.depth;
    out->rate = -td_vec3_dot(g.meeting.at.n, g.meeting.v);
  }
}

// Of a core half of what it measures; of a rod or a ball its radius.
static double thickness(const td_model *m, const td_proxy *p) {
  const double *half = m->core ? m->core[p->core].half : NULL;
  if (p->role == TD_PROXY_CORNER) return INFINITY;
  return p->role == TD_PROXY_CORE ? p->radius + fmin(half[0], fmin(half[1], half[2])) : p->radius;
}

void td_grip_text(const td_model *m, int index, int side, char text[TD_SOLID_TEXT]) {
  const td_solid_pair *pair = &m->solid_pair[index];
  int link = m->solid[side ? pair->b : pair->a].link;
  const char *name = link >= 0 ? m->link[link].name : m->document ? m->document->contacts[-1 - link].name : NULL;
  if (side && pair->a == pair->b)
    snprintf(text, TD_SOLID_TEXT, "itself");
  else if (name)
    snprintf(text, TD_SOLID_TEXT, "%s\"%.63s\"", link < 0 ? "the obstacle " : "", name);
  else
    snprintf(text, TD_SOLID_TEXT, "an obstacle");
}

double td_grip_size(const td_model *m, int index) {
  double size = 0;
  for (int side = 0; side < 2; side++) {
    const td_solid *s = &m->solid[side ? m->solid_pair[index].b : m->solid_pair[index].a];
    double least = INFINITY;
    for (int p = s->first; p < s->first + s->count; p++) least = fmin(least, thickness(m, &m->proxy[p]));
    size += least;
  }
  return size;
}

static const td_proxy *core_of(const td_model *m, int solid) {
  const td_solid *s = &m->solid[solid];
  for (int p = s->first; p < s->first + s->count; p++)
    if (m->proxy[p].role == TD_PROXY_CORE) return &m->proxy[p];
  return NULL;
}

static double engulfed(const td_model *m, const td_workspace *ws, const td_proxy *in, const td_proxy *body) {
  const td_core *core = &m->core[in->core], *own = &m->core[body->core];
  const td_se3 *pose = &ws->pose[m->proxy_frame[in->frame[0]].node];
  const td_se3 *other = &ws->pose[m->proxy_frame[body->frame[0]].node];
  double middle[3], world[3], way[3], x[3];
  td_core_near near;
  td_mat3_vec(own->pose.R, own->middle, middle);
  for (int k = 0; k < 3; k++) middle[k] += own->pose.p[k];
  td_mat3_vec(other->R, middle, world);
  for (int k = 0; k < 3; k++) way[k] = world[k] + other->p[k] - pose->p[k];
  td_mat3_tvec(pose->R, way, x);
  td_core_near_at(core, x, &near);
  return near.distance < 0 ? thickness(m, body) + in->radius - near.distance : 0;
}

double td_grip_engulfed(const td_model *m, const td_workspace *ws, int index) {
  const td_proxy *a = core_of(m, m->solid_pair[index].a), *b = core_of(m, m->solid_pair[index].b);
  return a && b ? fmax(engulfed(m, ws, a, b), engulfed(m, ws, b, a)) : 0;
}

static void find_normal(const td_model *m, const td_workspace *ws, int index, double n[3]) {
  double deepest = 0;
  td_grip g = td_grip_seek(m, ws, index);
  while (td_grip_next(m, ws, false, &g) && g.pair == index) {
    if (!(g.meeting.push > 0) || !(g.meeting.at.depth > deepest)) continue;
    deepest = g.meeting.at.depth;
    memcpy(n, g.meeting.at.n, 3 * sizeof *n);
  }
}

// Corners may lie near each other's faces while the middle of one is in the other.
void td_grip_look(const td_model *m, const td_workspace *ws, int index, td_pair_look *out) {
  double gap = td_nearby_gap(m, ws, &m->solid_pair[index]);
  *out = (td_pair_look){.depth = gap > 0 ? -gap : td_nearby_deepest(m, ws, index)};
  if (!(out->depth > 0)) return;
  find_normal(m, ws, index, out->n);
  out->depth = fmax(out->depth, td_grip_engulfed(m, ws, index));
}
