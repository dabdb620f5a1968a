// Tendons driven by length, friction and springs against closed forms: a mass on a spring, a balanced pendulum, a rod
// of constant curvature pulled by length, the capstan, and the accounts of runs.
#include "input/inputs.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/linearize.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL "{\"format\": \"tendril.model/1\", "
#define ROD(order, points)                                                                                             \
  "\"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.4,"   \
  " \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e6, \"poisson\": 0.5,"          \
  " \"density\": 1000, \"viscosity\": 500}, \"strain\": {\"basis\": \"legendre\", \"order\": {" order "}},"            \
  " \"quadrature\": {\"points\": " points "}}}]"
#define TENDON(keys)                                                                                                   \
  ", \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"arm\", " keys                             \
  "\"routing\": {\"type\": \"linear\", \"base\": [0.02, 0]}}]"

// ------------------------------------------------------------------------------------------------ springs

START_TEST(a_mass_on_a_spring_swings_as_in_the_textbook) {
  td_model *model = test_model_from_text(
      MODEL
      "\"links\": [{\"name\": \"mass\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": "
      "\"rigid\", \"mass\": 2, \"inertia\": [1, 1, 1]}}], \"springs\": [{\"a\": {\"link\": \"world\", \"pose\": "
      "{\"translation\": [-1, 0, 0]}}, \"b\": {\"link\": \"mass\"}, \"stiffness\": 50, \"damping\": 4, \"rest\": "
      "0.8}]}");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RK45, 1.3, NULL);
  spec.integrator.rtol = 1e-11, spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double decay = 1, w = sqrt(25 - 1), t = 1.3; // c / 2m, sqrt(k/m - decay^2)
  double expected = -0.2 + 0.2 * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
  ck_assert_double_eq_tol(recording_last(&r)[0], expected, 1e-9);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_lt(fabs(e->error), 1e-8 * e->exchanged);
  ck_assert_double_gt(e->dissipation, 0.5);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A spring of rest 0 from a point h above the pivot to the mass pulls like a constant force stiffness h upwards.
START_TEST(a_spring_of_rest_0_balances_a_pendulum_at_every_angle) {
  td_model *model = test_model_from_text(
      MODEL
      "\"gravity\": [0, 0, -10], \"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"revolute\", \"axis\": "
      "\"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 3, \"com\": [0.5, 0, 0], \"inertia\": [0.1, 0.1, 0.1]}}], "
      "\"springs\": [{\"a\": {\"link\": \"arm\", \"pose\": {\"translation\": [0.5, 0, 0]}}, \"b\": {\"link\": "
      "\"world\", \"pose\": {\"translation\": [0, 0, 0.6]}}, \"stiffness\": 50, \"rest\": 0}]}");
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  for (double q = -3; q < 3.1; q += 0.5) {
    double residual, K, id;
    ck_assert_int_eq(td_residual_derivatives(model, ws, &q, NULL, NULL, NULL, &residual, &K, NULL, NULL), TD_OK);
    ck_assert_int_eq(td_inverse_dynamics(model, ws, &q, NULL, NULL, NULL, &id), TD_OK);
    ck_assert_double_eq_tol(residual, 0, 1e-12);
    ck_assert_double_eq_tol(K, 0, 1e-11);
  }
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

START_TEST(ends_that_meet_leave_a_spring_with_derivatives) {
  td_model *model = test_model_from_text(
      MODEL
      "\"links\": [{\"name\": \"mass\", \"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": "
      "2, \"inertia\": [1, 1, 1]}}], \"springs\": [{\"a\": {\"link\": \"world\"}, \"b\": {\"link\": \"mass\"}, "
      "\"stiffness\": 50, \"damping\": 4, \"rest\": 0}]}");
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  double q[6] = {0}, qd[6] = {0, 0, 0, 1, 2, 3}, tau[6], dq[36], dqd[36];
  ck_assert_int_eq(td_force_derivatives(model, ws, q, NULL, NULL, dq, dqd, NULL), TD_OK);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) ck_assert_double_eq_tol(dq[6 * i + j], i == j && i > 2 ? -50 : 0, 1e-9);
  q[4] = 0.3;
  ck_assert_int_eq(td_generalized_force(model, ws, q, qd, NULL, tau), TD_OK);
  const double expected[6] = {0, 0, 0, 0, -50 * 0.3 - 4 * 2, 0};
  for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(tau[i], expected[i], 1e-12);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ length

static double curvature_at_rest(const td_model *model, double u) {
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q = 0;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_msg(td_statics_solve(model, ws, &u, &options, &q, &result, &err) == TD_OK, "%s", err.message);
  td_workspace_destroy(ws);
  return q;
}

// A rod of one curvature: the tendon is 0.4 m - 0.02 q long, the rod holds EI/L q against tension times 0.02 m.
START_TEST(a_pulled_length_bends_a_rod_as_its_stiffness_lets_it) {
  double hold = 1e6 * M_PI / 4 * 1e-8 / 0.4;
  for (double k = 10; k < 1e8; k *= 10) {
    char text[2048];
    snprintf(text, sizeof text,
             MODEL ROD("\"bending_z\": 0", "4")
                 TENDON("\"mode\": \"length\", \"stiffness\": %g, \"slack_width\": 1e-9, ") "}",
             k);
    td_model *model = test_model_from_text(text);
    for (double u = 0.002; u < 0.03; u += 0.005) {
      double q = curvature_at_rest(model, u), expected = k * 0.02 * u / (hold + k * 0.0004);
      ck_assert_double_eq_tol(fabs(q), expected, 1e-8);              // a slack width of 1e-9 m by the offset
      if (k > 5e6) ck_assert_double_eq_tol(0.02 * fabs(q), u, 1e-6); // the inextensible limit: length = rest - u
    }
    ck_assert_double_eq_tol(curvature_at_rest(model, -0.01), 0, 1e-6); // let out: slack
    td_model_destroy(model);
  }
}
END_TEST

// Wires that hardly give, pulled against each other, hold one another with a thousand times what is left for the rod:
// the residual that rounding leaves is measured against what they hold.
START_TEST(antagonists_that_hold_each_other_come_to_rest) {
  td_model *model = test_model_from_text(MODEL "\"gravity\": [0, 0, -9.81], " ROD(
      "\"bending_y\": 3, \"bending_z\": 3",
      "8") ", \"actuators\": [{\"name\": \"a\", "
           "\"type\": \"tendon\", \"link\": \"arm\", \"mode\": \"length\", \"stiffness\": 1e7, \"routing\": {\"type\": "
           "\"linear\", \"base\": [0.01, 0]}}, {\"name\": \"b\", \"type\": \"tendon\", \"link\": \"arm\", \"mode\": "
           "\"length\", \"stiffness\": 1e7, \"routing\": {\"type\": \"linear\", \"base\": [-0.01, 0]}}]}");
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  const double u[2] = {0.00505, -0.00495};
  double q[8] = {0}, tension[2];
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_msg(td_statics_solve(model, ws, u, &options, q, &result, &err) == TD_OK, "%s", err.message);
  ck_assert_int_eq(td_tendon_tensions(model, ws, q, NULL, u, tension), TD_OK);
  ck_assert_double_gt(tension[0], 400); // of 1e7 N/m stretched by 5e-5 m
  ck_assert_int_lt(result.iterations, 30);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_tendon_that_shortens_faster_than_it_is_pulled_hangs_loose) {
  td_model *model = test_model_from_text(
      MODEL ROD("\"bending_z\": 0", "4") TENDON("\"mode\": \"length\", \"stiffness\": 1000, \"damping\": 50, ") "}");
  td_workspace *ws;
  double q = 0, u = 0.001, tension, dq[4], dqd, du;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  double length, slope;
  ck_assert_int_eq(td_tendon_lengths(model, ws, &q, &length, &slope), TD_OK);
  for (int fast = 0; fast < 2; fast++) {
    double qd = -(fast ? 10 : 0.1) / slope * 0.02; // length falls at 0.2 or 0.002 m/s
    ck_assert_int_eq(td_tendon_tensions(model, ws, &q, &qd, &u, &tension), TD_OK);
    ck_assert_int_eq(td_force_derivatives(model, ws, &q, &qd, &u, dq, &dqd, &du), TD_OK);
    if (fast) {
      ck_assert_double_eq(tension, 0);
      ck_assert_double_eq(du, 0);
    } else {
      ck_assert_double_eq_tol(tension, 1000 * 0.001 - 50 * 0.002, 0.01); // up to the slack width
      ck_assert_double_ne(du, 0);
    }
  }
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ friction

// tau of the first coordinate moving at `qd`, by that at rest.
static double share_felt(const char *text, const double *q, const double *qd, double *length_rate) {
  td_model *model = test_model_from_text(text);
  td_workspace *ws;
  double moving[8], still[8], parts[24], u = 5, *block = parts, length, slope[8];
  const int want = td_quantity_find("tau_terms");
  td_error err;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_state state = {.q = q, .qd = qd, .u = &u};
  int n = td_model_ndof(model);
  ck_assert_int_eq(td_evaluate(model, ws, &state, &want, 1, &block, &err), TD_OK);
  memcpy(moving, parts, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) moving[i] += parts[2 * n + i];
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = q, .u = &u}, &want, 1, &block, &err), TD_OK);
  memcpy(still, parts, sizeof(double) * (size_t)n);
  ck_assert_int_eq(td_tendon_lengths(model, ws, q, &length, slope), TD_OK);
  *length_rate = 0;
  for (int i = 0; i < n; i++) *length_rate += slope[i] * qd[i];
  td_workspace_destroy(ws);
  td_model_destroy(model);
  return moving[0] / still[0];
}

// The rod feels the mean of exp(-+mu theta s): (1 - exp(-mu theta)) / (mu theta) drawn in, (exp(mu theta) - 1) / (mu
// theta) paid out.
START_TEST(tension_falls_by_exp_mu_theta_along_a_rod_of_one_curvature) {
  static const char text[] = MODEL
      "\"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "
      "\"rod\", \"length\": 0.4, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": "
      "1e6, "
      "\"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_z\": 0}}, "
      "\"quadrature\": {\"points\": 8}}}]" TENDON("\"friction\": 0.3, \"slip_speed\": 1e-9, ") "}";
  static const char reduced[] =
      MODEL "\"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"rpy\": [0.3, 0.2, 0.1]}, "
            "\"body\": {\"type\": "
            "\"reduced\", \"kinematics\": \"pcc_planar\", \"length\": 0.4, \"radius\": 0.02, \"density\": 1000, "
            "\"young\": 1e6, "
            "\"poisson\": 0.45, \"damping_time\": 0, \"quadrature\": {\"s\": 8}}}]" TENDON(
                "\"friction\": 0.3, \"slip_speed\": 1e-9, ") "}";
  for (int body = 0; body < 2; body++)
    for (double theta = 0.1; theta < 4; theta += 0.6)
      for (int sign = -1; sign <= 1; sign += 2) {
        double q = theta, qd = 2 * sign, rate, felt = share_felt(body ? reduced : text, &q, &qd, &rate);
        double x = 0.3 * theta * (rate < 0 ? -1 : 1), expected = (exp(x) - 1) / x;
        ck_assert_double_eq_tol(felt, expected, 2e-7); // angles are smoothed at 1e-8
      }
}
END_TEST

// Material points of a reduced body that is bent to a circle: stretches in its guide. The corners turn by theta / k
// each but the first and the last, so that the tension of stretch i is exp(-mu theta i / k) of that at the pulled end.
START_TEST(tension_falls_by_its_corners_through_material_points) {
  enum { K = 5 };
  char points[512] = "", text[2048];
  for (int i = 0; i <= K; i++) {
    size_t used = strlen(points);
    snprintf(points + used, sizeof points - used, "%s[0.01, 0, %g]", i ? ", " : "", 0.4 * i / K);
  }
  snprintf(text, sizeof text,
           MODEL
           "\"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"reduced\", "
           "\"kinematics\": "
           "\"pcc_planar\", \"length\": 0.4, \"radius\": 0.02, \"density\": 1000, \"young\": 1e6, \"poisson\": 0.45, "
           "\"damping_time\": 0}}], \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"arm\", "
           "\"friction\": "
           "0.3, \"slip_speed\": 1e-9, \"points\": [%s]}]}",
           points);
  for (double theta = 0.2; theta < 3; theta += 0.7)
    for (int sign = -1; sign <= 1; sign += 2) {
      double q = theta, qd = sign, rate, felt = share_felt(text, &q, &qd, &rate), expected = 0;
      for (int i = 0; i < K; i++) expected += exp(0.3 * theta * i / K * (rate < 0 ? -1 : 1)) / K;
      ck_assert_double_eq_tol(felt, expected, 2e-7);
    }
}
END_TEST

// A helix around a straight rod turns by theta = L a^2 r / sqrt(1 + a^2 r^2), a = 2 pi turns / L. Second order in the
// points.
START_TEST(the_turning_of_a_helix_converges_to_its_total_curvature) {
  double a = 2 * M_PI * 1.5 / 0.4, r = 0.02, theta = 0.4 * a * a * r / sqrt(1 + a * a * r * r), before = 0;
  for (int points = 8; points <= 32; points *= 2) {
    char text[2048];
    snprintf(
        text, sizeof text,
        MODEL ROD("\"torsion\": 0", "%d") ", \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": "
                                          "\"arm\", \"friction\": 0.2, \"slip_speed\": 1e-9, \"routing\": {\"type\": "
                                          "\"helix\", \"radius\": 0.02, "
                                          "\"turns\": 1.5}}]}",
        points);
    double q = 0, qd = 1, rate, felt = share_felt(text, &q, &qd, &rate), x = 0.2 * theta * (rate < 0 ? -1 : 1);
    double off = fabs(felt - (exp(x) - 1) / x);
    ck_assert_double_lt(off, 4.0 / points / points);
    if (before > 0) ck_assert_double_lt(off, before / 3);
    before = off;
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ accounts

static const char everything[] =
    MODEL "\"gravity\": [0, 0, -9.81], " ROD("\"torsion\": 0, \"bending_y\": 1, \"bending_z\": 1",
                                             "6") ", \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", "
                                                  "\"link\": \"arm\", \"mode\": \"length\", \"stiffness\": 2000, "
                                                  "\"damping\": 3, \"slack_width\": 1e-3, \"friction\": 0.3, "
                                                  "\"slip_speed\": 0.01, \"routing\": {\"type\": \"helix\", "
                                                  "\"radius\": 0.009, \"turns\": 0.5}}, {\"name\": \"other\", "
                                                  "\"type\": \"tendon\", \"link\": \"arm\", \"friction\": 0.2, "
                                                  "\"routing\": {\"type\": \"linear\", \"base\": [0, 0.01]}}], "
                                                  "\"springs\": [{\"a\": {\"link\": \"world\", \"pose\": "
                                                  "{\"translation\": [0.2, 0.1, 0.1]}}, \"b\": {\"link\": \"arm\", "
                                                  "\"at\": 0.8}, \"stiffness\": 5, \"damping\": 0.05, "
                                                  "\"channel\": \"rest\"}]}";

START_TEST(accounts_of_runs_close_with_pulls_steps_friction_and_springs) {
  td_model *model = test_model_from_text(everything);
  static const double t[] = {0, 0.11}, v[] = {0.002, 0.006};
  const td_input_spec inputs[] = {
      {.channel = "cable", .signal = {.type = TD_SIGNAL_STEPS, .t = t, .value = v, .count = 2}},
      {.channel = "other", .signal = {.type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 0.5, .frequency = 3}},
      {.channel = "rest", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.02, .frequency = 2}}};
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_RK45, TD_METHOD_GENERALIZED_ALPHA};
  static const double loose[] = {2e-5, 1e-7, 3e-3};
  for (int i = 0; i < 3; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 0.3, NULL);
    spec.inputs = inputs, spec.input_count = 3;
    spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-10;
    if (i == 2) spec.integrator.h = 1e-4;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_energy_balance *e = &r.statistics.energy;
    ck_assert_msg(fabs(e->error) < loose[i] * e->exchanged, "method %d: error %g of %g J", i, e->error, e->exchanged);
    ck_assert_double_gt(e->dissipation, 0);
    ck_assert_double_gt(e->actuation, 0);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// The work of a pull is the integral of tension by u', here from the samples of a run.
START_TEST(the_work_of_a_pull_is_tension_by_what_is_pulled_in) {
  td_model *model = test_model_from_text(MODEL ROD("\"bending_z\": 1", "6") TENDON(
      "\"mode\": \"length\", \"stiffness\": 300, \"slack_width\": 1e-3, ") "}");
  static const double ramp[] = {0, 0, 0.2};
  const td_input_spec input = {.channel = "cable", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = ramp, .count = 3}};
  static const char *const fields[] = {"tensions", "energy"};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RK45, 0.3, NULL);
  spec.inputs = &input, spec.input_count = 1;
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-11;
  spec.fields = fields, spec.field_count = 2, spec.output_dt = 0.3 / 600;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double work = 0, h = spec.output_dt;
  ck_assert_uint_eq(r.count, 601);
  for (size_t i = 0; i < r.count; i++) {
    double weight = i == 0 || i == 600 ? 1 : i % 2 ? 4 : 2;
    work += weight * h / 3 * r.rows[5 * i] * 0.4 * r.t[i];
  }
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_eq_tol(e->actuation, work, 1e-6 * work);
  ck_assert_double_lt(fabs(e->error), 1e-7 * e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(energy_stays_with_springs_and_a_held_length) {
  td_model *model = test_model_from_text(
      MODEL
      "\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"post\", \"joint\": {\"type\": \"fixed\"}}, {\"name\": "
      "\"arm\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, "
      "\"com\": [0.5, 0, 0], \"inertia\": [0.01, 0.01, 0.01]}}], \"actuators\": [{\"name\": \"rope\", \"type\": "
      "\"tendon\", \"mode\": \"length\", \"stiffness\": 200, \"slack_width\": 0.01, \"segments\": [{\"link\": "
      "\"post\", \"points\": [[0, 0, 0.4]]}, {\"link\": \"arm\", \"points\": [[0.4, 0, 0]]}]}], \"springs\": [{\"a\": "
      "{\"link\": \"world\", \"pose\": {\"translation\": [0.3, 0.2, 0]}}, \"b\": {\"link\": \"arm\", \"pose\": "
      "{\"translation\": [0.2, 0, 0.1]}}, \"stiffness\": 30}]}");
  static const char *const fields[] = {"energy", "tensions"};
  const td_input_spec input = {.channel = "rope", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.05}};
  double q = -0.5, drift = 0, most = 0, least = INFINITY;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RK45, 2, &q);
  spec.inputs = &input, spec.input_count = 1;
  spec.integrator.rtol = 1e-12, spec.integrator.atol = 1e-13;
  spec.fields = fields, spec.field_count = 2, spec.output_dt = 0.01;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t i = 0; i < r.count; i++) {
    const double *e = r.rows + 5 * i, *e0 = r.rows;
    drift = fmax(drift, fabs(e[0] + e[1] + e[2] - e0[0] - e0[1] - e0[2]));
    most = fmax(most, e[4]), least = fmin(least, e[4]);
  }
  ck_assert_double_lt(drift, 1e-9);
  ck_assert_double_gt(most, 10); // it goes taut and slack
  ck_assert_double_lt(least, 0.1);
  ck_assert_double_eq_tol(r.statistics.energy.actuation, 0, 1e-9);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_length_may_be_let_out_and_takes_no_law_that_needs_a_force) {
  td_model *model = test_model_from_text(everything);
  static const char *const cable[] = {"cable"}, *const rest[] = {"rest"};
  const double knots[1] = {0}, value[1] = {0.01}, gain[1] = {1};
  const td_input_spec out = {.channel = "cable", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = -0.01}};
  const td_input_spec push = {.channel = "other", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = -0.01}};
  td_error err;
  td_place root = td_place_root(&err);
  ck_assert_int_eq(td_inputs_check(&root, model, &out, 1, 1), TD_OK);
  ck_assert_int_eq(td_inputs_check(&root, model, &push, 1, 1), TD_INVALID_ARGUMENT);
  td_controller_spec law = {
      .type = TD_CONTROLLER_PD_PLUS,
      .channels = cable,
      .channel_count = 1,
      .kp = gain,
      .kp_count = 1,
      .kd = gain,
      .kd_count = 1,
      .reference = {.space = TD_SPACE_TENDON, .t = knots, .value = value, .knots = 1, .rows = 1, .width = 1}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.1, NULL);
  spec.controllers = &law, spec.controller_count = 1;
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "driven by its length"));
  law.channels = rest;
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "spring's rest"));
  td_model_destroy(model);
}
END_TEST

// Position-driven robots by static inversion: a feed_forward finds the lengths that hold the tip where it is wanted.
START_TEST(a_feed_forward_finds_the_lengths_that_bring_a_tip_to_its_place) {
  td_model *model = test_model_from_text(MODEL ROD(
      "\"bending_y\": 2, \"bending_z\": 2",
      "6") ", \"actuators\": [{\"name\": \"a\", \"type\": \"tendon\", "
           "\"link\": \"arm\", \"mode\": \"length\", \"stiffness\": 1e4, \"routing\": {\"type\": \"linear\", \"base\": "
           "[0.02, 0]}}, {\"name\": \"b\", \"type\": \"tendon\", \"link\": \"arm\", \"mode\": \"length\", "
           "\"stiffness\": "
           "1e4, \"routing\": {\"type\": \"linear\", \"base\": [0, 0.02]}}, {\"name\": \"c\", \"type\": \"tendon\", "
           "\"link\": \"arm\", \"mode\": \"length\", \"stiffness\": 1e4, \"routing\": {\"type\": \"linear\", \"base\": "
           "[0.01, 0.02]}}]}");
  static const char *const channels[] = {"a", "b", "c"}, *const fields[] = {"q", "tensions", "u", "poses:arm@1"};
  td_workspace *ws;
  const double lengths[3] = {0.004, 0.003, 0.006};
  double q[6] = {0}, knots[2] = {0, 1}, value[6];
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_se3 tip;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_msg(td_statics_solve(model, ws, lengths, &options, q, &result, &err) == TD_OK, "%s", err.message);
  ck_assert_int_eq(td_pose_at(model, ws, q, 0, 1, &tip), TD_OK);
  td_workspace_destroy(ws);
  memcpy(value, tip.p, sizeof tip.p), memcpy(value + 3, tip.p, sizeof tip.p);
  td_controller_spec law = {
      .type = TD_CONTROLLER_FEED_FORWARD,
      .channels = channels,
      .channel_count = 3,
      .reference = {.space = TD_SPACE_TIP, .t = knots, .value = value, .knots = 2, .rows = 2, .width = 3}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 5, q);
  spec.controllers = &law, spec.controller_count = 1;
  spec.fields = fields, spec.field_count = 4;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const double *last = recording_last(&r);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(last[12 + 4 * i + 3], tip.p[i], 1e-4);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// -A of the first coordinate's rate by itself; there are two coordinates.
static bool keep_damping(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                         const double *A, const double *B) {
  (void)index, (void)t, (void)q, (void)qd, (void)u, (void)B;
  *(double *)context = -A[2 * 4 + 2];
  return true;
}

// A rod that is bent by half a radian drawn by its cable at about 0.1 m/s and then held.
static int faded(double slip, double t_end) {
  char text[2048];
  snprintf(text, sizeof text, MODEL ROD("\"bending_z\": 1", "6") TENDON("\"friction\": 0.3, \"slip_speed\": %g, ") "}",
           slip);
  td_model *model = test_model_from_text(text);
  static const double t[] = {0, 0.1}, v[] = {0.2, 0.5}, q[] = {1, 0};
  const td_input_spec input = {.channel = "cable", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = v, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, q);
  spec.inputs = &input, spec.input_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  int told = 0;
  for (int i = 0; i < r.statistics.warnings.count; i++)
    told += !strcmp(r.statistics.warnings.list[i].code, "friction_faded");
  recording_free(&r);
  td_statics_spec statics = {.inputs = NULL};
  td_statics_defaults(&statics.options);
  td_run_statistics statistics;
  ck_assert_int_eq(td_statics_run(model, &statics, 0, NULL, NULL, &statistics, NULL), TD_OK);
  ck_assert_int_eq(statistics.warnings.count, 1);
  ck_assert_str_eq(statistics.warnings.list[0].code, "friction_faded");
  td_model_destroy(model);
  return told;
}

// What a linearisation of this rod says of friction, which is a damper in A.
START_TEST(friction_is_said_to_be_a_damper_where_a_linearisation_has_it_as_one) {
  double damping[2];
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             MODEL ROD("\"bending_z\": 1", "6") TENDON("\"friction\": %g, \"slip_speed\": 0.01, ") "}", i ? 0.3 : 0.0);
    td_model *model = test_model_from_text(text);
    const td_input_spec input = {.channel = "cable", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.5}};
    td_linearize_spec at = {.at = TD_AT_EQUILIBRIUM, .run = {.inputs = &input, .input_count = 1}};
    td_linearize_hooks hooks = {.context = &damping[i], .point = keep_damping};
    td_run_statistics statistics;
    ck_assert_int_eq(td_linearize_run(model, &at, &hooks, &statistics, NULL), TD_OK);
    const char *detail = "";
    for (int k = 0; k < statistics.warnings.count; k++)
      if (!strcmp(statistics.warnings.list[k].code, "friction_faded")) detail = statistics.warnings.list[k].detail;
    bool said = strstr(detail, "damper") && strstr(detail, "0.01 m/s") && strstr(detail, "take a run");
    ck_assert_msg(said == (i == 1) && (i == 1 || !*detail), "%s", detail);
    td_model_destroy(model);
  }
  ck_assert_double_gt(damping[1], 1.5 * damping[0]);
}
END_TEST

START_TEST(tendons_too_slow_for_their_friction_say_so_and_fast_ones_do_not) {
  ck_assert_int_eq(faded(10, 0.1), 1); // far above any speed of this motion
  ck_assert_int_eq(faded(1e-5, 0.1), 0);
}
END_TEST

TEST_MAIN("tendon_runs", a_mass_on_a_spring_swings_as_in_the_textbook,
          a_spring_of_rest_0_balances_a_pendulum_at_every_angle, ends_that_meet_leave_a_spring_with_derivatives,
          a_pulled_length_bends_a_rod_as_its_stiffness_lets_it,
          a_tendon_that_shortens_faster_than_it_is_pulled_hangs_loose, antagonists_that_hold_each_other_come_to_rest,
          tension_falls_by_exp_mu_theta_along_a_rod_of_one_curvature,
          tension_falls_by_its_corners_through_material_points, the_turning_of_a_helix_converges_to_its_total_curvature,
          accounts_of_runs_close_with_pulls_steps_friction_and_springs,
          the_work_of_a_pull_is_tension_by_what_is_pulled_in, energy_stays_with_springs_and_a_held_length,
          a_length_may_be_let_out_and_takes_no_law_that_needs_a_force,
          a_feed_forward_finds_the_lengths_that_bring_a_tip_to_its_place,
          tendons_too_slow_for_their_friction_say_so_and_fast_ones_do_not,
          friction_is_said_to_be_a_damper_where_a_linearisation_has_it_as_one)
