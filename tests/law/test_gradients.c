// Derivatives of runs: forward and backward they are the same numbers, and those that repeated runs give.
#include "support/closed.h"
#include "support/controlled.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/task.h"
#include <stdio.h>
#include <string.h>

static tree robot;
static task job;

static void law(const char *name, td_method method, double h, int numbers, bool repeated) {
  if (task_make(&job, &robot, name, method, 6 * h, h, 0.2, 1, numbers, 2)) {
    task_same_both_ways(&job, 1e-9);
    if (repeated) task_same_as_repeated(&job, 1e-7);
  }
  task_free(&job);
}

START_TEST(of_open_chains) {
  for (size_t i = 0; i < tree_count(); i += 8) {
    tree_make(i, &robot);
    law(tree_name(i), i % 16 ? TD_METHOD_EULER_IMPLICIT : TD_METHOD_GENERALIZED_ALPHA, 2e-3, i % 16 ? 0 : 1, i < 20);
  }
}
END_TEST

START_TEST(by_explicit_methods) {
  for (size_t i = 1; i < 40; i += 13) {
    tree_make(i, &robot);
    law(tree_name(i), i % 2 ? TD_METHOD_RK45 : TD_METHOD_RK4, 1e-4, 1, i < 20);
  }
  closed_make(1, &robot);
  law(closed_name(1), TD_METHOD_RK4, 1e-4, 1, false);
}
END_TEST

START_TEST(of_closed_chains) {
  static const td_method methods[] = {TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_HHT, TD_METHOD_AUTOMATIC};
  for (size_t i = 0; i < closed_count(); i += 4) {
    closed_make(i, &robot);
    law(closed_name(i), methods[i % 3], 1e-3, i % 3 ? 0 : 1, i % 8 == 0 && i < 13);
  }
}
END_TEST

static void make_named(const char *name) {
  for (size_t i = 0; i < tree_count(); i++)
    if (strcmp(tree_name(i), name) == 0) {
      tree_make(i, &robot);
      return;
    }
  ck_abort_msg("no robot %s", name);
}

// Fields by formulas and by differences, of a robot in contact and of one in water.
START_TEST(of_all_that_runs_report) {
  static const char *const robots[] = {"rods_against_obstacles", "swimmer", "tendons"};
  for (int i = 0; i < 3; i++) {
    char poses[64], point[64];
    const char *fields[] = {"qdd", "lambda", "energy", "tendons", "tensions", poses, point};
    make_named(robots[i]);
    task_make(&job, &robot, robots[i], TD_METHOD_HHT, 3e-3, 1e-3, 0.2, 1, 0, 1);
    snprintf(poses, sizeof poses, "poses:%.40s", td_model_link_name(job.model, 0));
    snprintf(point, sizeof point, "poses:%.40s@0.7", td_model_link_name(job.model, 1));
    job.spec.fields = fields;
    job.spec.field_count = 7;
    ck_assert_int_ge(td_run_output_members(job.model, &job.spec, NULL, 0, &job.row, NULL), 0);
    task_same_both_ways(&job, 1e-9);
    task_same_as_repeated(&job, 1e-7);
    task_free(&job);
  }
}
END_TEST

START_TEST(through_friction) {
  make_named("rods_against_obstacles");
  for (size_t i = 0; i < robot.spec.contact_count; i++) {
    td_contact_spec *c = &robot.contacts[i];
    c->damping = 0.1, c->friction = 0.3, c->slip_speed = 0.2, c->anisotropy[0] = 1, c->anisotropy[1] = 0.4;
  }
  law("rods that rub", TD_METHOD_GENERALIZED_ALPHA, 1e-3, 1, true);
  law("rods that rub", TD_METHOD_RADAU, 1e-3, 1, true);
  law("rods that rub", TD_METHOD_RK4, 1e-5, 1, false);
}
END_TEST

// A body that has turned by more than 1.5 pi is described anew.
START_TEST(across_a_change_of_chart) {
  tree_init(&robot);
  td_link_spec *body = tree_link(&robot, "body", "world", TD_JOINT_FREE);
  memset(body->joint.stiffness, 0, sizeof body->joint.stiffness);
  tree_rigid(body, 1);
  for (int k = 0; k < 2; k++) {
    recording r = {0};
    task_make(&job, &robot, "spinning", k ? TD_METHOD_RK4 : TD_METHOD_GENERALIZED_ALPHA, 0.05, 5e-3, 0.1, 2, 0, 0);
    job.q[1] = 4.65, job.qd[1] = 4;
    recording_ok(&r, job.model, &job.spec);
    ck_assert_uint_eq(r.statistics.recharts, 1);
    recording_free(&r);
    task_same_both_ways(&job, 1e-9);
    task_same_as_repeated(&job, 1e-7);
    task_goes_on(&job);
    task_free(&job);
  }
}
END_TEST

// Steps that follow their errors, and onsets of forces: frozen.
START_TEST(of_steps_under_error_control) {
  make_named("rods_against_obstacles");
  task_make(&job, &robot, "rods_against_obstacles", TD_METHOD_GENERALIZED_ALPHA, 1e-3, 0, 0.2, 1, 1, 1);
  job.spec.integrator.adaptive = true;
  task_same_both_ways(&job, 1e-8);
  task_same_as_repeated(&job, 1e-7);
  task_free(&job);
}
END_TEST

START_TEST(under_control) {
  static const char *const motors[] = {"m1", "m2", "m3"};
  static const double t[] = {0, 0.1}, value[] = {0, 0, 0, 0.3, -0.2, 0.1};
  static const td_controller_type laws[] = {TD_CONTROLLER_PD_PLUS, TD_CONTROLLER_COMPUTED_TORQUE};
  for (int i = 0; i < 2; i++) {
    td_controller_spec law = controlled_law(laws[i], motors, 3, TD_SPACE_JOINT);
    controlled_reference(&law, 2, t, value, 3);
    task_of(&job, controlled_arm(), "controlled arm", i ? TD_METHOD_RK4 : TD_METHOD_GENERALIZED_ALPHA, 0.05, 5e-3, 0.2,
            2);
    job.spec.input_count = 0;
    job.spec.controllers = &law;
    job.spec.controller_count = 1;
    task_same_both_ways(&job, 1e-9);
    task_same_as_repeated(&job, 1e-7);
    task_free(&job);
  }
}
END_TEST

START_TEST(from_equilibrium) {
  tree_make(30, &robot);
  task_make(&job, &robot, tree_name(30), TD_METHOD_GENERALIZED_ALPHA, 0.01, 2e-3, 0.2, 0, 3, 3);
  job.spec.initial = TD_INITIAL_EQUILIBRIUM;
  job.spec.qd = NULL;
  job.spec.q = NULL;
  job.spec.q_count = job.spec.qd_count = 0;
  task_same_both_ways(&job, 1e-9);
  task_same_as_repeated(&job, 1e-5);
  task_free(&job);
}
END_TEST

START_TEST(what_has_no_derivative_is_refused) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE};
  closed_make(1, &robot);
  for (int i = 0; i < 2; i++) {
    td_error err = {0};
    double gradient[TASK_NUMBERS];
    task_make(&job, &robot, closed_name(1), methods[i], 0.01, 0, 0.2, 1, 0, 0);
    ck_assert_int_eq(td_gradient_check(job.model, &job.spec, &job.by, &err), TD_UNSUPPORTED);
    ck_assert_str_eq(err.pointer, "/integrator/method");
    ck_assert_ptr_nonnull(strstr(err.message, "generalized_alpha"));
    td_backward_hooks hooks = {.context = NULL};
    ck_assert_int_eq(td_gradient_backward(job.model, &job.spec, &job.by, &hooks, NULL, 0, gradient, NULL, &err),
                     TD_UNSUPPORTED);
    task_free(&job);
  }
}
END_TEST

TEST_MAIN("gradients", what_has_no_derivative_is_refused, under_control, of_all_that_runs_report, through_friction,
          across_a_change_of_chart, of_steps_under_error_control, from_equilibrium, of_open_chains, by_explicit_methods,
          of_closed_chains)
