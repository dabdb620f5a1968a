// Runs of a closed chain, free and driven, by every method: the loop stays closed, methods meet, checkpoints are exact,
// states that are not closed are assembled or refused.
#include "support/four_bar.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

static const double start[3] = {0.3, -0.3, 0.3};

static td_dynamics_spec job(const td_model *model, td_method method) {
  td_dynamics_spec spec = recording_job(model, method, 1, start);
  if (method == TD_METHOD_RK4) spec.integrator.h = 5e-4; // Baumgarte's 0.01 s
  return spec;
}

static td_model *hanging(void) { return four_bar_build(&(four_bar){.stiffness = 4, .ground = 0.4}); }

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

START_TEST(loops_stay_closed_by_every_method) {
  static const char *const fields[] = {"loop_error", "q"};
  td_model *model = hanging();
  for (int m = 0; m < TD_METHOD_COUNT; m++)
    for (int formulation = 0; formulation < TD_FORMULATION_COUNT; formulation++) {
      bool family = m == TD_METHOD_NEWMARK || m == TD_METHOD_HHT || m == TD_METHOD_GENERALIZED_ALPHA;
      if (formulation == TD_FORMULATION_INDEX3 && !family) continue;
      td_dynamics_spec spec = job(model, (td_method)m);
      spec.integrator.formulation = (td_formulation)formulation;
      spec.fields = fields;
      spec.output_dt = 0.0313; // between steps
      recording r = {0};
      recording_ok(&r, model, &spec);
      for (size_t i = 0; i < r.count; i++)
        for (int k = 0; k < 5; k++) ck_assert_double_lt(fabs(r.rows[i * r.row + k]), 1e-9);
      ck_assert_double_gt(distance(r.rows + 5, recording_last(&r) + 5, 3), 0.1);
      if (formulation == TD_FORMULATION_INDEX3) ck_assert_double_lt(r.statistics.drift, 1e-9);
      recording_free(&r);
    }
  td_model_destroy(model);
}
END_TEST

static void final_state(const td_model *model, const td_dynamics_spec *spec, double y[6]) {
  recording r = {0};
  recording_ok(&r, model, spec);
  memcpy(y, recording_last(&r), 6 * sizeof *y);
  recording_free(&r);
}

// q = (s, -s, s): all bars but the coupler turn, which follows on a circle; s by a tight explicit run of the open
// equation of motion would need another model, so the reference is the explicit method at index 1.
static void reference(const td_model *model, double y[6]) {
  td_dynamics_spec spec = job(model, TD_METHOD_RK45);
  spec.integrator.rtol = spec.integrator.atol = 1e-12;
  final_state(model, &spec, y);
  ck_assert_double_lt(fabs(y[0] + y[1]) + fabs(y[0] - y[2]), 1e-9);
}

START_TEST(the_newmark_family_converges_with_order_2_in_both_formulations) {
  static const td_method family[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = hanging();
  double exact[6], y[6];
  reference(model, exact);
  for (int f = 0; f < 2 * 3; f++) {
    double error[2];
    td_dynamics_spec spec = job(model, family[f / 2]);
    spec.integrator.formulation = (td_formulation)(f % 2);
    for (int halved = 0; halved < 2; halved++) {
      spec.integrator.h = halved ? 0.001 : 0.002;
      final_state(model, &spec, y);
      error[halved] = distance(y, exact, 6);
    }
    double order = log2(error[0] / error[1]);
    ck_assert_msg(fabs(order - 2) < 0.3, "%s, %s: order %g (errors %g, %g)", td_method_name(family[f / 2]),
                  td_formulation_name(spec.integrator.formulation), order, error[0], error[1]);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(adaptive_steps_meet_the_tolerance_with_loops) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_NEWMARK, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = hanging();
  double exact[6], y[6];
  reference(model, exact);
  for (int m = 0; m < 4; m++)
    for (double rtol = 1e-3; rtol > 1e-7; rtol *= 1e-2) {
      td_dynamics_spec spec = job(model, methods[m]);
      spec.integrator.adaptive = m > 1;
      spec.integrator.rtol = rtol;
      spec.integrator.atol = 1e-2 * rtol;
      final_state(model, &spec, y);
      ck_assert_msg(distance(y, exact, 3) < 300 * rtol, "%s at rtol %g: error %g", td_method_name(methods[m]), rtol,
                    distance(y, exact, 3));
    }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_resumed_run_of_a_closed_chain_has_the_bits_of_the_uninterrupted_one) {
  td_model *model = hanging();
  for (int m = 0; m < TD_METHOD_COUNT; m++)
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      td_dynamics_spec spec = job(model, (td_method)m);
      spec.integrator.adaptive = adaptive;
      if (adaptive && (m < TD_METHOD_NEWMARK || m > TD_METHOD_GENERALIZED_ALPHA)) continue;
      recording whole = {.checkpoint_dt = 0.2, .keep_at = 0.6}, rest = {.checkpoint_dt = 0.2, .keep_at = -1};
      recording_ok(&whole, model, &spec);
      recording_run(&rest, model, &spec, &whole);
      ck_assert_msg(rest.status == TD_OK, "%s: %s", td_method_name((td_method)m), rest.error.message);
      size_t from = whole.count - rest.count;
      ck_assert_mem_eq(rest.rows, whole.rows + from * whole.row, rest.count * rest.row * sizeof *rest.rows);
      ck_assert_mem_eq(&rest.statistics.energy, &whole.statistics.energy, sizeof whole.statistics.energy);
      recording_free(&whole);
      recording_free(&rest);
    }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_fixed_step_run_does_not_notice_its_checkpoints) {
  td_model *model = hanging();
  td_dynamics_spec spec = job(model, TD_METHOD_GENERALIZED_ALPHA);
  spec.integrator.h = 0.005;
  recording plain = {0}, saved = {.checkpoint_dt = 0.1};
  recording_ok(&plain, model, &spec);
  recording_ok(&saved, model, &spec);
  // accelerations are carried over: what is left is what Newton leaves, 1e-12 of q and more of qd (3e-5 without)
  ck_assert_double_lt(distance(recording_last(&plain), recording_last(&saved), 6), 1e-6);
  recording_free(&plain);
  recording_free(&saved);
  td_model_destroy(model);
}
END_TEST

START_TEST(an_open_initial_state_goes_to_the_nearest_closed_one) {
  static const double open[3] = {0.4, 0, 0}, rates[3] = {3, 0, 0};
  td_model *model = hanging();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.1, open);
  spec.qd = rates;
  spec.qd_count = 3;
  recording r = {0};
  recording_ok(&r, model, &spec);
  static const double sign[3] = {1, -1, 1}; // of s: |q - open| is smallest at s = 0.4 / 3, |qd - rates| at 1
  for (int i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(r.rows[i], sign[i] * 0.4 / 3, 1e-9);
    ck_assert_double_eq_tol(r.rows[3 + i], sign[i], 1e-9);
  }
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_loop_that_cannot_be_closed_is_refused_by_name) {
  td_model *model = four_bar_build(&(four_bar){.stiffness = 4, .ground = 2});
  td_dynamics_spec spec = job(model, TD_METHOD_BDF);
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NOT_CONVERGED);
  ck_assert_str_eq(r.error.pointer, "/initial/q");
  ck_assert_msg(strstr(r.error.message, "\"foot\"") && strstr(r.error.message, "were not closed"), "%s",
                r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Random robots whose loops are far from closed at q = 0: the search for the nearest closed state ends open at all of
// them.
START_TEST(loops_far_from_closed_are_closed) {
  static const char *const robots[] = {"31054", "31324", "31406", "31552", "31587", "31833", "31867"};
  static const char *const fields[] = {"loop_error"};
  for (size_t k = 0; k < sizeof robots / sizeof *robots; k++) {
    td_model *model = test_model_from_file("unit/run/open_loops.json", robots[k]);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_GENERALIZED_ALPHA, 1e-4, NULL);
    spec.integrator.h = 1e-4;
    spec.fields = fields;
    spec.field_count = 1;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_msg(r.status == TD_OK, "%s: %s", robots[k], r.error.message);
    for (size_t i = 0; i < r.row; i++) ck_assert_double_lt(fabs(r.rows[i]), 1e-9);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// This q closes the loops (to 4e-13), but a body of constant volume would be shorter than nothing.
START_TEST(a_closed_state_that_a_body_cannot_take_names_the_body) {
  td_model *model = test_model_from_file("unit/run/open_loops.json", "folded");
  json_t *file = test_json_from_file("unit/run/open_loops.json");
  size_t count;
  double *q = test_numbers(json_object_get(file, "folded_q"), &count);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1e-4, q);
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NONFINITE);
  ck_assert_msg(strstr(r.error.message, "\"l2\"") && strstr(r.error.message, "compressed to no length"), "%s",
                r.error.message);
  recording_free(&r);
  free(q);
  json_decref(file);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_driven_joint_follows_its_input_and_its_work_is_accounted_for) {
  static const char *const fields[] = {"q", "qd", "lambda"};
  td_model *model = four_bar_build(&(four_bar){.stiffness = 4, .ground = 0.4, .driven = true});
  const td_input_spec drive = {.channel = "drive",
                               .signal = {.type = TD_SIGNAL_SINE, .offset = 0.1, .amplitude = 0.5, .frequency = 1}};
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = recording_job(model, (td_method)m, 1, NULL);
    spec.inputs = &drive;
    spec.input_count = 1;
    spec.fields = fields;
    spec.field_count = 3;
    spec.t_end = 0.8;
    spec.output_dt = 0.03;
    spec.integrator.rtol = 1e-8;
    spec.integrator.atol = 1e-10;
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (size_t i = 0; i < r.count; i++) {
      const double *q = r.rows + i * r.row, s = 0.1 + 0.5 * sin(2 * M_PI * r.t[i]);
      ck_assert_double_eq_tol(q[0], s, 1e-14);
      ck_assert_double_eq_tol(q[1], -s, 1e-8);
      ck_assert_double_eq_tol(q[2], s, 1e-8);
      ck_assert_double_eq_tol(q[3], M_PI * cos(2 * M_PI * r.t[i]), 1e-12);
    }
    const td_energy_balance *e = &r.statistics.energy;
    ck_assert_double_gt(fabs(e->prescribed), 0.05);
    double allowed = m == TD_METHOD_EULER_IMPLICIT ? 0.05 : 1e-3; // of first order, and losing energy by design
    ck_assert_msg(fabs(e->error) < allowed * e->exchanged, "%s: error %g of %g J", td_method_name((td_method)m),
                  e->error, e->exchanged);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_step_on_a_driven_joint_is_refused) {
  static const double t[] = {0, 0.5}, value[] = {0, 0.2};
  td_model *model = four_bar_build(&(four_bar){.ground = 0.4, .driven = true});
  const td_input_spec drive = {.channel = "drive",
                               .signal = {.type = TD_SIGNAL_STEPS, .t = t, .value = value, .count = 2}};
  td_dynamics_spec spec = job(model, TD_METHOD_BDF);
  spec.inputs = &drive;
  spec.input_count = 1;
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/inputs/drive");
  td_model_destroy(model);
}
END_TEST

START_TEST(a_closed_chain_may_start_at_equilibrium_and_stays_there) {
  td_model *model = four_bar_build(&(four_bar){.stiffness = 8, .ground = 0.4, .motor = true});
  const td_input_spec torque = {.channel = "motor", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 1}};
  td_dynamics_spec spec = job(model, TD_METHOD_GENERALIZED_ALPHA);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.inputs = &torque;
  spec.input_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_double_gt(fabs(r.rows[0]), 0.05);
  for (size_t i = 1; i < r.count; i++) ck_assert_double_lt(distance(r.rows, r.rows + i * r.row, 6), 1e-8);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Two arms on ball joints with springs, pinned together by a universal joint, out of any plane: what the format's rows
// hold is not what keeps it closed, so the run must measure the loop as the statics before it did.
static const char PINNED[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\", \"joint\": {\"type\": "
    "\"spherical\", \"stiffness\": 3, \"rest\": [0.3, -0.4, 0.5], \"damping\": 0.02}, \"body\": {\"type\": \"rigid\", "
    "\"mass\": 0.5, "
    "\"com\": [0.1, 0, 0], \"inertia\": [1e-3, 2e-3, 2e-3]}}, {\"name\": \"b\", \"pose\": {\"translation\": [0.1, 0.2, "
    "0]}, "
    "\"joint\": {\"type\": \"spherical\", \"stiffness\": 2, \"damping\": 0.02}, \"body\": {\"type\": \"rigid\", "
    "\"mass\": 0.3, "
    "\"com\": [0.1, 0, 0.05], \"inertia\": [1e-3, 2e-3, 2e-3]}}], \"loops\": [{\"name\": \"pin\", \"a\": {\"link\": "
    "\"a\", "
    "\"pose\": {\"translation\": [0.2, 0.1, 0]}}, \"b\": {\"link\": \"b\", \"pose\": {\"translation\": [0.1, -0.1, 0], "
    "\"rpy\": "
    "[0.6, 0.5, 0.4]}}, \"joint\": {\"type\": \"universal\", \"axis\": \"z\"}}], \"actuators\": []}";

START_TEST(a_run_measures_its_loops_as_the_equilibrium_does_that_it_starts_at) {
  td_model *model = test_model_from_text(PINNED);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.5, NULL);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t i = 1; i < r.count; i++) ck_assert_double_lt(distance(r.rows, r.rows + i * r.row, 6), 1e-8);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(the_automatic_method_depends_on_loops) {
  td_model *closed = hanging();
  td_dynamics_spec spec = {.t_end = 1, .output_dt = 0.1};
  td_integrator_spec resolved;
  td_integrator_defaults(&spec.integrator);
  td_integrator_resolve(closed, &spec, &resolved);
  ck_assert_int_eq(resolved.method, TD_METHOD_RADAU);
  ck_assert(resolved.adaptive && resolved.formulation == TD_FORMULATION_INDEX1 && resolved.baumgarte == TD_BAUMGARTE);
  spec.integrator.formulation = TD_FORMULATION_INDEX3; // only its family has it
  td_integrator_resolve(closed, &spec, &resolved);
  ck_assert_int_eq(resolved.method, TD_METHOD_GENERALIZED_ALPHA);
  ck_assert(resolved.adaptive && resolved.formulation == TD_FORMULATION_INDEX3);
  spec.integrator.formulation = TD_FORMULATION_AUTOMATIC;
  spec.integrator.h = 0.01;
  td_integrator_resolve(closed, &spec, &resolved);
  ck_assert(resolved.method == TD_METHOD_GENERALIZED_ALPHA && !resolved.adaptive);
  spec.integrator.h = 0;
  spec.integrator.method = TD_METHOD_BDF;
  td_integrator_resolve(closed, &spec, &resolved);
  ck_assert_int_eq(resolved.formulation, TD_FORMULATION_INDEX1);
  spec.integrator.formulation = TD_FORMULATION_INDEX3;
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_check(closed, &spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/integrator/formulation");
  td_model_destroy(closed);
}
END_TEST

// A flywheel on a free joint, held by a loop that leaves it one axis, turns several times: the loop's logarithm wraps
// at pi, its rotation vector is re-charted, and Baumgarte's terms on that logarithm push the wrong way beyond 2.53 rad.
START_TEST(a_loop_s_hinge_may_turn_for_ever) {
  static const char *const fields[] = {"loop_error", "qd"};
  static const double q[6] = {0}, qd[6] = {0, 0, 4, 0, 0, 0};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"wheel\", \"joint\": {\"type\": \"free\"}, \"body\": {"
      "\"type\": \"rigid\", \"mass\": 0.5, \"com\": [0.1, 0, 0.05], \"inertia\": [0.002, 0.003, 0.004]}}], \"loops\": "
      "[{"
      "\"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"a\": {\"link\": \"wheel\"}, \"b\": {\"link\": "
      "\"world\"}}]}");
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = recording_job(model, (td_method)m, 4, q);
    if (m == TD_METHOD_RK4) spec.integrator.h = 5e-4;
    spec.qd = qd, spec.qd_count = 6;
    spec.fields = fields;
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (size_t i = 0; i < r.count; i++) {
      for (int k = 0; k < 5; k++) ck_assert_double_lt(fabs(r.rows[i * r.row + k]), 1e-8);
      ck_assert_double_eq_tol(r.rows[i * r.row + 5 + 2], 4, 1e-3);
    }
    ck_assert_uint_gt(r.statistics.recharts, 1);
    ck_assert_double_gt(r.statistics.free_rotation, 2.5);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// Two robots with stiff strains next to a loop, from random ones: with corrections that CVODE's history took for
// motion, steps of bdf collapsed at half of these tolerances.
START_TEST(bdf_runs_robots_with_loops_at_every_tolerance) {
  static const char *const robots[] = {"rod", "chain"};
  static const double finest = 1e-10;
  static const double tolerances[] = {3.2e-6, 5.6e-7, 1.8e-7, 5.6e-8, 3.2e-8, 1e-8, 3.2e-9, 1e-9};
  for (int k = 0; k < 2; k++) {
    td_model *model = test_model_from_file("unit/run/held_loops.json", robots[k]);
    int n = td_model_ndof(model);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_DAE, k == 0 ? 0.05 : 0.08, NULL);
    spec.integrator.rtol = finest;
    spec.integrator.atol = 1e-2 * finest;
    recording exact = {0};
    recording_ok(&exact, model, &spec);
    spec.integrator.method = TD_METHOD_BDF;
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
      double rtol = spec.integrator.rtol = tolerances[i];
      spec.integrator.atol = 1e-2 * rtol;
      recording r = {0};
      recording_run(&r, model, &spec, NULL);
      ck_assert_msg(r.status == TD_OK, "%s at rtol %g: %s", robots[k], rtol, r.error.message);
      ck_assert_msg(r.statistics.steps < 2500, "%s at rtol %g: %d steps", robots[k], rtol, (int)r.statistics.steps);
      ck_assert_msg(r.statistics.drift < 1e-6, "%s at rtol %g: loop error %g", robots[k], rtol, r.statistics.drift);
      double error = distance(recording_last(&r), recording_last(&exact), n);
      ck_assert_msg(error < 100 * fmax(rtol, 1e-8), "%s at rtol %g: error %g", robots[k], rtol, error);
      recording_free(&r);
    }
    recording_free(&exact);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("constrained_runs", bdf_runs_robots_with_loops_at_every_tolerance, a_loop_s_hinge_may_turn_for_ever,
          loops_stay_closed_by_every_method, the_newmark_family_converges_with_order_2_in_both_formulations,
          adaptive_steps_meet_the_tolerance_with_loops,
          a_resumed_run_of_a_closed_chain_has_the_bits_of_the_uninterrupted_one,
          a_fixed_step_run_does_not_notice_its_checkpoints, an_open_initial_state_goes_to_the_nearest_closed_one,
          a_loop_that_cannot_be_closed_is_refused_by_name, loops_far_from_closed_are_closed,
          a_closed_state_that_a_body_cannot_take_names_the_body,
          a_driven_joint_follows_its_input_and_its_work_is_accounted_for, a_step_on_a_driven_joint_is_refused,
          a_closed_chain_may_start_at_equilibrium_and_stays_there,
          a_run_measures_its_loops_as_the_equilibrium_does_that_it_starts_at, the_automatic_method_depends_on_loops)
