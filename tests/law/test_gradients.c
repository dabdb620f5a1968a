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

TEST_MAIN("gradients", of_open_chains, of_closed_chains)
