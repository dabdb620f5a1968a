// Scalar 3-vectors, 3x3 matrices (row-major) and 6-vectors (angular first) in the world frame.
#ifndef TENDRIL_LIE_VEC3_H
#define TENDRIL_LIE_VEC3_H

#include "math/lanes.h"
#include "tendril/se3.h"

TD_INLINE double td_vec3_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
TD_INLINE void td_vec3_cross(const double *a, const double *b, double *out) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}
TD_INLINE void td_vec3_cross_add(const double *a, const double *b, double *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}
TD_INLINE void td_mat3_vec(const double *A, const double *x, double *out) {
  double r0 = td_vec3_dot(A, x), r1 = td_vec3_dot(A + 3, x), r2 = td_vec3_dot(A + 6, x);
  out[0] = r0, out[1] = r1, out[2] = r2;
}
TD_INLINE void td_mat3_tvec(const double *A, const double *x, double *out) {
  double r0 = A[0] * x[0] + A[3] * x[1] + A[6] * x[2], r1 = A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
         r2 = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
  out[0] = r0, out[1] = r1, out[2] = r2;
}
/// out = A B, out must not alias
TD_INLINE void td_mat3_mul(const double *A, const double *B, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
/// out = Ad_g x: a twist in the frame g, seen in the parent frame.
TD_INLINE void td_adjoint(const td_se3 *g, const double *x, double *out) {
  double w[3], v[3];
  td_mat3_vec(g->R, x, w);
  td_mat3_vec(g->R, x + 3, v);
  td_vec3_cross_add(g->p, w, v);
  for (int i = 0; i < 3; i++) out[i] = w[i], out[3 + i] = v[i];
}
/// out += [a, b] = ad_a b of twists
TD_INLINE void td_bracket_add(const double *a, const double *b, double *out) {
  td_vec3_cross_add(a, b, out);
  td_vec3_cross_add(a, b + 3, out + 3);
  td_vec3_cross_add(a + 3, b, out + 3);
}
/// out += a x* F: how a wrench (m, f) turns with twist a
TD_INLINE void td_cobracket_add(const double *a, const double *F, double *out) {
  td_vec3_cross_add(a, F, out);
  td_vec3_cross_add(a + 3, F + 3, out);
  td_vec3_cross_add(a, F + 3, out + 3);
}
TD_INLINE double td_dot6(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

#endif
