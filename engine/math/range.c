// Range of a matrix and QR of tall ones, row-major and vectorised along the rows (Golub & Van Loan, 5.2 and 5.4).
//
// td_range_basis applies each reflection H = 1 - beta v v^T to all columns at once: w = v^T A, A -= beta v w. Column
// lengths are summed anew at every step (they cost as much as the reflection itself), so that the rank decision needs
// no updating rule.
#include "math/range.h"
#include "math/lanes.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static td_vecu *at(double *row, int column) { return (td_vecu *)(row + column); }

// Index of the longest column of rows [k, r), its squared length in *square. `sums` [ld] scratch.
static int longest_column(int k, int r, int n, int ld, double *A, double *sums, double *square) {
  for (int c = 0; c < ld; c += TD_LANES) {
    td_vec sum = td_splat(0);
    for (int i = k; i < r; i++) sum += *at(A + i * ld, c) * *at(A + i * ld, c);
    *at(sums, c) = sum;
  }
  int best = 0;
  for (int c = 1; c < n; c++)
    if (sums[c] > sums[best]) best = c;
  *square = sums[best];
  return best;
}

// X [r][ld] rows [k, r) -= v (v^T X), v [r].
static void reflect(int k, int r, int ld, const double *v, double *X) {
  for (int c = 0; c < ld; c += TD_LANES) {
    td_vec w = td_splat(0);
    for (int i = k; i < r; i++) w += v[i] * *at(X + i * ld, c);
    for (int i = k; i < r; i++) *at(X + i * ld, c) -= v[i] * w;
  }
}

// v with sqrt(2) / |v| folded in, for the column x (rows [k, r), squared length `square`).
static void reflector(int k, int r, int ld, const double *x, double square, double *v) {
  double first = x[k * ld], alpha = first > 0 ? -sqrt(square) : sqrt(square);
  double scale = 1 / sqrt(square - first * alpha); // |v|^2 / 2 = square - first alpha
  for (int i = k; i < r; i++) v[i] = x[i * ld] * scale;
  v[k] = (first - alpha) * scale;
}

int td_range_basis(int r, int n, int ld, double *A, double tolerance, int ldp, double *P, double *work) {
  assert(ld >= n && ld % TD_LANES == 0 && ldp >= (r < n ? r : n) && ldp % TD_LANES == 0);
  assert(tolerance >= 0 && tolerance < 1 && A != P);
  double longest = 0, square, *V = work + ld;
  int rank = 0, most = r < n ? r : n;
  for (; rank < most; rank++) {
    int pivot = longest_column(rank, r, n, ld, A, work, &square);
    if (rank == 0) longest = sqrt(square);
    if (!(sqrt(square) > tolerance * longest)) break;
    reflector(rank, r, ld, A + pivot, square, V + rank * r);
    reflect(rank, r, ld, V + rank * r, A);
    for (int i = rank + 1; i < r; i++) A[i * ld + pivot] = 0;
  }
  memset(P, 0, (size_t)(r * ldp) * sizeof *P);
  for (int k = rank - 1; k >= 0; k--) { // P = H_0 … H_(rank-1) on the first unit vectors
    P[k * ldp + k] = 1;
    reflect(k, r, ldp, V + k * r, P);
  }
  return rank;
}

// One pass of modified Gram-Schmidt, right-looking: all later columns lose their part along column j at once.
static void gram_schmidt(int n, int k, int ldb, double *B, double *R) {
  memset(R, 0, (size_t)(k * ldb) * sizeof *R);
  for (int j = 0; j < k; j++) {
    double square = 0;
    for (int i = 0; i < n; i++) square += B[i * ldb + j] * B[i * ldb + j];
    double length = sqrt(square), inverse = length > 0 ? 1 / length : 0;
    double *row = R + j * ldb;
    for (int i = 0; i < n; i++) B[i * ldb + j] *= inverse;
    for (int c = j / TD_LANES * TD_LANES; c < k; c += TD_LANES) {
      td_vec sum = td_splat(0);
      for (int i = 0; i < n; i++) sum += B[i * ldb + j] * *at(B + i * ldb, c);
      for (int l = 0; l < TD_LANES; l++) row[c + l] = c + l > j && c + l < k ? sum[l] : 0;
      sum = *at(row, c);
      for (int i = 0; i < n; i++) *at(B + i * ldb, c) -= B[i * ldb + j] * sum;
    }
    row[j] = length;
  }
}

void td_orthonormal_columns(int n, int k, int ldb, double *B, double *R, double *work) {
  assert(k <= n && k <= ldb); // more columns than rows would depend on each other
  double *again = work, *column = work + ldb * ldb;
  gram_schmidt(n, k, ldb, B, R);
  gram_schmidt(n, k, ldb, B, again);
  for (int j = 0; j < k; j++) { // R = again R
    for (int i = 0; i <= j; i++) {
      column[i] = 0;
      for (int l = i; l <= j; l++) column[i] += again[i * ldb + l] * R[l * ldb + j];
    }
    for (int i = 0; i <= j; i++) R[i * ldb + j] = column[i];
  }
}

void td_triangular_forward(int k, int ldr, const double *R, int columns, int ldx, double *X) {
  assert(k <= ldr && columns <= ldx && R != X);
  for (int c = 0; c < columns; c += TD_LANES)
    for (int i = 0; i < k; i++) {
      td_vec sum = *at(X + i * ldx, c);
      for (int j = 0; j < i; j++) sum -= R[j * ldr + i] * *at(X + j * ldx, c);
      *at(X + i * ldx, c) = sum / R[i * ldr + i];
    }
}

void td_triangular_backward(int k, int ldr, const double *R, int columns, int ldx, double *X) {
  assert(k <= ldr && columns <= ldx && R != X);
  for (int c = 0; c < columns; c += TD_LANES)
    for (int i = k - 1; i >= 0; i--) {
      td_vec sum = *at(X + i * ldx, c);
      for (int j = i + 1; j < k; j++) sum -= R[i * ldr + j] * *at(X + j * ldx, c);
      *at(X + i * ldx, c) = sum / R[i * ldr + i];
    }
}
