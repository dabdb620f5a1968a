// The left tangent T of the exponential of SE(3) and its derivatives, eight intervals at a time.
//
// T(Omega) = sum_k ad_Omega^k / (k+1)!, so that d exp(Omega) exp(-Omega) = T dOmega. Over the dual numbers
// (math/lanes.h) T is the left Jacobian of SO(3), with entire functions of s = w.w:
//     J(w) = 1 + b w^ + c w^ w^,  b = c_2(s),  c = c_3(s),  c_n(s) = sum_j (-s)^j / (2j+n)!
// Their derivatives follow from dc_n/ds = (n c_{n+2} - c_{n+1}) / 2, so that no formula here divides by the angle and
// none has a switch at small angles. Up to 3.2 rad the two highest c_n come from their series and the rest by
// c_n = 1/n! - s c_{n+2} (downwards, stable); above, upwards from cos and sin. Replaces (C19)-(C29) of Mathew2025.
#ifndef TENDRIL_LIE_TANGENT_H
#define TENDRIL_LIE_TANGENT_H

#include "math/lanes.h"
#include <math.h>

enum { TD_SERIES_LIMIT = 10 }; ///< series for s = theta^2 up to this (3.16 rad)

/// b, c and their derivatives with respect to s up to the third; sine = c_1 and versine = c_2 of the exponential
/// itself.
typedef struct td_coefficients {
  td_vec b[4], c[4], sine;
} td_coefficients;

TD_INLINE void td_coefficients_from(const td_vec *cn, td_coefficients *out) {
  out->sine = cn[1];
  out->b[0] = cn[2];
  out->b[1] = 0.5 * (2.0 * cn[4] - cn[3]);
  out->b[2] = 0.25 * (8.0 * cn[6] - 5.0 * cn[5] + cn[4]);
  out->b[3] = 0.125 * (48.0 * cn[8] - 33.0 * cn[7] + 9.0 * cn[6] - cn[5]);
  out->c[0] = cn[3];
  out->c[1] = 0.5 * (3.0 * cn[5] - cn[4]);
  out->c[2] = 0.25 * (15.0 * cn[7] - 7.0 * cn[6] + cn[5]);
  out->c[3] = 0.125 * (105.0 * cn[9] - 57.0 * cn[8] + 12.0 * cn[7] - cn[6]);
}

/// Lanes above the limit, where the sums above cancel like theta^-k: from dc_n/ds = (c_{n-1} - n c_n) / 2s instead,
///   c_n^(k+1) = (c_{n-1}^(k) / 2 - (n/2 + k) c_n^(k)) / s,   c_0' = -c_1 / 2.
TD_INLINE void td_coefficients_above(td_vec s, const td_vec *cn, td_coefficients *out) {
  for (int l = 0; l < TD_LANES; l++) {
    if (!(s[l] > TD_SERIES_LIMIT)) continue;
    double d[4] = {cn[0][l], cn[1][l], cn[2][l], cn[3][l]}, inverse = 1 / s[l];
    for (int k = 0; k < 3; k++) {
      double d0 = -0.5 * d[1];
      for (int n = 3; n > 0; n--) d[n] = (0.5 * d[n - 1] - (0.5 * n + k) * d[n]) * inverse;
      d[0] = d0;
      out->b[k + 1][l] = d[2], out->c[k + 1][l] = d[3];
    }
  }
}

/// cn[0 … 9] at s, every lane.
TD_INLINE void td_cn(td_vec s, td_vec *cn) {
  // 1/(2j+8)! and 1/(2j+9)! for j = 0 … 11, signs alternating: at s = 10 the first term left out is below 1e-24.
  static const double EVEN[12] = {
      2.48015873015873015873e-05, -2.75573192239858906526e-07, 2.08767569878680989792e-09, -1.14707455977297247139e-11,
      4.77947733238738529744e-14, -1.56192069685862264622e-16, 4.11031762331216485848e-19, -8.89679139245057328674e-22,
      1.61173757109611834905e-24, -2.47959626322479746009e-27, 3.27988923706983791015e-30, -3.76998762881590563231e-33};
  static const double ODD[12] = {2.75573192239858906526e-06,  -2.50521083854417187751e-08, 1.60590438368216145994e-10,
                                 -7.64716373181981647590e-13, 2.81145725434552076320e-15,  -8.22063524662432971696e-18,
                                 1.95729410633912612309e-20,  -3.86817017063068403772e-23, 6.44695028438447339620e-26,
                                 -9.18368986379554614843e-29, 1.13099628864477169315e-31,  -1.21612504155351794591e-34};
  static const double INVERSE_FACTORIAL[8] = {1, 1, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  td_vec even = td_splat(EVEN[11]), odd = td_splat(ODD[11]);
  for (int j = 10; j >= 0; j--) even = even * s + EVEN[j], odd = odd * s + ODD[j];
  cn[8] = even, cn[9] = odd;
  for (int n = 7; n >= 0; n--) cn[n] = INVERSE_FACTORIAL[n] - s * cn[n + 2];
  for (int l = 0; l < TD_LANES; l++) {
    if (!(s[l] > TD_SERIES_LIMIT)) continue;
    double theta = sqrt(s[l]);
    cn[0][l] = cos(theta), cn[1][l] = sin(theta) / theta;
    for (int n = 2; n < 10; n++) cn[n][l] = (INVERSE_FACTORIAL[n - 2] - cn[n - 2][l]) / s[l];
  }
}

/// What the maps below need of one Omega = w + e v.
typedef struct td_tangent {
  td_dvec omega;
  td_coefficients k;
  td_vec ds; ///< dual part of s: 2 w.v
} td_tangent;

TD_INLINE void td_tangent_at(const td_dvec *omega, td_tangent *t) {
  td_vec cn[10];
  t->omega = *omega;
  t->ds = 2.0 * td_v3_dot(omega->re, omega->du);
  td_vec s = td_v3_dot(omega->re, omega->re);
  td_cn(s, cn);
  td_coefficients_from(cn, &t->k);
  td_coefficients_above(s, cn, &t->k);
}
TD_INLINE td_dual td_tangent_b(const td_tangent *t, int k) { return (td_dual){t->k.b[k], t->k.b[k + 1] * t->ds}; }
TD_INLINE td_dual td_tangent_c(const td_tangent *t, int k) { return (td_dual){t->k.c[k], t->k.c[k + 1] * t->ds}; }

TD_INLINE void td_dmat_zero(td_dmat *m) {
  for (int i = 0; i < 9; i++) m->re[i] = m->du[i] = td_splat(0);
}
TD_INLINE td_dvec td_dvec_times(td_dual s, const td_dvec *x) {
  td_dvec out;
  for (int i = 0; i < 3; i++) out.re[i] = s.re * x->re[i], out.du[i] = s.re * x->du[i] + s.du * x->re[i];
  return out;
}

/// T = 1 + b w^ + c (w w^T - s)
TD_INLINE void td_tangent_matrix(const td_tangent *t, td_dmat *out) {
  td_dual c = td_tangent_c(t, 0), s = td_dvec_dot(&t->omega, &t->omega);
  td_dual cs = td_dual_mul(c, s);
  td_dvec cw = td_dvec_times(c, &t->omega);
  td_dmat_zero(out);
  td_dmat_add_identity(out, (td_dual){1.0 - cs.re, -cs.du});
  td_dmat_add_hat(out, td_tangent_b(t, 0), &t->omega);
  td_dmat_add_outer(out, &cw, &t->omega);
}

/// exp(Omega) = (R, p): R = 1 + c_1 w^ + c_2 w^ w^, p = J(w) v with J the real part of T.
TD_INLINE void td_tangent_exp(const td_tangent *t, const td_dmat *T, td_vec *R, td_vec *p) {
  const td_vec *w = t->omega.re;
  td_vec s = t->k.sine, c = t->k.b[0], diagonal = 1.0 - c * td_v3_dot(w, w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = c * w[i] * w[j];
  R[0] += diagonal, R[4] += diagonal, R[8] += diagonal;
  R[1] -= s * w[2], R[2] += s * w[1], R[3] += s * w[2], R[5] -= s * w[0], R[6] -= s * w[1], R[7] += s * w[0];
  for (int i = 0; i < 3; i++) p[i] = td_v3_dot(T->re + 3 * i, t->omega.du);
}

/// u = b_1 p + c_1 w x p: how b and c vary, times p = w x x; appears in every first derivative.
TD_INLINE td_dvec td_tangent_variation(const td_tangent *t, int k, const td_dvec *p) {
  td_dvec wp = td_dvec_cross(&t->omega, p), u = td_dvec_times(td_tangent_b(t, k), p);
  td_dvec_add(&u, td_tangent_c(t, k), &wp);
  return u;
}

/// dT(w)[y] x-independent: the derivative of T along y,  b y^ + c (y w^T + w y^T - 2 w.y) + 2 w.y (b_1 w^ + c_1 w^ w^).
TD_INLINE void td_tangent_rate(const td_tangent *t, const td_dvec *y, td_dmat *out) {
  td_dual wy = td_dvec_dot(&t->omega, y), two_wy = {2.0 * wy.re, 2.0 * wy.du};
  td_dual s = td_dvec_dot(&t->omega, &t->omega), c = td_tangent_c(t, 0);
  td_dual k = td_dual_mul(two_wy, td_tangent_c(t, 1)), ks = td_dual_mul(k, s), cwy = td_dual_mul(c, two_wy);
  td_dvec cw = td_dvec_times(c, &t->omega), left = td_dvec_times(k, &t->omega);
  td_dvec_add(&left, c, y);
  td_dmat_zero(out);
  td_dmat_add_hat(out, td_tangent_b(t, 0), y);
  td_dmat_add_hat(out, td_dual_mul(two_wy, td_tangent_b(t, 1)), &t->omega);
  td_dmat_add_outer(out, &left, &t->omega);
  td_dmat_add_outer(out, &cw, y);
  td_dmat_add_identity(out, (td_dual){-ks.re - cwy.re, -ks.du - cwy.du});
}

/// d(T x)/dOmega = -b x^ + c (w x^T - 2 x w^T + w.x) + 2 u w^T;  sign = -1 gives d(T^T f)/dOmega of a wrench f.
TD_INLINE void td_tangent_derivative(const td_tangent *t, const td_dvec *x, double sign, td_dmat *out) {
  td_dual b = td_tangent_b(t, 0), c = td_tangent_c(t, 0), b1 = td_tangent_b(t, 1);
  td_dvec p = td_dvec_cross(&t->omega, x), wp = td_dvec_cross(&t->omega, &p);
  td_dvec left = td_dvec_times((td_dual){2.0 * sign * b1.re, 2.0 * sign * b1.du}, &p);
  td_dvec_add(&left, td_dual_scale(td_splat(2.0), td_tangent_c(t, 1)), &wp);
  td_dvec_add(&left, td_dual_scale(td_splat(-2.0), c), x);
  td_dvec cw = td_dvec_times(c, &t->omega);
  td_dmat_zero(out);
  td_dmat_add_hat(out, (td_dual){-sign * b.re, -sign * b.du}, x);
  td_dmat_add_outer(out, &cw, x);
  td_dmat_add_outer(out, &left, &t->omega);
  td_dmat_add_identity(out, td_dual_mul(c, td_dvec_dot(&t->omega, x)));
}

/// T' y with T' the rate of T along y:  c y x p + 2 w.y (b_1 p + c_1 w x p),  p = w x y.
TD_INLINE td_dvec td_tangent_rate_times(const td_tangent *t, const td_dvec *y) {
  td_dvec p = td_dvec_cross(&t->omega, y), yp = td_dvec_cross(y, &p), u = td_tangent_variation(t, 1, &p);
  td_dvec out = td_dvec_times(td_tangent_c(t, 0), &yp);
  td_dvec_add(&out, td_dual_scale(td_splat(2.0), td_dvec_dot(&t->omega, y)), &u);
  return out;
}

/// d(T' y)/dOmega at fixed y:
///     2 c_1 (y x p) w^T - c y^ y^ + 2 u y^T + 2 w.y (2 u_2 w^T - b_1 y^ + c_1 (w y^T - 2 y w^T + w.y)).
TD_INLINE void td_tangent_rate_derivative(const td_tangent *t, const td_dvec *y, td_dmat *out) {
  td_dual c = td_tangent_c(t, 0), c1 = td_tangent_c(t, 1), b1 = td_tangent_b(t, 1), wy = td_dvec_dot(&t->omega, y);
  td_dual two_wy = td_dual_scale(td_splat(2.0), wy), k = td_dual_mul(two_wy, c1), yy = td_dvec_dot(y, y);
  td_dvec p = td_dvec_cross(&t->omega, y), yp = td_dvec_cross(y, &p);
  td_dvec u = td_tangent_variation(t, 1, &p), u2 = td_tangent_variation(t, 2, &p);
  td_dvec with_w = td_dvec_times(td_dual_scale(td_splat(2.0), c1), &yp);
  td_dvec_add(&with_w, td_dual_scale(td_splat(2.0), two_wy), &u2);
  td_dvec_add(&with_w, td_dual_scale(td_splat(-2.0), k), y);
  td_dvec with_y = td_dvec_times(k, &t->omega);
  td_dvec_add_real(&with_y, td_splat(2.0), &u);
  td_dvec_add(&with_y, (td_dual){-c.re, -c.du}, y);
  td_dual identity = td_dual_mul(c, yy), kwy = td_dual_mul(k, wy);
  td_dmat_zero(out);
  td_dmat_add_outer(out, &with_w, &t->omega);
  td_dmat_add_outer(out, &with_y, y);
  td_dual b1wy = td_dual_mul(two_wy, b1);
  td_dmat_add_hat(out, (td_dual){-b1wy.re, -b1wy.du}, y);
  td_dmat_add_identity(out, (td_dual){identity.re + kwy.re, identity.du + kwy.du});
}

#endif
