// Objectives: what they are worth, how they change with what is reported, and what no term may say.
#include "support/suite.h"
#include "tendril/objective.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 5, ROW = 15 };

static const td_member members[] = {{.name = "q", .rank = 1, .dim = {3}, .offset = 0, .size = 3},
                                    {.name = "poses:arm@1", .rank = 2, .dim = {3, 4}, .offset = 3, .size = 12}};
static const double t[SAMPLES] = {0, 0.1, 0.2, 0.3, 0.4};
static const size_t tip[] = {0, 3, 1, 3, 2, 3}, second[] = {1};
static const double zero[12], target[] = {0.1, 0.2, 0.3}, weights[] = {1, 2, 3};

static void fill(double rows[SAMPLES][ROW]) {
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < ROW; k++) rows[i][k] = sin(3 * i + 7 * k);
}

static td_objective *made(const td_objective_term *terms, size_t count) {
  td_error err = {0};
  td_objective *objective;
  ck_assert_msg(td_objective_create(members, 2, t, SAMPLES, terms, count, &objective, &err) == TD_OK, "%s %s",
                err.pointer, err.message);
  return objective;
}

static double total(const td_objective *objective, double rows[SAMPLES][ROW], double cotangents[SAMPLES][ROW]) {
  double sum = 0;
  if (cotangents) memset(cotangents, 0, sizeof(double[SAMPLES][ROW]));
  for (size_t i = 0; i < SAMPLES; i++) {
    double before = sum;
    sum += td_objective_at(objective, i, rows[i], cotangents ? cotangents[i] : NULL);
    ck_assert(td_objective_counts(objective, i) || sum == before);
  }
  return sum;
}

// By central differences, exact of squares.
static void slopes_are_differences(const td_objective_term *terms, size_t count) {
  double rows[SAMPLES][ROW], cotangents[SAMPLES][ROW];
  td_objective *objective = made(terms, count);
  fill(rows);
  total(objective, rows, cotangents);
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < ROW; k++) {
      double before = rows[i][k], h = 0.125;
      rows[i][k] = before + h;
      double high = total(objective, rows, NULL);
      rows[i][k] = before - h;
      double low = total(objective, rows, NULL);
      rows[i][k] = before;
      ck_assert_double_eq_tol(cotangents[i][k], (high - low) / (2 * h), 1e-13);
    }
  td_objective_destroy(objective);
}

static const td_objective_term tip_at_end = {.place = "/objective/0",
                                             .field = "poses:arm@1",
                                             .select = tip,
                                             .select_count = 3,
                                             .select_rank = 2,
                                             .value = target,
                                             .rows = 1,
                                             .width = 3};

START_TEST(squares_at_the_end_count_the_last_sample_alone) {
  double rows[SAMPLES][ROW], expected = 0;
  td_objective_term term = tip_at_end;
  term.weight = weights, term.weight_count = 3;
  td_objective *objective = made(&term, 1);
  fill(rows);
  for (int k = 0; k < 3; k++) expected += 0.5 * weights[k] * pow(rows[SAMPLES - 1][3 + 4 * k + 3] - target[k], 2);
  ck_assert_double_eq_tol(total(objective, rows, NULL), expected, 1e-14);
  for (size_t i = 0; i + 1 < SAMPLES; i++) ck_assert(!td_objective_counts(objective, i));
  td_objective_destroy(objective);
  slopes_are_differences(&term, 1);
}
END_TEST

START_TEST(a_target_goes_from_knot_to_knot_and_is_held_outside) {
  static const double knots[] = {0.15, 0.35}, values[] = {1, 3};
  static const double expected[SAMPLES] = {1, 1, 1.5, 2.5, 3};
  double rows[SAMPLES][ROW], sum = 0;
  td_objective_term term = {.place = "/objective/0",
                            .field = "q",
                            .select = second,
                            .select_count = 1,
                            .select_rank = 1,
                            .value = values,
                            .rows = 2,
                            .width = 1,
                            .course = TD_ROWS_AT_KNOTS,
                            .t = knots,
                            .when = TD_WHEN_ALL};
  td_objective *objective = made(&term, 1);
  fill(rows);
  for (int i = 0; i < SAMPLES; i++) sum += 0.5 * pow(rows[i][1] - expected[i], 2);
  ck_assert_double_eq_tol(total(objective, rows, NULL), sum, 1e-13);
  td_objective_destroy(objective);
  slopes_are_differences(&term, 1);
}
END_TEST

START_TEST(linear_terms_have_a_row_for_each_sample_or_one_for_all) {
  static const double times[] = {0.1, 0.3 + 1e-11};
  double rows[SAMPLES][ROW], c[SAMPLES][3], sum = 0;
  for (int i = 0; i < SAMPLES * 3; i++) c[i / 3][i % 3] = cos(i);
  fill(rows);
  td_objective_term terms[] = {{.place = "/cotangents/q",
                                .field = "q",
                                .linear = true,
                                .value = c[0],
                                .rows = SAMPLES,
                                .width = 3,
                                .course = TD_ROWS_OF_SAMPLES,
                                .when = TD_WHEN_ALL},
                               {.place = "/objective/1",
                                .field = "q",
                                .linear = true,
                                .value = target,
                                .rows = 1,
                                .width = 3,
                                .when = TD_WHEN_TIMES,
                                .times = times,
                                .time_count = 2}};
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < 3; k++) sum += rows[i][k] * (c[i][k] + (i == 1 || i == 3 ? target[k] : 0));
  td_objective *objective = made(terms, 2);
  ck_assert_double_eq_tol(total(objective, rows, NULL), sum, 1e-13);
  td_objective_destroy(objective);
  slopes_are_differences(terms, 2);
}
END_TEST

START_TEST(a_term_that_does_not_fit_the_samples_is_refused_at_its_place) {
  static const size_t outside[] = {0, 3, 3, 3};
  static const double off[] = {0.15}, twice[] = {0.1, 0.1}, falling[] = {0.2, 0.1};
  static const double huge[] = {0.1, 1e308, 2};
  td_objective_term bad[12];
  static const char *const pointers[] = {"/field", "/select", "/select/1", "/target", "/weight", "/at/0",
                                         "/at/1",  "/target", "/target",   "/target", "/weight", "/linear"};
  static const char *const words[] = {"no field",     "2 indices, entries here have 1",
                                      "0 to 2, is 3", "has 2 numbers",
                                      "3 are needed", "nearest is at 0.1",
                                      "must rise",    "has 1 rows",
                                      "must rise",    "is 1e+308, more than 1e+100",
                                      "is 1e+308",    "is 1e+308"};
  for (int i = 0; i < 12; i++) bad[i] = tip_at_end;
  bad[0].field = "qdd";
  bad[1].select_rank = 1;
  bad[2].select = outside, bad[2].select_count = 2, bad[2].width = 2;
  bad[3].width = 2;
  bad[4].weight = weights, bad[4].weight_count = 2;
  bad[5].when = TD_WHEN_TIMES, bad[5].times = off, bad[5].time_count = 1;
  bad[6].when = TD_WHEN_TIMES, bad[6].times = twice, bad[6].time_count = 2;
  bad[7].course = TD_ROWS_OF_SAMPLES;
  bad[8].course = TD_ROWS_AT_KNOTS, bad[8].t = falling, bad[8].rows = 2, bad[8].value = zero;
  bad[9].value = huge;
  bad[10].weight = huge, bad[10].weight_count = 3;
  bad[11].value = huge, bad[11].linear = true;
  for (int i = 0; i < 12; i++) {
    td_error err = {0};
    td_objective *objective;
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/objective/0%s", pointers[i]);
    ck_assert_int_eq(td_objective_create(members, 2, t, SAMPLES, &bad[i], 1, &objective, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, pointer);
    ck_assert_msg(strstr(err.message, words[i]) != NULL, "%d: %s", i, err.message);
    ck_assert_ptr_null(objective);
  }
}
END_TEST

static const td_member with_inputs[] = {{.name = "q", .rank = 1, .dim = {3}, .offset = 0, .size = 3},
                                        {.name = "tendons", .rank = 1, .dim = {2}, .offset = 3, .size = 2},
                                        {.name = "u", .rank = 1, .dim = {2}, .offset = 5, .size = 2}};
static const size_t both[] = {0, 1}, first[] = {0};
static const double pair[] = {0.1, 0.3};

static double history_of(const td_objective_term *term, double rows[SAMPLES][ROW], double cotangents[SAMPLES][ROW]) {
  td_objective *objective;
  td_error err = {0};
  ck_assert_msg(td_objective_create(with_inputs, 3, t, SAMPLES, term, 1, &objective, &err) == TD_OK, "%s %s",
                err.pointer, err.message);
  ck_assert(td_objective_has_history(objective) && !td_objective_counts(objective, SAMPLES - 1));
  if (cotangents) memset(cotangents, 0, sizeof(double[SAMPLES][ROW]));
  double value = td_objective_history(objective, rows[0], ROW, cotangents ? cotangents[0] : NULL);
  td_objective_destroy(objective);
  return value;
}

START_TEST(peaks_works_and_stiffnesses_are_those_of_all_samples_with_slopes_that_are_differences) {
  static const td_objective_term terms[] = {
      {.place = "/o", .kind = TD_TERM_PEAK, .field = "q", .when = TD_WHEN_ALL, .factor = 2, .sharpness = 5},
      {.place = "/o",
       .kind = TD_TERM_WORK,
       .field = "tendons",
       .when = TD_WHEN_ALL,
       .factor = 3,
       .channel = both,
       .channel_count = 2},
      {.place = "/o",
       .kind = TD_TERM_STIFFNESS,
       .field = "q",
       .select = second,
       .select_count = 1,
       .select_rank = 1,
       .when = TD_WHEN_TIMES,
       .times = pair,
       .time_count = 2,
       .factor = -1,
       .channel = first,
       .channel_count = 1}};
  double rows[SAMPLES][ROW], cotangents[SAMPLES][ROW], most = -INFINITY, work = 0;
  fill(rows);
  for (int s = 0; s < SAMPLES; s++)
    for (int k = 0; k < 3; k++) most = fmax(most, rows[s][k]);
  double peak = history_of(&terms[0], rows, NULL) / 2;
  ck_assert(peak > most && peak < most + log(3 * SAMPLES) / 5);
  for (int s = 0; s + 1 < SAMPLES; s++)
    for (int k = 0; k < 2; k++)
      work -= 0.5 * (rows[s][5 + k] + rows[s + 1][5 + k]) * (rows[s + 1][3 + k] - rows[s][3 + k]);
  ck_assert_double_eq_tol(history_of(&terms[1], rows, NULL), 3 * work, 1e-13);
  ck_assert_double_eq_tol(history_of(&terms[2], rows, NULL), -(rows[3][5] - rows[1][5]) / (rows[3][1] - rows[1][1]),
                          1e-13);
  for (int i = 0; i < 3; i++) {
    (void)history_of(&terms[i], rows, cotangents);
    for (int s = 0; s < SAMPLES; s++)
      for (int k = 0; k < 7; k++) {
        double before = rows[s][k], h = 1e-5;
        rows[s][k] = before + h;
        double high = history_of(&terms[i], rows, NULL);
        rows[s][k] = before - h;
        double low = history_of(&terms[i], rows, NULL);
        rows[s][k] = before;
        ck_assert_double_eq_tol(cotangents[s][k], (high - low) / (2 * h), 1e-7);
      }
  }
}
END_TEST

START_TEST(terms_of_all_samples_that_do_not_fit_are_refused_at_their_place) {
  static const char *const pointers[] = {"/o/at", "/o/work", "/o/stiffness"};
  static const size_t beyond[] = {0, 7};
  td_objective_term bad[] = {{.place = "/o",
                              .kind = TD_TERM_STIFFNESS,
                              .field = "q",
                              .select = second,
                              .select_count = 1,
                              .select_rank = 1,
                              .when = TD_WHEN_ALL,
                              .channel = first,
                              .channel_count = 1},
                             {.place = "/o",
                              .kind = TD_TERM_WORK,
                              .field = "tendons",
                              .when = TD_WHEN_ALL,
                              .channel = beyond,
                              .channel_count = 2},
                             {.place = "/o",
                              .kind = TD_TERM_STIFFNESS,
                              .field = "q",
                              .when = TD_WHEN_TIMES,
                              .times = pair,
                              .time_count = 2,
                              .channel = first,
                              .channel_count = 1}};
  for (int i = 0; i < 3; i++) {
    td_objective *objective;
    td_error err = {0};
    ck_assert_int_eq(td_objective_create(with_inputs, 3, t, SAMPLES, &bad[i], 1, &objective, &err),
                     TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, pointers[i]);
  }
}
END_TEST

TEST_MAIN("objective", peaks_works_and_stiffnesses_are_those_of_all_samples_with_slopes_that_are_differences,
          terms_of_all_samples_that_do_not_fit_are_refused_at_their_place,
          squares_at_the_end_count_the_last_sample_alone, a_target_goes_from_knot_to_knot_and_is_held_outside,
          linear_terms_have_a_row_for_each_sample_or_one_for_all,
          a_term_that_does_not_fit_the_samples_is_refused_at_its_place)
