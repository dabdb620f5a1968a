// The generalised eigenproblem K x = w^2 M x by LAPACK; damping ratio of a mode: x^T C x / (2 w) with x^T M x = 1. The
// coordinate named is the one with the largest share x_i (K x)_i of the mode's energy. By the force r that is not
// balanced at the state and the velocities v, a mode holds ((x^T r)^2 / w^2 + (x^T M v)^2) / 2.
#include "plant/spectrum.h"
#include "base/carve.h"
#include "math/lapack.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REST = 0.01; // of the energy, that may be in faster modes
static const double UNSEEN = 1e-5,
                    UNSEEN_OF_SET = 1e-9; // of all energy: what no one looks at; where the job sets a coordinate
static const double NOT_DAMPED = 0.02;
static const double LITTLE_DAMPED = 0.3; // of critical: from there on bdf is stable at orders up to 4

typedef struct problem {
  int n;
  double *K, *C, *M, *still, *force; // [all][all], [all] accelerations 0, tau - ID
  double *x, *B, *w, *work;          // [n][n] modes in rows, [n][n] overwritten, [n] rising, work
  int work_size;
} problem;

static bool allocate(problem *s, const td_plant *p) {
  size_t all = (size_t)p->n, n = (size_t)p->free_count;
  s->n = p->free_count;
  s->work_size = 34 * s->n;
  return TD_CARVE({&s->K, all * all}, {&s->C, all * all}, {&s->M, all * all}, {&s->still, all}, {&s->force, all},
                  {&s->x, n * n}, {&s->B, n * n}, {&s->w, n}, {&s->work, (size_t)s->work_size});
}

static td_status matrices(problem *s, td_plant *p, double t, const double *y) {
  td_plant_state at = {y, y + p->n, s->still, NULL};
  td_constraint_terms out = {.residual = s->force, .K = s->K, .C = s->C, .M = s->M};
  return td_plant_terms(p, t, &at, &out);
}

static bool solve(problem *s, const td_plant *p) {
  const int n = s->n, one = 1;
  int info = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int a = p->free[i] * p->n + p->free[j], b = p->free[j] * p->n + p->free[i];
      s->x[i * n + j] = 0.5 * (s->K[a] + s->K[b]);
      s->B[i * n + j] = 0.5 * (s->M[a] + s->M[b]);
      if (!isfinite(s->x[i * n + j]) || !isfinite(s->B[i * n + j])) return false;
    }
  dsygv_(&one, "V", "U", &n, s->x, &n, s->B, &n, s->w, s->work, &s->work_size, &info);
  return info == 0;
}

// x^T C x
static double damping_of(const problem *s, const td_plant *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) sum += x[i] * s->C[p->free[i] * p->n + p->free[j]] * x[j];
  return sum;
}

static int strongest(const problem *s, const td_plant *p, const double *x) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < s->n; i++) {
    double share = 0;
    for (int j = 0; j < s->n; j++) share += s->K[p->free[i] * p->n + p->free[j]] * x[j];
    share = fabs(share * x[i]);
    if (share > most) most = share, best = p->free[i];
  }
  return best;
}

// The slowest decay of what oscillates or coasts: x^T C x of a free motion, half of it of a mode that is not damped.
static double slowest_decay(const problem *s, const td_plant *p, double tiny) {
  double slowest = INFINITY;
  for (int k = 0; k < s->n; k++) {
    double w = sqrt(fmax(s->w[k], 0)), rate = damping_of(s, p, s->x + k * s->n);
    if (w > tiny && rate >= 2 * w * NOT_DAMPED) continue;
    slowest = fmin(slowest, w > tiny ? rate / 2 : rate);
  }
  return slowest;
}

// Twice the energy of a mode.
static double energy_of(const problem *s, const td_plant *p, int k, double w, const double *rates) {
  const double *x = s->x + k * s->n;
  double force = 0, rate = 0;
  for (int i = 0; i < s->n; i++) {
    const double *M = s->M + p->free[i] * p->n;
    force += x[i] * s->force[p->free[i]];
    for (int j = 0; rates && j < s->n; j++) rate += x[i] * M[p->free[j]] * rates[p->free[j]];
  }
  return force * force / (w * w) + rate * rate;
}

// Coordinates that are looked at together: one of a joint, all of a rod or another soft body.
typedef struct group {
  int first, count;
  bool set; // the job starts it away from 0
} group;

static group group_of(const td_plant *p, const td_excitation *by, int element, int coordinate) {
  const td_element *e = &p->model->element[element];
  bool whole = td_element_is_whole(e);
  group g = {whole ? e->coordinate : coordinate, whole ? e->n : 1, false};
  for (int i = g.first; i < g.first + g.count; i++)
    g.set |= (by->rates && by->rates[i] != 0) || (by->q && by->q[i] != 0);
  return g;
}

// x^T M x of a group's own coordinates.
static double inertia_of(const problem *s, const td_plant *p, const double *x, const group *g) {
  double sum = 0;
  for (int i = 0; i < s->n; i++)
    for (int j = 0; p->free[i] >= g->first && p->free[i] < g->first + g->count && j < s->n; j++)
      if (p->free[j] >= g->first && p->free[j] < g->first + g->count)
        sum += x[i] * s->M[p->free[i] * p->n + p->free[j]] * x[j];
  return sum;
}

// s->B, done with, row 0: twice the energy of each mode; what is free gathers speed until the end. Returns their sum.
static double all_energies(const problem *s, const td_plant *p, double tiny, const td_excitation *by) {
  double sum = 0;
  for (int k = 0; k < s->n; k++) {
    bool swings = s->w[k] > tiny * tiny;
    s->B[k] = energy_of(s, p, k, swings ? sqrt(s->w[k]) : 1 / by->t_end, by->rates);
    sum += s->B[k];
  }
  return sum;
}

// The frequency above which hardly damped modes hold REST of what a group has of all of them; 0: none of them, or too
// little to be seen.
static double energetic_of(const problem *s, const td_plant *p, const group *g, double tiny, double all) {
  double own = 0, above = 0;
  for (int k = 0; k < s->n; k++) own += s->B[k] * inertia_of(s, p, s->x + k * s->n, g);
  double seen = fmax(REST * own, (g->set ? UNSEEN_OF_SET : UNSEEN) * all);
  for (int k = s->n - 1; k >= 0 && s->w[k] > tiny * tiny; k--) {
    double w = sqrt(s->w[k]);
    const double *x = s->x + k * s->n;
    if (damping_of(s, p, x) < 2 * w * LITTLE_DAMPED) above += s->B[k] * inertia_of(s, p, x, g);
    if (above > seen) return w;
  }
  return 0;
}

// Joint by joint and body by body: what is little beside all may be all that somebody looks at.
static void seen(const problem *s, const td_plant *p, double tiny, const td_excitation *by, td_spectrum *out) {
  double all = all_energies(s, p, tiny, by);
  for (int e = 0; e < p->model->element_count; e++) {
    const td_element *element = &p->model->element[e];
    for (int i = element->coordinate; i < element->coordinate + element->n;) {
      group g = group_of(p, by, e, i);
      double w = energetic_of(s, p, &g, tiny, all);
      if (w > out->seen) out->seen = w, out->seen_coordinate = i;
      if (w > out->payable && w <= by->payable) out->payable = w;
      i += g.count;
    }
  }
}

// The frequency above which hardly damped modes hold REST of the energy of all vibrations.
static double energetic(const problem *s, const td_plant *p, double tiny, const double *rates) {
  double all = 0, above = 0;
  for (int k = 0; k < s->n; k++)
    if (s->w[k] > tiny * tiny) all += energy_of(s, p, k, sqrt(s->w[k]), rates);
  for (int k = s->n - 1; k >= 0 && s->w[k] > tiny * tiny; k--) {
    double w = sqrt(s->w[k]);
    if (damping_of(s, p, s->x + k * s->n) < 2 * w * LITTLE_DAMPED) above += energy_of(s, p, k, w, rates);
    if (above > REST * all) return w;
  }
  return 0;
}

static void read(const problem *s, const td_plant *p, double reach, const td_excitation *by, td_spectrum *out) {
  double tiny = 1e-9 * sqrt(fmax(s->w[s->n - 1], 0));
  out->decay = slowest_decay(s, p, tiny);
  out->energetic = energetic(s, p, tiny, by ? by->rates : NULL);
  if (by) seen(s, p, tiny, by, out);
  for (int k = s->n - 1; k >= 0; k--) {
    double w = sqrt(fmax(s->w[k], 0)), ratio;
    if (!(w > tiny)) break;
    out->lowest = w;
    if (out->highest > 0 || w > reach) continue;
    ratio = damping_of(s, p, s->x + k * s->n) / (2 * w);
    if (ratio >= LITTLE_DAMPED) continue;
    out->highest = w;
    out->damping = fmax(ratio, 0);
    out->coordinate = strongest(s, p, s->x + k * s->n);
  }
}

// What forces are at the velocities of the start: centrifugal ones, too. At rest: none.
static td_status forces(problem *s, td_plant *p, double t, const double *y, const td_excitation *by) {
  if (by->balanced) memset(s->force, 0, (size_t)p->n * sizeof *s->force);
  if (by->balanced || !by->moving) return TD_OK;
  td_plant_state at = {y, by->moving, s->still, NULL};
  td_constraint_terms out = {.residual = s->force};
  return td_plant_terms(p, t, &at, &out);
}

void td_spectrum_at(td_plant *plant, double t, const double *y, double reach, const td_excitation *by,
                    td_spectrum *out) {
  assert(reach > 0);
  problem s = {0};
  td_spectrum found = {.coordinate = -1, .seen_coordinate = -1, .decay = INFINITY};
  td_run_statistics kept = *plant->statistics; // what this costs is no part of the run
  if (plant->free_count > 0 && allocate(&s, plant) && !matrices(&s, plant, t, y) &&
      (!by || !forces(&s, plant, t, y, by)) && solve(&s, plant)) {
    found.known = true;
    read(&s, plant, reach, by, &found);
  }
  *plant->statistics = kept;
  *out = found; // may be a part of the statistics
  free(s.K);
}
