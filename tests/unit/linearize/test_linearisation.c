// Linearisations of open, closed and driven chains against differences of forward dynamics, and the three ways to name
// points.
#include "model/workspace.h"
#include "support/four_bar.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, POINTS = 4 };

typedef struct points {
  size_t count;
  double t[POINTS], q[POINTS][N], qd[POINTS][N], u[POINTS], A[POINTS][4 * N * N], B[POINTS][2 * N];
} points;

static bool keep(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                 const double *A, const double *B) {
  points *p = context;
  ck_assert_uint_eq(index, p->count);
  p->t[index] = t;
  p->u[index] = u[0];
  memcpy(p->q[index], q, sizeof p->q[index]);
  memcpy(p->qd[index], qd, sizeof p->qd[index]);
  memcpy(p->A[index], A, sizeof p->A[index]);
  memcpy(p->B[index], B, sizeof p->B[index]);
  p->count++;
  return true;
}

static points linearized(const td_model *model, const td_linearize_spec *spec) {
  points p = {0};
  td_linearize_hooks hooks = {.context = &p, .point = keep};
  td_run_statistics statistics;
  td_error err = {0};
  td_status status = td_linearize_run(model, spec, &hooks, &statistics, &err);
  ck_assert_msg(status == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_uint_eq(p.count, td_linearize_count(model, spec, &err));
  return p;
}

static void rates(const td_model *model, td_workspace *ws, const double *x, double u, double *out) {
  td_state state = {.q = x, .qd = x + N, .u = &u};
  td_constrained_output f = {.fd = out + N};
  ws->constraint.closure = true; // as runs measure loops
  memcpy(out, x + N, N * sizeof *out);
  ck_assert_int_eq(td_constrained_dynamics(model, ws, &state, &f), TD_OK);
}

// Column j < 2N of A, or B (j = 2N), by central differences.
static void check_column(const td_model *model, td_workspace *ws, const points *p, size_t k, int j) {
  double x[2][2 * N], f[2][2 * N], h = 1e-5;
  for (int side = 0; side < 2; side++) {
    memcpy(x[side], p->q[k], sizeof p->q[k]);
    memcpy(x[side] + N, p->qd[k], sizeof p->qd[k]);
    double step = side ? h : -h, u = p->u[k] + (j == 2 * N ? step : 0);
    if (j < 2 * N) x[side][j] += step;
    rates(model, ws, x[side], u, f[side]);
  }
  for (int i = 0; i < 2 * N; i++) {
    double want = (f[1][i] - f[0][i]) / (2 * h), got = j < 2 * N ? p->A[k][i * 2 * N + j] : p->B[k][i];
    ck_assert_msg(fabs(got - want) < 1e-5 * (1 + fabs(want)), "point %zu, entry %d, %d: %g, not %g", k, i, j, got,
                  want);
  }
}

static void check(const td_model *model, const points *p) {
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  for (size_t k = 0; k < p->count; k++)
    for (int j = 0; j <= 2 * N; j++) check_column(model, ws, p, k, j);
  td_workspace_destroy(ws);
}

static td_linearize_spec job(td_linearize_at at, const td_input_spec *input) {
  td_linearize_spec spec = {.at = at, .run = {.inputs = input, .input_count = 1}};
  td_integrator_defaults(&spec.run.integrator);
  return spec;
}

static const td_input_spec torque = {.channel = "motor",
                                     .signal = {.type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 2, .frequency = 1}};

START_TEST(matrices_are_the_differences_of_forward_dynamics) {
  static const double q[N] = {0.4, -0.4, 0.4}, qd[N] = {1, -1, 1}, times[] = {0, 0.11, 0.5};
  td_model *model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .motor = true});
  td_linearize_spec spec = job(TD_AT_STATE, &torque);
  spec.q = q, spec.q_count = N, spec.qd = qd, spec.qd_count = N;
  points p = linearized(model, &spec);
  ck_assert_mem_eq(p.q[0], q, sizeof q);
  check(model, &p);
  spec = job(TD_AT_TIMES, &torque);
  spec.times = times, spec.time_count = 3;
  p = linearized(model, &spec);
  for (int k = 0; k < 3; k++) {
    ck_assert_double_eq_tol(p.t[k], times[k], 1e-15);
    ck_assert_double_eq_tol(p.u[k], 1 + 2 * sin(2 * M_PI * times[k]), 1e-12);
  }
  ck_assert_double_gt(fabs(p.q[2][0]), 0.01);
  check(model, &p);
  td_model_destroy(model);
}
END_TEST

START_TEST(an_equilibrium_is_found_first) {
  td_model *model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .motor = true});
  td_linearize_spec spec = job(TD_AT_EQUILIBRIUM, &torque);
  points p = linearized(model, &spec);
  double dx[2 * N], x[2 * N] = {0};
  memcpy(x, p.q[0], sizeof p.q[0]);
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  rates(model, ws, x, p.u[0], dx);
  for (int i = 0; i < 2 * N; i++) ck_assert_double_eq_tol(dx[i], 0, 1e-8);
  ck_assert_double_gt(fabs(x[0]), 0.05);
  check(model, &p);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_driven_coordinate_has_no_acceleration_of_its_own) {
  static const double q[N] = {0.1, -0.1, 0.1};
  td_model *model = four_bar_build(&(four_bar){.ground = 0.4, .driven = true});
  td_linearize_spec spec = job(TD_AT_STATE, NULL);
  spec.run.input_count = 0;
  spec.q = q, spec.q_count = N;
  points p = linearized(model, &spec);
  for (int j = 0; j < 2 * N; j++) ck_assert_double_eq(p.A[0][N * 2 * N + j], 0);
  for (int i = 0; i < 2 * N; i++) ck_assert_double_eq(p.B[0][i], 0);
  td_model_destroy(model);
}
END_TEST

// A point mass on 0.3 m hangs by a universal joint from a hub of 0.5 m whose joint is prescribed.
static td_model *turning_hub(const char *gravity) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": %s, \"links\": [{\"name\": \"hub\", \"joint\": {\"type\":"
           " \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1,"
           " 0.1]}}, {\"name\": \"p\", \"parent\": \"hub\", \"pose\": {\"translation\": [0.5, 0, 0]}, \"joint\":"
           " {\"type\": \"universal\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.3,"
           " 0, 0], \"inertia\": [0, 0, 0]}}], \"actuators\": [{\"name\": \"h\", \"type\": \"joint\", \"link\":"
           " \"hub\", \"mode\": \"position\"}]}",
           gravity);
  return test_model_from_text(text);
}

// Textbook: Omega^2 R / l in the plane, Omega^2 (1 + R / l) out of it.
START_TEST(the_equilibrium_of_a_hub_that_turns_steadily_is_the_one_that_turns_with_it) {
  static const double c[] = {0, 5};
  td_input_spec turn = {.channel = "h", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = c, .count = 2}};
  td_model *model = turning_hub("[0, 0, 0]");
  td_linearize_spec spec = job(TD_AT_EQUILIBRIUM, &turn);
  points p = linearized(model, &spec);
  ck_assert_double_eq(p.qd[0][0], 5);
  for (int i = 0; i < N; i++) ck_assert_double_eq_tol(p.q[0][i], 0, 1e-12);
  double trace = 0;
  for (int i = 0; i < N; i++) trace += p.A[0][(N + i) * 2 * N + i];
  ck_assert_double_eq_tol(trace, -25 * (2 * 0.5 / 0.3 + 1), 1e-9);
  td_model_destroy(model);
}
END_TEST

// Gravity that does not turn along, and a hub that goes to and fro.
START_TEST(prescribed_joints_that_are_taken_to_stand_though_they_move_are_named) {
  static const double c[] = {0, 5};
  td_input_spec turns[] = {{.channel = "h", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = c, .count = 2}},
                           {.channel = "h", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 1, .frequency = 1}},
                           {.channel = "h", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.3}}};
  for (int i = 0; i < 3; i++) {
    td_model *model = turning_hub("[9.81, 0, 0]");
    td_linearize_spec spec = job(TD_AT_EQUILIBRIUM, &turns[i]);
    points p = {0};
    td_linearize_hooks hooks = {.context = &p, .point = keep};
    td_run_statistics statistics;
    td_error err = {0};
    ck_assert_msg(td_linearize_run(model, &spec, &hooks, &statistics, &err) == TD_OK, "%s", err.message);
    int said = 0;
    for (int k = 0; k < statistics.warnings.count; k++)
      said += !strcmp(statistics.warnings.list[k].code, "rates_left_out") &&
              !strcmp(statistics.warnings.list[k].pointer, "/inputs/h");
    ck_assert_msg(said == (i < 2), "input %d: %d times", i, said);
    ck_assert_double_eq(p.qd[0][0], 0);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(errors_name_their_place) {
  static const double falling[] = {0.2, 0.1}, q[2] = {0};
  td_model *model = four_bar_build(&(four_bar){.ground = 0.4, .motor = true});
  td_error err = {0};
  td_linearize_spec spec = job(TD_AT_TIMES, &torque);
  spec.times = falling, spec.time_count = 2;
  ck_assert_uint_eq(td_linearize_count(model, &spec, &err), 0);
  ck_assert_str_eq(err.pointer, "/at/times/1");
  spec = job(TD_AT_STATE, &torque);
  spec.q = q, spec.q_count = 2;
  ck_assert_uint_eq(td_linearize_count(model, &spec, &err), 0);
  ck_assert_str_eq(err.pointer, "/at/q");
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("linearize", matrices_are_the_differences_of_forward_dynamics, an_equilibrium_is_found_first,
          a_driven_coordinate_has_no_acceleration_of_its_own,
          the_equilibrium_of_a_hub_that_turns_steadily_is_the_one_that_turns_with_it,
          prescribed_joints_that_are_taken_to_stand_though_they_move_are_named, errors_name_their_place)
