// Integrators on a small robot, a damped double pendulum with a motor: orders, tolerances, jumps, sampling,
// checkpoints, failures.
#include "integrate/integrator.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

#define BAR(name, parent)                                                                                              \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": [0.5, 0, 0]},"                     \
  " \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 2, \"damping\": 0.1},"                         \
  " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.3, 0, 0], \"inertia\": [0.01, 0.02, 0.03]}}"

static const char text[] = "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [" BAR(
    "upper", "world") ", " BAR("lower", "upper") "], \"actuators\": [{\"name\": \"motor\", \"type\": \"joint\","
                                                 " \"link\": \"lower\", \"mode\": \"force\"}]}";

static const char passive_text[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"bar\","
    " \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"},"
    " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -0.5], \"inertia\": [0.01, 0.02, 0.03]}}]}";

static td_model *model;
static const double q0[2] = {0.7, -0.4};
static const double jump_t[] = {0, 0.35, 0.81}, jump_value[] = {0, 3, -2};
static const td_input_spec torque = {
    .channel = "motor", .signal = {.type = TD_SIGNAL_SINE, .offset = 0.5, .amplitude = 2, .frequency = 1.5}};
static const td_input_spec jumps = {.channel = "motor",
                                    .signal = {.type = TD_SIGNAL_STEPS, .t = jump_t, .value = jump_value, .count = 3}};

static td_dynamics_spec job(td_method method, const td_input_spec *input) {
  td_dynamics_spec spec = recording_job(model, method, 1, q0);
  spec.inputs = input;
  spec.input_count = 1;
  return spec;
}

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Final state of a job.
static void final_state(const td_dynamics_spec *spec, double y[4], td_run_statistics *statistics) {
  recording r = {0};
  recording_ok(&r, model, spec);
  memcpy(y, recording_last(&r), 4 * sizeof *y);
  if (statistics) *statistics = r.statistics;
  recording_free(&r);
}

static void reference(const td_input_spec *input, double y[4]) {
  td_dynamics_spec spec = job(TD_METHOD_RK45, input);
  spec.integrator.rtol = spec.integrator.atol = 1e-13;
  final_state(&spec, y, NULL);
}

START_TEST(fixed_step_methods_converge_with_their_order) {
  static const struct {
    td_method method;
    double order;
  } expected[] = {{TD_METHOD_NEWMARK, 2},
                  {TD_METHOD_HHT, 2},
                  {TD_METHOD_GENERALIZED_ALPHA, 2},
                  {TD_METHOD_RK4, 4},
                  {TD_METHOD_EULER_IMPLICIT, 1}};
  double exact[4], y[4];
  reference(&jumps, exact);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    double error[2];
    for (int halved = 0; halved < 2; halved++) {
      td_dynamics_spec spec = job(expected[i].method, &jumps);
      spec.integrator.h = halved ? 0.001 : 0.002;
      final_state(&spec, y, NULL);
      error[halved] = distance(y, exact, 4);
    }
    double order = log2(error[0] / error[1]);
    ck_assert_msg(fabs(order - expected[i].order) < 0.15, "%s: order %g (errors %g, %g)",
                  td_method_name(expected[i].method), order, error[0], error[1]);
  }
}
END_TEST

START_TEST(adaptive_methods_meet_the_tolerance_asked_for) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RK45};
  double exact[4], y[4];
  reference(&torque, exact);
  for (int m = 0; m < 3; m++) {
    for (double rtol = 1e-4; rtol > 1e-10; rtol *= 1e-2) {
      td_dynamics_spec spec = job(methods[m], &torque);
      spec.integrator.rtol = rtol;
      spec.integrator.atol = 1e-2 * rtol;
      final_state(&spec, y, NULL);
      ck_assert_msg(distance(y, exact, 4) < 300 * rtol, "%s at rtol %g: error %g", td_method_name(methods[m]), rtol,
                    distance(y, exact, 4));
    }
  }
}
END_TEST

// A swing of 0.7 rad lasts 0.4 s to the bottom and 0.8 s to the other side.
START_TEST(what_a_passive_robot_exchanges_is_what_its_potentials_give_and_take) {
  td_model *passive = test_model_from_text(passive_text);
  for (td_method m = TD_METHOD_BDF; m <= TD_METHOD_NEWMARK; m += TD_METHOD_NEWMARK - TD_METHOD_BDF) {
    const double fall = 9.81 * 0.5 * (1 - cos(0.7)), t_end[] = {0.2, 0.8};
    for (int i = 0; i < 2; i++) {
      recording r = {0};
      td_dynamics_spec spec = recording_job(passive, m, t_end[i], q0);
      recording_ok(&r, passive, &spec);
      const td_energy_balance *e = &r.statistics.energy;
      if (i == 0)
        ck_assert_double_eq_tol(e->exchanged, -e->gravitational, 1e-12);
      else
        ck_assert_double_eq_tol(e->exchanged, 2 * fall, 0.05 * fall);
      ck_assert_double_lt(fabs(e->error), 1e-3 * e->exchanged);
      recording_free(&r);
    }
  }
  td_model_destroy(passive);
}
END_TEST

START_TEST(derivatives_by_finite_differences_give_the_same_motion) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_NEWMARK, TD_METHOD_EULER_IMPLICIT};
  for (int m = 0; m < 4; m++) {
    double y[2][4];
    td_run_statistics statistics[2];
    for (int fd = 0; fd < 2; fd++) {
      td_dynamics_spec spec = job(methods[m], &torque);
      spec.integrator.finite_difference = fd;
      final_state(&spec, y[fd], &statistics[fd]);
    }
    ck_assert_double_lt(distance(y[0], y[1], 4), methods[m] <= TD_METHOD_DAE ? 3e-5 : 1e-9);
    ck_assert_uint_gt(statistics[1].evaluations, statistics[0].evaluations);
  }
}
END_TEST

START_TEST(sampling_does_not_change_the_steps_of_an_adaptive_method) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RK45};
  for (int m = 0; m < 3; m++) {
    double y[2][4];
    td_run_statistics statistics[2];
    for (int fine = 0; fine < 2; fine++) {
      td_dynamics_spec spec = job(methods[m], &torque);
      spec.output_dt = fine ? 1e-3 : 0.5;
      final_state(&spec, y[fine], &statistics[fine]);
    }
    ck_assert_mem_eq(y[0], y[1], sizeof y[0]);
    ck_assert_uint_eq(statistics[0].steps, statistics[1].steps);
  }
}
END_TEST

// Between steps: each method's samples against a tight run's.
START_TEST(samples_between_steps_are_as_good_as_the_method) {
  static const double allowed[TD_METHOD_COUNT] = {[TD_METHOD_BDF] = 1e-3,
                                                  [TD_METHOD_DAE] = 1e-3,
                                                  [TD_METHOD_NEWMARK] = 1e-2,
                                                  [TD_METHOD_HHT] = 1e-2,
                                                  [TD_METHOD_GENERALIZED_ALPHA] = 1e-2,
                                                  [TD_METHOD_RADAU] = 1e-5,
                                                  [TD_METHOD_RK45] = 1e-4,
                                                  [TD_METHOD_RK4] = 1e-6,
                                                  [TD_METHOD_EULER_IMPLICIT] = 2};
  td_dynamics_spec spec = job(TD_METHOD_RK45, &torque);
  spec.output_dt = 0.0137;
  spec.integrator.rtol = spec.integrator.atol = 1e-13;
  recording exact = {0};
  recording_ok(&exact, model, &spec);
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    recording r = {0};
    td_integrator_defaults(&spec.integrator);
    spec.integrator.method = (td_method)m;
    recording_ok(&r, model, &spec);
    ck_assert_mem_eq(r.t, exact.t, r.count * sizeof *r.t);
    double worst = distance(r.rows, exact.rows, (int)(r.count * r.row));
    ck_assert_msg(worst < allowed[m], "%s: %g", td_method_name((td_method)m), worst);
    recording_free(&r);
  }
  recording_free(&exact);
}
END_TEST

START_TEST(samples_stand_at_multiples_of_dt_and_at_the_end) {
  td_dynamics_spec spec = job(TD_METHOD_BDF, &torque);
  spec.output_dt = 0.3;
  recording r = {0};
  recording_ok(&r, model, &spec);
  static const double expected[] = {0, 0.3, 0.6, 0.9, 1};
  ck_assert_uint_eq(r.count, 5);
  for (int i = 0; i < 5; i++) ck_assert_double_eq_tol(r.t[i], expected[i], 1e-15);
  ck_assert_mem_eq(r.rows, q0, sizeof q0);
  recording_free(&r);
  spec.output_dt = 0.1; // 10 dt is 1 only up to rounding: no twin at the end
  ck_assert_uint_eq(td_run_sample_count(&spec), 11);
}
END_TEST

START_TEST(a_jump_of_an_input_is_hit_exactly_and_reported_from_the_right) {
  static const char *const fields[] = {"u", "qdd"};
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = job((td_method)m, &jumps);
    spec.output_dt = 0.35;
    spec.fields = fields;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_double_eq(r.rows[0], 0);
    ck_assert_double_eq(r.rows[3], 3);
    ck_assert_double_eq(r.rows[9], -2);
    recording_free(&r);
  }
}
END_TEST

START_TEST(a_resumed_run_has_the_bits_of_the_uninterrupted_one) {
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = job((td_method)m, &jumps);
    recording whole = {.checkpoint_dt = 0.2, .keep_at = 0.6}, rest = {.checkpoint_dt = 0.2, .keep_at = -1};
    recording_ok(&whole, model, &spec);
    ck_assert_uint_gt(whole.checkpoint_size, 0);
    recording_run(&rest, model, &spec, &whole);
    ck_assert_msg(rest.status == TD_OK, "%s: %s", td_method_name((td_method)m), rest.error.message);
    size_t from = whole.count - rest.count; // the samples before the checkpoint
    ck_assert_uint_eq(from, 6);
    ck_assert_mem_eq(rest.t, whole.t + from, rest.count * sizeof *rest.t);
    ck_assert_mem_eq(rest.rows, whole.rows + from * whole.row, rest.count * rest.row * sizeof *rest.rows);
    ck_assert_uint_eq(rest.statistics.steps, whole.statistics.steps);
    ck_assert_uint_eq(rest.statistics.evaluations, whole.statistics.evaluations);
    ck_assert_mem_eq(&rest.statistics.energy, &whole.statistics.energy, sizeof whole.statistics.energy);
    recording_free(&whole);
    recording_free(&rest);
  }
}
END_TEST

START_TEST(a_checkpoint_of_another_job_is_refused) {
  td_dynamics_spec spec = job(TD_METHOD_BDF, &jumps), longer = spec;
  longer.t_end = 2;
  recording whole = {.checkpoint_dt = 0.5, .keep_at = 0.5}, other = {.checkpoint_dt = 0.5};
  recording_ok(&whole, model, &spec);
  recording_run(&other, model, &longer, &whole);
  ck_assert_int_eq(other.status, TD_INVALID_ARGUMENT);
  whole.checkpoint_size--;
  recording_run(&other, model, &spec, &whole);
  ck_assert_int_eq(other.status, TD_INVALID_ARGUMENT);
  recording_free(&whole);
  recording_free(&other);
}
END_TEST

START_TEST(a_run_is_cancelled_at_the_next_step) {
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = job((td_method)m, &torque);
    recording r = {.step_limit = 7};
    recording_run(&r, model, &spec, NULL);
    ck_assert_int_eq(r.status, TD_CANCELLED);
    ck_assert_uint_eq(r.statistics.steps, 7);
    ck_assert(r.statistics.t > 0 && r.statistics.t < 1);
    recording_free(&r);
  }
}
END_TEST

// A job that names no method, and a judge, ask the rows: two that serve the same would be chosen by their order.
START_TEST(each_service_has_one_method) {
  for (int service = TD_SERVES_MANY; service <= TD_SERVES_JUDGES; service *= 2) {
    int serving = 0;
    for (int m = 0; m < TD_METHOD_COUNT; m++) serving += (td_integrator_get((td_method)m)->serves & service) != 0;
    ck_assert_msg(serving == 1, "%d methods serve %d", serving, service);
  }
}
END_TEST

START_TEST(a_failure_says_method_time_and_worst_coordinate) {
  static const double fast[2] = {1e8, -1e8};
  td_dynamics_spec spec = job(TD_METHOD_RK4, &torque);
  spec.qd = fast;
  spec.qd_count = 2;
  spec.integrator.h = 0.1;
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_ne(r.status, TD_OK);
  ck_assert_msg(strstr(r.error.message, "rk4 at t = ") && strstr(r.error.message, ".joint[0]"), "%s", r.error.message);
  recording_free(&r);
}
END_TEST

// What fails when an explicit method has blown up is a mass matrix of rounding: the step is to blame, and is.
START_TEST(an_explicit_method_with_too_large_a_step_says_so) {
  td_model *arm = test_model_from_file("../api/examples/contact.model.json", NULL);
  for (double h = 5e-4; h < 0.02; h *= 4) {
    td_dynamics_spec spec = recording_job(arm, TD_METHOD_RK4, 0.5, NULL);
    spec.integrator.h = h;
    recording r = {0};
    recording_run(&r, arm, &spec, NULL);
    ck_assert_int_eq(r.status, TD_NONFINITE);
    ck_assert_msg(strstr(r.error.message, "too large for this explicit method") && !strstr(r.error.message, "mass"),
                  "%s", r.error.message);
    recording_free(&r);
  }
  td_model_destroy(arm);
}
END_TEST

START_TEST(a_run_may_start_at_equilibrium_and_stays_there) {
  static const td_input_spec held = {.channel = "motor", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 1.5}};
  td_dynamics_spec spec = job(TD_METHOD_BDF, &held);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert(fabs(r.rows[0]) > 0.05);
  for (size_t i = 1; i < r.count; i++) ck_assert_double_lt(distance(r.rows, r.rows + i * r.row, 4), 1e-9);
  recording_free(&r);
}
END_TEST

static void refused(const td_dynamics_spec *spec, const char *pointer) {
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_check(model, spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, pointer);
  ck_assert(err.message[0] != '\0');
}

START_TEST(an_error_in_a_job_names_its_place) {
  td_dynamics_spec good = job(TD_METHOD_BDF, &torque), bad;
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_check(model, &good, NULL, &err), TD_OK);
#define REFUSED(member, value, pointer) (bad = good, bad.member = (value), refused(&bad, pointer))
  REFUSED(t_end, 0, "/t_end");
  REFUSED(t_end, NAN, "/t_end");
  REFUSED(q_count, 3, "/initial/q");
  REFUSED(q, ((const double[]){0, INFINITY}), "/initial/q/1");
  REFUSED(output_dt, -1, "/output/dt");
  REFUSED(output_dt, 1e-9, "/output/dt");
  REFUSED(integrator.rtol, 0, "/integrator/rtol");
  REFUSED(integrator.atol, -1, "/integrator/atol");
  REFUSED(integrator.h, -1, "/integrator/h");
  REFUSED(integrator.h_max, NAN, "/integrator/h_max");
  REFUSED(fields, ((const char *const[]){"q", "velocity"}), "/output/fields/1");
  REFUSED(fields, ((const char *const[]){"q", "q"}), "/output/fields/1");
  REFUSED(fields, ((const char *const[]){"poses:nobody", "q"}), "/output/fields/0");
  REFUSED(fields, ((const char *const[]){"poses:upper@2", "q"}), "/output/fields/0");
  REFUSED(fields, ((const char *const[]){"strain:upper", "q"}), "/output/fields/0");
  good.integrator.method = TD_METHOD_NEWMARK;
  REFUSED(integrator.gamma, 0.2, "/integrator/gamma");
  REFUSED(integrator.beta, 0, "/integrator/beta");
  REFUSED(integrator.h, 1e-12, "/integrator/h");
#undef REFUSED
}
END_TEST

int main(void) {
  const TTest *const tests[] = {fixed_step_methods_converge_with_their_order,
                                adaptive_methods_meet_the_tolerance_asked_for,
                                what_a_passive_robot_exchanges_is_what_its_potentials_give_and_take,
                                derivatives_by_finite_differences_give_the_same_motion,
                                sampling_does_not_change_the_steps_of_an_adaptive_method,
                                samples_between_steps_are_as_good_as_the_method,
                                samples_stand_at_multiples_of_dt_and_at_the_end,
                                a_jump_of_an_input_is_hit_exactly_and_reported_from_the_right,
                                a_resumed_run_has_the_bits_of_the_uninterrupted_one,
                                a_checkpoint_of_another_job_is_refused,
                                a_run_is_cancelled_at_the_next_step,
                                each_service_has_one_method,
                                a_failure_says_method_time_and_worst_coordinate,
                                an_explicit_method_with_too_large_a_step_says_so,
                                a_run_may_start_at_equilibrium_and_stays_there,
                                an_error_in_a_job_names_its_place};
  model = test_model_from_text(text);
  int failures = test_suite_run("integrators", tests, sizeof tests / sizeof *tests);
  td_model_destroy(model);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
