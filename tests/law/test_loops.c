// Loops and prescribed joints at random states: the equations that accelerations and multipliers solve, and every
// derivative against five-point differences. Robots are in support/closed.c.
#include "support/closed.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

enum { ROWS_MAX = 32 };
typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static void accelerate(tree_state *s, double *fd, double *lambda) {
  td_state state = closed_state(s);
  TREE_OK(td_constrained_dynamics(s->model, s->ws, &state, &(td_constrained_output){.fd = fd, .lambda = lambda}));
}

static td_constraint_terms terms_at(tree_state *s, const double *lambda) {
  static double residual[STATE_MAX], e[ROWS_MAX], a[ROWS_MAX];
  static matrix K, C, M, A, G, Cq, Cv;
  td_constraint_terms terms = {residual, K, C, M, A, e, G, a, Cq, Cv};
  td_state state = closed_state(s);
  TREE_OK(td_constraint_terms_at(s->model, s->ws, &state, lambda, &terms));
  return terms;
}

// ---- the equations

// With qdd = fd: tau - ID + A^T lambda + E^T lambda_p = 0, each row against the magnitudes that were added.
static void forces_balance(tree_state *s) {
  vector given, lambda, tau, id;
  memcpy(given, s->qdd, sizeof given);
  accelerate(s, s->qdd, lambda);
  td_constraint_terms t = terms_at(s, lambda);
  tree_tau(s, tau);
  tree_id(s, id);
  int r = closed_rows(s);
  for (int i = 0; i < s->n; i++) {
    double scale = fabs(tau[i]) + fabs(id[i]);
    for (int j = 0; j < s->n; j++) scale += fabs(t.M[i * s->n + j] * s->qdd[j]);
    for (int j = 0; j < r; j++) scale += fabs(t.A[j * s->n + i] * lambda[j]);
    ck_assert_msg(fabs(t.residual[i]) <= 1e-10 * scale, "%s (q %g): row %d is off by %.3g of %.3g", s->name, s->scale,
                  i, t.residual[i], scale);
  }
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int c = td_model_prescribed_coordinate(s->model, i, NULL);
    ck_assert_msg(s->qdd[c] == given[c], "%s: prescribed coordinate %d", s->name, c);
  }
}

START_TEST(forces_of_loops_and_of_prescribed_joints_balance_the_equation_of_motion) { closed_each(forces_balance); }
END_TEST

// What is left of a = A qdd + Ad qd + … is orthogonal to everything free coordinates can do: 0 unless rows depend.
static void rows_are_met(tree_state *s) {
  vector lambda, mask;
  accelerate(s, s->qdd, lambda);
  td_constraint_terms t = terms_at(s, lambda);
  int r = closed_rows(s);
  closed_mask(s, mask);
  double scale = 0;
  for (int i = 0; i < r; i++) {
    double sum = 0;
    for (int j = 0; j < s->n; j++) sum += fabs(t.A[i * s->n + j] * s->qdd[j]);
    scale = fmax(scale, sum);
  }
  for (int j = 0; j < s->n; j++) {
    double left = 0, most = 0;
    for (int i = 0; i < r; i++) {
      left += mask[j] * t.A[i * s->n + j] * t.a[i];
      most = fmax(most, fabs(t.A[i * s->n + j]));
    }
    ck_assert_msg(fabs(left) <= 1e-10 * scale * most, "%s (q %g): column %d could still reduce a by %.3g of %.3g",
                  s->name, s->scale, j, left, scale * most);
  }
}

START_TEST(accelerations_meet_all_of_the_constraints_that_can_be_met) { closed_each(rows_are_met); }
END_TEST

// lambda less its projection on the free columns of A (Gram-Schmidt, twice): what is left over is
// the part of lambda that no force on a free coordinate could be seen by.
static void lambda_is_smallest(tree_state *s) {
  vector lambda, mask;
  accelerate(s, s->qdd, lambda);
  td_constraint_terms t = terms_at(s, lambda);
  int r = closed_rows(s), n = s->n;
  closed_mask(s, mask);
  double size = 0, left = 0, rest[ROWS_MAX];
  static double basis[STATE_MAX][ROWS_MAX]; // Gram-Schmidt of A's free columns
  int rank = 0;
  for (int j = 0; j < n; j++) {
    double column[ROWS_MAX], before = 0, after = 0;
    for (int i = 0; i < r; i++) column[i] = mask[j] * t.A[i * n + j], before += column[i] * column[i];
    for (int again = 0; again < 2; again++)
      for (int k = 0; k < rank; k++) {
        double dot = 0;
        for (int i = 0; i < r; i++) dot += basis[k][i] * column[i];
        for (int i = 0; i < r; i++) column[i] -= dot * basis[k][i];
      }
    for (int i = 0; i < r; i++) after += column[i] * column[i];
    if (!(sqrt(after) > 1e-8 * sqrt(before))) continue;
    for (int i = 0; i < r; i++) basis[rank][i] = column[i] / sqrt(after);
    rank++;
  }
  memcpy(rest, lambda, (size_t)r * sizeof *rest);
  for (int k = 0; k < rank; k++) {
    double dot = 0;
    for (int i = 0; i < r; i++) dot += basis[k][i] * rest[i];
    for (int i = 0; i < r; i++) rest[i] -= dot * basis[k][i];
  }
  for (int i = 0; i < r; i++) size = fmax(size, fabs(lambda[i])), left = fmax(left, fabs(rest[i]));
  ck_assert_msg(left <= 1e-9 * size, "%s (q %g): lambda of size %.3g has %.3g outside the range of A (rank %d of %d)",
                s->name, s->scale, size, left, rank, r);
}

START_TEST(multipliers_of_dependent_rows_are_the_smallest) { closed_each(lambda_is_smallest); }
END_TEST

// A unit of any multiplier changes the residual by its row of A, and a unit reaction by its unit vector.
static void residual_is_affine_in_lambda(tree_state *s) {
  static matrix A;
  vector zero = {0}, lambda = {0}, base;
  td_constraint_terms t = terms_at(s, zero);
  int n = s->n, r = closed_rows(s);
  memcpy(base, t.residual, sizeof base);
  memcpy(A, t.A, sizeof A);
  double scale = 0;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(base[i]));
  for (int k = 0; k < closed_multipliers(s); k++) {
    lambda[k] = 1;
    t = terms_at(s, lambda);
    lambda[k] = 0;
    for (int i = 0; i < n; i++) {
      double expected = k < r ? A[k * n + i] : i == td_model_prescribed_coordinate(s->model, k - r, NULL) ? 1 : 0;
      ck_assert_msg(fabs(t.residual[i] - base[i] - expected) <= 1e-13 * (scale + 10), "%s: multiplier %d, row %d",
                    s->name, k, i);
    }
  }
}

START_TEST(a_multiplier_acts_by_its_row_of_the_loop_jacobian) { closed_each(residual_is_affine_in_lambda); }
END_TEST

// ---- derivatives

static vector held; // multipliers that differences keep fixed

static void fd_of(tree_state *s, double *out) { accelerate(s, out, NULL); }
static void lambda_of(tree_state *s, double *out) { accelerate(s, NULL, out); }
static void residual_of(tree_state *s, double *out) {
  memcpy(out, terms_at(s, held).residual, (size_t)s->n * sizeof *out);
}
static void rates_of(tree_state *s, double *out) {
  memcpy(out, terms_at(s, held).a, (size_t)closed_rows(s) * sizeof *out);
}
static void error_of(tree_state *s, double *out) { TREE_OK(td_loop_error(s->model, s->ws, s->q, out, NULL)); }

static matrix numeric, dfd_dq, dfd_dqd, dfd_du, dlambda_dq, dlambda_dqd, dlambda_du;

static void compare(tree_state *s, const char *what, tree_quantity f, double *x, int columns, int rows, double h,
                    const double *analytic) {
  if (rows == 0 || columns == 0) return;
  tree_difference(s, f, x, columns, rows, h, numeric);
  tree_same(s, what, rows, columns, analytic, numeric, 1e-6, 1e-7);
}

static void derivatives_of_accelerations(tree_state *s) {
  td_state state = closed_state(s);
  td_constrained_output out = {NULL, NULL, dfd_dq, dfd_dqd, dfd_du, dlambda_dq, dlambda_dqd, dlambda_du};
  TREE_OK(td_constrained_dynamics(s->model, s->ws, &state, &out));
  int n = s->n, m = s->m, c = closed_multipliers(s);
  compare(s, "dfd_dq", fd_of, s->q, n, n, 5e-4, dfd_dq);
  compare(s, "dlambda_dq", lambda_of, s->q, n, c, 5e-4, dlambda_dq);
  compare(s, "dfd_dqd", fd_of, s->qd, n, n, 1e-2, dfd_dqd);
  compare(s, "dlambda_dqd", lambda_of, s->qd, n, c, 1e-2, dlambda_dqd);
  compare(s, "dfd_du", fd_of, s->u, m, n, 1, dfd_du);
  compare(s, "dlambda_du", lambda_of, s->u, m, c, 1, dlambda_du);
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int channel, row = td_model_prescribed_coordinate(s->model, i, &channel);
    for (int j = 0; j < n; j++) ck_assert(dfd_dq[row * n + j] == 0 && dfd_dqd[row * n + j] == 0);
    for (int j = 0; j < m; j++) ck_assert_double_eq(dfd_du[row * m + j], 0);
    for (int j = 0; j < n; j++) ck_assert_double_eq(dfd_du[j * m + channel], 0);
  }
}

START_TEST(derivatives_of_accelerations_and_multipliers_are_their_differences) {
  closed_each(derivatives_of_accelerations);
}
END_TEST

static void derivatives_of_terms(tree_state *s) {
  static matrix K, C, M, A, G, Cq, Cv;
  int n = s->n, r = closed_rows(s);
  size_t square = (size_t)(n * n) * sizeof(double), rows = (size_t)(r * n) * sizeof(double);
  uint64_t seed = tree_seed(s->name);
  tree_random_vector(&seed, 2, closed_multipliers(s), held);
  td_constraint_terms t = terms_at(s, held);
  memcpy(K, t.K, square), memcpy(C, t.C, square), memcpy(M, t.M, square);
  memcpy(A, t.A, rows), memcpy(G, t.G, rows), memcpy(Cq, t.Cq, rows), memcpy(Cv, t.Cv, rows);
  for (int i = 0; i < n * n; i++) K[i] = -K[i], C[i] = -C[i], M[i] = -M[i];
  compare(s, "-K", residual_of, s->q, n, n, 1e-3, K);
  compare(s, "-C", residual_of, s->qd, n, n, 1e-2, C);
  compare(s, "-M", residual_of, s->qdd, n, n, 1, M);
  compare(s, "G", error_of, s->q, n, r, 1e-3, G);
  compare(s, "A", rates_of, s->qdd, n, r, 1, A);
  compare(s, "Cq", rates_of, s->q, n, r, 1e-3, Cq);
  compare(s, "Cv", rates_of, s->qd, n, r, 1e-2, Cv);
}

START_TEST(matrices_of_implicit_steps_are_differences_of_their_residuals) { closed_each(derivatives_of_terms); }
END_TEST

// What a robot barely at motion asks of its rows is not lost in the rounding of gravity.
static void small_accelerations_count(tree_state *s) {
  static const double SMALL = 1e-9, NEVER = 1e15; // m/s^2, rad/s^2; s
  static matrix Cq, small_Cq;
  vector a, small_a, y;
  int n = s->n, r = closed_rows(s);
  for (int i = 0; i < n; i++) y[i] = SMALL * s->qdd[i];
  td_state state = {.q = s->q, .qdd = s->qdd, .u = s->u, .baumgarte = NEVER}, small = state;
  small.qdd = y;
  TREE_OK(td_constraint_terms_at(s->model, s->ws, &state, NULL, &(td_constraint_terms){.a = a}));
  TREE_OK(td_constraint_terms_at(s->model, s->ws, &state, NULL, &(td_constraint_terms){.Cq = Cq}));
  TREE_OK(td_constraint_terms_at(s->model, s->ws, &small, NULL, &(td_constraint_terms){.a = small_a}));
  TREE_OK(td_constraint_terms_at(s->model, s->ws, &small, NULL, &(td_constraint_terms){.Cq = small_Cq}));
  for (int i = 0; i < r; i++) small_a[i] /= SMALL;
  for (int i = 0; i < r * n; i++) small_Cq[i] /= SMALL;
  tree_same(s, "a", r, 1, small_a, a, 1e-12, 1e-12);
  tree_same(s, "Cq", r, n, small_Cq, Cq, 1e-12, 1e-12);
}

START_TEST(rows_of_small_accelerations_are_as_exact_as_of_large_ones) { closed_each(small_accelerations_count); }
END_TEST

// ---- the same numbers by every door

static void forward_dynamics_agrees(tree_state *s) {
  vector plain, beside, constrained, rest = {0};
  td_state state = {.q = s->q, .qd = s->qd, .qdd = rest, .u = s->u};
  TREE_OK(td_constrained_dynamics(s->model, s->ws, &state, &(td_constrained_output){.fd = constrained}));
  TREE_OK(td_forward_dynamics(s->model, s->ws, s->q, s->qd, s->u, plain));
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, beside, dfd_dq, NULL, NULL));
  ck_assert_int_eq(memcmp(plain, constrained, (size_t)s->n * sizeof *plain), 0);
  ck_assert_int_eq(memcmp(beside, constrained, (size_t)s->n * sizeof *plain), 0);
}

START_TEST(forward_dynamics_of_a_constrained_robot_holds_prescribed_joints_at_acceleration_0) {
  closed_each(forward_dynamics_agrees);
}
END_TEST

// The input of a prescribed joint's channel changes nothing.
static void ignores_inputs(tree_state *s) {
  vector before, after;
  accelerate(s, before, NULL);
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int channel;
    td_model_prescribed_coordinate(s->model, i, &channel);
    s->u[channel] += 17;
  }
  accelerate(s, after, NULL);
  ck_assert_int_eq(memcmp(before, after, (size_t)s->n * sizeof *before), 0);
}

START_TEST(inputs_of_prescribed_joints_are_ignored) { closed_each(ignores_inputs); }
END_TEST

// Prescribing the accelerations that a free robot would have anyway needs no force.
START_TEST(a_prescribed_joint_that_moves_as_it_would_needs_no_force) {
  static tree t;
  tree_state free_one, driven;
  vector fd, again, lambda;
  for (int prescribed = 0; prescribed < 2; prescribed++) {
    tree_init(&t);
    tree_rod(tree_link(&t, "arm", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, (int[6]){1, 2, 2, 0, -1, -1});
    tree_rigid(tree_link(&t, "hand", "arm", TD_JOINT_UNIVERSAL), 0.3);
    if (prescribed) tree_prescribe(&t, "turn", "hand");
    tree_state_of(prescribed ? &driven : &free_one, &t, "arm and hand", 0.5);
  }
  tree_fd(&free_one, fd);
  memcpy(driven.qd, free_one.qd, sizeof fd);
  memcpy(driven.qdd, fd, sizeof fd);
  accelerate(&driven, again, lambda);
  tree_same(&driven, "fd", driven.n, 1, again, fd, 0, 1e-9);
  for (int i = 0; i < 2; i++) ck_assert_double_le(fabs(lambda[i]), 1e-9);
  tree_state_close(&free_one);
  tree_state_close(&driven);
}
END_TEST

TEST_MAIN("loops", forces_of_loops_and_of_prescribed_joints_balance_the_equation_of_motion,
          accelerations_meet_all_of_the_constraints_that_can_be_met, multipliers_of_dependent_rows_are_the_smallest,
          a_multiplier_acts_by_its_row_of_the_loop_jacobian,
          derivatives_of_accelerations_and_multipliers_are_their_differences,
          matrices_of_implicit_steps_are_differences_of_their_residuals,
          rows_of_small_accelerations_are_as_exact_as_of_large_ones,
          forward_dynamics_of_a_constrained_robot_holds_prescribed_joints_at_acceleration_0,
          inputs_of_prescribed_joints_are_ignored, a_prescribed_joint_that_moves_as_it_would_needs_no_force)
