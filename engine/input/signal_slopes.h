// Derivatives of one input signal by its own numbers, at a time.
#ifndef TENDRIL_INPUT_SIGNAL_SLOPES_H
#define TENDRIL_INPUT_SIGNAL_SLOPES_H

#include "input/signal.h"

/// Who takes derivatives: `number` is the place of the number in the signal's spec, of[3] those of value, velocity and
/// acceleration by it.
typedef struct td_slope_taker {
  void *context;
  void (*take)(void *context, const double *number, const double of[3]);
} td_slope_taker;

/// Tells all derivatives at t, seen from `t_side`, that are not zero, each number at most once. Times of steps and of
/// splines are left out: by the former values jump, those of the latter every value hangs on.
/// Cost: O(log knots) for ramps and linear tables, about a hundred knots for splines, no allocation.
void td_signal_slopes(const td_signal *signal, double t, double t_side, const td_slope_taker *taker);
/// An upper bound of how many td_signal_slopes tells.
size_t td_signal_slopes_most(const td_signal_spec *spec);

#endif
