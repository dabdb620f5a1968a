// What errors count for in modes that need not be resolved: a low pass on the robot's own modes.
#ifndef TENDRIL_INTEGRATE_SIEVE_H
#define TENDRIL_INTEGRATE_SIEVE_H

#include "plant/plant.h"

typedef struct td_sieve {
  const td_plant *plant;
  double cutoff;                ///< rad/s; 0: all passes
  double *lu, *M, *work, *both; ///< [free][free], [free][free], [free], [2 free] for the caller
  int *pivot;
  bool ready; ///< factored since the start
} td_sieve;

/// Allocates what a cutoff needs, nothing for 0. td_sieve_fini in any case.
TD_NODISCARD td_status td_sieve_init(td_sieve *s, const td_plant *plant, double cutoff);
void td_sieve_fini(td_sieve *s);
/// From K, C, M [n][n] of a state. O(free^3) with a cutoff, nothing without.
void td_sieve_factor(td_sieve *s, const double *K, const double *C, const double *M);
/// x [free] = ((M + C / cutoff + K / cutoff^2)^-1 M)^2 x: of a mode w about (cutoff / w)^4 passes, all of slow ones.
void td_sieve_apply(const td_sieve *s, double *x);

#endif
