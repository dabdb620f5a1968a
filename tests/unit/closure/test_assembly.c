// Assembly from states at which no small motion brings the ends of a loop nearer at first order: straight rods that
// have to bend, chains stretched out.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// A rod of 4 MPa, 2 mm thick, hinged or clamped at 0, its tip held at [span, 0, 0].
static td_model *cable(double length, double span, const char *base, const char *loop, double weight) {
  char text[2000];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, %g], \"links\": [{\"name\": \"rod\", \"joint\": "
      "{\"type\": "
      "%s}, \"body\": {\"type\": \"rod\", \"length\": %g, \"section\": {\"shape\": \"circle\", \"radius\": 0.002}, "
      "\"material\": {\"young\": 4e6, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
      "\"order\": {\"bending_y\": 8}}}}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": \"world\", "
      "\"pose\": {\"translation\": [%g, 0, 0]}}, \"joint\": {\"type\": %s}}]}",
      weight, base, length, span, loop);
  return test_model_from_text(text);
}

static const char hinge[] = "\"revolute\", \"axis\": \"y\"";

// `count` bars of 1 m, stretched out along x, the foot at [span, 0, 0].
static td_model *chain(int count, double span) {
  char text[4000];
  int used = snprintf(text, sizeof text, "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [");
  for (int i = 0; i < count; i++)
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "%s{\"name\": \"b%d\", \"parent\": \"%s%.0d\", \"pose\": {\"translation\": [%d, 0, 0]}, \"joint\": "
                 "{\"type\": %s}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": "
                 "[0.001, 0.08, 0.08]}}",
                 i ? ", " : "", i, i ? i == 1 ? "b0" : "b" : "world", i > 1 ? i - 1 : 0, i > 0, hinge);
  snprintf(
      text + used, sizeof text - (size_t)used,
      "], \"loops\": [{\"name\": \"foot\", \"a\": {\"link\": \"b%d\", \"pose\": {\"translation\": [1, 0, 0]}}, \"b\": "
      "{\"link\": \"world\", \"pose\": {\"translation\": [%g, 0, 0]}}, \"joint\": {\"type\": %s}}]}",
      count - 1, span, hinge);
  return test_model_from_text(text);
}

// The first sample of a run that starts at q (NULL: zero), into q0 [n]; its height against the line between the
// supports, by the potential of its weight (N m).
static double start(td_model *model, const double *q, double *q0) {
  td_dynamics_spec spec = recording_job(model, TD_METHOD_GENERALIZED_ALPHA, 1e-4, q);
  recording r = {0};
  td_workspace *ws;
  td_energy energy;
  spec.integrator.h = 1e-4;
  recording_ok(&r, model, &spec);
  memcpy(q0, r.rows, (size_t)td_model_ndof(model) * sizeof *q0);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_energy_at(model, ws, q0, NULL, &energy), TD_OK);
  td_workspace_destroy(ws);
  recording_free(&r);
  return energy.gravitational;
}

START_TEST(a_straight_rod_that_is_longer_than_its_span_starts_closed_and_hanging) {
  static const char *const base[] = {hinge, "\"fixed\"", "\"fixed\""}, *const loop[] = {hinge, hinge, "\"fixed\""};
  static const double lengths[] = {1.0001, 1.05, 1.25, 2, 4};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 5; i++)
      for (int up = -1; up < 2; up += 2) {
        double q[16], again[16];
        td_model *model = cable(lengths[i], 1, base[k], loop[k], 9.81 * up);
        double height = start(model, NULL, q);
        ck_assert_msg(height < -1e-5, "ends %d, %g m, gravity %d: %g N m", k, lengths[i], up, height);
        ck_assert_double_eq(start(model, NULL, again), height);
        ck_assert_mem_eq(q, again, (size_t)td_model_ndof(model) * sizeof *q);
        td_model_destroy(model);
      }
}
END_TEST

START_TEST(a_rod_that_nothing_pushes_takes_the_same_side_each_time) {
  double q[16], again[16];
  td_model *model = cable(1.25, 1, hinge, hinge, 0);
  start(model, NULL, q);
  start(model, NULL, again);
  ck_assert_mem_eq(q, again, (size_t)td_model_ndof(model) * sizeof *q);
  ck_assert_double_gt(fabs(q[1]), 1);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_first_guess_beside_the_straight_one_keeps_its_side) {
  double q[16] = {-0.01, 0.02}, q0[16];
  td_model *model = cable(1.25, 1, hinge, hinge, -9.81);
  ck_assert_double_gt(start(model, q, q0), 1e-3); // above the supports, against the weight
  td_model_destroy(model);
}
END_TEST

// Statics goes on from there to the hanging cable: a cosh with a sag of 0.3352 m (2 a sinh(1 / (2 a)) = 1.25) but for
// the stiffness.
START_TEST(a_hanging_cable_needs_no_first_guess) {
  td_model *model = cable(1.25, 1, hinge, hinge, -9.81);
  td_statics_options options;
  td_statics_result result;
  td_workspace *ws;
  td_error err = {0};
  td_energy energy;
  double q[16] = {0};
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_msg(td_statics_solve(model, ws, NULL, &options, q, &result, &err) == TD_OK, "%s", err.message);
  ck_assert(result.converged && result.stable && result.loop_error < 1e-12);
  ck_assert_int_eq(td_energy_at(model, ws, q, NULL, &energy), TD_OK);
  double low = 0.1, high = 10, weight = 1000 * M_PI * 4e-6 * 9.81;
  for (int i = 0; i < 100; i++) {
    double a = 0.5 * (low + high);
    *(2 * a * sinh(0.5 / a) > 1.25 ? &low : &high) = a;
  }
  double a = low, depth = weight * (a * (0.5 + 0.5 * a * sinh(1 / a)) - a * cosh(0.5 / a) * 1.25);
  ck_assert_double_eq_tol(energy.gravitational, depth, 0.01 * fabs(depth));
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

START_TEST(chains_that_start_stretched_out_beyond_their_foot_fold_downwards) {
  for (int count = 2; count < 7; count++)
    for (double part = 0.3; part < 1; part += 0.3) {
      double q[8];
      td_model *model = chain(count, part * count);
      double height = start(model, NULL, q);
      ck_assert_msg(height < -0.1, "%d bars, %g: %g N m", count, part, height);
      td_model_destroy(model);
    }
}
END_TEST

START_TEST(a_foot_out_of_reach_is_refused_with_the_distance_that_is_left) {
  td_model *model = chain(3, 3.25);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1, NULL);
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NOT_CONVERGED);
  ck_assert_msg(strstr(r.error.message, "\"foot\"") && strstr(r.error.message, "0.25 m") &&
                    strstr(r.error.message, "out of reach") && strstr(r.error.message, "initial q"),
                "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("assembly", a_straight_rod_that_is_longer_than_its_span_starts_closed_and_hanging,
          a_rod_that_nothing_pushes_takes_the_same_side_each_time, a_first_guess_beside_the_straight_one_keeps_its_side,
          a_hanging_cable_needs_no_first_guess, chains_that_start_stretched_out_beyond_their_foot_fold_downwards,
          a_foot_out_of_reach_is_refused_with_the_distance_that_is_left)
