// Identities that hold at every state of every tree, whatever its joints, bases, sections, children and tendons.
//
// Derivatives have their own programs (test_tree_derivatives, test_tree_fd_derivatives); robots are in
// support/tree_list.c.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

// ID(q, qd, fd) = tau, each row against the sum of the magnitudes in it.
static void id_of_fd(tree_state *s) {
  static matrix M;
  vector tau, bias, id, zero = {0};
  tree_fd(s, s->qdd);
  tree_id(s, id);
  tree_tau(s, tau);
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, M));
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, zero, s->u, bias));
  for (int i = 0; i < s->n; i++) {
    double scale = fabs(tau[i]) + fabs(bias[i]);
    for (int j = 0; j < s->n; j++) scale += fabs(M[i * s->n + j] * s->qdd[j]);
    ck_assert_msg(fabs(id[i] - tau[i]) <= 1e-11 * scale, "%s (q %g): row %d of id is %.15g, tau %.15g, scale %g",
                  s->name, s->scale, i, id[i], tau[i], scale);
  }
}

START_TEST(id_of_fd_gives_tau_back) { tree_state_each(id_of_fd); }
END_TEST

// Column j of M is ID(q, 0, e_j) - ID(q, 0, 0): exact, ID is linear in qdd.
static void mass_columns(tree_state *s) {
  static matrix M, columns;
  vector with, without, qdd = {0};
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, M));
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, NULL, s->u, without));
  for (int j = 0; j < s->n; j++) {
    qdd[j] = 1;
    TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, qdd, s->u, with));
    qdd[j] = 0;
    for (int i = 0; i < s->n; i++) columns[i * s->n + j] = with[i] - without[i];
  }
  tree_same(s, "mass", s->n, s->n, M, columns, 1e-10, 1e-11);
}

START_TEST(mass_matrix_is_what_multiplies_qdd_in_id) { tree_state_each(mass_columns); }
END_TEST

static void mass_is_symmetric_and_definite(tree_state *s) {
  static matrix M;
  int n = s->n;
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, M));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      ck_assert_double_le(fabs(M[i * n + j] - M[j * n + i]), 1e-12 * sqrt(M[i * n + i] * M[j * n + j]));
  for (int j = 0; j < n; j++) { // Cholesky, in place in the lower triangle
    for (int k = 0; k < j; k++) M[j * n + j] -= M[j * n + k] * M[j * n + k];
    ck_assert_msg(M[j * n + j] > 0, "%s (q %g): pivot %d is %g", s->name, s->scale, j, M[j * n + j]);
    M[j * n + j] = sqrt(M[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
      M[i * n + j] /= M[j * n + j];
    }
  }
}

START_TEST(mass_matrix_is_symmetric_and_positive_definite) { tree_state_each(mass_is_symmetric_and_definite); }
END_TEST

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void kinetic_energy(tree_state *s) {
  static matrix M;
  td_energy energy;
  double sum = 0;
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, M));
  TREE_OK(td_energy_at(s->model, s->ws, s->q, s->qd, &energy));
  for (int i = 0; i < s->n; i++) sum += s->qd[i] * dot(s->n, M + i * s->n, s->qd);
  ck_assert_double_eq_tol(energy.kinetic, sum / 2, 1e-12 * sum);
}

START_TEST(kinetic_energy_is_half_qd_M_qd) { tree_state_each(kinetic_energy); }
END_TEST

static void potential(tree_state *s, double *out) {
  td_energy energy;
  TREE_OK(td_energy_at(s->model, s->ws, s->q, NULL, &energy));
  out[0] = energy.elastic;
  out[1] = energy.gravitational + energy.contact;
}

// tau(q, 0, 0) = -d(elastic)/dq; the terms of gravity and contact in ID are d(gravitational + contact)/dq.
static void energy_gradients(tree_state *s) {
  static double terms[6 * STATE_MAX];
  double *const blocks[1] = {terms};
  const int want = td_quantity_find("id_terms");
  const td_state state = {.q = s->q};
  vector gradient[2], tau, id;
  td_error err;
  tree_difference(s, potential, s->q, s->n, 2, 2e-3, gradient[0]);
  double *elastic = gradient[0], *gravity = gradient[0] + s->n;
  TREE_OK(td_generalized_force(s->model, s->ws, s->q, NULL, NULL, tau));
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, blocks, &err));
  for (int i = 0; i < s->n; i++) tau[i] = -tau[i], id[i] = terms[2 * s->n + i] + terms[4 * s->n + i];
  tree_same(s, "gradient of the elastic energy", 1, s->n, tau, elastic, 1e-9, 0);
  tree_same(s, "gradient of the gravitational energy", 1, s->n, id, gravity, 1e-9, 1e-9);
}

START_TEST(static_forces_are_gradients_of_the_energies) { tree_state_each(energy_gradients); }
END_TEST

// What a fluid's drag, lift and flow are in id; qd NULL: at rest.
static void drag_terms(tree_state *s, const double *qd, double *out) {
  static double terms[6 * STATE_MAX];
  double *const blocks[1] = {terms};
  const int want = td_quantity_find("id_terms");
  const td_state state = {.q = s->q, .qd = qd};
  td_error err;
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, blocks, &err));
  memcpy(out, terms + 5 * s->n, (size_t)s->n * sizeof *out);
}

static void terms_of_id(tree_state *s) {
  static double terms[6 * STATE_MAX];
  double *const blocks[1] = {terms};
  const int want = td_quantity_find("id_terms");
  const td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u};
  td_error err;
  vector id;
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, blocks, &err));
  tree_id(s, id);
  double scale = 0;
  for (int i = 0; i < 6 * s->n; i++) scale = fmax(scale, fabs(terms[i]));
  for (int i = 0; i < s->n; i++) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += terms[k * s->n + i];
    ck_assert_double_eq_tol(sum, id[i], 1e-13 * scale);
  }
}

START_TEST(the_terms_of_id_sum_to_id) { tree_state_each(terms_of_id); }
END_TEST

// Drag of water at rest takes power out, whatever the motion; lift takes none.
static void drag_power(tree_state *s) {
  vector drag, at_rest;
  drag_terms(s, NULL, at_rest);
  if (dot(s->n, at_rest, at_rest) > 0) return; // a current may drive
  drag_terms(s, s->qd, drag);
  ck_assert_double_ge(dot(s->n, s->qd, drag), 0);
}

START_TEST(drag_never_drives) { tree_state_each(drag_power); }
END_TEST

// qd^T (ID(q, qd, 0) - ID(q, 0, 0)) = d/dt qd^T M(q + qd t) qd / 2: velocity forces do exactly the work that the change
// of M asks for. With the gradients above it makes energy balance along every motion.
static void coriolis_work(tree_state *s) {
  static const double steps[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1}, h = 1e-3;
  vector q, moving, still, drag, held;
  double rate = 0, power = 0, scale = 0;
  for (int k = 0; k < 4; k++) {
    td_energy energy;
    for (int i = 0; i < s->n; i++) q[i] = s->q[i] + steps[k] * h * s->qd[i];
    TREE_OK(td_energy_at(s->model, s->ws, q, s->qd, &energy));
    rate += weights[k] * energy.kinetic / (12 * h);
    scale = fmax(scale, energy.kinetic);
  }
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, NULL, NULL, moving));
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, NULL, NULL, NULL, still));
  drag_terms(s, s->qd, drag);
  drag_terms(s, NULL, held);
  for (int i = 0; i < s->n; i++) power += s->qd[i] * (moving[i] - still[i] - drag[i] + held[i]);
  ck_assert_msg(fabs(rate - power) <= 1e-8 * (scale + fabs(power)),
                "%s (q %g): kinetic energy changes by %.12g W, power is %.12g W", s->name, s->scale, rate, power);
}

static void twice_kinetic(tree_state *s, double *out) {
  td_energy energy;
  TREE_OK(td_energy_at(s->model, s->ws, s->q, s->qd, &energy));
  out[0] = 2 * energy.kinetic;
}

// Lagrange's equations: coriolis = d(M qd)/dt - d(qd^T M qd / 2)/dq, with an M that also added mass and wetness change.
static void lagrange(tree_state *s) {
  static const double steps[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1}, h = 1e-3;
  static matrix M;
  static double terms[6 * STATE_MAX];
  double *const blocks[1] = {terms};
  const int want = td_quantity_find("id_terms"), n = s->n;
  const td_state state = {.q = s->q, .qd = s->qd};
  vector q, expected = {0}, gradient;
  td_error err;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++) q[i] = s->q[i] + steps[k] * h * s->qd[i];
    TREE_OK(td_mass_matrix(s->model, s->ws, q, M));
    for (int i = 0; i < n; i++) expected[i] += weights[k] / (12 * h) * dot(n, M + i * n, s->qd);
  }
  tree_difference(s, twice_kinetic, s->q, n, 1, h, gradient);
  for (int i = 0; i < n; i++) expected[i] -= 0.5 * gradient[i];
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, blocks, &err));
  tree_same(s, "coriolis", 1, n, terms + n, expected, 1e-7, 1e-9);
}

START_TEST(velocity_forces_are_those_of_lagrange) { tree_state_each(lagrange); }
END_TEST

START_TEST(velocity_forces_do_the_work_of_the_changing_mass) { tree_state_each(coriolis_work); }
END_TEST

// A tension does the work that the shortening of its path says: qd^T (tau(u) - tau(0)) = -sum u dlength/dt.
static void tendon_work(tree_state *s) {
  static double dlength[TREE_INPUTS * STATE_MAX];
  double length[TREE_INPUTS], tension[STATE_MAX] = {0}, expected = 0;
  vector with, without;
  int tendons = td_model_tendon_count(s->model);
  if (!tendons) return;
  TREE_OK(td_tendon_lengths(s->model, s->ws, s->q, length, dlength));
  for (int t = 0, channel = 0; channel < s->m; channel++) {
    if (!td_model_channel_is_tendon(s->model, channel)) continue;
    tension[channel] = s->u[channel];
    ck_assert_double_gt(length[t], 0);
    expected -= tension[channel] * dot(s->n, dlength + t++ * s->n, s->qd);
  }
  TREE_OK(td_generalized_force(s->model, s->ws, s->q, NULL, tension, with));
  TREE_OK(td_generalized_force(s->model, s->ws, s->q, NULL, NULL, without));
  double scale = 0;
  for (int i = 0; i < s->n; i++) scale += fabs(s->qd[i]) * (fabs(with[i]) + fabs(without[i]));
  double work = dot(s->n, s->qd, with) - dot(s->n, s->qd, without);
  ck_assert_msg(fabs(work - expected) <= 1e-12 * scale, "%s (q %g): %.15g, not %.15g", s->name, s->scale, work,
                expected);
}

START_TEST(a_tendon_works_by_the_shortening_of_its_path) { tree_state_each(tendon_work); }
END_TEST

// The same call twice, and with absent arrays instead of zeros, gives the same bits.
static void repeatable(tree_state *s) {
  vector first, second, zero = {0};
  tree_fd(s, first);
  tree_id(s, second);
  tree_fd(s, second);
  ck_assert_mem_eq(first, second, (size_t)s->n * sizeof(double));
  TREE_OK(td_forward_dynamics(s->model, s->ws, s->q, NULL, NULL, first));
  TREE_OK(td_forward_dynamics(s->model, s->ws, s->q, zero, zero, second));
  ck_assert_mem_eq(first, second, (size_t)s->n * sizeof(double));
}

START_TEST(the_same_state_gives_the_same_bits) { tree_state_each(repeatable); }
END_TEST

static void one_pass(tree_state *s) {
  static matrix M, apart;
  vector id, expected;
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, s->qdd, s->u, expected));
  TREE_OK(td_mass_matrix(s->model, s->ws, s->q, apart));
  TREE_OK(td_mass_inverse_dynamics(s->model, s->ws, s->q, s->qd, s->qdd, s->u, id, M));
  ck_assert_mem_eq(id, expected, (size_t)s->n * sizeof(double));
  ck_assert_msg(!memcmp(M, apart, (size_t)(s->n * s->n) * sizeof(double)), "%s: another mass matrix", s->name);
}

START_TEST(id_and_mass_in_one_pass_are_those_of_two) { tree_state_each(one_pass); }
END_TEST

enum { POINTS_MAX = 400 };

// Poses of all points of all links, one after the other: the blocks of `poses` and of `jacobians` are in the same
// order.
static void all_poses(tree_state *s, double *out) {
  int want = td_quantity_find("poses");
  TREE_OK(td_evaluate(s->model, s->ws, &(td_state){.q = s->q}, &want, 1, &out, NULL));
}

// Five-point differences of a pose along q_j, as a body twist: (R^T dR)^vee, R^T dp.
static void twist_along(const double g[16], const double dg[16], double twist[6]) {
  double W[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += g[4 * k + i] * dg[4 * k + j];
      if (j < 3)
        W[3 * i + j] = sum;
      else
        twist[3 + i] = sum;
    }
  twist[0] = (W[7] - W[5]) / 2, twist[1] = (W[2] - W[6]) / 2, twist[2] = (W[3] - W[1]) / 2;
}

// slope [16 points] = five-point differences of all poses along q_j.
static void pose_slopes(tree_state *s, int j, int count, double *slope) {
  static double at[POINTS_MAX * 16];
  static const double WEIGHT[4] = {1, -8, 8, -1}, STEP[4] = {-2, -1, 1, 2}, H = 1e-3;
  double kept = s->q[j];
  memset(slope, 0, (size_t)count * sizeof *slope);
  for (int k = 0; k < 4; k++) {
    s->q[j] = kept + STEP[k] * H;
    all_poses(s, at);
    for (int i = 0; i < count; i++) slope[i] += WEIGHT[k] * at[i] / (12 * H);
  }
  s->q[j] = kept;
}

static void jacobians_of_poses(tree_state *s) {
  static double J[POINTS_MAX * 6 * STATE_MAX], expected[POINTS_MAX * 6 * STATE_MAX], g[POINTS_MAX * 16],
      slope[POINTS_MAX * 16];
  size_t size;
  int want = td_quantity_find("jacobians");
  td_quantity_members(s->model, td_quantity_find("poses"), NULL, 0, &size);
  int points = (int)size / 16, n = s->n;
  ck_assert_int_le(points, POINTS_MAX);
  TREE_OK(td_evaluate(s->model, s->ws, &(td_state){.q = s->q}, &want, 1, &(double *){J}, NULL));
  all_poses(s, g);
  for (int c = 0; c < n; c++) {
    pose_slopes(s, c, 16 * points, slope);
    for (int p = 0; p < points; p++) {
      double twist[6];
      twist_along(g + 16 * p, slope + 16 * p, twist);
      for (int i = 0; i < 6; i++) expected[(6 * p + i) * n + c] = twist[i];
    }
  }
  tree_same(s, "jacobians", 6 * points, n, J, expected, 1e-7, 1e-8);
}

START_TEST(jacobians_are_the_derivatives_of_the_poses) { tree_state_each(jacobians_of_poses); }
END_TEST

TEST_MAIN("trees", jacobians_are_the_derivatives_of_the_poses, id_of_fd_gives_tau_back,
          mass_matrix_is_what_multiplies_qdd_in_id, mass_matrix_is_symmetric_and_positive_definite,
          kinetic_energy_is_half_qd_M_qd, static_forces_are_gradients_of_the_energies,
          velocity_forces_are_those_of_lagrange, velocity_forces_do_the_work_of_the_changing_mass,
          the_terms_of_id_sum_to_id, drag_never_drives, a_tendon_works_by_the_shortening_of_its_path,
          the_same_state_gives_the_same_bits, id_and_mass_in_one_pass_are_those_of_two)
