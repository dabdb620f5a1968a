// Cholesky factorisation of small symmetric positive definite matrices, M = U^T U, and solves with many right-hand
// sides.
#ifndef TENDRIL_MATH_CHOLESKY_H
#define TENDRIL_MATH_CHOLESKY_H

#include "tendril/status.h"
#include <stdbool.h>

/// U [n][ld] (upper triangle of the row-major matrix) from M [n][ldm], of which the upper triangle is read. ld >= n is
/// a multiple of TD_LANES, ldm >= n any; the padding of U is set to 0.
/// TD_SINGULAR when a pivot is not positive. Own kernel below 256 rows, LAPACK from there. O(n^3 / 3).
TD_NODISCARD td_status td_spd_factor(int n, int ldm, const double *M, int ld, double *U);
/// Whether every pivot of U (U_kk^2, what is left of M_kk) is above `least` times the M_kk it was taken from. No unit
/// of M shows in it. O(n).
bool td_spd_above(int n, int ldm, const double *M, int ld, const double *U, double least);
/// x = M^-1 x, in place, x [n].
void td_spd_solve(int n, int ld, const double *U, double *x);
/// X = M^-1 X, in place, X [n][ldx], `columns` of them (ldx a multiple of TD_LANES; padding columns must be finite).
void td_spd_solve_many(int n, int ld, const double *U, int columns, int ldx, double *X);
/// End of the columns from c on to solve for at once, so that somebody may look in between: all of them below 512 rows,
/// where it takes milliseconds. The bits are those of one solve.
static inline int td_solve_end(int n, int c, int columns) {
  enum { LARGE = 512, SLICE = 96 };
  return n < LARGE || columns - c <= SLICE ? columns : c + SLICE;
}
/// The two halves: x = U^-T x, then x = U^-1 x gives M^-1 x.
void td_spd_forward(int n, int ld, const double *U, double *x);
void td_spd_backward(int n, int ld, const double *U, double *x);
void td_spd_forward_many(int n, int ld, const double *U, int columns, int ldx, double *X);
void td_spd_backward_many(int n, int ld, const double *U, int columns, int ldx, double *X);

#endif
