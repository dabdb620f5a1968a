// Rods that come to rest on floors and bars: what lies flat is not too coarse, what lies between its points is.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/statics.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// A soft rod of 0.5 m and 10 mm along x, 30 mm above z = 0, that slides along z (or turns about y with its base).
static td_model *rod_above(const char *joint, const char *contact, int points) {
  char text[1600];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"s\", \"joint\": "
           "{\"type\": %s, \"damping\": 0.02}}, {\"name\": \"r\", \"parent\": \"s\", \"pose\": {\"translation\": [0, "
           "0, 0.03]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": "
           "{\"shape\": \"stiffness\", \"GJ\": 0.01, \"EI_y\": 0.2, \"EI_z\": 0.2, \"EA\": 1000, \"GA_y\": 333, "
           "\"GA_z\": 333, \"mass_per_length\": 0.05, \"inertia_per_length\": [2e-6, 1e-6, 1e-6], \"damping\": [0.01, "
           "0.02, 0.02, 1, 1, 1], \"radius\": 0.005}, \"strain\": {\"basis\": \"legendre\", \"order\": "
           "{\"bending_y\": 4}}, \"quadrature\": {\"points\": %d}}}], \"contacts\": [{%s}]}",
           joint, points, contact);
  return test_model_from_text(text);
}

static const td_warning *said(const td_warnings *list, const char *code) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->list[i].code, code)) return &list->list[i];
  return NULL;
}

static const td_warning *said_at(const td_warnings *list, const char *code, const char *pointer) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->list[i].code, code) && !strcmp(list->list[i].pointer, pointer)) return &list->list[i];
  return NULL;
}

static const char floor_of[] = "\"type\": \"plane\", \"per\": \"length\", \"stiffness\": 1e4",
                  bar_of[] = "\"type\": \"cylinder_exterior\", \"axis\": \"y\", \"radius\": 0.03, \"per\": \"length\", "
                             "\"stiffness\": 1e5, \"pose\": {\"translation\": [0.25, 0, -0.03]}";

// Its strains are what is left of weight and floor, 1e-5 of its length: they were said to be off by 75 %, on however
// many points.
START_TEST(what_lies_flat_on_a_floor_is_not_too_coarse) {
  static const int points[] = {12, 24, 48};
  static const double near[6] = {-0.026};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    td_model *model = rod_above("\"prismatic\", \"axis\": \"z\"", floor_of, points[i]);
    td_statics_spec spec = {.initial = TD_INITIAL_ARRAY, .q = near, .q_count = 6};
    td_run_statistics statistics = {0};
    td_error err = {0};
    td_statics_defaults(&spec.options);
    ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = said(&statistics.warnings, "coarse_quadrature");
    ck_assert_msg(!w, "%d points: %s", points[i], w ? w->detail : "");
    td_model_destroy(model);
  }
  td_model *model = rod_above("\"prismatic\", \"axis\": \"z\"", floor_of, 24);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.3, NULL);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *w = said(&r.statistics.warnings, "coarse_quadrature");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(what_lies_on_a_bar_between_its_points_is_told) {
  td_model *model = rod_above("\"revolute\", \"axis\": \"y\"", bar_of, 20);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.5, NULL);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_ptr_nonnull(said(&r.statistics.warnings, "coarse_quadrature"));
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Nothing but the bar holds it, by points of a stiffness each: it comes to rest 3 mm too low, which was the way that
// runs in motion were given.
START_TEST(what_comes_to_rest_on_a_bar_between_points_of_a_stiffness_each_is_told) {
  static const int points[] = {32, 120};
  for (int i = 0; i < 2; i++) {
    char bar[200]; // 1e7 per metre, by what a point in the middle stands for
    snprintf(bar, sizeof bar,
             "\"type\": \"cylinder_exterior\", \"axis\": \"y\", \"radius\": 0.01, \"stiffness\": %g, \"pose\": "
             "{\"translation\": [0.25, 0, -0.01]}",
             1e7 * 0.5 * M_PI / (2 * points[i]));
    td_model *model = rod_above("\"revolute\", \"axis\": \"y\"", bar, points[i]);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 2, NULL);
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_warning *w = said_at(&r.statistics.warnings, "coarse_quadrature", "/model/contacts/0/per");
    ck_assert_msg(!w == (points[i] == 120), "%d points: %s", points[i], w ? w->detail : "nothing");
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// Its weight, 0.49 N/m, sinks by (0.49 / k)^(2/3): 29 mm at k = 100, of a radius of 5 mm, and 0.3 mm at 1e5.
START_TEST(what_sinks_deeper_than_it_is_thick_is_told) {
  static const char *const stiffness[] = {"100", "1e5"};
  static const double near[6] = {-0.03};
  for (int i = 0; i < 2; i++) {
    char text[100];
    snprintf(text, sizeof text, "\"type\": \"plane\", \"per\": \"length\", \"stiffness\": %s", stiffness[i]);
    td_model *model = rod_above("\"prismatic\", \"axis\": \"z\"", text, 24);
    td_statics_spec still = {.initial = TD_INITIAL_ARRAY, .q = near, .q_count = 6};
    td_dynamics_spec moves = recording_job(model, TD_METHOD_AUTOMATIC, 0.3, NULL);
    td_run_statistics statistics = {0};
    td_error err = {0};
    recording r = {0};
    td_statics_defaults(&still.options);
    ck_assert_msg(!td_statics_run(model, &still, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    recording_ok(&r, model, &moves);
    const td_warning *a = said(&statistics.warnings, "deep_contact"), *b = said(&r.statistics.warnings, "deep_contact");
    ck_assert_msg(i == 0 ? a && b : !a && !b, "%s: %s, %s", stiffness[i], a ? a->detail : "silent",
                  b ? b->detail : "silent");
    if (a) ck_assert_str_eq(a->pointer, "/model/contacts/0/stiffness");
    if (a) ck_assert_msg(strstr(a->detail, "sinks 0.029 m deep") != NULL, "%s", a->detail);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// A finger of 0.12 m beside a ball, by contacts of a stiffness each, that its tendon bends onto it.
static td_model *finger(int points, double stiffness) {
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"finger\", \"joint\": "
      "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.12, \"section\": {\"shape\": \"circle\", "
      "\"radius\": [0.008, 0.005]}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1100, "
      "\"viscosity\": 200}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 4, \"bending_z\": 2, "
      "\"torsion\": 1}}, \"quadrature\": {\"points\": %d}}}], \"actuators\": [{\"name\": \"flex\", \"type\": "
      "\"tendon\", \"link\": \"finger\", \"routing\": {\"type\": \"linear\", \"base\": [0, -0.006], \"tip\": [0, "
      "-0.0035]}}], \"contacts\": [{\"type\": \"sphere\", \"radius\": 0.03, \"stiffness\": %g, \"pose\": "
      "{\"translation\": [0.085, 0.004, -0.042]}}]}",
      points, stiffness);
  return test_model_from_text(text);
}

// Seven points miss the ball on the way, and the tip ends a third of its length from where it does on more: runs kept to
// the robot's own points, as others of the same stiffness each are another robot.
START_TEST(what_is_drawn_over_a_ball_by_points_of_a_stiffness_each_is_told) {
  double t[] = {0, 0.2}, value[] = {0, 4};
  td_input_spec pull = {.channel = "flex", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = value, .count = 2}};
  td_model *model = finger(7, 3000);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.4, NULL);
  recording r = {0};
  spec.inputs = &pull, spec.input_count = 1;
  recording_ok(&r, model, &spec);
  const td_warning *w = said_at(&r.statistics.warnings, "coarse_quadrature", "/model/links/0/body/quadrature/points");
  ck_assert_msg(w && strstr(w->detail, "and contacts with \"per\": \"length\""), "%s", w ? w->detail : "silent");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Falls on its end from 1 mm above a plane: one point touches, of any number, and so does one of twice as many.
START_TEST(what_stands_on_its_end_touches_with_one_point_of_any_number) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"slide\", \"joint\": {\"type\": \"prismatic\", "
      "\"axis\": "
      "\"z\"}}, {\"name\": \"rod\", \"parent\": \"slide\", \"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}, "
      "\"joint\": "
      "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", "
      "\"radius\": 0.01}, \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": {}}}}], \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e6, \"pose\": "
      "{\"translation\": [0, 0, -0.011]}}]}");
  static const double speed = -1;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.005, NULL);
  recording r = {0};
  spec.qd = &speed, spec.qd_count = 1;
  recording_ok(&r, model, &spec);
  ck_assert_double_gt(r.statistics.energy.exchanged, 0.01); // it struck
  const td_warning *w = said(&r.statistics.warnings, "coarse_quadrature");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  (void)index, (void)u, (void)result;
  ck_assert_msg(!failure, "%s", failure ? failure->message : "");
  memcpy(context, q, 10 * sizeof *q);
  return true;
}

// Its tip at rest under 4 N, m.
static void pressed(int points, double stiffness, td_run_statistics *statistics, double out[3]) {
  td_model *model = finger(points, stiffness);
  td_workspace *ws;
  td_se3 tip;
  td_error err = {0};
  double q[10];
  td_input_spec pull = {.channel = "flex", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 4}};
  td_statics_spec spec = {.inputs = &pull, .input_count = 1};
  td_statics_hooks hooks = {.context = q, .solved = on_solved};
  td_statics_defaults(&spec.options);
  ck_assert_int_eq(td_model_ndof(model), 10);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, statistics, &err), "%s", err.message);
  ck_assert(!td_workspace_create(model, &ws) && !td_pose_at(model, ws, q, 0, 1, &tip));
  td_workspace_destroy(ws);
  td_model_destroy(model);
  memcpy(out, tip.p, sizeof tip.p);
}

// How far twice the points put the tip, by its length, and what is said of so many.
static double moved(int points, double stiffness, td_run_statistics *statistics) {
  td_run_statistics other;
  double a[3], b[3];
  pressed(points, stiffness, statistics, a);
  pressed(2 * points, stiffness, &other, b);
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / 0.12;
}

// Each point pushes for itself: twice as many sink in less, and the finger ends elsewhere.
START_TEST(a_depth_that_hangs_on_the_number_of_points_is_told_where_it_moves_the_rod) {
  td_run_statistics soft, hard;
  double by_soft = moved(16, 300, &soft), by_hard = moved(64, 3000, &hard);
  const td_warning *w = said_at(&soft.warnings, "coarse_quadrature", "/model/contacts/0/per");
  ck_assert_msg(w && strstr(w->detail, "hangs on the number of its points") && by_soft > 0.02, "%g, %s", by_soft,
                w ? w->detail : "silent");
  w = said_at(&hard.warnings, "coarse_quadrature", "/model/contacts/0/per");
  ck_assert_msg(!w && by_hard < 0.02, "%g, %s", by_hard, w ? w->detail : "silent");
}
END_TEST

// It slides down beside the ball where one of sixteen points lets it: 7.6 % of its length, and equilibria whose contacts
// have a stiffness per point were asked for nothing but how deep these press.
START_TEST(an_equilibrium_that_slides_past_its_points_is_told_of_contacts_of_a_point_each_too) {
  td_run_statistics some;
  double by = moved(16, 3e5, &some);
  const td_warning *w = said_at(&some.warnings, "coarse_quadrature", "/model/links/0/body/quadrature/points");
  ck_assert_msg(w && by > 0.05, "%g, %s", by, w ? w->detail : "silent");
}
END_TEST

TEST_MAIN("resting rods", what_stands_on_its_end_touches_with_one_point_of_any_number,
          what_is_drawn_over_a_ball_by_points_of_a_stiffness_each_is_told,
          an_equilibrium_that_slides_past_its_points_is_told_of_contacts_of_a_point_each_too,
          a_depth_that_hangs_on_the_number_of_points_is_told_where_it_moves_the_rod,
          what_sinks_deeper_than_it_is_thick_is_told,
          what_comes_to_rest_on_a_bar_between_points_of_a_stiffness_each_is_told,
          what_lies_flat_on_a_floor_is_not_too_coarse, what_lies_on_a_bar_between_its_points_is_told)
