// Tiles of rows and vectors that stay in registers, of which the factors and solves of cholesky.h and tree_cholesky.h are
// made. Each element takes its terms in one order, whatever tile it is in.
#ifndef TENDRIL_MATH_TILES_H
#define TENDRIL_MATH_TILES_H

#include "math/lanes.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { TD_TILE_ROWS = 4, TD_TILE_VECTORS = TD_LANES == 8 ? 4 : 2 }; // 16, 8 and 8 registers

// sum [rows][vectors] -= u X over `count` rows of X: what stands beside row k of X for row r of the tile is
// u[k per_k + r per_r].
TD_INLINE void td_tile_subtract(td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS], int rows, int vectors, int count,
                                const double *u, ptrdiff_t per_k, ptrdiff_t per_r, const double *X, ptrdiff_t per_x) {
  for (int k = 0; k < count; k++, u += per_k, X += per_x)
    for (int v = 0; v < vectors; v++) {
      td_vec x = *(const td_vecu *)(X + TD_LANES * v);
      for (int r = 0; r < rows; r++) sum[r][v] -= u[r * per_r] * x;
    }
}

TD_INLINE void td_tile_load(td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS], int rows, int vectors, int ldx,
                            const double *X) {
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) sum[r][v] = *(const td_vecu *)(X + r * ldx + TD_LANES * v);
}

TD_INLINE void td_tile_store(td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS], int rows, int vectors, int ldx, double *X) {
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) *(td_vecu *)(X + r * ldx + TD_LANES * v) = sum[r][v];
}

/// Rows i … i + rows - 1 of U, from which all rows above have been taken: divided by the roots of their pivots, 1/U_kk on
/// the diagonal. False: a pivot is not positive.
static inline bool td_tile_factor(int i, int rows, int ld, double *U) {
  for (int k = i; k < i + rows; k++) {
    double *row = U + k * ld;
    if (!(row[k] > 0) || !isfinite(row[k])) return false;
    double inverse = 1 / sqrt(row[k]);
    for (int j = i / TD_LANES * TD_LANES; j < ld; j += TD_LANES) *(td_vecu *)(row + j) *= inverse;
    row[k] = inverse;
    for (int l = k + 1; l < i + rows; l++) {
      double f = row[l], *to = U + l * ld;
      for (int j = i / TD_LANES * TD_LANES; j < ld; j += TD_LANES) *(td_vecu *)(to + j) -= f * *(td_vecu *)(row + j);
    }
  }
  return true;
}

/// sum = U^-T sum and U^-1 sum of the tile's own triangle, whose corner is at u.
TD_INLINE void td_tile_forward(td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS], int rows, int vectors, int ld,
                               const double *u) {
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) {
      for (int k = 0; k < r; k++) sum[r][v] -= u[k * ld + r] * sum[k][v];
      sum[r][v] *= u[r * ld + r];
    }
}

TD_INLINE void td_tile_backward(td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS], int rows, int vectors, int ld,
                                const double *u) {
  for (int r = rows - 1; r >= 0; r--)
    for (int v = 0; v < vectors; v++) {
      for (int k = rows - 1; k > r; k--) sum[r][v] -= u[r * ld + k] * sum[k][v];
      sum[r][v] *= u[r * ld + r];
    }
}

#endif
