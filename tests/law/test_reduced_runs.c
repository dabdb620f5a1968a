// The shipped robots of reduced bodies run as their job documents say: work and energy balance, the tentacle comes to
// rest.
#include "codec/document/job/job.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

typedef struct shipped {
  td_model *model;
  json_t *document;
  arena *memory;
  job_document job;
} shipped;

static void open_example(const char *name, shipped *s) {
  char path[256];
  td_error err = {0};
  snprintf(path, sizeof path, "../api/examples/%s.model.json", name);
  s->model = test_model_from_file(path, NULL);
  snprintf(path, sizeof path, "../api/examples/%s.job.json", name);
  s->document = test_json_from_file(path);
  s->memory = arena_create();
  td_status status = codec_job_read_local(s->document, "", s->memory, &s->job, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", name, err.pointer, err.message);
}

static void close_example(shipped *s) {
  td_model_destroy(s->model);
  json_decref(s->document);
  arena_destroy(s->memory);
}

// Runs the example for at most t_end seconds; its own samples of q and qd are kept.
static void run(shipped *s, double t_end, recording *r) {
  static const char *const fields[] = {"q", "qd"};
  s->job.dynamics.fields = fields, s->job.dynamics.field_count = 2;
  s->job.dynamics.t_end = fmin(t_end, s->job.dynamics.t_end);
  recording_ok(r, s->model, &s->job.dynamics);
}

static double relative_error(const recording *r) {
  return fabs(r->statistics.energy.error) / r->statistics.energy.exchanged;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

START_TEST(the_free_tentacle_closes_its_energy_balance_and_comes_to_rest_where_statics_finds_it) {
  shipped s;
  recording r = {0};
  double q[MOST];
  open_example("pgc-tentacle", &s);
  int n = td_model_ndof(s.model);
  run(&s, INFINITY, &r);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(relative_error(&r) < 1e-6, "energy off by %g of %g J", e->error, e->exchanged);
  ck_assert_double_gt(e->dissipation, 1e-3);
  ck_assert_double_lt(e->gravitational, -1e-3);
  ck_assert_msg(largest(recording_last(&r) + n, n) < 1e-4, "still moves by %g", largest(recording_last(&r) + n, n));
  memcpy(q, recording_last(&r), (size_t)n * sizeof *q);
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(s.model, &ws), TD_OK);
  td_status status = td_statics_solve(s.model, ws, NULL, &options, q, &result, &err);
  ck_assert_msg(status == TD_OK && result.converged, "%s", err.message);
  for (int i = 0; i < n; i++) ck_assert_double_eq_tol(q[i], recording_last(&r)[i], 1e-3 * largest(q, n));
  td_workspace_destroy(ws);
  recording_free(&r);
  close_example(&s);
}
END_TEST

START_TEST(every_shipped_reduced_robot_runs_and_keeps_the_energy_balance) {
  static const struct {
    const char *name;
    double t_end, allowed;
  } examples[] = {
      {"pcc-chain", 2, 1e-3}, {"vpcc-pneumatic", 2, 1e-4}, {"helicoid", 0.3, 1e-4}, {"ur10e-soft-gripper", 8, 1e-4}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    shipped s;
    recording r = {0};
    open_example(examples[i].name, &s);
    run(&s, examples[i].t_end, &r);
    ck_assert_msg(relative_error(&r) < examples[i].allowed, "%s: energy off by %g of %g J", examples[i].name,
                  r.statistics.energy.error, r.statistics.energy.exchanged);
    ck_assert_double_gt(largest(recording_last(&r), td_model_ndof(s.model)), 1e-3);
    ck_assert_msg(r.statistics.push == 0, "%s: a tendon pushes with %g N", examples[i].name, r.statistics.push);
    recording_free(&r);
    close_example(&s);
  }
}
END_TEST

// What its description says of the unit of its pressures: the equilibrium exists up to 1.3 times the job's, not at 1.4
// times.
START_TEST(the_pneumatic_arm_has_equilibria_up_to_a_quarter_of_its_modulus) {
  static const double pressures[6] = {2, 0, 0, 2, 1, 0.4};
  shipped s;
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[MOST] = {0}, u[6];
  open_example("vpcc-pneumatic", &s);
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(s.model, &ws), TD_OK);
  for (int percent = 10; percent <= 130; percent += 5) {
    for (int i = 0; i < 6; i++) u[i] = percent * 1e3 * pressures[i];
    td_status status = td_statics_solve(s.model, ws, u, &options, q, &result, &err);
    ck_assert_msg(status == TD_OK && result.converged && result.stable, "%d %%: %s", percent, err.message);
  }
  for (int i = 0; i < 6; i++) u[i] = 140e3 * pressures[i];
  td_status status = td_statics_solve(s.model, ws, u, &options, q, &result, &err);
  ck_assert(status != TD_OK || !result.converged || !result.stable);
  td_workspace_destroy(ws);
  close_example(&s);
}
END_TEST

TEST_MAIN("reduced_runs", the_pneumatic_arm_has_equilibria_up_to_a_quarter_of_its_modulus,
          the_free_tentacle_closes_its_energy_balance_and_comes_to_rest_where_statics_finds_it,
          every_shipped_reduced_robot_runs_and_keeps_the_energy_balance)
