// Soft stops of joints: forces against their energy, derivatives against differences, equilibria against closed forms,
// bounces against a fine integration of the equation of motion, and the account of energy.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/linearize.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], "
#define BODY "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -1], \"inertia\": [0.02, 0.02, 0.02]}"
enum { N = 12, MOST = N * N };

// A bob of 1 kg at 1 m: I = 1.02 kg m^2.
static td_model *pendulum(const char *limits) {
  char text[1024];
  snprintf(text, sizeof text,
           HEAD "\"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"limits\": "
                "{%s}}, " BODY "}]}",
           limits);
  return test_model_from_text(text);
}

// One of each kind that has stops on some of its coordinates.
static td_model *machine(void) {
  return test_model_from_text(
      HEAD
      "\"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": [1, 2, 0.5], \"limits\": {\"lower\":"
      " -0.3, \"upper\": 0.2, \"stiffness\": 300, \"damping\": 40}}, " BODY
      "}, {\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"type\": \"prismatic\", \"limits\": {\"upper\": 0.1, "
      "\"stiffness\": 2000, \"damping\": 300}}, " BODY
      "}, {\"name\": \"c\", \"parent\": \"b\", \"joint\": {\"type\": \"universal\", \"stiffness\": 3, \"limits\": "
      "{\"lower\": [null, -0.2], \"upper\": [0.15, 0.3], \"stiffness\": [50, 80]}}, " BODY
      "}, {\"name\": \"d\", \"parent\": \"c\", \"joint\": {\"type\": \"spherical\", \"limits\": {\"lower\": -0.2, "
      "\"upper\": 0.2, \"stiffness\": [10, 20, 30], \"damping\": [1, 2, 3]}}, " BODY
      "}, {\"name\": \"e\", \"parent\": \"a\", \"joint\": {\"type\": \"helical\", \"pitch\": 0.1, \"axis\": "
      "\"x\"}, " BODY
      "}, {\"name\": \"f\", \"parent\": \"e\", \"joint\": {\"type\": \"cylindrical\", \"limits\": {\"lower\": [-0.1, "
      "-0.05], \"stiffness\": 500, \"damping\": 7}}, " BODY "}, {\"name\": \"g\", \"parent\": \"f\", \"joint\": "
      "{\"type\": \"revolute\", \"limits\": {\"lower\": 0.1, \"upper\": 0.1, \"stiffness\": 5}}, " BODY "}]}");
}

typedef struct asked {
  td_model *model;
  td_workspace *ws;
  int n;
} asked;

static asked ask(td_model *model) {
  asked a = {.model = model, .n = td_model_ndof(model)};
  ck_assert_int_eq(td_workspace_create(model, &a.ws), TD_OK);
  return a;
}

static void done(asked *a) {
  td_workspace_destroy(a->ws);
  td_model_destroy(a->model);
}

// States on either side of the stops, none within 1e-3 of one.
static void state_of(int seed, int n, double *q, double *qd) {
  for (int i = 0; i < n; i++) q[i] = 0.47 * sin(1.7 * i + seed), qd[i] = 2 * cos(2.3 * i - 0.7 * seed);
}

static double energy_of(const asked *a, const double *q) {
  td_energy e;
  ck_assert_int_eq(td_energy_at(a->model, a->ws, q, NULL, &e), TD_OK);
  return e.elastic;
}

START_TEST(the_force_at_rest_is_minus_the_gradient_of_the_energy_and_what_is_damped_takes_power) {
  asked a = ask(machine());
  ck_assert_int_eq(a.n, 11);
  int beyond = 0;
  for (int seed = 0; seed < 20; seed++) {
    double q[N], qd[N], rest[N], moving[N], power = 0;
    state_of(seed, a.n, q, qd);
    ck_assert_int_eq(td_generalized_force(a.model, a.ws, q, NULL, NULL, rest), TD_OK);
    ck_assert_int_eq(td_generalized_force(a.model, a.ws, q, qd, NULL, moving), TD_OK);
    for (int i = 0; i < a.n; i++) {
      double at = q[i], up, down, h = 1e-4;
      q[i] = at + h, up = energy_of(&a, q);
      q[i] = at - h, down = energy_of(&a, q);
      q[i] = at;
      ck_assert_double_eq_tol(rest[i], -(up - down) / (2 * h), 1e-8);
      ck_assert((moving[i] - rest[i]) * qd[i] <= 0);
      power += (moving[i] - rest[i]) * qd[i];
      beyond += rest[i] != 0;
    }
    ck_assert(power < 0);
  }
  ck_assert_int_gt(beyond, 60);
  done(&a);
}
END_TEST

static void differences(const asked *a, double *q, double *qd, double *x, double *out) {
  double up[N], down[N], h = 1e-5;
  for (int j = 0; j < a->n; j++) {
    double at = x[j];
    x[j] = at + h;
    ck_assert_int_eq(td_generalized_force(a->model, a->ws, q, qd, NULL, up), TD_OK);
    x[j] = at - h;
    ck_assert_int_eq(td_generalized_force(a->model, a->ws, q, qd, NULL, down), TD_OK);
    x[j] = at;
    for (int i = 0; i < a->n; i++) out[i * a->n + j] = (up[i] - down[i]) / (2 * h);
  }
}

static void same(int count, const double *a, const double *b) {
  for (int i = 0; i < count; i++) ck_assert_double_eq_tol(a[i], b[i], 1e-6 * (1 + fabs(b[i])));
}

START_TEST(derivatives_are_those_of_differences) {
  asked a = ask(machine());
  for (int seed = 0; seed < 20; seed++) {
    double q[N], qd[N], by_q[MOST], by_qd[MOST], expected[MOST];
    state_of(seed, a.n, q, qd);
    ck_assert_int_eq(td_force_derivatives(a.model, a.ws, q, qd, NULL, by_q, by_qd, NULL), TD_OK);
    differences(&a, q, qd, q, expected);
    same(a.n * a.n, by_q, expected);
    differences(&a, q, qd, qd, expected);
    same(a.n * a.n, by_qd, expected);
  }
  done(&a);
}
END_TEST

START_TEST(between_its_limits_a_joint_feels_nothing_and_the_force_sets_in_without_a_jump) {
  asked a = ask(pendulum("\"lower\": -1, \"upper\": 0.5, \"stiffness\": 1000, \"damping\": 1e4"));
  static const double tiny = 1e-9, at[4] = {-1 + tiny, -0.2, 0, 0.5 - tiny}, beyond[2] = {-1 - tiny, 0.5 + tiny};
  double tau, qd = 30;
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(td_generalized_force(a.model, a.ws, &at[i], &qd, NULL, &tau), TD_OK);
    ck_assert_double_eq(tau, 0);
  }
  for (int i = 0; i < 2; i++) {
    double k = i == 0 ? 1000 : -1000;
    ck_assert_int_eq(td_generalized_force(a.model, a.ws, &beyond[i], &qd, NULL, &tau), TD_OK);
    ck_assert_double_eq_tol(tau, (k - 1e4 * qd) * tiny, 1e-9 * fabs(k));
  }
  done(&a);
}
END_TEST

// g m l sin q = -k (q - upper)
START_TEST(a_pendulum_leans_on_its_stop_where_the_closed_form_says) {
  for (double k = 20; k < 1e7; k *= 10) {
    char limits[128];
    snprintf(limits, sizeof limits, "\"lower\": 0.4, \"stiffness\": %g, \"damping\": 5", k);
    asked a = ask(pendulum(limits));
    double expected = 0.4, q = 0;
    for (int i = 0; i < 60; i++) expected -= (9.81 * sin(expected) - k * (0.4 - expected)) / (9.81 * cos(expected) + k);
    td_statics_options options;
    td_statics_result result;
    td_error err = {0};
    td_statics_defaults(&options);
    ck_assert_msg(td_statics_solve(a.model, a.ws, NULL, &options, &q, &result, &err) == TD_OK, "%s", err.message);
    ck_assert_double_eq_tol(q, expected, 1e-9);
    ck_assert(result.stable && result.conservative);
    double A[4];
    td_state state = {.q = &q, .qd = (const double[]){0}};
    ck_assert_int_eq(td_linearize(a.model, a.ws, &state, A, NULL), TD_OK);
    ck_assert_double_eq_tol(A[2], -(k + 9.81 * cos(q)) / 1.02, 1e-9 * k);
    ck_assert_double_eq_tol(A[3], -5 * (0.4 - q) / 1.02, 1e-9);
    done(&a);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ runs

typedef struct bob {
  double lower, k, d;
} bob;

static long double torque(const bob *b, long double q, long double v) {
  long double p = b->lower - q, stop = p > 0 ? b->k * p - b->d * p * v : 0;
  return (stop - 9.81L * sinl(q)) / 1.02L;
}

// Runge and Kutta's method in long double, steps of four microseconds.
static double fine(const bob *b, double q0, double t) {
  long steps = lround(t * 250000);
  long double q = q0, v = 0, h = (long double)t / steps;
  for (long i = 0; i < steps; i++) {
    long double a1 = torque(b, q, v), v2 = v + h / 2 * a1, a2 = torque(b, q + h / 2 * v, v2), v3 = v + h / 2 * a2,
                a3 = torque(b, q + h / 2 * v2, v3), v4 = v + h * a3, a4 = torque(b, q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return (double)q;
}

static double coordinate_at(const recording *r, double t) {
  size_t best = 0;
  for (size_t k = 0; k < r->count; k++)
    if (fabs(r->t[k] - t) < fabs(r->t[best] - t)) best = k;
  return r->rows[best * r->row];
}

static td_model *hanging(const bob *b) {
  char limits[160];
  snprintf(limits, sizeof limits, "\"lower\": %.17g, \"stiffness\": %.17g, \"damping\": %.17g", b->lower, b->k, b->d);
  return pendulum(limits);
}

typedef struct kept_to {
  td_method method;
  double loose, tight; // of rtol 1e-5, 1e-8: what may be lost in four seconds
} kept_to;

static const kept_to all[] = {{TD_METHOD_AUTOMATIC, 2e-5, 1e-7}, {TD_METHOD_RADAU, 2e-5, 1e-7},
                              {TD_METHOD_RK45, 2e-5, 1e-7},      {TD_METHOD_BDF, 5e-5, 5e-7},
                              {TD_METHOD_DAE, 5e-5, 5e-7},       {TD_METHOD_GENERALIZED_ALPHA, 2e-3, 2e-5},
                              {TD_METHOD_HHT, 2e-3, 2e-5},       {TD_METHOD_NEWMARK, 2e-3, 2e-5}};
enum { METHODS = sizeof all / sizeof *all };

static const char *name_of(td_method m) { return m < 0 ? "default" : td_method_name(m); }

static void bounce(const td_model *model, const kept_to *how, double rtol, double allowed, double right) {
  static const double q = 1.2;
  td_dynamics_spec spec = recording_job(model, how->method, 4, &q);
  spec.integrator.adaptive = true, spec.output_dt = 0.5;
  spec.integrator.rtol = rtol, spec.integrator.atol = 1e-3 * rtol;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  double off = fabs(coordinate_at(&r, 4) - right);
  ck_assert_msg(off < allowed, "%s, rtol %g: off by %g rad", name_of(how->method), rtol, off);
  ck_assert_msg(fabs(e->error) < 10 * allowed * e->exchanged, "%s: %g J", name_of(how->method), e->error);
  ck_assert_msg(r.statistics.warnings.count == 0, "%s", r.statistics.warnings.list[0].detail);
  recording_free(&r);
}

START_TEST(a_pendulum_bounces_off_its_stop_as_the_equation_of_motion_says) {
  static const bob bobs[] = {{-0.3, 1e4, 0}, {-0.3, 1e4, 2e3}, {0.1, 1e6, 0}, {0, 300, 100}};
  for (size_t k = 0; k < sizeof bobs / sizeof *bobs; k++) {
    double right = fine(&bobs[k], 1.2, 4);
    td_model *model = hanging(&bobs[k]);
    for (size_t i = 0; i < METHODS; i++) {
      bounce(model, &all[i], 1e-5, all[i].loose, right);
      bounce(model, &all[i], 1e-8, all[i].tight, right);
    }
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(without_damping_a_bounce_gives_back_what_it_took_and_with_it_the_account_closes) {
  static const bob bobs[] = {{-0.3, 1e5, 0}, {-0.3, 1e5, 2e5}};
  static const double q = 1.2;
  static const char *const fields[] = {"energy"};
  for (int damped = 0; damped < 2; damped++) {
    td_model *model = hanging(&bobs[damped]);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 3, &q);
    spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-12;
    spec.fields = fields, spec.field_count = 1, spec.output_dt = 1e-3;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_uint_eq(r.row, 4); // kinetic, elastic, gravitational, contact
    const td_energy_balance *e = &r.statistics.energy;
    double most = 0, first = r.rows[0] + r.rows[1] + r.rows[2];
    for (size_t i = 0; i < r.count; i++) {
      const double *now = r.rows + 4 * i;
      most = fmax(most, now[1]);
      if (!damped) ck_assert_double_eq_tol(now[0] + now[1] + now[2], first, 1e-6);
    }
    ck_assert_double_gt(most, 1); // J, of 5.8 that it falls by
    ck_assert_double_eq_tol(e->error, 0, 1e-6);
    if (damped)
      ck_assert_double_gt(e->dissipation, 3);
    else
      ck_assert_double_eq(e->dissipation, 0);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// 1 m/s along a rail without weight, to and fro between two hard stops: bounces of 1 ms between flights that every
// formula integrates exactly.
START_TEST(no_step_however_long_passes_a_hard_stop_unseen) {
  static const double v = 1, k = 1e7;
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\", \"joint\": {\"type\": "
      "\"prismatic\", \"limits\": {\"lower\": -3, \"upper\": 7, \"stiffness\": 1e7}}, \"body\": {\"type\": \"rigid\","
      " \"mass\": 1, \"inertia\": [1, 1, 1]}}]}");
  double touch = M_PI / sqrt(k), period = 2 * (10 + touch);
  for (size_t i = 0; i < METHODS; i++) {
    td_dynamics_spec spec = recording_job(model, all[i].method, 200, NULL);
    spec.integrator.adaptive = true, spec.output_dt = 0.5, spec.qd = &v, spec.qd_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (size_t s = 0; s < r.count; s++) {
      double t = fmod(r.t[s] + 3, period), right = t < 10 ? t - 3 : 7 - (t - 10 - touch);
      bool told = all[i].method == TD_METHOD_DAE && r.statistics.warnings.count > 0; // off by 0.4 % a bounce, and said
      if (!told && fabs(t - 10) > 0.01 && t < period - 0.01)
        ck_assert_msg(fabs(r.rows[s * r.row] - right) < 0.02, "%s: %g at %g s, right is %g", name_of(all[i].method),
                      r.rows[s * r.row], r.t[s], right);
    }
    ck_assert_msg(r.statistics.steps < 20000, "%s: %llu steps", name_of(all[i].method),
                  (unsigned long long)r.statistics.steps);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// Those that are too coarse all the same say so.
START_TEST(equal_steps_are_cut_where_they_would_stride_into_a_stop) {
  static const td_method fixed[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_RK4};
  static const double q = 1.2;
  for (double k = 1e3; k < 1e8; k *= 10) {
    td_model *model = hanging(&(bob){-0.3, k, 0});
    for (int m = 0; m < 4; m++) {
      td_dynamics_spec spec = recording_job(model, fixed[m], 2, &q);
      spec.integrator.h = 2e-3, spec.output_dt = 0.1;
      recording r = {0};
      recording_ok(&r, model, &spec);
      const td_energy_balance *e = &r.statistics.energy;
      bool told = r.statistics.warnings.count > 0 && fixed[m] != TD_METHOD_NEWMARK;
      ck_assert_msg(told || fabs(e->error) < 0.01 * e->exchanged, "%s, k = %g: %g J of %g J", td_method_name(fixed[m]),
                    k, e->error, e->exchanged);
      recording_free(&r);
    }
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_meets_the_stop_with_the_same_bits) {
  static const double q = 1.2;
  td_model *model = hanging(&(bob){-0.3, 1e4, 100});
  for (size_t i = 0; i < METHODS; i++) {
    td_dynamics_spec spec = recording_job(model, all[i].method, 2, &q);
    spec.integrator.adaptive = true, spec.output_dt = 0.1;
    recording_goes_on(model, &spec, 0.25, 0.5);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("stops", the_force_at_rest_is_minus_the_gradient_of_the_energy_and_what_is_damped_takes_power,
          derivatives_are_those_of_differences,
          between_its_limits_a_joint_feels_nothing_and_the_force_sets_in_without_a_jump,
          a_pendulum_leans_on_its_stop_where_the_closed_form_says,
          a_pendulum_bounces_off_its_stop_as_the_equation_of_motion_says,
          without_damping_a_bounce_gives_back_what_it_took_and_with_it_the_account_closes,
          no_step_however_long_passes_a_hard_stop_unseen, equal_steps_are_cut_where_they_would_stride_into_a_stop,
          a_run_that_goes_on_from_a_checkpoint_meets_the_stop_with_the_same_bits)
