// Equilibria known exactly: a rod under an end moment is a circle, under a constant strain a helix, under its own
// weight the elastica. And the paper's thousand statics problems of the cable-driven manipulator (Mathew2025 section
// 6).
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Straight horizontal rod, L 0.5 m, r 0.02 m, E 1 MPa, rho 1000: what stands between are gravity, orders and loads.
static td_model *rod(const char *gravity, const char *order, const char *more) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": %s, \"links\": [{\"name\": \"rod\", \"joint\": {\"type\":"
      " \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\":"
      " 0.02}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 1000}, \"strain\":"
      " {\"basis\": \"legendre\", \"order\": %s}, \"quadrature\": {\"points\": 10}}}]%s}",
      gravity, order, more);
  return test_model_from_text(text);
}

static const double length = 0.5, stiffness = 1e6 * M_PI * 0.02 * 0.02 * 0.02 * 0.02 / 4; // E I

typedef struct problem {
  td_model *model;
  td_workspace *ws;
  td_statics_options options;
  double q[64], u[16];
  td_statics_result result;
  td_error error;
} problem;

static void setup(problem *p, td_model *model) {
  *p = (problem){.model = model};
  ck_assert_int_eq(td_workspace_create(model, &p->ws), TD_OK);
  td_statics_defaults(&p->options);
}

static td_status solve(problem *p) {
  return td_statics_solve(p->model, p->ws, p->u, &p->options, p->q, &p->result, &p->error);
}

static td_se3 tip(problem *p) {
  td_se3 g;
  ck_assert_int_eq(td_pose_at(p->model, p->ws, p->q, 0, 1, &g), TD_OK);
  return g;
}

static void teardown(problem *p) {
  td_workspace_destroy(p->ws);
  td_model_destroy(p->model);
}

static const char moment[] = ", \"loads\": [{\"link\": \"rod\", \"at\": 1, \"frame\": \"body\", \"channels\":"
                             " [\"mx\", \"my\", \"mz\", \"fx\", null, null]}]";

START_TEST(an_end_moment_bends_a_rod_to_a_circle) {
  problem p;
  setup(&p, rod("[0, 0, 0]", "{\"bending_y\": 2}", moment));
  for (double turns = 0.1; turns < 2.05; turns += 0.1) {
    double angle = 2 * M_PI * turns, radius = length / angle;
    p.u[1] = stiffness * angle / length;
    ck_assert_msg(solve(&p) == TD_OK, "%g turns: %s", turns, p.error.message);
    ck_assert(p.result.stable);
    td_se3 g = tip(&p);
    ck_assert_double_eq_tol(g.p[0], radius * sin(angle), 1e-12);
    ck_assert_double_eq_tol(g.p[1], 0, 1e-12);
    ck_assert_double_eq_tol(g.p[2], -radius * (1 - cos(angle)), 1e-12); // a positive rotation about y turns x to -z
    ck_assert_double_eq_tol(g.R[0], cos(angle), 1e-11);
  }
  teardown(&p);
}
END_TEST

// Orders up to 3: the two-point rule of a Magnus step integrates them exactly, so that the discrete rod closes exactly
// too.
START_TEST(two_full_turns_at_once_are_found_from_the_straight_rod) {
  problem p;
  setup(&p, rod("[0, 0, 0]", "{\"torsion\": 2, \"bending_y\": 3, \"bending_z\": 3, \"elongation\": 2}", moment));
  p.u[1] = stiffness * 4 * M_PI / length;
  ck_assert_msg(solve(&p) == TD_OK, "%s", p.error.message);
  td_se3 g = tip(&p);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(g.p[i], 0, 1e-10);
  teardown(&p);
}
END_TEST

// Pose of the tip against the closed form: radius k / (k^2 + t^2), pitch t / (k^2 + t^2), axis along (t, k, 0).
START_TEST(constant_strain_is_a_helix) {
  problem p;
  setup(&p, rod("[0, 0, 0]", "{\"torsion\": 0, \"bending_y\": 0, \"elongation\": 0}", moment));
  double torsion = 9, curvature = 14;
  p.q[0] = torsion * length;
  p.q[1] = curvature * length;
  td_se3 g = tip(&p);
  double omega = hypot(torsion, curvature), radius = curvature / (omega * omega), pitch = torsion / (omega * omega);
  double turn = omega * length;
  double along = (g.p[0] * torsion + g.p[1] * curvature) / omega;
  double across = sqrt(g.p[0] * g.p[0] + g.p[1] * g.p[1] + g.p[2] * g.p[2] - along * along);
  ck_assert_double_eq_tol(along, pitch * turn, 1e-12);
  ck_assert_double_eq_tol(across, 2 * radius * fabs(sin(turn / 2)), 1e-12);
  teardown(&p);
}
END_TEST

// Tip from the elastica's own boundary value problem, E I theta'' = rho A g (L - s) cos theta, at 1e-10.
START_TEST(a_cantilever_under_its_weight_is_the_elastica) {
  static const char *const orders[] = {"{\"bending_y\": 4}", "{\"bending_y\": 6}",
                                       "{\"bending_y\": 8, \"bending_z\": 4}"};
  for (int i = 0; i < 3; i++) {
    problem p;
    setup(&p, rod("[0, 0, -9.81]", orders[i], ""));
    ck_assert_msg(solve(&p) == TD_OK, "%s", p.error.message);
    ck_assert(p.result.stable);
    td_se3 g = tip(&p);
    double miss = hypot(g.p[0] - 0.29611, g.p[2] + 0.37355);
    ck_assert_msg(miss < 1e-4, "order %s: tip (%.6f, %.6f), off by %g m", orders[i], g.p[0], g.p[2], miss);
    teardown(&p);
  }
}
END_TEST

// An upright column heavier than its critical load (q L^3 / E I = 7.84) still has its straight equilibrium: unstable.
START_TEST(a_straight_column_that_buckles_is_reported_unstable_and_its_bent_shape_stable) {
  problem p;
  setup(&p, rod("[-9.81, 0, 0]", "{\"bending_y\": 4}", ""));
  ck_assert_double_gt(1000 * M_PI * 4e-4 * 9.81 * 0.125 / stiffness, 7.84);
  ck_assert_int_eq(solve(&p), TD_OK);
  ck_assert(!p.result.stable && p.result.smallest_eigenvalue < 0);
  p.q[0] = 0.1;
  ck_assert_int_eq(solve(&p), TD_OK);
  ck_assert(p.result.stable && fabs(p.q[0]) > 0.5);
  teardown(&p);
}
END_TEST

static double random_unit(unsigned long long *seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 9007199254740992.;
}

typedef struct tally {
  int solved, failed, unstable;
  td_error failure;
} tally;

static bool count(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                  const td_error *failure) {
  (void)index, (void)u, (void)q;
  tally *t = context;
  t->solved += result->converged;
  t->unstable += result->converged && !result->stable;
  if (failure) t->failure = *failure, t->failed++;
  return true;
}

START_TEST(a_thousand_random_tensions_of_the_manipulator_have_their_equilibria) {
  enum { PROBLEMS = 1000 };
  static double values[5][PROBLEMS];
  unsigned long long seed = 2025;
  td_model *model = test_model_from_file("published/gvs/cdm.json", "model");
  td_input_spec inputs[5];
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < PROBLEMS; i++) values[k][i] = 100 * random_unit(&seed);
    inputs[k] = (td_input_spec){.channel = td_model_channel_name(model, k), .list = values[k], .list_count = PROBLEMS};
  }
  td_statics_spec spec = {.inputs = inputs, .input_count = 5};
  td_statics_defaults(&spec.options);
  tally t = {0};
  td_statics_hooks hooks = {.context = &t, .solved = count};
  td_run_statistics statistics;
  td_error err;
  ck_assert_int_eq(td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), TD_OK);
  ck_assert_msg(t.failed == 0, "%d failed, the last with: %s", t.failed, t.failure.message);
  ck_assert_int_eq(t.solved, PROBLEMS);
  ck_assert_int_eq(t.unstable, 0);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("exact_statics", an_end_moment_bends_a_rod_to_a_circle,
          two_full_turns_at_once_are_found_from_the_straight_rod, constant_strain_is_a_helix,
          a_cantilever_under_its_weight_is_the_elastica,
          a_straight_column_that_buckles_is_reported_unstable_and_its_bent_shape_stable,
          a_thousand_random_tensions_of_the_manipulator_have_their_equilibria)
