// The robots of Mathew2025 as they ship: their sizes and ranks, and the first moments of their jobs by methods of
// different kind (bdf, index 1 with projection; the Newmark family, index 3; dae), which must meet, keep loops closed
// and balance their energy.
#include "codec/document/job/job.h"
#include "math/lapack.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct shipped {
  const char *name;
  int ndof, rows, rank;
  double t_end, h; ///< of the comparison
} shipped;

static const shipped robots[] = {
    {"cdm", 24, 0, 0, 0.5, 1e-3},        {"serial", 27, 0, 0, 1, 1e-3},    {"finray", 74, 31, 13, 0.6, 2e-3},
    {"parallel", 63, 10, 10, 0.3, 2e-3}, {"contact", 24, 0, 0, 0.3, 2e-4}, {"uw", 80, 0, 0, 0.15, 5e-4},
};
enum { ROBOTS = sizeof robots / sizeof *robots, ROWS = 32, NDOF = 80 };

static const char *file_of(const shipped *robot, const char *kind) {
  static char path[4096];
  snprintf(path, sizeof path, TEST_DATA_DIR "/../api/examples/%s.%s.json", robot->name, kind);
  return path;
}

/// Eigenvalues of A A^T above rounding.
static int rank_of(const double *A, int rows, int n) {
  double gram[ROWS * ROWS] = {0}, value[ROWS], work[64 * ROWS];
  int size = 64 * ROWS, info, rank = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < n; k++) gram[i * rows + j] += A[i * n + k] * A[j * n + k];
  dsyev_("N", "U", &rows, gram, &rows, value, work, &size, &info);
  ck_assert_int_eq(info, 0);
  for (int i = 0; i < rows; i++) rank += value[i] > 1e-12 * value[rows - 1];
  return rank;
}

START_TEST(shipped_robots_have_the_freedoms_and_ranks_of_the_paper_s_and_their_loops_are_closed_at_rest) {
  for (int i = 0; i < ROBOTS; i++) {
    const shipped *r = &robots[i];
    td_model *model = test_model_from_file(file_of(r, "model"), NULL);
    td_workspace *ws;
    static double q[NDOF], e[ROWS], A[ROWS * NDOF];
    ck_assert_int_eq(td_model_ndof(model), r->ndof);
    ck_assert_int_eq(td_model_loop_row_count(model), r->rows);
    ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
    ck_assert_int_eq(td_loop_error(model, ws, q, e, A), TD_OK);
    for (int k = 0; k < r->rows; k++) ck_assert_msg(fabs(e[k]) < 1e-15, "%s: e[%d] = %g", r->name, k, e[k]);
    if (r->rows) ck_assert_int_eq(rank_of(A, r->rows, r->ndof), r->rank);
    td_workspace_destroy(ws);
    td_model_destroy(model);
  }
}
END_TEST

// -------------------------------------------------------------------------------------------------------------- runs

typedef struct job {
  td_model *model;
  json_t *document;
  arena *memory;
  job_document read;
} job;

static job job_open(const shipped *robot) {
  job j = {.model = test_model_from_file(file_of(robot, "model"), NULL), .memory = arena_create()};
  td_error err = {0};
  j.document = test_json_from_file(file_of(robot, "job"));
  td_status status = codec_job_read_local(j.document, "", j.memory, &j.read, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", robot->name, err.pointer, err.message);
  return j;
}

static void job_close(job *j) {
  td_model_destroy(j->model);
  json_decref(j->document);
  arena_destroy(j->memory);
}

static recording begin(const shipped *robot, const job *j, td_method method, double drift) {
  static const char *const fields[] = {"q"};
  td_dynamics_spec spec = j->read.dynamics;
  td_integrator_defaults(&spec.integrator);
  spec.integrator.method = method;
  spec.integrator.h = method <= TD_METHOD_DAE ? 0 : robot->h;
  spec.t_end = robot->t_end;
  spec.output_dt = robot->t_end / 10;
  spec.fields = fields;
  spec.field_count = 1;
  recording r = {0};
  recording_ok(&r, j->model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) <= 1e-3 * e->exchanged, "%s, %s: energy off by %g of %g J", robot->name,
                td_method_name(method), e->error, e->exchanged);
  ck_assert_msg(r.statistics.drift <= drift, "%s, %s: loop error %g", robot->name, td_method_name(method),
                r.statistics.drift);
  return r;
}

/// Largest distance of a rod's tip or a body's frame between two states.
static double apart(const td_model *model, const double *a, const double *b) {
  td_workspace *ws;
  double worst = 0;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  for (int link = 0; link < td_model_link_count(model); link++) {
    td_se3 x, y;
    ck_assert_int_eq(td_pose_at(model, ws, a, link, 1, &x), TD_OK);
    ck_assert_int_eq(td_pose_at(model, ws, b, link, 1, &y), TD_OK);
    worst = fmax(worst, hypot(hypot(x.p[0] - y.p[0], x.p[1] - y.p[1]), x.p[2] - y.p[2]));
  }
  td_workspace_destroy(ws);
  return worst;
}

static void compare(const shipped *robot, td_method other, double drift) {
  job j = job_open(robot);
  recording bdf = begin(robot, &j, TD_METHOD_BDF, 1e-6);
  recording steps = begin(robot, &j, other, drift);
  double difference = 0, moved = apart(j.model, bdf.rows, recording_last(&bdf));
  for (size_t k = 0; k < bdf.count; k++)
    difference = fmax(difference, apart(j.model, bdf.rows + k * bdf.row, steps.rows + k * steps.row));
  ck_assert_msg(moved > 1e-3, "%s moved by %g m only", robot->name, moved);
  ck_assert_msg(difference < 1e-3 && difference < 0.05 * moved, "%s: methods are %g m apart after %g m", robot->name,
                difference, moved);
  recording_free(&bdf);
  recording_free(&steps);
  job_close(&j);
}

START_TEST(shipped_jobs_move_alike_by_bdf_and_by_the_newmark_family) {
  for (int i = 0; i < ROBOTS; i++)
    compare(&robots[i], robots[i].rows ? TD_METHOD_GENERALIZED_ALPHA : TD_METHOD_NEWMARK, 1e-9);
}
END_TEST

// But the fin-ray, which is slow at index 1 (engine/run/README.md).
START_TEST(shipped_jobs_move_alike_by_bdf_and_by_dae) {
  for (int i = 0; i < ROBOTS; i++)
    if (strcmp(robots[i].name, "finray") != 0) compare(&robots[i], TD_METHOD_DAE, 1e-6);
}
END_TEST

// Ten seconds of touching and leaving the cylinder: by the default step, the paper's, and by adaptive ones.
START_TEST(the_contact_job_balances_its_energy_by_fixed_and_by_adaptive_steps) {
  static const td_method methods[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  const shipped *robot = &robots[4];
  ck_assert_str_eq(robot->name, "contact");
  job j = job_open(robot);
  for (int m = 0; m < 3; m++)
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      td_dynamics_spec spec = j.read.dynamics;
      td_integrator_defaults(&spec.integrator);
      spec.integrator.method = methods[m];
      spec.integrator.adaptive = adaptive;
      spec.integrator.rtol = 1e-3, spec.integrator.atol = 1e-6;
      recording r = {0};
      recording_ok(&r, j.model, &spec);
      const td_energy_balance *e = &r.statistics.energy;
      ck_assert_msg(fabs(e->error) < (adaptive ? 1e-4 : 1e-3) * e->exchanged, "%s, adaptive %d: off by %g of %g J",
                    td_method_name(methods[m]), adaptive, e->error, e->exchanged);
      recording_free(&r);
    }
  job_close(&j);
}
END_TEST

static uint64_t steps_of(const job *j, const shipped *robot, td_method method) {
  td_dynamics_spec spec = j->read.dynamics;
  td_integrator_defaults(&spec.integrator);
  spec.integrator.method = method;
  spec.integrator.adaptive = true;
  spec.integrator.rtol = 1e-3, spec.integrator.atol = 1e-6;
  spec.t_end = 3;
  recording r = {.step_limit = 3000};
  recording_run(&r, j->model, &spec, NULL);
  ck_assert_msg(r.status == TD_OK, "%s, %s: %s", robot->name, td_method_name(method), r.error.message);
  uint64_t steps = r.statistics.steps;
  recording_free(&r);
  return steps;
}

// The trapezoidal rule damps nothing that index 3 stirs up: rates off the constraint would bind the steps.
START_TEST(newmark_s_adaptive_steps_at_index_3_are_those_of_the_motion) {
  for (int i = 0; i < ROBOTS; i++) {
    if (robots[i].rows == 0) continue;
    job j = job_open(&robots[i]);
    uint64_t damped = steps_of(&j, &robots[i], TD_METHOD_GENERALIZED_ALPHA);
    uint64_t undamped = steps_of(&j, &robots[i], TD_METHOD_NEWMARK);
    ck_assert_msg(undamped < 2 * damped, "%s: %llu steps, generalized_alpha %llu", robots[i].name,
                  (unsigned long long)undamped, (unsigned long long)damped);
    job_close(&j);
  }
}
END_TEST

// At the paper's tolerances: which steps are taken hangs on rounding, and errors of many steps must not let that show.
START_TEST(runs_with_analytic_derivatives_and_with_differences_are_within_40_um_over_ten_seconds) {
  for (int i = 0; i < ROBOTS; i++) {
    if (robots[i].rows) continue;
    static const char *const fields[] = {"q"};
    job j = job_open(&robots[i]);
    recording runs[2] = {{0}, {0}};
    for (int differences = 0; differences < 2; differences++) {
      td_dynamics_spec spec = j.read.dynamics;
      td_integrator_defaults(&spec.integrator);
      spec.integrator.method = TD_METHOD_BDF;
      spec.integrator.rtol = 1e-3, spec.integrator.atol = 1e-6;
      spec.integrator.finite_difference = differences;
      spec.output_dt = 0.1;
      spec.fields = fields, spec.field_count = 1;
      recording_ok(&runs[differences], j.model, &spec);
    }
    double difference = 0;
    for (size_t k = 0; k < runs[0].count; k++)
      difference = fmax(difference, apart(j.model, runs[0].rows + k * runs[0].row, runs[1].rows + k * runs[1].row));
    ck_assert_msg(difference < 40e-6, "%s: %g m apart", robots[i].name, difference);
    recording_free(&runs[0]);
    recording_free(&runs[1]);
    job_close(&j);
  }
}
END_TEST

// Old matrices let the corrections of a saddle point grow once before they shrink; taken for divergence that cost one
// to three new ones in each step.
START_TEST(robots_with_loops_keep_their_matrices) {
  static const struct {
    int robot;
    bool adaptive;
    unsigned most;
  } runs[] = {{2, true, 60}, {2, false, 60}, {3, true, 100}, {3, false, 150}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    job j = job_open(&robots[runs[i].robot]);
    td_dynamics_spec spec = j.read.dynamics;
    td_integrator_defaults(&spec.integrator);
    spec.integrator.method = TD_METHOD_GENERALIZED_ALPHA;
    spec.integrator.adaptive = runs[i].adaptive;
    spec.integrator.rtol = 1e-3, spec.integrator.atol = 1e-6;
    spec.t_end = 2;
    recording r = {0};
    recording_ok(&r, j.model, &spec);
    ck_assert_msg(r.statistics.jacobians <= runs[i].most, "%s: %llu matrices in %llu steps", robots[runs[i].robot].name,
                  (unsigned long long)r.statistics.jacobians, (unsigned long long)r.statistics.steps);
    recording_free(&r);
    job_close(&j);
  }
}
END_TEST

TEST_MAIN("shipped_robots", robots_with_loops_keep_their_matrices,
          shipped_robots_have_the_freedoms_and_ranks_of_the_paper_s_and_their_loops_are_closed_at_rest,
          shipped_jobs_move_alike_by_bdf_and_by_the_newmark_family, shipped_jobs_move_alike_by_bdf_and_by_dae,
          the_contact_job_balances_its_energy_by_fixed_and_by_adaptive_steps,
          newmark_s_adaptive_steps_at_index_3_are_those_of_the_motion,
          runs_with_analytic_derivatives_and_with_differences_are_within_40_um_over_ten_seconds)
