// The statics solver on small robots: problems with and without a potential, with none or several equilibria, and
// lists.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

#define BAR(name, parent, spring)                                                                                      \
  "{\"name\": \"" name "\", \"parent\": \"" parent                                                                     \
  "\", \"pose\": {\"translation\": [0.5, 0, 0]}, \"joint\": {\"type\":"                                                \
  " \"revolute\", \"axis\": \"y\", \"stiffness\": " spring "}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\":"  \
  " [0.3, 0, 0], \"inertia\": [0.01, 0.02, 0.03]}}"
#define HEAD "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": ["
#define MOTORS                                                                                                         \
  "], \"actuators\": [{\"name\": \"upper_motor\", \"type\": \"joint\", \"link\": \"upper\", \"mode\": \"force\"},"     \
  " {\"name\": \"lower_motor\", \"type\": \"joint\", \"link\": \"lower\", \"mode\": \"force\"}]}"
#define ROD(more)                                                                                                      \
  "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\":"      \
  " {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\":"        \
  " {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 1000}, \"strain\": {\"basis\": \"legendre\"," \
  " \"order\": {\"bending_y\": 4, \"bending_z\": 4, \"torsion\": 2}}, \"quadrature\": {\"points\": 5}}}]" more "}"

static td_status solve(const td_model *model, const double *u, double *q, td_statics_result *result, td_error *err) {
  td_workspace *ws;
  td_statics_options options;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_statics_solve(model, ws, u, &options, q, result, err);
  td_workspace_destroy(ws);
  return status;
}

static double residual(const td_model *model, const double *u, const double *q) {
  td_workspace *ws;
  double r[32], most = 0;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_residual_derivatives(model, ws, q, NULL, NULL, u, r, NULL, NULL, NULL), TD_OK);
  for (int i = 0; i < td_model_ndof(model); i++) most = fmax(most, fabs(r[i]));
  td_workspace_destroy(ws);
  return most;
}

START_TEST(a_chain_held_out_by_nothing_hangs_down) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "0") ", " BAR("lower", "upper", "0") MOTORS);
  double q[2] = {0, 0}, u[2] = {0, 0};
  td_statics_result result;
  td_error err;
  ck_assert_int_eq(solve(model, u, q, &result, &err), TD_OK);
  ck_assert(result.converged && result.stable);
  ck_assert_double_eq_tol(q[0], M_PI / 2, 1e-9); // a positive turn about y takes x to -z
  ck_assert_double_eq_tol(q[1], 0, 1e-9);
  td_model_destroy(model);
}
END_TEST

START_TEST(an_upright_chain_is_an_equilibrium_and_not_stable) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "0") ", " BAR("lower", "upper", "0") MOTORS);
  double q[2] = {-M_PI / 2, 0}, u[2] = {0, 0};
  td_statics_result result;
  td_error err;
  ck_assert_int_eq(solve(model, u, q, &result, &err), TD_OK);
  ck_assert(result.converged && !result.stable && result.smallest_eigenvalue < 0);
  ck_assert_double_eq_tol(q[0], -M_PI / 2, 1e-9);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_torque_that_nothing_can_hold_is_a_failure_with_its_reason) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "0") ", " BAR("lower", "upper", "0") MOTORS);
  double q[2] = {0, 0}, u[2] = {1000, 0};
  td_statics_result result;
  td_error err = {0};
  ck_assert_int_eq(solve(model, u, q, &result, &err), TD_NOT_CONVERGED);
  ck_assert(!result.converged && !result.stable && isfinite(q[0]) && isfinite(q[1]));
  ck_assert_msg(strstr(err.message, "upper.joint[0]"), "%s", err.message);
  td_model_destroy(model);
}
END_TEST

// A force that turns with the tip has no potential.
START_TEST(follower_forces_find_their_equilibrium) {
  td_model *model = test_model_from_text(
      ROD(", \"loads\": [{\"link\": \"rod\", \"at\": 1, \"frame\": \"body\", \"channels\": [null, null, null, null,"
          " \"side\", \"up\"]}]"));
  for (double force = 0.5; force < 10; force *= 2) {
    double q[32] = {0}, u[2] = {0.3 * force, force};
    td_statics_result result;
    td_error err = {0};
    ck_assert_msg(solve(model, u, q, &result, &err) == TD_OK, "%g N: %s", force, err.message);
    ck_assert_double_lt(residual(model, u, q), 1e-8);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ lists

typedef struct notes {
  int n;
  size_t count, stop_after;
  size_t index[8];
  double q[8][4];
  bool converged[8];
} notes;

static bool note(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                 const td_error *failure) {
  notes *k = context;
  (void)u;
  ck_assert_int_eq(failure == NULL, result->converged);
  k->index[k->count] = index;
  k->converged[k->count] = result->converged;
  memcpy(k->q[k->count], q, (size_t)k->n * sizeof *q);
  return ++k->count != k->stop_after;
}

static const double upper[] = {1, 2, 1000, 3, 4}, lower[] = {0, 1, 0, -1, 0};
static const td_input_spec lists[] = {{.channel = "upper_motor", .list = upper, .list_count = 5},
                                      {.channel = "lower_motor", .list = lower, .list_count = 5}};

static td_statics_spec list_job(void) {
  td_statics_spec spec = {.inputs = lists, .input_count = 2};
  td_statics_defaults(&spec.options);
  return spec;
}

static td_status run(const td_model *model, const td_statics_spec *spec, size_t first, const double *warm, notes *k) {
  td_statics_hooks hooks = {.context = k, .solved = note};
  td_error err = {0};
  k->n = td_model_ndof(model);
  return td_statics_run(model, spec, first, warm, &hooks, NULL, &err);
}

START_TEST(a_problem_of_a_list_that_fails_does_not_stop_the_others) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "0") ", " BAR("lower", "upper", "0") MOTORS);
  td_statics_spec spec = list_job();
  notes k = {0};
  ck_assert_uint_eq(td_statics_count(model, &spec, NULL), 5);
  ck_assert_int_eq(run(model, &spec, 0, NULL, &k), TD_OK);
  ck_assert_uint_eq(k.count, 5);
  for (size_t i = 0; i < 5; i++) {
    double u[2] = {upper[i], lower[i]};
    ck_assert_int_eq(k.converged[i], i != 2);
    if (i != 2) ck_assert_double_lt(residual(model, u, k.q[i]), 1e-8);
  }
  td_model_destroy(model);
}
END_TEST

// Every iteration asks for K once, factors it at least once and evaluates forces at a trial at least once.
static void check_work(const td_run_statistics *s) {
  ck_assert_uint_gt(s->newton_iterations, 0);
  ck_assert_uint_ge(s->jacobians, s->newton_iterations);
  ck_assert_uint_ge(s->factorisations, s->newton_iterations);
  ck_assert_uint_ge(s->evaluations, s->newton_iterations);
}

START_TEST(statics_and_linearisation_report_what_the_search_took) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "0") ", " BAR("lower", "upper", "0") MOTORS);
  td_statics_spec spec = list_job();
  td_run_statistics s, first;
  td_error err = {0};
  ck_assert_int_eq(td_statics_run(model, &spec, 4, NULL, NULL, &first, &err), TD_OK);
  check_work(&first);
  ck_assert_int_eq(td_statics_run(model, &spec, 0, NULL, NULL, &s, &err), TD_OK);
  check_work(&s);
  ck_assert_uint_gt(s.factorisations, first.factorisations);
  static const td_input_spec held[] = {{.channel = "upper_motor", .signal = {.offset = 1}}};
  td_linearize_spec about = {.at = TD_AT_EQUILIBRIUM, .run = {.inputs = held, .input_count = 1}};
  td_integrator_defaults(&about.run.integrator);
  ck_assert_int_eq(td_linearize_run(model, &about, NULL, &s, &err), TD_OK);
  check_work(&s);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_list_resumed_from_the_last_solution_has_the_same_bits) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "1") ", " BAR("lower", "upper", "1") MOTORS);
  td_statics_spec spec = list_job();
  notes whole = {0}, rest = {0};
  ck_assert_int_eq(run(model, &spec, 0, NULL, &whole), TD_OK);
  ck_assert_int_eq(run(model, &spec, 2, whole.q[1], &rest), TD_OK);
  ck_assert_uint_eq(rest.count, 3);
  ck_assert_uint_eq(rest.index[0], 2);
  ck_assert_mem_eq(rest.q, whole.q[2], 3 * sizeof rest.q[0]);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_list_is_cancelled_after_the_problem_at_hand) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "1") ", " BAR("lower", "upper", "1") MOTORS);
  td_statics_spec spec = list_job();
  notes k = {.stop_after = 2};
  ck_assert_int_eq(run(model, &spec, 0, NULL, &k), TD_CANCELLED);
  ck_assert_uint_eq(k.count, 2);
  td_model_destroy(model);
}
END_TEST

static void refused(const td_model *model, const td_statics_spec *spec, const char *pointer) {
  td_error err = {0};
  ck_assert_uint_eq(td_statics_count(model, spec, &err), 0);
  ck_assert_int_eq(err.status, TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, pointer);
}

START_TEST(an_error_in_a_list_names_its_place) {
  td_model *model = test_model_from_text(HEAD BAR("upper", "world", "1") ", " BAR("lower", "upper", "1") MOTORS);
  static const double bad[] = {1, NAN}, three[] = {1, 2, 3};
  td_input_spec inputs[2] = {{.channel = "upper_motor", .list = bad, .list_count = 2}};
  td_statics_spec spec = list_job();
  spec.inputs = inputs;
  spec.input_count = 1;
  refused(model, &spec, "/inputs/upper_motor/1");
  inputs[0].list_count = 1;
  inputs[1] = (td_input_spec){.channel = "lower_motor", .list = three, .list_count = 3};
  spec.input_count = 2;
  refused(model, &spec, "/inputs/lower_motor");
  inputs[1] = (td_input_spec){.channel = "lower_motor", .signal = {.type = TD_SIGNAL_SINE}};
  refused(model, &spec, "/inputs/lower_motor");
  inputs[1].signal.type = TD_SIGNAL_CONSTANT;
  ck_assert_uint_eq(td_statics_count(model, &spec, NULL), 1);
  spec.initial = TD_INITIAL_ARRAY;
  spec.q = three;
  spec.q_count = 3;
  refused(model, &spec, "/initial/q");
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("statics", a_chain_held_out_by_nothing_hangs_down, an_upright_chain_is_an_equilibrium_and_not_stable,
          a_torque_that_nothing_can_hold_is_a_failure_with_its_reason, follower_forces_find_their_equilibrium,
          a_problem_of_a_list_that_fails_does_not_stop_the_others,
          statics_and_linearisation_report_what_the_search_took,
          a_list_resumed_from_the_last_solution_has_the_same_bits, a_list_is_cancelled_after_the_problem_at_hand,
          an_error_in_a_list_names_its_place)
