// Polynomials in four variables truncated at third order, one per lane: the Taylor arithmetic of local deformations.
//
// Coefficients of monomials, graded: 1; x_i; x_i x_j (i <= j); x_i x_j x_k (i <= j <= k). A value computed in this
// arithmetic from variables p + x holds all derivatives with respect to p up to third order: what velocities,
// accelerations and their derivatives along any motion p(t) need. `order` (1 … 3) is a compile-time constant after
// inlining.
#ifndef TENDRIL_MATH_POLY_H
#define TENDRIL_MATH_POLY_H

#include "math/lanes.h"

enum { TD_POLY_VARIABLES = 4, TD_POLY_SIZE = 35, TD_POLY_QUADRATIC = 5, TD_POLY_CUBIC = 15 };

typedef struct td_poly {
  td_vec c[TD_POLY_SIZE];
} td_poly;

/// Index of x_i x_j, and of x_l times the q-th quadratic monomial.
static const unsigned char td_poly_pair[4][4] = {{5, 6, 7, 8}, {6, 9, 10, 11}, {7, 10, 12, 13}, {8, 11, 13, 14}};
static const unsigned char td_poly_triple[4][10] = {{15, 16, 17, 18, 19, 20, 21, 22, 23, 24},
                                                    {16, 19, 20, 21, 25, 26, 27, 28, 29, 30},
                                                    {17, 20, 22, 23, 26, 28, 29, 31, 32, 33},
                                                    {18, 21, 23, 24, 27, 29, 30, 32, 33, 34}};

TD_INLINE int td_poly_size(int order) { return order == 1 ? 5 : order == 2 ? 15 : 35; }

TD_INLINE td_poly td_poly_constant(td_vec x, int order) {
  td_poly out;
  out.c[0] = x;
  for (int i = 1; i < td_poly_size(order); i++) out.c[i] = td_splat(0);
  return out;
}
/// x + the variable `i`
TD_INLINE td_poly td_poly_variable(td_vec x, int i, int order) {
  td_poly out = td_poly_constant(x, order);
  out.c[1 + i] = td_splat(1);
  return out;
}
TD_INLINE td_poly td_poly_add(const td_poly *a, const td_poly *b, int order) {
  td_poly out;
  for (int i = 0; i < td_poly_size(order); i++) out.c[i] = a->c[i] + b->c[i];
  return out;
}
TD_INLINE td_poly td_poly_scale(td_vec s, const td_poly *a, int order) {
  td_poly out;
  for (int i = 0; i < td_poly_size(order); i++) out.c[i] = s * a->c[i];
  return out;
}

TD_INLINE void td_poly_mul(const td_poly *a, const td_poly *b, int order, td_poly *out) {
  td_poly r;
  for (int i = 0; i < td_poly_size(order); i++) r.c[i] = a->c[0] * b->c[i];
  for (int i = 1; i < td_poly_size(order); i++) r.c[i] += a->c[i] * b->c[0];
  for (int i = 0; order >= 2 && i < 4; i++)
    for (int j = 0; j < 4; j++) r.c[td_poly_pair[i][j]] += a->c[1 + i] * b->c[1 + j];
  for (int i = 0; order >= 3 && i < 4; i++)
    for (int q = 0; q < 10; q++) r.c[td_poly_triple[i][q]] += a->c[1 + i] * b->c[5 + q] + a->c[5 + q] * b->c[1 + i];
  *out = r;
}

/// a (c + l_0 x_i + l_1 x_j): a polynomial times a linear one in two variables i, j.
TD_INLINE void td_poly_mul_linear(const td_poly *a, td_vec c, const td_vec l[2], const int variable[2], int order,
                                  td_poly *out) {
  td_poly r = td_poly_scale(c, a, order);
  for (int k = 0; k < 2; k++) {
    int i = variable[k];
    r.c[1 + i] += l[k] * a->c[0];
    for (int j = 0; order >= 2 && j < 4; j++) r.c[td_poly_pair[i][j]] += l[k] * a->c[1 + j];
    for (int q = 0; order >= 3 && q < 10; q++) r.c[td_poly_triple[i][q]] += l[k] * a->c[5 + q];
  }
  *out = r;
}

/// Powers 2 and 3 of a less its constant, for td_poly_compose.
typedef struct td_poly_powers {
  td_poly square, cube; ///< coefficients of their lowest degrees, 2 and 3, and above
} td_poly_powers;

TD_INLINE void td_poly_powers_of(const td_poly *a, int order, td_poly_powers *out) {
  for (int i = 5; i < td_poly_size(order); i++) out->square.c[i] = td_splat(0);
  for (int i = 0; order >= 2 && i < 4; i++)
    for (int j = 0; j < 4; j++) out->square.c[td_poly_pair[i][j]] += a->c[1 + i] * a->c[1 + j];
  if (order < 3) return;
  for (int i = 15; i < 35; i++) out->cube.c[i] = td_splat(0);
  for (int i = 0; i < 4; i++)
    for (int q = 0; q < 10; q++) {
      out->square.c[td_poly_triple[i][q]] += 2.0 * a->c[1 + i] * a->c[5 + q];
      out->cube.c[td_poly_triple[i][q]] += a->c[1 + i] * out->square.c[5 + q];
    }
}

/// f(a) from f and its derivatives at a's constant, f[0] … f[3], and the powers of a.
TD_INLINE void td_poly_compose(const td_vec f[4], const td_poly *a, const td_poly_powers *powers, int order,
                               td_poly *out) {
  td_vec half = 0.5 * f[2], sixth = f[3] / 6.0;
  td_poly r;
  r.c[0] = f[0];
  for (int i = 1; i < td_poly_size(order); i++) r.c[i] = f[1] * a->c[i];
  for (int i = 5; i < td_poly_size(order); i++) r.c[i] += half * powers->square.c[i];
  for (int i = 15; i < td_poly_size(order); i++) r.c[i] += sixth * powers->cube.c[i];
  *out = r;
}

// ---- derivatives of a polynomial at the expansion point

TD_INLINE td_vec td_poly_first(const td_poly *a, int i) { return a->c[1 + i]; }
TD_INLINE td_vec td_poly_second(const td_poly *a, int i, int j) {
  return (i == j ? 2.0 : 1.0) * a->c[td_poly_pair[i][j]];
}
TD_INLINE td_vec td_poly_third(const td_poly *a, int i, int j, int k) {
  double times = i == j && j == k ? 6 : i == j || j == k || i == k ? 2 : 1;
  return times * a->c[td_poly_triple[k][td_poly_pair[i][j] - TD_POLY_QUADRATIC]];
}

#endif
