// The map of one-step implicit methods, index 3 with loops: td_implicit's own steps, and their tangents.
//
// At the end of a step   r = tau - ID(q, qd, qdd) + A^T l = 0,   e(q) = 0,   and what Newton moves by dq on top of the
// predicted (q^, v^, a^), which is linear in the start: q = q^ + dq, qd = v^ + v dq, qdd = a^ + a dq. So
//     [M + v/a C + K/a, -A^T; G, 0] (dq', dl'/a) = ((r_u du - K dq^ - C dv^ - M da^) / a, -G dq^)
// for every column of a tangent, by the factors that Newton ended with, renewed at the end.
#include "integrate/one_step/implicit_newton.h"
#include "step/step.h"
#include <assert.h>
#include <string.h>

enum { Q, V, A, B, PARTS };

// What the method predicts from a unit of each part of a state: to[i] = sum_k p[i][k] from[k].
static void predictor(const td_implicit *s, double h, double p[PARTS][PARTS]) {
  for (int k = 0; k < PARTS; k++) {
    double from[2] = {k == Q, k == V}, a0 = k == A, b0 = k == B, to[2] = {0}, a1 = 0, b1 = 0;
    td_point start = {.y = from, .a = &a0, .b = &b0}, end = {.y = to, .a = &a1, .b = &b1};
    s->predictor(s->method, s->spec, 1, h, &start, &end);
    p[Q][k] = to[0], p[V][k] = to[1], p[A][k] = a1, p[B][k] = b1;
  }
}

// All four tangents become those of the predicted point; rows of prescribed coordinates are put afterwards.
static void predict_tangents(td_step *s, double h, double *const T[PARTS]) {
  double p[PARTS][PARTS];
  predictor((const td_implicit *)s->stepper, h, p);
  for (int i = 0; i < s->n * s->ld; i++) {
    double from[PARTS] = {T[Q][i], T[V][i], T[A][i], T[B][i]};
    for (int k = 0; k < PARTS; k++)
      T[k][i] = p[k][Q] * from[Q] + p[k][V] * from[V] + p[k][A] * from[A] + p[k][B] * from[B];
  }
}

static td_status tangents(td_step *s, double t, double h, const td_path *path, double *dqd, double *db) {
  td_implicit *im = (td_implicit *)s->stepper;
  td_plant *p = &s->plant;
  double *T[PARTS] = {s->now.dq, s->now.dv, s->now.da, db};
  td_status status = td_implicit_matrices(im, t);
  if (!status) status = td_step_input_tangent(s, im->now.y, im->now.y + s->n);
  if (status) return status;
  predict_tangents(s, h, T);
  td_step_put_tangents(s, path, T[Q], T[V], T[A]);
  td_step_add_product(s, s->n, -1, im->K, T[Q], s->right);
  td_step_add_product(s, s->n, -1, im->C, T[V], s->right);
  td_step_add_product(s, s->n, -1, im->M, T[A], s->right);
  if (s->rows) {
    memset(s->below, 0, (size_t)(s->rows * s->ld) * sizeof *s->below);
    td_step_add_product(s, s->rows, -1, im->G, T[Q], s->below);
  }
  td_step_solve_tangents(s, &im->saddle, 1 / im->slopes.a, 1, dqd);
  const double slope[PARTS] = {1, im->slopes.v, im->slopes.a, im->slopes.b};
  for (int k = 0; k < p->free_count; k++)
    for (int j = 0; j < s->columns; j++)
      for (int part = 0; part < PARTS; part++)
        T[part][p->free[k] * s->ld + j] += slope[part] * dqd[p->free[k] * s->ld + j];
  return TD_OK;
}

// Accelerations at the start, of methods that keep some: those of forward dynamics.
static td_status begin(td_step *s, td_implicit *im, const td_path *path, double *db) {
  size_t n = (size_t)s->n, all = n * (size_t)s->ld;
  memcpy(im->now.y, s->now.q, 2 * n * sizeof *s->now.q);
  im->b_h = 0;
  memset(im->now.a, 0, n * sizeof *im->now.a);
  if (s->rows) memset(im->now.l, 0, (size_t)s->rows * sizeof *im->now.l);
  td_status status = TD_OK;
  if (s->method->family) {
    status = td_plant_rate(&s->plant, 0, im->now.y, im->dy1);
    memcpy(im->now.a, im->dy1 + n, n * sizeof *im->now.a);
    if (s->rows) memcpy(im->now.l, s->plant.lambda, (size_t)s->rows * sizeof *im->now.l);
  }
  memcpy(im->now.b, im->now.a, n * sizeof *im->now.b);
  if (status || !s->tangents) return status;
  memset(s->now.da, 0, all * sizeof *s->now.da);
  if (s->method->family) {
    memcpy(s->now.a, im->now.a, n * sizeof *s->now.a);
    td_step_put_tangents(s, path, NULL, NULL, s->now.da);
    status = td_step_rate_tangent(s, &s->now, im->now.l);
  }
  memcpy(db, s->now.da, all * sizeof *db);
  return status;
}

td_status td_step_implicit(td_step *s, td_error *err) {
  td_implicit *im = (td_implicit *)s->stepper;
  double h = s->H / s->substeps, *db = s->tangents ? s->work : NULL, *dqd = db ? db + s->n * s->ld : NULL;
  td_path path;
  td_step_drive(s, 0, 0, &path);
  td_status status = begin(s, im, &path, db);
  if (status)
    return td_fail(err, status, "", "%s: the accelerations at the start cannot be found: %s", s->method->name,
                   status == TD_SINGULAR ? td_plant_singular(&s->plant) : "they are not finite");
  for (int k = 1; k <= s->substeps; k++) {
    double t = k == s->substeps ? s->H : k * h;
    td_point_copy(im, &im->now, &im->before);
    im->matrices = false; // those of tangents are not there when nobody wants them: the same bits either way
    td_step_drive(s, t, h, &path);
    status = td_implicit_solve(im, t, h);
    im->b_h = h;
    if (!status && s->tangents) status = tangents(s, t, h, &path, dqd, db);
    if (status)
      return td_fail(err, status, "", "%s: the step of %.6g s has no solution that Newton's method finds%s",
                     s->method->name, h,
                     status == TD_SINGULAR ? ": its matrix is singular" : "; take a shorter one, or more substeps");
  }
  memcpy(s->now.q, im->now.y, 2 * (size_t)s->n * sizeof *s->now.q);
  return TD_OK;
}
