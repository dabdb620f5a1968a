// Natural cubic splines: interpolation, C2, natural ends, lines kept, fourth-order convergence, bad knots refused.
#include "math/spline.h"
#include "support/suite.h"
#include <math.h>

enum { COUNT = 6 };
static const double knots[COUNT] = {0, 0.1, 0.35, 0.5, 0.8, 1};
static const double values[COUNT] = {1, -0.5, 2, 0.3, 0.7, -1};

static void at(const double *m, double s, double out[3]) {
  td_spline_eval2(COUNT, knots, values, 1, m, s, &out[0], &out[1], &out[2]);
}

START_TEST(spline_passes_through_its_knots) {
  double m[COUNT], out[3];
  ck_assert_uint_eq(td_spline_size(COUNT), COUNT);
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, values, 1, m), TD_OK);
  for (int i = 0; i < COUNT; i++) {
    at(m, knots[i], out);
    ck_assert_double_eq_tol(out[0], values[i], 1e-15);
  }
}
END_TEST

START_TEST(slope_and_curvature_are_continuous_across_knots) {
  double m[COUNT], left[3], right[3];
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, values, 1, m), TD_OK);
  for (int i = 1; i + 1 < COUNT; i++) {
    at(m, knots[i] - 1e-9, left);
    at(m, knots[i] + 1e-9, right);
    ck_assert_double_eq_tol(left[0], right[0], 1e-6);
    ck_assert_double_eq_tol(left[1], right[1], 1e-5);
    ck_assert_double_eq_tol(left[2], right[2], 1e-4);
  }
}
END_TEST

START_TEST(curvature_is_zero_at_both_ends) {
  double m[COUNT], out[3];
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, values, 1, m), TD_OK);
  at(m, 0, out);
  ck_assert_double_eq(out[2], 0);
  at(m, 1, out);
  ck_assert_double_eq(out[2], 0);
}
END_TEST

START_TEST(slope_and_curvature_are_derivatives_of_the_value) {
  double m[COUNT], left[3], right[3], here[3];
  const double h = 1e-5;
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, values, 1, m), TD_OK);
  for (double s = 0.013; s < 1; s += 0.017) {
    at(m, s - h, left);
    at(m, s, here);
    at(m, s + h, right);
    ck_assert_double_eq_tol((right[0] - left[0]) / (2 * h), here[1], 1e-6);
    ck_assert_double_eq_tol((right[1] - left[1]) / (2 * h), here[2], 1e-3);
  }
}
END_TEST

START_TEST(two_knots_are_a_straight_line) {
  const double x[2] = {0, 1}, y[2] = {3, -1};
  double m[2], value, slope;
  ck_assert_int_eq(td_spline_prepare(2, x, y, 1, m), TD_OK);
  td_spline_eval(2, x, y, 1, m, 0.25, &value, &slope);
  ck_assert_double_eq_tol(value, 2, 1e-15);
  ck_assert_double_eq_tol(slope, -4, 1e-15);
}
END_TEST

START_TEST(stride_reads_one_column_of_many) {
  double packed[2 * COUNT], m[COUNT], strided[COUNT], a, b;
  for (int i = 0; i < COUNT; i++) packed[2 * i] = 99, packed[2 * i + 1] = values[i];
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, values, 1, m), TD_OK);
  ck_assert_int_eq(td_spline_prepare(COUNT, knots, packed + 1, 2, strided), TD_OK);
  td_spline_eval(COUNT, knots, values, 1, m, 0.6, &a, NULL);
  td_spline_eval(COUNT, knots, packed + 1, 2, strided, 0.6, &b, NULL);
  ck_assert_double_eq(a, b);
}
END_TEST

// sin(pi s) has zero second derivative at both ends, so the natural spline keeps its fourth order.
static double largest_error(size_t count) {
  double x[257], y[257], m[257], worst = 0;
  for (size_t i = 0; i < count; i++) {
    x[i] = (double)i / (double)(count - 1);
    y[i] = sin(M_PI * x[i]);
  }
  ck_assert_int_eq(td_spline_prepare(count, x, y, 1, m), TD_OK);
  for (double s = 0; s <= 1; s += 1.0 / 997) {
    double value;
    td_spline_eval(count, x, y, 1, m, s, &value, NULL);
    worst = fmax(worst, fabs(value - sin(M_PI * s)));
  }
  return worst;
}

START_TEST(halving_the_knots_divides_the_error_by_sixteen) {
  double ratio = largest_error(33) / largest_error(65);
  ck_assert_double_gt(ratio, 14);
  ck_assert_double_lt(ratio, 18);
}
END_TEST

START_TEST(knots_that_do_not_rise_are_refused) {
  const double same[3] = {0, 0.5, 0.5}, broken[2] = {0, NAN}, y[3] = {0, 0, 0};
  double m[3];
  ck_assert_int_eq(td_spline_prepare(3, same, y, 1, m), TD_INVALID_ARGUMENT);
  ck_assert_int_eq(td_spline_prepare(2, broken, y, 1, m), TD_INVALID_ARGUMENT);
  ck_assert_int_eq(td_spline_prepare(1, same, y, 1, m), TD_INVALID_ARGUMENT);
}
END_TEST

TEST_MAIN("spline", spline_passes_through_its_knots, slope_and_curvature_are_continuous_across_knots,
          curvature_is_zero_at_both_ends, slope_and_curvature_are_derivatives_of_the_value,
          two_knots_are_a_straight_line, stride_reads_one_column_of_many,
          halving_the_knots_divides_the_error_by_sixteen, knots_that_do_not_rise_are_refused)
