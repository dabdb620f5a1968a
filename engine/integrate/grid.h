// Fixed steps: a segment divided into equal ones, each taken whole or, where it has to be, in dyadic fractions: halves
// down to 2^-TD_STEP_LEVELS, growing again as soon as the position allows. Sizes are taken from the grid, not from
// rounded times: equal steps keep one factorisation.
#ifndef TENDRIL_INTEGRATE_GRID_H
#define TENDRIL_INTEGRATE_GRID_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { TD_STEP_LEVELS = 12 };

typedef struct td_grid {
  double start, stop, h;       ///< s; h: of a whole step
  double count, index;         ///< whole steps of the segment, behind us
  uint32_t position, fraction; ///< within a whole step, in units of 2^-TD_STEP_LEVELS: behind us, to take next
} td_grid;

/// The number of equal steps of size at most h (up to rounding) that cover a segment.
static inline double td_step_count(double length, double h) { return fmax(1, ceil(length / h * (1 - 1e-9))); }

static inline td_grid td_grid_start(double start, double stop, double count) {
  return (td_grid){start, stop, (stop - start) / count, count, 0, 0, 1u << TD_STEP_LEVELS};
}

/// The size of the next step, and where it ends.
static inline double td_grid_size(const td_grid *g) { return g->h * (double)g->fraction / (1u << TD_STEP_LEVELS); }
static inline double td_grid_end(const td_grid *g) {
  uint32_t position = g->position + g->fraction;
  bool last = g->index + 1 >= g->count && position == 1u << TD_STEP_LEVELS;
  return last ? g->stop : g->start + (g->index + (double)position / (1u << TD_STEP_LEVELS)) * g->h;
}

/// Whether it could be halved; the caller halves `fraction`.
static inline bool td_grid_divisible(const td_grid *g) { return g->fraction > 1; }

/// Halves the next step, from t on, until it ends before `barrier` (s), as far as it can be.
static inline void td_grid_shorten(td_grid *g, double t, double barrier) {
  while (td_grid_divisible(g) && t + td_grid_size(g) > barrier) g->fraction /= 2;
}

/// The step was taken.
static inline void td_grid_advance(td_grid *g) {
  g->position += g->fraction;
  while (g->fraction < 1u << TD_STEP_LEVELS && g->position % (2 * g->fraction) == 0) g->fraction *= 2;
  if (g->position < 1u << TD_STEP_LEVELS) return;
  g->position = 0;
  g->index++;
}

#endif
