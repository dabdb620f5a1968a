// Gauss rules on [0, 1] against the moments of monomials, which a rule of n points integrates up to degree 2 n - 1.
#include "math/quadrature.h"
#include "support/suite.h"
#include <math.h>

enum { LARGEST = 1024 };
static double x[LARGEST], w[LARGEST];

START_TEST(monomials_up_to_degree_2n_minus_1_are_exact) {
  for (int n = 1; n <= 40; n++) {
    td_gauss_legendre(n, x, w);
    for (int degree = 0; degree < 2 * n; degree++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], degree);
      ck_assert_double_eq_tol(sum * (degree + 1), 1, 4e-15 * (degree + 1));
    }
  }
}
END_TEST

// Integral of (1 - x)^a x^k: the beta function a! k! / (a + k + 1)!.
START_TEST(monomials_times_a_power_of_the_rest_are_exact) {
  for (int a = 0; a <= 2; a++)
    for (int n = 1; n <= 64; n++) {
      td_gauss_jacobi(n, a, x, w);
      for (int i = 0; i < n; i++) ck_assert(x[i] > (i ? x[i - 1] : 0) && x[i] < 1 && w[i] > 0);
      for (int degree = 0; degree < 2 * n; degree++) {
        double sum = 0, exact = 1.0 / (degree + 1);
        for (int k = 1; k <= a; k++) exact *= (double)k / (degree + k + 1);
        for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], degree);
        ck_assert_double_eq_tol(sum / exact, 1, 4e-15 * (degree + 1) * (degree + 1));
      }
    }
}
END_TEST

START_TEST(degree_2n_is_not_exact) {
  td_gauss_legendre(3, x, w);
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += w[i] * pow(x[i], 6);
  ck_assert_double_gt(fabs(sum - 1.0 / 7), 1e-4);
}
END_TEST

START_TEST(nodes_rise_inside_the_interval_and_mirror_each_other) {
  static const int sizes[] = {1, 2, 3, 5, 16, 63, 64, 255, 1024};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int n = sizes[k];
    td_gauss_legendre(n, x, w);
    for (int i = 0; i < n; i++) {
      ck_assert(x[i] > 0 && x[i] < 1 && w[i] > 0);
      if (i) ck_assert_double_gt(x[i], x[i - 1]);
      ck_assert_double_eq_tol(x[i] + x[n - 1 - i], 1, 1.2e-16);
      ck_assert_double_eq(w[i], w[n - 1 - i]);
    }
  }
}
END_TEST

START_TEST(five_points_have_their_closed_form) {
  td_gauss_legendre(5, x, w);
  double far = sqrt(5 + 2 * sqrt(10.0 / 7)) / 3, near = sqrt(5 - 2 * sqrt(10.0 / 7)) / 3;
  ck_assert_double_eq_tol(x[0], (1 - far) / 2, 1e-16);
  ck_assert_double_eq_tol(x[1], (1 - near) / 2, 1e-16);
  ck_assert_double_eq(x[2], 0.5);
  ck_assert_double_eq_tol(w[0], (322 - 13 * sqrt(70)) / 1800, 1e-16);
  ck_assert_double_eq_tol(w[2], 64.0 / 225, 1e-16);
}
END_TEST

START_TEST(a_thousand_points_integrate_an_oscillation_to_rounding) {
  td_gauss_legendre(LARGEST, x, w);
  double sum = 0, total = 0;
  for (int i = 0; i < LARGEST; i++) {
    sum += w[i] * cos(1500 * x[i]);
    total += w[i];
  }
  ck_assert_double_eq_tol(total, 1, 1e-14);
  ck_assert_double_eq_tol(sum, sin(1500.0) / 1500, 1e-14);
}
END_TEST

TEST_MAIN("quadrature", monomials_up_to_degree_2n_minus_1_are_exact, monomials_times_a_power_of_the_rest_are_exact,
          degree_2n_is_not_exact, nodes_rise_inside_the_interval_and_mirror_each_other,
          five_points_have_their_closed_form, a_thousand_points_integrate_an_oscillation_to_rounding)
