// Factorisation of complex matrices, as pairs of real ones: the complex stages of implicit Runge-Kutta methods.
#ifndef TENDRIL_MATH_COMPLEX_LU_H
#define TENDRIL_MATH_COMPLEX_LU_H

#include "tendril/status.h"
#include <stdbool.h>

/// LU = P (a + i b) in place with partial pivoting by |re| + |im|.
/// @param a,b    [n][n] row-major, real and imaginary part; on return L below the diagonal (ones not stored), U on and
///               above
/// @param pivot  [n] out
/// @return false when a pivot is zero or not finite
/// Cost: 8/3 n^3, no allocation.
TD_NODISCARD bool td_complex_lu_factor(int n, double *a, double *b, int *pivot);
/// x + i y = (a + i b)^-1 (x + i y) with the factors of td_complex_lu_factor.  x, y [n].
void td_complex_lu_solve(int n, const double *a, const double *b, const int *pivot, double *x, double *y);

#endif
