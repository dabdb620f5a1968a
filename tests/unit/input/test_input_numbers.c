// Derivatives of inputs by their own numbers: amplitudes, coefficients, values and times, against differences.
#include "input/signal_slopes.h"
#include "support/model_file.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>

enum { MANY = 400, LONGEST = 64 };

static double knots[] = {0.1, 0.4, 1.1, 1.6}, values[] = {0.1, -0.3, 0.7, 0.2}, coefficients[] = {0.3, -1, 0.5, 2};
static double ramp_t[] = {0.5, 1.5}, ramp_value[] = {1, 3}, many_t[MANY], many_value[MANY];

static const td_signal_spec all[] = {
    {.type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 2, .frequency = 0.7, .phase = 0.3},
    {.type = TD_SIGNAL_POLYNOMIAL, .value = coefficients, .count = 4},
    {.type = TD_SIGNAL_TABLE, .t = knots, .value = values, .count = 4},
    {.type = TD_SIGNAL_TABLE, .t = knots, .value = values, .count = 4, .spline = true},
    {.type = TD_SIGNAL_TABLE, .t = ramp_t, .value = ramp_value, .count = 2, .spline = true},
    {.type = TD_SIGNAL_TABLE, .t = many_t, .value = many_value, .count = MANY},
    {.type = TD_SIGNAL_TABLE, .t = many_t, .value = many_value, .count = MANY, .spline = true},
    {.type = TD_SIGNAL_RAMP, .t = ramp_t, .value = ramp_value, .count = 2},
    {.type = TD_SIGNAL_STEPS, .t = knots, .value = values, .count = 4},
    {.type = TD_SIGNAL_CONSTANT, .offset = 0.8},
};
enum { KINDS = sizeof all / sizeof *all };

static void set_up(void) {
  for (int i = 0; i < MANY; i++) {
    many_t[i] = 2. * i / (MANY - 1) + 0.001 * sin(i);
    many_value[i] = cos(0.3 * i) + 0.1 * (i % 5);
  }
}

// ------------------------------------------------------------------------------------------------ differences

// Value and two derivatives at t; of linear tables and steps the value alone.
static void motion_at(const td_signal_spec *spec, double t, double t_side, double out[3]) {
  td_signal *signal;
  ck_assert_int_eq(td_signal_create(spec, &signal), TD_OK);
  td_signal_motion(signal, t, t_side, out);
  out[0] = td_signal_eval(signal, t, t_side);
  td_signal_destroy(signal);
}

static bool moves(const td_signal_spec *s) {
  bool does = s->type != TD_SIGNAL_STEPS && (s->type != TD_SIGNAL_TABLE || s->spline);
  for (size_t i = 0; i < s->of_count; i++) does = does && moves(&s->of[i]);
  return does;
}

// Central, of order 4.
static void differences(const td_signal_spec *spec, double *number, double t, double t_side, double out[3]) {
  static const double weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2};
  double before = *number, h = 1e-5, f[3];
  for (int k = 0; k < 3; k++) out[k] = 0;
  for (int j = 0; j < 4; j++) {
    *number = before + at[j] * h;
    motion_at(spec, t, t_side, f);
    for (int k = 0; k < 3; k++) out[k] += weight[j] * f[k] / (12 * h);
  }
  *number = before;
}

typedef struct taken {
  const double *number;
  double of[3];
} taken;
typedef struct basket {
  taken list[2 * MANY];
  size_t count;
} basket;

static void take(void *context, const double *number, const double of[3]) {
  basket *b = context;
  b->list[b->count].number = number;
  for (int k = 0; k < 3; k++) b->list[b->count].of[k] = of[k];
  b->count++;
}

static void at(const td_signal_spec *spec, double t, double t_side, basket *b) {
  td_signal *signal;
  b->count = 0;
  ck_assert_int_eq(td_signal_create(spec, &signal), TD_OK);
  td_signal_slopes(signal, t, t_side, &(td_slope_taker){b, take});
  td_signal_destroy(signal);
  ck_assert_uint_le(b->count, td_signal_slopes_most(spec));
}

// Zero where nothing was told.
static void told(const basket *b, const double *number, double out[3]) {
  int times = 0;
  for (int k = 0; k < 3; k++) out[k] = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->list[i].number == number) {
      for (int k = 0; k < 3; k++) out[k] = b->list[i].of[k];
      times++;
    }
  ck_assert_int_le(times, 1);
}

static void same(const td_signal_spec *spec, double *number, double t, const basket *b) {
  double expected[3], found[3];
  differences(spec, number, t, t, expected);
  told(b, number, found);
  for (int k = 0; k < (moves(spec) ? 3 : 1); k++) {
    double size = k == 0 ? 1 : k == 1 ? 1e3 : 1e6; // rates of a hundred knots a second
    ck_assert_msg(fabs(found[k] - expected[k]) < 1e-9 * (fabs(expected[k]) + size),
                  "%s at %g, order %d: %.12g, not %.12g", td_signal_type_name(spec->type), t, k, found[k], expected[k]);
  }
}

// ------------------------------------------------------------------------------------------------ tests

START_TEST(slopes_by_every_number_are_the_differences_of_the_signal) {
  static basket b;
  set_up();
  for (int kind = 0; kind < KINDS; kind++)
    for (double t = 0.013; t < 1.99; t += 0.1717) {
      td_signal_spec s = all[kind];
      at(&s, t, t, &b);
      double *scalars[] = {&s.offset, &s.amplitude, &s.frequency, &s.phase};
      for (int k = 0; k < 4; k++) {
        at(&s, t, t, &b);
        same(&s, scalars[k], t, &b);
      }
      for (size_t i = 0; i<s.count; i += s.count> LONGEST ? 13 : 1) same(&s, (double *)&s.value[i], t, &b);
      bool kinks = s.type == TD_SIGNAL_RAMP || (s.type == TD_SIGNAL_TABLE && !s.spline);
      for (size_t i = 0; kinks && i < s.count; i++)
        if (fabs(t - s.t[i]) > 1e-4) same(&s, (double *)&s.t[i], t, &b);
    }
}
END_TEST

START_TEST(slopes_of_a_product_go_through_its_other_factors) {
  static basket b;
  td_signal_spec inner[] = {all[0], all[3]};
  td_signal_spec terms[] = {{.type = TD_SIGNAL_SUM, .of = inner, .of_count = 2}, all[1], all[9]};
  const td_signal_spec s = {.type = TD_SIGNAL_PRODUCT, .of = terms, .of_count = 3};
  for (double t = 0.113; t < 1.5; t += 0.0717) {
    at(&s, t, t, &b);
    same(&s, &inner[0].phase, t, &b);
    same(&s, &inner[0].frequency, t, &b);
    same(&s, &values[2], t, &b);
    same(&s, &coefficients[0], t, &b);
    same(&s, &coefficients[3], t, &b);
    same(&s, &terms[2].offset, t, &b);
  }
}
END_TEST

// A long table is looked at where it is; a spline's values are felt some knots away and no further.
START_TEST(few_numbers_of_a_long_table_matter_at_a_time) {
  static basket b;
  set_up();
  at(&all[5], 1.234, 1.234, &b);
  ck_assert_uint_eq(b.count, 4);
  at(&all[6], 1.234, 1.234, &b);
  ck_assert_uint_lt(b.count, MANY / 3);
}
END_TEST

START_TEST(at_a_knot_that_side_counts_which_is_asked_for) {
  static basket b;
  double of[3];
  const td_signal_spec table = all[2], steps = all[8];
  at(&table, 0.4, 0.39, &b);
  told(&b, &knots[1], of);
  ck_assert_double_eq_tol(of[0], 0.4 / 0.3, 1e-12); // less slope of the left side
  at(&table, 0.4, 0.41, &b);
  told(&b, &knots[1], of);
  ck_assert_double_eq_tol(of[0], -1 / 0.7, 1e-12);
  at(&steps, 0.4, 0.39, &b);
  ck_assert_ptr_eq(b.list[0].number, &values[0]);
  at(&steps, 0.4, 0.41, &b);
  ck_assert_ptr_eq(b.list[0].number, &values[1]);
}
END_TEST

START_TEST(numbers_of_inputs_are_told_by_their_places_and_channels) {
  td_model *model = test_model_from_text(
      "{\"format\":\"tendril.model/1\",\"links\":[{\"name\":\"a\",\"joint\":{\"type\":\"revolute\"},\"body\":{\"type\":"
      "\"rigid\",\"mass\":1,\"inertia\":[1,1,1]}},{\"name\":\"b\",\"parent\":\"a\",\"joint\":{\"type\":\"revolute\"},"
      "\"body\":{\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1]}}],\"actuators\":[{\"name\":\"one\",\"type\":"
      "\"joint\",\"link\":\"a\"},{\"name\":\"two\",\"type\":\"joint\",\"link\":\"b\"}]}");
  static const double list[] = {3, 4, 5};
  const td_input_spec runs[] = {{.channel = "two", .signal = all[2]}, {.channel = "one", .signal = all[9]}};
  const td_input_spec problems[] = {{.channel = "two", .list = list, .list_count = 3},
                                    {.channel = "one", .signal = all[9]}};
  const double *const of_run[] = {&values[1], NULL, &runs[1].signal.offset, &list[1]};
  const double *const of_problem[] = {&list[0], &list[1], &problems[1].signal.offset};
  td_input_numbers *numbers;
  td_input_slope slope[8];
  ck_assert_int_eq(td_input_numbers_create(model, runs, 2, of_run, 4, &numbers), TD_OK);
  ck_assert_uint_le(td_input_numbers_most(numbers), 8);
  ck_assert_uint_eq(td_input_numbers_at(numbers, 0.25, 0.25, slope), 2); // values[0] is none of them, nor are times
  ck_assert(slope[0].channel == 1 && slope[0].number == 0 && fabs(slope[0].of[0] - 0.5) < 1e-12);
  ck_assert(slope[1].channel == 0 && slope[1].number == 2 && slope[1].of[0] == 1);
  td_input_numbers_destroy(numbers);
  ck_assert_int_eq(td_input_numbers_create(model, problems, 2, of_problem, 3, &numbers), TD_OK);
  ck_assert_uint_eq(td_input_numbers_of_problem(numbers, 2, slope), 1);
  ck_assert(slope[0].channel == 0 && slope[0].number == 2 && slope[0].of[0] == 1);
  ck_assert_uint_eq(td_input_numbers_of_problem(numbers, 1, slope), 2);
  ck_assert(slope[0].channel == 1 && slope[0].number == 1);
  td_input_numbers_destroy(numbers);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("input numbers", slopes_by_every_number_are_the_differences_of_the_signal,
          slopes_of_a_product_go_through_its_other_factors, few_numbers_of_a_long_table_matter_at_a_time,
          at_a_knot_that_side_counts_which_is_asked_for, numbers_of_inputs_are_told_by_their_places_and_channels)
