// Derivatives by numbers of the model: one far neighbour against four near ones, forward dynamics against differences
// of forward dynamics, products against matrices.
#include "support/closed.h"
#include "support/numbers.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MATRIX = STATE_MAX * NUMBERS_MAX };

static tree robot;
static tree_numbers numbers;
static double analytic[MATRIX], numeric[MATRIX];

typedef struct asked {
  td_parameters *p;
  td_parameter_workspace *ws;
  size_t np;
} asked;

static asked ask(tree_state *s) {
  asked a = {.np = numbers.count};
  td_error err = {0};
  td_status status =
      td_parameters_create(s->model, numbers.parameter, numbers.count, tree_numbers_freeze, &numbers, &a.p, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", s->name, err.pointer, err.message);
  TREE_OK(td_parameter_workspace_create(a.p, &a.ws));
  return a;
}

static void done(asked *a) {
  td_parameter_workspace_destroy(a->ws);
  td_parameters_destroy(a->p);
}

// Columns agree to `relative` of their largest entry and what rounding of r leaves of a step `h`.
static void same_columns(const tree_state *s, const char *what, int rows, const double *got, const double *expected,
                         double relative, double floor) {
  size_t np = numbers.count;
  for (size_t j = 0; j < np; j++) {
    double most = 0;
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(expected[(size_t)i * np + j]));
    double bound = relative * most + floor / numbers.parameter[j].scale;
    for (int i = 0; i < rows; i++) {
      double a = got[(size_t)i * np + j], b = expected[(size_t)i * np + j];
      ck_assert_msg(fabs(a - b) <= bound, "%s: %s by %s [%d] is %.15g, not %.15g (off by %.2g, allowed %.2g)", s->name,
                    what, numbers.number[j].name, i, a, b, fabs(a - b), bound);
    }
  }
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Volume-preserving bodies and meshes take a hundred times as long to freeze as others: few of their numbers.
static void numbers_of(size_t every) {
  tree_numbers_of(&robot, &numbers);
  bool slow = false;
  for (size_t i = 0; i < robot.spec.link_count; i++)
    slow |= robot.links[i].body.type == TD_BODY_REDUCED &&
            (robot.links[i].body.reduced.kinematics == TD_KINEMATICS_LVP || robot.links[i].body.reduced.has_mesh);
  tree_numbers_sample(&numbers, slow ? 7 * every : every);
}

static void by_differences(void) {
  for (size_t i = 0; i < numbers.count; i++) numbers.parameter[i].linear = false;
}

static void one_far_neighbour(tree_state *s) {
  double r[STATE_MAX];
  numbers_of(1);
  tree_numbers_keep(&numbers, true);
  td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u, .baumgarte = 0.1};
  asked a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = analytic}));
  done(&a);
  by_differences();
  a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = numeric}));
  done(&a);
  TREE_OK(td_residual_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, r, NULL, NULL, NULL));
  same_columns(s, "residual", s->n, analytic, numeric, 1e-10, 1e-11 * largest(s->n, r));
}

// Robots by name: no test needs them all.
static void each_tree(void (*law)(tree_state *s), size_t first, size_t every) {
  for (size_t i = first; i < tree_count(); i += every) {
    tree_state s;
    tree_make(i, &robot);
    tree_state_of(&s, &robot, tree_name(i), 0.5);
    law(&s);
    tree_state_close(&s);
  }
}

static void each_closed(void (*law)(tree_state *s)) {
  for (size_t i = 0; i < closed_count(); i++) {
    tree_state s;
    closed_make(i, &robot);
    tree_state_of(&s, &robot, closed_name(i), 0.4);
    law(&s);
    tree_state_close(&s);
  }
}

// Tendons by tension and by length, with friction, springs between branches.
static void lines(tree *t) {
  static const int soft[6] = {1, 2, 1, 0, -1, -1};
  static const double guide[6] = {0.01, 0.02, 0, 0.05, 0.03, 0.01};
  const td_routing_spec straight = {.base = {0.02, 0.01}, .tip = {0.01, -0.015}},
                        helix = {.type = TD_ROUTING_HELIX, .radius = 0.02, .turns = 0.75, .phase = 0.3};
  tree_init(t);
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_REVOLUTE), 0.5);
  tree_rod(tree_link(t, "arm", "base", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  tree_rigid(tree_link(t, "hand", "arm", TD_JOINT_UNIVERSAL), 0.2);
  tree_rigid(tree_link(t, "swing", "world", TD_JOINT_SPHERICAL), 0.4);
  for (int i = 0; i < 3; i++) {
    td_actuator_spec *tendon = tree_tendon(t, i == 0 ? "pulled" : i == 1 ? "drawn" : "rubbing");
    tendon->mode_length = i == 1;
    tendon->stiffness = 40, tendon->damping = 2, tendon->slack_width = 0.05, tendon->rest = NAN;
    if (i == 2) tendon->friction = 0.4, tendon->slip_speed = 0.3;
    tree_points(t, tendon, "base", guide, 2);
    tree_route(t, tendon, "arm", i ? &helix : &straight);
    tree_points(t, tendon, "hand", guide, 1);
  }
  tree_spring(t, "arm", 0.37, "swing", 1, NULL);
  tree_spring(t, "world", 1, "hand", 1, "anchor")->rest = 0.1;
}

static void with_lines(void (*law)(tree_state *s)) {
  tree_state s;
  lines(&robot);
  tree_state_of(&s, &robot, "lines", 0.5);
  s.u[1] *= 0.02, s.u[3] *= 0.02; // metres
  law(&s);
  tree_state_close(&s);
}

START_TEST(numbers_that_are_called_linear_are) {
  each_tree(one_far_neighbour, 10, 1);
  with_lines(one_far_neighbour);
}
END_TEST

// fd and lambda of a neighbour.
static td_status motion_of(void *context, const td_model *m, td_workspace *ws, double *out) {
  td_constrained_output found = {.fd = out, .lambda = out + td_model_ndof(m)};
  return td_constrained_dynamics(m, ws, context, &found);
}

// Where rows of loops depend on each other, a number that parts them changes the rank, and fd jumps.
static void keep_rank(const tree_state *s) {
  if (!strcmp(s->name, "the_same_loop_twice")) tree_numbers_without(&numbers, "loop");
  if (!strcmp(s->name, "planar_four_bar"))
    tree_numbers_without(&numbers, "rpy"), tree_numbers_without(&numbers, "axis");
}

static void forward_dynamics(tree_state *s) {
  static double scratch[3 * 2 * STATE_MAX], fd[STATE_MAX], lambda[STATE_MAX];
  numbers_of(2);
  keep_rank(s);
  td_state state = closed_state(s);
  int n = s->n, c = closed_multipliers(s);
  asked a = ask(s);
  td_status status = td_parameter_dynamics(a.p, a.ws, &state, fd, lambda, analytic, analytic + (size_t)n * a.np);
  size_t fault = td_parameter_fault(a.ws);
  ck_assert_msg(!status, "%s: fd by %s", s->name, fault < a.np ? numbers.number[fault].name : "any number");
  done(&a);
  by_differences();
  a = ask(s);
  TREE_OK(td_parameter_differentiate(a.p, a.ws, motion_of, &state, (size_t)(n + c), scratch, numeric));
  done(&a);
  same_columns(s, "fd", n, analytic, numeric, 1e-7, 1e-7 * largest(n, fd));
  same_columns(s, "lambda", c, analytic + (size_t)n * a.np, numeric + (size_t)n * a.np, 1e-7,
               1e-7 * largest(c, lambda));
}

START_TEST(derivatives_of_forward_dynamics_are_its_differences) {
  each_tree(forward_dynamics, 13, 5);
  each_closed(forward_dynamics);
  with_lines(forward_dynamics);
}
END_TEST

// Six rows of one loop given twice are met together; moved apart they are twelve.
START_TEST(a_number_that_parts_dependent_rows_is_named) {
  static double dfd_dp[MATRIX], gradient[NUMBERS_MAX], ones[STATE_MAX];
  tree_state s;
  for (size_t i = 0; i < closed_count(); i++)
    if (!strcmp(closed_name(i), "the_same_loop_twice")) closed_make(i, &robot);
  tree_state_of(&s, &robot, "the_same_loop_twice", 0.4);
  tree_numbers_of(&robot, &numbers);
  size_t part = 0;
  while (!strstr(numbers.number[part].name, "loop b/rpy")) part++;
  const td_state state = closed_state(&s);
  asked a = ask(&s);
  tree_random_vector(&(uint64_t){1}, 1, s.n, ones);
  ck_assert_int_eq(td_parameter_dynamics(a.p, a.ws, &state, NULL, NULL, dfd_dp, NULL), TD_SINGULAR);
  ck_assert_msg(strstr(numbers.number[td_parameter_fault(a.ws)].name, "loop"), "%s",
                numbers.number[td_parameter_fault(a.ws)].name);
  ck_assert_int_eq(td_parameter_vjp(a.p, a.ws, &state, ones, NULL, &(td_variation){.p = gradient}), TD_SINGULAR);
  s.q[0] = NAN; // no number's fault
  ck_assert_int_ne(td_parameter_dynamics(a.p, a.ws, &state, NULL, NULL, dfd_dp, NULL), TD_OK);
  ck_assert_uint_eq(td_parameter_fault(a.ws), a.np);
  done(&a);
  tree_state_close(&s);
}
END_TEST

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// w^T J v by the matrix, by its product with v, by its transpose's with w.
static void products(tree_state *s) {
  static double dq[STATE_MAX * STATE_MAX], dqd[STATE_MAX * STATE_MAX], du[STATE_MAX * STATE_MAX], w[STATE_MAX],
      q[STATE_MAX], qd[STATE_MAX], u[STATE_MAX], p[NUMBERS_MAX], gq[STATE_MAX], gqd[STATE_MAX], gu[STATE_MAX],
      gp[NUMBERS_MAX], jvp[STATE_MAX];
  numbers_of(4);
  keep_rank(s);
  td_state state = closed_state(s);
  td_constrained_output matrices = {.dfd_dq = dq, .dfd_dqd = dqd, .dfd_du = du};
  uint64_t seed = tree_seed(s->name);
  tree_random_vector(&seed, 1, s->n, w);
  tree_random_vector(&seed, 1, s->n, q);
  tree_random_vector(&seed, 1, s->n, qd);
  tree_random_vector(&seed, 1, s->m, u);
  for (size_t j = 0; j < numbers.count; j++) p[j] = numbers.parameter[j].scale * tree_random(&seed);
  TREE_OK(td_constrained_dynamics(s->model, s->ws, &state, &matrices));
  asked a = ask(s);
  TREE_OK(td_parameter_dynamics(a.p, a.ws, &state, NULL, NULL, analytic, NULL));
  const struct {
    td_variation v;
    const double *matrix;
    int columns;
    const double *gradient;
  } parts[] = {{{.q = q}, dq, s->n, gq},
               {{.qd = qd}, dqd, s->n, gqd},
               {{.u = u}, du, s->m, gu},
               {{.p = p}, analytic, (int)numbers.count, gp}};
  TREE_OK(td_parameter_vjp(a.p, a.ws, &state, w, NULL, &(td_variation){gq, gqd, gu, gp}));
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    const double *v = k == 0 ? q : k == 1 ? qd : k == 2 ? u : p;
    double size = 0, sum = 0;
    TREE_OK(td_parameter_jvp(a.p, a.ws, &state, &parts[k].v, NULL, jvp));
    for (int i = 0; i < s->n; i++)
      for (int j = 0; j < parts[k].columns; j++) {
        double term = w[i] * parts[k].matrix[i * parts[k].columns + j] * v[j];
        sum += term;
        size += fabs(term);
      }
    double along = dot(s->n, w, jvp), across = dot(parts[k].columns, parts[k].gradient, v);
    ck_assert_msg(fabs(along - sum) <= 1e-8 * size, "%s: jvp of part %zu is %.15g, not %.15g", s->name, k, along, sum);
    ck_assert_msg(fabs(across - sum) <= 1e-8 * size, "%s: vjp of part %zu is %.15g, not %.15g", s->name, k, across,
                  sum);
  }
  done(&a);
}

START_TEST(products_are_those_of_the_matrices) {
  each_tree(products, 12, 7);
  each_closed(products);
  with_lines(products);
}
END_TEST

// ---- geometry

// A straight rod along x on a root whose pose is turned: lengths move the tip along the tangent, translations as they
// are, a turn about x turns what hangs on it.
START_TEST(poses_move_as_geometry_says) {
  static const int bends[6] = {-1, 1, 1, -1, -1, -1};
  static double poses[16 * 64 * 3], lengths[3];
  tree_init(&robot);
  td_link_spec *link = tree_link(&robot, "arm", "world", TD_JOINT_FIXED);
  td_rod_spec *rod = tree_rod(link, TD_BASIS_LEGENDRE, bends);
  const td_routing_spec straight = {.base = {0.01, 0}, .tip = {0.01, 0}};
  tree_route(&robot, tree_tendon(&robot, "cable"), "arm", &straight);
  numbers = (tree_numbers){.t = &robot, .count = 3};
  numbers.number[0] = (tree_number){.name = "length", .at = &rod->length};
  numbers.number[1] = (tree_number){.name = "translation", .at = &link->pose.p[1]};
  numbers.number[2] = (tree_number){.name = "turn", .pose = &link->pose};
  memcpy(numbers.number[2].R, link->pose.R, sizeof link->pose.R);
  for (int j = 0; j < 3; j++)
    numbers.parameter[j] =
        (td_parameter){numbers.number[j].name, j < 2 ? *numbers.number[j].at : 0, 0.4, false, -INFINITY, INFINITY};
  tree_state s;
  tree_state_of(&s, &robot, "straight", 0);
  asked a = ask(&s);
  const double *R = link->pose.R, *tip = poses + 16 * 3 * (size_t)(td_model_link_point_count(s.model, 0) - 1);
  TREE_OK(td_parameter_poses(a.p, a.ws, s.q, 0, poses));
  TREE_OK(td_parameter_tendons(a.p, a.ws, s.q, lengths));
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      double along = i < 3 && k == 3 ? R[3 * i] : 0, moved = i == 1 && k == 3,
             turned = i == 3 || k == 0 || k == 3 ? 0
                      : k == 1                   ? R[3 * i + 2]
                                                 : -R[3 * i + 1];
      ck_assert_double_eq_tol(tip[(4 * i + k) * 3], along, 1e-10);
      ck_assert_double_eq_tol(tip[(4 * i + k) * 3 + 1], moved, 1e-10);
      ck_assert_double_eq_tol(tip[(4 * i + k) * 3 + 2], turned, 1e-10);
    }
  ck_assert_double_eq_tol(lengths[0], 1, 1e-10);
  ck_assert_double_eq_tol(lengths[1], 0, 1e-10);
  done(&a);
  tree_state_close(&s);
}
END_TEST

// ---- at the edge of what a number may be

static tree_state edge_robot(void) {
  static const int bends[6] = {-1, 1, 1, -1, -1, -1};
  tree_state s;
  tree_init(&robot);
  tree_rigid(tree_link(&robot, "hull", "world", TD_JOINT_UNIVERSAL), 0.7);
  tree_rod(tree_link(&robot, "arm", "hull", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bends);
  tree_load_along(&robot, "arm", 0, 1, TD_LOAD_WORLD);
  robot.spec.fluid_density = 1000;
  tree_state_of(&s, &robot, "edge", 0.5);
  return s;
}

static void by(const char *name, double *at, double scale, bool linear, double lower, double upper) {
  numbers = (tree_numbers){.t = &robot, .count = 1};
  numbers.number[0] = (tree_number){.at = at};
  snprintf(numbers.number[0].name, sizeof numbers.number[0].name, "%s", name);
  numbers.parameter[0] = (td_parameter){numbers.number[0].name, *at, scale, linear, lower, upper};
}

static void residual_by(tree_state *s, double *out) {
  const td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u};
  asked a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = out}));
  done(&a);
}

// At 0 the robot has no drag and its neighbour has: workspaces of another layout, the same slope.
START_TEST(a_force_that_is_not_there_yet_has_its_slope) {
  double none[STATE_MAX], some[STATE_MAX];
  tree_state s = edge_robot();
  double *drag = &robot.links[0].body.rigid.drag[0];
  by("drag", drag, 1, true, 0, INFINITY);
  residual_by(&s, none);
  tree_state_close(&s);
  *drag = 0.5;
  tree_state_of(&s, &robot, "edge", 0.5);
  by("drag", drag, 1, true, 0, INFINITY);
  residual_by(&s, some);
  ck_assert_double_gt(largest(s.n, some), 1e-3);
  for (int i = 0; i < s.n; i++) ck_assert_double_eq_tol(none[i], some[i], 1e-12 * largest(s.n, some));
  tree_state_close(&s);
}
END_TEST

START_TEST(bounds_push_neighbours_to_one_side) {
  double middle[STATE_MAX], side[STATE_MAX];
  tree_state s = edge_robot();
  double *length = &robot.links[1].body.rod.length;
  by("length", length, *length, false, -INFINITY, INFINITY);
  residual_by(&s, middle);
  for (int up = 0; up < 2; up++) {
    by("length", length, *length, false, up ? *length : 0.1, up ? 1 : *length);
    residual_by(&s, side);
    for (int i = 0; i < s.n; i++) ck_assert_double_eq_tol(side[i], middle[i], 1e-8 * largest(s.n, middle));
  }
  by("density", &robot.links[1].body.rod.density, 1000, true, 100, robot.links[1].body.rod.density);
  residual_by(&s, side);
  by("density", &robot.links[1].body.rod.density, 1000, true, 100, INFINITY);
  residual_by(&s, middle);
  for (int i = 0; i < s.n; i++) ck_assert_double_eq_tol(side[i], middle[i], 1e-12 * largest(s.n, middle));
  tree_state_close(&s);
}
END_TEST

static void refused(tree_state *s, td_status expected, const char *message) {
  td_parameters *p;
  td_error err = {0};
  td_status status = td_parameters_create(s->model, numbers.parameter, 1, tree_numbers_freeze, &numbers, &p, &err);
  ck_assert_int_eq(status, expected);
  ck_assert_ptr_null(p);
  ck_assert_str_eq(err.pointer, numbers.number[0].name);
  ck_assert_msg(strstr(err.message, message), "%s", err.message);
}

// A load from 0 on has the rod's own points, one from anywhere else points of its own.
START_TEST(neighbours_that_are_another_robot_are_refused_by_name) {
  tree_state s = edge_robot();
  by("from", &robot.loads[0].from, 0.1, false, 0, 0.5);
  refused(&s, TD_INVALID_ARGUMENT, "points of quadrature");
  by("length", &robot.links[1].body.rod.length, 0.1, false, 0.4, 0.4);
  refused(&s, TD_INVALID_ARGUMENT, "need room");
  tree_state_close(&s);
}
END_TEST

static td_status no_memory(void *context, size_t index, double value, td_model **model, td_error *err) {
  (void)index, (void)value, (void)model;
  ++*(int *)context;
  return td_fail(err, TD_NO_MEMORY, "", "none");
}

START_TEST(freezing_ends_at_once_where_memory_does) {
  int calls = 0;
  td_parameters *p;
  tree_state s = edge_robot();
  by("length", &robot.links[1].body.rod.length, 0.1, false, 0.1, 1);
  ck_assert_int_eq(td_parameters_create(s.model, numbers.parameter, 1, no_memory, &calls, &p, NULL), TD_NO_MEMORY);
  ck_assert_int_eq(calls, 1);
  tree_state_close(&s);
}
END_TEST

TEST_MAIN("parameters", numbers_that_are_called_linear_are, derivatives_of_forward_dynamics_are_its_differences,
          a_number_that_parts_dependent_rows_is_named, products_are_those_of_the_matrices, poses_move_as_geometry_says,
          a_force_that_is_not_there_yet_has_its_slope, bounds_push_neighbours_to_one_side,
          neighbours_that_are_another_robot_are_refused_by_name, freezing_ends_at_once_where_memory_does)
