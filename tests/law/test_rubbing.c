// Friction and damping of contacts against closed forms: a bar slides down a slope, creeps where it should hold, rolls,
// bounces; its losses close the account of energy; equilibria with friction are refused. Derivatives: the oracle's
// contacts_that_rub (published/test_reference.c).
#include "linearize/check.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// A stiff bar of five points, along x, on rails that let it move along one direction and up, and turn about itself.
static const double G = 9.81, RADIUS = 0.02, MASS = 1000 * M_PI * 4e-4 * 0.2, STIFFNESS = 1e5;
enum { POINTS = 5 };

static td_model *bar(double slope, const char *along, const char *turn, const char *keys) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [%.17g, 0, %.17g], \"links\": [{\"name\": \"rail\", "
           "\"joint\": {\"type\": \"prismatic\", \"axis\": \"%s\"}}, {\"name\": \"lift\", \"parent\": \"rail\", "
           "\"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}}, {\"name\": \"bar\", \"parent\": \"lift\", "
           "\"joint\": %s, \"body\": {\"type\": \"rod\", \"length\": 0.2, \"section\": {\"shape\": \"circle\", "
           "\"radius\": 0.02}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, \"density\": 1000}, \"strain\": "
           "{\"basis\": \"legendre\", \"order\": {}}, \"quadrature\": {\"points\": 3}}}], \"contacts\": [{\"type\": "
           "\"plane\", \"stiffness\": 1e5%s}]}",
           G * sin(slope), -G * cos(slope), along, turn, keys);
  return test_model_from_text(text);
}

static td_model *sled(double slope, const char *along, const char *keys) {
  return bar(slope, along, "{\"type\": \"fixed\"}", keys);
}

static double depth_of_rest(double slope) { return pow(MASS * G * cos(slope) / (POINTS * STIFFNESS), 1 / 1.5); }

// Of `t_end` s from the depth of rest at `speed` along the rail. qd [n] of the end.
static td_run_statistics slide(const td_model *model, td_method method, double slope, double speed, double t_end,
                               double q[3], double qd[3]) {
  double start[3] = {0, RADIUS - depth_of_rest(slope), 0}, rate[3] = {speed, 0, 0};
  int n = td_model_ndof(model);
  td_dynamics_spec spec = recording_job(model, method, t_end, start);
  recording r = {0};
  spec.qd = rate;
  spec.qd_count = (size_t)n;
  recording_ok(&r, model, &spec);
  memcpy(q, recording_last(&r), (size_t)n * sizeof *q);
  memcpy(qd, recording_last(&r) + n, (size_t)n * sizeof *qd);
  td_run_statistics statistics = r.statistics;
  r.statistics = (td_run_statistics){0};
  recording_free(&r);
  return statistics;
}

static bool tells(const td_run_statistics *s, const char *code, const char *pointer) {
  bool found = false;
  for (int i = 0; i < s->warnings.count; i++)
    found |= !strcmp(s->warnings.list[i].code, code) && !strcmp(s->warnings.list[i].pointer, pointer);
  return found;
}

START_TEST(a_bar_slides_down_a_slope_as_coulomb_says) {
  const double slope = 0.6, mu = 0.3, t_end = 0.5, a = G * (sin(slope) - mu * cos(slope));
  for (int method = 0; method < TD_METHOD_COUNT; method++) {
    td_model *model = sled(slope, "x", ", \"friction\": 0.3, \"slip_speed\": 2e-3, \"damping\": 0.5");
    double q[3], qd[3];
    td_run_statistics s = slide(model, (td_method)method, slope, 0, t_end, q, qd);
    ck_assert_msg(fabs(qd[0] - a * t_end) < 0.01 * a * t_end, "method %d: %g m/s, not %g", method, qd[0], a * t_end);
    const td_energy_balance *e = &s.energy;
    double allowed = method == TD_METHOD_EULER_IMPLICIT ? 3e-3 : 1e-3; // of first order
    ck_assert_msg(fabs(e->error) < allowed * e->exchanged, "method %d: off by %g of %g J", method, e->error,
                  e->exchanged);
    double lost = mu * MASS * G * cos(slope) * q[0];
    ck_assert_double_eq_tol(e->contact_losses, lost, 0.01 * lost);
    ck_assert_double_eq(e->dissipation, 0);
    td_model_destroy(model);
  }
}
END_TEST

// mu N v / sqrt(v^2 + v_s^2) = m g sin.
START_TEST(what_should_hold_creeps_as_its_slip_speed_says) {
  const double slope = 0.2, part = tan(slope) / 0.5;
  for (int fine = 0; fine < 2; fine++) {
    double slip = fine ? 1e-5 : 0.02, q[3], qd[3], creep = slip * part / sqrt(1 - part * part);
    char keys[80];
    snprintf(keys, sizeof keys, ", \"friction\": 0.5, \"slip_speed\": %g", slip);
    td_model *model = sled(slope, "x", keys);
    td_run_statistics s = slide(model, TD_METHOD_RADAU, slope, 0, 0.5, q, qd);
    ck_assert_double_eq_tol(qd[0], creep, 1e-4 * creep);
    ck_assert(tells(&s, "friction_faded", "/model/contacts/0/slip_speed") == !fine);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(friction_along_a_rod_and_across_it_are_told_apart) {
  static const char keys[] = ", \"friction\": 0.5, \"slip_speed\": 1e-3, \"anisotropy\": [1, 0.3]";
  for (int across = 0; across < 2; across++) {
    td_model *model = sled(0, across ? "y" : "x", keys);
    double q[3], qd[3], expected = 1 - 0.5 * (across ? 0.3 : 1) * G * 0.1;
    (void)slide(model, TD_METHOD_RADAU, 0, 1, 0.1, q, qd);
    ck_assert_double_eq_tol(qd[0], expected, 1e-4);
    td_model_destroy(model);
  }
}
END_TEST

// What slides begins to roll, and rolls on: m R (v0 - v) = I w, v = R w, whatever friction is.
START_TEST(a_bar_that_slides_ends_rolling) {
  td_model *model = bar(0, "y", "{\"type\": \"revolute\", \"axis\": \"x\"}", ", \"friction\": 0.5");
  double q[3], qd[3], R = RADIUS - 0.5 * depth_of_rest(0), v = 1 / (1 + 0.5 * RADIUS * RADIUS / (R * R));
  (void)slide(model, TD_METHOD_RADAU, 0, 1, 0.2, q, qd);
  ck_assert_double_eq_tol(qd[0], v, 1e-4);
  ck_assert_double_eq_tol(qd[2], -v / R, 1e-4 * v / R);
  td_model_destroy(model);
}
END_TEST

// m v dv/dd = -k d^p (1 + c v) has v/c - ln(1 + c v)/c^2 at the end of the touch as at its start.
START_TEST(damping_takes_from_a_bounce_what_hunt_and_crossley_say) {
  const double c = 0.5;
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"bar\", \"joint\": "
           "{\"type\": \"prismatic\"}, \"body\": {\"type\": \"rod\", \"length\": 0.2, \"section\": {\"shape\": "
           "\"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, \"density\": 1000}, "
           "\"strain\": {\"basis\": \"legendre\", \"order\": {}}, \"quadrature\": {\"points\": 3}}}], \"contacts\": "
           "[{\"type\": \"plane\", \"stiffness\": 1e5, \"damping\": %g}]}",
           c);
  td_model *model = test_model_from_text(text);
  double start = 0.021, down = -1, back = 0.7, target = 1 / c - log(1 + c) / (c * c);
  for (int i = 0; i < 50; i++) // Newton: d/dv is v / (1 + c v) at v = -back
    back += (target - (-back / c - log(1 - c * back) / (c * c))) * (1 - c * back) / back;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.05, &start);
  recording r = {0};
  spec.qd = &down;
  spec.qd_count = 1;
  spec.integrator.rtol = 1e-8;
  recording_ok(&r, model, &spec);
  ck_assert_double_eq_tol(recording_last(&r)[1], back, 1e-5);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_eq_tol(e->contact_losses, 0.5 * MASS * (1 - back * back), 1e-4 * MASS);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(at_rest_nothing_rubs) {
  td_model *with = sled(0.3, "x", ", \"friction\": 0.5, \"damping\": 2"), *without = sled(0.3, "x", "");
  double q[3] = {0.1, RADIUS - 1e-3}, rest[3] = {0}, u[1] = {0}, a[3], b[3];
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(with, &ws), TD_OK);
  ck_assert_int_eq(td_forward_dynamics(with, ws, q, rest, u, a), TD_OK);
  td_workspace_destroy(ws);
  ck_assert_int_eq(td_workspace_create(without, &ws), TD_OK);
  ck_assert_int_eq(td_forward_dynamics(without, ws, q, rest, u, b), TD_OK);
  td_workspace_destroy(ws);
  ck_assert(a[0] == b[0] && a[1] == b[1]);
  td_model_destroy(with);
  td_model_destroy(without);
}
END_TEST

START_TEST(equilibria_with_friction_are_refused) {
  td_model *model = sled(0.3, "x", ", \"friction\": 0.5");
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[3] = {0, 0.02}, u[1] = {0};
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_statics_solve(model, ws, u, &options, q, &result, &err), TD_UNSUPPORTED);
  ck_assert_str_eq(err.pointer, "/model/contacts/0/friction");
  td_linearize_spec linear = {.at = TD_AT_EQUILIBRIUM};
  ck_assert_int_eq(td_linearize_check(model, &linear, &err), TD_UNSUPPORTED);
  td_dynamics_spec run = recording_job(model, TD_METHOD_BDF, 1, q);
  run.initial = TD_INITIAL_EQUILIBRIUM;
  ck_assert_int_eq(td_dynamics_check(model, &run, NULL, &err), TD_UNSUPPORTED);
  ck_assert_str_eq(err.pointer, "/model/contacts/0/friction");
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ derivatives

typedef struct probe {
  const td_model *model;
  td_workspace *ws;
  int n;
  double x[3][16]; // q, qd, qdd
} probe;

static double some(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void id_at(probe *p, int part, int k, double step, double *id) {
  double kept = p->x[part][k];
  p->x[part][k] += step;
  ck_assert_int_eq(td_inverse_dynamics(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, id), TD_OK);
  p->x[part][k] = kept;
}

// Differences of order 6 of id by coordinate k of a part.
static void difference(probe *p, int part, int k, double h, double *out) {
  static const double weight[3] = {0.75, -0.15, 1. / 60};
  double ahead[16], behind[16];
  memset(out, 0, 16 * sizeof *out);
  for (int s = 0; s < 3; s++) {
    id_at(p, part, k, (s + 1) * h, ahead);
    id_at(p, part, k, -(s + 1) * h, behind);
    for (int i = 0; i < p->n; i++) out[i] += weight[s] * (ahead[i] - behind[i]) / h;
  }
}

static double most(int n, const double *a, const double *b) {
  double x = 0;
  for (int i = 0; i < n; i++) x = fmax(x, fabs(a[i] - (b ? b[i] : 0)));
  return x;
}

// Where a touch sets in, or a normal force is cut off, within the steps, two of them disagree: those are counted.
START_TEST(derivatives_at_random_touching_states_are_those_of_differences) {
  static const double H = 2e-4;
  td_model *model = test_model_from_file("published/oracle/contacts_that_rub.json", "model");
  probe p = {.model = model, .n = td_model_ndof(model)};
  unsigned seed = 7;
  int touching = 0, compared = 0, seams = 0;
  double worst = 0, dq[256], dqd[256];
  ck_assert(p.n <= 16 && td_workspace_create(model, &p.ws) == TD_OK);
  while (touching < 200) {
    td_energy energy;
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < p.n; i++) p.x[part][i] = (part ? 2 : 0.7) * some(&seed);
    ck_assert_int_eq(td_energy_at(model, p.ws, p.x[0], p.x[1], &energy), TD_OK);
    if (!(energy.contact > 0)) continue;
    touching++;
    ck_assert_int_eq(td_id_derivatives(model, p.ws, p.x[0], p.x[1], p.x[2], NULL, NULL, dq, dqd, NULL), TD_OK);
    for (int part = 0; part < 2; part++)
      for (int k = 0; k < p.n; k++) {
        double column[16], near[16], far[16];
        for (int i = 0; i < p.n; i++) column[i] = (part ? dqd : dq)[i * p.n + k];
        difference(&p, part, k, H, near);
        difference(&p, part, k, 1.5 * H, far);
        double size = fmax(1, most(p.n, near, NULL));
        if (most(p.n, near, far) > 1e-8 * size) {
          seams++;
          continue;
        }
        compared++;
        worst = fmax(worst, most(p.n, near, column) / size);
      }
  }
  ck_assert_msg(worst < 1e-7, "off by %g", worst);
  ck_assert_msg(seams < compared / 10, "%d of %d at seams", seams, seams + compared);
  td_workspace_destroy(p.ws);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("rubbing", a_bar_slides_down_a_slope_as_coulomb_says, what_should_hold_creeps_as_its_slip_speed_says,
          friction_along_a_rod_and_across_it_are_told_apart, a_bar_that_slides_ends_rolling,
          damping_takes_from_a_bounce_what_hunt_and_crossley_say, at_rest_nothing_rubs,
          equilibria_with_friction_are_refused, derivatives_at_random_touching_states_are_those_of_differences)
