// What the end of a search is worth: points that owe something to the slack, plateaus, evaluations that ran out.
#include "support/suite.h"
#include "tendril/design.h"
#include <math.h>

static td_design_spec make_spec(td_unknown *unknowns, size_t count, size_t constraints, td_design_evaluate evaluate) {
  for (size_t i = 0; i < count; i++) unknowns[i] = (td_unknown){.name = "x", .value = 0, .lower = -5, .upper = 5};
  td_design_spec spec = {.unknowns = unknowns, .count = count, .constraints = constraints, .evaluate = evaluate};
  td_design_defaults(&spec);
  return spec;
}

// 1/2 (x0 - 3)^2 + 5 (x1 - 1)^2 with x0 + 0.3 x1^2 <= 0.8.
static td_status shelf(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)context, (void)err;
  double bent = x[0] + 0.3 * x[1] * x[1] - 0.8;
  *f = 0.5 * (x[0] - 3) * (x[0] - 3) + 5 * (x[1] - 1) * (x[1] - 1);
  if (df) df[0] = x[0] - 3, df[1] = 10 * (x[1] - 1);
  c[0] = bent;
  if (dc) dc[0] = 1, dc[1] = 0.6 * x[1];
  return TD_OK;
}

// A row that misses the constraint within the slack, and seems better than the optimum by that.
START_TEST(a_point_that_owes_its_value_to_the_slack_is_not_the_best) {
  td_unknown unknowns[2];
  double p[2];
  td_design_spec spec = make_spec(unknowns, 2, 1, shelf);
  td_design_result r = {.p = p};
  unknowns[1].value = 1 + 2e-3; // begins there
  unknowns[0].value = 0.8 - 0.3 * unknowns[1].value * unknowns[1].value + 4e-6;
  spec.slack = 1e-3;
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s: promised %g", td_design_end_name(r.end), r.promised);
  ck_assert_double_lt(r.promised, 1e-5);
}
END_TEST

// A deflection by a stiffness that should be 5.3: where it is large nothing changes any more.
static td_status pit(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)context, (void)c, (void)dc, (void)err;
  double y = 1 - 5.3 / x[0];
  *f = 0.5 * y * y;
  if (df) df[0] = y * 5.3 / (x[0] * x[0]);
  return TD_OK;
}

START_TEST(asymptotes_do_not_leap_to_where_nothing_changes) {
  td_unknown unknowns[1];
  double p[1];
  td_design_spec spec = make_spec(unknowns, 1, 0, pit);
  unknowns[0] = (td_unknown){.name = "x", .value = 2, .lower = 0.1, .upper = 1e6};
  spec.method = TD_DESIGN_MMA;
  td_design_result r = {.p = p};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s: %g", td_design_end_name(r.end), p[0]);
  ck_assert_double_eq_tol(p[0], 5.3, 1e-3);
}
END_TEST

// A long valley from a start that is bad: what is promised is little of what f was there, and much of what it is.
static td_status valley(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)context, (void)c, (void)dc, (void)err;
  double a = x[1] - x[0] * x[0], b = 1 - x[0];
  *f = 100 * a * a + b * b + 1e-9;
  if (df) df[0] = -400 * x[0] * a - 2 * b, df[1] = 200 * a;
  return TD_OK;
}

START_TEST(f_that_falls_still_when_the_evaluations_are_over_is_no_optimum) {
  static const int most[] = {8, 12, 16, 200};
  for (int k = 0; k < 4; k++) {
    td_unknown unknowns[2];
    double p[2];
    td_design_spec spec = make_spec(unknowns, 2, 0, valley);
    unknowns[0].value = -4.5, unknowns[1].value = -4.5;
    spec.max_evaluations = most[k];
    td_design_result r = {.p = p};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    bool there = fabs(p[0] - 1) < 1e-3;
    ck_assert_msg(r.end == (there ? TD_DESIGN_CONVERGED : TD_DESIGN_EXHAUSTED), "%d: %s at %g %g, f %g, promised %g",
                  most[k], td_design_end_name(r.end), p[0], p[1], r.f, r.promised);
    ck_assert(there == (k == 3));
  }
}
END_TEST

// A planar arm, links 1 and 0.7 m, joints k = 2 and 1 N m/rad, turned by torques: the least effort with the tip at a
// target, each coordinate bound from both sides. The target is context.
static td_status reach(void *context, const double *u, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)err;
  const double *target = context;
  double a = u[0] / 2, b = a + u[1];
  double tip[2] = {cos(a) + 0.7 * cos(b), sin(a) + 0.7 * sin(b)};
  double slope[2][2] = {{-tip[1] / 2, -0.7 * sin(b)}, {tip[0] / 2, 0.7 * cos(b)}};
  *f = 0.5 * (u[0] * u[0] + u[1] * u[1]);
  if (df) df[0] = u[0], df[1] = u[1];
  for (int i = 0; i < 4; i++) {
    double side = i % 2 == 0 ? 1 : -1;
    c[i] = side * (tip[i / 2] - target[i / 2]);
    for (int j = 0; dc && j < 2; j++) dc[2 * i + j] = side * slope[i / 2][j];
  }
  return TD_OK;
}

static td_design_result find_reach(double x, double y, const double start[2], double p[2]) {
  double target[2] = {x, y}, sizes[4] = {fabs(x), fabs(x), fabs(y), fabs(y)};
  const bool mirrored[4] = {false, true, false, true};
  td_unknown unknowns[2];
  td_design_spec spec = make_spec(unknowns, 2, 4, reach);
  for (int j = 0; j < 2; j++) unknowns[j] = (td_unknown){.name = "u", .value = start[j], .lower = -4, .upper = 4};
  spec.sizes = sizes;
  spec.mirrored = mirrored;
  spec.context = target;
  td_design_result r = {.p = p};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  return r;
}

START_TEST(two_equations_are_met_from_where_their_bounds_lead_to_a_corner) {
  const double start[2] = {0.5, 0.5};
  double p[2];
  td_design_result r = find_reach(0.8, 0.9, start, p);
  ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s after %zu", td_design_end_name(r.end), r.evaluations);
  ck_assert_double_eq_tol(p[0], 0.448195, 1e-5);
  ck_assert_double_eq_tol(p[1], 1.599372, 1e-5);
}
END_TEST

// Where two equations fix two numbers nothing is promised, though the arm is nearly stretched.
START_TEST(a_point_that_equations_fix_is_an_optimum) {
  const double start[2] = {-0.04, -0.68};
  double p[2];
  td_design_result r = find_reach(1.303, -1.079, start, p);
  ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s, promised %g", td_design_end_name(r.end), r.promised);
  ck_assert_double_lt(r.promised, 1e-9);
  ck_assert_double_eq_tol(p[0], -1.21855, 1e-4);
}
END_TEST

// The same with a third coordinate, which is 0 whatever the torques are, but for what rounding makes of it, and the sum
// of the others: more equations than numbers.
static td_status reach_in_space(void *context, const double *u, double *f, double *df, double *c, double *dc,
                                td_error *err) {
  const double *target = context;
  td_status status = reach(context, u, f, df, c, dc, err);
  c[4] = 1e-17 * u[0], c[5] = -c[4];
  c[6] = c[0] + c[2] + (target[2] - target[0] - target[1]), c[7] = -c[6];
  for (int j = 0; dc && j < 2; j++) {
    dc[8 + j] = j == 0 ? 1e-17 : 0, dc[10 + j] = -dc[8 + j];
    dc[12 + j] = dc[j] + dc[4 + j], dc[14 + j] = -dc[12 + j];
  }
  return status;
}

START_TEST(equations_that_depend_on_others_hold_nothing_up) {
  const bool mirrored[8] = {false, true, false, true, false, true, false, true};
  for (int k = 0; k < 4; k++) {
    double target[3] = {0.8, 0.9, k < 2 ? 1.7 : 1.8}, sizes[8] = {0.8, 0.8, 0.9, 0.9, 0, 0, 1.7, 1.7},
           p[2]; // k > 1: none has it
    td_unknown unknowns[2];
    td_design_spec spec = make_spec(unknowns, 2, 8, reach_in_space);
    for (int j = 0; j < 2; j++) unknowns[j] = (td_unknown){.name = "u", .value = 0.5, .lower = -4, .upper = 4};
    spec.sizes = sizes;
    spec.mirrored = mirrored;
    spec.context = target;
    spec.method = k % 2 ? TD_DESIGN_MMA : TD_DESIGN_SLSQP;
    td_design_result r = {.p = p};
    td_error err = {.message = ""};
    ck_assert_msg(td_design_run(&spec, NULL, 0, NULL, &r, &err) == TD_OK, "%d: %s", k, err.message);
    ck_assert_msg(r.end == (k < 2 ? TD_DESIGN_CONVERGED : TD_DESIGN_INFEASIBLE),
                  "%d: %s after %zu, promised %g, missed %g", k, td_design_end_name(r.end), r.evaluations, r.promised,
                  r.violation);
    if (k < 2) ck_assert(fabs(p[0] - 0.448195) < 1e-5 && fabs(p[1] - 1.599372) < 1e-5);
  }
}
END_TEST

START_TEST(reachable_targets_are_found_from_anywhere) {
  int found = 0;
  for (int k = 0; k < 40; k++) {
    double at[2] = {-4 + fmod(k * 2.9, 8), -4 + fmod(k * 4.7, 8)},
           start[2] = {-2 + fmod(k * 1.3, 4), -2 + fmod(k * 2.3, 4)};
    double a = at[0] / 2, b = a + at[1], p[2];
    td_design_result r = find_reach(cos(a) + 0.7 * cos(b), sin(a) + 0.7 * sin(b), start, p);
    found += r.end == TD_DESIGN_CONVERGED;
    if (r.end == TD_DESIGN_CONVERGED) ck_assert_double_lt(r.violation, 1e-5);
  }
  ck_assert_int_ge(found, 39);
}
END_TEST

TEST_MAIN("design_ends", two_equations_are_met_from_where_their_bounds_lead_to_a_corner,
          a_point_that_equations_fix_is_an_optimum, equations_that_depend_on_others_hold_nothing_up,
          reachable_targets_are_found_from_anywhere, a_point_that_owes_its_value_to_the_slack_is_not_the_best,
          asymptotes_do_not_leap_to_where_nothing_changes,
          f_that_falls_still_when_the_evaluations_are_over_is_no_optimum)
