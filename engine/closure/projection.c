// Projections onto loop constraints by smallest corrections. With P an orthonormal basis of the range of G = de/dq on
// the free coordinates (rows may depend on each other), P^T G = R^T Q^T, the smallest x with G x = c, as far as it can
// be met, is
//     x = Q R^-T P^T c;     with a metric W = U^T U:   U^-T G^T P = Q R,   x = U^-1 Q R^-T P^T c.
#include "closure/projection.h"
#include "base/carve.h"
#include "build/build.h"
#include "closure/projection_parts.h"
#include "constraint/closed_chain.h"
#include "constraint/loop.h"
#include "constraint/loop_closure.h"
#include "math/cholesky.h"
#include "math/finite.h"
#include "math/range.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MISFIT_ASIDE = 1e-4;
enum { NEWTON_LIMIT = 12 };

static int smaller(int a, int b) { return a < b ? a : b; }

td_status td_projection_init(td_projection *p, const td_model *model, td_workspace *ws, int free_count,
                             const int *free) {
  assert(free_count >= 0 && free_count <= td_model_ndof(model) && ws);
  *p = (td_projection){.model = model,
                       .ws = ws,
                       .n = td_model_ndof(model),
                       .rows = td_model_loop_row_count(model),
                       .free_count = free_count,
                       .free = free,
                       .most_misfit = TD_LATER_MISFIT};
  if (p->rows == 0) return TD_OK;
  p->closure_before = ws->constraint.closure;
  p->loose_before = ws->constraint.loose;
  ws->constraint.closure = true;
  p->ld = td_pad(free_count + 1);
  p->ldp = td_pad(smaller(p->rows, free_count) + 1);
  size_t r = (size_t)p->rows, n = (size_t)p->n, ld = (size_t)p->ld, ldp = (size_t)p->ldp, f = (size_t)free_count;
  size_t work = 2 * ld + ldp + r * ldp + ldp * (ldp + 1);
  bool room = TD_CARVE({&p->e, r}, {&p->G, r * n}, {&p->reduced, r * ld}, {&p->P, r * ldp}, {&p->Q, f * ldp},
                       {&p->R, ldp * ldp}, {&p->U, f * ld}, {&p->W, f * ld}, {&p->K, f * ld}, {&p->D, f * ld},
                       {&p->x, ld}, {&p->q, n}, {&p->aside, n}, {&p->work, work});
  return room ? TD_OK : TD_NO_MEMORY;
}

void td_projection_fini(td_projection *p) {
  if (p->e) p->ws->constraint.closure = p->closure_before;
  if (p->e) p->ws->constraint.loose = p->loose_before;
  free(p->e);
  *p = (td_projection){0};
}

double td_projection_largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

double td_projection_square(int count, const double *x) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  return sum;
}

td_status td_loop_drift(td_projection *p, const double *q, double *error, int *loop) {
  *error = 0;
  if (loop) *loop = -1;
  if (p->rows == 0) return TD_OK;
  td_status status = td_loop_error(p->model, p->ws, q, p->e, NULL);
  for (int k = 0; !status && k < td_model_loop_count(p->model); k++) {
    int first, rows;
    (void)td_model_loop_name(p->model, k, &first, &rows);
    double most = td_projection_largest(rows, p->e + first);
    if (loop && (*loop < 0 || most > *error)) *loop = k;
    *error = fmax(*error, most);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ smallest solution

static void factor(td_projection *p, const double *G, double tolerance) {
  memset(p->reduced, 0, (size_t)(p->rows * p->ld) * sizeof *p->reduced);
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->free_count; j++) p->reduced[i * p->ld + j] = G[i * p->n + p->free[j]];
  p->rank = td_range_basis(p->rows, p->free_count, p->ld, p->reduced, tolerance, p->ldp, p->P, p->work);
  p->rank = td_rank_held(&p->ws->constraint, p->rank);
  memset(p->Q, 0, (size_t)(p->free_count * p->ldp) * sizeof *p->Q);
  for (int i = 0; i < p->rank; i++)
    for (int j = 0; j < p->free_count; j++) p->Q[j * p->ldp + i] = p->reduced[i * p->ld + j];
  if (p->metric) td_spd_forward_many(p->free_count, p->ld, p->U, p->ldp, p->ldp, p->Q);
  td_orthonormal_columns(p->free_count, p->rank, p->ldp, p->Q, p->R, p->work);
}

void td_projection_metric(td_projection *p, const double *W) {
  p->metric = false;
  if (!W || p->rows == 0) return;
  int n = p->free_count;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) p->W[i * p->ld + j] = 0.5 * (W[i * n + j] + W[j * n + i]);
  p->metric = td_spd_factor(n, p->ld, p->W, p->ld, p->U) == TD_OK;
}

void td_projection_smallest(td_projection *p, const double *c, double *x) {
  assert(c != x);
  double *h = p->work;
  for (int i = 0; i < p->rank; i++) {
    h[i] = 0;
    for (int j = 0; j < p->rows; j++) h[i] += p->P[j * p->ldp + i] * c[j];
    for (int j = 0; j < i; j++) h[i] -= p->R[j * p->ldp + i] * h[j];
    h[i] /= p->R[i * p->ldp + i];
  }
  for (int i = 0; i < p->free_count; i++) {
    x[i] = 0;
    for (int j = 0; j < p->rank; j++) x[i] += p->Q[i * p->ldp + j] * h[j];
  }
  if (p->metric) td_spd_backward(p->free_count, p->ld, p->U, x);
}

// A body that cannot take this shape has no inertia, but may well have frames: that the shape is impossible is for
// those to say who ask for forces.
td_status td_projection_geometry(td_projection *p, const double *q) {
  td_constraint_terms out = {.e = p->e, .G = p->G};
  td_state state = {.q = q};
  td_status status = td_constraint_terms_at(p->model, p->ws, &state, NULL, &out);
  if (status != TD_NONFINITE) return status;
  status = td_all_finite(p->e, p->rows);
  return status ? status : td_all_finite(p->G, p->rows * p->n);
}

td_status td_projection_linearise(td_projection *p, const double *q) {
  td_status status = td_projection_geometry(p, q);
  if (!status) factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  return status;
}

// Rows that depend on each other on the constraint only differ next to it, by about as much as they are open.
static double tolerance_at(double error) {
  static const double gain = 100, most = 1e-3;
  return fmin(most, fmax(TD_RANK_TOLERANCE, gain * error));
}

// ------------------------------------------------------------------------------------------------ near the constraint

static td_status project_strictly(td_projection *p, double *q) {
  memcpy(p->q, q, (size_t)p->n * sizeof *q);
  double before = INFINITY;
  bool slow = false;
  for (int i = 0; i < NEWTON_LIMIT; i++) {
    td_status status = td_projection_geometry(p, p->q);
    if (status) return status;
    double error = td_projection_largest(p->rows, p->e);
    slow = slow || error > 0.1 * before; // a row that counted as dependent is open
    if (error <= TD_CLOSED || (error >= 0.5 * before && error < 1e-10)) {
      memcpy(q, p->q, (size_t)p->n * sizeof *q);
      td_loop_follow(p->model, p->ws, q, false);
      return TD_OK;
    }
    if (!(error < 2 * before)) return TD_NOT_CONVERGED;
    factor(p, p->G, slow ? TD_RANK_TOLERANCE : tolerance_at(error));
    td_projection_smallest(p, p->e, p->x);
    for (int k = 0; k < p->free_count; k++) p->q[p->free[k]] -= p->x[k];
    before = error;
  }
  return TD_NOT_CONVERGED;
}

double td_projection_open(const td_projection *p, const double *e) {
  double angle = 0, place = 0, unit = 0;
  for (int k = 0; k < p->model->loop_count; k++)
    for (int r = 0; r < p->model->loop[k].rows; r++) {
      int row = p->model->loop[k].first + r;
      bool is_place = p->model->loop[k].component[r] >= 3;
      *(is_place ? &place : &angle) = fmax(is_place ? place : angle, fabs(e[row]));
      for (int i = 0; is_place && i < p->free_count; i++) unit = fmax(unit, fabs(p->G[row * p->n + p->free[i]]));
    }
  return fmax(angle, unit > 0 ? place / fmin(1, unit) : place);
}

// Largest entry of e in the range of the rows counted as independent, returned, and of what is beside it, in p->misfit.
static double split_error(td_projection *p) {
  double within = 0, *c = p->work;
  for (int j = 0; j < p->rank; j++) {
    c[j] = 0;
    for (int i = 0; i < p->rows; i++) c[j] += p->P[i * p->ldp + j] * p->e[i];
    within = fmax(within, fabs(c[j]));
  }
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->rank; j++) p->e[i] -= p->P[i * p->ldp + j] * c[j];
  p->misfit = td_projection_largest(p->rows, p->e);
  p->coarse = td_projection_open(p, p->e) > p->most_misfit;
  return within;
}

static td_status project_loosely(td_projection *p, double *q) {
  memcpy(p->q, q, (size_t)p->n * sizeof *q);
  double before = INFINITY;
  for (int i = 0; i < NEWTON_LIMIT; i++) {
    td_status status = td_projection_linearise(p, p->q);
    if (status) return status;
    td_projection_smallest(p, p->e, p->x);
    double error = split_error(p);
    if (error <= TD_CLOSED || (error >= 0.5 * before && error < 1e-10)) {
      if (p->coarse) return TD_NOT_CONVERGED;
      memcpy(q, p->q, (size_t)p->n * sizeof *q);
      td_loop_follow(p->model, p->ws, q, false);
      return TD_OK;
    }
    if (!(error < 2 * before)) return TD_NOT_CONVERGED;
    for (int k = 0; k < p->free_count; k++) p->q[p->free[k]] -= p->x[k];
    before = error;
  }
  return TD_NOT_CONVERGED;
}

td_status td_project_position(td_projection *p, double *q) {
  if (p->rows == 0) return TD_OK;
  p->misfit = 0;
  return p->ws->constraint.loose ? project_loosely(p, q) : project_strictly(p, q);
}

td_status td_project_step(td_projection *p, double *q) {
  td_loop_state *state = p->ws->constraint.loop;
  int count = p->rows ? p->model->loop_count : 0;
  td_loop_follow(p->model, p->ws, q, false);
  for (int i = 0; i < count; i++) state[i].counted = state[i].winding;
  td_status status = td_project_position(p, q);
  for (int i = 0; i < count && !status; i++)
    if (p->model->loop[i].winds && !(fabs(state[i].winding - state[i].counted) < M_PI / 2)) status = TD_NOT_CONVERGED;
  return status;
}

// c = A x on the matrix at hand.
static void rows_times(const td_projection *p, const double *x, double *c) {
  for (int i = 0; i < p->rows; i++) {
    c[i] = 0;
    for (int j = 0; j < p->n; j++) c[i] += p->G[i * p->n + j] * x[j];
  }
}

// x less the smallest change that takes c away, by the factors at hand.
static void take_away(td_projection *p, const double *c, double *x) {
  td_projection_smallest(p, c, p->x);
  for (int k = 0; k < p->free_count; k++) x[p->free[k]] -= p->x[k];
}

td_status td_loop_rank_at(td_projection *p, const double *q, int *rank) {
  p->ws->constraint.most_rank = 0;
  td_status status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  if (!status) factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  *rank = status ? 0 : p->rank;
  return status;
}

// z [k] of length 1, its largest entry made of R^T R's smallest eigenvalue by inverse iteration, y = R z; returns |y|.
static double smallest_of_triangle(int k, int ld, const double *R, double *z, double *y) {
  enum { ITERATIONS = 6 };
  for (int i = 0; i < k; i++) z[i] = 1 + 0.1 * i;
  for (int repeat = 0; repeat <= ITERATIONS; repeat++) {
    for (int i = 0; repeat > 0 && i < k; i++) { // R^-T, then R^-1
      for (int j = 0; j < i; j++) z[i] -= R[j * ld + i] * z[j];
      z[i] /= R[i * ld + i];
    }
    for (int i = k - 1; repeat > 0 && i >= 0; i--) {
      for (int j = i + 1; j < k; j++) z[i] -= R[i * ld + j] * z[j];
      z[i] /= R[i * ld + i];
    }
    double length = sqrt(td_projection_square(k, z));
    for (int i = 0; i < k; i++) z[i] /= length;
  }
  for (int i = 0; i < k; i++) {
    y[i] = 0;
    for (int j = i; j < k; j++) y[i] += R[i * ld + j] * z[j];
  }
  return sqrt(td_projection_square(k, y));
}

td_status td_loop_smallest(td_projection *p, const double *q, bool before, double *u, double *v, double *value,
                           double *size, int *rank) {
  bool metric = p->metric;
  td_status status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  if (status) return status;
  p->metric = false;
  factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  p->metric = metric;
  int k = *rank = p->rank, f = p->free_count;
  if (k == 0) return TD_NONFINITE;
  double *z = p->work, *y = z + p->ldp, largest_value = fabs(p->R[0]);
  *value = 0;
  for (int i = 0; before && i < p->rows; i++)
    for (int j = 0; j < f; j++) *value += u[i] * p->G[i * p->n + p->free[j]] * v[j] / largest_value;
  double smallest_value = smallest_of_triangle(k, p->ldp, p->R, z, y);
  *size = smallest_value / largest_value;
  for (int i = 0; i < p->rows; i++) {
    u[i] = 0;
    for (int j = 0; j < k; j++) u[i] += p->P[i * p->ldp + j] * z[j];
  }
  for (int i = 0; i < f; i++) {
    v[i] = 0;
    for (int j = 0; j < k; j++) v[i] += p->Q[i * p->ldp + j] * y[j] / smallest_value;
  }
  return isfinite(*size) ? TD_OK : TD_NONFINITE;
}

// p->x: a direction along what the last `rank - sure` rows alone hold, and along what none holds.
static void direction_in_doubt(td_projection *p, int sure, int rank) {
  double *held = p->work, size[2] = {0};
  for (int j = 0; j < rank; j++) {
    held[j] = 0;
    for (int k = 0; k < p->free_count; k++) held[j] += p->Q[k * p->ldp + j] * sin(1 + 7 * k);
  }
  for (int pass = 0; pass < 2; pass++) // sizes first
    for (int k = 0; k < p->free_count; k++) {
      double doubted = 0, left = sin(1 + 7 * k);
      for (int j = 0; j < rank; j++) left -= p->Q[k * p->ldp + j] * held[j];
      for (int j = sure; j < rank; j++) doubted += p->Q[k * p->ldp + j];
      if (pass == 0) size[0] = fmax(size[0], fabs(doubted)), size[1] = fmax(size[1], fabs(left));
      p->x[k] = (size[0] > 0 ? doubted / size[0] : 0) + (size[1] > 1e-9 ? left / size[1] : 0);
    }
}

// Of `rank` independent rows at the closed q only `sure` are without doubt. Those in doubt are held to be dependent
// when a motion that the others allow leaves them closed: at a state next to a singular one they open with its square.
static bool are_dependent(td_projection *p, const double *q, int sure, int rank) {
  static const double far = 0.05; // rad, m, strain
  td_constraint_scratch *s = &p->ws->constraint;
  direction_in_doubt(p, sure, rank);
  memcpy(p->aside, q, (size_t)p->n * sizeof *q);
  for (int k = 0; k < p->free_count; k++) p->aside[p->free[k]] += far * p->x[k];
  s->most_rank = sure;
  s->loose = true;
  p->most_misfit = MISFIT_ASIDE;
  bool dependent = !project_loosely(p, p->aside);
  p->most_misfit = TD_LATER_MISFIT;
  td_loop_follow(p->model, p->ws, q, false);
  s->most_rank = 0;
  s->loose = dependent;
  return dependent;
}

td_status td_loop_rank(td_projection *p, bool loose, double *q, int *rank) {
  td_constraint_scratch *s = &p->ws->constraint;
  s->most_rank = 0;
  s->loose = loose;
  td_status status = td_project_position(p, q);
  s->loose = loose || status == TD_NOT_CONVERGED;
  if (s->loose && !loose) status = td_project_position(p, q);
  s->loose = s->loose && !status;
  bool metric = p->metric;
  p->metric = false;
  if (!status) status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  if (!status && !s->loose) {
    factor(p, p->G, TD_LOOSE_RANK);
    int sure = p->rank;
    factor(p, p->G, TD_RANK_TOLERANCE);
    *rank = p->rank;
    if (sure > 0 && sure < p->rank && are_dependent(p, q, sure, p->rank)) *rank = sure;
  } else if (!status) {
    factor(p, p->G, TD_LOOSE_RANK);
    *rank = p->rank;
  }
  p->metric = metric;
  return status;
}

td_status td_project_velocity(td_projection *p, const double *q, double *qd) {
  assert(q != qd);
  if (p->rows == 0) return TD_OK;
  td_status status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  if (status) return status;
  factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  rows_times(p, qd, p->e);
  take_away(p, p->e, qd);
  return TD_OK;
}

// lambda less the force W x = A^T (P R^-1 R^-T P^T c) of the last change x, whose R^-T P^T c stands in p->work.
static void take_force(td_projection *p, double *lambda) {
  double *h = p->work;
  for (int i = p->rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < p->rank; j++) h[i] -= p->R[i * p->ldp + j] * h[j];
    h[i] /= p->R[i * p->ldp + i];
  }
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->rank; j++) lambda[i] -= p->P[i * p->ldp + j] * h[j];
}

// y less the smallest change by which A y + Ad qd = 0.
static td_status accelerate(td_projection *p, const double *q, const double *qd, double *y) {
  td_status status = td_loop_accelerations(p->model, p->ws, q, qd, y, p->e);
  if (!status) take_away(p, p->e, y);
  return status;
}

td_status td_project_rates(td_projection *p, const td_step_metric *metric, const double *q, double *qd, double *qdd,
                           double *other, double *lambda) {
  if (p->rows == 0) return TD_OK;
  bool begun = td_steady_begin(p->ws, q, NULL); // rates move, q does not
  td_projection_measure(p, metric, q);
  td_status status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  td_steady_end(p->ws, begun);
  if (status) return status;
  factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  rows_times(p, qd, p->e);
  take_away(p, p->e, qd);
  status = accelerate(p, q, qd, other);
  if (!status) status = accelerate(p, q, qd, qdd);
  if (!status && lambda) take_force(p, lambda);
  return status;
}

// A^T = U^T Q R P^T on free coordinates: lambda = -P R^-1 Q^T U^-T force.
void td_loop_take_up(td_projection *p, const double *force, double *lambda) {
  assert(force != lambda);
  double *h = p->work;
  for (int i = 0; i < p->free_count; i++) p->x[i] = force[p->free[i]];
  if (p->metric) td_spd_forward(p->free_count, p->ld, p->U, p->x);
  for (int j = p->rank - 1; j >= 0; j--) {
    h[j] = 0;
    for (int i = 0; i < p->free_count; i++) h[j] += p->Q[i * p->ldp + j] * p->x[i];
    for (int k = j + 1; k < p->rank; k++) h[j] -= p->R[j * p->ldp + k] * h[k];
    h[j] /= p->R[j * p->ldp + j];
  }
  for (int i = 0; i < p->rows; i++) {
    lambda[i] = 0;
    for (int j = 0; j < p->rank; j++) lambda[i] -= p->P[i * p->ldp + j] * h[j];
  }
}

td_status td_loop_multipliers(td_projection *p, const double *q, const double *force, double *lambda) {
  p->rank = 0;
  if (p->rows == 0) return TD_OK;
  td_status status = td_loop_error(p->model, p->ws, q, NULL, p->G);
  if (status) return status;
  factor(p, p->G, td_rank_tolerance(&p->ws->constraint));
  td_loop_take_up(p, force, lambda);
  return TD_OK;
}

void td_loop_motion(td_projection *p, const double *c, double *x) { td_projection_smallest(p, c, x); }

void td_loop_unmet(const td_projection *p, double *c) {
  for (int j = 0; j < p->rank; j++) {
    double along = 0;
    for (int i = 0; i < p->rows; i++) along += p->P[i * p->ldp + j] * c[i];
    for (int i = 0; i < p->rows; i++) c[i] -= along * p->P[i * p->ldp + j];
  }
}
