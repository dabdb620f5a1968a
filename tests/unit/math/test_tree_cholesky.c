// Factors and solves of mass matrices of random trees, by their residuals in long double and Higham's bound, as
// test_cholesky.c has it; M = J^T J, where row k of J is 0 but for the ancestors of k and k itself.
#include "math/tree_cholesky.h"
#include "support/suite.h"
#include "support/tree.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 90, COLUMNS = 40, TREES = 60 };

typedef struct branches {
  int n, parent[SIZE];
  bool related[SIZE][SIZE]; ///< one is the other's ancestor, or both are the same
  td_tree_order order;
  td_tree_tile ahead[SIZE], back[SIZE];
  td_tree_range range[SIZE * SIZE];
  int ranges;
} branches;

static int padded(int n) { return (n + 7) / 8 * 8; }

// Rows [from, to) of the reverse order that have to do with the tile, as ranges.
static void note_ranges(branches *t, td_tree_tile *tile, int from, int to) {
  tile->begin = t->ranges;
  for (int k = from, was = 0, is; k < to; k++, was = is) {
    is = 0;
    for (int r = tile->row; r < tile->row + tile->rows; r++) is |= t->related[t->n - 1 - k][t->n - 1 - r];
    if (is && !was) t->range[t->ranges++].from = k;
    if (is) t->range[t->ranges - 1].to = k + 1;
  }
  tile->end = t->ranges;
}

static void note_order(branches *t) {
  int n = t->n, ahead = 0, back = 0;
  t->ranges = 0;
  for (int row = 0, rows; row < n; row += rows) {
    rows = td_tree_tile_rows(n, row, true);
    t->ahead[ahead] = (td_tree_tile){.row = row, .rows = rows};
    note_ranges(t, &t->ahead[ahead++], 0, row);
  }
  for (int row = n - 1, rows; row >= 0; row -= rows) {
    rows = td_tree_tile_rows(n, row, false);
    t->back[back] = (td_tree_tile){.row = row - rows + 1, .rows = rows};
    note_ranges(t, &t->back[back++], row + 1, n);
  }
  t->order = (td_tree_order){n, ahead, back, t->ahead, t->back, t->range};
}

// Each coordinate hangs from one of the last few, or begins a branch at the root.
static void random_tree(uint64_t *seed, int n, branches *t) {
  double draw[2 * SIZE];
  tree_random_vector(seed, 1, 2 * n, draw);
  t->n = n;
  for (int i = 0; i < n; i++) {
    int back = 1 + (int)(2.5 * (1 + draw[i]));
    t->parent[i] = draw[n + i] > 0.8 || i - back < 0 ? (i > 0 ? 0 : -1) : i - back;
  }
  memset(t->related, 0, sizeof t->related);
  for (int i = 0; i < n; i++)
    for (int j = i; j >= 0; j = t->parent[j]) t->related[i][j] = t->related[j][i] = true;
  note_order(t);
}

static void random_mass(uint64_t *seed, const branches *t, double *M) {
  static double J[SIZE * SIZE];
  int n = t->n, ld = padded(n);
  tree_random_vector(seed, 1, n * n, J);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) J[k * n + i] = i > k || !t->related[k][i] ? 0 : J[k * n + i] + (i == k);
  for (int i = 0; i < n * ld; i++) M[i] = NAN;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j;
      for (int k = 0; k < n; k++) sum += J[k * n + i] * J[k * n + j];
      M[i * ld + j] = sum;
    }
}

static void check_solution(int n, const double *M, int stride, const double *x, const double *b) {
  int ld = padded(n);
  for (int i = 0; i < n; i++) {
    long double residual = -(long double)b[i * stride], scale = 0;
    for (int j = 0; j < n; j++) {
      residual += (long double)M[i * ld + j] * x[j * stride];
      scale += sqrtl((long double)M[i * ld + i] * M[j * ld + j]) * fabsl((long double)x[j * stride]);
    }
    double bound = (double)(scale * (3 * n + 4) * (DBL_EPSILON / 2));
    ck_assert_msg(fabsl(residual) <= bound, "n = %d: row %d is off by %.3Lg, allowed %.3g", n, i, residual, bound);
  }
}

static branches one;
static double M[SIZE * (SIZE + 8)], U[SIZE * (SIZE + 8)];

START_TEST(solutions_for_one_and_for_many_right_hand_sides_solve_their_systems_to_rounding) {
  static double x[SIZE], b[SIZE], X[SIZE * COLUMNS], B[SIZE * COLUMNS];
  uint64_t seed = tree_seed("tree cholesky");
  for (int i = 0; i < TREES; i++) {
    int n = 1 + (i * 37) % SIZE, ld = padded(n);
    random_tree(&seed, n, &one);
    random_mass(&seed, &one, M);
    ck_assert_int_eq(td_tree_factor(&one.order, ld, M, ld, U), TD_OK);
    tree_random_vector(&seed, 1, n, b);
    tree_random_vector(&seed, 1, n * COLUMNS, B);
    memcpy(x, b, (size_t)n * sizeof *x);
    memcpy(X, B, (size_t)(n * COLUMNS) * sizeof *X);
    td_tree_forward(&one.order, ld, U, x);
    td_tree_backward(&one.order, ld, U, x);
    check_solution(n, M, 1, x, b);
    td_tree_forward_many(&one.order, ld, U, COLUMNS, COLUMNS, X);
    td_tree_backward_many(&one.order, ld, U, COLUMNS, COLUMNS, X);
    for (int c = 0; c < COLUMNS; c++) check_solution(n, M, COLUMNS, X + c, B + c);
  }
}
END_TEST

// |U^-T b|^2 = b . M^-1 b, which loops build upon.
START_TEST(half_a_solution_of_one_is_that_of_many_and_has_the_norm_of_the_inverse) {
  static double x[SIZE], y[SIZE], b[SIZE], X[SIZE * 8];
  uint64_t seed = tree_seed("half");
  for (int i = 0; i < TREES; i++) {
    int n = 1 + (i * 23) % SIZE, ld = padded(n);
    double norm = 0, product = 0;
    random_tree(&seed, n, &one);
    random_mass(&seed, &one, M);
    ck_assert_int_eq(td_tree_factor(&one.order, ld, M, ld, U), TD_OK);
    tree_random_vector(&seed, 1, n, b);
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int k = 0; k < n * 8; k++) X[k] = b[k / 8];
    td_tree_forward(&one.order, ld, U, x);
    td_tree_forward_many(&one.order, ld, U, 8, 8, X);
    for (int k = 0; k < n; k++) {
      ck_assert_double_eq_tol(X[8 * k + 3], x[k], 1e-12);
      norm += x[k] * x[k];
    }
    memcpy(y, x, (size_t)n * sizeof *y);
    td_tree_backward(&one.order, ld, U, y);
    for (int k = 0; k < n; k++) product += b[k] * y[k];
    ck_assert_double_eq_tol(norm, product, 1e-12 * norm);
  }
}
END_TEST

START_TEST(branches_leave_zeros_and_pivots_are_judged_where_they_stand) {
  uint64_t seed = tree_seed("zeros");
  random_tree(&seed, SIZE, &one);
  random_mass(&seed, &one, M);
  int n = SIZE, ld = padded(n);
  ck_assert_int_eq(td_tree_factor(&one.order, ld, M, ld, U), TD_OK);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (!one.related[n - 1 - i][n - 1 - j]) ck_assert_double_eq(U[i * ld + j], 0);
  ck_assert(td_tree_above(&one.order, ld, M, ld, U, 1e-12));
  ck_assert(!td_tree_above(&one.order, ld, M, ld, U, 0.999));
  for (int j = 0; j < n; j++) M[(n - 1) * ld + j] = M[j * ld + n - 1] = 0; // a leaf without mass
  ck_assert_int_eq(td_tree_factor(&one.order, ld, M, ld, U), TD_SINGULAR);
}
END_TEST

TEST_MAIN("tree_cholesky", solutions_for_one_and_for_many_right_hand_sides_solve_their_systems_to_rounding,
          half_a_solution_of_one_is_that_of_many_and_has_the_norm_of_the_inverse,
          branches_leave_zeros_and_pivots_are_judged_where_they_stand)
