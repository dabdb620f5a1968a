// Small vibrations of a robot about a state: how fast and how much damped its modes are.
#ifndef TENDRIL_SOLVE_SPECTRUM_H
#define TENDRIL_SOLVE_SPECTRUM_H

#include "solve/plant.h"

/// Modes of M x'' + C x' + K x = 0 at (q, qd) = y [2n], free coordinates, loops left open; symmetric parts of K and C.
/// @param reach  modes faster than this, rad/s, are left out of `highest`
/// @param rates  [n] velocities whose energy counts in `energetic`, NULL: none
/// `out->known` is false when M is not positive definite or memory is short. O(n^3), allocates: not for hot paths.
void td_spectrum_at(td_plant *plant, double t, const double *y, double reach, const double *rates, td_spectrum *out);

#endif
