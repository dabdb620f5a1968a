// The entire functions c_n(s) behind exp and T, and the derivatives of b = c_2 and c = c_3 with respect to s = theta^2,
// against their series in quadruple precision for angles from 0 to 7 rad.
//
// All of these fall from their value at s = 0, against which errors are measured. Derivatives are sums of c_n that
// cancel more with each order: by a factor of about 3 below the switch, of 4 above it, where c_n also comes from a
// recursion upwards.
#include "lie/tangent.h"
#include "series.h"
#include "support/suite.h"
#include <float.h>

enum { SAMPLES = 4096 };
static const double LARGEST = 49;

typedef struct coefficients {
  td_vec cn[10];
  td_coefficients k;
} coefficients;

static coefficients engine_at(td_vec s) {
  coefficients out;
  td_cn(s, out.cn);
  td_coefficients_from(out.cn, &out.k);
  return out;
}

static void check(const char *name, int index, double s, double got, quad expected, double bound) {
  double error = (double)quad_abs(expected - quad_from(got));
  ck_assert_msg(error <= bound, "%s[%d] at s = %.17g is %.17g, off by %.2g, allowed %.2g", name, index, s, got, error,
                bound);
}

static double at_zero(int n, int order) { return (double)quad_abs(series_c(n, order, 0)); }

static void check_lane(const coefficients *c, double s, int lane) {
  int above = s > TD_SERIES_LIMIT;
  double first = above ? 4 * DBL_EPSILON : 2 * DBL_EPSILON, growth = above ? 4 : 3;
  for (int n = 0; n < 10; n++) {
    double bound = n == 0 ? 8 : above ? 64 : 4; // c_0 is the last of the recursion downwards and does not fall
    check("c_n", n, s, c->cn[n][lane], series_c(n, 0, s), bound * DBL_EPSILON * at_zero(n, 0));
  }
  for (int order = 0; order < 4; order++, first *= growth) {
    check("b", order, s, c->k.b[order][lane], series_c(2, order, s), first * at_zero(2, order));
    check("c", order, s, c->k.c[order][lane], series_c(3, order, s), first * at_zero(3, order));
  }
  ck_assert_double_eq(c->k.sine[lane], c->cn[1][lane]);
}

START_TEST(coefficients_are_the_sums_of_their_series) {
  for (int i = 0; i < SAMPLES; i += TD_LANES) {
    td_vec s;
    for (int l = 0; l < TD_LANES; l++) s[l] = LARGEST * ((i + l) * 1031 % SAMPLES) / (SAMPLES - 1); // far apart
    coefficients c = engine_at(s);
    for (int l = 0; l < TD_LANES; l++) check_lane(&c, s[l], l);
  }
}
END_TEST

START_TEST(coefficients_are_the_sums_of_their_series_where_angles_are_small_or_special) {
  const double pi = M_PI, angles[] = {0,     5e-324, 1e-160, 1e-20,  1e-9, 1e-8,   1e-5,   1e-2,
                                      0.499, 0.5,    1,      pi / 2, pi,   2 * pi, 3.1622, 3.1623};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    double s = angles[i] * angles[i];
    coefficients c = engine_at(td_splat(s));
    for (int l = 0; l < TD_LANES; l++) check_lane(&c, s, l);
  }
}
END_TEST

START_TEST(at_rest_coefficients_are_fractions) {
  double factorial = 1;
  coefficients c = engine_at(td_splat(0));
  for (int n = 0; n < 10; factorial *= ++n) ck_assert_double_eq_tol(c.cn[n][0] * factorial, 1, DBL_EPSILON);
  ck_assert_double_eq_tol(c.k.b[1][0], -1.0 / 24, 1e-17);
  ck_assert_double_eq_tol(c.k.c[1][0], -1.0 / 120, 1e-17);
}
END_TEST

// Neighbouring doubles on either side of the switch, in neighbouring lanes.
START_TEST(coefficients_do_not_jump_at_the_switch) {
  td_vec s = td_splat(TD_SERIES_LIMIT);
  s[1] = nextafter(TD_SERIES_LIMIT, 11);
  coefficients c = engine_at(s);
  for (int n = 0; n < 10; n++) ck_assert_double_le(fabs(c.cn[n][1] - c.cn[n][0]), 68 * DBL_EPSILON * at_zero(n, 0));
  for (int order = 0; order < 4; order++) {
    double bound = 6 * pow(4, order) * DBL_EPSILON;
    ck_assert_double_le(fabs(c.k.b[order][1] - c.k.b[order][0]), bound * at_zero(2, order));
    ck_assert_double_le(fabs(c.k.c[order][1] - c.k.c[order][0]), bound * at_zero(3, order));
  }
}
END_TEST

START_TEST(what_is_not_a_number_stays_in_its_lane) {
  td_vec s = td_splat(2);
  s[1] = NAN;
  coefficients c = engine_at(s), clean = engine_at(td_splat(2));
  for (int n = 0; n < 10; n++) {
    ck_assert_double_eq(c.cn[n][0], clean.cn[n][0]);
    ck_assert(isnan(c.cn[n][1]));
  }
}
END_TEST

TEST_MAIN("coefficients", coefficients_are_the_sums_of_their_series,
          coefficients_are_the_sums_of_their_series_where_angles_are_small_or_special,
          at_rest_coefficients_are_fractions, coefficients_do_not_jump_at_the_switch,
          what_is_not_a_number_stays_in_its_lane)
