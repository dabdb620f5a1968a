// Searches within bounds and constraints: textbook problems with known optima, and what has to be said of ends.
#include "support/suite.h"
#include "tendril/design.h"
#include <math.h>
#include <string.h>

enum { MOST = 4, ROW = 2 * MOST + 1 + 3 * (1 + MOST) + 1, ROWS = 512 };

typedef struct asked {
  int calls;
  double wrong;  // times the derivatives
  double wall;   // nothing can be evaluated where the first number is above; 0: everywhere
  double weight; // of the objective; 0: 1
  double unit;   // of the numbers and of the constraints; 0: 1
} asked;

// Rosen and Suzuki (Hock and Schittkowski 43): f = -44 at (0, 1, 2, -1), the first and the third constraint active.
static td_status rosen_suzuki(void *context, const double *x, double *f, double *df, double *c, double *dc,
                              td_error *err) {
  asked *a = context;
  a->calls++;
  if (a->wall > 0 && x[0] > a->wall) return td_fail(err, TD_NOT_CONVERGED, "", "no run");
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += x[i] * x[i];
  *f = sum + x[2] * x[2] - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
  c[0] = sum + x[0] - x[1] + x[2] - x[3] - 8;
  c[1] = sum + x[1] * x[1] + x[3] * x[3] - x[0] - x[3] - 10;
  c[2] = sum + x[0] * x[0] - x[3] * x[3] + 2 * x[0] - x[1] - x[3] - 5;
  if (!df) return TD_OK;
  double g[4] = {2 * x[0] - 5, 2 * x[1] - 5, 4 * x[2] - 21, 2 * x[3] + 7};
  double s[3][4] = {{2 * x[0] + 1, 2 * x[1] - 1, 2 * x[2] + 1, 2 * x[3] - 1},
                    {2 * x[0] - 1, 4 * x[1], 2 * x[2], 4 * x[3] - 1},
                    {4 * x[0] + 2, 2 * x[1] - 1, 2 * x[2], -1}};
  for (int i = 0; i < 4; i++) df[i] = g[i] * (a->wrong != 0 ? a->wrong : 1);
  memcpy(dc, s, sizeof s);
  return TD_OK;
}

static td_status rosenbrock(void *context, const double *x, double *f, double *df, double *c, double *dc,
                            td_error *err) {
  (void)c, (void)dc, (void)err;
  ((asked *)context)->calls++;
  double a = x[1] - x[0] * x[0], b = 1 - x[0];
  *f = 100 * a * a + b * b;
  if (df) df[0] = -400 * x[0] * a - 2 * b, df[1] = 200 * a;
  return TD_OK;
}

static td_design_spec make_spec(td_unknown *unknowns, size_t count, asked *a, td_design_evaluate evaluate) {
  *a = (asked){0};
  for (size_t i = 0; i < count; i++)
    unknowns[i] = (td_unknown){.name = "x", .value = evaluate == rosenbrock ? 0.5 : 0, .lower = -5, .upper = 5};
  td_design_spec spec = {.unknowns = unknowns, .count = count, .evaluate = evaluate, .context = a};
  td_design_defaults(&spec);
  if (evaluate == rosen_suzuki) spec.constraints = 3;
  return spec;
}

static bool says(const td_design_result *r, const char *code) {
  for (int i = 0; i < r->warnings.count; i++)
    if (strcmp(r->warnings.list[i].code, code) == 0) return true;
  return false;
}

START_TEST(constrained_optima_are_found_by_both_methods_that_take_constraints) {
  static const double best[4] = {0, 1, 2, -1};
  static const td_design_method methods[] = {TD_DESIGN_SLSQP, TD_DESIGN_MMA};
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[4];
    asked a;
    double p[4];
    td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
    spec.method = methods[k];
    spec.tolerance = 1e-9;
    td_design_result r = {.p = p};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s: %s, promised %g", td_design_method_name(methods[k]),
                  td_design_end_name(r.end), r.promised);
    ck_assert_double_eq_tol(r.f, -44, 1e-4);
    ck_assert_double_le(r.violation, spec.slack);
    ck_assert_double_eq(r.first_f, 0);
    ck_assert_double_lt(r.derivative_error, 1e-4);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(p[i], best[i], 0.01);
    ck_assert_int_eq((int)r.evaluations + 2, a.calls); // each point once, and two beside the start
    ck_assert_int_eq(r.warnings.count, 0);
  }
}
END_TEST

// The same in other units, and with weights.
static td_status weighed(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  asked *a = context;
  double y[4];
  for (int i = 0; i < 4; i++) y[i] = x[i] / a->unit;
  td_status status = rosen_suzuki(context, y, f, df, c, dc, err);
  *f *= a->weight;
  for (int i = 0; df && i < 4; i++) df[i] *= a->weight / a->unit;
  for (int i = 0; i < 3; i++) c[i] *= a->unit * a->unit;
  for (int i = 0; dc && i < 12; i++) dc[i] *= a->unit;
  return status;
}

START_TEST(optima_do_not_depend_on_weights_and_units) {
  static const td_design_method methods[] = {TD_DESIGN_SLSQP, TD_DESIGN_MMA};
  static const double units[] = {1e-6, 1, 1e4};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      for (double weight = 1e-9; weight < 1e10; weight *= 1e3) {
        td_unknown unknowns[4];
        asked a;
        double p[4];
        td_design_spec spec = make_spec(unknowns, 4, &a, weighed);
        a.weight = weight;
        a.unit = units[i];
        spec.constraints = 3;
        spec.method = methods[k];
        for (int j = 0; j < 4; j++) unknowns[j].lower = -5 * a.unit, unknowns[j].upper = 5 * a.unit;
        td_design_result r = {.p = p};
        ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
        ck_assert_msg(r.end == TD_DESIGN_CONVERGED,
                      "%s, weight %g, unit %g: %s after %zu, f %g, promised %g, missed %g",
                      td_design_method_name(methods[k]), weight, a.unit, td_design_end_name(r.end), r.evaluations, r.f,
                      r.promised, r.violation);
        ck_assert_double_eq_tol(r.f / weight, -44, 0.01);
        ck_assert_uint_lt(r.evaluations, 40);
      }
}
END_TEST

// -x, or 1 / (1 + x): both fall for ever.
static td_status falling(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)c, (void)dc, (void)err;
  bool flat = ((asked *)context)->wrong != 0;
  *f = flat ? 1 / (1 + x[0]) : -x[0];
  if (df) df[0] = flat ? -1 / ((1 + x[0]) * (1 + x[0])) : -1, df[1] = 0;
  return TD_OK;
}

// Two bowls: 1/2 (x0 - 0.5)^2 + 1/2 (x1 - 0.3)^2.
static td_status two_bowls(void *context, const double *x, double *f, double *df, double *c, double *dc,
                           td_error *err) {
  static const double target[2] = {0.5, 0.3};
  (void)c, (void)dc, (void)err;
  ((asked *)context)->calls++;
  *f = 0;
  for (int i = 0; i < 2; i++) {
    *f += 0.5 * (x[i] - target[i]) * (x[i] - target[i]);
    if (df) df[i] = x[i] - target[i];
  }
  return TD_OK;
}

START_TEST(bounds_that_are_far_away_say_nothing_of_a_number) {
  for (int method = 0; method < TD_DESIGN_METHOD_COUNT; method++)
    for (double upper = 1e2; upper < 1e13; upper *= 1e2) {
      td_unknown unknowns[2];
      asked a;
      double p[2];
      td_design_spec spec = make_spec(unknowns, 2, &a, two_bowls);
      for (int i = 0; i < 2; i++) unknowns[i].value = 1, unknowns[i].lower = 0, unknowns[i].upper = upper;
      spec.method = (td_design_method)method;
      td_design_result r = {.p = p};
      ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
      ck_assert_msg(r.end == TD_DESIGN_CONVERGED && fabs(p[0] - 0.5) < 1e-3 && fabs(p[1] - 0.3) < 1e-3,
                    "%s, up to %g: %s at %g, %g", td_design_method_name(spec.method), upper, td_design_end_name(r.end),
                    p[0], p[1]);
      ck_assert_int_eq(r.warnings.count, 0);
    }
}
END_TEST

// 1/2 |x|^2 - b x above a wall x0 + x1 + x2 + x3 <= 1, with bounds that hold some: the multipliers of both belong
// together. With b = (3, 3, 1, -1) and 0 <= x <= 0.4 the best is (0.4, 0.4, 0.2, 0), and the wall's multiplier is 0.8.
static td_status held_by_both(void *context, const double *x, double *f, double *df, double *c, double *dc,
                              td_error *err) {
  static const double b[4] = {3, 3, 1, -1};
  (void)err;
  ((asked *)context)->calls++;
  *f = 0, c[0] = -1;
  for (int i = 0; i < 4; i++) {
    *f += 0.5 * x[i] * x[i] - b[i] * x[i];
    c[0] += x[i];
    if (df) df[i] = x[i] - b[i], dc[i] = 1;
  }
  return TD_OK;
}

START_TEST(a_corner_of_bounds_and_constraints_is_an_optimum) {
  static const double best[4] = {0.4, 0.4, 0.2, 0};
  for (int method = TD_DESIGN_SLSQP; method <= TD_DESIGN_MMA; method++) {
    td_unknown unknowns[4];
    asked a;
    double p[4];
    td_design_spec spec = make_spec(unknowns, 4, &a, held_by_both);
    for (int i = 0; i < 4; i++) unknowns[i].value = 0.1, unknowns[i].lower = 0, unknowns[i].upper = 0.4;
    spec.constraints = 1;
    spec.method = (td_design_method)method;
    td_design_result r = {.p = p};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s, promised %g", td_design_end_name(r.end), r.promised);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(p[i], best[i], 1e-4);
    ck_assert_double_lt(r.promised, 1e-4);
  }
}
END_TEST

START_TEST(what_falls_for_ever_is_no_optimum_and_names_the_number_that_runs_away) {
  for (int k = 0; k < 12; k++) {
    td_unknown unknowns[2];
    asked a;
    double p[2];
    td_design_spec spec = make_spec(unknowns, 2, &a, falling);
    unknowns[0] = (td_unknown){.name = "length", .value = 0.4, .lower = 0, .upper = INFINITY, .log = k >= 6};
    spec.method = (td_design_method)(k % 3);
    a.wrong = k / 3 % 2;
    td_design_result r = {.p = p};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_msg(r.end == TD_DESIGN_UNBOUNDED, "%d: %s at %g after %zu", k, td_design_end_name(r.end), p[0],
                  r.evaluations);
    ck_assert(says(&r, "design_unbounded") && says(&r, "no_effect"));
    ck_assert_double_lt(p[0], 1e15);
    ck_assert_str_eq(r.warnings.list[1].pointer, "/parameters/1"); // has no effect
    unknowns[0].upper = 3;
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED);
    ck_assert_double_eq(p[0], 3);
    ck_assert(!says(&r, "design_unbounded"));
  }
}
END_TEST

// The least sum of two numbers, with x^2 + y at least 7.5.
static td_status cornered(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  (void)err;
  ((asked *)context)->calls++;
  *f = x[0] + x[1];
  c[0] = 7.5 - (x[0] * x[0] + x[1]); // at most 6 can be had
  c[1] = x[1] - 9;
  if (df) df[0] = df[1] = 1, dc[0] = -2 * x[0], dc[1] = -1, dc[2] = 0, dc[3] = 1;
  return TD_OK;
}

START_TEST(where_no_point_meets_a_constraint_the_nearest_is_found) {
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[2];
    asked a;
    double p[2], c[2], given[2] = {7.5, 9};
    td_design_spec spec = make_spec(unknowns, 2, &a, cornered);
    for (int i = 0; i < 2; i++) unknowns[i].lower = 0, unknowns[i].upper = 2, unknowns[i].value = 0.5;
    spec.constraints = 2;
    spec.sizes = given;
    spec.method = k ? TD_DESIGN_MMA : TD_DESIGN_SLSQP;
    td_design_result r = {.p = p, .c = c};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_int_eq(r.end, TD_DESIGN_INFEASIBLE);
    ck_assert_double_eq_tol(c[0], 1.5, 1e-3);
    ck_assert_double_lt(c[1], 0);
    ck_assert_double_eq_tol(r.violation, 0.2, 1e-3);
    for (int i = 0; i < 2; i++) unknowns[i].upper = 3; // now it can be met
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED);
    ck_assert_double_eq_tol(r.f, sqrt(7.5), 1e-3);
  }
}
END_TEST

START_TEST(without_constraints_lbfgs_follows_the_valley_also_by_logarithms) {
  for (int log = 0; log < 2; log++) {
    td_unknown unknowns[2];
    asked a;
    double p[2];
    td_design_spec spec = make_spec(unknowns, 2, &a, rosenbrock);
    spec.method = TD_DESIGN_LBFGS;
    spec.tolerance = 1e-12;
    for (int i = 0; log && i < 2; i++) unknowns[i].log = true, unknowns[i].lower = 0.01;
    td_design_result r = {.p = p};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
    ck_assert_double_eq_tol(p[0], 1, 1e-3);
    ck_assert_double_eq_tol(p[1], 1, 1e-3);
    ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED);
  }
}
END_TEST

START_TEST(a_bound_that_holds_the_best_is_told) {
  td_unknown unknowns[4];
  asked a;
  bool at_bound[4];
  td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  unknowns[2].upper = 1.5;
  td_design_result r = {.at_bound = at_bound};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert(at_bound[2] && !at_bound[0]);
  ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED);
  ck_assert(says(&r, "design_at_bound"));
}
END_TEST

START_TEST(ends_that_are_no_optimum_say_so) {
  td_unknown unknowns[4];
  asked a;
  td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  spec.max_evaluations = 3;
  td_design_result r = {0};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert(r.end == TD_DESIGN_EXHAUSTED || r.end == TD_DESIGN_INFEASIBLE);
  spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  for (int i = 0; i < 4; i++) unknowns[i].value = 4, unknowns[i].lower = 3; // nothing there meets the constraints
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_int_eq(r.end, TD_DESIGN_INFEASIBLE);
  spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  a.wrong = -0.5;
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert(says(&r, "wrong_derivative"));
}
END_TEST

START_TEST(where_nothing_can_be_evaluated_the_search_turns_back) {
  static const td_design_method methods[] = {TD_DESIGN_SLSQP, TD_DESIGN_MMA};
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[4];
    asked a;
    td_error err;
    td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
    spec.method = methods[k];
    a.wall = 0.3; // the first steps lead through
    td_design_result r = {0};
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, &err), TD_OK);
    ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED); // mma's asymptotes do not forget the wall: it begins anew
    ck_assert_double_eq_tol(r.f, -44, 0.01);
    for (int i = 0; i < 4; i++) unknowns[i].value = 1; // not even the first point
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, &err), TD_NOT_CONVERGED);
    ck_assert_str_eq(err.message, "no run");
  }
}
END_TEST

// The best lies where nothing can be evaluated; what can be leaves words behind.
static td_status talkative(void *context, const double *x, double *f, double *df, double *c, double *dc,
                           td_error *err) {
  if (x[2] > 1) return td_fail(err, TD_NOT_CONVERGED, "/of", "no run there");
  (void)td_fail(err, TD_NOT_CONVERGED, "/of", "tried in vain, and then in another way");
  return rosen_suzuki(context, x, f, df, c, dc, err);
}

START_TEST(the_last_failure_is_told_not_what_came_after_it) {
  td_unknown unknowns[4];
  asked a;
  td_design_spec spec = make_spec(unknowns, 4, &a, talkative);
  spec.constraints = 3;
  td_design_result r = {0};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_int_eq(r.end, TD_DESIGN_FAILED);
  ck_assert_str_eq(r.failure.message, "no run there");
}
END_TEST

START_TEST(what_cannot_be_asked_is_refused_at_its_place) {
  td_unknown unknowns[4];
  asked a;
  td_error err;
  td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  spec.method = TD_DESIGN_LBFGS;
  ck_assert_int_eq(td_design_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/method");
  spec.method = TD_DESIGN_MMA;
  unknowns[1].value = 6;
  ck_assert_int_eq(td_design_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/parameters/1/upper");
}
END_TEST

typedef struct tape {
  double rows[ROWS][ROW];
  size_t count, stop;
} tape;

static bool on_evaluated(void *context, const double *row, size_t index) {
  tape *t = context;
  ck_assert_uint_lt(index, ROWS);
  memcpy(t->rows[index], row, sizeof t->rows[index]);
  t->count = index + 1;
  return t->count != t->stop;
}

// The same of a number alone, whose rows lie one behind the other.
static bool on_row(void *context, const double *row, size_t index) {
  tape *t = context;
  double *all = t->rows[0];
  ck_assert_uint_lt((index + 1) * 4, sizeof t->rows / sizeof *all);
  memcpy(all + 4 * index, row, 4 * sizeof *all);
  t->count = index + 1;
  return true;
}

START_TEST(a_search_goes_on_from_what_was_evaluated_with_the_same_bits) {
  static const td_design_method methods[] = {TD_DESIGN_SLSQP, TD_DESIGN_MMA};
  static tape whole, rest;
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[4];
    asked a;
    double p[4], q[4];
    td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
    spec.method = methods[k];
    ck_assert_uint_eq(td_design_row_size(&spec), ROW);
    td_design_hooks hooks = {&whole, on_evaluated};
    td_design_result r = {.p = p}, s = {.p = q};
    whole.count = whole.stop = 0;
    ck_assert_int_eq(td_design_run(&spec, NULL, 0, &hooks, &r, NULL), TD_OK);
    for (size_t from = 1; from < whole.count; from += 4) {
      memcpy(rest.rows, whole.rows, sizeof rest.rows);
      hooks.context = &rest;
      rest.count = rest.stop = 0;
      a.calls = 0;
      ck_assert_int_eq(td_design_run(&spec, whole.rows[0], from, &hooks, &s, NULL), TD_OK);
      ck_assert_int_eq(a.calls, (int)(whole.count - from) + 2);
      ck_assert_mem_eq(rest.rows, whole.rows, whole.count * sizeof whole.rows[0]);
      ck_assert_mem_eq(p, q, sizeof p);
      ck_assert_uint_eq(r.best, s.best);
    }
  }
}
END_TEST

// Two valleys: the one at 0.96 is the nearest, that at -1.04 the deepest. Beyond `wall` nothing can be evaluated.
static td_status two_valleys(void *context, const double *x, double *f, double *df, double *c, double *dc,
                             td_error *err) {
  asked *a = context;
  (void)c, (void)dc;
  a->calls++;
  if (a->wall > 0 && x[0] > a->wall) return td_fail(err, TD_NOT_CONVERGED, "", "no run");
  double square = x[0] * x[0] - 1;
  *f = square * square + 0.3 * x[0];
  if (df) df[0] = 4 * x[0] * square + 0.3;
  return TD_OK;
}

START_TEST(the_best_of_several_starts_is_told_and_the_same_after_any_stop) {
  static tape whole, rest;
  enum { WIDTH = 4 }; // of a row of one number
  td_unknown unknowns[1];
  asked a;
  double p[1], q[1];
  td_design_spec spec = make_spec(unknowns, 1, &a, two_valleys);
  unknowns[0] = (td_unknown){.name = "x", .value = 1, .lower = -2, .upper = 2};
  ck_assert_uint_eq(td_design_row_size(&spec), WIDTH);
  td_design_result r = {.p = p}, s = {.p = q};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_double_eq_tol(p[0], 0.96, 0.01);
  ck_assert_int_eq(r.start, 0);
  double near = r.f;
  spec.starts = 5;
  td_design_hooks hooks = {&whole, on_row};
  whole.stop = 0;
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, &hooks, &r, NULL), TD_OK);
  ck_assert_int_eq(r.end, TD_DESIGN_CONVERGED);
  ck_assert_double_eq_tol(p[0], -1.04, 0.01);
  ck_assert_double_lt(r.f, near - 0.5);
  ck_assert_int_gt(r.start, 0);
  ck_assert_uint_eq(r.evaluations, whole.count);
  const double *rows = whole.rows[0], *best = rows + WIDTH * r.best;
  ck_assert_double_eq(best[0], p[0]);
  ck_assert_double_eq(best[WIDTH - 1], r.start);
  ck_assert_double_eq(rows[WIDTH * whole.count - 1], 4);
  ck_assert_double_eq(r.first_f, 0.3);
  for (size_t from = 1; from < whole.count; from += 3) {
    memcpy(rest.rows, whole.rows, sizeof rest.rows);
    hooks.context = &rest;
    ck_assert_int_eq(td_design_run(&spec, whole.rows[0], from, &hooks, &s, NULL), TD_OK);
    ck_assert_mem_eq(rest.rows, whole.rows, whole.count * WIDTH * sizeof(double));
    ck_assert_mem_eq(p, q, sizeof p);
    ck_assert(r.best == s.best && r.start == s.start && r.evaluations == s.evaluations);
  }
  spec.seed = 7;
  hooks.context = &rest;
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, &hooks, &s, NULL), TD_OK);
  ck_assert(memcmp(rest.rows, whole.rows, whole.count * WIDTH * sizeof(double)) != 0);
  ck_assert_double_eq_tol(q[0], p[0], 1e-3);
}
END_TEST

START_TEST(starts_where_nothing_can_be_evaluated_are_told) {
  td_unknown unknowns[1];
  asked a;
  double p[1];
  td_design_spec spec = make_spec(unknowns, 1, &a, two_valleys);
  unknowns[0] = (td_unknown){.name = "x", .value = 1, .lower = -2, .upper = 2};
  spec.starts = 6;
  a.wall = 0.5;
  td_design_result r = {.p = p};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_double_eq_tol(p[0], -1.04, 0.01);
  ck_assert(r.failed_starts > 0 && r.failed_starts < 6 && says(&r, "failed_starts"));
  a.wall = 1e-300;
  unknowns[0].lower = 0.5;
  td_error err = {0};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, &err), TD_NOT_CONVERGED);
  ck_assert_str_eq(err.message, "no run");
}
END_TEST

START_TEST(a_search_that_is_stopped_has_its_best_so_far) {
  static tape t;
  td_unknown unknowns[4];
  asked a;
  td_design_spec spec = make_spec(unknowns, 4, &a, rosen_suzuki);
  t.stop = 3;
  td_design_hooks hooks = {&t, on_evaluated};
  td_design_result r = {0};
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, &hooks, &r, NULL), TD_CANCELLED);
  ck_assert_uint_eq(r.evaluations, 3);
  ck_assert_int_eq(r.end, TD_DESIGN_RUNNING);
}
END_TEST

TEST_MAIN("design", constrained_optima_are_found_by_both_methods_that_take_constraints,
          optima_do_not_depend_on_weights_and_units, bounds_that_are_far_away_say_nothing_of_a_number,
          a_corner_of_bounds_and_constraints_is_an_optimum,
          what_falls_for_ever_is_no_optimum_and_names_the_number_that_runs_away,
          where_no_point_meets_a_constraint_the_nearest_is_found,
          without_constraints_lbfgs_follows_the_valley_also_by_logarithms, a_bound_that_holds_the_best_is_told,
          ends_that_are_no_optimum_say_so, where_nothing_can_be_evaluated_the_search_turns_back,
          the_last_failure_is_told_not_what_came_after_it, what_cannot_be_asked_is_refused_at_its_place,
          a_search_goes_on_from_what_was_evaluated_with_the_same_bits,
          the_best_of_several_starts_is_told_and_the_same_after_any_stop,
          starts_where_nothing_can_be_evaluated_are_told, a_search_that_is_stopped_has_its_best_so_far)
