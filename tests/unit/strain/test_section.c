// Cross-sections against integrals over the section summed cell by cell, and their change along the rod.
#include "strain/profile.h"
#include "strain/section.h"
#include "support/suite.h"
#include "unit/strain/rods.h"
#include <stdbool.h>

static bool inside(td_section_shape shape, const double size[2], double y, double z) {
  switch (shape) {
  case TD_SECTION_CIRCLE:
    return y * y + z * z <= size[0] * size[0];
  case TD_SECTION_RECTANGLE:
    return fabs(y) <= size[0] / 2 && fabs(z) <= size[1] / 2;
  default:
    return y * y / (size[0] * size[0]) + z * z / (size[1] * size[1]) <= 1;
  }
}

static void integrate(td_section_shape shape, const double size[2], double *area, double *Iy, double *Iz) {
  enum { N = 1200 };
  double half = 2 * fmax(size[0], size[1]), cell = 2 * half / N;
  *area = *Iy = *Iz = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double y = -half + (i + 0.5) * cell, z = -half + (j + 0.5) * cell;
      if (!inside(shape, size, y, z)) continue;
      *area += cell * cell;
      *Iy += z * z * cell * cell;
      *Iz += y * y * cell * cell;
    }
}

START_TEST(area_and_second_moments_are_integrals_over_the_section) {
  const double size[2] = {0.03, 0.012};
  for (int shape = 0; shape < TD_SECTION_STIFFNESS; shape++) {
    double area, Iy, Iz;
    td_section_at at;
    integrate((td_section_shape)shape, size, &area, &Iy, &Iz);
    td_section_of((td_section_shape)shape, size, &at);
    ck_assert_double_eq_tol(at.area / area, 1, 1e-2);
    ck_assert_double_eq_tol(at.Iy / Iy, 1, 2e-2);
    ck_assert_double_eq_tol(at.Iz / Iz, 1, 2e-2);
    ck_assert_double_eq(at.Jx, at.Iy + at.Iz);
  }
}
END_TEST

START_TEST(rectangle_has_height_along_y_and_width_along_z) {
  const double size[2] = {0.03, 0.01};
  td_section_at at;
  td_section_of(TD_SECTION_RECTANGLE, size, &at);
  ck_assert_double_eq_tol(at.Iy, 0.03 * 1e-6 / 12, 1e-20);
  ck_assert_double_eq_tol(at.Iz, 2.7e-5 * 0.01 / 12, 1e-20);
  ck_assert_double_eq(at.extent[0], 0.03);
  ck_assert_double_eq(at.extent[1], 0.01);
  ck_assert_double_eq_tol(at.radius, sqrt(3e-4) / 2, 1e-17);
}
END_TEST

START_TEST(ellipse_with_equal_axes_is_a_circle) {
  const double size[2] = {0.02, 0.02};
  td_section_at ellipse, circle;
  td_section_of(TD_SECTION_ELLIPSE, size, &ellipse);
  td_section_of(TD_SECTION_CIRCLE, size, &circle);
  ck_assert_double_eq_tol(ellipse.area, circle.area, 1e-18);
  ck_assert_double_eq_tol(ellipse.Iy, circle.Iy, 1e-22);
  ck_assert_double_eq_tol(ellipse.radius, circle.radius, 1e-17);
  ck_assert_double_eq(ellipse.extent[1], 0.04);
}
END_TEST

START_TEST(two_values_taper_linearly_from_base_to_tip) {
  const double radius[2] = {0.03, 0.01};
  td_rod_spec rod = rod_of(TD_BASIS_LEGENDRE, 0);
  rod.size[0] = (td_profile){.count = 2, .width = 1, .value = radius};
  td_section *section;
  td_section_at at;
  ck_assert_int_eq(td_section_create(&rod, &section), TD_OK);
  td_section_eval(section, 0, &at);
  ck_assert_double_eq(at.radius, 0.03);
  td_section_eval(section, 1, &at);
  ck_assert_double_eq(at.radius, 0.01);
  td_section_eval(section, 0.25, &at);
  ck_assert_double_eq_tol(at.radius, 0.025, 1e-17);
  td_section_destroy(section);
}
END_TEST

START_TEST(knots_make_a_spline_and_each_measure_has_its_own_kind) {
  const double s[3] = {0, 0.5, 1}, height[3] = {0.02, 0.03, 0.02}, width[1] = {0.01};
  td_rod_spec rod = rod_of(TD_BASIS_LEGENDRE, 0);
  rod.section = TD_SECTION_RECTANGLE;
  rod.size[0] = (td_profile){.count = 3, .width = 1, .s = s, .value = height};
  rod.size[1] = (td_profile){.count = 1, .width = 1, .value = width};
  td_section *section;
  td_section_at at;
  ck_assert_int_eq(td_section_create(&rod, &section), TD_OK);
  td_section_eval(section, 0.25, &at);
  // natural spline through (0,a) (.5,b) (1,a): m1 = 12 (a - b), value at 1/4 = (a+b)/2 + (a-b)*(-3/16)
  ck_assert_double_eq_tol(at.extent[0], 0.025 + 0.01 * 3 / 16, 1e-16);
  ck_assert_double_eq(at.extent[1], 0.01);
  td_section_destroy(section);
}
END_TEST

START_TEST(a_wide_profile_is_evaluated_column_by_column) {
  const double s[2] = {0, 1}, value[12] = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
  td_profile spline = {.count = 2, .width = 6, .s = s, .value = value}, line = {.count = 2, .width = 6, .value = value};
  td_profile_fixed *a, *b;
  double x[6], y[6];
  ck_assert_int_eq(td_profile_fixed_create(&spline, &a), TD_OK);
  ck_assert_int_eq(td_profile_fixed_create(&line, &b), TD_OK);
  ck_assert_uint_eq(td_profile_fixed_width(a), 6);
  td_profile_fixed_eval(a, 0.3, x);
  td_profile_fixed_eval(b, 0.3, y);
  for (int i = 0; i < 6; i++) {
    ck_assert_double_eq_tol(x[i], 3 + i, 1e-14);
    ck_assert_double_eq_tol(y[i], 3 + i, 1e-14);
  }
  td_profile_fixed_destroy(a);
  td_profile_fixed_destroy(b);
}
END_TEST

TEST_MAIN("section", area_and_second_moments_are_integrals_over_the_section,
          rectangle_has_height_along_y_and_width_along_z, ellipse_with_equal_axes_is_a_circle,
          two_values_taper_linearly_from_base_to_tip, knots_make_a_spline_and_each_measure_has_its_own_kind,
          a_wide_profile_is_evaluated_column_by_column)
