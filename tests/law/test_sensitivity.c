// Derivatives of equilibria by numbers of the model and by inputs, against differences of equilibria and formulas.
#include "statics/job/output.h"
#include "statics/statics.h"
#include "support/closed.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/task.h"
#include "support/thorough.h"
#include "tendril/sensitivity.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MATRIX = STATE_MAX * NUMBERS_MAX };

static tree robot;
static tree_numbers numbers;
static double dq_dp[MATRIX], dlambda_dp[MATRIX];

// What a state has: q, then multipliers.
typedef struct answer {
  double x[2 * STATE_MAX];
} answer;

// The equilibrium near q: first as jobs find it, then to rounding.
static bool settle(const td_model *model, const double *u, answer *a) {
  td_workspace *ws;
  td_statics s;
  td_statics_result result;
  td_statics_options options;
  td_error err;
  int n = td_model_ndof(model), c = td_model_loop_row_count(model) + td_model_prescribed_count(model);
  td_statics_defaults(&options);
  TREE_OK(td_workspace_create(model, &ws));
  TREE_OK(td_statics_init(&s, model, ws, &options));
  memcpy(s.q, a->x, (size_t)n * sizeof *s.q);
  bool found = td_statics_find(&s, u, &result, &err) == TD_OK;
  s.options.tolerance = 0;
  if (found) (void)!td_statics_newton(&s, 4, true);
  (void)!td_statics_evaluate(&s);
  memcpy(a->x, s.q, (size_t)n * sizeof *s.q);
  if (c) memcpy(a->x + n, s.lambda, (size_t)c * sizeof *s.lambda);
  td_statics_fini(&s);
  td_workspace_destroy(ws);
  return found;
}

// Differences of order 4 by number j over steps of h; false: one of the robots is none.
static bool difference(const tree_state *s, const answer *home, int count, size_t j, double h, double *d) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  memset(d, 0, (size_t)count * sizeof *d);
  for (int k = 0; k < 4; k++) {
    td_model *m;
    answer a = *home;
    if (tree_numbers_freeze(&numbers, j, numbers.parameter[j].value + at[k] * h, &m, NULL)) return false;
    bool found = settle(m, s->u, &a);
    td_model_destroy(m);
    if (!found) return false;
    for (int i = 0; i < count; i++) d[i] += weight[k] * a.x[i] / h;
  }
  return true;
}

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Two steps tell what differences are worth.
static void same_column(const tree_state *s, const char *what, size_t j, int rows, const double *got,
                        const double *wide, const double *near, double size) {
  double most = largest(rows, near), scale = numbers.parameter[j].scale;
  for (int i = 0; i < rows; i++) {
    double x = got[(size_t)i * numbers.count + j],
           bound = 1e-7 * most + fabs(wide[i] - near[i]) + 1e-10 * (1 + size) / scale;
    ck_assert_msg(fabs(x - near[i]) <= bound, "%s: %s by %s [%d] is %.15g, not %.15g (off by %.2g, allowed %.2g)",
                  s->name, what, numbers.number[j].name, i, x, near[i], fabs(x - near[i]), bound);
  }
}

typedef struct tally {
  int robots, columns, rough, parted;
} tally;
static tally seen;

static void columns(const tree_state *s, const answer *home, td_status status) {
  int n = s->n, c = closed_multipliers(s);
  for (size_t j = 0; j < numbers.count; j++) {
    double wide[2 * STATE_MAX], near[2 * STATE_MAX], h = ldexp(numbers.parameter[j].scale, -7);
    if (isnan(dq_dp[j])) {
      ck_assert_msg(status == TD_SINGULAR, "%s: no derivative by %s, and nothing is said", s->name,
                    numbers.number[j].name);
      seen.parted++;
      continue;
    }
    if (!difference(s, home, n + c, j, h, wide) || !difference(s, home, n + c, j, h / 4, near)) {
      seen.rough++; // it snaps, or the number has no room
      continue;
    }
    same_column(s, "q", j, n, dq_dp, wide, near, largest(n, home->x));
    same_column(s, "lambda", j, c, dlambda_dp, wide + n, near + n, largest(c, home->x + n));
    seen.columns++;
  }
}

static void by_numbers(tree_state *s) {
  td_parameters *p;
  td_sensitivity *x;
  td_error err = {0};
  answer home = {0};
  for (int i = 0; i < s->m; i++) s->u[i] *= 0.1;
  if (!settle(s->model, s->u, &home)) return;
  tree_numbers_of(&robot, &numbers);
  bool dependent = !strcmp(s->name, "planar_four_bar") || !strcmp(s->name, "the_same_loop_twice");
  tree_numbers_sample(&numbers, dependent ? 1 : 13);
  TREE_OK(td_parameters_create(s->model, numbers.parameter, numbers.count, tree_numbers_freeze, &numbers, &p, &err));
  TREE_OK(td_sensitivity_create(s->model, numbers.count, p, NULL, &x));
  td_equilibrium at = {.q = home.x, .u = s->u};
  td_status status = td_statics_sensitivity(x, &at, dq_dp, dlambda_dp, &err);
  ck_assert_msg(status == TD_OK || dependent || strstr(s->name, "contradict"), "%s: %s", s->name, err.message);
  columns(s, &home, status);
  seen.robots++;
  td_sensitivity_destroy(x);
  td_parameters_destroy(p);
}

static void each(void (*law)(tree_state *s), size_t every) {
  seen = (tally){0};
  for (size_t i = 0; i < tree_count() + closed_count(); i += every * FEWER) {
    tree_state s;
    bool closed = i >= tree_count();
    if (closed)
      closed_make(i - tree_count(), &robot);
    else
      tree_make(i, &robot);
    tree_state_of(&s, &robot, closed ? closed_name(i - tree_count()) : tree_name(i), 0.5);
    law(&s);
    tree_state_close(&s);
  }
}

START_TEST(equilibria_move_as_their_differences_say) {
  each(by_numbers, 1);
  ck_assert_msg(seen.robots > 60 / FEWER && seen.columns > 150 / FEWER && seen.rough < 8 && seen.parted >= 3 / FEWER,
                "%d robots, %d columns, %d without differences, %d parted", seen.robots, seen.columns, seen.rough,
                seen.parted);
}
END_TEST

// Prescribed coordinates go with their inputs, all else follows.
static void by_inputs(tree_state *s) {
  static double unit[STATE_MAX * STATE_MAX];
  static const double h = 1e-4;
  td_sensitivity *x;
  td_error err = {0};
  answer home = {0};
  int n = s->n, m = s->m, c = closed_multipliers(s);
  for (int i = 0; i < m; i++) s->u[i] *= 0.1;
  if (m == 0 || !settle(s->model, s->u, &home)) return;
  memset(unit, 0, sizeof unit);
  for (int k = 0; k < m; k++) unit[k * m + k] = 1;
  TREE_OK(td_sensitivity_create(s->model, (size_t)m, NULL, NULL, &x));
  td_equilibrium at = {.q = home.x, .u = s->u, .du_dp = unit};
  td_status status = td_statics_sensitivity(x, &at, dq_dp, dlambda_dp, &err);
  ck_assert_msg(status == TD_OK, "%s: %s", s->name, err.message);
  for (int k = 0; k < m; k++) {
    answer a = home, b = home;
    double was = s->u[k], size = 1 + largest(n + c, home.x);
    s->u[k] = was + h;
    bool there = settle(s->model, s->u, &a);
    s->u[k] = was - h;
    there = settle(s->model, s->u, &b) && there;
    s->u[k] = was;
    for (int i = 0; there && i < n + c; i++) {
      double d = (a.x[i] - b.x[i]) / (2 * h), got = i < n ? dq_dp[i * m + k] : dlambda_dp[(i - n) * m + k];
      ck_assert_msg(fabs(got - d) <= 1e-5 * (size + fabs(d)), "%s: %d by input %d is %.12g, not %.12g", s->name, i, k,
                    got, d);
    }
    seen.columns += there;
  }
  seen.robots++;
  td_sensitivity_destroy(x);
}

START_TEST(equilibria_follow_their_inputs) {
  each(by_inputs, 2);
  ck_assert_msg(seen.robots > 15 / FEWER && seen.columns > 40 / FEWER, "%d robots, %d inputs", seen.robots,
                seen.columns);
}
END_TEST

// ---- fields

enum { ROW_MAX = 4096, FIELDS = 6 };

// The fields of a robot at rest, of its last link where they are of one.
static size_t fields_of(const td_model *model, char text[FIELDS][80], const char *fields[FIELDS]) {
  size_t count = 0;
  int last = td_model_link_count(model) - 1;
  const char *name = td_model_link_name(model, last);
  snprintf(text[count++], 80, "energy");
  snprintf(text[count++], 80, "tendons");
  snprintf(text[count++], 80, "tensions");
  snprintf(text[count++], 80, "poses:%s", name);
  if (td_model_link_body(model, last) == TD_BODY_ROD) snprintf(text[count++], 80, "strain:%s", name);
  if (td_model_link_body(model, last) == TD_BODY_ROD) snprintf(text[count++], 80, "poses:%s@0.37", name);
  for (size_t i = 0; i < count; i++) fields[i] = text[i];
  return count;
}

static bool row_near(const td_model *model, const td_statics_spec *spec, const double *u, const answer *home,
                     double *row) {
  td_statics_output output;
  answer a = *home;
  if (!settle(model, u, &a)) return false;
  TREE_OK(td_statics_output_init(&output, model, spec, NULL));
  memcpy(row, td_statics_output_row(&output, u, a.x), output.size * sizeof *row);
  td_statics_output_fini(&output);
  return true;
}

static bool row_difference(const tree_state *s, const td_statics_spec *spec, const answer *home, size_t size, size_t j,
                           double h, double *d) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  static double row[ROW_MAX];
  memset(d, 0, size * sizeof *d);
  for (int k = 0; k < 4; k++) {
    td_model *m;
    if (tree_numbers_freeze(&numbers, j, numbers.parameter[j].value + at[k] * h, &m, NULL)) return false;
    bool found = row_near(m, spec, s->u, home, row);
    td_model_destroy(m);
    if (!found) return false;
    for (size_t i = 0; i < size; i++) d[i] += weight[k] * row[i] / h;
  }
  return true;
}

static void fields_by_numbers(tree_state *s) {
  static double row_dp[ROW_MAX * 16], wide[ROW_MAX], near[ROW_MAX], row[ROW_MAX];
  char text[FIELDS][80];
  const char *fields[FIELDS];
  td_parameters *p;
  td_sensitivity_rows *rows;
  td_error err = {0};
  answer home = {0};
  size_t size = 0;
  td_statics_spec spec = {.fields = fields, .field_count = fields_of(s->model, text, fields)};
  for (int i = 0; i < s->m; i++) s->u[i] *= 0.1;
  ck_assert_int_gt(td_statics_output_members(s->model, &spec, NULL, 0, &size, &err), 0);
  if (size > ROW_MAX || !row_near(s->model, &spec, s->u, &home, row)) return;
  ck_assert(settle(s->model, s->u, &home));
  tree_numbers_of(&robot, &numbers);
  tree_numbers_sample(&numbers, numbers.count / 4 + 1);
  TREE_OK(td_parameters_create(s->model, numbers.parameter, numbers.count, tree_numbers_freeze, &numbers, &p, &err));
  TREE_OK(td_sensitivity_rows_create(s->model, numbers.count, p, NULL, fields, spec.field_count, &rows, &err));
  td_equilibrium at = {.q = home.x, .u = s->u};
  if (td_sensitivity_rows_at(rows, &at, row_dp, &err) == TD_OK) {
    double most = largest((int)size, row);
    for (size_t j = 0; j < numbers.count; j++) {
      double h = ldexp(numbers.parameter[j].scale, -7);
      if (!row_difference(s, &spec, &home, size, j, h, wide)) continue;
      if (!row_difference(s, &spec, &home, size, j, h / 4, near)) continue;
      same_column(s, "fields", j, (int)size, row_dp, wide, near, most);
      seen.columns++;
    }
    seen.robots++;
  }
  td_sensitivity_rows_destroy(rows);
  td_parameters_destroy(p);
}

START_TEST(fields_of_equilibria_move_as_their_differences_say) {
  each(fields_by_numbers, 4);
  ck_assert_msg(seen.robots > 10 / FEWER && seen.columns > 30 / FEWER, "%d robots, %d columns", seen.robots,
                seen.columns);
}
END_TEST

// ---- backward

// Columns of numbers, then of inputs themselves, and what one transposed solution makes of a random cotangent.
static void pulled_back(tree_state *s) {
  enum { MOST = 64 };
  static double row_dp[ROW_MAX * MOST], du[STATE_MAX * MOST], row[ROW_MAX], p[MOST], u[STATE_MAX];
  char text[FIELDS][80];
  const char *fields[FIELDS + 3] = {"q", "lambda", "u"};
  size_t size = 0, count = 3 + fields_of(s->model, text, fields + 3);
  td_parameters *of_model;
  td_sensitivity_rows *rows;
  td_error err = {0};
  answer home = {0};
  uint64_t seed = tree_seed(s->name);
  for (int i = 0; i < s->m; i++) s->u[i] *= 0.1;
  tree_numbers_of(&robot, &numbers);
  tree_numbers_sample(&numbers, numbers.count / 4 + 1);
  size_t first = numbers.count, np = first + (size_t)s->m;
  ck_assert_int_gt(td_sensitivity_members(s->model, fields, count, NULL, 0, &size, &err), 0);
  if (size > ROW_MAX || np > MOST || !settle(s->model, s->u, &home)) return;
  TREE_OK(td_parameters_create(s->model, numbers.parameter, first, tree_numbers_freeze, &numbers, &of_model, &err));
  TREE_OK(td_sensitivity_rows_create(s->model, np, of_model, NULL, fields, count, &rows, &err));
  memset(du, 0, sizeof du);
  for (size_t k = 0; k < (size_t)s->m; k++) du[k * np + first + k] = 1;
  tree_random_vector(&seed, 1, (int)size, row);
  td_equilibrium at = {.q = home.x, .u = s->u, .du_dp = du};
  bool known = td_sensitivity_rows_at(rows, &at, row_dp, &err) == TD_OK;
  td_status status = td_sensitivity_rows_pull(rows, &at, row, u, p, &err);
  ck_assert_msg(!known || status == TD_OK, "%s: %s", s->name, err.message);
  for (size_t j = 0; known && j < np; j++) {
    double sum = 0, terms = 0, got = j < first ? p[j] : u[j - first];
    for (size_t i = 0; i < size; i++) {
      sum += row[i] * row_dp[i * np + j];
      terms += fabs(row[i] * row_dp[i * np + j]);
    }
    ck_assert_msg(fabs(got - sum) <= 1e-9 * terms + 1e-13, "%s: number %zu of %zu: %.15g back, %.15g forward (%g)",
                  s->name, j, np, got, sum, terms);
    seen.columns++;
  }
  seen.robots += known;
  td_sensitivity_rows_destroy(rows);
  td_parameters_destroy(of_model);
}

START_TEST(pulled_back_they_are_those_that_are_carried_forward) {
  each(pulled_back, 2);
  ck_assert_msg(seen.robots > 20 / FEWER && seen.columns > 100 / FEWER, "%d robots, %d columns", seen.robots,
                seen.columns);
}
END_TEST

// Fields that no one has, twice the same, and those that do not exist at rest.
START_TEST(fields_are_refused_where_they_stand) {
  td_error err;
  const char *twice[] = {"q", "energy", "q"}, *wrong[] = {"q", "poses:nobody"}, *moving[] = {"qd"};
  tree_make(0, &robot);
  td_model *model = tree_build(&robot);
  ck_assert_int_lt(td_sensitivity_members(model, twice, 3, NULL, 0, NULL, &err), 0);
  ck_assert_str_eq(err.pointer, "/sensitivity/fields/2");
  ck_assert_int_lt(td_sensitivity_members(model, wrong, 2, NULL, 0, NULL, &err), 0);
  ck_assert_str_eq(err.pointer, "/sensitivity/fields/1");
  ck_assert_int_lt(td_sensitivity_members(model, moving, 1, NULL, 0, NULL, &err), 0);
  ck_assert_str_eq(err.pointer, "/sensitivity/fields/0");
  td_model_destroy(model);
}
END_TEST

// ---- runs that start there

static int started;

static void runs_from(const char *name, td_method method, bool repeated) {
  static task job;
  td_run_statistics statistics;
  td_error err;
  if (task_make(&job, &robot, name, method, 0.006, 1e-3, 0, 0, 1, 2)) {
    job.spec.initial = TD_INITIAL_EQUILIBRIUM;
    job.spec.q = job.spec.qd = NULL;
    job.spec.q_count = job.spec.qd_count = 0;
    if (td_model_loop_row_count(job.model)) job.spec.output_dt = job.spec.t_end;
    if (!td_dynamics_run(job.model, &job.spec, NULL, NULL, 0, &statistics, &err)) {
      task_same_both_ways(&job, 1e-8);
      if (repeated) task_same_as_repeated(&job, 1e-6);
      started++;
    }
  }
  task_free(&job);
}

START_TEST(runs_from_an_equilibrium_start_where_it_moves_to) {
  started = 0;
  for (size_t i = 2; i < tree_count(); i += 17 * FEWER) {
    tree_make(i, &robot);
    runs_from(tree_name(i), i % 2 ? TD_METHOD_EULER_IMPLICIT : TD_METHOD_GENERALIZED_ALPHA, i % 2);
  }
  for (size_t i = 0; i < closed_count(); i += 9 * FEWER) {
    closed_make(i, &robot);
    runs_from(closed_name(i), TD_METHOD_GENERALIZED_ALPHA, i == 0);
  }
  ck_assert_msg(started > 2 / FEWER, "%d runs", started);
}
END_TEST

// ---- formulas

static void by(const char *name, double *at, bool linear) {
  size_t j = numbers.count++;
  numbers.number[j] = (tree_number){.at = at};
  memcpy(numbers.number[j].name, name, strlen(name) + 1);
  numbers.parameter[j] = (td_parameter){numbers.number[j].name, *at, *at, linear, *at / 16, INFINITY};
}

// A straight cantilever of one material that a small force F bends at its tip: the curvature is F (L - s) / (E I), I =
// pi r^4 / 4, so that its two coordinates, curvatures times L, go with F, L^2, 1 / E and r^-4.
START_TEST(a_cantilever_bends_by_the_powers_of_its_numbers) {
  static const int bends[6] = {-1, -1, 1, -1, -1, -1};
  static const double power[4] = {-1, 2, -4, 1}, F = 1e-6;
  static double radius[1] = {0.01};
  td_sensitivity *x;
  td_parameters *p;
  td_error err;
  tree_init(&robot);
  td_link_spec *link = tree_link(&robot, "arm", "world", TD_JOINT_FIXED);
  td_rod_spec *rod = tree_rod(link, TD_BASIS_LEGENDRE, bends);
  memset(robot.spec.gravity, 0, sizeof robot.spec.gravity);
  rod->size[0] = (td_profile){.count = 1, .width = 1, .value = radius};
  td_load_spec *push = tree_load(&robot, "arm", 1, TD_LOAD_BODY);
  memset(push->wrench, 0, sizeof push->wrench);
  push->pose.p[1] = 0;
  push->has_channels = true;
  push->channels[4] = "push";
  tree_state s;
  tree_state_of(&s, &robot, "cantilever", 0);
  answer home = {0};
  double du[4] = {0, 0, 0, 1};
  s.u[0] = F;
  ck_assert(settle(s.model, s.u, &home) && fabs(home.x[0]) > 0);
  numbers = (tree_numbers){.t = &robot};
  by("young", &rod->young, true);
  by("length", &rod->length, false);
  by("radius", &radius[0], false);
  TREE_OK(td_parameters_create(s.model, numbers.parameter, 3, tree_numbers_freeze, &numbers, &p, &err));
  TREE_OK(td_sensitivity_create(s.model, 4, p, NULL, &x));
  td_equilibrium at = {.q = home.x, .u = s.u, .du_dp = du};
  TREE_OK(td_statics_sensitivity(x, &at, dq_dp, NULL, &err));
  for (int i = 0; i < s.n; i++)
    for (int j = 0; j < 4; j++) {
      double value = j < 3 ? numbers.parameter[j].value : F;
      ck_assert_double_eq_tol(dq_dp[i * 4 + j] * value / home.x[i], power[j], 1e-8);
    }
  td_sensitivity_destroy(x);
  td_parameters_destroy(p);
  tree_state_close(&s);
}
END_TEST

// A body that floats where nothing pulls rests anywhere.
START_TEST(an_equilibrium_that_nothing_holds_has_no_derivatives) {
  td_sensitivity *x;
  td_error err = {0};
  tree_init(&robot);
  td_link_spec *hull = tree_link(&robot, "hull", "world", TD_JOINT_FREE);
  memset(hull->joint.stiffness, 0, sizeof hull->joint.stiffness);
  tree_rigid(hull, 1);
  memset(robot.spec.gravity, 0, sizeof robot.spec.gravity);
  tree_joint_actuator(&robot, "thrust", "hull");
  tree_state s;
  tree_state_of(&s, &robot, "floats", 0);
  double q[6] = {0}, u[6] = {0}, du[6] = {0, 0, 0, 1, 0, 0};
  TREE_OK(td_sensitivity_create(s.model, 1, NULL, NULL, &x));
  td_equilibrium at = {.q = q, .u = u, .du_dp = du};
  ck_assert_int_eq(td_statics_sensitivity(x, &at, dq_dp, NULL, &err), TD_SINGULAR);
  ck_assert_msg(strstr(err.message, "singular"), "%s", err.message);
  for (int i = 0; i < s.n; i++) ck_assert(isnan(dq_dp[i]));
  td_sensitivity_destroy(x);
  tree_state_close(&s);
}
END_TEST

TEST_MAIN("sensitivity", equilibria_move_as_their_differences_say, equilibria_follow_their_inputs,
          fields_of_equilibria_move_as_their_differences_say, pulled_back_they_are_those_that_are_carried_forward,
          fields_are_refused_where_they_stand, runs_from_an_equilibrium_start_where_it_moves_to,
          a_cantilever_bends_by_the_powers_of_its_numbers, an_equilibrium_that_nothing_holds_has_no_derivatives)
