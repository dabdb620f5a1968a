// The maps of SE(3) as plain power series of 6x6 matrices in quadruple precision: slow, blind to every closed form, and
// what the tests of engine/lie hold the engine against. 6-vectors are angular first. Good to about 20 rad: the largest
// term is then e^20, and 34 digits leave 25.
#ifndef TENDRIL_TEST_SERIES_H
#define TENDRIL_TEST_SERIES_H

#include <string.h>

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else // of 128 bits there, too
typedef long double quad;
#endif

enum { SERIES_TERMS = 120 };
#define SERIES_END ((quad)1e-40)

static inline quad quad_abs(quad x) { return x < 0 ? -x : x; }
static inline quad quad_from(double x) { return (quad)x; }

/// A = ad_x, the matrix of the bracket [x, .]: [w^ 0; v^ w^].
static inline void series_ad(const quad x[6], quad A[36]) {
  memset(A, 0, 36 * sizeof *A);
  for (int block = 0; block < 3; block++) { // top left, bottom right: w^; bottom left: v^
    const quad *a = block < 2 ? x : x + 3;
    quad *at = A + (block ? 18 : 0) + (block == 1 ? 3 : 0);
    at[1] = -a[2], at[2] = a[1], at[6] = a[2], at[8] = -a[0], at[12] = -a[1], at[13] = a[0];
  }
}
static inline void series_transpose(quad A[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      quad kept = A[6 * i + j];
      A[6 * i + j] = A[6 * j + i], A[6 * j + i] = kept;
    }
}
/// out += A x
static inline void series_times(const quad A[36], const quad x[6], quad out[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (A[6 * i + j] != 0 && x[j] != 0) out[i] += A[6 * i + j] * x[j]; // arithmetic is slow, most entries are zero
}

/// f(A) x with f(A) = sum_k A^k / (k + shift)!: the exponential for shift 0, the tangent for shift 1. With it, term by
/// term, its derivatives along B, along C, and along both:
///   out[0] = f x,  out[1] = df[B] x,  out[2] = df[C] x,  out[3] = d2f[B, C] x.
static inline void series_sum(int shift, const quad A[36], const quad B[36], const quad C[36], const quad x[6],
                              quad out[4][6]) {
  quad power[4][6] = {{0}}, weight = 1, moved = 1;
  memcpy(power[0], x, sizeof power[0]);
  memset(out, 0, 4 * sizeof *out);
  for (int k = 2; k <= shift; k++) weight /= k;
  for (int k = 0; k < SERIES_TERMS && moved > SERIES_END; k++) {
    quad next[4][6] = {{0}};
    moved = 0;
    for (int d = 0; d < 4; d++)
      for (int i = 0; i < 6; i++) {
        out[d][i] += weight * power[d][i];
        moved = k < 4 ? 1 : moved + quad_abs(weight * power[d][i]);
      }
    for (int d = 0; d < 4; d++) series_times(A, power[d], next[d]);
    series_times(B, power[0], next[1]);
    series_times(C, power[0], next[2]);
    series_times(B, power[2], next[3]);
    series_times(C, power[1], next[3]);
    memcpy(power, next, sizeof power);
    weight /= k + 1 + shift;
  }
}

/// exp(x) = (R, p): R = sum w^k / k!, p = sum w^k v / (k+1)!.
static inline void series_exp(const double x[6], quad R[9], quad p[3]) {
  const quad w[6] = {x[0], x[1], x[2]}, v[6] = {x[3], x[4], x[5]}, zero[36] = {0};
  quad A[36], out[4][6];
  series_ad(w, A);
  for (int j = 0; j < 3; j++) {
    quad unit[6] = {0};
    unit[j] = 1;
    series_sum(0, A, zero, zero, unit, out);
    for (int i = 0; i < 3; i++) R[3 * i + j] = out[0][i];
  }
  series_sum(1, A, zero, zero, v, out);
  for (int i = 0; i < 3; i++) p[i] = out[0][i];
}

/// The k-th derivative of c_n(s) = sum_j (-s)^j / (2j+n)! with respect to s, term by term.
static inline quad series_c(int n, int k, double s) {
  quad sum = 0, weight = 1; // of the term j: (-1)^j j!/(j-k)! s^(j-k) / (2j+n)!
  for (int i = 2; i <= 2 * k + n; i++) weight /= i;
  for (int i = 2; i <= k; i++) weight *= i;
  if (k % 2) weight = -weight;
  for (int j = k; j < SERIES_TERMS / 2; j++) {
    sum += weight;
    weight *= -quad_from(s) * (j + 1) / (quad_from(j + 1 - k) * (2 * j + n + 1) * (2 * j + n + 2));
  }
  return sum;
}

#endif
