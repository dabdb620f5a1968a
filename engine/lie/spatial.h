// Spatial maps of the backward passes, once for each pair of number types: (scalar maps, scalar columns), (scalar maps,
// lanes of columns), (lanes of maps, lanes of columns). x and y are the angular and linear parts of a twist; x == NULL
// means x = 0, known at compile time after inlining.
//
//   M x    = (I x + h x y, m y - h x x)                 M = (m, h, I: xx xy xz yy yz zz) about the origin
//   A x    = (A11 x, -p x x)                            A = (A11 row-major, p): the Coriolis map B, the stiffness N
//   A^T s  = A11^T x + p x y
//   G s, G^T s with a general 6x6 G (row-major)
#ifndef TENDRIL_LIE_SPATIAL_H
#define TENDRIL_LIE_SPATIAL_H

#include "lie/vec3.h"
#include <stddef.h>

#define TD_SPATIAL_MAPS(suffix, map_type, column_type)                                                                 \
  /** out [6] = M (x, y) */                                                                                            \
  TD_INLINE void td_inertia_times_##suffix(const map_type *M, const column_type *x, const column_type *y,              \
                                           column_type *out) {                                                         \
    out[0] = M[2] * y[2] - M[3] * y[1];                                                                                \
    out[1] = M[3] * y[0] - M[1] * y[2];                                                                                \
    out[2] = M[1] * y[1] - M[2] * y[0];                                                                                \
    for (int i = 0; i < 3; i++) out[3 + i] = M[0] * y[i];                                                              \
    if (!x) return;                                                                                                    \
    out[0] += M[4] * x[0] + M[5] * x[1] + M[6] * x[2];                                                                 \
    out[1] += M[5] * x[0] + M[7] * x[1] + M[8] * x[2];                                                                 \
    out[2] += M[6] * x[0] + M[8] * x[1] + M[9] * x[2];                                                                 \
    out[3] += M[3] * x[1] - M[2] * x[2];                                                                               \
    out[4] += M[1] * x[2] - M[3] * x[0];                                                                               \
    out[5] += M[2] * x[0] - M[1] * x[1];                                                                               \
  }                                                                                                                    \
  /** out [6] += A x */                                                                                                \
  TD_INLINE void td_angular_map_add_##suffix(const map_type *A, const column_type *x, column_type *out) {              \
    for (int i = 0; i < 3; i++) out[i] += A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];                 \
    out[3] += A[11] * x[1] - A[10] * x[2];                                                                             \
    out[4] += A[9] * x[2] - A[11] * x[0];                                                                              \
    out[5] += A[10] * x[0] - A[9] * x[1];                                                                              \
  }                                                                                                                    \
  /** out [3] = A^T (x, y) */                                                                                          \
  TD_INLINE void td_angular_map_transposed_##suffix(const map_type *A, const column_type *x, const column_type *y,     \
                                                    column_type *out) {                                                \
    out[0] = A[10] * y[2] - A[11] * y[1];                                                                              \
    out[1] = A[11] * y[0] - A[9] * y[2];                                                                               \
    out[2] = A[9] * y[1] - A[10] * y[0];                                                                               \
    if (!x) return;                                                                                                    \
    for (int i = 0; i < 3; i++) out[i] += A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];                             \
  }                                                                                                                    \
  /** out [6] += G (x, y) */                                                                                           \
  TD_INLINE void td_full_map_add_##suffix(const map_type *G, const column_type *x, const column_type *y,               \
                                          column_type *out) {                                                          \
    for (int i = 0; i < 6; i++) out[i] += G[6 * i + 3] * y[0] + G[6 * i + 4] * y[1] + G[6 * i + 5] * y[2];             \
    if (!x) return;                                                                                                    \
    for (int i = 0; i < 6; i++) out[i] += G[6 * i] * x[0] + G[6 * i + 1] * x[1] + G[6 * i + 2] * x[2];                 \
  }                                                                                                                    \
  /** out [6] = G^T (x, y) */                                                                                          \
  TD_INLINE void td_full_map_transposed_##suffix(const map_type *G, const column_type *x, const column_type *y,        \
                                                 column_type *out) {                                                   \
    for (int i = 0; i < 6; i++) out[i] = G[18 + i] * y[0] + G[24 + i] * y[1] + G[30 + i] * y[2];                       \
    if (!x) return;                                                                                                    \
    for (int i = 0; i < 6; i++) out[i] += G[i] * x[0] + G[6 + i] * x[1] + G[12 + i] * x[2];                            \
  }

TD_SPATIAL_MAPS(scalar, double, double)
TD_SPATIAL_MAPS(columns, double, td_vec)
TD_SPATIAL_MAPS(lanes, td_vec, td_vec)

#endif
