// Closed chains against what must be the same: a joint replaced by a loop, energy, chains that cannot move.
#include "constraint/closed_chain.h"
#include "support/closed.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];

static const int soft[6] = {1, 2, 2, 0, -1, -1};

// An arm and a tool on a joint along z, with or without springs, friction and weight elsewhere.
static td_link_spec *arm_and_tool(tree *t, td_joint_type joint, double at) {
  tree_init(t);
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_UNIVERSAL), 0.6);
  tree_rod(tree_link(t, "arm", "base", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  td_link_spec *tool = tree_link(t, "tool", "arm", joint);
  tool->at = at;
  memcpy(tool->joint.axis, (double[3]){0, 0, 1}, sizeof tool->joint.axis);
  memset(tool->joint.stiffness, 0, sizeof tool->joint.stiffness);
  memset(tool->joint.damping, 0, sizeof tool->joint.damping);
  tree_rigid(tool, 0.4);
  return tool;
}

// The twist of the last link in its own frame.
static void tool_twist(tree_state *s, double *twist) {
  static double jacobians[3 * 16 * 6 * STATE_MAX];
  td_member members[3];
  size_t total;
  int want = td_quantity_find("jacobians");
  ck_assert_int_eq(td_quantity_members(s->model, want, members, 3, &total), 3);
  ck_assert_uint_le(total, sizeof jacobians / sizeof *jacobians);
  TREE_OK(td_evaluate(s->model, s->ws, &(td_state){.q = s->q}, &want, 1, &(double *){jacobians}, NULL));
  for (int i = 0; i < 6; i++) {
    twist[i] = 0;
    for (int j = 0; j < s->n; j++) twist[i] += jacobians[members[2].offset + (size_t)(i * s->n + j)] * s->qd[j];
  }
}

// The same robot with the tool floating and its joint a loop: the tool's free joint starts from where the tool is.
static void cut(tree_state *s, td_joint_type joint, double at, tree_state *out) {
  static tree t;
  td_link_spec *tool = arm_and_tool(&t, joint, at);
  td_se3 pose, joint_pose = tool->pose;
  TREE_OK(td_link_poses(s->model, s->ws, s->q, 2, &pose));
  tool->parent = "world";
  tool->pose = pose;
  tool->joint.type = TD_JOINT_FREE;
  td_loop_spec *loop = tree_loop(&t, joint, "tool", "arm");
  memcpy(loop->joint.axis, (double[3]){0, 0, 1}, sizeof loop->joint.axis);
  loop->joint.pitch = tool->joint.pitch;
  loop->a.pose = td_se3_identity();
  loop->b.pose = joint_pose;
  loop->b.at = at;
  tree_state_of(out, &t, td_joint_type_name(joint), s->scale);
  int kept = s->n - td_joint_dof(joint);
  memcpy(out->q, s->q, (size_t)kept * sizeof *s->q);
  memcpy(out->qd, s->qd, (size_t)kept * sizeof *s->qd);
  memset(out->q + kept, 0, 6 * sizeof *s->q);
  tool_twist(s, out->qd + kept);
}

// A q = 0 away from it the condition A qd = 0 of a universal joint is not de/dt = 0 (its rotations do not form a
// group).
static void open_state(tree_state *s, tree *t, td_joint_type joint) {
  tree_state_of(s, t, td_joint_type_name(joint), 0.4);
  for (int i = 0; joint == TD_JOINT_UNIVERSAL && i < 2; i++) s->q[s->n - 2 + i] = 0;
}

START_TEST(a_joint_replaced_by_a_loop_moves_the_same) {
  static const double ats[2] = {1, 0.37};
  static tree t;
  for (int joint = 0; joint < TD_JOINT_FREE; joint++)
    for (int k = 0; k < 2; k++) {
      tree_state open, closed;
      vector fd, fd_cut, e, kept;
      arm_and_tool(&t, joint, ats[k]);
      open_state(&open, &t, joint);
      cut(&open, joint, ats[k], &closed);
      int n = open.n - td_joint_dof(joint), r = closed_rows(&closed);
      ck_assert_int_eq(r, 6 - td_joint_dof(joint));
      TREE_OK(td_loop_error(closed.model, closed.ws, closed.q, e, NULL));
      for (int i = 0; i < r; i++) ck_assert_double_le(fabs(e[i]), 1e-13);
      tree_fd(&open, fd);
      td_state state = {.q = closed.q, .qd = closed.qd, .baumgarte = 0.1};
      TREE_OK(td_constrained_dynamics(closed.model, closed.ws, &state, &(td_constrained_output){.fd = fd_cut}));
      memcpy(kept, fd, (size_t)n * sizeof *kept);
      tree_same(&open, "fd", n, 1, fd_cut, kept, 0, 1e-9);
      tree_state_close(&open);
      tree_state_close(&closed);
    }
}
END_TEST

static double energy_at(const tree_state *s, const double *q, const double *qd) {
  td_energy energy;
  TREE_OK(td_energy_at(s->model, s->ws, q, qd, &energy));
  return energy.kinetic + energy.elastic + energy.gravitational;
}

// d/dt energy along the motion: five-point differences along its parabola.
static double energy_rate(const tree_state *s, const double *fd) {
  static const double steps[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1}, h = 3e-5;
  double rate = 0;
  for (int k = 0; k < 4; k++) {
    double q[STATE_MAX], qd[STATE_MAX], dt = steps[k] * h;
    for (int i = 0; i < s->n; i++)
      q[i] = s->q[i] + dt * s->qd[i] + 0.5 * dt * dt * fd[i], qd[i] = s->qd[i] + dt * fd[i];
    rate += weights[k] * energy_at(s, q, qd) / (12 * h);
  }
  return rate;
}

START_TEST(forces_of_a_closed_loop_do_no_work) {
  static tree t;
  for (int joint = 0; joint < TD_JOINT_FREE; joint++) {
    tree_state open, closed;
    vector fd, lambda;
    arm_and_tool(&t, joint, 1);
    open_state(&open, &t, joint);
    cut(&open, joint, 1, &closed);
    td_state state = {.q = closed.q, .qd = closed.qd, .baumgarte = 0.1};
    td_constrained_output out = {.fd = fd, .lambda = lambda};
    TREE_OK(td_constrained_dynamics(closed.model, closed.ws, &state, &out));
    double power = 0, damping[STATE_MAX], tau[STATE_MAX], scale = 0;
    TREE_OK(td_generalized_force(closed.model, closed.ws, closed.q, closed.qd, NULL, damping));
    TREE_OK(td_generalized_force(closed.model, closed.ws, closed.q, NULL, NULL, tau));
    for (int i = 0; i < closed.n; i++) power += (damping[i] - tau[i]) * closed.qd[i]; // what damping takes
    power -= energy_rate(&closed, fd);
    for (int i = 0; i < closed_rows(&closed); i++) scale += fabs(lambda[i]);
    ck_assert_msg(fabs(power) <= 1e-8 * scale, "%s: %g W with forces of %g", td_joint_type_name(joint), power, scale);
    tree_state_close(&open);
    tree_state_close(&closed);
  }
}
END_TEST

// ---- chains that cannot move

static td_status try_to_build(const tree *t, td_error *err) {
  td_model *model = NULL;
  td_status status = td_model_create(&t->spec, &model, err);
  ck_assert((model == NULL) == (status != TD_OK));
  td_model_destroy(model);
  return status;
}

// Bars of length 0.2 along x, hinged about z, the last hinge a loop to the world at `x`.
static void bars(tree *t, int count, double x) {
  static const char *const names[4] = {"a", "b", "c", "d"};
  static const double angles[4] = {0.9, -1.3, -0.8, -0.6};
  tree_init(t);
  for (int i = 0; i < count; i++) {
    td_link_spec *link = tree_link(t, names[i], i ? names[i - 1] : "world", TD_JOINT_REVOLUTE);
    tree_rigid(link, 0.3);
    double rpy[3] = {0, 0, angles[i]};
    link->pose = (td_se3){.p = {i ? 0.2 : 0, 0, 0}};
    td_rotation_from_rpy(rpy, link->pose.R);
    memcpy(link->joint.axis, (double[3]){0, 0, 1}, sizeof link->joint.axis);
  }
  td_loop_spec *loop = tree_loop(t, TD_JOINT_REVOLUTE, names[count - 1], "world");
  memcpy(loop->joint.axis, (double[3]){0, 0, 1}, sizeof loop->joint.axis);
  loop->a.pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.2, 0, 0}};
  loop->b.pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {x, 0, 0}};
}

START_TEST(a_triangle_of_bars_is_over_constrained_and_a_square_is_not) {
  static tree t;
  td_error err;
  bars(&t, 2, 0.3);
  ck_assert_int_eq(try_to_build(&t, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/loops/0");
  ck_assert_msg(strstr(err.message, "all 2 coordinates"), "%s", err.message);
  bars(&t, 3, 0.3);
  ck_assert_int_eq(try_to_build(&t, &err), TD_OK);
  tree_prescribe(&t, "crank", "a");
  ck_assert_int_eq(try_to_build(&t, &err), TD_OK); // its motion follows from the crank's
}
END_TEST

START_TEST(a_chain_out_of_reach_of_its_loop_is_left_to_the_job) {
  static tree t;
  td_error err;
  bars(&t, 2, 0.9);
  ck_assert_int_eq(try_to_build(&t, &err), TD_OK);
}
END_TEST

START_TEST(a_loop_that_clamps_one_hinge_is_over_constrained) {
  static tree t;
  td_error err;
  tree_init(&t);
  tree_rigid(tree_link(&t, "door", "world", TD_JOINT_REVOLUTE), 1);
  td_loop_spec *loop = tree_loop(&t, TD_JOINT_FIXED, "door", "world");
  loop->a.pose = td_se3_identity();
  loop->b.pose = t.links[0].pose;
  ck_assert_int_eq(try_to_build(&t, &err), TD_INVALID_ARGUMENT);
  ck_assert_msg(strstr(err.message, "over-constrained"), "%s", err.message);
}
END_TEST

// ---- angles and places

START_TEST(the_largest_free_rotation_is_that_of_the_loop_s_hinge) {
  static tree t;
  tree_state s;
  int loop;
  bars(&t, 3, 0.3);
  tree_loop(&t, TD_JOINT_PRISMATIC, "b", "world"); // holds all rotations: not counted
  tree_state_of(&s, &t, "bars", 0.1);
  for (double turn = -2.9; turn < 3; turn += 0.29) {
    s.q[0] = turn - 0.4, s.q[1] = 0.1, s.q[2] = 0.3;
    double angle = turn + 0.9 - 1.3 - 0.8; // of the last bar, rest angles included
    double folded = fabs(remainder(angle, 2 * M_PI));
    ck_assert_double_eq_tol(td_loop_free_rotation(s.model, s.ws, s.q, &loop), folded, 1e-12);
    ck_assert_int_eq(loop, 0);
  }
  tree_state_close(&s);
}
END_TEST

// Ten kilometres away the digits of a floating robot are as good as at home.
START_TEST(a_closed_robot_far_away_accelerates_the_same) {
  static tree t;
  static double dfd[2][STATE_MAX * STATE_MAX];
  vector fd[2];
  tree_state s;
  for (int far = 0; far < 2; far++) {
    tree_init(&t);
    td_link_spec *base = tree_link(&t, "base", "world", TD_JOINT_FREE);
    tree_rigid(base, 1);
    if (far) base->pose.p[0] += 8000, base->pose.p[1] -= 6000;
    tree_rod(tree_link(&t, "first", "base", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
    tree_rod(tree_link(&t, "second", "base", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, soft);
    tree_loop(&t, TD_JOINT_REVOLUTE, "first", "second");
    tree_state_of(&s, &t, "ring", 0.4);
    TREE_OK(td_fd_derivatives(s.model, s.ws, s.q, s.qd, s.u, fd[far], dfd[far], NULL, NULL));
    if (far) {
      tree_same(&s, "fd", s.n, 1, fd[1], fd[0], 0, 1e-10);
      tree_same(&s, "dfd_dq", s.n, s.n, dfd[1], dfd[0], 0, 1e-10);
    }
    tree_state_close(&s);
  }
}
END_TEST

// ---- what a model tells

START_TEST(a_model_names_its_loops_and_prescribed_coordinates) {
  static tree t;
  tree_state s;
  int first, rows, channel;
  tree_init(&t);
  tree_rod(tree_link(&t, "left", "world", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, soft);
  tree_rod(tree_link(&t, "right", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  tree_loop(&t, TD_JOINT_CYLINDRICAL, "left", "right");
  tree_loop(&t, TD_JOINT_SPHERICAL, "right", "world")->name = "foot";
  tree_joint_actuator(&t, "motor", "right");
  tree_prescribe(&t, "ball", "left");
  tree_state_of(&s, &t, "names", 0.1);
  ck_assert_int_eq(td_model_loop_count(s.model), 2);
  ck_assert_int_eq(td_model_loop_row_count(s.model), 7);
  ck_assert_str_eq(td_model_loop_name(s.model, 0, &first, &rows), "loop 0");
  ck_assert(first == 0 && rows == 4);
  ck_assert_str_eq(td_model_loop_name(s.model, 1, &first, &rows), "foot");
  ck_assert(first == 4 && rows == 3);
  ck_assert_int_eq(td_model_prescribed_count(s.model), 3);
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(td_model_prescribed_coordinate(s.model, i, &channel), i);
    ck_assert_int_eq(channel, 1 + i);
  }
  ck_assert_str_eq(td_model_channel_name(s.model, 2), "ball[1]");
  tree_state_close(&s);
}
END_TEST

// A rod that its loop and its strains leave no motion: work of 6e-20 J was 4 % of 1e-18 J; it weighs 0.28 J per length.
START_TEST(what_rounding_does_to_a_rod_that_does_not_move_is_no_work_of_its_loop) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"r\", \"joint\": "
      "{\"type\": "
      "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": "
      "0.006}, "
      "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 1, \"elongation\": 1}}, \"material\": "
      "{\"young\": "
      "2e6, \"poisson\": 0.45, \"density\": 1000, \"viscosity\": 2000}, \"quadrature\": {\"points\": 8}}}], \"loops\": "
      "[{\"a\": {\"link\": \"r\"}, \"b\": {\"link\": \"world\", \"pose\": {\"translation\": [0.5, 0, 0]}}, \"joint\": "
      "{\"type\": \"cylindrical\", \"axis\": \"x\"}}]}");
  static const td_method methods[] = {TD_METHOD_RADAU, TD_METHOD_RK45};
  for (int m = 0; m < 2; m++) {
    td_dynamics_spec spec = recording_job(model, methods[m], 0.6, NULL);
    recording r = {0};
    spec.output_dt = 0.05;
    recording_ok(&r, model, &spec);
    const td_warnings *said = &r.statistics.warnings;
    for (int i = 0; i < said->count; i++)
      ck_assert_msg(strcmp(said->list[i].code, "loop_work") != 0, "%s", said->list[i].detail);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("closed_chains", a_joint_replaced_by_a_loop_moves_the_same, forces_of_a_closed_loop_do_no_work,
          a_triangle_of_bars_is_over_constrained_and_a_square_is_not,
          a_chain_out_of_reach_of_its_loop_is_left_to_the_job, a_loop_that_clamps_one_hinge_is_over_constrained,
          the_largest_free_rotation_is_that_of_the_loop_s_hinge, a_closed_robot_far_away_accelerates_the_same,
          a_model_names_its_loops_and_prescribed_coordinates,
          what_rounding_does_to_a_rod_that_does_not_move_is_no_work_of_its_loop)
