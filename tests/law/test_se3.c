// Laws of SE(3): exp against its series, exp and log undo one another up to and including half a turn, adjoint and
// brackets, and the conventions of rpy and quaternions.
//
// Rotations are compared entry by entry with an absolute bound of a few units of rounding, translations relative to
// their size.
#include "lie/vec3.h"
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/se3.h"
#include "unit/lie/series.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define EPS DBL_EPSILON

static double norm3(const double *x) { return sqrt(td_vec3_dot(x, x)); }

static void random_axis(uint64_t *seed, double *n) {
  do tree_random_vector(seed, 1, 3, n);
  while (norm3(n) < 0.1 || norm3(n) > 1);
  double length = norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= length;
}

static void random_twist(uint64_t *seed, double theta, double metres, double xi[6]) {
  random_axis(seed, xi);
  for (int i = 0; i < 3; i++) xi[i] *= theta;
  tree_random_vector(seed, metres, 3, xi + 3);
}

static td_se3 random_pose(uint64_t *seed, double metres) {
  double xi[6];
  td_se3 g;
  random_twist(seed, M_PI * fabs(tree_random(seed)), metres, xi);
  td_se3_exp(xi, &g);
  return g;
}

static void check(const char *what, int n, const double *got, const double *expected, double bound) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(got[i] - expected[i]) <= bound, "%s [%d] is %.17g, not %.17g: off by %.2g, allowed %.2g", what,
                  i, got[i], expected[i], fabs(got[i] - expected[i]), bound);
}

static void check_pose(const char *what, const td_se3 *got, const td_se3 *expected, double units, double metres) {
  check(what, 9, got->R, expected->R, units * EPS);
  check(what, 3, got->p, expected->p, units * EPS * metres);
}

// 0, 1e-12 … 1e-1, then steps up to the end.
enum { ANGLES = 60 };
static double angle(int i, double end) {
  if (i == 0) return 0;
  return i < 13 ? pow(10, i - 13) : 0.1 + (end - 0.1) * (i - 13) / (ANGLES - 14);
}

// ---- exp

START_TEST(exp_is_the_sum_of_its_series) {
  uint64_t seed = tree_seed("exp");
  for (int i = 0; i < ANGLES; i++)
    for (int trial = 0; trial < 4; trial++) {
      double xi[6], metres = pow(10, 2 * trial - 3), theta = angle(i, 7);
      quad R[9], p[3];
      td_se3 g, expected;
      random_twist(&seed, theta, metres, xi);
      td_se3_exp(xi, &g);
      series_exp(xi, R, p);
      for (int k = 0; k < 9; k++) expected.R[k] = (double)R[k];
      for (int k = 0; k < 3; k++) expected.p[k] = (double)p[k];
      check_pose("exp", &g, &expected, 4 + 2 * theta,
                 metres); // |w| carries its rounding, times theta, into sin and cos
    }
}
END_TEST

// Small motions keep relative, not only absolute, accuracy.
START_TEST(small_motions_keep_their_digits) {
  uint64_t seed = tree_seed("small");
  for (double theta = 1e-3; theta > 1e-300; theta *= 1e-3) {
    double xi[6], back[6];
    td_se3 g;
    random_twist(&seed, theta, theta, xi);
    td_se3_exp(xi, &g);
    td_se3_log(&g, back);
    check("log exp", 6, back, xi, 8 * EPS * theta);
  }
}
END_TEST

START_TEST(exp_of_nothing_is_the_identity) {
  const double zero[6] = {0};
  td_se3 g, identity = td_se3_identity();
  td_se3_exp(zero, &g);
  ck_assert_mem_eq(g.R, identity.R, sizeof g.R);
  for (int i = 0; i < 3; i++) ck_assert_double_eq(g.p[i], 0);
  double xi[6];
  td_se3_log(&identity, xi);
  for (int i = 0; i < 6; i++) ck_assert_double_eq(xi[i], 0);
}
END_TEST

// A screw about z: angle theta, lift h, about a line through (1, 0, 0).
START_TEST(a_quarter_turn_moves_points_where_it_should) {
  const double xi[6] = {0, 0, M_PI_2, 0, -M_PI_2, 3}, turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, moved[3] = {1, -1, 3};
  td_se3 g;
  td_se3_exp(xi, &g);
  check("quarter turn", 9, g.R, turned, 2 * EPS);
  check("quarter turn", 3, g.p, moved, 4 * EPS);
}
END_TEST

// ---- log

START_TEST(log_of_exp_gives_every_twist_back_up_to_half_a_turn) {
  uint64_t seed = tree_seed("log");
  for (int i = 0; i < ANGLES; i++)
    for (int trial = 0; trial < 50; trial++) {
      double xi[6], back[6], metres = pow(10, trial % 4 * 2 - 3);
      td_se3 g;
      random_twist(&seed, angle(i, M_PI - 1e-3), metres, xi);
      td_se3_exp(xi, &g);
      td_se3_log(&g, back);
      check("log exp (angles)", 3, back, xi, 12 * EPS);
      check("log exp (lengths)", 3, back + 3, xi + 3, 24 * EPS * metres);
    }
}
END_TEST

// On either side of half a turn the axis may be found reversed, but the pose is the same and the angle never above pi.
static void check_exp_log(const td_se3 *g, double metres) {
  double xi[6];
  td_se3 again;
  td_se3_log(g, xi);
  td_se3_exp(xi, &again);
  ck_assert_double_le(norm3(xi), M_PI * (1 + 2 * EPS));
  check_pose("exp log", &again, g, 24, metres);
}

START_TEST(exp_of_log_gives_every_pose_back_around_half_a_turn) {
  static const double off[] = {0, 1e-16, 4e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3, 0.1};
  uint64_t seed = tree_seed("half a turn");
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
    for (int trial = 0; trial < 400; trial++) {
      double xi[6], metres = pow(10, trial % 4 * 2 - 3);
      td_se3 g;
      random_twist(&seed, trial % 2 ? M_PI - off[i] : M_PI + off[i], metres, xi);
      td_se3_exp(xi, &g);
      check_exp_log(&g, metres);
    }
}
END_TEST

START_TEST(exp_of_log_gives_every_pose_back_at_any_angle) {
  uint64_t seed = tree_seed("any angle");
  for (int i = 0; i < 4000; i++) {
    double xi[6], metres = pow(10, i % 4 * 2 - 3);
    td_se3 g;
    random_twist(&seed, 20 * fabs(tree_random(&seed)), metres, xi);
    td_se3_exp(xi, &g);
    check_exp_log(&g, metres);
  }
}
END_TEST

static void half_turn(const double n[3], td_se3 *g) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) g->R[3 * i + j] = 2 * n[i] * n[j] - (i == j);
}

// R = 2 n n^T - 1 in doubles: exactly symmetric, so that no sine is left to tell the axis's sign.
START_TEST(exact_half_turns_have_the_angle_pi_about_their_axis) {
  static const double axes[][3] = {
      {1, 0, 0},  {0, 1, 0},     {0, 0, 1},      {-1, 0, 0},      {0, -1, 0},
      {0, 0, -1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}, {-0.6, 0, -0.8}, {1.0 / 3, 2.0 / 3, -2.0 / 3}};
  enum { GIVEN = sizeof axes / sizeof *axes };
  uint64_t seed = tree_seed("exact");
  for (int i = 0; i < GIVEN + 1000; i++) {
    double n[3], xi[6];
    td_se3 g = td_se3_identity();
    if (i < GIVEN)
      memcpy(n, axes[i], sizeof n);
    else
      random_axis(&seed, n);
    half_turn(n, &g);
    tree_random_vector(&seed, 1, 3, g.p);
    check_exp_log(&g, 1);
    td_se3_log(&g, xi);
    ck_assert_double_eq_tol(norm3(xi), M_PI, 12 * EPS);
    double sign = td_vec3_dot(xi, n) < 0 ? -M_PI : M_PI;
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(xi[k], sign * n[k], 12 * EPS);
  }
}
END_TEST

// ---- groups and adjoints

START_TEST(poses_form_a_group) {
  uint64_t seed = tree_seed("group");
  td_se3 identity = td_se3_identity();
  for (int i = 0; i < 500; i++) {
    td_se3 a = random_pose(&seed, 1), b = random_pose(&seed, 1), c = random_pose(&seed, 1), ab, bc, left, right,
           inverse;
    td_se3_compose(&a, &b, &ab);
    td_se3_compose(&ab, &c, &left);
    td_se3_compose(&b, &c, &bc);
    td_se3_compose(&a, &bc, &right);
    check_pose("(ab)c = a(bc)", &left, &right, 8, 8);
    td_se3_inverse(&a, &inverse);
    td_se3_compose(&a, &inverse, &left);
    td_se3_compose(&inverse, &a, &right);
    check_pose("a a^-1", &left, &identity, 8, 4);
    check_pose("a^-1 a", &right, &identity, 8, 4);
  }
}
END_TEST

START_TEST(outputs_may_alias_inputs) {
  uint64_t seed = tree_seed("alias");
  td_se3 a = random_pose(&seed, 1), b = random_pose(&seed, 1), ab, inverse, x;
  td_se3_compose(&a, &b, &ab);
  x = a, td_se3_compose(&x, &b, &x);
  ck_assert_mem_eq(&x, &ab, sizeof x);
  x = b, td_se3_compose(&a, &x, &x);
  ck_assert_mem_eq(&x, &ab, sizeof x);
  td_se3_compose(&a, &a, &ab);
  x = a, td_se3_compose(&x, &x, &x);
  ck_assert_mem_eq(&x, &ab, sizeof x);
  td_se3_inverse(&a, &inverse);
  x = a, td_se3_inverse(&x, &x);
  ck_assert_mem_eq(&x, &inverse, sizeof x);
}
END_TEST

// A pose maps x_child to x_parent, so the pose of a grandchild is parent times child.
START_TEST(composing_poses_composes_what_they_do_to_points) {
  uint64_t seed = tree_seed("points");
  for (int i = 0; i < 200; i++) {
    td_se3 a = random_pose(&seed, 1), b = random_pose(&seed, 1), ab;
    double x[3], y[3], once[3], twice[3];
    tree_random_vector(&seed, 1, 3, x);
    td_mat3_vec(b.R, x, y);
    for (int k = 0; k < 3; k++) y[k] += b.p[k];
    td_mat3_vec(a.R, y, twice);
    td_se3_compose(&a, &b, &ab);
    td_mat3_vec(ab.R, x, once);
    for (int k = 0; k < 3; k++) once[k] += ab.p[k], twice[k] += a.p[k];
    check("points", 3, once, twice, 24 * EPS);
  }
}
END_TEST

// Ad_{gh} = Ad_g Ad_h: the law that a wrong block order or a swapped cross product breaks.
START_TEST(adjoint_of_a_product_is_the_product_of_adjoints) {
  uint64_t seed = tree_seed("adjoint");
  for (int i = 0; i < 500; i++) {
    td_se3 g = random_pose(&seed, 1), h = random_pose(&seed, 1), gh;
    double x[6], y[6], once[6], twice[6];
    tree_random_vector(&seed, 1, 6, x);
    td_se3_compose(&g, &h, &gh);
    td_adjoint(&gh, x, once);
    td_adjoint(&h, x, y);
    td_adjoint(&g, y, twice);
    check("Ad", 6, once, twice, 64 * EPS);
  }
}
END_TEST

// g exp(x) g^-1 = exp(Ad_g x): the adjoint is what carries twists between frames.
START_TEST(a_motion_seen_from_another_frame_is_the_motion_of_the_carried_twist) {
  uint64_t seed = tree_seed("carried");
  for (int i = 0; i < 500; i++) {
    td_se3 g = random_pose(&seed, 1), inverse, step, seen, expected;
    double x[6], carried[6];
    random_twist(&seed, 3 * fabs(tree_random(&seed)), 1, x);
    td_se3_exp(x, &step);
    td_se3_inverse(&g, &inverse);
    td_se3_compose(&g, &step, &expected);
    td_se3_compose(&expected, &inverse, &expected);
    td_adjoint(&g, x, carried);
    td_se3_exp(carried, &seen);
    check_pose("g exp(x) g^-1", &seen, &expected, 32, 8);
  }
}
END_TEST

// Ad_exp(x) = exp(ad_x), the right side by its series with the bracket as ad.
START_TEST(the_bracket_is_the_derivative_of_the_adjoint) {
  uint64_t seed = tree_seed("bracket");
  for (int i = 0; i < 200; i++) {
    double x[6], y[6], term[6], sum[6], got[6];
    td_se3 g;
    random_twist(&seed, 0.02 * i, 1, x);
    tree_random_vector(&seed, 1, 6, y);
    memcpy(sum, y, sizeof sum);
    memcpy(term, y, sizeof term);
    for (int k = 1; k < 60; k++) {
      double next[6] = {0};
      td_bracket_add(x, term, next);
      for (int j = 0; j < 6; j++) term[j] = next[j] / k, sum[j] += term[j];
    }
    td_se3_exp(x, &g);
    td_adjoint(&g, y, got);
    check("Ad exp", 6, got, sum, 16 * exp(norm3(x)) * EPS); // the series cancels terms of theta^k / k!
  }
}
END_TEST

// <F, [a, b]> + <a x* F, b> = 0, twist (w, v) against wrench (m, f): power does not depend on the frame.
START_TEST(the_cobracket_is_dual_to_the_bracket) {
  uint64_t seed = tree_seed("dual");
  for (int i = 0; i < 500; i++) {
    double a[6], b[6], F[6], ab[6] = {0}, aF[6] = {0};
    tree_random_vector(&seed, 1, 6, a);
    tree_random_vector(&seed, 1, 6, b);
    tree_random_vector(&seed, 1, 6, F);
    td_bracket_add(a, b, ab);
    td_cobracket_add(a, F, aF);
    ck_assert_double_eq_tol(td_dot6(F, ab) + td_dot6(aF, b), 0, 32 * EPS);
  }
}
END_TEST

START_TEST(brackets_obey_jacobi) {
  uint64_t seed = tree_seed("jacobi");
  for (int i = 0; i < 200; i++) {
    double x[3][6], zero[6] = {0}, sum[6] = {0};
    for (int k = 0; k < 3; k++) tree_random_vector(&seed, 1, 6, x[k]);
    for (int k = 0; k < 3; k++) {
      double inner[6] = {0};
      td_bracket_add(x[(k + 1) % 3], x[(k + 2) % 3], inner);
      td_bracket_add(x[k], inner, sum);
    }
    check("Jacobi", 6, sum, zero, 64 * EPS);
  }
}
END_TEST

// ---- conventions

static void about(int axis, double angle_about, double R[9]) {
  double xi[6] = {0};
  td_se3 g;
  xi[axis] = angle_about;
  td_se3_exp(xi, &g);
  memcpy(R, g.R, sizeof g.R);
}

START_TEST(rpy_turns_about_fixed_x_then_y_then_z) {
  uint64_t seed = tree_seed("rpy");
  for (int i = 0; i < 200; i++) {
    double rpy[3], R[9], x[9], y[9], z[9], zy[9], zyx[9];
    tree_random_vector(&seed, 4, 3, rpy);
    td_rotation_from_rpy(rpy, R);
    about(0, rpy[0], x), about(1, rpy[1], y), about(2, rpy[2], z);
    td_mat3_mul(z, y, zy);
    td_mat3_mul(zy, x, zyx);
    check("Rz Ry Rx", 9, R, zyx, 16 * EPS);
  }
}
END_TEST

START_TEST(a_rod_pitched_by_90_degrees_points_down) {
  const double rpy[3] = {0, M_PI_2, 0}, yaw[3] = {0, 0, M_PI_2};
  double R[9];
  td_rotation_from_rpy(rpy, R); // the cdm: the local x axis is the tangent
  ck_assert_double_eq_tol(R[0], 0, EPS);
  ck_assert_double_eq_tol(R[6], -1, EPS);
  td_rotation_from_rpy(yaw, R);
  ck_assert_double_eq_tol(R[3], 1, EPS);
}
END_TEST

START_TEST(quaternions_are_scalar_first_and_of_half_the_angle) {
  uint64_t seed = tree_seed("quaternion");
  for (int i = 0; i < 500; i++) {
    double xi[6] = {0}, theta = 7 * tree_random(&seed), R[9], scale = i % 2 ? 1 : -3.7;
    td_se3 g;
    random_axis(&seed, xi);
    double q[4] = {scale * cos(theta / 2), scale * xi[0] * sin(theta / 2), scale * xi[1] * sin(theta / 2),
                   scale * xi[2] * sin(theta / 2)};
    for (int k = 0; k < 3; k++) xi[k] *= theta;
    td_se3_exp(xi, &g);
    ck_assert_int_eq(td_rotation_from_quaternion(q, R), TD_OK);
    check("quaternion", 9, R, g.R, 24 * EPS); // q and -q alike, normalised
  }
}
END_TEST

START_TEST(the_size_of_a_quaternion_does_not_matter) {
  const double unit[4] = {0.5, -0.5, 0.5, 0.5};
  double expected[9], R[9];
  ck_assert_int_eq(td_rotation_from_quaternion(unit, expected), TD_OK);
  for (int power = -140; power <= 140; power += 10) {
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = unit[i] * pow(10, power);
    ck_assert_int_eq(td_rotation_from_quaternion(q, R), TD_OK);
    check("size", 9, R, expected, 4 * EPS);
  }
}
END_TEST

START_TEST(a_quaternion_without_direction_is_refused) {
  const double bad[][4] = {{0, 0, 0, 0}, {NAN, 0, 0, 1}, {1, INFINITY, 0, 0}, {0, 0, -INFINITY, NAN}};
  double R[9];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_int_eq(td_rotation_from_quaternion(bad[i], R), TD_INVALID_ARGUMENT);
}
END_TEST

TEST_MAIN("se3", exp_is_the_sum_of_its_series, small_motions_keep_their_digits, exp_of_nothing_is_the_identity,
          a_quarter_turn_moves_points_where_it_should, log_of_exp_gives_every_twist_back_up_to_half_a_turn,
          exp_of_log_gives_every_pose_back_around_half_a_turn, exp_of_log_gives_every_pose_back_at_any_angle,
          exact_half_turns_have_the_angle_pi_about_their_axis, poses_form_a_group, outputs_may_alias_inputs,
          composing_poses_composes_what_they_do_to_points, adjoint_of_a_product_is_the_product_of_adjoints,
          a_motion_seen_from_another_frame_is_the_motion_of_the_carried_twist,
          the_bracket_is_the_derivative_of_the_adjoint, the_cobracket_is_dual_to_the_bracket, brackets_obey_jacobi,
          rpy_turns_about_fixed_x_then_y_then_z, a_rod_pitched_by_90_degrees_points_down,
          quaternions_are_scalar_first_and_of_half_the_angle, the_size_of_a_quaternion_does_not_matter,
          a_quaternion_without_direction_is_refused)
