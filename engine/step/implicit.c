// The map of one-step implicit methods, index 3 with loops: td_implicit's own steps, and their tangents.
//
// At the end of a step   r = tau - ID(q, qd, qdd) + A^T l = 0,   e(q) = 0,   and what Newton moves by dq on top of the
// predicted (q^, v^, a^), which is linear in the start: q = q^ + dq, qd = v^ + v dq, qdd = a^ + a dq. So
//     [M + v/a C + K/a, -A^T; G, 0] (dq', dl'/a) = ((r_u du - K dq^ - C dv^ - M da^) / a, -G dq^)
// for every column of a tangent, by the factors of the end itself (step/linear.h).
#include "integrate/one_step/implicit_newton.h"
#include "step/step.h"
#include <assert.h>
#include <string.h>

enum { Q, V, A, B, PARTS };
enum { MOST_HALVINGS = 12 };

// What the method predicts from a unit of each part of a state: to[i] = sum_k p[i][k] from[k].
static void predictor(const td_implicit *s, double h, double p[PARTS][PARTS]) {
  for (int k = 0; k < PARTS; k++) {
    double from[2] = {k == Q, k == V}, a0 = k == A, b0 = k == B, to[2] = {0}, a1 = 0, b1 = 0;
    td_point start = {.y = from, .a = &a0, .b = &b0}, end = {.y = to, .a = &a1, .b = &b1};
    s->predictor(s->method, s->spec, 1, h, &start, &end);
    p[Q][k] = to[0], p[V][k] = to[1], p[A][k] = a1, p[B][k] = b1;
  }
}

// All tangents become those of the predicted point; rows of prescribed coordinates are put afterwards. Methods that
// keep no accelerations predict none.
static void predict_tangents(td_step *s, double h, int parts, double *const T[PARTS]) {
  double p[PARTS][PARTS];
  predictor((const td_implicit *)s->stepper, h, p);
  for (int i = 0; i < s->n * s->ld; i++) {
    double from[PARTS] = {0};
    for (int k = 0; k < parts; k++) from[k] = T[k][i];
    for (int k = 0; k < parts; k++)
      T[k][i] = p[k][Q] * from[Q] + p[k][V] * from[V] + p[k][A] * from[A] + p[k][B] * from[B];
  }
}

// Entries of free coordinates follow the solution D [n][ld].
static void move_tangents(const td_step *s, const td_slopes *slopes, int parts, const double *D,
                          double *const T[PARTS]) {
  const double slope[PARTS] = {1, slopes->v, slopes->a, slopes->b};
  for (int k = 0; k < s->plant.free_count; k++)
    for (int part = 0; part < parts; part++) {
      size_t row = (size_t)s->plant.free[k] * (size_t)s->ld;
      for (int j = 0; j < s->columns; j++) T[part][row + j] += slope[part] * D[row + j];
    }
}

// From the start itself, of methods that keep no accelerations: what is predicted are units, whose products are known.
static void unit_tangents(td_step *s, double h, double *D) {
  const td_implicit *im = (td_implicit *)s->stepper;
  double p[PARTS][PARTS], *const T[2] = {s->now.dq, s->now.dv};
  const double slope[2] = {1, im->slopes.v};
  predictor(im, h, p);
  const td_unit_tangents set = {{p[Q][Q], p[Q][V]}, {p[V][Q], p[V][V]}};
  td_linear_unit_tangents(&s->linear, &set, s->columns, s->ld, s->right, s->below, D);
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < s->n * s->ld; i++) T[part][i] = slope[part] * D[i];
    for (int i = 0; i < s->n; i++) T[part][i * s->ld + i] += p[part][Q], T[part][i * s->ld + s->n + i] += p[part][V];
  }
}

static td_status tangents(td_step *s, double t, double h, bool first, const td_course *path, double *D, double *db) {
  td_implicit *im = (td_implicit *)s->stepper;
  double *T[PARTS] = {s->now.dq, s->now.dv, s->now.da, db};
  int parts = s->method->family ? PARTS : A;
  td_linear_point end = {t, im->now.y, im->now.y + s->n, im->now.a, im->now.l};
  td_linear_slopes slopes = {1, im->slopes.v, im->slopes.a};
  td_status status = td_linear_at(&s->linear, &end, slopes, true, s->m > 0);
  if (!status) status = td_step_right_sides(s);
  if (status) return status;
  if (first && s->units) {
    unit_tangents(s, h, D);
    return TD_OK;
  }
  predict_tangents(s, h, parts, T);
  td_step_put_tangents(s, path, T[Q], T[V], T[A]);
  td_tangent_columns set = {s->columns, s->ld, T[Q], T[V], parts == PARTS || s->plant.driven_count > 0 ? T[A] : NULL};
  td_linear_tangents(&s->linear, &set, s->right, s->below, D);
  move_tangents(s, &im->slopes, parts, D, T);
  return TD_OK;
}

// Accelerations at the start, of methods that keep some: those of forward dynamics.
static td_status begin(td_step *s, td_implicit *im, const td_course *path, double *db) {
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
  if (status || !s->tangents || s->units) return status;
  memset(s->now.da, 0, all * sizeof *s->now.da);
  if (s->method->family) {
    memcpy(s->now.a, im->now.a, n * sizeof *s->now.a);
    td_step_put_tangents(s, path, NULL, NULL, s->now.da);
    status = td_step_rate_tangent(s, &s->now, im->now.l);
  }
  memcpy(db, s->now.da, all * sizeof *db);
  return status;
}

static bool is_lost(td_status status) {
  return status == TD_NOT_CONVERGED || status == TD_NONFINITE || status == TD_SINGULAR;
}

td_status td_step_implicit(td_step *s, td_error *err) {
  td_implicit *im = (td_implicit *)s->stepper;
  double h = s->H / s->substeps, *db = s->tangents ? s->work : NULL, *dqd = db ? db + s->n * s->ld : NULL;
  td_course path;
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
    for (int halvings = 0; is_lost(status) && halvings <= MOST_HALVINGS; halvings += 3)
      status = td_implicit_solve_gently(im, t, h, halvings);
    im->b_h = h;
    if (!status && s->tangents) status = tangents(s, t, h, k == 1, &path, dqd, db);
    if (status)
      return td_fail(err, status, "", "%s: the step of %.6g s has no solution that Newton's method finds%s",
                     s->method->name, h,
                     status == TD_SINGULAR ? ": its matrix is singular" : "; take a shorter one, or more substeps");
  }
  memcpy(s->now.q, im->now.y, 2 * (size_t)s->n * sizeof *s->now.q);
  return TD_OK;
}
