// What the objective and the constraints of a design or a gradient ask of numbers of its result, and what they are.
#ifndef TENDRIL_CLIENT_TARGETS_H
#define TENDRIL_CLIENT_TARGETS_H

#include "plot/recording.h"

enum { WANTED_MOST = 12 };

typedef struct wanted {
  char field[64], entry[24];   ///< "poses:arm@1", "x"
  double target, lower, upper; ///< NaN: not asked
  double value;                ///< the one that is farthest off, of the samples that count
  bool length;                 ///< metres
} wanted;

/// Targets first, then bounds; peaks, works and what is only to be small or large are left out. Returns how many.
size_t targets_list(const recording *r, wanted list[WANTED_MOST]);
/// By how much a value misses what is asked: 0 where it is met.
double targets_missed(const wanted *w);
/// Points in the world that places of links are to reach, [*count][3], at the samples that count; NULL: there are none.
/// The caller frees them.
double *targets_points(const recording *r, size_t *count);

#endif
