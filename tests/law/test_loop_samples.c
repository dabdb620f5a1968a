// What runs of robots with loops report: rates that obey the loops wherever a sample is taken, at the end of a step or
// beside it, and the same numbers at times that differ by rounding only.
#include "support/closed.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/task.h"
#include <math.h>
#include <string.h>

enum { STEPS = 12, ROWS = 32 }; // tables of inputs have knots after 4 and 8

static tree robot;
static task job;

static const struct {
  td_method method;
  td_formulation formulation;
  double h;
} ways[] = {
    {TD_METHOD_GENERALIZED_ALPHA, TD_FORMULATION_AUTOMATIC, 2e-3},
    {TD_METHOD_GENERALIZED_ALPHA, TD_FORMULATION_INDEX1, 2e-3},
    {TD_METHOD_HHT, TD_FORMULATION_AUTOMATIC, 2e-3},
    {TD_METHOD_NEWMARK, TD_FORMULATION_AUTOMATIC, 2e-3},
    {TD_METHOD_EULER_IMPLICIT, TD_FORMULATION_AUTOMATIC, 2e-3},
    {TD_METHOD_RK4, TD_FORMULATION_AUTOMATIC, 1e-4},
    {TD_METHOD_RK45, TD_FORMULATION_AUTOMATIC, 1e-4},
    {TD_METHOD_RADAU, TD_FORMULATION_AUTOMATIC, 2e-3},
};
enum { WAYS = sizeof ways / sizeof *ways };
// A planar four-bar whose rows depend on each other, rods in a loop of a screw.
static const size_t robots[] = {12, 3};
enum { ROBOTS = sizeof robots / sizeof *robots };

static bool make(size_t r, size_t w) {
  closed_make(robots[r], &robot);
  double h = ways[w].h;
  bool closes = task_make(&job, &robot, closed_name(robots[r]), ways[w].method, STEPS * h, h, 0.2, 0, 0, 0);
  job.spec.integrator.formulation = ways[w].formulation;
  return closes;
}

static bool same_motion(const recording *a, const recording *b) {
  size_t n = (size_t)td_model_ndof(job.model), m = (size_t)td_model_channel_count(job.model);
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++) { // q, u, qd; inputs are those of the times
    const double *x = a->rows + i * a->row, *y = b->rows + i * b->row;
    same = !memcmp(x, y, n * sizeof *x) && !memcmp(x + n + m, y + n + m, n * sizeof *x);
  }
  return same;
}

// Samples at the ends of all steps, give or take the last digit.
static recording sampled(int aside) {
  static double t[STEPS + 1];
  double h = job.spec.t_end / STEPS;
  for (int i = 0; i <= STEPS; i++) t[i] = i < STEPS ? i * h : job.spec.t_end;
  for (int i = 1; i < STEPS && aside; i++) t[i] = nextafter(t[i], aside > 0 ? INFINITY : 0);
  job.spec.times = t;
  job.spec.time_count = STEPS + 1;
  recording r = {.checkpoint_dt = 4 * h, .keep_at = 8 * h};
  recording_ok(&r, job.model, &job.spec);
  return r;
}

static void obeys(const recording *r, const char *name, const char *method) {
  static double A[ROWS * STATE_MAX];
  int n = td_model_ndof(job.model), rows = td_model_loop_row_count(job.model), m = td_model_channel_count(job.model);
  td_workspace *ws;
  ck_assert_int_le(rows, ROWS);
  TREE_OK(td_workspace_create(job.model, &ws));
  for (size_t i = 0; i < r->count; i++) {
    const double *q = r->rows + i * r->row, *qd = q + n + m;
    td_constraint_terms out = {.A = A};
    TREE_OK(td_constraint_terms_at(job.model, ws, &(td_state){.q = q}, NULL, &out));
    for (int k = 0; k < rows; k++) {
      double sum = 0, size = 0;
      for (int j = 0; j < n; j++) sum += A[k * n + j] * qd[j], size += fabs(A[k * n + j] * qd[j]);
      ck_assert_msg(fabs(sum) <= 1e-12 * (1 + size), "%s, %s: sample %zu opens row %d by %g m/s or rad/s", name, method,
                    i, k, sum);
    }
  }
  td_workspace_destroy(ws);
}

START_TEST(rates_obey_loops_at_the_ends_of_steps_and_beside_them) {
  int seen = 0;
  for (size_t i = 0; i < ROBOTS * WAYS; i++) {
    if (make(i / WAYS, i % WAYS)) {
      recording r = sampled(0);
      obeys(&r, job.name, td_method_name(ways[i % WAYS].method));
      recording_free(&r);
      job.spec.times = NULL;
      recording_ok(&r, job.model, &job.spec);
      obeys(&r, job.name, td_method_name(ways[i % WAYS].method));
      recording_free(&r);
      seen++;
    }
    task_free(&job);
  }
  ck_assert_int_ge(seen, 2 * WAYS);
}
END_TEST

// Tables of times are sums of decimal fractions.
START_TEST(a_time_beside_the_end_of_a_step_by_rounding_is_that_end) {
  for (size_t i = 0; i < ROBOTS * WAYS; i++) {
    bool equal_steps = ways[i % WAYS].method != TD_METHOD_RK45 && ways[i % WAYS].method != TD_METHOD_RADAU;
    if (make(i / WAYS, i % WAYS) && equal_steps) {
      recording at = sampled(0), behind = sampled(1), before = sampled(-1);
      const char *method = td_method_name(ways[i % WAYS].method);
      ck_assert_msg(same_motion(&at, &behind), "%s, %s: a time behind", job.name, method);
      ck_assert_msg(same_motion(&at, &before), "%s, %s: a time before", job.name, method);
      recording_free(&at);
      recording_free(&behind);
      recording_free(&before);
    }
    task_free(&job);
  }
}
END_TEST

// What a projection measures by is known where a run goes on.
START_TEST(a_run_that_goes_on_reports_the_same_bits) {
  for (size_t i = 0; i < ROBOTS * WAYS; i++) {
    if (make(i / WAYS, i % WAYS)) {
      recording whole = sampled(0), rest = {.checkpoint_dt = whole.checkpoint_dt, .keep_at = -1};
      recording_run(&rest, job.model, &job.spec, &whole);
      size_t from = (whole.count - rest.count) * whole.row, size = rest.count * rest.row * sizeof *rest.rows;
      ck_assert_int_eq(rest.status, TD_OK);
      ck_assert_msg(!memcmp(rest.rows, whole.rows + from, size), "%s, %s: other bits", job.name,
                    td_method_name(ways[i % WAYS].method));
      recording_free(&whole);
      recording_free(&rest);
    }
    task_free(&job);
  }
}
END_TEST

TEST_MAIN("loop_samples", rates_obey_loops_at_the_ends_of_steps_and_beside_them,
          a_time_beside_the_end_of_a_step_by_rounding_is_that_end, a_run_that_goes_on_reports_the_same_bits)
