// Runs and equilibria of every robot of support/tree_list.c: methods agree, work and energy balance, statics succeeds.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/statics.h"
#include <math.h>
#include <string.h>

enum { MOST = 256 };

static void each(void (*check)(const char *name, const td_model *model, uint64_t *seed)) {
  for (size_t i = 0; i < tree_count(); i++) {
    tree t;
    tree_make(i, &t);
    td_model *model = tree_build(&t);
    uint64_t seed = tree_seed(tree_name(i));
    ck_assert_int_le(td_model_ndof(model), MOST);
    check(tree_name(i), model, &seed);
    td_model_destroy(model);
  }
}

static void run(const char *name, const td_model *model, const td_dynamics_spec *spec, double balance, recording *r) {
  *r = (recording){0};
  recording_run(r, model, spec, NULL);
  ck_assert_msg(r->status == TD_OK, "%s, %s: %s", name, td_method_name(spec->integrator.method), r->error.message);
  const td_energy_balance *e = &r->statistics.energy;
  double scale = e->exchanged + fabs(e->gravitational) + fabs(e->elastic);
  ck_assert_msg(fabs(e->error) <= balance * scale, "%s, %s: energy off by %g of %g J", name,
                td_method_name(spec->integrator.method), e->error, scale);
}

static void methods_agree(const char *name, const td_model *model, uint64_t *seed) {
  double q[MOST], qd[MOST];
  int n = td_model_ndof(model);
  tree_random_vector(seed, 0.1, n, q);
  tree_random_vector(seed, 0.1, n, qd);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.1, q);
  spec.qd = qd;
  spec.qd_count = (size_t)n;
  spec.integrator.rtol = 1e-8;
  spec.integrator.atol = 1e-10;
  recording bdf, newmark;
  run(name, model, &spec, 1e-5, &bdf);
  spec.integrator.method = TD_METHOD_NEWMARK;
  spec.integrator.h = 2e-4;
  run(name, model, &spec, 1e-3, &newmark);
  for (int i = 0; i < n; i++) {
    double a = recording_last(&bdf)[i], b = recording_last(&newmark)[i];
    ck_assert_msg(fabs(a - b) <= 1e-3 * (1 + fabs(a)), "%s: q[%d] is %g by bdf, %g by newmark", name, i, a, b);
  }
  recording_free(&newmark);
  spec.integrator.method = TD_METHOD_GENERALIZED_ALPHA;
  spec.integrator.adaptive = true;
  spec.integrator.h = 0;
  spec.integrator.rtol = 1e-6;
  spec.integrator.atol = 1e-9;
  recording alpha;
  run(name, model, &spec, 1e-4, &alpha);
  for (int i = 0; i < n; i++) {
    double a = recording_last(&bdf)[i], b = recording_last(&alpha)[i];
    ck_assert_msg(fabs(a - b) <= 1e-4 * (1 + fabs(a)), "%s: q[%d] is %g by bdf, %g by adaptive steps", name, i, a, b);
  }
  recording_free(&bdf);
  recording_free(&alpha);
}

START_TEST(bdf_newmark_and_adaptive_steps_agree_and_keep_the_energy_balance_on_every_robot) { each(methods_agree); }
END_TEST

static void finds_rest(const char *name, const td_model *model, uint64_t *seed) {
  double q[MOST], u[MOST] = {0}, r[MOST];
  int n = td_model_ndof(model);
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_statics_defaults(&options);
  tree_random_vector(seed, 0.3, n, q);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_statics_solve(model, ws, u, &options, q, &result, &err);
  ck_assert_msg(status == TD_OK && result.converged, "%s: %s", name, err.message);
  ck_assert_int_eq(td_residual_derivatives(model, ws, q, NULL, NULL, u, r, NULL, NULL, NULL), TD_OK);
  for (int i = 0; i < n; i++) ck_assert_msg(fabs(r[i]) < 1e-7, "%s: residual %g at %d", name, r[i], i);
  td_workspace_destroy(ws);
}

START_TEST(every_robot_finds_its_equilibrium_from_a_random_state) { each(finds_rest); }
END_TEST

// What flies while it tumbles has m p^2 in its mass matrix, in which the inertia is a small difference: Newton's
// iteration with the matrix of a step's start diverged, and steps became as small as they had to (8746 here).
START_TEST(a_body_that_flies_while_it_tumbles_takes_about_the_steps_of_one_that_tumbles) {
  const double speed = 10, t_end = 5;
  double steps[2];
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"body\", \"joint\": "
      "{\"type\": "
      "\"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.02, 0.03]}}]}");
  for (int flies = 0; flies < 2; flies++) {
    const double q[6] = {0}, qd[6] = {1, 10, 1, flies ? speed : 0, 0, 0};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, q);
    spec.qd = qd, spec.qd_count = 6;
    recording r = {0};
    td_workspace *ws;
    td_se3 g;
    recording_ok(&r, model, &spec);
    ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
    ck_assert_int_eq(td_pose_at(model, ws, recording_last(&r), 0, 1, &g), TD_OK);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(g.p[i], qd[3 + i] * t_end, 2e-3);
    steps[flies] = (double)r.statistics.steps;
    td_workspace_destroy(ws);
    recording_free(&r);
  }
  ck_assert_msg(steps[1] <= 2 * steps[0], "%g steps, %g where it stays", steps[1], steps[0]);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("tree_runs", a_body_that_flies_while_it_tumbles_takes_about_the_steps_of_one_that_tumbles,
          bdf_newmark_and_adaptive_steps_agree_and_keep_the_energy_balance_on_every_robot,
          every_robot_finds_its_equilibrium_from_a_random_state)
