// Derivatives of runs by radau: forward and backward they are the same numbers, and those that repeated runs give.
#include "support/closed.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/task.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static tree robot;
static task job;

// In steps of one size or less; samples between their ends, of closed chains, too.
static void law(const char *name, int numbers, bool repeated) {
  if (task_make(&job, &robot, name, TD_METHOD_RADAU, 1.2e-3, 2e-4, 0.2, 1, numbers, 2)) {
    task_same_both_ways(&job, 1e-9);
    if (repeated) task_same_as_repeated(&job, 1e-7);
  }
  task_free(&job);
}

START_TEST(of_open_chains) {
  for (size_t i = 0; i < tree_count(); i += 24) {
    tree_make(i, &robot);
    law(tree_name(i), i % 4 ? 0 : 1, i < 40);
  }
}
END_TEST

START_TEST(of_closed_chains) {
  for (size_t i = 0; i < closed_count(); i += 12) {
    closed_make(i, &robot);
    law(closed_name(i), i % 3 ? 0 : 1, i == 0);
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

// A rod of 20 cm, hanging, that hits a plane beside it on its way, or a hard one without any damping.
static td_model *rod(double young, double viscosity, const char *more) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\", \"joint\":"
      " {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": 1e-3}, \"body\": {\"type\": \"rod\", \"length\": 0.2,"
      " \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, \"material\": {\"young\": %g, \"poisson\": 0.5,"
      " \"density\": 1000, \"viscosity\": %g}, \"strain\": {\"basis\": \"legendre\", \"order\":"
      " {\"bending_y\": 2}}}}]%s}",
      young, viscosity, more);
  return test_model_from_text(text);
}

static void rod_job(td_model *model, double t_end, double scale) {
  task_of(&job, model, "rod", TD_METHOD_RADAU, t_end, t_end, scale, 2);
  job.spec.input_count = 0;
}

// Steps end where it begins to touch: how long they are is frozen, and of no matter to what they lead to.
START_TEST(across_a_contact_that_sets_in) {
  td_run_statistics statistics;
  rod_job(
      rod(1e6, 1e3,
          ", \"contacts\": [{\"type\": \"plane\", \"pose\": {\"translation\": [0, 0, -0.05]}, \"stiffness\": 1e3}]"),
      0.2, 0.05);
  ck_assert(!td_dynamics_run(job.model, &job.spec, NULL, NULL, 0, &statistics, NULL));
  ck_assert_double_gt(statistics.energy.exchanged, 0);
  task_same_both_ways(&job, 1e-9);
  task_same_as_repeated(&job, 3e-7); // what a difference across the onset leaves at its best
  task_free(&job);
}
END_TEST

// Modes of 1e5 rad/s without damping, which steps do not resolve.
START_TEST(of_stiff_rods) {
  rod_job(rod(1e10, 0, ""), 0.05, 1e-4);
  job.spec.integrator.rtol = 1e-8, job.spec.integrator.atol = 1e-12;
  task_same_both_ways(&job, 1e-8);
  task_same_as_repeated(&job, 1e-7);
  task_free(&job);
}
END_TEST

START_TEST(from_equilibrium) {
  tree_make(30, &robot);
  task_make(&job, &robot, tree_name(30), TD_METHOD_RADAU, 2e-3, 5e-4, 0.2, 0, 3, 3);
  job.spec.initial = TD_INITIAL_EQUILIBRIUM;
  job.spec.q = job.spec.qd = NULL;
  job.spec.q_count = job.spec.qd_count = 0;
  task_same_both_ways(&job, 1e-9);
  task_same_as_repeated(&job, 1e-7);
  task_free(&job);
}
END_TEST

// In tolerances as users have them: first steps whose errors are taken twice, rejected ones, chosen sizes.
START_TEST(they_go_on_from_checkpoints_with_the_same_bits) {
  for (int i = 0; i < 2; i++) {
    if (i) closed_make(0, &robot);
    if (!i) make_named("rods_against_obstacles");
    task_make(&job, &robot, i ? closed_name(0) : "rods_against_obstacles", TD_METHOD_RADAU, 2e-2, 0, 0.2, 1, 1, 1);
    job.spec.integrator.rtol = 1e-6;
    job.spec.integrator.atol = 1e-9;
    job.spec.integrator.h_max = 0;
    task_same_both_ways(&job, 1e-9);
    task_goes_on(&job);
    task_free(&job);
  }
}
END_TEST

TEST_MAIN("radau gradients", of_open_chains, of_closed_chains, across_a_contact_that_sets_in, of_stiff_rods,
          from_equilibrium, they_go_on_from_checkpoints_with_the_same_bits)
