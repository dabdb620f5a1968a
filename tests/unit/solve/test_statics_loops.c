// Statics of closed and driven chains: exact answers of a parallelogram, multipliers, stability on what the loop allows.
#include "support/four_bar.h"
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

TEST_MAIN("statics_loops", a_parallelogram_leans_until_its_spring_holds_it,
          standing_upright_without_a_spring_is_unstable, a_driven_chain_takes_the_angle_of_its_input,
          multipliers_of_a_list_are_those_of_forward_dynamics_at_rest, a_chain_that_cannot_be_closed_says_which_loop)
