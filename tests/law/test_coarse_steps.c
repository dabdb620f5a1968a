// Equal steps that are too coarse for the motion: their energy may close while the phase runs away. What a run says of
// that is held against oscillators whose motion is known.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINK(name, parent, stiffness, damping)                                                                         \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"joint\": {\"type\": \"revolute\", \"stiffness\": " stiffness \
  ", \"damping\": " damping "}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1]}}"

static td_model *robot_of(const char *links, const char *more) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [%s], \"actuators\": [%s]}", links,
           more);
  return test_model_from_text(text);
}

// An oscillator of w rad/s.
static td_model *oscillator(double w) {
  char link[600];
  snprintf(link, sizeof link, LINK("a", "world", "%.17g", "0"), w * w);
  return robot_of(link, "");
}

static const td_warning *coarse(const recording *r) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, "coarse_step")) return &r->statistics.warnings.list[i];
  return NULL;
}

static const double RAISED[2] = {0.1, 0};

// Largest distance from 0.1 cos(w t), in amplitudes.
static double error_of(const recording *r, double w) {
  double most = 0;
  for (size_t i = 0; i < r->count; i++) most = fmax(most, fabs(r->rows[i * r->row] / 0.1 - cos(w * r->t[i])));
  return most;
}

static void run_oscillator(recording *r, td_method method, double w, double t_end, double h) {
  td_model *model = oscillator(w);
  td_dynamics_spec spec = recording_job(model, method, t_end, RAISED);
  spec.integrator.h = h;
  spec.output_dt = t_end / 1000;
  recording_ok(r, model, &spec);
  td_model_destroy(model);
}

// "take h below 0.00051"
static double advised(const td_warning *w) {
  double h = 0;
  const char *at = strstr(w->detail, "take h below ");
  ck_assert_ptr_nonnull(at);
  ck_assert_int_eq(sscanf(at, "take h below %lf", &h), 1);
  return h;
}

START_TEST(a_phase_that_runs_away_is_said_with_its_size_and_a_step_that_keeps_it) {
  static const struct {
    td_method method;
    double w, t_end, h;
  } cases[] = {{TD_METHOD_NEWMARK, 20, 100, 0.002},
               {TD_METHOD_GENERALIZED_ALPHA, 20, 100, 0.002},
               {TD_METHOD_HHT, 20, 100, 0.002},
               {TD_METHOD_RK4, 20, 60, 0.012},
               {TD_METHOD_NEWMARK, 1000, 0.1, 5e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    recording r = {0}, finer = {0};
    run_oscillator(&r, cases[i].method, cases[i].w, cases[i].t_end, cases[i].h);
    const td_warning *said = coarse(&r);
    double error = error_of(&r, cases[i].w), percent = 0;
    ck_assert_msg(said, "%s, %g rad/s: off by %g, and nothing said", td_method_name(cases[i].method), cases[i].w,
                  error);
    ck_assert_str_eq(said->pointer, "/integrator/h");
    const char *size = strstr(said->detail, "adds up to ");
    if (sscanf(size, "adds up to %lf", &percent) == 1)
      ck_assert_msg(percent > 60 * error && percent < 160 * error, "%g %% said of %g", percent, error);
    else
      ck_assert_double_gt(error, 0.5);
    run_oscillator(&finer, cases[i].method, cases[i].w, cases[i].t_end, advised(said));
    ck_assert_msg(!coarse(&finer), "%s", coarse(&finer) ? coarse(&finer)->detail : "");
    ck_assert_msg(error_of(&finer, cases[i].w) < 0.03, "with the advice still %g", error_of(&finer, cases[i].w));
    recording_free(&r);
    recording_free(&finer);
  }
}
END_TEST

START_TEST(a_mode_that_steps_of_twice_its_time_cannot_follow_is_said) {
  recording r = {0};
  run_oscillator(&r, TD_METHOD_NEWMARK, 1000, 1, 0.002);
  ck_assert_ptr_nonnull(coarse(&r));
  ck_assert_ptr_nonnull(strstr(coarse(&r)->detail, "more than all"));
  recording_free(&r);
}
END_TEST

START_TEST(a_method_of_first_order_is_judged_by_what_it_loses) {
  recording r = {0};
  run_oscillator(&r, TD_METHOD_EULER_IMPLICIT, 20, 0.2, 0.002); // off by 7 %
  ck_assert_int_ge(r.statistics.warnings.count, 1);
  recording_free(&r);
}
END_TEST

START_TEST(a_fast_mode_that_nobody_excites_does_not_alarm) {
  td_model *model = robot_of(LINK("a", "world", "4", "0") "," LINK("b", "a", "1e6", "0"), "");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 20, RAISED);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(r.statistics.warnings.count == 0, "%s", r.statistics.warnings.list[0].detail);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_slow_phase_is_seen_behind_the_ringing_of_a_mode_without_energy) {
  td_model *model = robot_of(LINK("a", "world", "400", "0") "," LINK("b", "a", "1e6", "0"), "");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 100, RAISED); // 14 rad/s: 0.094 rad late
  recording r = {0};
  double percent = 0;
  recording_ok(&r, model, &spec);
  ck_assert_ptr_nonnull(coarse(&r));
  ck_assert_int_eq(sscanf(strstr(coarse(&r)->detail, "adds up to "), "adds up to %lf", &percent), 1);
  ck_assert_msg(percent > 6 && percent < 15, "%s", coarse(&r)->detail);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_fast_mode_with_most_of_the_energy_alarms_beside_a_slow_one) {
  static const double q[2] = {0.1, 0.01}; // 0.01 J and 25 J
  td_model *model = robot_of(LINK("a", "world", "4", "0") "," LINK("b", "a", "1e6", "0"), "");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 1, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_ptr_nonnull(coarse(&r));
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A tenth of critical damping at 20 rad/s, driven for 100 s: each period forgets what the ones before left out.
START_TEST(driven_motion_that_damping_bounds_does_not_alarm_however_long_it_lasts) {
  static const td_method methods[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = robot_of(LINK("a", "world", "400", "4"), "{\"name\": \"m\", \"type\": \"joint\", \"link\": \"a\"}");
  td_input_spec input = {.channel = "m", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 40, .frequency = 2}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 100, RAISED);
    spec.inputs = &input;
    spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_msg(r.statistics.warnings.count == 0, "%s", r.statistics.warnings.list[0].detail);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

#define SLIDER_CRANK(more, end)                                                                                        \
  "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"crank\", \"joint\": {\"type\": " \
  "\"revolute\", \"axis\": \"y\"" more "}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, "    \
  "0.01]}}, {\"name\": \"rod\", \"parent\": "                                                                          \
  "\"crank\", \"pose\": {\"translation\": [0.1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, "        \
  "\"body\": "                                                                                                         \
  "{\"type\": \"rigid\", \"mass\": 0.5, \"com\": [0.15, 0, 0], \"inertia\": [0.004, 0.004, 0.004]}}, {\"name\": "      \
  "\"piston\", \"pose\": {\"translation\": [0.4, 0, 0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, "      \
  "\"body\": "                                                                                                         \
  "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01]}}], \"loops\": [{\"joint\": {\"type\": "         \
  "\"revolute\", "                                                                                                     \
  "\"axis\": \"y\"}, \"a\": {\"link\": \"rod\", \"pose\": {\"translation\": [0.3, 0, 0]}}, \"b\": {\"link\": "         \
  "\"piston\"}}]" end "}"

static bool crank_alarms(const char *text, td_method method, const double *qd, const td_input_spec *turning) {
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, method, 5, (const double[6]){0});
  recording r = {0};
  spec.qd = qd, spec.qd_count = 3;
  spec.integrator.h = 0.002;
  spec.inputs = turning, spec.input_count = turning ? 1 : 0;
  recording_ok(&r, model, &spec);
  bool alarms = r.statistics.warnings.count > 0; // coarse_step, or where phase and amplitude go, energy_error
  recording_free(&r);
  td_model_destroy(model);
  return alarms;
}

START_TEST(what_loops_take_away_in_each_step_adds_nothing_up_and_what_goes_along_with_them_does) {
  static const double slope[2] = {0, 60}, turns[3] = {60, -80, 0}, swings[3] = {6, -8, 0};
  td_input_spec turning = {.channel = "turn", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = slope, .count = 2}};
  for (td_method method = TD_METHOD_NEWMARK; method <= TD_METHOD_GENERALIZED_ALPHA; method++) {
    ck_assert_msg(!crank_alarms(SLIDER_CRANK("", ", \"actuators\": [{\"name\": \"turn\", \"type\": \"joint\", "
                                                 "\"link\": \"crank\", \"mode\": \"position\"}]"),
                                method, turns, &turning),
                  "%s: the input says where the crank is, and the loop where the rest", td_method_name(method));
    ck_assert_msg(crank_alarms(SLIDER_CRANK(", \"stiffness\": 200", ""), method, swings, NULL),
                  "%s: a crank on a spring swings at 100 rad/s", td_method_name(method));
  }
}
END_TEST

START_TEST(a_run_that_shall_fail_on_inconsistency_fails_and_one_of_pieces_says_the_same) {
  td_model *model = oscillator(20);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 100, RAISED);
  recording whole = {.checkpoint_dt = 10, .keep_at = 50}, resumed = {.checkpoint_dt = 10};
  spec.fail_on_inconsistency = true;
  recording_run(&whole, model, &spec, NULL);
  ck_assert_int_eq(whole.status, TD_INCONSISTENT);
  ck_assert_str_eq(whole.error.pointer, "/integrator/h");
  ck_assert_ptr_nonnull(whole.checkpoint);
  recording_run(&resumed, model, &spec, &whole);
  ck_assert_mem_eq(&resumed.statistics.warnings, &whole.statistics.warnings, sizeof whole.statistics.warnings);
  recording_free(&resumed);
  recording_free(&whole);
  td_model_destroy(model);
}
END_TEST

// A rod of three functions that straightens, in steps that are too long: none of its numbers is blamed for what all are off by.
START_TEST(what_a_soft_body_is_off_by_is_that_of_all_its_coordinates) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
      "{\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
      "{\"young\": 3e5, \"poisson\": 0.5, \"density\": 1100, \"viscosity\": 3000}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": {\"bending_y\": 2}}}}]}");
  static const double bent[6] = {0, 3};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_GENERALIZED_ALPHA, 1, bent);
  spec.integrator.h = 0.01;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *said = coarse(&r);
  ck_assert_ptr_nonnull(said);
  ck_assert_msg(strstr(said->detail, "the coordinates of \"rod\" together are off by about ") &&
                    strstr(said->detail, "that they move by"),
                "%s", said->detail);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("coarse steps", a_phase_that_runs_away_is_said_with_its_size_and_a_step_that_keeps_it,
          a_mode_that_steps_of_twice_its_time_cannot_follow_is_said, a_method_of_first_order_is_judged_by_what_it_loses,
          a_slow_phase_is_seen_behind_the_ringing_of_a_mode_without_energy,
          a_fast_mode_that_nobody_excites_does_not_alarm, a_fast_mode_with_most_of_the_energy_alarms_beside_a_slow_one,
          driven_motion_that_damping_bounds_does_not_alarm_however_long_it_lasts,
          what_loops_take_away_in_each_step_adds_nothing_up_and_what_goes_along_with_them_does,
          a_run_that_shall_fail_on_inconsistency_fails_and_one_of_pieces_says_the_same,
          what_a_soft_body_is_off_by_is_that_of_all_its_coordinates)
