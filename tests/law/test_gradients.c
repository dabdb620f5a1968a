// Derivatives of runs: forward and backward they are the same numbers, and those that repeated runs give.
#include "support/suite.h"
#include "support/task.h"

static tree robot;
static task job;

static void law(const char *name, td_method method, double h, int numbers, bool repeated) {
  task_make(&job, &robot, name, method, 10 * h, h, 0.2, 1, numbers, 2);
  task_same_both_ways(&job, 1e-10);
  if (repeated) task_same_as_repeated(&job, 1e-6);
  task_free(&job);
}

START_TEST(of_open_chains) {
  for (size_t i = 0; i < tree_count(); i += 3) {
    tree_make(i, &robot);
    law(tree_name(i), i % 2 ? TD_METHOD_EULER_IMPLICIT : TD_METHOD_GENERALIZED_ALPHA, 2e-3, i % 4 ? 0 : 2, i % 12 == 0);
  }
}
END_TEST

TEST_MAIN("gradients", of_open_chains)
