// Rank, range and QR of matrices whose rank is known: random factors of every size, columns of very different lengths.
#include "math/product.h"
#include "math/range.h"
#include "support/suite.h"
#include "support/tree.h"
#include <math.h>
#include <string.h>

enum { MOST = 48 };
static double A[MOST * MOST], F[MOST * MOST], P[MOST * MOST], work[4 * MOST * MOST];

static int padded(int n) { return (n + 7) / 8 * 8; }

// A [r][ld] = product of random [r][rank] and [rank][n]; column j is scaled by 10^(-4 j/n).
static void fill(uint64_t *seed, int r, int n, int rank) {
  static double left[MOST * MOST], right[MOST * MOST];
  tree_random_vector(seed, 1, r * rank, left);
  tree_random_vector(seed, 1, rank * n, right);
  memset(A, 0, sizeof A);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < rank; k++)
        A[i * padded(n) + j] += left[i * rank + k] * right[k * n + j] * pow(10, -4.0 * j / n);
}

static void check_orthonormal(int rows, int columns, int ld, const double *Q) {
  for (int a = 0; a < columns; a++)
    for (int b = 0; b <= a; b++) {
      double dot = 0;
      for (int i = 0; i < rows; i++) dot += Q[i * ld + a] * Q[i * ld + b];
      ck_assert_msg(fabs(dot - (a == b)) < 1e-13, "columns %d and %d of %d x %d: %g", a, b, rows, columns, dot);
    }
}

static void check_basis(uint64_t *seed, int r, int n, int rank) {
  int ld = padded(n), ldp = padded(r < n ? r : n);
  fill(seed, r, n, rank);
  memcpy(F, A, sizeof A);
  for (int i = 0; i < MOST * MOST; i++) P[i] = NAN;
  ck_assert_int_eq(td_range_basis(r, n, ld, F, 1e-9, ldp, P, work), rank);
  check_orthonormal(r, rank, ldp, P);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++) { // A = P (P^T A)
      double sum = -A[i * ld + j];
      for (int k = 0; k < rank; k++) sum += P[i * ldp + k] * F[k * ld + j];
      ck_assert_msg(fabs(sum) <= 1e-13 * r * rank, "%d x %d of rank %d: [%d][%d] off by %g", r, n, rank, i, j, sum);
    }
}

START_TEST(a_basis_spans_the_columns_and_has_as_many_vectors_as_the_rank) {
  uint64_t seed = tree_seed("range");
  for (int r = 1; r <= 31; r += 3)
    for (int n = 1; n <= 41; n += 4)
      for (int rank = 0; rank <= (r < n ? r : n); rank += 1 + rank / 2) check_basis(&seed, r, n, rank);
}
END_TEST

// Columns that differ by 1e-6 only: once is not enough.
START_TEST(columns_become_orthonormal_to_rounding_however_parallel_they_are) {
  static double B[MOST * MOST], Q[MOST * MOST], R[MOST * MOST];
  uint64_t seed = tree_seed("columns");
  for (int k = 1; k <= 23; k += 2) {
    int n = 37, ld = padded(k);
    memset(B, 0, sizeof B);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < k; j++) B[i * ld + j] = cos(i) + 1e-6 * tree_random(&seed);
    memcpy(Q, B, sizeof B);
    td_orthonormal_columns(n, k, ld, Q, R, work);
    check_orthonormal(n, k, ld, Q);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < k; j++) {
        double sum = -B[i * ld + j];
        for (int l = 0; l <= j; l++) sum += Q[i * ld + l] * R[l * ld + j];
        ck_assert_double_le(fabs(sum), 1e-14 * k);
      }
  }
}
END_TEST

START_TEST(triangular_solves_undo_the_triangle) {
  static double R[MOST * MOST], X[MOST * MOST], Y[MOST * MOST];
  uint64_t seed = tree_seed("triangle");
  for (int k = 1; k <= 19; k++) {
    int ld = padded(k), columns = 16;
    tree_random_vector(&seed, 1, k * ld, R);
    for (int i = 0; i < k; i++) R[i * ld + i] += 4;
    for (int transposed = 0; transposed < 2; transposed++) {
      tree_random_vector(&seed, 1, k * columns, X);
      memset(Y, 0, sizeof Y);
      for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
          for (int c = 0; c < columns; c++)
            if (transposed ? j <= i : j >= i)
              Y[i * columns + c] += (transposed ? R[j * ld + i] : R[i * ld + j]) * X[j * columns + c];
      (transposed ? td_triangular_forward : td_triangular_backward)(k, ld, R, columns, columns, Y);
      for (int i = 0; i < k * columns; i++) ck_assert_double_le(fabs(X[i] - Y[i]), 1e-12);
    }
  }
}
END_TEST

START_TEST(products_are_the_sums_they_stand_for) {
  static double X[MOST * MOST], Y[MOST * MOST], Z[MOST * MOST];
  uint64_t seed = tree_seed("product");
  for (int rows = 1; rows <= 11; rows++)
    for (int inner = 1; inner <= 9; inner += 2)
      for (int columns = 8; columns <= 40; columns += 8)
        for (int transposed = 0; transposed < 2; transposed++) {
          int ai = transposed ? 1 : inner, ak = transposed ? rows : 1;
          tree_random_vector(&seed, 1, rows * inner, A);
          tree_random_vector(&seed, 1, inner * columns, X);
          tree_random_vector(&seed, 1, rows * columns, Y);
          memcpy(Z, Y, sizeof Y);
          td_multiply_add(rows, inner, columns, -0.5, A, ai, ak, X, columns, Y, columns);
          for (int i = 0; i < rows; i++)
            for (int c = 0; c < columns; c++) {
              double sum = Z[i * columns + c];
              for (int k = 0; k < inner; k++) sum -= 0.5 * A[i * ai + k * ak] * X[k * columns + c];
              ck_assert_double_le(fabs(sum - Y[i * columns + c]), 1e-14);
            }
        }
}
END_TEST

TEST_MAIN("range", a_basis_spans_the_columns_and_has_as_many_vectors_as_the_rank,
          columns_become_orthonormal_to_rounding_however_parallel_they_are, triangular_solves_undo_the_triangle,
          products_are_the_sums_they_stand_for)
