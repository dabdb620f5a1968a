// Statics of closed and driven chains: exact answers of a parallelogram, multipliers, stability on what the loop
// allows.
#include "support/four_bar.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

// Height of the three centres of mass of the parallelogram at s, times weight: m g (0.15 + 0.3 + 0.15) cos s.
static const double weight_arm = 0.5 * 9.81 * 0.6;

static td_status solve(const td_model *model, double u, double q[3], td_statics_result *result, td_error *err) {
  td_statics_options options;
  td_workspace *ws;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_statics_solve(model, ws, &u, &options, q, result, err);
  td_workspace_destroy(ws);
  return status;
}

START_TEST(a_parallelogram_leans_until_its_spring_holds_it) {
  td_model *model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .motor = true});
  for (double u = -2; u < 2.1; u += 0.5) {
    double q[3] = {0.1, 0, 0.2};
    td_statics_result result;
    td_error err = {0};
    ck_assert_msg(solve(model, u, q, &result, &err) == TD_OK, "%s", err.message);
    ck_assert(result.converged && result.stable && result.loop_error < 1e-12);
    ck_assert_double_eq_tol(q[0] + q[1], 0, 1e-12);
    ck_assert_double_eq_tol(8 * q[0] - weight_arm * sin(q[0]), u, 1e-8);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(standing_upright_without_a_spring_is_unstable) {
  td_model *model = four_bar_build(&(four_bar){.ground = 0.4, .motor = true});
  double q[3] = {0};
  td_statics_result result;
  td_error err = {0};
  ck_assert_int_eq(solve(model, 0, q, &result, &err), TD_OK);
  ck_assert(result.converged);
  if (fabs(q[0]) < 1e-6)
    ck_assert(!result.stable && result.smallest_eigenvalue < 0);
  else
    ck_assert_double_eq_tol(cos(q[0]), -1, 1e-9); // it fell
  td_model_destroy(model);
}
END_TEST

START_TEST(a_driven_chain_takes_the_angle_of_its_input) {
  td_model *model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .driven = true});
  for (double u = -0.8; u < 0.9; u += 0.4) {
    double q[3] = {0};
    td_statics_result result;
    td_error err = {0};
    ck_assert_msg(solve(model, u, q, &result, &err) == TD_OK, "%s", err.message);
    ck_assert_double_eq(q[0], u);
    ck_assert_double_eq_tol(q[1], -u, 1e-12);
    ck_assert_double_eq_tol(q[2], u, 1e-12);
    ck_assert(result.stable); // nothing is left to move
  }
  td_model_destroy(model);
}
END_TEST

typedef struct balance {
  const td_model *model;
  td_workspace *ws;
  int seen;
} balance;

static bool multipliers_fit(void *context, size_t index, const double *u, const double *q,
                            const td_statics_result *result, const td_error *failure) {
  balance *b = context;
  double lambda[6], fd[3];
  td_state state = {.q = q, .u = u};
  td_constrained_output out = {.fd = fd, .lambda = lambda};
  (void)index;
  ck_assert_msg(!failure, "%s", failure ? failure->message : "");
  ck_assert_int_eq(td_constrained_dynamics(b->model, b->ws, &state, &out), TD_OK);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(fd[i], 0, 1e-7);
  for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(result->lambda[i], lambda[i], 1e-8);
  ck_assert_double_eq_tol(result->lambda[5], 8 * q[0] - weight_arm * sin(q[0]), 1e-8); // the torque of the drive
  b->seen++;
  return true;
}

START_TEST(multipliers_of_a_list_are_those_of_forward_dynamics_at_rest) {
  static const double angles[] = {0.2, -0.5, 0.7, 0.71};
  balance b = {.model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .driven = true})};
  ck_assert_int_eq(td_workspace_create(b.model, &b.ws), TD_OK);
  td_input_spec drive = {.channel = "drive", .list = angles, .list_count = 4};
  td_statics_spec spec = {.inputs = &drive, .input_count = 1};
  td_statics_defaults(&spec.options);
  td_statics_hooks hooks = {.context = &b, .solved = multipliers_fit};
  td_error err = {0};
  ck_assert_int_eq(td_statics_run(b.model, &spec, 0, NULL, &hooks, NULL, &err), TD_OK);
  ck_assert_int_eq(b.seen, 4);
  td_workspace_destroy(b.ws);
  td_model_destroy((td_model *)b.model);
}
END_TEST

START_TEST(a_chain_that_cannot_be_closed_says_which_loop) {
  td_model *model = four_bar_build(&(four_bar){.ground = 2, .motor = true});
  double q[3] = {0};
  td_statics_result result;
  td_error err = {0};
  ck_assert_int_eq(solve(model, 0, q, &result, &err), TD_NOT_CONVERGED);
  ck_assert_msg(strstr(err.message, "\"foot\"") != NULL, "%s", err.message);
  td_model_destroy(model);
}
END_TEST

// A motor turns a nut of 0.02 m/rad against a spring of 200 N/m: theta = u / (k pitch^2), 40 turns at the most, from
// any turn.
START_TEST(a_nut_turns_on_its_thread_as_often_as_its_load_asks) {
  static const char nut[] =
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"slide\", \"joint\": "
      "{\"type\": "
      "\"prismatic\", \"axis\": \"z\", \"stiffness\": 200}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, "
      "0, "
      "0], \"inertia\": [0.1, 0.1, 0.1]}}, {\"name\": \"nut\", \"parent\": \"slide\", \"joint\": {\"type\": "
      "\"revolute\", "
      "\"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [0.1, 0.1, "
      "0.1]}}], \"actuators\": [{\"name\": \"motor\", \"type\": \"joint\", \"link\": \"nut\"}], \"loops\": "
      "[{\"joint\": "
      "{\"type\": \"helical\", \"axis\": \"z\", \"pitch\": 0.02}, \"a\": {\"link\": \"nut\"}, \"b\": {\"link\": "
      "\"world\"}}]}";
  td_model *model = test_model_from_text(nut);
  for (double u = -20; u < 20.1; u += 2.5)
    for (int start = 0; start < 3; start++) {
      double turns = 4 * M_PI * start, q[3] = {0.02 * turns, turns}, exact = u / (200 * 0.02 * 0.02);
      td_statics_result result;
      td_error err = {0};
      ck_assert_msg(solve(model, u, q, &result, &err) == TD_OK, "%s", err.message);
      ck_assert(result.converged && result.stable && result.loop_error < 1e-12);
      ck_assert_double_eq_tol(q[1], exact, 1e-8);
      ck_assert_double_eq_tol(q[0], 0.02 * exact, 1e-10);
    }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("statics_loops", a_nut_turns_on_its_thread_as_often_as_its_load_asks,
          a_parallelogram_leans_until_its_spring_holds_it, standing_upright_without_a_spring_is_unstable,
          a_driven_chain_takes_the_angle_of_its_input, multipliers_of_a_list_are_those_of_forward_dynamics_at_rest,
          a_chain_that_cannot_be_closed_says_which_loop)
