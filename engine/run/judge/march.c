// The local error of a method of order p is c h^(p+1) v^(p+1), the derivative taken from divided differences of the
// last p + 2 velocities. For a mode w of amplitude A it is c (w h)^(p+1) A w, a turn of phase (p even) or a loss of
// amplitude (p odd), and so are those of the steps to come: they add up, as long as damping does not take the motion
// away that carries them. Sizes are those of the mass matrix, |x| = sqrt(x^T M x / 2), so that a mode counts by the
// energy that it has:
//     G' = (pi/2) |e| / h - r G,    r = power of damping / (4 kinetic energy),
// pi/2 since a turn of phase shows in the velocity as |cos| of the phase; r is zeta w of a damped mode. Judged is the
// largest G over the largest |v|: the phase, in rad, by which the motion that matters is off. No mode can be off by
// more than twice its amplitude: s = |e'|/|e|, e' the difference of e from step to step, is w h of the mode that makes
// the errors, |e| / (c s^(p+1)) its speed. A fast mode that has next to no energy is bounded so; but it would hide the
// slow ones, whose errors are smaller. They are looked at by themselves: a second band takes the means of blocks of
// eight steps, in which what turns within a block is left out. Beyond w h of about 1 the differences see the motion as
// computed, which is slower than the true one, and G is too small, but large.
#include "run/judge/march.h"
#include "base/carve.h"
#include "closure/projection.h"
#include "pass/generalized_force.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 256, ONE_IN = 4 };
static const double SAME = 1e-6; // of a step

bool td_march_init(td_march *m, int n, const td_integrator_spec *spec) {
  *m = (td_march){0};
  const td_integrator *method = td_integrator_get(spec->method);
  if (spec->adaptive || !method->accuracy) return true;
  size_t row = (size_t)n;
  td_array arrays[7 + TD_MARCH_BANDS * TD_MARCH_PAST] = {{&m->error, row}, {&m->block, row}, {&m->mean, row}};
  size_t count = 3;
  for (int i = 0; i < 4; i++) arrays[count++] = (td_array){&m->force[i], row};
  for (int b = 0; b < TD_MARCH_BANDS; b++)
    for (int i = 0; i < TD_MARCH_PAST; i++) arrays[count++] = (td_array){&m->past[b].v[i], row};
  assert(count == sizeof arrays / sizeof *arrays);
  if (!td_carve_arrays(arrays, count)) return false;
  method->accuracy(method, spec, &m->order, &m->constant);
  return true;
}

void td_march_fini(td_march *m) { free(m->error); }

void td_march_start(td_march *m) {
  for (int b = 0; b < TD_MARCH_BANDS; b++) m->past[b].count = 0;
  m->in_block = m->blocks = 0;
  m->h = 0;
}

// The oldest row becomes the newest, to be filled.
static double *push(td_march_past *p, double t) {
  double *last = p->v[TD_MARCH_PAST - 1];
  for (int i = TD_MARCH_PAST - 1; i > 0; i--) p->v[i] = p->v[i - 1], p->t[i] = p->t[i - 1];
  p->v[0] = last;
  p->t[0] = t;
  if (p->count < TD_MARCH_PAST) p->count++;
  return last;
}

// Adds a step's positions to the block at hand; true where that is full and has given a velocity of its own.
static bool add_to_block(td_march *m, int n, double t, const double *q) {
  for (int i = 0; i < n; i++) m->block[i] = (m->in_block ? m->block[i] : 0) + q[i] / TD_MARCH_BLOCK;
  if (++m->in_block < TD_MARCH_BLOCK) return false;
  m->in_block = 0;
  bool two = m->blocks++ > 0;
  double *v = two ? push(&m->past[1], t) : NULL, span = TD_MARCH_BLOCK * m->h;
  for (int i = 0; two && i < n; i++) v[i] = (m->block[i] - m->mean[i]) / span;
  memcpy(m->mean, m->block, (size_t)n * sizeof *m->mean);
  return two;
}

// m->error = c h^k v^(k) of the free coordinates, 0 elsewhere; of loops what goes along with them, since the rest is
// taken away in each step: it adds nothing up.
static void difference(td_march *m, const td_march_past *past, td_plant *p, const double *q, int k) {
  double scale = m->constant;
  for (int i = 1; i <= k; i++) scale *= i * m->h;
  memset(m->error, 0, (size_t)p->n * sizeof *m->error);
  for (int j = 0; j <= k; j++) {
    double weight = scale;
    for (int i = 0; i <= k; i++)
      if (i != j) weight /= past->t[j] - past->t[i];
    for (int i = 0; i < p->free_count; i++) m->error[p->free[i]] += weight * past->v[j][p->free[i]];
  }
  if (p->rows > 0) td_plant_measure(p, q);
  if (p->rows > 0 && td_project_velocity(&p->projection, q, m->error)) return; // then all of it counts
}

// m->error^T M m->error / 2
static double kinetic_of(const td_march *m, td_plant *p, const double *q) {
  td_energy e;
  return td_energy_at(p->model, p->ws, q, m->error, &e) || !(e.kinetic > 0) ? 0 : e.kinetic;
}

// What of the error is there a step later: modes that damping holds still take no part in the motion, however much a
// method lets them ring.
static double left(td_march *m, td_plant *p, const double *q, double kinetic) {
  double power = 0;
  td_force_parts(p->model, p->ws, q, m->error, p->u, m->force[0], m->force[1], m->force[2], m->force[3]);
  for (int i = 0; i < p->n; i++) power -= m->error[i] * m->force[3][i];
  return power > 0 ? exp(-power * m->h / (2 * kinetic)) : 1;
}

// Local errors of `steps` steps join the account of their band.
static void look(td_march *m, td_march_band *a, const td_march_past *past, td_plant *p, double t, const double *q,
                 int steps) {
  if (past->count < m->order + 3) return;
  difference(m, past, p, q, m->order + 2);
  double next = kinetic_of(m, p, q);
  difference(m, past, p, q, m->order + 1);
  double square = kinetic_of(m, p, q), error = sqrt(square);
  if (square == 0) return;
  a->square[0] += square;
  a->square[1] += next;
  a->peak = fmax(a->peak, error);
  double step = steps * M_PI / 2 * error * left(m, p, q, square), s = sqrt(a->square[1] / a->square[0]);
  a->sum += step;
  a->error = fmin(a->error + step, 2 * a->peak / (m->constant * pow(s, m->order + 1)));
  a->most = fmax(a->most, a->sum);
  if (a->error > a->worst) a->worst = a->error, a->worst_t = t;
}

// Some steps of a long run, at no even distance, which might be that of a mode.
static bool looks(uint64_t step) {
  static const double golden = 0.6180339887498949;
  double at = golden * (double)step;
  return step < ALL || at - floor(at) < 1. / ONE_IN;
}

void td_march_note(td_march *m, td_march_account *a, td_plant *plant, double before, double t, const double *y,
                   double kinetic, double lost, bool struck) {
  assert(t >= before);
  int n = plant->n;
  double h = t - before;
  if (m->order == 0) return;
  if (struck || fabs(h - m->h) > SAME * h) td_march_start(m);
  m->h = h;
  memcpy(push(&m->past[0], t), y + n, (size_t)n * sizeof *y);
  a->kinetic = fmax(a->kinetic, kinetic);
  double kept = lost > 0 ? exp(-lost / (4 * fmax(kinetic, 1e-300))) : 1;
  for (int b = 0; b < TD_MARCH_BANDS; b++) a->band[b].error *= kept, a->band[b].sum *= kept;
  uint64_t step = a->looked++;
  if (looks(step)) look(m, &a->band[0], &m->past[0], plant, t, y, step < ALL ? 1 : ONE_IN);
  if (add_to_block(m, n, t, y)) look(m, &a->band[1], &m->past[1], plant, t, y, TD_MARCH_BLOCK);
}

td_status td_march_judge(const td_march *m, const td_march_account *a, const td_integrator_spec *used, double least,
                         td_run_statistics *statistics, td_error *err) {
  static const char *const pointer = "/integrator/h";
  const td_march_band *band = a->band[1].worst > a->band[0].worst ? &a->band[1] : &a->band[0];
  if (m->order == 0 || !(a->kinetic > least) || !(band->worst > TD_MARCH_TOLERANCE * sqrt(a->kinetic))) return TD_OK;
  double error = band->worst / sqrt(a->kinetic), all = band->most / sqrt(a->kinetic);
  char text[TD_MESSAGE_SIZE], size[64];
  snprintf(size, sizeof size, error < 1 ? "%.2g %%" : "more than all", 100 * error);
  snprintf(text, sizeof text,
           "steps of %.6g s are too coarse for the motion: what each leaves out adds up to %s of its speed by t = %.6g "
           "s (a phase, or an amplitude); take h below %.2g, or a method with error control",
           used->h, size, band->worst_t, 0.95 * used->h * pow(TD_MARCH_TOLERANCE / all, 1. / m->order));
  td_warn(&statistics->warnings, "coarse_step", pointer, "%s", text);
  return td_fail(err, TD_INCONSISTENT, pointer, "%s", text);
}
