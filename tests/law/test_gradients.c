// Derivatives of runs: forward and backward they are the same numbers, and those that repeated runs give.
#include "support/closed.h"
#include "support/suite.h"
#include "support/task.h"

static tree robot;
static task job;

static void law(const char *name, td_method method, double h, int numbers, bool repeated) {
  if (task_make(&job, &robot, name, method, 6 * h, h, 0.2, 1, numbers, 2)) {
    task_same_both_ways(&job, 1e-9);
    if (td_model_loop_row_count(job.model)) job.spec.output_dt = job.spec.t_end; // samples between steps: by a metric
    if (repeated) task_same_as_repeated(&job, 1e-6);
  }
  task_free(&job);
}

START_TEST(of_open_chains) {
  for (size_t i = 0; i < tree_count(); i += 5) {
    tree_make(i, &robot);
    law(tree_name(i), i % 2 ? TD_METHOD_EULER_IMPLICIT : TD_METHOD_GENERALIZED_ALPHA, 2e-3, i % 4 ? 0 : 1, i % 20 == 0);
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

// Newmark's method and index 1 put the ends of steps, and all methods samples between them, on the constraint by a
// metric that is frozen: repeated runs have another one.
START_TEST(of_closed_chains) {
  static const td_method methods[] = {TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_EULER_IMPLICIT, TD_METHOD_NEWMARK};
  for (size_t i = 0; i < closed_count(); i += 2) {
    closed_make(i, &robot);
    law(closed_name(i), methods[i % 3], 1e-3, i % 3 ? 0 : 1, i % 6 == 0 && i < 13);
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

TEST_MAIN("gradients", from_equilibrium, of_open_chains, by_explicit_methods, of_closed_chains)
