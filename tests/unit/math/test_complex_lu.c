// Factorisation of complex matrices, against the product with the matrix itself.
#include "math/complex_lu.h"
#include "support/suite.h"
#include <complex.h>
#include <math.h>

enum { MOST = 40 };

static double random_number(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed / 4294967296. - 0.5;
}

START_TEST(the_solution_times_the_matrix_is_the_right_hand_side) {
  static double a[MOST * MOST], b[MOST * MOST], x[MOST], y[MOST];
  static double complex matrix[MOST * MOST], rhs[MOST];
  unsigned seed = 5;
  for (int n = 1; n <= MOST; n += 3) {
    int pivot[MOST];
    for (int i = 0; i < n * n; i++) {
      a[i] = random_number(&seed);
      b[i] = random_number(&seed);
      if (i % (n + 1) == 0 && n > 1) a[i] = b[i] = 0; // pivoting is needed
      matrix[i] = a[i] + I * b[i];
    }
    for (int i = 0; i < n; i++) {
      x[i] = random_number(&seed);
      y[i] = random_number(&seed);
      rhs[i] = x[i] + I * y[i];
    }
    ck_assert(td_complex_lu_factor(n, a, b, pivot));
    td_complex_lu_solve(n, a, b, pivot, x, y);
    for (int i = 0; i < n; i++) {
      double complex sum = -rhs[i];
      for (int j = 0; j < n; j++) sum += matrix[i * n + j] * (x[j] + I * y[j]);
      ck_assert_double_lt(cabs(sum), 1e-11);
    }
  }
}
END_TEST

START_TEST(a_singular_matrix_is_refused) {
  double a[4] = {1, 2, 2, 4}, b[4] = {1, 2, 2, 4};
  int pivot[2];
  ck_assert(!td_complex_lu_factor(2, a, b, pivot));
}
END_TEST

TEST_MAIN("complex_lu", the_solution_times_the_matrix_is_the_right_hand_side, a_singular_matrix_is_refused)
