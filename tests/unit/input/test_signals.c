// Input signals: their values, their jumps, and the rules a job's inputs must keep.
#include "input/inputs.h"
#include "input/signal.h"
#include "support/model_file.h"
#include "support/suite.h"
#include <math.h>

static double value(td_signal_spec spec, double t, double inside) {
  td_signal *signal;
  ck_assert_int_eq(td_signal_create(&spec, &signal), TD_OK);
  double out = td_signal_eval(signal, t, inside);
  td_signal_destroy(signal);
  return out;
}

static double at(td_signal_spec spec, double t) { return value(spec, t, t); }

static const double times[] = {0, 2, 5}, values[] = {1, -3, 4};
static const td_signal_spec steps = {.type = TD_SIGNAL_STEPS, .t = times, .value = values, .count = 3};
static const td_signal_spec sine = {
    .type = TD_SIGNAL_SINE, .offset = 4, .amplitude = 3, .frequency = 0.5, .phase = 0.25};

START_TEST(a_sine_is_offset_plus_amplitude_times_sine_of_2_pi_f_t_plus_phase) {
  for (double t = 0; t < 4; t += 0.3) ck_assert_double_eq_tol(at(sine, t), 4 + 3 * sin(M_PI * t + 0.25), 1e-14);
}
END_TEST

START_TEST(steps_hold_each_value_from_its_time_on_and_are_zero_before_the_first) {
  ck_assert_double_eq(at(steps, -1), 0);
  ck_assert_double_eq(at(steps, 0), 1);
  ck_assert_double_eq(at(steps, 1.999), 1);
  ck_assert_double_eq(at(steps, 2), -3);
  ck_assert_double_eq(at(steps, 100), 4);
}
END_TEST

START_TEST(at_a_jump_the_side_decides) {
  ck_assert_double_eq(value(steps, 2, 1.5), 1);
  ck_assert_double_eq(value(steps, 2, 2.5), -3);
}
END_TEST

START_TEST(ramps_and_linear_tables_are_straight_between_knots_and_held_outside) {
  td_signal_spec table = {.type = TD_SIGNAL_TABLE, .t = times, .value = values, .count = 3};
  ck_assert_double_eq(at(table, -1), 1);
  ck_assert_double_eq_tol(at(table, 0.5), 0, 1e-15);
  ck_assert_double_eq_tol(at(table, 3.5), 0.5, 1e-15);
  ck_assert_double_eq(at(table, 9), 4);
  td_signal_spec ramp = {.type = TD_SIGNAL_RAMP, .t = times, .value = values, .count = 2};
  ck_assert_double_eq_tol(at(ramp, 1), -1, 1e-15);
  ck_assert_double_eq(at(ramp, 3), -3);
}
END_TEST

START_TEST(a_spline_passes_its_knots_with_a_continuous_slope_and_is_held_outside) {
  td_signal_spec spline = {.type = TD_SIGNAL_TABLE, .t = times, .value = values, .count = 3, .spline = true};
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(at(spline, times[i]), values[i], 1e-14);
  double h = 1e-5, before = (at(spline, 2) - at(spline, 2 - h)) / h, after = (at(spline, 2 + h) - at(spline, 2)) / h;
  ck_assert_double_eq_tol(before, after, 1e-4);
  ck_assert(fabs(at(spline, 1) - -1) > 0.1); // not the straight line
  ck_assert_double_eq(at(spline, 8), 4);
}
END_TEST

START_TEST(polynomials_have_ascending_coefficients) {
  td_signal_spec p = {.type = TD_SIGNAL_POLYNOMIAL, .value = values, .count = 3};
  ck_assert_double_eq_tol(at(p, 2), 1 - 3 * 2 + 4 * 4, 1e-14);
}
END_TEST

// 100 (4 t (1 - t))^n: its terms reach 1e20 at t = 1, where it is 0. Horner's rule was off by 667.
START_TEST(polynomials_whose_terms_cancel_keep_their_digits_and_those_of_their_derivatives) {
  enum { N = 20, T = 64 };
  double c[2 * N + 1] = {0}, choose = 1;
  for (int k = 0; k <= N; choose = choose * (N - k) / (k + 1), k++)
    c[N + k] = (k % 2 ? -100 : 100) * choose * ldexp(1, 2 * N);
  td_signal_spec p = {.type = TD_SIGNAL_POLYNOMIAL, .value = c, .count = 2 * N + 1};
  td_signal *signal;
  ck_assert_int_eq(td_signal_create(&p, &signal), TD_OK);
  for (int i = 0; i <= T; i++) {
    double t = (double)i / T, x = 4 * t * (1 - t), dx = 4 - 8 * t, f[3];
    double d[3] = {100 * pow(x, N), 100 * N * pow(x, N - 1) * dx,
                   100 * N * ((N - 1) * pow(x, N - 2) * dx * dx - 8 * pow(x, N - 1))};
    ck_assert_double_eq_tol(td_signal_eval(signal, t, t), d[0], 1e-8);
    td_signal_motion(signal, t, t, f);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(f[k], d[k], 1e-8 * pow(2 * N, k));
  }
  td_signal_destroy(signal);
}
END_TEST

START_TEST(sums_and_products_combine_their_terms_and_nest) {
  td_signal_spec terms[2] = {sine, steps};
  td_signal_spec sum = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2};
  td_signal_spec factors[2] = {sum, {.type = TD_SIGNAL_CONSTANT, .offset = -2}};
  td_signal_spec product = {.type = TD_SIGNAL_PRODUCT, .of = factors, .of_count = 2};
  ck_assert_double_eq_tol(at(product, 3), -2 * (at(sine, 3) - 3), 1e-14);
}
END_TEST

// ------------------------------------------------------------------------------------------------ inputs of a model

static const char model_text[] =
    "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
    "{\"type\": \"rod\", \"length\": 0.5,"
    " \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e6, \"poisson\": 0.5,"
    " \"density\": 1000, \"viscosity\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 1}}}},"
    " {\"name\": \"hinge\", \"parent\": \"arm\", \"joint\": {\"type\": \"revolute\"}, \"body\": {\"type\": \"rigid\","
    " \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [1, 1, 1]}}],"
    " \"actuators\": [{\"name\": \"a/b~c\", \"type\": \"tendon\", \"link\": \"arm\", \"routing\": {\"type\": "
    "\"linear\","
    " \"base\": [0, 0.01]}}, {\"name\": \"motor\", \"type\": \"joint\", \"link\": \"hinge\", \"mode\": \"force\"}]}";

START_TEST(inputs_go_to_their_channels_and_events_come_in_order) {
  td_model *model = test_model_from_text(model_text);
  static const double late[] = {0, 3}, two[] = {0, 1};
  td_signal_spec terms[] = {steps, sine}, other = {.type = TD_SIGNAL_STEPS, .t = late, .value = two, .count = 2};
  td_input_spec specs[] = {{.channel = "motor", .signal = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2}},
                           {.channel = "a/b~c", .signal = other}};
  td_inputs *inputs;
  ck_assert_int_eq(td_inputs_create(model, specs, 2, &inputs), TD_OK);
  double u[2];
  td_inputs_eval(inputs, 4, 4, u);
  ck_assert_double_eq(u[0], 1);
  ck_assert_double_eq_tol(u[1], -3 + at(sine, 4), 1e-15);
  double expected[] = {0, 2, 3, 5}, t = -1;
  for (int i = 0; i < 4; i++) ck_assert_double_eq(t = td_inputs_next_event(inputs, t), expected[i]);
  ck_assert(isinf(td_inputs_next_event(inputs, t)));
  td_inputs_destroy(inputs);
  td_model_destroy(model);
}
END_TEST

static td_status check_one(const td_model *model, const char *channel, td_signal_spec signal, td_error *err) {
  td_input_spec spec = {.channel = channel, .signal = signal};
  td_place root = td_place_root(err);
  return td_inputs_check(&root, model, &spec, 1, 10);
}

static void refused(const td_model *model, const char *channel, td_signal_spec signal, const char *pointer) {
  td_error err = {0};
  ck_assert_int_eq(check_one(model, channel, signal, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, pointer);
  ck_assert(err.message[0] != '\0');
}

START_TEST(an_error_in_an_input_names_its_place) {
  td_model *model = test_model_from_text(model_text);
  static const double wrong[] = {0, 2, 2}, infinite[] = {1, INFINITY, 1};
  refused(model, "nobody", steps, "/inputs/nobody");
  refused(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_CONSTANT, .offset = NAN}, "/inputs/a~1b~0c");
  refused(model, "motor", (td_signal_spec){.type = TD_SIGNAL_STEPS, .t = wrong, .value = values, .count = 3},
          "/inputs/motor/t/2");
  refused(model, "motor", (td_signal_spec){.type = TD_SIGNAL_TABLE, .t = times, .value = infinite, .count = 3},
          "/inputs/motor/value/1");
  refused(model, "motor", (td_signal_spec){.type = TD_SIGNAL_SUM}, "/inputs/motor/of");
  refused(model, "motor", (td_signal_spec){.type = TD_SIGNAL_POLYNOMIAL}, "/inputs/motor/coefficients");
  td_signal_spec inner = {.type = TD_SIGNAL_SINE, .amplitude = NAN};
  td_signal_spec outer = {.type = TD_SIGNAL_PRODUCT, .of = &inner, .of_count = 1};
  refused(model, "motor", outer, "/inputs/motor/of/0/amplitude");
  td_input_spec twice[] = {{.channel = "motor", .signal = steps}, {.channel = "motor", .signal = steps}};
  td_error err = {0};
  td_place root = td_place_root(&err);
  ck_assert_int_eq(td_inputs_check(&root, model, twice, 2, 10), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/inputs/motor");
  td_model_destroy(model);
}
END_TEST

START_TEST(an_unknown_channel_is_answered_with_those_there_are) {
  td_model *model = test_model_from_text(model_text);
  td_error err = {0};
  ck_assert_int_eq(check_one(model, "motor[0]", steps, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.message, "the model has no input channel \"motor[0]\", only a/b~c, motor (hinge.joint[0])");
  for (int i = 0; i < 4; ++i) {
    const char *wrong = (const char *[]){"mottor", "moter", "mtoor", "motors"}[i];
    ck_assert_int_eq(check_one(model, wrong, steps, &err), TD_INVALID_ARGUMENT);
    ck_assert_msg(strstr(err.message, "did you mean \"motor\"? There are only a/b~c"), "%s", err.message);
  }
  ck_assert_int_eq(check_one(model, "mtor.", steps, &err), TD_INVALID_ARGUMENT);
  ck_assert_ptr_null(strstr(err.message, "mean"));
  td_model_destroy(model);
}
END_TEST

START_TEST(a_motor_is_known_by_the_name_of_its_coordinate_too) {
  td_model *model = test_model_from_text(model_text);
  td_error err = {0};
  ck_assert_int_eq(check_one(model, "hinge.joint[0]", steps, &err), TD_OK);
  ck_assert_int_eq(td_channel_find(model, "hinge.joint[0]"), td_channel_find(model, "motor"));
  ck_assert_int_eq(td_channel_find(model, "arm.bending_y[0]"), -1);
  td_input_spec twice[] = {{.channel = "motor", .signal = steps}, {.channel = "hinge.joint[0]", .signal = steps}};
  td_place root = td_place_root(&err);
  ck_assert_int_eq(td_inputs_check(&root, model, twice, 2, 10), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.message, "the channel has two inputs");
  td_model_destroy(model);
}
END_TEST

START_TEST(sums_nested_too_deep_are_refused) {
  td_model *model = test_model_from_text(model_text);
  td_signal_spec chain[TD_MAX_SIGNAL_DEPTH + 2] = {sine};
  for (int i = 1; i < TD_MAX_SIGNAL_DEPTH + 2; i++)
    chain[i] = (td_signal_spec){.type = TD_SIGNAL_SUM, .of = &chain[i - 1], .of_count = 1};
  td_error err = {0};
  ck_assert_int_eq(check_one(model, "motor", chain[TD_MAX_SIGNAL_DEPTH], &err), TD_OK);
  ck_assert_int_eq(check_one(model, "motor", chain[TD_MAX_SIGNAL_DEPTH + 1], &err), TD_INVALID_ARGUMENT);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_tendon_never_pushes) {
  td_model *model = test_model_from_text(model_text);
  td_error err = {0};
  const char *place = "/inputs/a~1b~0c";
  refused(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_CONSTANT, .offset = -1}, place);
  refused(model, "a/b~c", steps, place);
  refused(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 1.1, .frequency = 200},
          place);
  refused(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_POLYNOMIAL, .value = (double[]){1, -1}, .count = 2},
          place);
  ck_assert_int_eq(check_one(model, "motor", steps, &err), TD_OK); // a motor may
  td_model_destroy(model);
}
END_TEST

START_TEST(a_number_of_a_tension_has_the_bounds_within_which_it_pulls) {
  double bounds[2], ten[] = {0, 10}, rise[] = {3, 1};
  td_signal_spec s = {.type = TD_SIGNAL_SINE, .offset = 2, .amplitude = 1, .frequency = 3};
  ck_assert(td_tension_bounds(&s, 1, &s.amplitude, bounds));
  ck_assert_double_eq_tol(bounds[0], -2, 1e-8);
  ck_assert_double_eq_tol(bounds[1], 2, 1e-8);
  ck_assert(td_tension_bounds(&s, 1, &s.offset, bounds));
  ck_assert_double_eq_tol(bounds[0], 1, 1e-8);
  ck_assert(isinf(bounds[1]));
  ck_assert_double_eq(s.offset, 2);
  ck_assert(td_tension_bounds(&s, 1. / 12, &s.amplitude, bounds)); // a quarter of a period: all of it is positive
  ck_assert(bounds[0] > -2.001 && isinf(bounds[1]));
  td_signal_spec terms[] = {s, {.type = TD_SIGNAL_TABLE, .t = ten, .value = rise, .count = 2}};
  td_signal_spec sum = {.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2};
  ck_assert(td_tension_bounds(&sum, 10, &terms[0].offset, bounds)); // about 1 - (1 to 3): nearly 0 at the end
  ck_assert_double_eq_tol(bounds[0], 0, 0.05);
  s.amplitude = 2.5;
  ck_assert(!td_tension_bounds(&s, 1, &s.amplitude, bounds));
}
END_TEST

START_TEST(a_tension_that_touches_zero_is_accepted_despite_rounding) {
  td_model *model = test_model_from_text(model_text);
  td_error err = {0};
  td_signal_spec cosine = {.type = TD_SIGNAL_SINE, .amplitude = -4, .frequency = 1. / 3, .phase = M_PI / 2};
  td_signal_spec terms[] = {{.type = TD_SIGNAL_CONSTANT, .offset = 4}, cosine};
  td_signal_spec half = {.type = TD_SIGNAL_SINE, .amplitude = 5, .frequency = 0.05}; // positive on [0, 10]
  td_signal_spec squares[] = {steps, steps};
  ck_assert_int_eq(check_one(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_SUM, .of = terms, .of_count = 2}, &err),
                   TD_OK);
  ck_assert_int_eq(check_one(model, "a/b~c", half, &err), TD_OK);
  ck_assert_int_eq(
      check_one(model, "a/b~c", (td_signal_spec){.type = TD_SIGNAL_PRODUCT, .of = squares, .of_count = 2}, &err),
      TD_OK);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("signals", a_sine_is_offset_plus_amplitude_times_sine_of_2_pi_f_t_plus_phase,
          steps_hold_each_value_from_its_time_on_and_are_zero_before_the_first, at_a_jump_the_side_decides,
          ramps_and_linear_tables_are_straight_between_knots_and_held_outside,
          a_spline_passes_its_knots_with_a_continuous_slope_and_is_held_outside,
          polynomials_have_ascending_coefficients,
          polynomials_whose_terms_cancel_keep_their_digits_and_those_of_their_derivatives,
          sums_and_products_combine_their_terms_and_nest, inputs_go_to_their_channels_and_events_come_in_order,
          an_error_in_an_input_names_its_place, a_motor_is_known_by_the_name_of_its_coordinate_too,
          an_unknown_channel_is_answered_with_those_there_are, sums_nested_too_deep_are_refused, a_tendon_never_pushes,
          a_tension_that_touches_zero_is_accepted_despite_rounding,
          a_number_of_a_tension_has_the_bounds_within_which_it_pulls)
