// Undamped modes of small motions about a state, of a robot and of its finer twin.
#ifndef TENDRIL_ESTIMATE_MODES_H
#define TENDRIL_ESTIMATE_MODES_H

#include "estimate/resolution/parts.h"

typedef struct td_modes {
  /// motions that loops leave to the coordinates that are solved for: not prescribed joints, nor polynomials beyond a
  /// level
  int count;
  double *square; ///< [count] rising: w^2, 1/s^2; below 0: growth
  double *x;      ///< [count][N] a mode in each row, on all coordinates of the twin, x^T M x = 1
} td_modes;

/// Modes of K x = w^2 M x by r->K, r->M, confined to closed loops, with the first `level` polynomials beyond the basis.
/// @return false when M is not positive definite or there is not enough memory. O(count^3).
TD_NODISCARD bool td_modes_find(td_resolution *r, int level, td_modes *modes);
void td_modes_free(td_modes *modes);
/// As many polynomials beyond the basis as can be afforded here; 0: none.
int td_modes_level(const td_resolution *r);

#endif
