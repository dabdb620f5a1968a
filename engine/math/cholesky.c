// Cholesky M = U^T U on rows: right-looking update of the trailing rows, vectorised along the row; the solves keep a
// block of right-hand sides in registers and find 1/U_kk on the diagonal. Up to 128 rows our kernels win (n = 80: 62 us
// against 94 us for dfd of a chain), OpenBLAS above.
#include "math/cholesky.h"
#include "math/lanes.h"
#include "math/lapack.h"
#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

enum { BLAS_FROM = 128 };

// Row-major upper = column-major lower.
static td_status factor_lapack(int n, int ld, double *U) {
  int info = 0;
  dpotrf_("L", &n, U, &ld, &info);
  for (int k = 0; !info && k < n; k++)
    info = !(U[k * ld + k] > 0) || !isfinite(U[k * ld + k]); // OpenBLAS lets NaN pass
  return info ? TD_SINGULAR : TD_OK;
}

static td_status factor_own(int n, int ld, double *U) {
  for (int k = 0; k < n; k++) {
    double *row = U + k * ld;
    if (!(row[k] > 0) || !isfinite(row[k])) return TD_SINGULAR;
    double inverse = 1 / sqrt(row[k]);
    int first = k / TD_LANES * TD_LANES;
    for (int j = first; j < ld; j += TD_LANES) *(td_vecu *)(row + j) *= inverse;
    row[k] = inverse;
    for (int i = k + 1; i < n; i++) {
      double f = row[i];
      double *to = U + i * ld;
      for (int j = i / TD_LANES * TD_LANES; j < ld; j += TD_LANES) *(td_vecu *)(to + j) -= f * *(td_vecu *)(row + j);
    }
  }
  return TD_OK;
}

td_status td_spd_factor(int n, int ldm, const double *M, int ld, double *U) {
  assert(n >= 0 && ldm >= n && ld >= n && ld % TD_LANES == 0);
  for (int i = 0; i < n; i++) {
    memcpy(U + i * ld, M + i * ldm, (size_t)n * sizeof *U);
    for (int j = n; j < ld; j++) U[i * ld + j] = 0;
  }
  return n < BLAS_FROM ? factor_own(n, ld, U) : factor_lapack(n, ld, U);
}

// Our own factor has 1/U_kk on its diagonal, LAPACK's U_kk.
bool td_spd_above(int n, int ldm, const double *M, int ld, const double *U, double least) {
  assert(least >= 0 && least < 1);
  bool above = true;
  for (int k = 0; k < n; k++) {
    double root = n < BLAS_FROM ? 1 / U[k * ld + k] : U[k * ld + k];
    above &= root * root > least * M[k * ldm + k];
  }
  return above;
}

static void forward_own(int n, int ld, const double *U, double *x) {
  for (int k = 0; k < n; k++) {
    const double *row = U + k * ld;
    double f = x[k] *= row[k];
    for (int j = k + 1; j < n; j++) x[j] -= row[j] * f;
  }
}

static void backward_own(int n, int ld, const double *U, double *x) {
  for (int k = n - 1; k >= 0; k--) {
    const double *row = U + k * ld;
    td_vec lanes = td_splat(0);
    double sum = 0;
    int j = k + 1;
    for (; j + TD_LANES <= n; j += TD_LANES) lanes += *(const td_vecu *)(row + j) * *(const td_vecu *)(x + j);
    for (; j < n; j++) sum += row[j] * x[j];
    for (int l = 0; l < TD_LANES; l++) sum += lanes[l];
    x[k] = (x[k] - sum) * row[k];
  }
}

void td_spd_forward(int n, int ld, const double *U, double *x) {
  if (n < BLAS_FROM)
    forward_own(n, ld, U, x);
  else
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, n, U, ld, x, 1);
}

void td_spd_backward(int n, int ld, const double *U, double *x) {
  if (n < BLAS_FROM)
    backward_own(n, ld, U, x);
  else
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, U, ld, x, 1);
}

void td_spd_solve(int n, int ld, const double *U, double *x) {
  td_spd_forward(n, ld, U, x);
  td_spd_backward(n, ld, U, x);
}

// Up to four vectors of right-hand sides at once: U^T y = b downwards, U x = y upwards.
TD_INLINE void forward_block(int n, int ld, const double *U, int vectors, int ldx, double *X) {
  for (int i = 0; i < n; i++) {
    td_vec sum[4];
    for (int v = 0; v < vectors; v++) sum[v] = *(td_vecu *)(X + i * ldx + TD_LANES * v);
    for (int k = 0; k < i; k++)
      for (int v = 0; v < vectors; v++) sum[v] -= U[k * ld + i] * *(td_vecu *)(X + k * ldx + TD_LANES * v);
    double inverse = U[i * ld + i];
    for (int v = 0; v < vectors; v++) *(td_vecu *)(X + i * ldx + TD_LANES * v) = sum[v] * inverse;
  }
}

TD_INLINE void backward_block(int n, int ld, const double *U, int vectors, int ldx, double *X) {
  for (int i = n - 1; i >= 0; i--) {
    td_vec sum[4];
    for (int v = 0; v < vectors; v++) sum[v] = *(td_vecu *)(X + i * ldx + TD_LANES * v);
    for (int k = i + 1; k < n; k++)
      for (int v = 0; v < vectors; v++) sum[v] -= U[i * ld + k] * *(td_vecu *)(X + k * ldx + TD_LANES * v);
    double inverse = U[i * ld + i];
    for (int v = 0; v < vectors; v++) *(td_vecu *)(X + i * ldx + TD_LANES * v) = sum[v] * inverse;
  }
}

enum { FORWARD = 1, BACKWARD = 2 };

TD_INLINE void solve_block(int n, int ld, const double *U, int vectors, int which, int ldx, double *X) {
  if (which & FORWARD) forward_block(n, ld, U, vectors, ldx, X);
  if (which & BACKWARD) backward_block(n, ld, U, vectors, ldx, X);
}

static void solve_blocks(int n, int ld, const double *U, int columns, int which, int ldx, double *X) {
  int c = 0;
  for (; c + 4 * TD_LANES <= columns; c += 4 * TD_LANES) solve_block(n, ld, U, 4, which, ldx, X + c);
  for (; c < columns; c += TD_LANES) solve_block(n, ld, U, 1, which, ldx, X + c);
}

static void solve_many(int n, int ld, const double *U, int columns, int which, int ldx, double *X) {
  assert(columns >= 0 && columns <= ldx && ldx % TD_LANES == 0 && ld >= n);
  if (n < BLAS_FROM) {
    solve_blocks(n, ld, U, columns, which, ldx, X);
    return;
  }
  if (which & FORWARD)
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, columns, 1, U, ld, X, ldx);
  if (which & BACKWARD)
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, n, columns, 1, U, ld, X, ldx);
}

void td_spd_forward_many(int n, int ld, const double *U, int columns, int ldx, double *X) {
  solve_many(n, ld, U, columns, FORWARD, ldx, X);
}

void td_spd_backward_many(int n, int ld, const double *U, int columns, int ldx, double *X) {
  solve_many(n, ld, U, columns, BACKWARD, ldx, X);
}

void td_spd_solve_many(int n, int ld, const double *U, int columns, int ldx, double *X) {
  solve_many(n, ld, U, columns, FORWARD | BACKWARD, ldx, X);
}
