// What a run over time must keep: energy without damping, momenta of a free body, the period of a pendulum, the balance
// of work and energy with everything switched on, and the agreement of methods on the cable-driven manipulator.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": ["
#define POINT_MASS "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": [0, 0, 0]}"
#define SOFT(viscosity)                                                                                                \
  "\"body\": {\"type\": \"rod\", \"length\": 0.4, \"section\": {\"shape\": \"circle\", \"radius\": [0.02, 0.01]},"     \
  " \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": " viscosity "},"                \
  " \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 0, \"bending_y\": 1, \"bending_z\": 1}}}"

static const td_method adaptive[] = {TD_METHOD_BDF, TD_METHOD_RK45};

static td_dynamics_spec tight(const td_model *model, td_method method, double t_end, const double *q) {
  td_dynamics_spec spec = recording_job(model, method, t_end, q);
  spec.integrator.rtol = 1e-12;
  spec.integrator.atol = 1e-13;
  return spec;
}

// ------------------------------------------------------------------------------------------------ energy

static double energy_drift(const td_model *model, td_method method, double t_end, const double *q, double rtol) {
  static const char *const fields[] = {"energy"};
  td_dynamics_spec spec = tight(model, method, t_end, q);
  spec.integrator.rtol = rtol;
  spec.integrator.atol = 0.1 * rtol;
  spec.fields = fields;
  spec.field_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double drift = 0, exchanged = 0;
  for (size_t i = 0; i < r.count; i++) {
    const double *e = r.rows + 4 * i, *e0 = r.rows;
    drift = fmax(drift, fabs(e[0] + e[1] + e[2] - e0[0] - e0[1] - e0[2]));
    exchanged = fmax(exchanged, e[0]);
  }
  recording_free(&r);
  ck_assert_double_gt(exchanged, 0);
  return drift / exchanged;
}

START_TEST(energy_stays_without_damping) {
  td_model *chain = test_model_from_text(
      HEAD "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 3}, " POINT_MASS "},"
           "{\"name\": \"b\", \"parent\": \"a\", \"pose\": {\"translation\": [0.5, 0, 0]}, \"joint\": {\"type\":"
           " \"spherical\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.5, \"com\": [0.2, 0.1, 0], \"inertia\":"
           " [0.02, 0.01, 0.015]}}]}");
  td_model *soft = test_model_from_text(
      HEAD "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, " SOFT("0") "}]}");
  static const double chain_q[4] = {0.4, 0.1, -0.3, 0.2}, soft_q[6] = {0.3, 0.05, 0.1, -0.05, 0.1, 0.02};
  double drift = energy_drift(chain, TD_METHOD_RK45, 2, chain_q, 1e-12);
  ck_assert_msg(drift < 1e-9, "chain, rk45: %g", drift);
  drift = energy_drift(soft, TD_METHOD_RK45, 0.5, soft_q, 1e-12);
  ck_assert_msg(drift < 1e-9, "soft, rk45: %g", drift);
  drift = energy_drift(chain, TD_METHOD_BDF, 0.5, chain_q, 1e-13);
  ck_assert_msg(drift < 1e-9, "chain, bdf: %g", drift);
  td_model_destroy(chain);
  td_model_destroy(soft);
}
END_TEST

START_TEST(work_and_energy_balance_with_tendons_loads_and_damping) {
  td_model *model = test_model_from_text(
      HEAD
      "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": 0.05, \"stiffness\": 1,"
      " \"rest\": 0.5}, " SOFT(
          "500") "}],"
                 "\"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"a\", \"routing\": {\"type\":"
                 " \"linear\", \"base\": [0, 0.015], \"tip\": [0, 0.008]}}],"
                 "\"loads\": [{\"link\": \"a\", \"at\": 1, \"frame\": \"world\", \"wrench\": [0, 0, 0.01, 0.1, 0.2, "
                 "0]},"
                 " {\"link\": \"a\", \"at\": 0.5, \"frame\": \"body\", \"channels\": [null, null, null, null, "
                 "\"push\", null]}]}");
  static const double t[] = {0, 0.23}, v[] = {1, 6};
  td_input_spec inputs[] = {{.channel = "cable", .signal = {.type = TD_SIGNAL_STEPS, .t = t, .value = v, .count = 2}},
                            {.channel = "push", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.3, .frequency = 2}}};
  static const double allowed[TD_METHOD_COUNT] = {[TD_METHOD_BDF] = 1e-6,
                                                  [TD_METHOD_DAE] = 1e-6,
                                                  [TD_METHOD_NEWMARK] = 1e-4,
                                                  [TD_METHOD_HHT] = 1e-3,
                                                  [TD_METHOD_GENERALIZED_ALPHA] = 1e-3,
                                                  [TD_METHOD_RADAU] = 1e-8,
                                                  [TD_METHOD_RK45] = 1e-8,
                                                  [TD_METHOD_RK4] = 1e-6,
                                                  [TD_METHOD_EULER_IMPLICIT] = 0.2};
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = recording_job(model, (td_method)m, 0.5, NULL);
    spec.inputs = inputs;
    spec.input_count = 2;
    spec.integrator.rtol = 1e-8;
    spec.integrator.atol = 1e-11;
    if (m == TD_METHOD_RK4) spec.integrator.h = 2e-5; // stability: the rod's damping is stiff
    if (m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA) spec.integrator.h = 5e-4;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_energy_balance *e = &r.statistics.energy;
    ck_assert(e->actuation > 0 && e->loads != 0 && e->dissipation > 0 && e->exchanged > 0.01);
    ck_assert_msg(fabs(e->error) <= allowed[m] * e->exchanged, "%s: error %g J of %g J exchanged",
                  td_method_name((td_method)m), e->error, e->exchanged);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ exact motions

// Period of a mathematical pendulum of length l and amplitude a: 2 pi sqrt(l/g) / agm(1, cos(a/2)).
static double pendulum_period(double l, double amplitude) {
  double a = 1, b = cos(amplitude / 2);
  while (fabs(a - b) > 1e-15) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * M_PI * sqrt(l / 9.81) / a;
}

START_TEST(a_pendulum_is_back_after_its_exact_period) {
  // The bar hangs along -z at rest: rpy [0, pi/2, 0] turns its x axis downwards.
  td_model *model = test_model_from_text(
      HEAD "{\"name\": \"a\", \"pose\": {\"rpy\": [0, 1.5707963267948966, 0]}, \"joint\": {\"type\": \"revolute\","
           " \"axis\": \"y\"}, " POINT_MASS "}]}");
  for (int m = 0; m < 2; m++) {
    for (double amplitude = 0.1; amplitude < 3; amplitude += 0.7) {
      td_dynamics_spec spec = tight(model, adaptive[m], pendulum_period(0.5, amplitude), &amplitude);
      recording r = {0};
      recording_ok(&r, model, &spec);
      ck_assert_double_eq_tol(recording_last(&r)[0], amplitude, 1e-8);
      ck_assert_double_eq_tol(recording_last(&r)[1], 0, 1e-7);
      recording_free(&r);
    }
  }
  td_model_destroy(model);
}
END_TEST

static void rotate(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static const double moments[3] = {0.02, 0.05, 0.03}; // principal moments of inertia

// Angular momentum in the world from two poses a short time apart.
static void momentum(const double *before, const double *after, double dt, double L[3]) {
  td_se3 a, b, step;
  for (int i = 0; i < 3; i++) {
    memcpy(a.R + 3 * i, before + 4 * i, 3 * sizeof *a.R);
    memcpy(b.R + 3 * i, after + 4 * i, 3 * sizeof *b.R);
    a.p[i] = before[4 * i + 3];
    b.p[i] = after[4 * i + 3];
  }
  double xi[6], body[3], middle[6];
  td_se3_inverse(&a, &step);
  td_se3_compose(&step, &b, &step);
  td_se3_log(&step, xi);
  for (int i = 0; i < 3; i++) body[i] = moments[i] * xi[i] / dt;
  for (int i = 0; i < 6; i++) middle[i] = i < 3 ? 0.5 * xi[i] : 0;
  td_se3_exp(middle, &step);
  td_se3_compose(&a, &step, &a);
  rotate(a.R, body, L);
}

// Thrown and tumbling about its middle axis: the centre of mass flies a parabola, the angular momentum stays.
START_TEST(a_free_body_keeps_its_momenta_over_full_turns) {
  td_model *model = test_model_from_text(
      HEAD "{\"name\": \"b\", \"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 2, \"com\":"
           " [0, 0, 0], \"inertia\": [0.02, 0.05, 0.03]}}]}");
  static const double q[6] = {0}, qd[6] = {0.1, 0.2, 2.5, 1, -2, 3};
  static const char *const fields[] = {"poses:b"};
  td_dynamics_spec spec = tight(model, TD_METHOD_RK45, 5, q); // two turns: its rotation vector is rewritten on the way
  spec.qd = qd;
  spec.qd_count = 6;
  spec.output_dt = 1e-4;
  spec.fields = fields;
  spec.field_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_gt(r.statistics.recharts, 0);
  for (size_t i = 0; i < r.count; i += 500) {
    const double *g = r.rows + 16 * i;
    double t = r.t[i], exact[3] = {t, -2 * t, 3 * t - 0.5 * 9.81 * t * t}, L[3];
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(g[4 * k + 3], exact[k], 1e-10);
    if (i + 1 >= r.count) break;
    momentum(g, g + 16, 1e-4, L);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(L[k], moments[k] * qd[k], 1e-8); // O(dt^2) of the difference
  }
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ the manipulator

static void manipulator_inputs(td_input_spec inputs[5]) {
  static const double ends[] = {0, 10}, to8[] = {0, 8}, t4[] = {0, 2, 6}, v4[] = {0, 6, 2}, t5[] = {0, 4, 8},
                      v5[] = {0, 5, 0};
  const td_signal_spec signals[5] = {
      {.type = TD_SIGNAL_SINE, .offset = 5, .amplitude = 5, .frequency = 0.5},
      {.type = TD_SIGNAL_RAMP, .t = ends, .value = to8, .count = 2},
      {.type = TD_SIGNAL_SINE, .offset = 4, .amplitude = -4, .frequency = 1. / 3, .phase = M_PI / 2},
      {.type = TD_SIGNAL_STEPS, .t = t4, .value = v4, .count = 3},
      {.type = TD_SIGNAL_STEPS, .t = t5, .value = v5, .count = 3}};
  static const char *const names[] = {"cable1", "cable2", "cable3", "cable4", "cable5"};
  for (int i = 0; i < 5; i++) inputs[i] = (td_input_spec){.channel = names[i], .signal = signals[i]};
}

static void manipulator(const td_model *model, td_method method, double rtol, bool differences, recording *r) {
  static const char *const fields[] = {"poses:arm@1"};
  td_input_spec inputs[5];
  manipulator_inputs(inputs);
  td_dynamics_spec spec = recording_job(model, method, 10, NULL);
  spec.inputs = inputs;
  spec.input_count = 5;
  spec.output_dt = 0.01;
  spec.fields = fields;
  spec.field_count = 1;
  spec.integrator.rtol = rtol;
  spec.integrator.atol = 1e-3 * rtol;
  spec.integrator.finite_difference = differences;
  *r = (recording){0};
  recording_ok(r, model, &spec);
}

static double tip_distance(const recording *a, const recording *b) {
  double most = 0;
  ck_assert_uint_eq(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    const double *x = a->rows + 16 * i, *y = b->rows + 16 * i;
    most = fmax(most, hypot(hypot(x[3] - y[3], x[7] - y[7]), x[11] - y[11]));
  }
  return most;
}

START_TEST(methods_agree_on_ten_seconds_of_the_manipulator) {
  td_model *model = test_model_from_file("published/gvs/cdm.json", "model");
  recording fine, newmark, differences, coarse;
  manipulator(model, TD_METHOD_BDF, 1e-6, false, &fine);
  manipulator(model, TD_METHOD_NEWMARK, 1e-6, false, &newmark);
  manipulator(model, TD_METHOD_BDF, 1e-6, true, &differences);
  manipulator(model, TD_METHOD_BDF, 1e-3, false, &coarse);
  ck_assert_double_lt(tip_distance(&fine, &newmark), 1e-4);     // the bar is 1 mm
  ck_assert_double_lt(tip_distance(&fine, &differences), 1e-5); // the bar is 40 um
  ck_assert_double_lt(tip_distance(&fine, &coarse), 2e-3);
  const td_energy_balance *e = &fine.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-5 * e->exchanged, "%g of %g J", e->error, e->exchanged);
  recording_free(&fine);
  recording_free(&newmark);
  recording_free(&differences);
  recording_free(&coarse);
  td_model_destroy(model);
}
END_TEST

// q of the manipulator after most of a second, by equal steps; h = 0: by radau.
static void end_of_equal_steps(const td_model *model, double h, double *q) {
  static const char *const fields[] = {"q"};
  td_input_spec inputs[5];
  manipulator_inputs(inputs);
  td_dynamics_spec spec = recording_job(model, h > 0 ? TD_METHOD_NEWMARK : TD_METHOD_RADAU, 0.8, NULL);
  spec.inputs = inputs;
  spec.input_count = 5;
  spec.output_dt = 0.8;
  spec.fields = fields;
  spec.field_count = 1;
  spec.integrator.h = h;
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  memcpy(q, r.rows + (r.count - 1) * (size_t)td_model_ndof(model), (size_t)td_model_ndof(model) * sizeof *q);
  recording_free(&r);
}

// What Newton leaves at each step adds up: by matrices that were kept too long, steps of 1e-4 s were farther off than
// four times as long ones.
START_TEST(shorter_equal_steps_are_nearer_by_the_square_of_the_step) {
  td_model *model = test_model_from_file("published/gvs/cdm.json", "model");
  double exact[64], longer[64], shorter[64], most[2] = {0};
  end_of_equal_steps(model, 0, exact);
  end_of_equal_steps(model, 3.125e-4, longer);
  end_of_equal_steps(model, 7.8125e-5, shorter);
  for (int i = 0; i < td_model_ndof(model); i++) {
    most[0] = fmax(most[0], fabs(longer[i] - exact[i]));
    most[1] = fmax(most[1], fabs(shorter[i] - exact[i]));
  }
  ck_assert_msg(most[1] < most[0] / 10, "%g, %g", most[0], most[1]);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_resumed_run_of_the_manipulator_has_the_same_bits) {
  td_model *model = test_model_from_file("published/gvs/cdm.json", "model");
  td_input_spec inputs[5];
  manipulator_inputs(inputs);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 5, NULL);
  spec.inputs = inputs;
  spec.input_count = 5;
  recording whole = {.checkpoint_dt = 1, .keep_at = 3}, rest = {.checkpoint_dt = 1};
  recording_ok(&whole, model, &spec);
  recording_run(&rest, model, &spec, &whole);
  ck_assert_int_eq(rest.status, TD_OK);
  size_t from = whole.count - rest.count;
  ck_assert_uint_gt(from, 0);
  ck_assert_mem_eq(rest.rows, whole.rows + from * whole.row, rest.count * rest.row * sizeof *rest.rows);
  recording_free(&whole);
  recording_free(&rest);
  td_model_destroy(model);
}
END_TEST

// Half a kilonewton crushes the tip: the tendon's path there shrinks to nothing and the equations end.
START_TEST(a_run_that_the_model_cannot_follow_ends_with_its_cause) {
  td_model *model = test_model_from_file("published/gvs/cdm.json", "model");
  td_input_spec inputs[] = {{.channel = "cable1", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 500}},
                            {.channel = "cable4", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 250}}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_EULER_IMPLICIT, 2, NULL);
  spec.inputs = inputs;
  spec.input_count = 2;
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NOT_CONVERGED);
  ck_assert(r.statistics.t > 0 && r.statistics.t < 2);
  static const char *const words[] = {"euler_implicit at t = ", "residual", "worst at arm.", "tendon \"cable1\""};
  for (int i = 0; i < 4; i++) ck_assert_msg(strstr(r.error.message, words[i]) != NULL, "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("runs", energy_stays_without_damping, work_and_energy_balance_with_tendons_loads_and_damping,
          a_pendulum_is_back_after_its_exact_period, a_free_body_keeps_its_momenta_over_full_turns,
          methods_agree_on_ten_seconds_of_the_manipulator, shorter_equal_steps_are_nearer_by_the_square_of_the_step,
          a_resumed_run_of_the_manipulator_has_the_same_bits, a_run_that_the_model_cannot_follow_ends_with_its_cause)
