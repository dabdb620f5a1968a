#include "force/contact/pair/meet.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

// Whether a proxy of one role touches one of another.
static const bool MEETS[TD_PROXY_ROLES][TD_PROXY_ROLES] = {
    [TD_PROXY_AXIS] =
        {[TD_PROXY_AXIS] = true, [TD_PROXY_BALL] = true, [TD_PROXY_CORNER] = true, [TD_PROXY_SPINE] = true},
    [TD_PROXY_BALL] = {[TD_PROXY_AXIS] = true, [TD_PROXY_BALL] = true, [TD_PROXY_CORE] = true},
    [TD_PROXY_POINT] = {[TD_PROXY_CORE] = true},
    [TD_PROXY_CORNER] = {[TD_PROXY_AXIS] = true, [TD_PROXY_CORE] = true},
    [TD_PROXY_SPINE] = {[TD_PROXY_AXIS] = true, [TD_PROXY_SPINE] = true},
    [TD_PROXY_CORE] = {[TD_PROXY_BALL] = true, [TD_PROXY_POINT] = true, [TD_PROXY_CORNER] = true},
};

// A ball before a core.
static bool before_core(const td_model *m, const td_workspace *ws, td_near *g) {
  const td_proxy *core = &m->proxy[g->core ? g->b : g->a], *ball = &m->proxy[g->core ? g->a : g->b];
  const td_se3 *pose = &ws->pose[m->proxy_frame[core->frame[0]].node];
  const double *x = ws->proxy_end[g->core ? g->a : g->b][0];
  double way[3], local[3], half[9], sign = g->core ? 1 : -1;
  td_closest *at = &g->at;
  td_core_near own;
  for (int k = 0; k < 3; k++) way[k] = x[k] - pose->p[k];
  td_mat3_tvec(pose->R, way, local);
  td_core_near_at(&m->core[core->core], local, &own);
  memset(at, 0, sizeof *at);
  at->depth = core->radius + ball->radius - own.distance;
  if (!(at->depth > 0)) return false;
  g->near.distance = own.distance;
  g->near.edge = own.edge;
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

// On a line, where it is nearest.
static void find_foot(const double (*axis)[3], td_near *g) {
  for (int k = 0; k < 3; k++) g->foot[k] = (1 - g->at.s) * axis[0][k] + g->at.s * axis[1][k] - g->at.r[k];
}

bool td_meet(const td_model *m, const td_workspace *ws, int index, int first, int second, td_near *g) {
  const td_proxy *a = &m->proxy[first], *b = &m->proxy[second];
  const td_solid_pair *pair = &m->solid_pair[index];
  g->at.depth = -INFINITY;
  if (!MEETS[a->role][b->role]) return false;
  if (pair->apart > 0 && b->from - a->to < pair->apart && a->from - b->to < pair->apart) return false;
  g->pair = index, g->a = first, g->b = second;
  g->core = a->role == TD_PROXY_CORE ? 0 : b->role == TD_PROXY_CORE ? 1 : -1;
  if (g->core >= 0) return before_core(m, ws, g);
  td_axes axes = {(const double(*)[3])ws->proxy_end[first],
                  (const double(*)[3])ws->proxy_end[second],
                  a->ball,
                  b->ball,
                  a->radius + b->radius,
                  b->line ? b->along : NULL};
  if (!td_closest_find(&axes, &g->at)) return false;
  if (b->line) find_foot(axes.a, g);
  return true;
}
