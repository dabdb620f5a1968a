// Obstacles: forces are gradients of the potential, slopes are those of the force, and each points where it should.
#include "element/contact.h"
#include "element/mesh.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

static td_obstacle obstacle(td_contact_type type, double exponent) {
  static const double rpy[3] = {0.3, -0.8, 1.1};
  td_contact_spec spec = {.type = type,
                          .axis = {1, 2, -1},
                          .radius = 0.7,
                          .size = {0.8, 1, 1.4},
                          .rounding = 0.05,
                          .stiffness = 250,
                          .exponent = exponent,
                          .pose.p = {0.1, -0.2, 0.3}};
  td_rotation_from_rpy(rpy, spec.pose.R);
  td_obstacle out;
  td_obstacle_of(&spec, &out);
  return out;
}

static void differences(const td_obstacle *o, const double centre[3], double radius) {
  static const double h = 1e-5;
  td_touch here, ahead, back;
  td_touch_at(o, centre, radius, &here);
  ck_assert_double_gt(here.depth, 0.05);
  for (int j = 0; j < 3; j++) {
    double p[3];
    memcpy(p, centre, sizeof p);
    p[j] += h;
    td_touch_at(o, p, radius, &ahead);
    p[j] -= 2 * h;
    td_touch_at(o, p, radius, &back);
    ck_assert_double_eq_tol((back.potential - ahead.potential) / (2 * h), here.force[j], 1e-7);
    for (int i = 0; i < 3; i++)
      ck_assert_double_eq_tol((ahead.force[i] - back.force[i]) / (2 * h), here.slope[3 * i + j], 1e-5);
  }
}

START_TEST(force_and_slope_are_the_derivatives_of_the_potential) {
  static const double places[TD_OBSTACLE_COUNT][3] = {
      [TD_CONTACT_CYLINDER_INTERIOR] = {1.2, 0.4, -0.6},
      [TD_CONTACT_CYLINDER_EXTERIOR] = {0.2, 0.1, 0.4},
      [TD_CONTACT_PLANE] = {-0.4, -0.5, 0.2},
      [TD_CONTACT_SPHERE] = {0.4, 0.1, 0.2},
      [TD_CONTACT_BOX] = {0.2, 0.1, 0.4}, // within: from the nearest face
  };
  for (int type = 0; type < TD_OBSTACLE_COUNT; type++)
    for (double exponent = 1; exponent <= 2.5; exponent += 0.5) {
      td_obstacle o = obstacle((td_contact_type)type, exponent);
      differences(&o, places[type], 0.2);
    }
}
END_TEST

// Straight cases whose force one can write down: k depth^p with k = 250.
START_TEST(obstacles_push_out_of_themselves) {
  td_obstacle o = {.axis = {0, 0, 1}, .radius = 1, .stiffness = 250, .exponent = 1.5};
  const double x = 250 * pow(0.1, 1.5), outer[3] = {0.95, 0, 7}, inner[3] = {0, 1.05, 7}, low[3] = {3, 4, 0.05};
  td_touch touch;
  o.type = TD_CONTACT_CYLINDER_INTERIOR;
  td_touch_at(&o, outer, 0.15, &touch);
  ck_assert_double_eq_tol(touch.force[0], -x, 1e-12);
  o.type = TD_CONTACT_CYLINDER_EXTERIOR;
  td_touch_at(&o, inner, 0.15, &touch);
  ck_assert_double_eq_tol(touch.force[1], x, 1e-12);
  ck_assert_double_eq(touch.force[2], 0);
  o.type = TD_CONTACT_PLANE;
  td_touch_at(&o, low, 0.15, &touch);
  ck_assert_double_eq_tol(touch.force[2], x, 1e-12);
  ck_assert_double_eq_tol(touch.potential, x * 0.1 / 2.5, 1e-12);
}
END_TEST

START_TEST(what_is_apart_or_centred_feels_nothing) {
  td_obstacle o = {.axis = {0, 0, 1}, .radius = 1, .stiffness = 250, .exponent = 1.5};
  o.core.pose.R[0] = o.core.pose.R[4] = o.core.pose.R[8] = 1; // a box of nothing but its middle
  const double centre[3] = {0, 0, 0.3}, far[3] = {5, 0, 0.3};
  td_touch touch;
  for (int type = 0; type < TD_OBSTACLE_COUNT; type++) {
    o.type = (td_contact_type)type;
    td_touch_at(&o, type == TD_CONTACT_CYLINDER_INTERIOR ? centre : far, 0.1, &touch);
    for (int i = 0; i < 3; i++) ck_assert_double_eq(touch.force[i], 0);
    ck_assert_double_eq(touch.potential, 0);
  }
  o.type = TD_CONTACT_CYLINDER_EXTERIOR;
  td_touch_at(&o, centre, 0.1, &touch);
  for (int i = 0; i < 9; i++) ck_assert_double_eq(touch.slope[i], 0);
}
END_TEST

// Over a face, beside an edge and before a corner of a box, and in it.
START_TEST(a_box_pushes_by_its_nearest_feature) {
  static const double places[][3] = {{0.1, 0.2, 0.85}, {0.45, 0.1, 0.75}, {0.45, 0.55, 0.76}, {0.1, 0.05, -0.6}};
  td_obstacle o = obstacle(TD_CONTACT_BOX, 1.5);
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    double centre[3];
    for (int i = 0; i < 3; i++) {
      centre[i] = o.core.pose.p[i];
      for (int j = 0; j < 3; j++) centre[i] += o.core.pose.R[3 * i + j] * places[k][j];
    }
    differences(&o, centre, 0.25);
  }
}
END_TEST

// From far outside to the middle of the core: the depth grows as the way does, and never jumps.
START_TEST(the_depth_in_a_box_and_a_cylinder_does_not_jump) {
  td_core cores[2] = {{.kind = TD_CORE_BOX, .half = {0.3, 0.2, 0.1}},
                      {.kind = TD_CORE_CYLINDER, .half = {0.3, 0.3, 0.1}}};
  for (int c = 0; c < 2; c++)
    for (int way = 0; way < 20; way++) {
      double last = NAN, x[3], step = 1e-3;
      cores[c].pose.R[0] = cores[c].pose.R[4] = cores[c].pose.R[8] = 1;
      for (double s = 1; s > 0; s -= step) {
        td_core_near near;
        x[0] = s * cos(way), x[1] = s * sin(way) * cos(2 * way), x[2] = s * sin(way) * sin(2 * way) + 0.01;
        td_core_near_at(&cores[c], x, &near);
        ck_assert(!(fabs(near.distance - last) > step * 1.001));
        double size = near.n[0] * near.n[0] + near.n[1] * near.n[1] + near.n[2] * near.n[2];
        ck_assert_double_eq_tol(size, 1, 1e-12);
        last = near.distance;
      }
      ck_assert_double_lt(last, 0);
    }
}
END_TEST

// A cube by its corners, the middles of its faces and of an edge: what it says is what the box says.
START_TEST(a_cube_of_points_is_a_box) {
  static double point[15][3];
  static td_mesh mesh;
  td_core box = {.kind = TD_CORE_BOX, .half = {0.3, 0.3, 0.3}, .pose.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, cube = box;
  unsigned seed = 1;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) point[i][k] = i >> k & 1 ? 0.3 : -0.3;
  for (int i = 0; i < 6; i++) point[8 + i][i / 2] = i % 2 ? 0.3 : -0.3;
  point[14][0] = point[14][1] = 0.3;
  ck_assert(td_mesh_of((const double(*)[3])point, 15, &mesh));
  ck_assert_int_eq(mesh.face_count, 6);
  ck_assert_int_eq(mesh.edge_count, 12);
  ck_assert(!td_mesh_of((const double(*)[3])point, 3, &mesh));
  ck_assert(td_mesh_of((const double(*)[3])point, 15, &mesh));
  cube.kind = TD_CORE_MESH;
  cube.face = mesh.face, cube.face_count = mesh.face_count, cube.edge = mesh.edge, cube.edge_count = mesh.edge_count;
  cube.corner = mesh.corner, cube.point = (const double(*)[3])point;
  for (int i = 0; i < 2000; i++) {
    td_core_near a, b;
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = 0.6 * ((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 23) - 0.6;
    td_core_near_at(&box, x, &a);
    td_core_near_at(&cube, x, &b);
    ck_assert_double_eq_tol(a.distance, b.distance, 1e-12);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(a.n[k], b.n[k], 1e-9);
    for (int k = 0; k < 9; k++)
      ck_assert_double_eq_tol(a.bend[k] * fabs(a.distance), b.bend[k] * fabs(b.distance), 1e-9);
  }
}
END_TEST

TEST_MAIN("contact", a_cube_of_points_is_a_box, a_box_pushes_by_its_nearest_feature,
          the_depth_in_a_box_and_a_cylinder_does_not_jump, force_and_slope_are_the_derivatives_of_the_potential,
          obstacles_push_out_of_themselves, what_is_apart_or_centred_feels_nothing)
