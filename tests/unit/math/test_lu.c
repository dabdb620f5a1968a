// Factorisations of the solvers, in the sizes that our own loops handle and in those that LAPACK handles.
#include "math/lu.h"
#include "support/suite.h"
#include "support/tree.h"
#include <math.h>
#include <string.h>

enum { MOST = 130 };
static const int sizes[] = {1, 2, 7, 24, 63, 64, 65, 130};
static double A[MOST * MOST], F[MOST * MOST], x[MOST], b[MOST];

// Largest entry of A y - b where y is the solution found.
static double residual(int n, const double *y) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = -b[i];
    for (int j = 0; j < n; j++) sum += A[i * n + j] * y[j];
    most = fmax(most, fabs(sum));
  }
  return most;
}

static void fill(int n) {
  uint64_t seed = tree_seed("lu");
  tree_random_vector(&seed, 1, n * n, A);
  tree_random_vector(&seed, 1, n, b);
  memcpy(x, b, sizeof x);
}

START_TEST(lu_solves_unsymmetric_systems_with_pivoting) {
  int pivot[MOST];
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s];
    fill(n);
    if (n > 1) A[0] = 0; // without exchange of rows this would fail
    memcpy(F, A, sizeof F);
    ck_assert(td_lu_factor(n, F, pivot));
    td_lu_solve(n, F, pivot, x);
    ck_assert_msg(residual(n, x) < 1e-10, "n = %d: %g", n, residual(n, x));
  }
}
END_TEST

START_TEST(lu_reports_a_singular_matrix) {
  int pivot[MOST];
  for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s];
    fill(n);
    for (int i = 0; i < n; i++) A[i * n + n / 2] = 0;
    ck_assert(!td_lu_factor(n, A, pivot));
  }
}
END_TEST

TEST_MAIN("lu", lu_solves_unsymmetric_systems_with_pivoting, lu_reports_a_singular_matrix)
