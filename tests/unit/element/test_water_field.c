// Flow and wetness by height: smooth, without overshoot, exact for a sphere, and their derivatives.
#include "element/water.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

enum { KNOTS = 6 };
static const double z[KNOTS] = {-3, -2.5, -1, 0, 0.2, 2};
static const double table[3 * KNOTS] = {0, 1, 2, 0, 2, 2, 0.1, 2.5, 2, 1, 2.5, 2, 1, 2, 2, 1, 8, 2};
static double slopes[3 * KNOTS];

static td_water current(void) {
  td_water_slopes(KNOTS, z, table, slopes);
  return (td_water){.flows = true, .channel = {-1, 1, -1}, .knots = KNOTS, .z = z, .table = table, .slopes = slopes};
}

START_TEST(a_flow_goes_through_its_knots_and_holds_beyond_them) {
  td_water w = current();
  double U[3], dU[3];
  for (int k = 0; k < KNOTS; k++) {
    td_water_flow(&w, z[k], NULL, U, dU);
    for (int c = 0; c < 3; c++) ck_assert_double_eq_tol(U[c], table[3 * k + c], 1e-14);
  }
  td_water_flow(&w, 40, NULL, U, dU);
  ck_assert_double_eq(U[1], 8);
  ck_assert_double_eq(dU[1], 0);
  td_water_flow(&w, -40, NULL, U, dU);
  ck_assert_double_eq(U[1], 1);
}
END_TEST

// Where the data rise, stay or fall so does the flow: no current runs against them.
START_TEST(a_flow_does_not_overshoot) {
  td_water w = current();
  for (int k = 0; k + 1 < KNOTS; k++)
    for (int i = 0; i <= 50; i++) {
      double U[3], dU[3], at = z[k] + i / 50. * (z[k + 1] - z[k]);
      td_water_flow(&w, at, NULL, U, dU);
      for (int c = 0; c < 3; c++) {
        double a = table[3 * k + c], b = table[3 * k + 3 + c];
        ck_assert_double_ge(U[c], fmin(a, b) - 1e-14);
        ck_assert_double_le(U[c], fmax(a, b) + 1e-14);
        ck_assert_double_ge(dU[c] * (b - a), -1e-12);
      }
    }
}
END_TEST

START_TEST(the_gradient_of_a_flow_is_its_difference_and_has_no_jump) {
  td_water w = current();
  for (double at = -2.95; at < 1.95; at += 0.0137) {
    double U[3], dU[3], up[3], down[3], unused[3];
    td_water_flow(&w, at, NULL, U, dU);
    td_water_flow(&w, at + 1e-6, NULL, up, unused);
    td_water_flow(&w, at - 1e-6, NULL, down, unused);
    for (int c = 0; c < 3; c++) ck_assert_double_eq_tol(dU[c], (up[c] - down[c]) / 2e-6, 3e-4);
  }
}
END_TEST

START_TEST(a_flow_with_two_knots_is_straight_and_channels_add_to_it) {
  static const double ends[2] = {1, 3}, values[6] = {0, 1, 2, 4, 1, -2}, u[2] = {7, 0.5};
  double straight[6], U[3], dU[3];
  td_water_slopes(2, ends, values, straight);
  td_water w = {.flows = true, .channel = {-1, 1, -1}, .knots = 2, .z = ends, .table = values, .slopes = straight};
  td_water_flow(&w, 1.5, u, U, dU);
  const double expected[3] = {1, 1.5, 1}, slope[3] = {2, 0, -2};
  for (int c = 0; c < 3; c++) {
    ck_assert_double_eq_tol(U[c], expected[c], 1e-14);
    ck_assert_double_eq_tol(dU[c], slope[c], 1e-14);
  }
}
END_TEST

START_TEST(wetness_is_the_part_of_a_sphere_below_the_surface) {
  const td_water w = {.has_surface = true, .surface = 0.7, .width = 0.6};
  for (double depth = -0.1; depth < 0.75; depth += 0.01) { // of the lowest point
    double r = 0.3, d = fmin(2 * r, fmax(0, depth)), cap = M_PI * d * d * (3 * r - d) / 3;
    ck_assert_double_eq_tol(td_water_wetness(&w, 0.7 + r - depth).value, cap / (4 * M_PI / 3 * r * r * r), 1e-14);
  }
}
END_TEST

START_TEST(wetness_is_the_slope_of_the_wet_height_and_has_its_own_slopes) {
  const td_water w = {.has_surface = true, .surface = -0.4, .width = 1.5};
  const double h = 1e-5;
  for (double at = -2; at < 1; at += 0.0731) {
    td_wetness here = td_water_wetness(&w, at), up = td_water_wetness(&w, at + h), down = td_water_wetness(&w, at - h);
    double lift = (td_water_wet_height(&w, at + h) - td_water_wet_height(&w, at - h)) / (2 * h);
    ck_assert_double_eq_tol(lift, here.value, 1e-9);
    ck_assert_double_eq_tol((up.value - down.value) / (2 * h), here.slope, 1e-8);
    ck_assert_double_eq_tol((up.slope - down.slope) / (2 * h), here.bend, 1e-8);
  }
  ck_assert_double_eq(td_water_wet_height(&w, -3), -3);
  ck_assert_double_eq(td_water_wet_height(&w, 3), -0.4);
}
END_TEST

START_TEST(without_a_surface_everything_is_wet) {
  const td_water w = {0};
  td_wetness wet = td_water_wetness(&w, 1e6);
  ck_assert(wet.value == 1 && wet.slope == 0 && wet.bend == 0);
}
END_TEST

TEST_MAIN("water_field", a_flow_goes_through_its_knots_and_holds_beyond_them, a_flow_does_not_overshoot,
          the_gradient_of_a_flow_is_its_difference_and_has_no_jump,
          a_flow_with_two_knots_is_straight_and_channels_add_to_it, wetness_is_the_part_of_a_sphere_below_the_surface,
          wetness_is_the_slope_of_the_wet_height_and_has_its_own_slopes, without_a_surface_everything_is_wet)
