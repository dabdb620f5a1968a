// Contact of bodies with each other, and of rigid bodies with planes, with damping and friction: derivatives at random
// touching states of every pair of shapes, balance of momentum and energy, closed forms.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/touching.h"
#include "tendril/dynamics.h"
#include "tendril/run.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_model *two(const char *a, const char *b, const char *law) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", %s%s}, {\"name\": "
      "\"b\", %s%s}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], %s}]}",
      TOUCHING_FREE, a, TOUCHING_FREE, b, law);
  return test_model_from_text(text);
}

// A rod that bends by enough to meet itself.
static td_model *coil(const char *law) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"spherical\"}, "
           "\"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.05}, "
           "\"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
           "\"order\": {\"torsion\": 0, \"bending_y\": 2, \"bending_z\": 1}}, \"quadrature\": {\"points\": 9}}}], "
           "\"contacts\": [{\"type\": \"self\", \"link\": \"a\", \"apart\": 0.3, %s}]}",
           law);
  return test_model_from_text(text);
}

START_TEST(derivatives_of_touching_bodies_are_those_of_differences) {
  const struct {
    const char *what, *a, *b;
  } pairs[] = {{"balls", TOUCHING_BALL, TOUCHING_BALL},
               {"ball and capsule", TOUCHING_BALL, TOUCHING_CAPSULE},
               {"capsules", TOUCHING_CAPSULE, TOUCHING_CAPSULE},
               {"rod and ball", TOUCHING_ROD, TOUCHING_BALL},
               {"rod and capsule", TOUCHING_ROD, TOUCHING_CAPSULE},
               {"capsule and rod", TOUCHING_CAPSULE, TOUCHING_ROD},
               {"rods", TOUCHING_ROD, TOUCHING_ROD},
               {"ball and box", TOUCHING_BALL, TOUCHING_BOX},
               {"box and ball", TOUCHING_BOX, TOUCHING_BALL},
               {"capsule and box", TOUCHING_CAPSULE, TOUCHING_BOX},
               {"boxes", TOUCHING_BOX, TOUCHING_BOX},
               {"rod and box", TOUCHING_ROD, TOUCHING_BOX},
               {"box and rod", TOUCHING_BOX, TOUCHING_ROD},
               {"ball and drum", TOUCHING_BALL, TOUCHING_DRUM},
               {"drum and box", TOUCHING_DRUM, TOUCHING_BOX},
               {"rod and drum", TOUCHING_ROD, TOUCHING_DRUM},
               {"reduced and box", TOUCHING_PCC, TOUCHING_BOX},
               {"reduced and rod", TOUCHING_PCC, TOUCHING_ROD},
               {"mesh and ball", TOUCHING_MESH, TOUCHING_BALL},
               {"box and mesh", TOUCHING_BOX, TOUCHING_MESH},
               {"mesh and rod", TOUCHING_MESH, TOUCHING_ROD}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    toucher p;
    toucher_init(&p, two(pairs[i].a, pairs[i].b, TOUCHING_LAW));
    toucher_derivatives_are_right(&p, 12, pairs[i].what);
    toucher_fini(&p);
  }
}
END_TEST

START_TEST(derivatives_with_a_rod_s_anisotropy_are_those_of_differences) {
  const char *others[] = {TOUCHING_CAPSULE, TOUCHING_BOX, TOUCHING_ROD};
  for (int stick = 0; stick < 2; stick++)
    for (int k = 0; k < 3; k++) {
      toucher p;
      char law[400];
      snprintf(law, sizeof law, "%s, \"anisotropy\": [0.3, 1.5]%s", TOUCHING_LAW,
               stick ? ", \"stick\": {\"stiffness\": 1, \"damping\": 0.5}" : "");
      toucher_init(&p, k == 1 ? two(others[k], TOUCHING_ROD, law) : two(TOUCHING_ROD, others[k], law));
      toucher_derivatives_are_right(&p, 6, others[k]);
      toucher_fini(&p);
    }
}
END_TEST

START_TEST(derivatives_without_friction_are_those_of_differences) {
  toucher p;
  toucher_init(&p, two(TOUCHING_ROD, TOUCHING_CAPSULE, "\"stiffness\": 2e3, \"exponent\": 2"));
  toucher_derivatives_are_right(&p, 12, "without friction");
  toucher_fini(&p);
}
END_TEST

static void curl(toucher *p) {
  for (int i = 0; i < p->n; i++) p->size[i] = i < 3 ? 1 : 4;
}

START_TEST(derivatives_of_a_rod_that_touches_itself_are_those_of_differences) {
  toucher p;
  toucher_init(&p, coil(TOUCHING_LAW));
  curl(&p);
  toucher_derivatives_are_right(&p, 12, "a rod and itself");
  toucher_fini(&p);
}
END_TEST

// ------------------------------------------------------------------------------------------------ laws

// Both hang on a root that nothing else moves: what they do to each other is nothing to it.
START_TEST(bodies_push_each_other_alike) {
  const char *bodies[] = {TOUCHING_BALL, TOUCHING_CAPSULE, TOUCHING_ROD, TOUCHING_BOX,
                          TOUCHING_DRUM, TOUCHING_PCC,     TOUCHING_MESH};
  for (int k = 0; k < 49; k++) {
    double with[TOUCHING_MOST], without[TOUCHING_MOST];
    char text[2][6000];
    toucher p, q;
    for (int touching = 0; touching < 2; touching++)
      snprintf(text[touching], sizeof text[touching],
               "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"root\", \"joint\": {\"type\": \"free\"}}, "
               "{\"name\": \"a\", \"parent\": \"root\", %s%s}, {\"name\": \"b\", \"parent\": \"root\", %s%s}]%s%s%s}",
               TOUCHING_FREE, bodies[k / 7], TOUCHING_FREE, bodies[k % 7],
               touching ? ", \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], " : "",
               touching ? TOUCHING_LAW : "", touching ? "}]" : "");
    toucher_init(&p, test_model_from_text(text[1]));
    toucher_init(&q, test_model_from_text(text[0]));
    toucher_touch(&p);
    ck_assert_int_eq(td_inverse_dynamics(p.model, p.ws, p.x[0], p.x[1], p.x[2], NULL, with), TD_OK);
    ck_assert_int_eq(td_inverse_dynamics(q.model, q.ws, p.x[0], p.x[1], p.x[2], NULL, without), TD_OK);
    for (int i = 0; i < p.n; i++) with[i] -= without[i];
    ck_assert_double_gt(toucher_most(p.n, with, NULL), 0.1);
    ck_assert_msg(toucher_most(6, with, NULL) < 1e-11 * toucher_most(p.n, with, NULL), "%d: %g of %g", k,
                  toucher_most(6, with, NULL), toucher_most(p.n, with, NULL));
    toucher_fini(&p);
    toucher_fini(&q);
  }
}
END_TEST

// A ball along a straight rod, over the points at which its capsules join.
START_TEST(what_touches_two_capsules_where_they_join_counts_once) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"bar\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
      "{\"type\": \"rod\", \"length\": 1, "
      "\"section\": {\"shape\": \"circle\", \"radius\": 0.05}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, "
      "\"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}, \"quadrature\": {\"points\": 9}}}, "
      "{\"name\": \"ball\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"pose\": {\"translation\": [0, 0, "
      "0.14]}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 1}}], "
      "\"contacts\": [{\"type\": \"pair\", \"a\": [\"bar\"], \"b\": [\"ball\"], \"stiffness\": 1e3, \"exponent\": "
      "2}]}");
  toucher p;
  toucher_init(&p, model);
  for (double x = 0.001; x < 1; x += 0.007) {
    p.x[0][0] = x;
    double expected = 1e3 * pow(0.01, 3) / 3;
    ck_assert_msg(fabs(toucher_held(&p) - expected) < 0.03 * expected, "%g J at %g, not %g", toucher_held(&p), x,
                  expected);
  }
  toucher_fini(&p);
}
END_TEST

// Of a bounce with the relative speed v: v/c - ln(1 + c v)/c^2 at its end as at its start, whatever the masses.
START_TEST(two_balls_bounce_as_hunt_and_crossley_say_and_keep_their_momentum) {
  const double c = 0.4, target = 1 / c - log(1 + c) / (c * c);
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\"}, \"body\": "
      "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"sphere\", \"radius\": "
      "0.1}}}, {\"name\": \"b\", \"joint\": {\"type\": \"prismatic\"}, \"body\": {\"type\": \"rigid\", \"mass\": 3, "
      "\"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"sphere\", \"radius\": 0.1}}}], \"contacts\": [{\"type\": "
      "\"pair\", \"a\": [\"a\"], \"b\": [\"b\"], \"stiffness\": 1e5, \"damping\": 0.4}]}");
  double q[2] = {0.201, 0}, qd[2] = {-1, 0}, back = 0.7;
  for (int i = 0; i < 50; i++) back += (target - (-back / c - log(1 - c * back) / (c * c))) * (1 - c * back) / back;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.1, q);
  recording r = {0};
  spec.qd = qd;
  spec.qd_count = 2;
  spec.integrator.rtol = 1e-8;
  recording_ok(&r, model, &spec);
  const double *end = recording_last(&r) + 2;
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_eq_tol(end[0] - end[1], back, 1e-5);
  ck_assert_double_eq_tol(end[0] + 3 * end[1], -1, 1e-9);
  ck_assert_double_eq_tol(e->contact_losses, 0.5 * 0.75 * (1 - back * back), 1e-5);
  ck_assert(fabs(e->error) < 1e-4 * e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Both are apart at the ends of any long step, and of no energy but motion.
START_TEST(no_step_passes_through_a_body_unseen) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\"}, \"body\": "
      "{\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.02}, \"density\": 1000}}, {\"name\": "
      "\"b\", "
      "\"joint\": {\"type\": \"prismatic\"}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", "
      "\"radius\": 0.02}, \"density\": 1000}}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], "
      "\"stiffness\": 1e6}]}");
  double q[2] = {-3, 0}, qd[2] = {1, 0};
  for (int method = 0; method < TD_METHOD_COUNT; method++) {
    td_dynamics_spec spec = recording_job(model, (td_method)method, 10, q);
    recording r = {0};
    spec.qd = qd;
    spec.qd_count = 2;
    recording_ok(&r, model, &spec);
    const double *end = recording_last(&r);
    // coarse steps lose of the bounce, but meet it
    ck_assert_msg(end[0] < end[1] && end[3] > 0.7 && fabs(end[2] + end[3] - 1) < 1e-6, "method %d: %g, %g m/s", method,
                  end[2], end[3]);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ on slopes

// q, qd [6] of a free body after t_end on a plane z = 0 with gravity turned by `slope` about y, put down at height z.
static void let_go(const char *body, const char *law, double slope, double z, double t_end, double *q, double *qd) {
  char text[2048];
  double start[6] = {0, 0, 0, 0, 0, z};
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [%.17g, 0, %.17g], \"links\": [{\"name\": \"a\", %s%s}], "
           "\"contacts\": [{\"type\": \"plane\", \"links\": [\"a\"], %s}]}",
           9.81 * sin(slope), -9.81 * cos(slope), TOUCHING_FREE, body, law);
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, start);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-3 * e->exchanged, "off by %g of %g J", e->error, e->exchanged);
  memcpy(q, recording_last(&r), 6 * sizeof *q);
  memcpy(qd, recording_last(&r) + 6, 6 * sizeof *qd);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(a_block_slides_down_a_slope_as_coulomb_says) {
  const double slope = 0.6, mu = 0.3, t_end = 0.4, a = 9.81 * (sin(slope) - mu * cos(slope));
  double q[6], qd[6];
  let_go(TOUCHING_BOX, "\"stiffness\": 1e6, \"damping\": 1, \"friction\": 0.3", slope, 0.0499, t_end, q, qd);
  ck_assert_msg(fabs(qd[3] - a * t_end) < 0.01 * a * t_end, "%g m/s, not %g", qd[3], a * t_end);
  ck_assert_double_lt(fabs(q[1]), 1e-3); // it does not tip over
}
END_TEST

// 5/7 g sin where friction suffices; the rotation vector is the turn about y.
START_TEST(a_ball_rolls_down_a_slope) {
  const double slope = 0.3, t_end = 0.3, a = 5. / 7 * 9.81 * sin(slope);
  double q[6], qd[6];
  let_go(TOUCHING_BALL, "\"stiffness\": 1e7, \"damping\": 1, \"friction\": 0.8, \"slip_speed\": 1e-4", slope, 0.09999,
         t_end, q, qd);
  double turn = q[1], way = 0.1 * turn;
  ck_assert_msg(fabs(way - 0.5 * a * t_end * t_end) < 0.01 * way, "%g m, not %g", way, 0.5 * a * t_end * t_end);
  ck_assert_msg(fabs(qd[1] * 0.1 - a * t_end) < 0.01 * a * t_end, "%g m/s, not %g", qd[1] * 0.1, a * t_end);
}
END_TEST

// ------------------------------------------------------------------------------------------------ boxes

// A body on a box that stands still, both tilted by `slope` about y, put down where its middle is `height` above the
// face; its q, qd [6] after t_end, in the frame of the lower one.
static void on_box(const char *body, double height, const char *law, double slope, double t_end, double *q,
                   double *qd) {
  char text[3000];
  double start[6] = {0, 0, 0, 0, 0, 0.1 + height};
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [%.17g, 0, %.17g], \"links\": [{\"name\": \"ground\", "
           "\"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"box\", \"size\": "
           "[4, 1, 0.2]}, \"density\": 1000}}, {\"name\": \"a\", %s%s}], \"contacts\": [{\"type\": \"pair\", \"a\": "
           "[\"a\"], \"b\": [\"ground\"], %s}]}",
           9.81 * sin(slope), -9.81 * cos(slope), TOUCHING_FREE, body, law);
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, start);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-3 * e->exchanged, "off by %g of %g J", e->error, e->exchanged);
  memcpy(q, recording_last(&r), 6 * sizeof *q);
  memcpy(qd, recording_last(&r) + 6, 6 * sizeof *qd);
  recording_free(&r);
  td_model_destroy(model);
}

// 3 kg on four corners and three points of every edge: k d^1.5 = m g / 16.
START_TEST(a_box_stands_on_a_box) {
  double q[6], qd[6], deep = pow(3 * 9.81 / 16e6, 1 / 1.5);
  on_box(TOUCHING_BOX, 0.05 - deep / 2,
         "\"stiffness\": 1e6, \"damping\": 20, \"friction\": 0.5, \"stick\": {\"stiffness\": 1e5, \"damping\": 50}", 0,
         0.5, q, qd);
  ck_assert_double_eq_tol(q[5], 0.15 - deep, 1e-2 * deep);
  for (int i = 0; i < 5; i++) ck_assert_msg(fabs(q[i]) < 1e-7 && fabs(qd[i]) < 1e-5, "%d: %g, %g", i, q[i], qd[i]);
}
END_TEST

START_TEST(a_box_on_a_tilted_box_holds_below_the_angle_of_friction_and_slides_above) {
  static const char LAW_OF[] =
      "\"stiffness\": 1e6, \"damping\": 5, \"friction\": 0.3, \"stick\": {\"stiffness\": 1e5, \"damping\": 50}";
  double q[6], qd[6], held = atan(0.3) - 0.02, slides = 0.5, a = 9.81 * (sin(slides) - 0.3 * cos(slides));
  on_box(TOUCHING_BOX, 0.05 - 1.5e-4, LAW_OF, held, 1, q, qd);
  ck_assert_msg(fabs(q[3]) < 2e-4 && fabs(qd[3]) < 1e-6, "%g m, %g m/s", q[3], qd[3]);
  on_box(TOUCHING_BOX, 0.05 - 1.4e-4, LAW_OF, slides, 0.5, q, qd);
  ck_assert_msg(fabs(qd[3] - a * 0.5) < 0.01 * a * 0.5, "%g m/s, not %g", qd[3], a * 0.5);
}
END_TEST

// What sinks in by more than its edges are rounded is pushed out by the nearest face, and told.
START_TEST(a_box_that_sinks_deep_into_a_box_is_held_and_told) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"ground\", \"joint\": "
      "{\"type\": "
      "\"fixed\"}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 0.2]}, \"density\": "
      "1000}}, "
      "{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", "
      "\"shape\": {\"type\": "
      "\"box\", "
      "\"size\": [0.2, 0.3, 0.1]}, \"density\": 1000}}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": "
      "[\"ground\"], \"stiffness\": 900, \"damping\": 2}]}");
  double q[1] = {0.14};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 3, q);
  recording r = {0};
  bool told = false;
  recording_ok(&r, model, &spec);
  for (int i = 0; i < r.statistics.warnings.count; i++)
    told |= !strcmp(r.statistics.warnings.list[i].code, "deep_contact");
  ck_assert(told);
  ck_assert_double_eq_tol(recording_last(&r)[0], 0.15 - pow(6 * 9.81 / (16 * 900), 1 / 1.5), 2e-3);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_ball_rolls_down_a_box) {
  const double slope = 0.3, t_end = 0.3, a = 5. / 7 * 9.81 * sin(slope);
  double q[6], qd[6];
  on_box(TOUCHING_BALL, 0.09999, "\"stiffness\": 1e7, \"damping\": 1, \"friction\": 0.8, \"slip_speed\": 1e-4", slope,
         t_end, q, qd);
  ck_assert_msg(fabs(qd[1] * 0.1 - a * t_end) < 0.01 * a * t_end, "%g m/s, not %g", qd[1] * 0.1, a * t_end);
}
END_TEST

// A box pushed over the edge of another tips; what it is lifted by does not jump on the way, nor where a capsule lies
// down on a face.
static double greatest_step(toucher *p, int steps, const double path[4]) {
  double last[TOUCHING_MOST], most_step = 0, id[TOUCHING_MOST];
  for (int k = 0; k <= steps; k++) {
    double x = (double)k / steps;
    memset(p->x, 0, sizeof p->x);
    // from flat on the face, over its edge, to flat on its side; place = V(turn) q
    double turn = 1.5707963 * x + 1e-3, A = sin(turn) / turn, B = (1 - cos(turn)) / turn, way = path[0] * x,
           up = path[1] + path[2] * sin(turn) + path[3] * cos(turn), square = A * A + B * B;
    p->x[0][1] = turn;
    p->x[0][3] = (A * way - B * up) / square;
    p->x[0][5] = (B * way + A * up) / square;
    ck_assert_int_eq(td_inverse_dynamics(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, id), TD_OK);
    for (int i = 0; k > 0 && i < p->n; i++) most_step = fmax(most_step, fabs(id[i] - last[i]));
    memcpy(last, id, sizeof last);
  }
  return most_step;
}

START_TEST(forces_do_not_jump_where_a_box_tips_or_a_capsule_lies_down) {
  const char *bodies[] = {TOUCHING_BOX, TOUCHING_CAPSULE, TOUCHING_DRUM, TOUCHING_MESH};
  static const double path[][4] = {
      {0.15, 0.047, 0.1, 0.05}, {0, 0.11, 0.13, 0}, {0.15, 0.148, 0, 0}, {0.05, 0.172, 0, 0}};
  for (int b = 0; b < 4; b++) {
    toucher p;
    toucher_init(&p, two(bodies[b], TOUCHING_BOX, "\"stiffness\": 1e4"));
    double coarse = greatest_step(&p, 500, path[b]), fine = greatest_step(&p, 8000, path[b]);
    ck_assert_double_gt(coarse, 0.01);
    ck_assert_msg(fine < coarse / 8, "%d: steps of %g N, 16 times shorter ones of %g N", b, coarse, fine);
    toucher_fini(&p);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ coins

static const char COIN[] =
    "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.05, \"length\": "
    "0.01, \"axis\": \"z\"}, \"density\": 8000}";

// Flat on the plane it turns about its axis on its rim: I = m R^2 / 2, the moment mu m g R, turn'' = -2 mu g / R.
START_TEST(a_spinning_coin_comes_to_rest_as_coulomb_says) {
  char text[2048];
  const double mu = 0.3, w = 20, slow = 2 * mu * 9.81 / 0.05, t_end = 0.15,
               sunk = pow(8000 * M_PI * 2.5e-5 * 9.81 / 8e6, 1 / 1.5);
  double q[6] = {0, 0, 0, 0, 0, 0.005 - sunk}, qd[6] = {0, 0, w};
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", %s%s}], "
           "\"contacts\": [{\"type\": \"plane\", \"links\": [\"a\"], \"stiffness\": 2e6, \"damping\": 1, \"friction\": "
           "0.3}]}",
           TOUCHING_FREE, COIN);
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, q);
  recording r = {0};
  spec.qd = qd;
  spec.qd_count = 6;
  recording_ok(&r, model, &spec);
  const double *end = recording_last(&r);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-3 * e->exchanged, "off by %g of %g J", e->error, e->exchanged);
  ck_assert_msg(fabs(end[8] - (w - slow * t_end)) < 0.01 * w, "%g rad/s, not %g", end[8], w - slow * t_end);
  for (int i = 0; i < 5; i++) ck_assert(i == 2 || fabs(end[i]) < 1e-6);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// On its edge, one that is round: 2/3 g sin, and no bumps.
START_TEST(a_wheel_rolls_down_a_slope) {
  static const char WHEEL[] =
      "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, \"length\": "
      "0.05, \"axis\": \"y\"}, \"density\": 700}";
  const double slope = 0.2, t_end = 0.4, a = 2. / 3 * 9.81 * sin(slope);
  double q[6], qd[6];
  let_go(WHEEL, "\"stiffness\": 1e7, \"damping\": 1, \"friction\": 0.8, \"slip_speed\": 1e-4", slope, 0.09999, t_end, q,
         qd);
  ck_assert_msg(fabs(qd[1] * 0.1 - a * t_end) < 0.01 * a * t_end, "%g m/s, not %g", qd[1] * 0.1, a * t_end);
  ck_assert_msg(fabs(q[1] * 0.1 - 0.5 * a * t_end * t_end) < 0.01 * a * t_end * t_end, "%g m", q[1] * 0.1);
}
END_TEST

// A rod held at one end lies across a bar that stands still: the equilibrium is that of forces, and stable.
START_TEST(a_rod_comes_to_rest_on_a_bar) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\", \"joint\": "
      "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", "
      "\"radius\": 0.01}, \"material\": {\"young\": 2e7, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": {\"bending_y\": 3}}, \"quadrature\": {\"points\": 7}}}, {\"name\": \"bar\", \"joint\": "
      "{\"type\": \"fixed\"}, \"pose\": {\"translation\": [0.33, 0, -0.09]}, \"body\": {\"type\": \"rigid\", \"mass\": "
      "1, "
      "\"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"capsule\", \"radius\": 0.01, \"length\": 0.2, \"axis\": "
      "\"y\"}}}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"arm\"], \"b\": [\"bar\"], \"stiffness\": 1e4}]}");
  double q[8] = {0}, u[1] = {0}, id[8], tau[8];
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_energy energy;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_msg(!td_statics_solve(model, ws, u, &options, q, &result, &err), "%s", err.message);
  ck_assert_int_eq(td_inverse_dynamics(model, ws, q, NULL, NULL, u, id), TD_OK);
  ck_assert_int_eq(td_generalized_force(model, ws, q, NULL, u, tau), TD_OK);
  ck_assert_int_eq(td_energy_at(model, ws, q, NULL, &energy), TD_OK);
  for (int i = 0; i < td_model_ndof(model); i++) ck_assert_double_eq_tol(id[i], tau[i], 1e-8);
  ck_assert_msg(energy.contact > 0 && result.stable && result.conservative, "%g J, %d, %d", energy.contact,
                result.stable, result.conservative);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ documents

static void refuses(const char *body, const char *contact, const char *pointer, const char *why) {
  char text[4096];
  td_model *model = NULL;
  td_error err = {0};
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", %s%s}, {\"name\": \"b\", \"joint\": {\"type\": "
      "\"free\"}, %s}], \"contacts\": [{\"stiffness\": 1, %s}]}",
      TOUCHING_FREE, body, TOUCHING_BALL, contact);
  ck_assert_int_eq(test_model_try(text, &model, &err), TD_INVALID_ARGUMENT);
  ck_assert_msg(!strcmp(err.pointer, pointer), "%s: %s", err.pointer, err.message);
  ck_assert_msg(strstr(err.message, why) != NULL, "%s", err.message);
}

START_TEST(what_cannot_touch_is_refused_with_its_place) {
  static const char
      LUMP[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1]}",
      SHARP[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": {\"shape\": "
                "\"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}",
      FLAT[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": {\"shape\": "
               "\"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], \"rounding\": 0.1}}",
      PAIR[] = "\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"]";
  refuses(LUMP, "\"type\": \"plane\", \"links\": [\"a\"]", "/contacts/0/links/0", "nothing to touch with");
  refuses(SHARP, "\"type\": \"sphere\", \"radius\": 1, \"links\": [\"a\"]", "/contacts/0/links/0",
          "needs a `rounding`");
  refuses(TOUCHING_BOX, "\"type\": \"sphere\", \"radius\": 1, \"links\": [\"a\"], \"exponent\": 0.5",
          "/contacts/0/exponent", "at least 1");
  refuses(TOUCHING_BALL, "\"type\": \"plane\"", "/contacts/0", "`links` names them");
  refuses(TOUCHING_BALL, "\"type\": \"plane\", \"per\": \"length\", \"links\": [\"a\"]", "/contacts/0/links/0",
          "per length");
  refuses(SHARP, PAIR, "/contacts/0/a/0", "needs a `rounding`");
  refuses(FLAT, PAIR, "/contacts/0/a/0", "is flat");
  refuses(TOUCHING_BALL, "\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"a\"]", "/contacts/0/b/0", "of type self");
  refuses(TOUCHING_BALL, "\"type\": \"pair\", \"a\": [\"b\", \"b\"], \"b\": [\"a\"]", "/contacts/0/a/1", "named twice");
  refuses(TOUCHING_BALL, "\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], \"exponent\": 0.5",
          "/contacts/0/exponent", "at least 1");
  refuses(TOUCHING_BALL, "\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], \"anisotropy\": [1, 2]",
          "/contacts/0/anisotropy", "none is named");
  refuses(TOUCHING_BALL, "\"type\": \"self\", \"link\": \"a\"", "/contacts/0/link", "is no rod");
  refuses(TOUCHING_ROD, "\"type\": \"self\", \"link\": \"a\", \"apart\": -1", "/contacts/0/apart", "negative");
}
END_TEST

TEST_MAIN("touching_bodies", derivatives_of_touching_bodies_are_those_of_differences,
          derivatives_with_a_rod_s_anisotropy_are_those_of_differences,
          derivatives_without_friction_are_those_of_differences,
          derivatives_of_a_rod_that_touches_itself_are_those_of_differences, bodies_push_each_other_alike,
          what_touches_two_capsules_where_they_join_counts_once,
          two_balls_bounce_as_hunt_and_crossley_say_and_keep_their_momentum, no_step_passes_through_a_body_unseen,
          a_block_slides_down_a_slope_as_coulomb_says, a_ball_rolls_down_a_slope, a_box_stands_on_a_box,
          a_box_on_a_tilted_box_holds_below_the_angle_of_friction_and_slides_above, a_ball_rolls_down_a_box,
          a_box_that_sinks_deep_into_a_box_is_held_and_told, a_spinning_coin_comes_to_rest_as_coulomb_says,
          a_wheel_rolls_down_a_slope, forces_do_not_jump_where_a_box_tips_or_a_capsule_lies_down,
          a_rod_comes_to_rest_on_a_bar, what_cannot_touch_is_refused_with_its_place)
