// The bordered systems of implicit steps: solved exactly, dependent rows handled by rank with the smallest multipliers.
#include "integrate/saddle.h"
#include "support/suite.h"
#include "support/tree.h"
#include <math.h>
#include <string.h>

enum { N = 7, ROWS = 4, RANK = 3 };

static double S[N][N], A[ROWS][N], G[ROWS][N];

// Row 3 is row 0 plus row 1 in A; G = B A with an invertible B, as where a loop's joint has turned.
static void make(const char *name, double size) {
  uint64_t seed = tree_seed(name);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) S[i][j] = size * (tree_random(&seed) + (i == j ? 4 : 0));
  tree_random_vector(&seed, 1, RANK * N, &A[0][0]);
  for (int j = 0; j < N; j++) A[3][j] = A[0][j] + A[1][j];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < N; j++) G[i][j] = (1 + 0.1 * i) * A[i][j] + (i == 2 ? 0.3 * A[0][j] : 0);
}

static void solve(double x[N], double lambda[ROWS]) {
  td_saddle s;
  ck_assert_int_eq(td_saddle_init(&s, N, ROWS), TD_OK);
  memcpy(s.S, S, sizeof S);
  for (int i = 0; i < ROWS; i++) {
    memcpy(s.A + i * s.ld, A[i], sizeof A[i]);
    memcpy(s.G + i * s.ld, G[i], sizeof G[i]);
  }
  ck_assert(td_saddle_factor(&s, NULL));
  ck_assert_int_eq(s.rank, RANK);
  td_saddle_solve(&s, x, lambda);
  td_saddle_fini(&s);
}

START_TEST(both_equations_hold_and_the_multiplier_is_the_smallest) {
  static const double sizes[] = {1, 1e-7, 1e9};
  for (int k = 0; k < 3; k++) {
    make("bordered", sizes[k]);
    double b[N], want[N], c[ROWS] = {0}, x[N], lambda[ROWS];
    uint64_t seed = tree_seed("right-hand side");
    tree_random_vector(&seed, sizes[k], N, b);
    tree_random_vector(&seed, 1, N, want);
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < N; j++) c[i] += G[i][j] * want[j]; // can be met
    memcpy(x, b, sizeof x);
    memcpy(lambda, c, sizeof c);
    solve(x, lambda);
    for (int i = 0; i < N; i++) {
      double left = -b[i];
      for (int j = 0; j < N; j++) left += S[i][j] * x[j];
      for (int j = 0; j < ROWS; j++) left -= A[j][i] * lambda[j];
      ck_assert_double_le(fabs(left), 1e-12 * sizes[k]);
    }
    for (int i = 0; i < ROWS; i++) {
      double left = -c[i];
      for (int j = 0; j < N; j++) left += G[i][j] * x[j];
      ck_assert_double_le(fabs(left), 1e-12);
    }
    ck_assert_double_le(fabs(lambda[0] + lambda[1] - lambda[3]), 1e-12 * sizes[k]); // orthogonal to (1, 1, 0, -1)
  }
}
END_TEST

TEST_MAIN("saddle", both_equations_hold_and_the_multiplier_is_the_smallest)
