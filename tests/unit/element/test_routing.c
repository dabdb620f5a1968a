// Tendon routings: formulas, derivatives by central differences, nested sums and their limits.
#include "element/routing.h"
#include "support/suite.h"
#include <math.h>

static const double knots[4] = {0, 0.2, 0.7, 1}, ys[4] = {0.01, 0.02, -0.01, 0}, zs[4] = {0, 0.01, 0.03, 0.02};
static const td_routing_spec line = {.type = TD_ROUTING_LINEAR, .base = {0, 0.03}, .tip = {0.01, 0.015}};
static const td_routing_spec helix = {.type = TD_ROUTING_HELIX, .radius = 0.015, .turns = -2, .phase = 1.2};
static const td_routing_spec table = {.type = TD_ROUTING_TABLE, .s = knots, .y = ys, .z = zs, .count = 4};

static td_routing *make(const td_routing_spec *spec) {
  td_routing *routing = NULL;
  ck_assert_int_eq(td_routing_create(spec, &routing), TD_OK);
  return routing;
}

static void at(const td_routing_spec *spec, double s, double d[2], double slope[2]) {
  td_routing *routing = make(spec);
  td_routing_eval(routing, s, d, slope);
  td_routing_destroy(routing);
}

START_TEST(linear_runs_straight_from_base_to_tip) {
  double d[2], slope[2];
  at(&line, 0.25, d, slope);
  ck_assert_double_eq_tol(d[0], 0.0025, 1e-17);
  ck_assert_double_eq_tol(d[1], 0.02625, 1e-17);
  ck_assert_double_eq_tol(slope[1], -0.015, 1e-17);
}
END_TEST

START_TEST(helix_is_cosine_in_y_and_sine_in_z) {
  double d[2], slope[2], s = 0.3, angle = 2 * M_PI * -2 * s + 1.2;
  at(&helix, s, d, slope);
  ck_assert_double_eq_tol(d[0], 0.015 * cos(angle), 1e-17);
  ck_assert_double_eq_tol(d[1], 0.015 * sin(angle), 1e-17);
}
END_TEST

START_TEST(table_passes_through_its_knots) {
  double d[2], slope[2];
  for (int i = 0; i < 4; i++) {
    at(&table, knots[i], d, slope);
    ck_assert_double_eq_tol(d[0], ys[i], 1e-17);
    ck_assert_double_eq_tol(d[1], zs[i], 1e-17);
  }
}
END_TEST

START_TEST(derivative_is_that_of_the_path) {
  const td_routing_spec *all[] = {&line, &helix, &table};
  const double h = 1e-6;
  for (int k = 0; k < 3; k++)
    for (double s = 0.05; s < 1; s += 0.07) {
      double left[2], here[2], right[2], slope[2], unused[2];
      at(all[k], s - h, left, unused);
      at(all[k], s, here, slope);
      at(all[k], s + h, right, unused);
      for (int i = 0; i < 2; i++) ck_assert_double_eq_tol((right[i] - left[i]) / (2 * h), slope[i], 1e-8);
    }
}
END_TEST

START_TEST(sums_add_their_terms_however_they_are_nested) {
  const td_routing_spec inner_terms[2] = {helix, table};
  const td_routing_spec outer_terms[2] = {{.type = TD_ROUTING_SUM, .of = inner_terms, .of_count = 2}, line};
  const td_routing_spec sum = {.type = TD_ROUTING_SUM, .of = outer_terms, .of_count = 2};
  double d[2], slope[2], each[3][2], slopes[3][2];
  at(&sum, 0.42, d, slope);
  at(&line, 0.42, each[0], slopes[0]);
  at(&helix, 0.42, each[1], slopes[1]);
  at(&table, 0.42, each[2], slopes[2]);
  for (int i = 0; i < 2; i++) {
    ck_assert_double_eq_tol(d[i], each[0][i] + each[1][i] + each[2][i], 1e-17);
    ck_assert_double_eq_tol(slope[i], slopes[0][i] + slopes[1][i] + slopes[2][i], 1e-15);
  }
}
END_TEST

START_TEST(sums_nested_too_deep_are_refused) {
  td_routing_spec chain[TD_MAX_ROUTING_DEPTH + 2];
  td_routing *routing = NULL;
  chain[TD_MAX_ROUTING_DEPTH + 1] = line;
  for (int i = TD_MAX_ROUTING_DEPTH; i >= 0; i--)
    chain[i] = (td_routing_spec){.type = TD_ROUTING_SUM, .of = &chain[i + 1], .of_count = 1};
  ck_assert_int_eq(td_routing_create(&chain[0], &routing), TD_INVALID_ARGUMENT);
  ck_assert_ptr_null(routing);
  ck_assert_int_eq(td_routing_create(&chain[1], &routing), TD_OK);
  td_routing_destroy(routing);
}
END_TEST

START_TEST(sums_with_too_many_terms_are_refused) {
  td_routing_spec terms[TD_MAX_ROUTING_TERMS + 1];
  td_routing_spec sum = {.type = TD_ROUTING_SUM, .of = terms, .of_count = TD_MAX_ROUTING_TERMS + 1};
  td_routing *routing = NULL;
  for (int i = 0; i <= TD_MAX_ROUTING_TERMS; i++) terms[i] = line;
  ck_assert_int_eq(td_routing_create(&sum, &routing), TD_INVALID_ARGUMENT);
  sum.of_count = TD_MAX_ROUTING_TERMS;
  ck_assert_int_eq(td_routing_create(&sum, &routing), TD_OK);
  td_routing_destroy(routing);
}
END_TEST

TEST_MAIN("routing", linear_runs_straight_from_base_to_tip, helix_is_cosine_in_y_and_sine_in_z,
          table_passes_through_its_knots, derivative_is_that_of_the_path, sums_add_their_terms_however_they_are_nested,
          sums_nested_too_deep_are_refused, sums_with_too_many_terms_are_refused)
