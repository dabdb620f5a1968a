// Signals that drive joints: their derivatives against differences, and which of them have any.
#include "input/signal.h"
#include "support/model_file.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

static const double knots[] = {0, 0.4, 1.1, 2}, values[] = {0.1, -0.3, 0.7, 0.2}, coefficients[] = {0.3, -1, 0.5, 2};
static const double ramp_t[] = {0.5, 1.5}, ramp_value[] = {1, 3};

static const td_signal_spec sine = {
    .type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 2, .frequency = 0.7, .phase = 0.3};
static const td_signal_spec polynomial = {.type = TD_SIGNAL_POLYNOMIAL, .value = coefficients, .count = 4};
static const td_signal_spec spline = {.type = TD_SIGNAL_TABLE, .t = knots, .value = values, .count = 4, .spline = true};
static const td_signal_spec ramp = {.type = TD_SIGNAL_RAMP, .t = ramp_t, .value = ramp_value, .count = 2};

static void same_as_differences(const td_signal_spec *spec) {
  td_signal *signal;
  ck_assert_int_eq(td_signal_create(spec, &signal), TD_OK);
  static const double h = 1e-4;
  for (double t = 0.013; t < 1.99; t += 0.0717) {
    double f[3], low[3], high[3];
    td_signal_motion(signal, t, t, f);
    td_signal_motion(signal, t - h, t, low);
    td_signal_motion(signal, t + h, t, high);
    ck_assert_double_eq_tol(f[0], td_signal_eval(signal, t, t), 1e-14);
    ck_assert_double_eq_tol(f[1], (high[0] - low[0]) / (2 * h), 1e-5);
    ck_assert_double_eq_tol(f[2], (high[1] - low[1]) / (2 * h), 1e-4);
  }
  td_signal_destroy(signal);
}

START_TEST(velocities_and_accelerations_are_the_differences_of_values) {
  const td_signal_spec terms[] = {sine, polynomial, spline};
  const td_signal_spec sum = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 3};
  const td_signal_spec product = {.type = TD_SIGNAL_PRODUCT, .of = terms, .of_count = 3};
  same_as_differences(&sine);
  same_as_differences(&polynomial);
  same_as_differences(&spline);
  same_as_differences(&sum);
  same_as_differences(&product);
}
END_TEST

START_TEST(a_motion_is_held_outside_its_knots) {
  td_signal *signal;
  double f[3];
  ck_assert_int_eq(td_signal_create(&ramp, &signal), TD_OK);
  td_signal_motion(signal, 1.5, 1.6, f);
  ck_assert(f[0] == 3 && f[1] == 0 && f[2] == 0);
  td_signal_motion(signal, 1.5, 1.4, f);
  ck_assert(f[0] == 3 && f[1] == 2 && f[2] == 0);
  td_signal_destroy(signal);
}
END_TEST

static td_status check(const td_signal_spec *spec, double t_end, td_error *err) {
  td_place root = td_place_root(err), inputs = td_place_key(&root, "inputs"), at = td_place_key(&inputs, "turn");
  return td_motion_check(&at, spec, t_end);
}

static void refused(const td_signal_spec *spec, double t_end, const char *word) {
  td_error err = {0};
  ck_assert_int_eq(check(spec, t_end, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/inputs/turn");
  ck_assert_msg(strstr(err.message, word) != NULL, "%s", err.message);
}

START_TEST(motions_without_two_derivatives_are_refused) {
  const td_signal_spec steps = {.type = TD_SIGNAL_STEPS, .t = knots, .value = values, .count = 4};
  const td_signal_spec linear = {.type = TD_SIGNAL_TABLE, .t = knots, .value = values, .count = 4};
  const td_signal_spec terms[] = {sine, steps};
  const td_signal_spec hidden = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2};
  refused(&steps, 1, "steps");
  refused(&linear, 1, "linear");
  refused(&hidden, 1, "steps");
  refused(&ramp, 1, "velocity");
  refused(&spline, 3, "velocity"); // held from t = 2 on, where it still moves
}
END_TEST

START_TEST(motions_with_two_derivatives_pass) {
  static const double late[] = {2, 3};
  td_error err = {0};
  td_signal_spec after = ramp;
  after.t = late;
  ck_assert_int_eq(check(&sine, 5, &err), TD_OK);
  ck_assert_int_eq(check(&polynomial, 5, &err), TD_OK);
  ck_assert_int_eq(check(&spline, 2, &err), TD_OK);
  ck_assert_int_eq(check(&after, 2, &err), TD_OK); // its kink comes when the run is over
  // sin(pi t / 2 - pi) vanishes where the spline's velocity jumps: their product has none
  const td_signal_spec vanishing = {.type = TD_SIGNAL_SINE, .amplitude = 1, .frequency = 0.25, .phase = -M_PI};
  const td_signal_spec terms[] = {vanishing, spline};
  const td_signal_spec product = {.type = TD_SIGNAL_PRODUCT, .of = terms, .of_count = 2};
  ck_assert_int_eq(check(&product, 3, &err), TD_OK);
}
END_TEST

TEST_MAIN("motions", velocities_and_accelerations_are_the_differences_of_values, a_motion_is_held_outside_its_knots,
          motions_without_two_derivatives_are_refused, motions_with_two_derivatives_pass)
