// The same robot written in two ways must answer the same: a rod cut in two, a base turned or moved far away, links in
// another order, a stiff rod as a rigid body. And the one thing that is approximate, the Magnus step, is so to 4th
// order.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static const double thick[1] = {0.02};

static void plain_rod(td_link_spec *link, td_basis basis, int order, double length, int points) {
  const int all[6] = {order, order, order, order, order, order};
  td_rod_spec *rod = tree_rod(link, basis, all);
  rod->length = length;
  rod->size[0] = (td_profile){.count = 1, .width = 1, .value = thick};
  rod->quadrature_points = points;
}

// A rod of length 0.6 of monomials up to `order`, whole or as two halves.
static void whole(tree *t, int order, int points) {
  tree_init(t);
  plain_rod(tree_link(t, "rod", "world", TD_JOINT_FIXED), TD_BASIS_MONOMIAL, order, 0.6, points);
}

static void halves(tree *t, int order, int points) {
  tree_init(t);
  plain_rod(tree_link(t, "near", "world", TD_JOINT_FIXED), TD_BASIS_MONOMIAL, order, 0.3, points);
  td_link_spec *far = tree_link(t, "far", "near", TD_JOINT_FIXED);
  far->pose = td_se3_identity();
  plain_rod(far, TD_BASIS_MONOMIAL, order, 0.3, points);
}

// P [2 * 6 * k][6 * k]: coordinates of the halves from those of the whole, k = order + 1. s = t/2 and s = 1/2 + t/2 are
// put into s^j; angular coordinates are divided by a rod's own length, so that half a rod has half of them.
static void cut(int order, double *P) {
  int k = order + 1, n = 6 * k;
  memset(P, 0, (size_t)(2 * n * n) * sizeof *P);
  for (int c = 0; c < 6; c++)
    for (int j = 0; j < k; j++) {
      double scale = (c < 3 ? 0.5 : 1) * pow(0.5, j), binomial = 1;
      P[(c * k + j) * n + c * k + j] = scale;
      for (int i = 0; i <= j; i++) { // (1 + t)^j
        P[(n + c * k + i) * n + c * k + j] = scale * binomial;
        binomial = binomial * (j - i) / (i + 1);
      }
    }
}

static void times(int rows, int columns, const double *A, const double *x, double *out) {
  for (int i = 0; i < rows; i++) {
    out[i] = 0;
    for (int j = 0; j < columns; j++) out[i] += A[i * columns + j] * x[j];
  }
}

static double distance(int n, const double *a, const double *b) {
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return most / scale;
}

// Relative difference of id between the whole rod and its halves in the same motion, with `points` Gauss points each.
static double difference_of_cut(int order, int points) {
  static tree t;
  static double P[2 * STATE_MAX * STATE_MAX];
  tree_state one, two;
  vector id, halved, joined = {0};
  whole(&t, order, points);
  tree_state_of(&one, &t, "cut", 0.8);
  halves(&t, order, points);
  tree_state_of(&two, &t, "cut", 0.8);
  cut(order, P);
  times(two.n, one.n, P, one.q, two.q);
  times(two.n, one.n, P, one.qd, two.qd);
  times(two.n, one.n, P, one.qdd, two.qdd);
  tree_id(&one, id);
  tree_id(&two, halved);
  for (int i = 0; i < two.n; i++)
    for (int j = 0; j < one.n; j++) joined[j] += P[i * one.n + j] * halved[i];
  double result = distance(one.n, joined, id);
  tree_state_close(&one);
  tree_state_close(&two);
  return result;
}

START_TEST(a_rod_of_constant_strain_may_be_cut_anywhere) {
  ck_assert_double_lt(difference_of_cut(0, 16), 1e-12); // Magnus steps of constant strain are exact
}
END_TEST

START_TEST(a_rod_cut_in_two_converges_to_the_whole_with_fourth_order) {
  double coarse = difference_of_cut(2, 8), fine = difference_of_cut(2, 16), finest = difference_of_cut(2, 32);
  ck_assert_double_lt(finest, 1e-6);
  ck_assert_double_gt(coarse / fine, 10);
  ck_assert_double_gt(fine / finest, 12);
}
END_TEST

static td_se3 tip(int points) {
  static tree t;
  tree_state s;
  td_se3 pose;
  whole(&t, 2, points);
  tree_state_of(&s, &t, "tip", 1.5);
  TREE_OK(td_pose_at(s.model, s.ws, s.q, 0, 1, &pose));
  tree_state_close(&s);
  return pose;
}

START_TEST(magnus_steps_are_of_fourth_order) {
  td_se3 exact = tip(700), poses[3] = {tip(12), tip(24), tip(48)};
  double error[3];
  for (int i = 0; i < 3; i++) error[i] = distance(3, poses[i].p, exact.p);
  ck_assert_double_gt(error[2], 1e-13); // above rounding, so the ratios mean something
  ck_assert_double_gt(log2(error[0] / error[1]), 3.7);
  ck_assert_double_gt(log2(error[1] / error[2]), 3.7);
}
END_TEST

// Loads in the world's axes, obstacles and water that moves or has a level would have to move as well.
static bool is_bound_to_the_world(const tree *t) {
  const td_fluid_spec *water = &t->spec.fluid;
  bool bound = t->spec.contact_count > 0 || water->knots > 0 || water->has_surface || water->has_channels;
  for (int k = 0; k < 3; k++) bound = bound || water->velocity[k] != 0;
  for (size_t i = 0; i < t->spec.load_count; i++) bound = bound || t->loads[i].frame == TD_LOAD_WORLD;
  return bound;
}

// Runs `law` on each tree and the same tree with its roots and gravity moved by g.
static void each_moved(const td_se3 *g, double tolerance) {
  static tree t;
  for (size_t i = 0; i < tree_count(); i++) {
    tree_state here, there;
    vector a, b;
    tree_make(i, &t);
    if (is_bound_to_the_world(&t)) continue;
    tree_state_open(&here, i, 0.5);
    for (size_t k = 0; k < t.spec.link_count; k++)
      if (!strcmp(t.links[k].parent, "world")) td_se3_compose(g, &t.links[k].pose, &t.links[k].pose);
    double gravity[3] = {t.spec.gravity[0], t.spec.gravity[1], t.spec.gravity[2]};
    times(3, 3, g->R, gravity, t.spec.gravity);
    tree_state_of(&there, &t, tree_name(i), 0.5);
    tree_id(&here, a);
    tree_id(&there, b);
    tree_same(&here, "id of the moved robot", here.n, 1, b, a, 0, tolerance);
    tree_fd(&here, a);
    tree_fd(&there, b);
    tree_same(&here, "fd of the moved robot", here.n, 1, b, a, 0, 1e4 * tolerance);
    tree_state_close(&here);
    tree_state_close(&there);
  }
}

START_TEST(a_turned_base_changes_nothing) {
  const double rpy[3] = {0.7, -1.1, 2.5};
  td_se3 g = td_se3_identity();
  td_rotation_from_rpy(rpy, g.R);
  each_moved(&g, 1e-12);
}
END_TEST

START_TEST(a_base_elsewhere_changes_nothing) {
  td_se3 g = td_se3_identity();
  g.p[0] = 3, g.p[1] = -2, g.p[2] = 1;
  each_moved(&g, 1e-11);
}
END_TEST

// A free body a kilometre away: R p^2 would cost six digits if the origin stayed behind.
START_TEST(a_floating_robot_far_away_keeps_its_digits) {
  static tree t;
  for (size_t i = 0; i < tree_count(); i++) {
    tree_state here, there;
    vector a, b;
    if (strcmp(tree_name(i), "floating_body_with_arms") != 0) continue;
    tree_state_open(&here, i, 0.5);
    tree_make(i, &t);
    t.links[0].pose.p[0] += 1000, t.links[0].pose.p[1] -= 2000, t.links[0].pose.p[2] += 500;
    tree_state_of(&there, &t, tree_name(i), 0.5);
    tree_id(&here, a);
    tree_id(&there, b);
    tree_same(&here, "id far away", here.n, 1, b, a, 0, 1e-12);
    tree_state_close(&here);
    tree_state_close(&there);
    return;
  }
  ck_abort_msg("the list of robots has no floating one");
}
END_TEST

// The body itself far from the frame of its joint: 1 km of translation in q.
START_TEST(a_floating_robot_that_has_travelled_far_still_obeys_its_equation) {
  static tree t;
  static matrix M;
  vector id, tau;
  tree_state s;
  tree_init(&t);
  td_link_spec *hull = tree_link(&t, "hull", "world", TD_JOINT_FREE);
  tree_rigid(hull, 2);
  memset(hull->joint.stiffness, 0, sizeof hull->joint.stiffness);
  tree_rod(tree_link(&t, "tail", "hull", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, (const int[6]){-1, 2, 2, -1, -1, -1});
  tree_state_of(&s, &t, "far", 0.5);
  for (int i = 3; i < 6; i++) s.q[i] = 1000 * (i - 4.3);
  tree_fd(&s, s.qdd);
  tree_id(&s, id);
  tree_tau(&s, tau);
  TREE_OK(td_mass_matrix(s.model, s.ws, s.q, M));
  for (int i = 0; i < s.n; i++) {
    double scale = fabs(tau[i]);
    for (int j = 0; j < s.n; j++) scale += fabs(M[i * s.n + j] * s.qdd[j]);
    ck_assert_double_eq_tol(id[i], tau[i], 1e-12 * scale);
  }
  tree_state_close(&s);
}
END_TEST

static int coordinate(const td_model *model, const char *name) {
  for (int i = 0; i < td_model_ndof(model); i++)
    if (!strcmp(td_model_coordinate_name(model, i), name)) return i;
  ck_abort_msg("no coordinate %s", name);
  return -1;
}

// Links in another order (parents still first): the same coordinates in other places.
static void check_order(const char *name, const int *order) {
  static tree t;
  td_link_spec kept[TREE_LINKS];
  tree_state a, b;
  vector fd, other;
  size_t i = 0;
  while (strcmp(tree_name(i), name) != 0) i++;
  tree_state_open(&a, i, 0.5);
  tree_make(i, &t);
  memcpy(kept, t.links, sizeof kept);
  for (size_t k = 0; k < t.spec.link_count; k++) t.links[k] = kept[order[k]];
  tree_state_of(&b, &t, name, 0.5);
  for (int k = 0; k < a.n; k++) {
    int place = coordinate(b.model, td_model_coordinate_name(a.model, k));
    b.q[place] = a.q[k];
    b.qd[place] = a.qd[k];
  }
  tree_fd(&a, fd);
  tree_fd(&b, other);
  for (int k = 0; k < a.n; k++) {
    double same = other[coordinate(b.model, td_model_coordinate_name(a.model, k))];
    ck_assert_double_eq_tol(same, fd[k], 1e-8 * (1 + fabs(fd[k])));
  }
  tree_state_close(&a);
  tree_state_close(&b);
}

START_TEST(links_in_another_order_are_the_same_robot) {
  check_order("children_along_a_rod", (const int[]){0, 5, 3, 4, 2, 1});
  check_order("two_roots", (const int[]){1, 0, 2});
  check_order("floating_body_with_arms", (const int[]){0, 2, 3, 1});
}
END_TEST

// A rod with every component locked is a rigid cylinder (its section's inertia included).
START_TEST(a_locked_rod_is_a_rigid_cylinder) {
  static tree t;
  tree_state rod, body;
  vector a, b;
  for (int rigid = 0; rigid < 2; rigid++) {
    tree_init(&t);
    td_link_spec *stick = tree_link(&t, "stick", "world", TD_JOINT_SPHERICAL);
    plain_rod(stick, TD_BASIS_LEGENDRE, -1, 0.6, 5);
    td_rigid_spec cylinder = {.shape = TD_SHAPE_CYLINDER,
                              .density = stick->body.rod.density,
                              .radius = thick[0],
                              .length = 0.6,
                              .axis = {1, 0, 0},
                              .com = {0.3, 0, 0}};
    if (rigid) stick->body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = cylinder};
    td_link_spec *weight = tree_link(&t, "weight", "stick", TD_JOINT_REVOLUTE);
    tree_rigid(weight, 0.3);
    weight->at = 0.6;
    if (rigid) weight->pose.p[0] += 0.36;
    tree_state_of(rigid ? &body : &rod, &t, "stick", 0.5);
  }
  tree_id(&rod, a);
  tree_id(&body, b);
  tree_same(&rod, "id of the cylinder", rod.n, 1, b, a, 1e-12, 1e-13);
  tree_fd(&rod, a);
  tree_fd(&body, b);
  tree_same(&rod, "fd of the cylinder", rod.n, 1, b, a, 1e-10, 1e-10);
  tree_state_close(&rod);
  tree_state_close(&body);
}
END_TEST

TEST_MAIN("equivalent_models", a_rod_of_constant_strain_may_be_cut_anywhere,
          a_rod_cut_in_two_converges_to_the_whole_with_fourth_order, magnus_steps_are_of_fourth_order,
          a_turned_base_changes_nothing, a_base_elsewhere_changes_nothing, a_floating_robot_far_away_keeps_its_digits,
          a_floating_robot_that_has_travelled_far_still_obeys_its_equation, links_in_another_order_are_the_same_robot,
          a_locked_rod_is_a_rigid_cylinder)
