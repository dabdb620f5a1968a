// Every strain basis against the formulas of the model format and the laws that define its family.
#include "math/quadrature.h"
#include "strain/basis.h"
#include "support/suite.h"
#include "unit/strain/rods.h"
#include <math.h>

enum { MOST = 130, BENDING = 1 };

static td_rod_basis *make(const td_rod_spec *rod) {
  td_rod_basis *basis = NULL;
  ck_assert_int_eq(td_rod_basis_create(rod, &basis), TD_OK);
  return basis;
}

// Values of basis and order at s; returns the count.
static int values(td_basis family, int order, double s, double *out) {
  td_rod_spec rod = rod_of(family, order);
  td_rod_basis *basis = make(&rod);
  int count = td_rod_basis_count(basis, BENDING);
  ck_assert_int_eq(count, td_rod_basis_total(basis));
  ck_assert_int_eq(count, td_rod_component_count(&rod, BENDING));
  td_rod_basis_eval(basis, BENDING, s, out);
  td_rod_basis_destroy(basis);
  return count;
}

START_TEST(counts_are_those_of_the_format) {
  static const struct {
    td_basis basis;
    int order, count;
  } rows[] = {{TD_BASIS_LEGENDRE, 4, 5}, {TD_BASIS_MONOMIAL, 0, 1},  {TD_BASIS_CHEBYSHEV, 3, 4},
              {TD_BASIS_FOURIER, 2, 5},  {TD_BASIS_FOURIER, 0, 1},   {TD_BASIS_GAUSSIAN, 3, 4},
              {TD_BASIS_GAUSSIAN, 0, 1}, {TD_BASIS_LINEAR, 3, 4},    {TD_BASIS_INVERSE_MULTIQUADRIC, 2, 3},
              {TD_BASIS_CUBIC, 2, 7},    {TD_BASIS_QUADRATIC, 2, 5}, {TD_BASIS_HERMITE, 2, 6}};
  double out[MOST];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_int_eq(values(rows[i].basis, rows[i].order, 0.3, out), rows[i].count);
}
END_TEST

START_TEST(a_locked_component_has_no_coordinate) {
  td_rod_spec rod = rod_of(TD_BASIS_LEGENDRE, 2);
  td_rod_basis *basis = make(&rod);
  for (int c = 0; c < 6; c++) ck_assert_int_eq(td_rod_basis_count(basis, c), c == BENDING ? 3 : 0);
  td_rod_basis_destroy(basis);
}
END_TEST

START_TEST(order_zero_is_the_constant) {
  static const td_basis global[] = {TD_BASIS_LEGENDRE, TD_BASIS_MONOMIAL, TD_BASIS_CHEBYSHEV,
                                    TD_BASIS_FOURIER,  TD_BASIS_GAUSSIAN, TD_BASIS_INVERSE_MULTIQUADRIC};
  double out[MOST];
  for (size_t i = 0; i < sizeof global / sizeof *global; i++)
    for (double s = 0; s <= 1; s += 0.25) {
      ck_assert_int_eq(values(global[i], 0, s, out), 1);
      ck_assert_double_eq(out[0], 1);
    }
}
END_TEST

START_TEST(legendre_polynomials_are_orthogonal_with_norm_one_over_2k_plus_1) {
  enum { N = 12 };
  double x[N], w[N], gram[N][N] = {{0}}, out[MOST];
  td_gauss_legendre(N, x, w);
  for (int p = 0; p < N; p++) {
    values(TD_BASIS_LEGENDRE, N - 1, x[p], out);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) gram[i][j] += w[p] * out[i] * out[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) ck_assert_double_eq_tol(gram[i][j], i == j ? 1.0 / (2 * i + 1) : 0, 1e-15);
}
END_TEST

START_TEST(legendre_is_one_at_the_tip_and_alternates_at_the_base) {
  double tip[MOST], base[MOST];
  values(TD_BASIS_LEGENDRE, 9, 1, tip);
  values(TD_BASIS_LEGENDRE, 9, 0, base);
  for (int k = 0; k <= 9; k++) {
    ck_assert_double_eq_tol(tip[k], 1, 1e-15);
    ck_assert_double_eq_tol(base[k], k % 2 ? -1 : 1, 1e-15);
  }
}
END_TEST

START_TEST(chebyshev_is_the_cosine_of_multiples) {
  double out[MOST];
  for (double s = 0; s <= 1; s += 0.05) {
    values(TD_BASIS_CHEBYSHEV, 10, s, out);
    for (int k = 0; k <= 10; k++) ck_assert_double_eq_tol(out[k], cos(k * acos(2 * s - 1)), 1e-13);
  }
}
END_TEST

START_TEST(monomials_are_powers_of_s_not_of_x) {
  double out[MOST];
  values(TD_BASIS_MONOMIAL, 6, 0.7, out);
  for (int k = 0; k <= 6; k++) ck_assert_double_eq_tol(out[k], pow(0.7, k), 1e-16);
}
END_TEST

START_TEST(fourier_lists_cosine_before_sine) {
  double out[MOST], s = 0.13;
  ck_assert_int_eq(values(TD_BASIS_FOURIER, 2, s, out), 5);
  ck_assert_double_eq_tol(out[1], cos(2 * M_PI * s), 1e-15);
  ck_assert_double_eq_tol(out[2], sin(2 * M_PI * s), 1e-15);
  ck_assert_double_eq_tol(out[3], cos(4 * M_PI * s), 1e-15);
  ck_assert_double_eq_tol(out[4], sin(4 * M_PI * s), 1e-15);
}
END_TEST

START_TEST(radial_bumps_peak_at_their_centres_and_halve_half_a_width_away) {
  static const td_basis radial[] = {TD_BASIS_GAUSSIAN, TD_BASIS_INVERSE_MULTIQUADRIC};
  double out[MOST];
  for (int b = 0; b < 2; b++)
    for (int k = 0; k <= 4; k++) {
      values(radial[b], 4, k / 4.0, out);
      ck_assert_double_eq_tol(out[k], 1, 1e-15);
      if (k == 4) continue;
      values(radial[b], 4, (k + 0.5) / 4, out);
      ck_assert_double_eq_tol(out[k], 0.5, 1e-15);
      ck_assert_double_eq_tol(out[k + 1], 0.5, 1e-15);
    }
}
END_TEST

START_TEST(radial_bumps_have_the_formulas_of_the_format) {
  double out[MOST], s = 0.37, w = 1.0 / 3;
  values(TD_BASIS_GAUSSIAN, 3, s, out);
  for (int k = 0; k <= 3; k++)
    ck_assert_double_eq_tol(out[k], exp(-4 * log(2) * (s - k * w) * (s - k * w) / (w * w)), 1e-14);
  values(TD_BASIS_INVERSE_MULTIQUADRIC, 3, s, out);
  for (int k = 0; k <= 3; k++)
    ck_assert_double_eq_tol(out[k], 1 / sqrt(1 + 12 * (s - k * w) * (s - k * w) / (w * w)), 1e-14);
}
END_TEST

static const struct {
  td_basis basis;
  int degree;
} lagrange[] = {{TD_BASIS_LINEAR, 1}, {TD_BASIS_QUADRATIC, 2}, {TD_BASIS_CUBIC, 3}};

START_TEST(lagrange_functions_sum_to_one_everywhere) {
  double out[MOST];
  for (int b = 0; b < 3; b++)
    for (int order = 1; order <= 5; order++)
      for (double s = 0; s <= 1; s += 1.0 / 64) {
        int count = values(lagrange[b].basis, order, s, out);
        double sum = 0;
        for (int i = 0; i < count; i++) sum += out[i];
        ck_assert_double_eq_tol(sum, 1, 1e-14);
      }
}
END_TEST

START_TEST(lagrange_functions_are_one_at_their_own_node_only) {
  double out[MOST];
  for (int b = 0; b < 3; b++)
    for (int node = 0; node <= 3 * lagrange[b].degree; node++) {
      int count = values(lagrange[b].basis, 3, node / (3.0 * lagrange[b].degree), out);
      for (int i = 0; i < count; i++) ck_assert_double_eq_tol(out[i], i == node, 1e-14);
    }
}
END_TEST

START_TEST(lagrange_elements_reproduce_polynomials_of_their_degree) {
  double out[MOST];
  for (int b = 0; b < 3; b++)
    for (double s = 0; s <= 1; s += 0.03) {
      int p = lagrange[b].degree, count = values(lagrange[b].basis, 4, s, out);
      double sum = 0;
      for (int i = 0; i < count; i++) sum += out[i] * pow(i / (4.0 * p) - 0.3, p);
      ck_assert_double_eq_tol(sum, pow(s - 0.3, p), 1e-14);
    }
}
END_TEST

static double hermite_slope(int function, double s) {
  double left[MOST], right[MOST];
  const double h = 1e-6;
  values(TD_BASIS_HERMITE, 3, s - h, left);
  values(TD_BASIS_HERMITE, 3, s + h, right);
  return (right[function] - left[function]) / (2 * h);
}

START_TEST(hermite_coordinates_are_value_then_local_slope_of_each_node) {
  double out[MOST];
  for (int node = 0; node <= 3; node++) {
    values(TD_BASIS_HERMITE, 3, node / 3.0, out);
    for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(out[i], i == 2 * node, 1e-14);
    if (node == 0 || node == 3) continue;
    // d/ds = 3 d/dt on elements of length 1/3: both sides agree, so the strain is C1
    for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(hermite_slope(i, node / 3.0), i == 2 * node + 1 ? 3 : 0, 1e-4);
  }
}
END_TEST

START_TEST(hermite_elements_reproduce_cubics) {
  double out[MOST], N = 3;
  for (double s = 0; s <= 1; s += 0.03) {
    int count = values(TD_BASIS_HERMITE, 3, s, out);
    double sum = 0;
    for (int i = 0; i < count; i++) {
      double node = i / 2 / N;
      sum += out[i] * (i % 2 ? 3 * node * node / N : node * node * node);
    }
    ck_assert_double_eq_tol(sum, s * s * s, 1e-14);
  }
}
END_TEST

START_TEST(table_columns_are_natural_splines_through_their_values) {
  const double s[4] = {0, 0.3, 0.6, 1}, columns[8] = {0, 1, 0, 2, /* a line: */ 1, 1.3, 1.6, 2};
  td_rod_spec rod = rod_of(TD_BASIS_TABLE, 0);
  rod.table_s = s;
  rod.table_count = 4;
  rod.table[BENDING] = columns;
  rod.table_columns[BENDING] = 2;
  td_rod_basis *basis = make(&rod);
  ck_assert_int_eq(td_rod_basis_count(basis, BENDING), 2);
  for (int i = 0; i < 4; i++) {
    double out[2];
    td_rod_basis_eval(basis, BENDING, s[i], out);
    ck_assert_double_eq_tol(out[0], columns[i], 1e-15);
    ck_assert_double_eq_tol(out[1], columns[4 + i], 1e-15);
  }
  for (double at = 0; at <= 1; at += 0.1) {
    double out[2];
    td_rod_basis_eval(basis, BENDING, at, out);
    ck_assert_double_eq_tol(out[1], 1 + at, 1e-14);
  }
  td_rod_basis_destroy(basis);
}
END_TEST

START_TEST(every_basis_has_a_word_and_no_two_share_it) {
  for (int a = 0; a < TD_BASIS_COUNT; a++) {
    ck_assert_ptr_nonnull(td_basis_name((td_basis)a));
    for (int b = 0; b < a; b++) ck_assert_str_ne(td_basis_name((td_basis)a), td_basis_name((td_basis)b));
  }
  ck_assert_ptr_null(td_basis_name(TD_BASIS_COUNT));
}
END_TEST

TEST_MAIN("basis", counts_are_those_of_the_format, a_locked_component_has_no_coordinate, order_zero_is_the_constant,
          legendre_polynomials_are_orthogonal_with_norm_one_over_2k_plus_1,
          legendre_is_one_at_the_tip_and_alternates_at_the_base, chebyshev_is_the_cosine_of_multiples,
          monomials_are_powers_of_s_not_of_x, fourier_lists_cosine_before_sine,
          radial_bumps_peak_at_their_centres_and_halve_half_a_width_away, radial_bumps_have_the_formulas_of_the_format,
          lagrange_functions_sum_to_one_everywhere, lagrange_functions_are_one_at_their_own_node_only,
          lagrange_elements_reproduce_polynomials_of_their_degree,
          hermite_coordinates_are_value_then_local_slope_of_each_node, hermite_elements_reproduce_cubics,
          table_columns_are_natural_splines_through_their_values, every_basis_has_a_word_and_no_two_share_it)
