// Obstacles: forces are gradients of the potential, slopes are those of the force, and each points where it should.
#include "element/contact.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

static td_obstacle obstacle(td_contact_type type, double exponent) {
  static const double rpy[3] = {0.3, -0.8, 1.1};
  td_contact_spec spec = {.type = type,
                          .axis = {1, 2, -1},
                          .radius = 0.7,
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

TEST_MAIN("contact", force_and_slope_are_the_derivatives_of_the_potential, obstacles_push_out_of_themselves,
          what_is_apart_or_centred_feels_nothing)
