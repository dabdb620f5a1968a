// The classical Runge-Kutta method of order 4 as a map: y+ = y + h (k1 + 2 k2 + 2 k3 + k4) / 6, and its tangents, those
// of forward dynamics at the stages carried along.
#include "step/step.h"
#include <assert.h>
#include <string.h>

enum { STAGES = 4 };
static const double AT[STAGES] = {0, 0.5, 0.5, 1}, WEIGHT[STAGES] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};

typedef struct stage {
  double *y, *k, *sum;    ///< [2n] argument, its rate, and the end as summed so far
  double *dy, *dk, *dsum; ///< [2n][ld]
} stage;

static stage stage_of(const td_step *s) {
  size_t y = 2 * (size_t)s->n, dy = y * (size_t)s->ld;
  stage g = {.y = s->work, .k = s->work + y, .sum = s->work + 2 * y, .dy = s->work + 3 * y};
  g.dk = g.dy + dy;
  g.dsum = g.dk + dy;
  return g;
}

// to [count] = from + factor x
static void along(size_t count, const double *from, double factor, const double *x, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = from[i] + factor * x[i];
}

// k and dk at the argument y, dy; prescribed coordinates are put where they belong first.
static td_status rate(td_step *s, double t, double h, stage *g) {
  size_t n = (size_t)s->n, half = n * (size_t)s->ld;
  td_course path;
  td_step_drive(s, t, h, &path);
  td_step_put(s, g->y, g->y + n, NULL);
  td_status status = td_plant_rate(&s->plant, t, g->y, g->k);
  if (status || !s->tangents) return status;
  td_way at = {.q = g->y, .v = g->y + n, .a = g->k + n, .dq = g->dy, .dv = g->dy + half, .da = g->dk + half};
  td_step_put_tangents(s, &path, at.dq, at.dv, at.da);
  if (s->rows) memcpy(s->lambda, s->plant.lambda, (size_t)s->rows * sizeof *s->lambda);
  memcpy(g->dk, at.dv, half * sizeof *g->dk);
  return td_step_rate_tangent(s, &at, s->lambda);
}

static td_status substep(td_step *s, double t, double h) {
  size_t y = 2 * (size_t)s->n, dy = s->tangents ? y * (size_t)s->ld : 0;
  stage g = stage_of(s);
  memcpy(g.sum, s->now.q, y * sizeof *g.sum);
  memcpy(g.dsum, s->now.dq, dy * sizeof *g.dsum);
  td_status status = TD_OK;
  for (int i = 0; !status && i < STAGES; i++) {
    along(y, s->now.q, AT[i] * h, g.k, g.y);
    along(dy, s->now.dq, AT[i] * h, g.dk, g.dy);
    status = rate(s, t + AT[i] * h, h, &g);
    along(y, g.sum, WEIGHT[i] * h, g.k, g.sum);
    along(dy, g.dsum, WEIGHT[i] * h, g.dk, g.dsum);
  }
  memcpy(s->now.q, g.sum, y * sizeof *g.sum);
  memcpy(s->now.dq, g.dsum, dy * sizeof *g.dsum);
  return status;
}

td_status td_step_explicit(td_step *s, td_error *err) {
  assert(s->now.v == s->now.q + s->n && "q and v lie one behind the other");
  double h = s->H / s->substeps;
  td_course path;
  td_status status = TD_OK;
  for (int k = 0; !status && k < s->substeps; k++) status = substep(s, k * h, h);
  td_step_drive(s, s->H, h, &path);
  td_step_put(s, s->now.q, s->now.v, NULL);
  if (s->tangents) td_step_put_tangents(s, &path, s->now.dq, s->now.dv, NULL);
  if (!status) return TD_OK;
  return td_fail(err, status, "", "%s: the accelerations on the way are not to be found: %s", s->method->name,
                 status == TD_SINGULAR ? td_plant_singular(&s->plant)
                                       : "they are not finite; the step may be too long for an explicit method");
}
