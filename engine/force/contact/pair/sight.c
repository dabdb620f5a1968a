// Solids before each other, as those see it who look into steps: how far apart, how fast they may come nearer.
#include "force/contact/pair/nearby.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Points of an axis move as a mean of its ends do. By a velocity that all have in common.
static double fastest(const td_model *m, const td_workspace *ws, int solid, const double common[3]) {
  double most = 0, v[3];
  const td_solid *s = &m->solid[solid];
  for (int p = s->first; p < s->first + s->count; p++)
    for (int k = 0; k < td_grip_points(&m->proxy[p]); k++) {
      td_point_velocity(ws, m->proxy_frame[m->proxy[p].frame[k]].node, ws->proxy_end[p][k], v);
      for (int i = 0; i < 3; i++) v[i] -= common[i];
      most = fmax(most, td_vec3_dot(v, v));
    }
  return sqrt(most);
}

void td_grip_sight(const td_model *m, const td_workspace *ws, int index, td_sighting *out) {
  const td_solid_pair *pair = &m->solid_pair[index];
  static const double world[3] = {0};
  double gap = td_nearby_gap(m, ws, pair), most = 0;
  memset(out, 0, sizeof *out);
  out->velocity[0] = fastest(m, ws, pair->a, world) + fastest(m, ws, pair->b, world);
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

double td_grip_closing(const td_model *m, const td_workspace *ws, int index) {
  const td_solid_pair *pair = &m->solid_pair[index];
  int p = m->solid[pair->b].first;
  double common[3] = {0};
  if (m->solid[pair->b].count > 0)
    td_point_velocity(ws, m->proxy_frame[m->proxy[p].frame[0]].node, ws->proxy_end[p][0], common);
  return fastest(m, ws, pair->a, common) + fastest(m, ws, pair->b, common);
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

// ---- axes that run through cores

// The ends of an axis; of a line without end those of what a core may reach of it.
static void find_ends(const td_model *m, const td_workspace *ws, int core, int axis, double end[2][3]) {
  const td_proxy *p = &m->proxy[axis];
  const double *reach = ws->proxy_box[core];
  double across = 0, along = 0;
  memcpy(end, ws->proxy_end[axis], 2 * sizeof *end);
  if (!p->line) return;
  for (int k = 0; k < 3; k++) {
    along += p->along[k] * (0.5 * (reach[k] + reach[3 + k]) - end[0][k]);
    across += reach[3 + k] - reach[k];
  }
  for (int k = 0; k < 3; k++) {
    end[1][k] = end[0][k] + (along + across) * p->along[k];
    end[0][k] += (along - across) * p->along[k];
  }
}

// Of the point at s of an axis, before a core: its distance, and the way out in the world.
static double before_core(const td_model *m, const td_workspace *ws, const td_proxy *core, double end[2][3], double s,
                          double n[3]) {
  const td_se3 *pose = &ws->pose[m->proxy_frame[core->frame[0]].node];
  double way[3], x[3];
  td_core_near near;
  for (int k = 0; k < 3; k++) way[k] = (1 - s) * end[0][k] + s * end[1][k] - pose->p[k];
  td_mat3_tvec(pose->R, way, x);
  td_core_near_at(&m->core[core->core], x, &near);
  if (n) td_mat3_vec(pose->R, near.n, n);
  return near.distance;
}

// The distance to what is convex is convex along a line: its least, by the golden section.
static double least_before(const td_model *m, const td_workspace *ws, const td_proxy *core, double end[2][3]) {
  static const double golden = 0.6180339887498949;
  enum { HALVINGS = 32 };
  double low = 0, high = 1, s[2] = {1 - golden, golden}, at[2];
  for (int k = 0; k < 2; k++) at[k] = before_core(m, ws, core, end, s[k], NULL);
  for (int i = 0; i < HALVINGS; i++) {
    int far = at[0] > at[1] ? 0 : 1; // what lies beyond it is not the least
    if (far == 0)
      low = s[0], s[0] = s[1], at[0] = at[1], s[1] = low + golden * (high - low);
    else
      high = s[1], s[1] = s[0], at[1] = at[0], s[0] = high - golden * (high - low);
    at[1 - far] = before_core(m, ws, core, end, s[1 - far], NULL);
  }
  return 0.5 * (low + high);
}

// A capsule lies across a core, whose edges are left behind and whose ends are outside. Rods have points instead.
static void run_through(const td_model *m, const td_workspace *ws, const td_proxy *core, int other, double sign,
                        td_pair_look *out) {
  const td_solid *solid = &m->solid[other];
  if (solid->link >= 0 && m->link[solid->link].rod >= 0) return;
  for (int p = solid->first; p < solid->first + solid->count; p++) {
    const td_proxy *axis = &m->proxy[p];
    double n[3], end[2][3];
    bool through = axis->line || (!axis->ball && (axis->role == TD_PROXY_AXIS || axis->role == TD_PROXY_SPINE));
    if (!through) continue;
    find_ends(m, ws, (int)(core - m->proxy), p, end);
    double s = least_before(m, ws, core, end), distance = before_core(m, ws, core, end, s, n);
    if (!(distance < 0) || !(core->radius + axis->radius - distance > out->depth)) continue;
    out->depth = core->radius + axis->radius - distance;
    for (int k = 0; k < 3; k++) out->n[k] = sign * n[k];
  }
}

void td_grip_runs_through(const td_model *m, const td_workspace *ws, int index, td_pair_look *out) {
  const td_solid_pair *pair = &m->solid_pair[index];
  const td_proxy *a = core_of(m, pair->a), *b = core_of(m, pair->b);
  *out = (td_pair_look){0};
  if (td_nearby_gap(m, ws, pair) > 0) return;
  if (b) run_through(m, ws, b, pair->a, 1, out);
  if (a) run_through(m, ws, a, pair->b, -1, out);
}

double td_grip_engulfed(const td_model *m, const td_workspace *ws, int index) {
  const td_proxy *a = core_of(m, m->solid_pair[index].a), *b = core_of(m, m->solid_pair[index].b);
  td_pair_look axis;
  td_grip_runs_through(m, ws, index, &axis);
  return a && b ? fmax(axis.depth, fmax(engulfed(m, ws, a, b), engulfed(m, ws, b, a))) : axis.depth;
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

// Corners may lie near each other's faces while the middle of one is in the other, an axis in a core.
void td_grip_look(const td_model *m, const td_workspace *ws, int index, td_pair_look *out) {
  double gap = td_nearby_gap(m, ws, &m->solid_pair[index]);
  td_pair_look axis;
  *out = (td_pair_look){.depth = gap > 0 ? -gap : td_nearby_deepest(m, ws, index)};
  td_grip_runs_through(m, ws, index, &axis);
  if (!(out->depth > 0) && !(axis.depth > 0)) return;
  find_normal(m, ws, index, out->n);
  if (axis.depth > out->depth) *out = axis;
  out->depth = fmax(out->depth, td_grip_engulfed(m, ws, index));
}
