// Analytic derivatives of id, tau and tendon lengths against five-point differences, on every tree.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static const double step = 5e-4, relative = 1e-7, absolute = 1e-9;
static matrix analytic, other, third, numeric;

static void id_derivatives(tree_state *s) {
  vector id, expected;
  TREE_OK(td_id_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, id, analytic, other, third));
  tree_id(s, expected);
  tree_same(s, "id beside its derivatives", s->n, 1, id, expected, 0, 1e-12);
  tree_difference(s, tree_id, s->q, s->n, s->n, step, numeric);
  tree_same(s, "did_dq", s->n, s->n, analytic, numeric, relative, absolute);
  tree_difference(s, tree_id, s->qd, s->n, s->n, step, numeric);
  tree_same(s, "did_dqd", s->n, s->n, other, numeric, relative, absolute);
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, numeric));
  tree_same(s, "did_dqdd", s->n, s->n, third, numeric, 1e-11, 1e-12);
}

START_TEST(derivatives_of_id_are_its_differences) { tree_state_each(id_derivatives); }
END_TEST

static void id_inputs(tree_state *s) {
  if (s->m == 0) return;
  TREE_OK(td_id_input_derivative(s->model, s->ws, s->q, s->qd, s->u, analytic));
  tree_difference(s, tree_id, s->u, s->m, s->n, 0.02, numeric); // linear in u but for flows
  tree_same(s, "did_du", s->n, s->m, analytic, numeric, 1e-9, 1e-9);
  int actuators = td_model_actuator_channel_count(s->model);
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < actuators; j++) ck_assert_double_eq(analytic[i * s->m + j], 0);
}

START_TEST(id_depends_on_channels_of_loads_and_flows_only) { tree_state_each(id_inputs); }
END_TEST

static void tau_derivatives(tree_state *s) {
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, s->u, analytic, other, third));
  tree_difference(s, tree_tau, s->q, s->n, s->n, step, numeric);
  tree_same(s, "dtau_dq", s->n, s->n, analytic, numeric, relative, absolute);
  tree_difference(s, tree_tau, s->qd, s->n, s->n, 0.1, numeric); // linear
  tree_same(s, "dtau_dqd", s->n, s->n, other, numeric, 1e-9, 1e-9);
  if (s->m == 0) return;
  tree_difference(s, tree_tau, s->u, s->m, s->n, 1, numeric); // linear
  tree_same(s, "dtau_du", s->n, s->m, third, numeric, 1e-9, 1e-9);
}

START_TEST(derivatives_of_tau_are_its_differences) { tree_state_each(tau_derivatives); }
END_TEST

static void lengths(tree_state *s, double *out) { TREE_OK(td_tendon_lengths(s->model, s->ws, s->q, out, NULL)); }

static void tendon_derivatives(tree_state *s) {
  vector length, expected;
  int tendons = td_model_tendon_count(s->model);
  if (!tendons) return;
  TREE_OK(td_tendon_lengths(s->model, s->ws, s->q, length, analytic));
  lengths(s, expected);
  ck_assert_mem_eq(length, expected, (size_t)tendons * sizeof(double));
  tree_difference(s, lengths, s->q, s->n, tendons, step, numeric);
  tree_same(s, "dlength_dq", tendons, s->n, analytic, numeric, relative, absolute);
}

START_TEST(derivatives_of_tendon_lengths_are_their_differences) { tree_state_each(tendon_derivatives); }
END_TEST

// r = tau - ID, K = dID/dq - dtau/dq, C = dID/dqd - dtau/dqd, M.
static void residual(tree_state *s) {
  static matrix K, C, M, tau_q, tau_qd;
  vector r, id, tau;
  TREE_OK(td_residual_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, r, K, C, M));
  TREE_OK(td_id_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, id, analytic, other, third));
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, s->u, tau_q, tau_qd, NULL));
  tree_tau(s, tau);
  for (int i = 0; i < s->n; i++) tau[i] -= id[i];
  for (int i = 0; i < s->n * s->n; i++) {
    analytic[i] -= tau_q[i];
    other[i] -= tau_qd[i];
  }
  tree_same(s, "residual", s->n, 1, r, tau, 0, 1e-11);
  tree_same(s, "K", s->n, s->n, K, analytic, 1e-11, 1e-13);
  tree_same(s, "C", s->n, s->n, C, other, 1e-11, 1e-13);
  tree_same(s, "M", s->n, s->n, M, third, 1e-11, 1e-13);
}

START_TEST(matrices_of_an_implicit_step_are_made_of_the_derivatives) { tree_state_each(residual); }
END_TEST

TEST_MAIN("tree_derivatives", derivatives_of_id_are_its_differences, id_depends_on_channels_of_loads_and_flows_only,
          derivatives_of_tau_are_its_differences, derivatives_of_tendon_lengths_are_their_differences,
          matrices_of_an_implicit_step_are_made_of_the_derivatives)
