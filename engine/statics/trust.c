// Descent of the potential by a trust region.
//
// Gravity, elasticity, tendons and world-frame forces have a potential P with gradient -r, so an equilibrium that a
// robot can hold is a minimum of P. A step minimises the quadratic model -r . s + s . K s / 2 in |s|_W <= radius: (K +
// lambda W) s = r with lambda from the secular equation 1/radius = 1/|s|_W, and where r has nothing along the most
// negative direction of K (a saddle by symmetry) that direction itself: More and Sorensen, Computing a trust region
// step, 1983. The decrease of P along s, the integral of r . s, is compared with the model's; P itself is never needed.
// W (statics/metric.c) measures how far a step turns the robot, which is what bends P: elasticity is quadratic and
// needs no bound. Near a minimum lambda is 0, the step Newton's.
#include "math/cholesky.h"
#include "statics/statics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { REJECTIONS = 40, TRIALS = 16, POWERS = 3, POINTS = TD_STATICS_WAY };
static const double LOOSE = 1e-9;                                  // couplings below this part of the largest are none
static const double NEAR = 0.25, HARD = 0.25;                      // of the radius; of the model's decrease
static const double FIRST_RADIUS = 1, MOST_RADIUS = 8, GROW = 2.5; // in W: rad, strains

static double curvature(const td_statics *s, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->d; i++) sum += x[i] * td_statics_dot(s->d, s->K + (size_t)i * (size_t)s->d, y);
  return sum;
}

static double weighed(const td_statics *s, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->d; i++) sum += s->weight[i] * x[i] * y[i];
  return sum;
}

// Coordinates that neither a force nor a chain of couplings reaches stay where they are: a robot that is loaded within
// a plane moves within it first, whatever would be gained beside it; its equilibrium there may turn out a saddle, which
// is left later.
static int find_idle(td_statics *s) {
  int d = s->d, *queue = s->pivot, count = 0;
  double most = td_statics_largest(d, s->r);
  if (s->loops.rank || s->residual <= 1e-8 * s->scale) return 0;
  memset(s->idle, 1, (size_t)d * sizeof *s->idle);
  for (int i = 0; i < d; i++)
    if (fabs(s->r[i]) > LOOSE * most) s->idle[i] = false, queue[count++] = i;
  for (int k = 0; k < count; k++) {
    const double *row = s->K + (size_t)queue[k] * (size_t)d;
    double least = LOOSE * td_statics_largest(d, row);
    for (int j = 0; j < d; j++)
      if (s->idle[j] && fabs(row[j]) > least) s->idle[j] = false, queue[count++] = j;
  }
  return d - count;
}

static void hold_idle(td_statics *s, double stiff) {
  int d = s->d;
  for (int i = 0; i < d; i++)
    if (s->idle[i]) {
      for (int j = 0; j < d; j++) s->H[i * d + j] = s->H[j * d + i] = 0;
      s->H[i * d + i] = stiff * s->weight[i];
    }
}

static bool positive_definite(td_statics *s) {
  td_statics_shifted(s, true);
  if (s->idle_count) hold_idle(s, fmax(1, s->shift));
  s->factorisations++;
  return td_spd_factor(s->d, s->d, s->H, s->ld, s->U) == TD_OK;
}

// Largest row of |K| in the metric: no eigenvalue is larger.
static double bound(const td_statics *s) {
  double most = 0;
  for (int i = 0; i < s->d; i++) {
    double sum = 0;
    for (int j = 0; j < s->d; j++) sum += fabs(s->K[i * s->d + j]) / sqrt(s->weight[i] * s->weight[j]);
    most = fmax(most, sum);
  }
  return most > 0 ? most : 1;
}

// ------------------------------------------------------------------------------------------------ subproblem

// Turns `direction` towards the lowest eigenvector of (K, W) by inverse iteration with the factor of K + shift W; the
// Rayleigh quotient there.
static double lowest(td_statics *s) {
  double *z = s->direction;
  for (int k = 0; k < POWERS; k++) {
    for (int i = 0; i < s->d; i++) z[i] *= s->weight[i];
    td_statics_confine_vector(s, z);
    td_spd_solve(s->d, s->ld, s->U, z);
    td_statics_confine_vector(s, z);
    double size = sqrt(weighed(s, z, z));
    for (int i = 0; i < s->d; i++) z[i] /= size;
  }
  return curvature(s, z, z);
}

// Goes on from the step to the boundary along the lowest direction, where that costs little more than the best there
// is.
static bool go_on(td_statics *s, double rayleigh, double radius) {
  double *z = s->direction;
  double across = weighed(s, s->step, z), left = radius * radius - weighed(s, s->step, s->step);
  double root = sqrt(across * across + left), far = across > 0 ? left / (across + root) : left / (across - root);
  double decrease = td_statics_dot(s->d, s->r, s->step) + s->shift * radius * radius;
  if (!(rayleigh < 0) || !(far * far * (rayleigh + s->shift) <= HARD * decrease)) return false;
  for (int i = 0; i < s->d; i++) s->step[i] += far * z[i];
  return true;
}

// The shift at which |s| is the radius, by a Newton step of the secular equation from the present one.
static double secular(td_statics *s, double size, double radius) {
  double *y = s->work;
  for (int i = 0; i < s->d; i++) y[i] = s->weight[i] * s->step[i];
  td_statics_confine_vector(s, y);
  td_spd_forward(s->d, s->ld, s->U, y);
  return s->shift + size * size / td_statics_dot(s->d, y, y) * (size - radius) / radius;
}

// s->step and s->shift; false when no shift makes K positive definite.
static bool subproblem(td_statics *s, double radius) {
  double low = 0, high = INFINITY, most = bound(s), size = 0;
  s->shift = 0;
  s->idle_count = 0;
  bool any = false, definite = positive_definite(s);
  if (!definite) s->idle_count = find_idle(s);
  if (s->idle_count) definite = positive_definite(s);
  for (int i = 0; i < TRIALS || !any; i++, definite = positive_definite(s)) {
    if (!definite) {
      low = fmax(low, s->shift);
      if (low > 4 * most) return false;
      double guess = fmax(s->last_shift, 1e-3 * most);
      s->shift = isfinite(high) ? fmax(sqrt(low * high), low + 0.1 * (high - low)) : low < guess ? guess : 4 * low;
      continue;
    }
    any = true;
    memcpy(s->step, s->r, (size_t)s->d * sizeof *s->step);
    td_spd_solve(s->d, s->ld, s->U, s->step);
    size = sqrt(weighed(s, s->step, s->step));
    if (!isfinite(size)) return false;
    if ((s->shift == 0 && size <= radius) || fabs(size - radius) <= NEAR * radius) break;
    double next = secular(s, size, radius);
    if (size < radius) {
      high = s->shift;
      double rayleigh = lowest(s);
      if (go_on(s, rayleigh, radius)) break;
      low = fmax(low, -rayleigh);
    } else {
      low = fmax(low, s->shift);
    }
    if (!(next > low && next < high))
      next = isfinite(high) ? fmax(sqrt(low * high), low + 0.1 * (high - low)) : 4 * low;
    if (isfinite(high) && high - low <= 1e-6 * high) break;
    s->shift = next;
  }
  s->last_shift = s->shift;
  return true;
}

// ------------------------------------------------------------------------------------------------ step

// Work of the forces along the way of the step by Boole's rule, which is the decrease of the potential; the trial is
// left at the end. Loops bend the way: its tangent at the five points comes from the points themselves, and multipliers
// do no work on it.
static td_status decrease(td_statics *s, double slope, double *out) {
  static const double weight[POINTS] = {7. / 90, 32. / 90, 12. / 90, 32. / 90, 7. / 90};
  static const double tangent[POINTS][POINTS] = {
      {-25, 48, -36, 16, -3}, {-3, -10, 18, -6, 1}, {1, -8, 0, 8, -1}, {-1, 6, -18, 10, 3}, {3, -16, 36, -48, 25}};
  int d = s->d;
  double *way = s->way, *force = s->way + POINTS * d, work = weight[0] * slope;
  for (int i = 0; i < d; i++) way[i] = s->q[s->free[i]], force[i] = s->r[i];
  for (int k = 1; k < POINTS; k++) {
    td_status status = td_statics_try(s, 0.25 * k);
    if (status) return status;
    if (!s->loops.rows) work += weight[k] * td_statics_dot(d, s->trial_r, s->step);
    for (int i = 0; i < d; i++) way[k * d + i] = s->trial_q[s->free[i]], force[k * d + i] = s->trial_force[s->free[i]];
  }
  if (s->loops.rows) work = 0;
  for (int k = 0; s->loops.rows && k < POINTS; k++)
    for (int i = 0; i < d; i++) {
      double along = 0;
      for (int j = 0; j < POINTS; j++) along += tangent[k][j] * way[j * d + i] / 3;
      work += weight[k] * force[k * d + i] * along;
    }
  *out = work;
  return TD_OK;
}

// Actual over predicted decrease; negative infinity when the trial cannot be evaluated.
static double quality(td_statics *s, double predicted) {
  double slope = td_statics_dot(s->d, s->r, s->step), actual = 0;
  if (td_statics_try(s, 1) || !td_clearance_keeps(&s->clearance, s->q, s->trial_q)) return -INFINITY;
  bool newton = s->shift == 0;
  if (newton && fabs(td_statics_dot(s->d, s->trial_r, s->step)) < 0.2 * slope)
    return 1; // the slope along the step is nearly spent: a minimum
  if (newton && td_statics_largest(s->d, s->trial_r) < 1e-5 * s->scale && s->residual < 1e-3 * s->scale)
    return 1; // the end game: decreases of the potential drown in rounding
  if (decrease(s, slope, &actual)) return -INFINITY;
  return predicted > 0 ? actual / predicted : actual > 0 ? 1 : -1;
}

static void adapt(double *radius, double size, double quality_, bool inside) {
  if (quality_ < 0.25)
    *radius = (quality_ > 0 ? 0.5 : 0.25) * size;
  else if (quality_ > 0.7 && !inside)
    *radius = fmin(fmax(*radius, GROW * size), MOST_RADIUS);
}

// At an equilibrium already, stable or not, as far as rounding lets one tell.
static bool at_rest(td_statics *s) {
  if (!(s->residual <= 1e-12 * td_statics_largest(s->d * s->d, s->K))) return false;
  s->shift = 0;
  return td_statics_lu_step(s) && td_statics_negligible(s, s->step);
}

// One accepted step.
static td_status descend_once(td_statics *s, double *radius, bool leave, bool *done) {
  s->iterations++;
  td_status status = td_statics_linearise(s);
  if (status) return status;
  if (!td_statics_conservative(s)) return TD_UNSUPPORTED;
  *done = !leave && at_rest(s);
  if (*done) return TD_OK;
  for (int i = 0; i < REJECTIONS; i++) {
    if (!subproblem(s, *radius)) return TD_SINGULAR;
    *done = s->shift == 0 && td_statics_negligible(s, s->step);
    if (*done) return TD_OK;
    double predicted = td_statics_dot(s->d, s->r, s->step) - 0.5 * curvature(s, s->step, s->step);
    double q = quality(s, predicted), size = sqrt(weighed(s, s->step, s->step));
    adapt(radius, size, q, s->shift == 0);
    if (q > 0.05) return td_statics_accept(s);
  }
  return TD_NOT_CONVERGED;
}

// Any vector that is orthogonal to no other by symmetry.
static void any_direction(td_statics *s) {
  unsigned x = 2025;
  for (int i = 0; i < s->d; i++) x = x * 1664525u + 1013904223u, s->direction[i] = (double)(x >> 8) / (1 << 24) - 0.3;
}

td_status td_statics_descend(td_statics *s, int iterations, bool leave) {
  assert(iterations > 0);
  double radius = FIRST_RADIUS;
  any_direction(s);
  s->last_shift = 0;
  td_status status = td_statics_evaluate(s);
  for (int i = 0; !status && i < iterations; i++) {
    bool done = !leave && td_statics_converged(s);
    if (!done) status = descend_once(s, &radius, leave, &done);
    leave = false;
    if (done) return TD_OK;
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}
