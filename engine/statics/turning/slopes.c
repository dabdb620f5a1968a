// Forces may vanish at all angles of a turn, and their slopes not be the same: gravity across the axis of a hub pulls a
// flap back below and pushes it on above, springs of the world that are stiffer to one side than to the other turn
// backwards in the frame of a rotor. So the slopes are looked at themselves, at some angles.
#include "statics/turning/slopes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 8 };
// Of the sizes below: swings that are fed by less grow by less than 1e-4 of their frequency, and A has four digits.
static const double PART = 1e-4;
static const double ROUNDING = 1e-12; // of the largest entry

typedef struct slopes {
  size_t d;
  double *M, *C, *K; // [d][d] each, on the motions that loops allow
} slopes;

// M, C and K at s->q.
static bool look(td_statics *s, slopes *at) {
  size_t bytes = at->d * at->d * sizeof *at->M;
  if (td_statics_evaluate(s) || td_statics_linearise(s)) return false;
  memcpy(at->K, s->K, bytes);
  if (td_residual_derivatives(s->model, s->ws, s->q, s->qd, NULL, s->u, NULL, NULL, s->faded, s->full)) return false;
  td_statics_gather(s, s->full, at->M);
  td_statics_gather(s, s->faded, at->C);
  td_statics_confine(s, at->M);
  td_statics_confine(s, at->C);
  td_statics_confine(s, at->K);
  return true;
}

// Whether |a_ij - b_ij| <= PART sqrt(x_i x_j), x the sizes of coordinates.
static bool alike(size_t d, const double *a, const double *b, const double *size) {
  double rounding = ROUNDING * td_statics_largest((int)(d * d), a);
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < d; j++)
      if (!(fabs(a[i * d + j] - b[i * d + j]) <= PART * sqrt(size[i] * size[j]) + rounding)) return false;
  return true;
}

// Sizes of a coordinate, W the fastest rate: of inertia M, of damping C + M W + 2 sqrt(K M), of stiffness K + M W^2.
static bool same(const slopes *a, const slopes *b, double W, double *size) {
  size_t d = a->d, next = d + 1;
  for (size_t i = 0; i < d; i++) size[i] = fabs(a->M[i * next]);
  if (!alike(d, a->M, b->M, size)) return false;
  for (size_t i = 0; i < d; i++) size[i] = fabs(a->K[i * next]) + fabs(a->M[i * next]) * W * W;
  if (!alike(d, a->K, b->K, size)) return false;
  for (size_t i = 0; i < d; i++) {
    double M = fabs(a->M[i * next]);
    size[i] = fabs(a->C[i * next]) + M * W + 2 * sqrt(fabs(a->K[i * next]) * M);
  }
  return alike(d, a->C, b->C, size);
}

static double slowest(int n, const double *rates) {
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    if (rates[i] != 0) least = fmin(least, fabs(rates[i]));
  return least;
}

// From s->q, kept in from [n].
static bool all_the_way(td_statics *s, const double *from, double turn, slopes *first, slopes *then, double *size) {
  static const double golden = 0.6180339887498949;
  double W = td_statics_largest(s->n, s->qd);
  if (!look(s, first)) return false;
  for (int k = 1; k <= LOOKS; k++) {
    double t = turn * fmod(k * golden, 1);
    for (int i = 0; i < s->n; i++) s->q[i] = from[i] + t * s->qd[i];
    if (!look(s, then) || !same(first, then, W, size)) return false;
  }
  return true;
}

bool td_slopes_turn_along(td_statics *s, double t_end) {
  size_t n = (size_t)s->n, d = (size_t)s->d, square = d * d;
  double least = s->qd ? slowest(s->n, s->qd) : INFINITY;
  if (!isfinite(least) || d == 0) return true;
  double *memory = malloc((6 * square + d + n) * sizeof *memory);
  if (!memory) return false;
  slopes first = {d, memory, memory + square, memory + 2 * square};
  slopes then = {d, memory + 3 * square, memory + 4 * square, memory + 5 * square};
  double *size = memory + 6 * square, *from = size + d;
  memcpy(from, s->q, n * sizeof *from);
  bool along = all_the_way(s, from, fmin(2 * M_PI / least, t_end), &first, &then, size);
  memcpy(s->q, from, n * sizeof *from);
  free(memory);
  return !td_statics_evaluate(s) && along;
}
