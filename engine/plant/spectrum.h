// Small vibrations of a robot about a state: how fast and how much damped its modes are.
#ifndef TENDRIL_PLANT_SPECTRUM_H
#define TENDRIL_PLANT_SPECTRUM_H

#include "model/model.h"
#include "plant/plant.h"

/// What sets the modes going at the start.
typedef struct td_excitation {
  const double *q,
      *rates;            ///< [n] of the job, NULL: 0; their energy counts, and coordinates that they set are looked at
  const double *moving;  ///< [n] velocities that forces are taken at, prescribed ones included; NULL: 0
  double t_end, payable; ///< s; rad/s: faster modes cannot be resolved
  bool balanced;         ///< no force is left: it is an equilibrium
} td_excitation;

/// True where the coordinates of an element are looked at together, as those of a soft body are; a joint's one by one.
static inline bool td_element_is_whole(const td_element *e) { return e->rod >= 0 || e->type == TD_ELEMENT_RITZ; }

/// Modes of M x'' + C x' + K x = 0 at (q, qd) = y [2n], free coordinates, loops left open; symmetric parts of K and C.
/// @param reach  modes faster than this, rad/s, are left out of `highest`
/// @param by  NULL: only the forces at rest count in `energetic`, and `seen` is not found
/// `out->known` is false when M is not positive definite or there is not enough memory. O(n^3), allocates: not for hot
/// paths.
void td_spectrum_at(td_plant *plant, double t, const double *y, double reach, const td_excitation *by,
                    td_spectrum *out);

#endif
