// Factorisation of the unsymmetric matrices of implicit steps: own code for small n, LAPACK above.
#ifndef TENDRIL_MATH_LU_H
#define TENDRIL_MATH_LU_H

#include "tendril/status.h"
#include <stdbool.h>

/// LU = P A in place with partial pivoting.
/// @param a      [n][n] row-major; on return L below the diagonal (ones not stored), U on and above
/// @param pivot  [n] out
/// @return false when a pivot is zero or not finite
/// Cost: 2/3 n^3, no allocation.
TD_NODISCARD bool td_lu_factor(int n, double *a, int *pivot);
/// x = A^-1 x with the factors of td_lu_factor.  x [n].
void td_lu_solve(int n, const double *lu, const int *pivot, double *x);
/// x = A^-T x likewise.
void td_lu_solve_transposed(int n, const double *lu, const int *pivot, double *x);
/// td_lu_solve for `columns` at once: X [n][ldx]. column [n]: scratch.
void td_lu_solve_many(int n, const double *lu, const int *pivot, int columns, int ldx, double *X, double *column);

#endif
