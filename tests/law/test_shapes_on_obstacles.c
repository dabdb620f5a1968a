// Rigid and reduced bodies before obstacles: derivatives at random touching states of every two shapes, the same bodies
// before a body of the obstacle's shape that stands still, closed forms, and no way through.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/touching.h"
#include "tendril/dynamics.h"
#include "tendril/run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = TOUCHING_MOST };

static td_model *one(const char *body, const char *obstacle) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", %s%s}], "
           "\"contacts\": [{%s, \"links\": [\"a\"], %s}]}",
           TOUCHING_FREE, body, obstacle, TOUCHING_LAW);
  return test_model_from_text(text);
}

START_TEST(derivatives_of_bodies_on_obstacles_are_those_of_differences) {
  static const char
      PLANE[] = "\"type\": \"plane\", \"axis\": [0.1, 0.2, 1], \"pose\": {\"translation\": [0, 0, -0.15]}",
      TUBE[] = "\"type\": \"cylinder_interior\", \"radius\": 0.3, \"axis\": [1, 0.2, 0]",
      POST[] = "\"type\": \"cylinder_exterior\", \"radius\": 0.2, \"axis\": [1, 0.2, 0]",
      BLOCK[] =
          "\"type\": \"box\", \"size\": [0.3, 0.4, 0.2], \"rounding\": 0.05, \"pose\": {\"rpy\": [0.1, 0.4, 0.2]}",
      GLOBE[] = "\"type\": \"sphere\", \"radius\": 0.2, \"pose\": {\"translation\": [0.05, 0, -0.1]}";
  const char *bodies[] = {TOUCHING_BALL, TOUCHING_CAPSULE, TOUCHING_BOX, TOUCHING_MESH, TOUCHING_PCC, TOUCHING_DRUM},
             *obstacles[] = {PLANE, TUBE, POST, BLOCK, GLOBE};
  for (int o = 0; o < 5; o++)
    for (int b = 0; b < 6; b++) {
      toucher p;
      char what[60];
      snprintf(what, sizeof what, "body %d on obstacle %d", b, o);
      toucher_init(&p, one(bodies[b], obstacles[o]));
      toucher_derivatives_are_right(&p, 12, what);
      toucher_fini(&p);
    }
}
END_TEST

START_TEST(derivatives_of_what_sticks_to_a_cylinder_are_those_of_differences) {
  const char *bodies[] = {TOUCHING_CAPSULE, TOUCHING_BOX, TOUCHING_DRUM};
  for (int b = 0; b < 3; b++) {
    toucher p;
    toucher_init(&p, one(bodies[b], "\"type\": \"cylinder_exterior\", \"radius\": 0.2, \"axis\": [1, 0.2, 0], "
                                    "\"stick\": {\"stiffness\": 1, \"damping\": 0.5}"));
    toucher_derivatives_are_right(&p, 6, bodies[b]);
    toucher_fini(&p);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ what they exert

START_TEST(a_body_on_an_obstacle_feels_what_it_feels_on_a_body_that_stands_still) {
  static const struct {
    const char *obstacle, *collision;
  } same[] = {{"\"type\": \"sphere\", \"radius\": 0.2", "{\"shape\": \"sphere\", \"radius\": 0.2}"},
              {"\"type\": \"box\", \"size\": [0.3, 0.4, 0.2], \"rounding\": 0.05",
               "{\"shape\": \"box\", \"size\": [0.3, 0.4, 0.2], \"rounding\": 0.05}"},
              {"\"type\": \"box\", \"size\": [0.3, 0.4, 0.2]", "{\"shape\": \"box\", \"size\": [0.3, 0.4, 0.2]}"}};
  const char *bodies[] = {TOUCHING_CAPSULE, TOUCHING_BOX, TOUCHING_MESH, TOUCHING_DRUM};
  for (int k = 0; k < 12; k++) {
    char text[4096];
    double id[2][MOST], energy[2];
    toucher p, q;
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", %s%s}, "
             "{\"name\": \"b\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, "
             "\"inertia\": [1, 1, 1], \"collision\": %s}}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": "
             "[\"b\"], %s}]}",
             TOUCHING_FREE, bodies[k % 4], same[k / 4].collision, TOUCHING_LAW);
    toucher_init(&p, one(bodies[k % 4], same[k / 4].obstacle));
    toucher_init(&q, test_model_from_text(text));
    for (int state = 0; state < 10; state++) {
      toucher_touch(&p);
      memcpy(q.x, p.x, sizeof q.x);
      energy[0] = toucher_held(&p), energy[1] = toucher_held(&q);
      ck_assert_int_eq(td_inverse_dynamics(p.model, p.ws, p.x[0], p.x[1], p.x[2], NULL, id[0]), TD_OK);
      ck_assert_int_eq(td_inverse_dynamics(q.model, q.ws, p.x[0], p.x[1], p.x[2], NULL, id[1]), TD_OK);
      ck_assert_msg(fabs(energy[0] - energy[1]) <= 1e-12 * energy[0], "%d: %g J, not %g", k, energy[0], energy[1]);
      double off = toucher_most(p.n, id[0], id[1]), size = toucher_most(p.n, id[1], NULL);
      ck_assert_msg(off <= 1e-11 * size, "%d: off by %g of %g", k, off, size);
    }
    toucher_fini(&p);
    toucher_fini(&q);
  }
}
END_TEST

// Along z, at any height: the least distance of a bar's axis from the cylinder's, sought step by step; a capsule bulges
// by 5e-4 of both radii (element/closest.h).
START_TEST(a_bar_before_a_cylinder_is_as_deep_as_its_axis_is_near) {
  static const double R = 0.2, r = 0.07, HALF = 0.15;
  toucher p;
  char name[TD_CONTACT_ROW_NAME];
  toucher_init(&p, one("\"body\": {\"type\": \"rigid\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.02], \"collision\": "
                       "{\"shape\": \"capsule\", \"radius\": 0.07, \"length\": 0.3, \"axis\": \"x\"}}",
                       "\"type\": \"cylinder_exterior\", \"radius\": 0.2, \"name\": \"post\""));
  ck_assert_int_eq(td_contact_row_count(p.model), 1);
  td_contact_row_name(p.model, 0, name);
  ck_assert_str_eq(name, "post.a");
  for (int state = 0; state < 40; state++) {
    double touch[3], force[3], least = INFINITY;
    td_se3 pose;
    toucher_touch(&p);
    ck_assert_int_eq(td_contact_rows(p.model, p.ws, p.x[0], p.x[1], touch, force), TD_OK);
    ck_assert_int_eq(td_link_poses(p.model, p.ws, p.x[0], 0, &pose), TD_OK);
    for (int i = 0; i <= 2000; i++) {
      double s = HALF * (i / 1000. - 1);
      least = fmin(least, hypot(pose.p[0] + s * pose.R[0], pose.p[1] + s * pose.R[3]));
    }
    ck_assert_msg(fabs(touch[0] - (R + r - least)) < 2e-3 * (R + r), "%g m deep, %g m", touch[0], R + r - least);
    ck_assert(touch[1] > 0);
  }
  toucher_fini(&p);
}
END_TEST

// A bar that lies along the axis has the same depth wherever it lies, far out as well.
START_TEST(a_cylinder_has_no_end) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"z\"}, \"pose\": {\"translation\": [0.28, 0, 0]}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": "
      "\"box\", \"size\": [0.2, 0.2, 0.4]}, \"density\": 500}}], \"contacts\": [{\"type\": \"cylinder_exterior\", "
      "\"radius\": 0.2, \"links\": [\"a\"], \"stiffness\": 1e3}]}");
  toucher p;
  toucher_init(&p, model);
  double near = toucher_held(&p);
  ck_assert_double_gt(near, 1e-3);
  for (double z = 1e-3; z < 1e6; z *= 10) {
    p.x[0][0] = z;
    ck_assert_double_eq_tol(toucher_held(&p), near, 1e-9 * near);
  }
  toucher_fini(&p);
}
END_TEST

// ------------------------------------------------------------------------------------------------ runs

// Thrown at an obstacle across which no long step may go: it comes back with the energy that it had.
START_TEST(no_shape_flies_through_an_obstacle_unseen) {
  static const char *const obstacles[] = {"\"type\": \"sphere\", \"radius\": 0.03",
                                          "\"type\": \"cylinder_exterior\", \"radius\": 0.03, \"axis\": \"y\"",
                                          "\"type\": \"box\", \"size\": [0.06, 0.2, 0.06]"};
  static const char *const collisions[] = {
      "\"capsule\", \"radius\": 0.02, \"length\": 0.2, \"axis\": [0, 0.3, 1]", "\"box\", \"size\": [0.04, 0.05, 0.3]",
      "\"cylinder\", \"radius\": 0.03, \"length\": 0.2",
      ("\"mesh\", \"points\": [[0.02, 0, -0.1], [-0.02, 0.02, -0.1], [-0.02, -0.02, -0.1], [0, 0, 0.1]], \"rounding\": "
       "0.01")};
  static const td_method methods[] = {TD_METHOD_RADAU, TD_METHOD_RK45, TD_METHOD_BDF};
  double q[1] = {-3}, qd[1] = {1};
  for (int k = 0; k < 12; k++) {
    char text[2048];
    td_error err = {0};
    td_model *model;
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", "
             "\"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": "
             "{\"shape\": %s}}}], \"contacts\": [{%s, \"links\": [\"a\"], \"stiffness\": 1e6}]}",
             collisions[k % 4], obstacles[k / 4]);
    ck_assert_msg(!test_model_try(text, &model, &err), "%s: %s", err.pointer, err.message);
    td_dynamics_spec spec = recording_job(model, methods[k % 3], 10, q);
    recording r = {0};
    spec.qd = qd;
    spec.qd_count = 1;
    recording_ok(&r, model, &spec);
    const double *end = recording_last(&r);
    ck_assert_msg(end[0] < 0 && fabs(end[1] + 1) < 2e-2, "%d: at %g m with %g m/s", k, end[0], end[1]);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// 3 kg on the four corners and three points of every edge that lie on the block: k d^1.5 = m g / 16.
START_TEST(a_box_stands_on_a_block) {
  double deep = pow(3 * 9.81 / 16e6, 1 / 1.5), q[6] = {0, 0, 0, 0, 0, 0.05 - deep / 2};
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", %s%s}], "
           "\"contacts\": [{\"type\": \"box\", \"size\": [4, 1, 0.2], \"pose\": {\"translation\": [0, 0, -0.1]}, "
           "\"links\": [\"a\"], \"stiffness\": 1e6, \"damping\": 20, \"friction\": 0.5, \"stick\": {\"stiffness\": "
           "1e5, \"damping\": 50}}]}",
           TOUCHING_FREE, TOUCHING_BOX);
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.5, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const double *end = recording_last(&r);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-3 * e->exchanged, "off by %g of %g J", e->error, e->exchanged);
  ck_assert_double_eq_tol(end[5], 0.05 - deep, 1e-2 * deep);
  for (int i = 0; i < 5; i++) ck_assert_msg(fabs(end[i]) < 1e-7, "%d: %g", i, end[i]);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("shapes_on_obstacles", derivatives_of_bodies_on_obstacles_are_those_of_differences,
          derivatives_of_what_sticks_to_a_cylinder_are_those_of_differences,
          a_body_on_an_obstacle_feels_what_it_feels_on_a_body_that_stands_still,
          a_bar_before_a_cylinder_is_as_deep_as_its_axis_is_near, a_cylinder_has_no_end,
          no_shape_flies_through_an_obstacle_unseen, a_box_stands_on_a_block)
