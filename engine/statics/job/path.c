// Pseudo-arc-length continuation (Keller 1977). Unknowns (q, p) on the motions that loops leave free; a step goes along
// the unit tangent t, then Newton on
//     [ K      -dr/dp ] (dq, dp) = (r, 0)
//     [ W t_q   t_p/size^2 ]
// in the hyperplane across t, whose matrix is regular at limit points too. Length: |dq|_W^2 + (dp/size)^2. Its
// determinant changes sign at simple branch points and at no others; t_p does at limit points. A channel that
// prescribes a coordinate moves q itself: dr/dp = -K there. Where loops follow, the slope of their closure, a
// difference of projections, comes on top.
#include "statics/job/path.h"
#include "base/carve.h"
#include "math/lu.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 10 };
static const double TURN = 0.9, AWAY = 0.5, NUDGE = 1e-6;

td_status td_path_init(td_path *p, td_statics *s, double *u, int channel) {
  assert(channel >= 0 && channel < s->m);
  size_t n = (size_t)s->n, d = (size_t)s->d, m = (size_t)s->m, b = d + 1;
  *p = (td_path){.s = s, .u = u, .channel = channel, .driven = -1, .d = s->d, .size = 1};
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int driver = -1, c = td_model_prescribed_coordinate(s->model, i, &driver);
    if (driver == channel) p->driven = c;
  }
  bool room = TD_CARVE({&p->t, b}, {&p->was, b}, {&p->at, n + 1}, {&p->loads, d}, {&p->slope, d}, {&p->Bu, n * m},
                       {&p->A, b * b}, {&p->x, b}, {&p->row, b});
  p->pivot = calloc(b, sizeof *p->pivot);
  if (!room || !p->pivot) return td_path_fini(p), TD_NO_MEMORY;
  return TD_OK;
}

void td_path_fini(td_path *p) {
  free(p->t);
  free(p->pivot);
  *p = (td_path){0};
}

// ------------------------------------------------------------------------------------------------ bordered system

// Moves p, and q with it where the channel prescribes a coordinate.
static void set_value(td_path *p, double value) {
  p->u[p->channel] = value;
  if (p->driven >= 0) p->s->q[p->driven] = value;
}

static double length(const td_path *p, const double *x) {
  double sum = x[p->d] * x[p->d] / (p->size * p->size);
  for (int i = 0; i < p->d; i++) sum += p->s->weight[i] * x[i] * x[i];
  return sqrt(sum);
}

double td_path_product(const td_path *p, const double *x, const double *y) {
  double sum = x[p->d] * y[p->d] / (p->size * p->size);
  for (int i = 0; i < p->d; i++) sum += p->s->weight[i] * x[i] * y[i];
  return sum;
}

void td_path_difference(const td_path *p, const double *q, double value, double *out) {
  for (int i = 0; i < p->d; i++) out[i] = q[p->s->free[i]] - p->at[p->s->free[i]];
  out[p->d] = value - p->at[p->s->n];
}

// How the free coordinates follow a driven one so that loops stay closed.
static td_status closure(td_path *p) {
  td_statics *s = p->s;
  memset(p->slope, 0, (size_t)p->d * sizeof *p->slope);
  if (p->driven < 0 || !s->loops.rows) return TD_OK;
  int rank = s->loops.rank;
  memcpy(s->basis, s->loops.Q, s->basis_size);
  memcpy(s->trial_q, s->q, (size_t)s->n * sizeof *s->q);
  s->trial_q[p->driven] += NUDGE;
  td_status status = td_project_step(&s->loops, s->trial_q);
  memcpy(s->loops.Q, s->basis, s->basis_size);
  s->loops.rank = rank;
  for (int i = 0; i < p->d; i++) p->slope[i] = (s->trial_q[s->free[i]] - s->q[s->free[i]]) / NUDGE;
  return status;
}

// p->loads = -dr/dp along the free motions, after td_statics_linearise.
static td_status load_rate(td_path *p) {
  td_statics *s = p->s;
  int n = s->n, m = s->m;
  td_status status = closure(p);
  if (p->driven >= 0) {
    for (int i = 0; i < p->d; i++) p->loads[i] = s->full[s->free[i] * n + p->driven];
  } else if (!status) {
    status = td_force_derivatives(s->model, s->ws, s->q, NULL, s->u, NULL, NULL, p->Bu);
    for (int i = 0; i < p->d; i++) p->loads[i] = -p->Bu[s->free[i] * m + p->channel];
    if (!status) status = td_id_input_derivative(s->model, s->ws, s->q, NULL, s->u, p->Bu);
    for (int i = 0; i < p->d; i++) p->loads[i] += p->Bu[s->free[i] * m + p->channel];
  }
  for (int i = 0; i < p->d; i++) p->loads[i] += td_statics_dot(p->d, s->K + (size_t)i * (size_t)p->d, p->slope);
  td_statics_confine_vector(s, p->loads);
  return status;
}

// Sign of the permutation, whichever base its rows count from.
static double parity(const int *pivot, int n) {
  int base = n >= 64 ? 1 : 0; // LAPACK's rows count from 1 (math/lu.c)
  double sign = 1;
  for (int i = 0; i < n; i++)
    if (pivot[i] - base != i) sign = -sign;
  return sign;
}

// Factors the matrix bordered by `row`; notes its determinant.
static td_status factor(td_path *p, const double *row) {
  td_statics *s = p->s;
  int d = p->d, b = d + 1;
  td_status status = td_statics_linearise(s);
  if (!status) status = load_rate(p);
  if (status) return status;
  s->shift = 0;
  td_statics_shifted(s, false);
  for (int i = 0; i < d; i++) {
    memcpy(p->A + i * b, s->H + i * d, (size_t)d * sizeof *p->A);
    p->A[i * b + d] = p->loads[i];
    p->A[d * b + i] = s->weight[i] * row[i];
  }
  p->A[d * b + d] = row[d] / (p->size * p->size);
  td_statics_confine_vector(s, p->A + d * b);
  s->factorisations++;
  if (!td_lu_factor(b, p->A, p->pivot)) return TD_SINGULAR;
  p->determinant = parity(p->pivot, b);
  p->logarithm = 0;
  for (int i = 0; i < b; i++) {
    double x = p->A[i * b + i];
    if (x < 0) p->determinant = -p->determinant;
    p->logarithm += log(fabs(x));
  }
  return TD_OK;
}

// t = the tangent at s->q that agrees with `row`; the matrix is factored there.
static td_status tangent(td_path *p, const double *row) {
  td_status status = factor(p, row);
  if (status) return status;
  double *t = p->x;
  memset(t, 0, (size_t)p->d * sizeof *t);
  t[p->d] = 1;
  td_lu_solve(p->d + 1, p->A, p->pivot, t);
  for (int i = 0; i < p->d; i++) t[i] += p->slope[i] * t[p->d];
  double size = length(p, t);
  if (!isfinite(size) || size == 0) return TD_SINGULAR;
  for (int i = 0; i <= p->d; i++) p->t[i] = t[i] / size;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ points

static td_status displace(td_path *p, const double *x, double part) {
  td_statics *s = p->s;
  for (int i = 0; i < p->d; i++) s->step[i] = x[i];
  if (p->driven >= 0) s->q[p->driven] += part * x[p->d];
  p->u[p->channel] += part * x[p->d];
  td_status status = td_statics_try(s, part);
  return status ? status : td_statics_accept(s);
}

// Newton across `row` from s->q.
static td_status correct(td_path *p, const double *row, int *corrections) {
  td_statics *s = p->s;
  double before = INFINITY;
  for (*corrections = 0; *corrections < CORRECTIONS; ++*corrections) {
    if (td_statics_converged(s)) return TD_OK;
    s->iterations++;
    td_status status = factor(p, row);
    if (status) return status;
    memcpy(p->x, s->r, (size_t)p->d * sizeof *p->x);
    p->x[p->d] = 0;
    td_lu_solve(p->d + 1, p->A, p->pivot, p->x);
    for (int i = 0; i < p->d; i++) p->x[i] += p->slope[i] * p->x[p->d];
    double size = length(p, p->x);
    if (!(size < AWAY * before)) return size < 1e-13 ? TD_OK : TD_NOT_CONVERGED;
    before = size;
    status = displace(p, p->x, 1);
    if (status) return status;
    if (td_statics_negligible(s, p->x) && fabs(p->x[p->d]) <= 4e-15 * (p->size + fabs(p->u[p->channel]))) return TD_OK;
  }
  return td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}

static void keep(td_path *p) {
  memcpy(p->at, p->s->q, (size_t)p->s->n * sizeof *p->at);
  p->at[p->s->n] = p->u[p->channel];
}

static void restore(td_path *p) {
  memcpy(p->s->q, p->at, (size_t)p->s->n * sizeof *p->at);
  set_value(p, p->at[p->s->n]);
}

void td_path_advance(td_path *p) {
  keep(p);
  memcpy(p->was, p->t, (size_t)(p->d + 1) * sizeof *p->was);
}

td_status td_path_start(td_path *p, double direction, double size) {
  assert(direction == 1 || direction == -1);
  td_statics *s = p->s;
  s->u = p->u;
  s->fraction = 1;
  p->size = size > 0 ? size : 1;
  memset(p->was, 0, (size_t)p->d * sizeof *p->was);
  p->was[p->d] = direction;
  td_status status = td_statics_evaluate(s);
  if (!status) status = tangent(p, p->was);
  if (status) return status;
  if (!(size > 0)) {
    double turn = 0;
    for (int i = 0; i < p->d; i++) turn += s->weight[i] * p->t[i] * p->t[i];
    if (turn > 1e-12 * p->t[p->d] * p->t[p->d]) p->size = fabs(p->t[p->d]) / sqrt(turn);
    status = tangent(p, p->was);
  }
  td_path_advance(p);
  return status;
}

td_status td_path_step(td_path *p, double ds, int *corrections) {
  td_statics *s = p->s;
  restore(p);
  td_status status = td_statics_evaluate(s);
  if (!status) status = displace(p, p->was, ds);
  if (!status) status = correct(p, p->was, corrections);
  if (!status) status = tangent(p, p->was);
  if (!status && td_path_product(p, p->t, p->was) < TURN)
    status = TD_NOT_CONVERGED; // another branch, or too far for one step
  td_path_difference(p, s->q, p->u[p->channel], p->x);
  for (int i = 0; i <= p->d; i++) p->x[i] -= ds * p->was[i];
  if (!status && length(p, p->x) > AWAY * fabs(ds)) status = TD_NOT_CONVERGED;
  if (status) restore(p);
  return status;
}

td_status td_path_meet(td_path *p, double value, double ds) {
  td_statics *s = p->s;
  int corrections, d = p->d;
  double *row = calloc((size_t)d + 1, sizeof *row), ahead = p->was[d] * ds, left = value - p->at[s->n];
  if (!row) return TD_NO_MEMORY;
  row[d] = 1;
  restore(p);
  td_status status = td_statics_evaluate(s);
  if (!status) status = displace(p, p->was, ahead != 0 ? ds * fmin(1, fabs(left / ahead)) : 0);
  set_value(p, value);
  if (!status) status = td_statics_evaluate(s);
  if (!status) status = correct(p, row, &corrections);
  if (!status && tangent(p, p->was)) { // a branch point: it is an equilibrium all the same
    memcpy(p->t, p->was, (size_t)(d + 1) * sizeof *p->t);
    status = td_statics_evaluate(s);
  }
  if (status) restore(p);
  free(row);
  return status;
}
