// The way from one equilibrium to the next, or from the first guess, is taken as the straight line between them: what is half as deep in an
// obstacle there as its axis or centre lies, and apart from it at both ends, may have gone through it. A robot that bends over other things goes
// another way, so then loads are raised in parts: who comes to the same equilibrium by small ways that lead through nothing is right there.
#include "solve/passage.h"
#include "algorithm/external.h"
#include "algorithm/kinematics.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 8, MOST = 512, PER_OBSTACLE = 8, PARTS = 20, SETTLE = 40 };
static const double SAME = 1e-4; // rad, m, strains

typedef struct passage {
  int contact, point;
} passage;

static bool is_round(const td_obstacle *o) {
  return o->type == TD_CONTACT_CYLINDER_EXTERIOR || o->type == TD_CONTACT_SPHERE;
}

// Points before round obstacles at q, in order; how many.
static int look(const td_model *m, td_workspace *ws, const double *q, td_sighting *out) {
  int count = 0;
  td_kinematics(m, ws, q, ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count && is_round(&m->contact[c].obstacle); i++)
      td_contact_sight(m, ws, c, i, &out[count++]);
  return count;
}

// How many places of the way see each obstacle more than once.
static int places(const td_model *m, const td_sighting *from, const td_sighting *to) {
  double most = 0;
  int at = 0;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count && is_round(&m->contact[c].obstacle); i++, at++) {
      const double *a = from[at].centre, *b = to[at].centre,
                   size = m->contact[c].obstacle.radius + m->contact[c].point[i].radius;
      most = fmax(most, hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]) / size);
    }
  return (int)fmin(fmax(PER_OBSTACLE * most, LEAST), MOST);
}

// The first point that `between` finds inside an obstacle.
static bool judge(const td_model *m, const td_sighting *from, const td_sighting *to, const td_sighting *between,
                  passage *found) {
  int at = 0;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count && is_round(&m->contact[c].obstacle); i++, at++) {
      double deep = 0.5 * (m->contact[c].obstacle.radius + m->contact[c].point[i].radius);
      if (from[at].depth > 0 || to[at].depth > 0 || !(between[at].depth > deep)) continue;
      *found = (passage){c, i};
      return true;
    }
  return false;
}

static bool passes(const td_model *m, td_workspace *ws, const double *from, const double *to, passage *found) {
  size_t points = 0, n = (size_t)m->n;
  for (int c = 0; c < m->contact_count; c++)
    points += is_round(&m->contact[c].obstacle) ? (size_t)m->contact[c].point_count : 0;
  if (points == 0) return false;
  td_sighting *first = calloc(3 * points, sizeof *first), *last = first + points, *between = last + points;
  double *q = calloc(n + 1, sizeof *q);
  bool through = false;
  if (first && q) {
    look(m, ws, from, first);
    look(m, ws, to, last);
    int count = places(m, first, last);
    for (int k = 1; k < count && !through; k++) {
      for (size_t i = 0; i < n; i++) q[i] = from[i] + (double)k / count * (to[i] - from[i]);
      look(m, ws, q, between);
      through = judge(m, first, last, between, found);
    }
  }
  free(first), free(q);
  return through;
}

// Whether loads raised in parts lead from `from` to `to` through nothing. x [n], u [m] scratch; u holds the inputs at the end.
static bool comes_slowly(td_statics *s, const double *from, const double *from_u, const double *to, double *x,
                         double *u) {
  const double *all = s->u;
  size_t bytes = (size_t)s->n * sizeof *x;
  bool good = true;
  passage ignored;
  memcpy(x, from, bytes);
  for (int k = 1; k <= PARTS && good; k++) {
    double part = (double)k / PARTS;
    for (int i = 0; i < s->m; i++) u[i] = from_u ? from_u[i] + part * (all[i] - from_u[i]) : all[i];
    s->u = u;
    good = !td_statics_start(s, x, from_u ? 1 : part) && !td_statics_settle(s, SETTLE) &&
           !passes(s->model, s->ws, x, s->q, &ignored);
    memcpy(x, s->q, bytes);
  }
  for (int i = 0; i < s->n; i++) good = good && fabs(x[i] - to[i]) < SAME;
  s->u = all;
  return good;
}

// The same, s left as it was.
static bool is_reached(td_statics *s, const double *from, const double *from_u) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  size_t c = (size_t)(td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model));
  double *to = malloc((2 * n + m + c + 1) * sizeof *to), *x = to + n, *u = x + n, *lambda = u + m;
  if (!to) return true;
  memcpy(to, s->q, n * sizeof *to);
  memcpy(lambda, s->lambda, c * sizeof *lambda);
  double residual = s->residual;
  bool reached = comes_slowly(s, from, from_u, to, x, u);
  s->fraction = 1;
  memcpy(s->q, to, n * sizeof *to);
  if (s->loops.rows && !td_statics_evaluate(s)) (void)!td_statics_linearise(s);
  memcpy(s->lambda, lambda, c * sizeof *lambda);
  s->residual = residual;
  free(to);
  return reached;
}

void td_passage_tell(td_statics *s, const double *from, const double *from_u, const char *where,
                     td_warnings *warnings) {
  const td_model *m = s->model;
  passage at;
  char pointer[48], name[TD_MAX_NAME + 8] = "";
  if (!passes(m, s->ws, from, s->q, &at) || is_reached(s, from, from_u)) return;
  if (m->document->contacts[at.contact].name)
    snprintf(name, sizeof name, " \"%.63s\"", m->document->contacts[at.contact].name);
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", at.contact);
  int element = m->node[m->contact[at.contact].point[at.point].node].element;
  td_warn(warnings, "contact_missed", pointer,
          "%s: a point of \"%.63s\" lies behind the obstacle%s, and the way there leads through it: statics goes where "
          "forces balance, a robot that is loaded slowly would touch it; raise the loads in smaller steps, or give "
          "`initial.q` on the side that is meant",
          where, m->link[m->element[element].link].name, name);
}
