// Computational points: defaults of the format, weights, element boundaries.
#include "strain/basis.h"
#include "strain/points.h"
#include "support/suite.h"
#include "unit/strain/rods.h"

enum { MOST = 1100 };
static double s[MOST], w[MOST];

static int points_of(td_basis basis, int order) {
  td_rod_spec rod = rod_of(basis, order);
  return td_rod_point_count(&rod);
}

START_TEST(default_counts_are_those_of_the_format) {
  ck_assert_int_eq(points_of(TD_BASIS_LEGENDRE, 2), 5 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_LEGENDRE, 3), 6 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_LEGENDRE, 7), 10 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_CHEBYSHEV, 4), 7 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_MONOMIAL, 4), 7 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_GAUSSIAN, 0), 5 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_GAUSSIAN, 3), 7 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_INVERSE_MULTIQUADRIC, 9), 18 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_FOURIER, 1), 5 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_FOURIER, 3), 12 + 2);
  ck_assert_int_eq(points_of(TD_BASIS_LINEAR, 4), 4 * 3 + 4 + 1);
  ck_assert_int_eq(points_of(TD_BASIS_QUADRATIC, 2), 2 * 4 + 2 + 1);
  ck_assert_int_eq(points_of(TD_BASIS_CUBIC, 2), 2 * 5 + 2 + 1);
  ck_assert_int_eq(points_of(TD_BASIS_HERMITE, 3), 3 * 5 + 3 + 1);
}
END_TEST

// A base that moves freely takes as many rows of inertia as one more coefficient of each strain.
START_TEST(default_points_are_more_than_the_coefficients) {
  for (int b = TD_BASIS_LEGENDRE; b < TD_BASIS_TABLE; b++)
    for (int order = 1; order <= 64; order++) {
      td_rod_spec rod = rod_of((td_basis)b, order);
      ck_assert_int_gt(td_rod_gauss_count(&rod), td_rod_largest_count(&rod));
    }
}
END_TEST

// Weights integrate, piece by piece, what the rule must: int s^k = 1/(k+1).
static void check_points(const td_rod_spec *rod, int degree) {
  int count = td_rod_point_count(rod);
  ck_assert_int_lt(count, MOST);
  td_rod_points(rod, s, w);
  ck_assert_double_eq(s[0], 0);
  ck_assert_double_eq(s[count - 1], 1);
  for (int i = 1; i < count; i++) ck_assert_double_gt(s[i], s[i - 1]);
  for (int k = 0; k <= degree; k++) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += w[i] * pow(s[i], k);
    ck_assert_double_eq_tol(sum, 1.0 / (k + 1), 1e-14);
  }
}

START_TEST(weights_integrate_polynomials_on_the_whole_rod) {
  td_rod_spec rod = rod_of(TD_BASIS_LEGENDRE, 4);
  check_points(&rod, 13);
  ck_assert_double_eq(w[0], 0);
  ck_assert_double_eq(w[8], 0);
  rod = rod_of(TD_BASIS_LINEAR, 7);
  check_points(&rod, 5);
}
END_TEST

START_TEST(element_boundaries_are_points_of_weight_zero) {
  td_rod_spec rod = rod_of(TD_BASIS_CUBIC, 3);
  rod.quadrature_points = 4;
  check_points(&rod, 7);
  for (int i = 0; i <= 3; i++) {
    ck_assert_double_eq(s[5 * i], i / 3.0);
    ck_assert_double_eq(w[5 * i], 0);
  }
}
END_TEST

START_TEST(components_with_different_elements_cut_the_rod_at_the_union_of_their_boundaries) {
  td_rod_spec rod = rod_of(TD_BASIS_LINEAR, 2);
  rod.order[2] = 3;
  rod.order[3] = 6;
  rod.quadrature_points = 2;
  ck_assert_int_eq(td_rod_piece_count(&rod), 6); // sixths hold halves and thirds
  rod.order[3] = -1;
  ck_assert_int_eq(td_rod_piece_count(&rod), 4); // 0 1/3 1/2 2/3 1
  check_points(&rod, 3);
  ck_assert_double_eq(s[3], 1.0 / 3);
  ck_assert_double_eq(s[6], 0.5);
}
END_TEST

START_TEST(a_rod_without_active_components_still_has_mass_points) {
  td_rod_spec rod = rod_of(TD_BASIS_LEGENDRE, -1);
  ck_assert_int_eq(td_rod_point_count(&rod), 7);
  check_points(&rod, 9);
  rod = rod_of(TD_BASIS_LINEAR, -1);
  ck_assert_int_eq(td_rod_piece_count(&rod), 1);
  check_points(&rod, 5);
}
END_TEST

TEST_MAIN("points", default_counts_are_those_of_the_format, default_points_are_more_than_the_coefficients,
          weights_integrate_polynomials_on_the_whole_rod, element_boundaries_are_points_of_weight_zero,
          components_with_different_elements_cut_the_rod_at_the_union_of_their_boundaries,
          a_rod_without_active_components_still_has_mass_points)
