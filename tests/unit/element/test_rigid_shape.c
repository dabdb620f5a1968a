// Mass properties of shapes against sums over a fine grid of cells, and of polygons against decompositions.
#include "element/rigid_shape.h"
#include "support/suite.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double l_shape[12] = {0, 0, 0.4, 0, 0.4, 0.1, 0.15, 0.1, 0.15, 0.5, 0, 0.5};

static bool in_polygon(const double *xy, size_t count, double x, double y) {
  bool inside = false;
  for (size_t i = 0, j = count - 1; i < count; j = i++) {
    const double *a = xy + 2 * i, *b = xy + 2 * j;
    if ((a[1] > y) != (b[1] > y) && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Is the point (relative to the place where the shape's own origin lies) inside?
static bool inside(const td_rigid_spec *r, const double p[3]) {
  double unit[3], e1[3], e2[3];
  switch (r->shape) {
  case TD_SHAPE_BOX:
    return fabs(p[0]) <= r->size[0] / 2 && fabs(p[1]) <= r->size[1] / 2 && fabs(p[2]) <= r->size[2] / 2;
  case TD_SHAPE_SPHERE:
    return dot(p, p) <= r->radius * r->radius;
  default:
    break;
  }
  td_axis_plane(r->axis, unit, e1, e2);
  double along = dot(p, unit);
  if (r->shape == TD_SHAPE_CYLINDER)
    return fabs(along) <= r->length / 2 && dot(p, p) - along * along <= r->radius * r->radius;
  return fabs(along) <= r->height / 2 && in_polygon(r->polygon, r->polygon_count, dot(p, e1), dot(p, e2));
}

// Mass, centroid and inertia about it by summing cells of a cube [-half, half]^3.
static void sum_cells(const td_rigid_spec *r, double half, td_mass_properties *out) {
  enum { N = 120 };
  double cell = 2 * half / N, m = r->density * cell * cell * cell, second[9] = {0};
  memset(out, 0, sizeof *out);
  for (int i = 0; i < N * N * N; i++) {
    double p[3] = {-half + (i % N + 0.5) * cell, -half + (i / N % N + 0.5) * cell, -half + (i / N / N + 0.5) * cell};
    if (!inside(r, p)) continue;
    out->mass += m;
    for (int a = 0; a < 3; a++) {
      out->com[a] += m * p[a];
      for (int b = 0; b < 3; b++) second[3 * a + b] += m * p[a] * p[b];
    }
  }
  for (int a = 0; a < 3; a++) out->com[a] /= out->mass;
  for (int a = 0; a < 9; a++) second[a] -= out->mass * out->com[a / 3] * out->com[a % 3];
  for (int a = 0; a < 9; a++) out->inertia[a] = (a % 4 ? 0 : second[0] + second[4] + second[8]) - second[a];
}

static void compare(const td_rigid_spec *r, double half, double tolerance) {
  td_mass_properties sum, exact;
  sum_cells(r, half, &sum);
  td_rigid_mass_properties(r, &exact);
  double scale = exact.inertia[0] + exact.inertia[4] + exact.inertia[8];
  ck_assert_double_eq_tol(sum.mass / exact.mass, 1, tolerance);
  for (int i = 0; i < 9; i++) {
    ck_assert_double_eq_tol(sum.inertia[i] / scale, exact.inertia[i] / scale, tolerance);
    ck_assert_double_eq(exact.inertia[i], exact.inertia[3 * (i % 3) + i / 3]);
  }
  for (int i = 0; i < 3; i++) ck_assert_double_eq(exact.com[i], r->com[i]);
}

START_TEST(box_has_the_inertia_of_its_cells) {
  td_rigid_spec box = {.shape = TD_SHAPE_BOX, .density = 700, .size = {0.2, 0.3, 0.5}, .com = {0.1, 0, -0.2}};
  compare(&box, 0.3, 1e-3);
}
END_TEST

START_TEST(sphere_has_the_inertia_of_its_cells) {
  td_rigid_spec sphere = {.shape = TD_SHAPE_SPHERE, .density = 700, .radius = 0.25};
  compare(&sphere, 0.25, 2e-3);
}
END_TEST

START_TEST(cylinder_has_the_inertia_of_its_cells_about_any_axis) {
  td_rigid_spec cylinder = {
      .shape = TD_SHAPE_CYLINDER, .density = 900, .radius = 0.1, .length = 0.5, .axis = {0, 0, 2}};
  compare(&cylinder, 0.3, 1e-2);
  double skew[3] = {1, -2, 0.5};
  memcpy(cylinder.axis, skew, sizeof skew);
  compare(&cylinder, 0.3, 1e-2);
}
END_TEST

START_TEST(prism_has_the_inertia_of_its_cells_about_its_centroid) {
  td_rigid_spec prism = {.shape = TD_SHAPE_PRISM,
                         .density = 500,
                         .height = 0.2,
                         .axis = {0, 1, 0},
                         .polygon = l_shape,
                         .polygon_count = 6};
  compare(&prism, 0.6, 2e-2);
  double skew[3] = {0.3, 0.5, 1};
  memcpy(prism.axis, skew, sizeof skew);
  compare(&prism, 0.9, 2e-2);
}
END_TEST

START_TEST(rectangular_prism_is_a_box) {
  const double corners[8] = {-0.1, 7, 0.1, 7, 0.1, 7.3, -0.1, 7.3};
  td_rigid_spec prism = {.shape = TD_SHAPE_PRISM,
                         .density = 500,
                         .height = 0.7,
                         .axis = {0, 0, 1},
                         .polygon = corners,
                         .polygon_count = 4};
  td_rigid_spec box = {.shape = TD_SHAPE_BOX, .density = 500, .size = {0.2, 0.3, 0.7}};
  td_mass_properties a, b;
  td_rigid_mass_properties(&prism, &a);
  td_rigid_mass_properties(&box, &b);
  ck_assert_double_eq_tol(a.mass, b.mass, 1e-12);
  for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(a.inertia[i], b.inertia[i], 1e-12);
}
END_TEST

START_TEST(orientation_of_the_polygon_does_not_matter) {
  double reversed[12];
  td_polygon_moments a, b;
  for (int i = 0; i < 6; i++) memcpy(reversed + 2 * i, l_shape + 2 * (5 - i), 2 * sizeof(double));
  td_polygon_moments_of(l_shape, 6, &a);
  td_polygon_moments_of(reversed, 6, &b);
  ck_assert_double_eq_tol(a.area, 0.4 * 0.1 + 0.15 * 0.4, 1e-15);
  ck_assert_double_eq_tol(a.area, b.area, 1e-15);
  ck_assert_double_eq_tol(a.xx, b.xx, 1e-15);
  ck_assert_double_eq_tol(a.xy, b.xy, 1e-15);
}
END_TEST

START_TEST(plane_of_an_axis_follows_the_rule_of_the_format) {
  static const double axes[6][3] = {{3, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  double unit[3], e1[3], e2[3];
  for (int i = 0; i < 6; i++) {
    td_axis_plane(axes[i], unit, e1, e2);
    ck_assert_double_eq(e1[(i + 1) % 3], 1);
    ck_assert_double_eq(e2[(i + 2) % 3], 1);
  }
  const double skew[3] = {0.95, 0.1, 0.1}; // k = y, the first coordinate axis that is not nearly parallel
  td_axis_plane(skew, unit, e1, e2);
  double norm = hypot(unit[2], unit[0]);
  ck_assert_double_eq_tol(e1[0], unit[2] / norm, 1e-15);
  ck_assert_double_eq(e1[1], 0);
  ck_assert_double_eq_tol(e1[2], -unit[0] / norm, 1e-15);
  ck_assert_double_eq_tol(e2[0], unit[1] * e1[2] - unit[2] * e1[1], 1e-15);
}
END_TEST

START_TEST(given_properties_are_kept) {
  td_rigid_spec given = {.mass = 2, .com = {1, 2, 3}, .inertia = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5}};
  td_mass_properties out;
  td_rigid_mass_properties(&given, &out);
  ck_assert_double_eq(out.mass, 2);
  ck_assert_mem_eq(out.com, given.com, sizeof out.com);
  ck_assert_mem_eq(out.inertia, given.inertia, sizeof out.inertia);
}
END_TEST

TEST_MAIN("rigid_shape", box_has_the_inertia_of_its_cells, sphere_has_the_inertia_of_its_cells,
          cylinder_has_the_inertia_of_its_cells_about_any_axis, prism_has_the_inertia_of_its_cells_about_its_centroid,
          rectangular_prism_is_a_box, orientation_of_the_polygon_does_not_matter,
          plane_of_an_axis_follows_the_rule_of_the_format, given_properties_are_kept)
