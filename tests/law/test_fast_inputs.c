// Inputs that go to and fro faster than the steps of a run: none is strode over in silence.
#include "input/signal.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rate_of(const td_signal_spec *spec, double from, double to) {
  td_signal *signal = NULL;
  ck_assert_int_eq(td_signal_create(spec, &signal), TD_OK);
  double rate = td_signal_rate(signal, from, to);
  td_signal_destroy(signal);
  return rate;
}

static const td_signal_spec fast = {.type = TD_SIGNAL_SINE, .amplitude = 1, .frequency = 1000},
                            slow = {.type = TD_SIGNAL_SINE, .amplitude = 1, .frequency = -3};

START_TEST(a_sum_is_as_fast_as_its_fastest_term_and_a_product_as_all_of_its_factors) {
  td_signal_spec terms[] = {fast, slow};
  td_signal_spec sum = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2};
  td_signal_spec product = {.type = TD_SIGNAL_PRODUCT, .of = terms, .of_count = 2};
  ck_assert_double_eq_tol(rate_of(&fast, 0, 1), 1000, 1e-9);
  ck_assert_double_eq_tol(rate_of(&slow, 0, 1), 3, 1e-9);
  ck_assert_double_eq_tol(rate_of(&sum, 0, 1), 1000, 1e-9);
  ck_assert_double_eq_tol(rate_of(&product, 0, 1), 1003, 1e-9);
}
END_TEST

START_TEST(a_sine_behind_a_window_is_fast_only_where_the_window_is_open) {
  static const double t[] = {1, 2}, open[] = {1, 0}, up[] = {0, 1};
  td_signal_spec window[] = {fast, {.type = TD_SIGNAL_STEPS, .t = t, .value = open, .count = 2}};
  td_signal_spec ramp[] = {fast, {.type = TD_SIGNAL_RAMP, .t = t, .value = up, .count = 2}};
  td_signal_spec product = {.type = TD_SIGNAL_PRODUCT, .of = window, .of_count = 2};
  ck_assert_double_eq(rate_of(&product, 0, 1), 0);
  ck_assert_double_eq_tol(rate_of(&product, 1, 2), 1000, 1e-9);
  ck_assert_double_eq(rate_of(&product, 2, 9), 0);
  product.of = ramp;
  ck_assert_double_eq(rate_of(&product, 0, 1), 0);
  ck_assert_double_eq_tol(rate_of(&product, 1, 2), 1000, 1e-9);
  ck_assert_double_eq_tol(rate_of(&product, 2, 9), 1000, 1e-9);
}
END_TEST

// 10 s of a chirp from 1 to 21 Hz in knots of 1 ms, with noise of a thousandth.
START_TEST(a_table_is_as_fast_as_it_turns_not_as_it_is_sampled) {
  enum { COUNT = 10001 };
  double *t = calloc(2 * COUNT, sizeof *t), *value = t + COUNT;
  for (int i = 0; i < COUNT; i++) {
    t[i] = 1e-3 * i;
    value[i] = sin(2 * M_PI * (t[i] + t[i] * t[i])) + 1e-3 * (i % 2);
  }
  td_signal_spec chirp = {.type = TD_SIGNAL_TABLE, .t = t, .value = value, .count = COUNT, .spline = true};
  double early = rate_of(&chirp, 0, 2), late = rate_of(&chirp, 8, 10);
  ck_assert_msg(early > 3 && early < 6, "%g Hz", early);
  ck_assert_msg(late > 18 && late < 24, "%g Hz", late);
  chirp.count = 40; // a few kinks are events
  chirp.spline = false;
  ck_assert_double_eq(rate_of(&chirp, 0, 0.03), 0);
  free(t);
}
END_TEST

#define MOTOR "\"actuators\": [{\"name\": \"motor\", \"type\": \"joint\", \"link\": \"arm\""
#define BODY "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1]}}"

// A damped pointer of 2 rad/s, that 1 kHz hardly move: by 1e-7 of what the same force does at rest.
static td_model *pointer(void) {
  return test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"arm\", \"joint\": "
      "{\"type\": \"revolute\", \"stiffness\": 4, \"damping\": 0.1}, " BODY "], " MOTOR "}]}");
}

START_TEST(no_method_takes_a_fast_sine_for_a_constant_however_long_its_steps_may_be) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RADAU, TD_METHOD_RK45,
                                      TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = pointer();
  td_input_spec input = {.channel = "motor", .signal = fast};
  input.signal.phase = M_PI / 2; // 1 wherever t is a multiple of h_max
  input.signal.amplitude = 1e-3;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 5, NULL);
    spec.inputs = &input;
    spec.input_count = 1;
    spec.integrator.adaptive = methods[i] == TD_METHOD_GENERALIZED_ALPHA;
    spec.integrator.rtol = 1e-3;
    spec.integrator.atol = 1e-4;
    spec.integrator.h_max = 0.01;
    spec.output_dt = 0.05;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double most = 0;
    for (size_t k = 0; k < r.count; k++) most = fmax(most, fabs(r.rows[k * r.row]));
    ck_assert_msg(most < 0.01 * 1e-3 / 4, "%s: %g rad, at rest %g", td_method_name(methods[i]), most, 1e-3 / 4);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(an_input_that_would_take_too_many_steps_is_said) {
  td_model *model = pointer();
  td_input_spec input = {.channel = "motor", .signal = fast};
  input.signal.frequency = 1e6;
  input.signal.amplitude = 1e-12;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 20, NULL);
  spec.integrator.max_steps = 2e4;
  spec.inputs = &input;
  spec.input_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_ge(r.statistics.warnings.count, 1);
  ck_assert_str_eq(r.statistics.warnings.list[0].code, "fast_input");
  ck_assert_str_eq(r.statistics.warnings.list[0].pointer, "/inputs/motor");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(equal_steps_of_which_ten_make_a_period_are_too_few) {
  td_model *model = pointer();
  td_input_spec input = {.channel = "motor", .signal = fast};
  input.signal.frequency = 50;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 1, NULL);
  spec.integrator.h = 0.002;
  spec.inputs = &input;
  spec.input_count = 1;
  td_warnings said = {0};
  ck_assert_int_eq(td_dynamics_check(model, &spec, &said, NULL), TD_OK);
  ck_assert_int_eq(said.count, 1);
  ck_assert_str_eq(said.list[0].code, "coarse_step");
  ck_assert_str_eq(said.list[0].pointer, "/inputs/motor");
  input.signal.frequency = 20;
  said = (td_warnings){0};
  ck_assert_int_eq(td_dynamics_check(model, &spec, &said, NULL), TD_OK);
  ck_assert_int_eq(said.count, 0);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("fast inputs", a_sum_is_as_fast_as_its_fastest_term_and_a_product_as_all_of_its_factors,
          a_sine_behind_a_window_is_fast_only_where_the_window_is_open,
          a_table_is_as_fast_as_it_turns_not_as_it_is_sampled,
          no_method_takes_a_fast_sine_for_a_constant_however_long_its_steps_may_be,
          an_input_that_would_take_too_many_steps_is_said, equal_steps_of_which_ten_make_a_period_are_too_few)
