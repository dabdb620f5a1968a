// Cholesky factors and solves by their residuals, computed in long double, on both sides of the change to LAPACK (256 rows).
//
// Bound (Higham, Accuracy and Stability, th. 10.4, with |U^T| |U| <= sqrt(m_ii m_jj)): the computed x solves (M + dM)
// x = b exactly with |dM_ij| <= gamma_(3n+1) sqrt(m_ii m_jj). It does not know the condition number, so neither do
// these tests. What lies below the diagonal and in the padding is not a number: it must not matter.
#include "math/cholesky.h"
#include "support/suite.h"
#include "support/tree.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { SIZE = 264, COLUMNS = 48 };

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,  13,  14,  15,  16,  17, 18,
                            19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,  30,  31,  32,  33,  34,  35, 36,
                            37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,  48,  49,  50,  51,  52,  53, 54,
                            55, 56, 57, 58, 59, 60, 63, 64, 65, 96, 120, 127, 128, 129, 255, 256, 257};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static int padded(int n) { return (n + 7) / 8 * 8; }

// Random M = D (B B^T + shift) D with D from 1 to 10^-grade; upper triangle only.
static void random_matrix(uint64_t *seed, int n, double shift, double grade, double *M) {
  static double B[SIZE * SIZE];
  int ld = padded(n);
  tree_random_vector(seed, 1, n * n, B);
  for (int i = 0; i < n * ld; i++) M[i] = NAN;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int k = 0; k < n; k++) sum += B[i * n + k] * B[j * n + k];
      M[i * ld + j] = sum * pow(10, -grade * (i * 7 % n + j * 7 % n) / n);
    }
}

static double entry(const double *M, int ld, int i, int j) { return i < j ? M[i * ld + j] : M[j * ld + i]; }

// Fails unless column c of X solves M x = b to rounding.
static void check_solution(int n, const double *M, int stride, const double *X, const double *b) {
  int ld = padded(n);
  for (int i = 0; i < n; i++) {
    long double residual = -(long double)b[i * stride], scale = 0;
    for (int j = 0; j < n; j++) {
      residual += (long double)entry(M, ld, i, j) * X[j * stride];
      scale += sqrtl((long double)M[i * ld + i] * M[j * ld + j]) * fabsl((long double)X[j * stride]);
    }
    double bound = (double)(scale * (3 * n + 4) * (DBL_EPSILON / 2));
    ck_assert_msg(fabsl(residual) <= bound, "n = %d: row %d is off by %.3Lg, allowed %.3g", n, i, residual, bound);
  }
}

// Exact sizes on the heap, so that a sanitizer sees a step beyond them.
static double *block(size_t count) {
  double *block = calloc(count, sizeof *block);
  ck_assert_ptr_nonnull(block);
  return block;
}

static void check_size(uint64_t *seed, int n, double shift, double grade) {
  int ld = padded(n);
  double *M = block((size_t)(n * ld)), *U = block((size_t)(n * ld)), *x = block((size_t)n), b[SIZE];
  random_matrix(seed, n, shift, grade, M);
  ck_assert_int_eq(td_spd_factor(n, ld, M, ld, U), TD_OK);
  for (int trial = 0; trial < 3; trial++) {
    tree_random_vector(seed, 1, n, b);
    memcpy(x, b, (size_t)n * sizeof *x);
    td_spd_solve(n, ld, U, x);
    check_solution(n, M, 1, x, b);
  }
  free(M), free(U), free(x);
}

START_TEST(a_solution_solves_its_system_to_rounding) {
  uint64_t seed = tree_seed("solve");
  for (int i = 0; i < SIZE_COUNT; i++) check_size(&seed, sizes[i], 1, 0);
}
END_TEST

START_TEST(rows_of_very_different_units_cost_no_digits) {
  uint64_t seed = tree_seed("graded");
  for (int i = 0; i < SIZE_COUNT; i++) check_size(&seed, sizes[i], 0.1, 6);
}
END_TEST

START_TEST(a_matrix_close_to_singular_still_has_small_residuals) {
  uint64_t seed = tree_seed("close");
  for (int i = 0; i < SIZE_COUNT; i++) check_size(&seed, sizes[i], 1e-10, 0);
}
END_TEST

static void check_many(uint64_t *seed, int n, int columns) {
  int ld = padded(n), ldx = padded(columns) + (columns % 3 ? 0 : 8);
  double *M = block((size_t)(n * ld)), *U = block((size_t)(n * ld)), *X = block((size_t)(n * ldx));
  static double B[SIZE * (COLUMNS + 8)];
  random_matrix(seed, n, 1, 2, M);
  ck_assert_int_eq(td_spd_factor(n, ld, M, ld, U), TD_OK);
  tree_random_vector(seed, 1, n * ldx, B);
  memcpy(X, B, (size_t)(n * ldx) * sizeof *X);
  td_spd_solve_many(n, ld, U, columns, ldx, X);
  for (int c = 0; c < columns; c++) check_solution(n, M, ldx, X + c, B + c);
  for (int i = 0; i < n; i++) // the second row of padding, when there is one, belongs to somebody else
    for (int c = padded(columns); c < ldx; c++) ck_assert_double_eq(X[i * ldx + c], B[i * ldx + c]);
  free(M), free(U), free(X);
}

START_TEST(every_column_of_many_is_solved) {
  uint64_t seed = tree_seed("many");
  static const int columns[] = {1, 3, 7, 8, 9, 16, 24, 31, 32, 33, 40, 47};
  for (int i = 0; i < SIZE_COUNT; i += 1 + i % 3)
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) check_many(&seed, sizes[i], columns[k]);
  check_many(&seed, 255, 24);
  check_many(&seed, 256, 24);
}
END_TEST

static td_status factor_with(int n, int pivot, double value, int coupled) {
  static double M[SIZE * SIZE], U[SIZE * SIZE];
  int ld = padded(n);
  for (int i = 0; i < n * ld; i++) M[i] = 0;
  for (int i = 0; i < n; i++) M[i * ld + i] = 4;
  M[pivot * ld + pivot] = value;
  if (coupled && pivot) M[pivot] = 4; // with row 0: the pivot becomes value - (4 / 2)^2, exactly
  return td_spd_factor(n, ld, M, ld, U);
}

// Diagonal 4 but for the last pivot, which is left of 4 after a row like it; all times `unit`.
static bool above(int n, double left, double unit, double least) {
  static double M[SIZE * SIZE], U[SIZE * SIZE];
  int ld = padded(n), last = n - 1;
  for (int i = 0; i < n * ld; i++) M[i] = 0;
  for (int i = 0; i < n; i++) M[i * ld + i] = 4 * unit;
  if (last) M[last] = M[last * ld] = 4 * unit * sqrt(1 - left / 4);
  ck_assert_int_eq(td_spd_factor(n, ld, M, ld, U), TD_OK);
  return td_spd_above(n, ld, M, ld, U, least);
}

START_TEST(pivots_are_compared_with_what_they_were_taken_from_whatever_the_unit) {
  static const double units[] = {1e-30, 1e-9, 1, 1e9, 1e30};
  for (int i = 0; i < SIZE_COUNT; i++)
    for (int k = 0; k < 5; k++) {
      ck_assert_msg(above(sizes[i], 4e-6, units[k], 1e-7), "%d rows, unit %g", sizes[i], units[k]);
      ck_assert_msg(sizes[i] == 1 || !above(sizes[i], 4e-6, units[k], 1e-5), "%d rows, unit %g", sizes[i], units[k]);
    }
}
END_TEST

START_TEST(a_pivot_that_is_not_positive_is_refused) {
  static const int some[] = {1, 2, 7, 8, 9, 33, 60, 127, 128, 255, 256, 257};
  static const double bad[] = {0, -0.0, -1, -1e-300, -INFINITY, NAN};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    for (int n = some[i], pivot = 0; pivot < n; pivot += 1 + pivot * 3 / 4) {
      for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_msg(factor_with(n, pivot, bad[k], 0) == TD_SINGULAR, "n = %d: pivot %d = %g passed", n, pivot,
                      bad[k]);
      if (pivot) ck_assert_int_eq(factor_with(n, pivot, 4, 1), TD_SINGULAR);
      if (pivot) ck_assert_int_eq(factor_with(n, pivot, 4.001, 1), TD_OK);
      ck_assert_int_eq(factor_with(n, pivot, 1e-300, 0), TD_OK);
    }
}
END_TEST

START_TEST(a_factor_is_the_same_bits_every_time) {
  static double M[SIZE * SIZE], U[2][SIZE * SIZE], x[2][SIZE];
  uint64_t seed = tree_seed("bits");
  for (int i = 0; i < SIZE_COUNT; i++) {
    int n = sizes[i], ld = padded(n);
    random_matrix(&seed, n, 1, 3, M);
    tree_random_vector(&seed, 1, n, x[0]);
    memcpy(x[1], x[0], sizeof x[0]);
    for (int k = 0; k < 2; k++) {
      ck_assert_int_eq(td_spd_factor(n, ld, M, ld, U[k]), TD_OK);
      td_spd_solve(n, ld, U[k], x[k]);
    }
    ck_assert_mem_eq(x[0], x[1], (size_t)n * sizeof(double));
  }
}
END_TEST

// Whoever looks in between solves for some columns after the others (td_solve_end).
START_TEST(a_column_has_the_same_bits_whatever_stands_beside_it) {
  static double M[SIZE * SIZE], U[SIZE * SIZE], X[SIZE * COLUMNS], alone[SIZE * 8];
  uint64_t seed = tree_seed("beside");
  for (int i = 0; i < SIZE_COUNT && sizes[i] < 256; i++) {
    int n = sizes[i], ld = padded(n);
    random_matrix(&seed, n, 1, 3, M);
    ck_assert_int_eq(td_spd_factor(n, ld, M, ld, U), TD_OK);
    tree_random_vector(&seed, 1, n * COLUMNS, X);
    int c = 8 * (i % (COLUMNS / 8));
    for (int row = 0; row < n; row++) memcpy(alone + row * 8, X + row * COLUMNS + c, 8 * sizeof *X);
    td_spd_solve_many(n, ld, U, COLUMNS, COLUMNS, X);
    td_spd_solve_many(n, ld, U, 8, 8, alone);
    for (int row = 0; row < n; row++)
      ck_assert_msg(!memcmp(alone + row * 8, X + row * COLUMNS + c, 8 * sizeof *X), "%d rows: row %d", n, row);
  }
}
END_TEST

TEST_MAIN("cholesky", a_solution_solves_its_system_to_rounding, rows_of_very_different_units_cost_no_digits,
          a_matrix_close_to_singular_still_has_small_residuals, every_column_of_many_is_solved,
          a_pivot_that_is_not_positive_is_refused, pivots_are_compared_with_what_they_were_taken_from_whatever_the_unit,
          a_factor_is_the_same_bits_every_time, a_column_has_the_same_bits_whatever_stands_beside_it)
