// The local error of a second-order method is C h^3 y'''. The textbook estimate for Newmark's family (Zienkiewicz and
// Xie) takes y''' from two accelerations; in a soft robot the accelerations of stiff modes carry rounding errors times
// the square of their frequency, which would swamp it. Divided differences of states and rates do not see them: this is
// Milne's device, the distance to the parabola through the last three states.
#include "integrate/one_step/step_control.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const double CONSTANT = 1. / 6, SAFETY = 0.9, KEEP = 1.3;

size_t td_step_control_size(int n) { return (TD_CONTROL_PAST + 1) * 2 * (size_t)n; }

void td_step_control_assign(td_step_control *c, int n, double *memory) {
  *c = (td_step_control){0};
  for (int i = 0; i <= TD_CONTROL_PAST; i++) c->y[i] = memory + 2 * (size_t)n * (size_t)i;
}

void td_step_control_push(td_step_control *c, int n, double t, const double *y) {
  double *last = c->y[TD_CONTROL_PAST];
  for (int i = TD_CONTROL_PAST; i > 0; i--) {
    c->y[i] = c->y[i - 1];
    c->t[i] = c->t[i - 1];
  }
  c->y[0] = last;
  c->t[0] = t;
  memcpy(last, y, 2 * (size_t)n * sizeof *y);
  c->before = c->count;
  if (c->count < TD_CONTROL_PAST) c->count++;
}

void td_step_control_pop(td_step_control *c) {
  assert(c->count > 0);
  double *first = c->y[0];
  for (int i = 0; i < TD_CONTROL_PAST; i++) {
    c->y[i] = c->y[i + 1];
    c->t[i] = c->t[i + 1];
  }
  c->y[TD_CONTROL_PAST] = first;
  c->count = c->before;
}

// y minus the polynomial through the past states, at t; with one state the tangent there.
static double distance(const td_step_control *c, double t, double h, double y, const double *dy, int i) {
  const double *x = c->t;
  double y0 = c->y[0][i];
  if (c->count == 1) return y - y0 - h * dy[i];
  double d01 = (y0 - c->y[1][i]) / (x[0] - x[1]);
  if (c->count == 2) return y - y0 - h * d01;
  double d12 = (c->y[1][i] - c->y[2][i]) / (x[1] - x[2]);
  return y - y0 - h * (d01 + (t - x[1]) * (d01 - d12) / (x[0] - x[2]));
}

// Distance to a parabola is y''' / 6 times the product of distances in time: scaled to h^3.
static double scale_of(const td_step_control *c, double t, double h) {
  if (c->count < TD_CONTROL_PAST) return CONSTANT;
  return CONSTANT * 6 * h * h / ((t - c->t[1]) * (t - c->t[2]));
}

// The distances of all coordinates and rates, without modes that need not be resolved.
static void sifted(const td_step_control *c, const td_plant *p, double t, const double *y, const double *dy,
                   const td_sieve *sieve) {
  int f = p->free_count;
  double h = t - c->t[0];
  for (int k = 0; k < f; k++) {
    int i = p->free[k], v = p->n + i;
    sieve->both[k] = distance(c, t, h, y[i], dy, i);
    sieve->both[f + k] = distance(c, t, h, y[v], dy, v);
  }
  td_sieve_apply(sieve, sieve->both);
  td_sieve_apply(sieve, sieve->both + f);
}

double td_step_control_error(const td_step_control *c, const td_plant *p, const td_integrator_spec *spec, double t,
                             const double *y, const double *dy, double rate_steps, double noise,
                             const td_sieve *sieve) {
  assert(c->count > 0 && t > c->t[0]);
  double h = t - c->t[0], sum = 0;
  if (sieve->ready) sifted(c, p, t, y, dy, sieve);
  for (int k = 0; k < 2 * p->free_count; k++) {
    bool is_rate = k >= p->free_count;
    int i = is_rate ? p->n + p->free[k - p->free_count] : p->free[k];
    double x = sieve->ready ? sieve->both[k] : distance(c, t, h, y[i], dy, i);
    x /= spec->atol + spec->rtol * fmax(fabs(y[i]), fabs(c->y[0][i])) + (is_rate ? noise : 0);
    if (is_rate && rate_steps > 0) x *= fmin(rate_steps * h, 1);
    sum += x * x;
  }
  return p->free_count ? scale_of(c, t, h) * sqrt(sum / (2 * p->free_count)) : 0;
}

double td_step_control_pace(const td_plant *p, const td_integrator_spec *spec, const double *y, const double *dy) {
  double sum = 0;
  for (int k = 0; k < 2 * p->free_count; k++) {
    int i = k < p->free_count ? p->free[k] : p->n + p->free[k - p->free_count];
    double x = dy[i] / (spec->atol + spec->rtol * fabs(y[i]));
    sum += x * x;
  }
  return p->free_count ? sqrt(sum / (2 * p->free_count)) : 0;
}

double td_step_control_factor(const td_step_control *c, double error, bool rejected) {
  assert(error >= 0);
  double order = c->count < TD_CONTROL_PAST ? 2 : 3, factor = SAFETY * pow(fmax(error, 1e-12), -1 / order);
  if (rejected) return fmax(0.2, fmin(0.8, factor));
  double most = c->count < TD_CONTROL_PAST ? 5 : 2;
  return factor < KEEP && factor > 1 ? 1 : fmax(0.3, fmin(most, factor)); // an equal step keeps its factorisation
}
