// The Magnus steps along a rod are of 4th order: for one and the same strain field, the pose at the tip converges with
// the fourth power of the step, and to the solution of g' = g xi^ that classical Runge-Kutta finds from the strains
// alone.
//
// The rod bends by about 4 rad, twists, shears and stretches, all varying along it. Slopes are log2 of the ratio of
// errors when the number of steps doubles.
#include "lie/vec3.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double length = 0.8;

static void one_rod(tree *t, td_basis basis, const int order[6], int points) {
  tree_init(t);
  td_link_spec *link = tree_link(t, "rod", "world", TD_JOINT_FIXED);
  td_rod_spec *rod = tree_rod(link, basis, order);
  rod->length = length;
  rod->quadrature_points = points;
}

static void set(const tree_state *s, double *q, const char *name, double value) {
  for (int i = 0; i < s->n; i++)
    if (!strcmp(td_model_coordinate_name(s->model, i), name)) {
      q[i] = value;
      return;
    }
  ck_abort_msg("no coordinate %s", name);
}

// ---- the independent solution: fourth-order Runge-Kutta on [R p] in long double, 6000 steps

typedef long double wide[12]; // R row-major, then p

static void rate(const tree_state *s, double at, const wide g, wide out) {
  double xi[6];
  td_strain_at(s->model, s->q, 0, at, xi);
  for (int i = 0; i < 3; i++) {
    const long double *r = g + 3 * i;
    out[3 * i] = length * (r[1] * xi[2] - r[2] * xi[1]);
    out[3 * i + 1] = length * (r[2] * xi[0] - r[0] * xi[2]);
    out[3 * i + 2] = length * (r[0] * xi[1] - r[1] * xi[0]);
    out[9 + i] = length * (r[0] * xi[3] + r[1] * xi[4] + r[2] * xi[5]);
  }
}

static void stage(const tree_state *s, double at, const wide g, const wide k, long double h, wide out) {
  wide moved;
  for (int i = 0; i < 12; i++) moved[i] = g[i] + h * k[i];
  rate(s, at, moved, out);
}

static td_se3 solution(const tree_state *s, double end) {
  enum { STEPS = 6000 };
  wide g, k[4], zero = {0};
  td_se3 pose;
  for (int i = 0; i < 12; i++) g[i] = i < 9 && i % 4 == 0;
  for (int n = 0; n < STEPS; n++) {
    double h = end / STEPS, at = h * n;
    stage(s, at, g, zero, 0, k[0]);
    stage(s, at + h / 2, g, k[0], h / 2, k[1]);
    stage(s, at + h / 2, g, k[1], h / 2, k[2]);
    stage(s, at + h, g, k[2], h, k[3]);
    for (int i = 0; i < 12; i++) g[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  for (int i = 0; i < 9; i++) pose.R[i] = (double)g[i];
  for (int i = 0; i < 3; i++) pose.p[i] = (double)g[9 + i];
  return pose;
}

// ---- poses of the engine, seen from the rod's base

static td_se3 from_base(const tree_state *s, const td_se3 *pose) {
  td_se3 base, out;
  TREE_OK(td_pose_at(s->model, s->ws, s->q, 0, 0, &base));
  td_se3_inverse(&base, &base);
  td_se3_compose(&base, pose, &out);
  return out;
}

static td_se3 pose_at(const tree_state *s, double at) {
  td_se3 pose;
  TREE_OK(td_pose_at(s->model, s->ws, s->q, 0, at, &pose));
  return from_base(s, &pose);
}

static double difference(const td_se3 *a, const td_se3 *b) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += (a->R[i] - b->R[i]) * (a->R[i] - b->R[i]) * length * length;
  for (int i = 0; i < 3; i++) sum += (a->p[i] - b->p[i]) * (a->p[i] - b->p[i]);
  return sqrt(sum);
}

// Polynomials of the third degree in all six strains; q does not depend on the number of Gauss points.
static void curved_polynomial(tree_state *s, int points) {
  static tree t;
  static const int order[6] = {3, 3, 3, 3, 3, 3};
  one_rod(&t, TD_BASIS_LEGENDRE, order, points);
  tree_state_of(s, &t, "curved", 1);
  for (int i = 0; i < s->n; i++) s->q[i] *= i < 12 ? 3 : 0.3;
}

// Torsion falling and curvature rising linearly: exact for linear elements of any number, nodal values at k / count.
static void curved_elements(tree_state *s, int count) {
  static tree t;
  const int order[6] = {count, count, -1, -1, -1, -1};
  one_rod(&t, TD_BASIS_LINEAR, order, 3);
  tree_state_of(s, &t, "elements", 0);
  for (int k = 0; k <= count; k++) {
    const char *names[] = {"torsion", "bending_y"};
    const double at_base[] = {3, -1}, at_tip[] = {-2, 6};
    for (int c = 0; c < 2; c++) {
      char name[64];
      snprintf(name, sizeof name, "rod.%s[%d]", names[c], k);
      set(s, s->q, name, at_base[c] + (at_tip[c] - at_base[c]) * k / count);
    }
  }
}

static double error_at(void (*make)(tree_state *, int), int steps, double at) {
  tree_state s;
  make(&s, steps);
  td_se3 expected = solution(&s, at), got = pose_at(&s, at);
  tree_state_close(&s);
  return difference(&got, &expected);
}

static void check_slopes(void (*make)(tree_state *, int), int first, int last, double at, double tolerance) {
  double before = error_at(make, first, at);
  for (int steps = 2 * first; steps <= last; steps *= 2) {
    double error = error_at(make, steps, at), slope = log2(before / error);
    ck_assert_msg(fabs(slope - 4) <= tolerance, "%d steps: error %.3g m after %.3g m, slope %.3f", steps, error, before,
                  slope);
    before = error;
  }
}

// Measured: 3.75, 3.89, 3.95, 3.98.
START_TEST(the_tip_converges_with_the_fourth_power_of_the_gauss_points) {
  check_slopes(curved_polynomial, 8, 128, 1, 0.3);
}
END_TEST

// Measured: 4.11, 4.03, 4.01.
START_TEST(the_tip_converges_with_the_fourth_power_of_the_elements) { check_slopes(curved_elements, 2, 16, 1, 0.3); }
END_TEST

// Inside the rod the last step is cut short, by another part of itself each time: the slope wavers.
START_TEST(points_between_converge_with_the_fourth_power_too) { check_slopes(curved_polynomial, 16, 256, 0.4, 0.5); }
END_TEST

START_TEST(the_limit_is_the_solution_of_the_equation_of_the_strains) {
  ck_assert_double_lt(error_at(curved_polynomial, 1000, 1), 3e-11); // 4.5e-8 at 128 points, divided by (1000 / 128)^4
}
END_TEST

static void helix(tree_state *s, int points) {
  static tree t;
  static const int order[6] = {0, 0, 0, 0, 0, 0};
  one_rod(&t, TD_BASIS_LEGENDRE, order, points);
  tree_state_of(s, &t, "helix", 2);
}

START_TEST(steps_of_constant_strain_are_exact) {
  tree_state s;
  double xi[6], at[] = {0.1, 0.5, 0.77, 1};
  for (int points = 1; points <= 9; points += 4) {
    helix(&s, points);
    for (int k = 0; k < 4; k++) {
      td_se3 expected, got = pose_at(&s, at[k]);
      td_strain_at(s.model, s.q, 0, 0, xi);
      for (int i = 0; i < 6; i++) xi[i] *= at[k] * length;
      td_se3_exp(xi, &expected);
      ck_assert_double_lt(difference(&got, &expected), 2e-14);
    }
    tree_state_close(&s);
  }
}
END_TEST

TEST_MAIN("magnus_order", the_tip_converges_with_the_fourth_power_of_the_gauss_points,
          the_tip_converges_with_the_fourth_power_of_the_elements, points_between_converge_with_the_fourth_power_too,
          the_limit_is_the_solution_of_the_equation_of_the_strains, steps_of_constant_strain_are_exact)
