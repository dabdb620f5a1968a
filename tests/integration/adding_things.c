// What tests/integration/test_adding_things.py builds against an engine to which the kinds of engine/adding.md were
// added. Each is used by its word in a document; values are those of closed forms, derivatives those of central
// differences.
//
// Prints a line for each thing that is wrong; exit status 1 when there is one.
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "element/contact.h"
#include "strain/basis.h"
#include "tendril/dynamics.h"
#include "tendril/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, M = 3 };

static int wrong;

static void expect(bool right, const char *format, ...) {
  va_list arguments;
  if (right) return;
  wrong++;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
}

static void expect_near(double value, double known, double tolerance, const char *what, int i) {
  expect(fabs(value - known) <= tolerance * (1 + fabs(known)), "%s[%d] is %.12g, not %.12g", what, i, value, known);
}

// A telescope that carries a rod of sines, inside of a sphere that the rod touches. q: 3 of the joint, 2 functions of 3
// strains.
static const char MODEL[] = "{'format': 'tendril.model/1', 'name': 'added', 'gravity': [0, 0, -9.81], 'links': "
                            "[{'name': 'arm', 'parent': 'world',"
                            " 'joint': {'type': 'telescope', 'axis': [0, 0, 1], 'damping': 0.001},"
                            " 'body': {'type': 'rod', 'length': 0.3, 'section': {'shape': 'circle', 'radius': 0.01},"
                            " 'material': {'young': 1e6, 'poisson': 0.45, 'density': 1000, 'viscosity': 1e3},"
                            " 'strain': {'basis': 'sine', 'order': {'torsion': 1, 'bending_y': 1, 'bending_z': 1}}}}],"
                            " 'actuators': [{'name': 'drive', 'type': 'joint', 'link': 'arm'}],"
                            " 'contacts': [{'type': 'sphere_interior', 'radius': 0.32, 'stiffness': 30, 'pose': "
                            "{'translation': [0.15, 0, 0.28]}}]}";

static const char JOB[] =
    "{'kind': 'dynamics', 't_end': 0.2, 'output': {'dt': 0.1, 'fields': ['q', 'qd', 'energy']},"
    " 'controller': {'type': 'pd', 'channels': ['drive[0]', 'drive[1]', 'drive[2]'], 'kp': [0.001, 4, 40], 'kd': "
    "[0.0002, 0.1, 2],"
    " 'reference': {'space': 'joint', 't': [0, 1], 'value': [[0, 0, 0], [0.1, -0.2, 0.05]], 'interpolation': "
    "'cubic'}}, 'integrator': {'method': '%s'%s}}";

static const char HELD[] = "{'format': 'tendril.model/1', 'name': 'held', 'links': [{'name': 'bob', 'joint': {'type': "
                           "'revolute', 'axis': 'y'}, 'body': {'type': 'rigid', 'mass': 2, 'com': [0, 0, -0.5], "
                           "'inertia': [0, 0, 0]}}], 'actuators': [{'name': 'k', 'type': 'detent'}]}";

static const char HELD_JOB[] =
    "{'kind': 'dynamics', 't_end': 1, 'initial': {'q': [0.5]}, 'output': {'dt': 1}, 'inputs': {'k': "
    "{'type': 'sine', 'offset': 20, 'amplitude': 10, 'frequency': 1}}}";

static json_t *document(const char *text) {
  td_error err = {0};
  char copy[2048];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++) *c = *c == '\'' ? '"' : *c;
  json_t *doc = codec_parse(copy, strlen(copy), &err);
  if (!doc) fprintf(stderr, "%s\n", err.message), exit(2);
  return doc;
}

static td_model *build(const char *text) {
  td_error err = {0};
  td_model *model = NULL;
  json_t *doc = document(text);
  if (codec_model_build(doc, "", &model, &err)) fprintf(stderr, "%s: %s\n", err.pointer, err.message), exit(2);
  json_decref(doc);
  return model;
}

static void evaluate(const td_model *model, td_workspace *ws, const td_state *state, const char *name, double *out) {
  td_error err = {0};
  int q = td_quantity_find(name);
  if (q < 0) fprintf(stderr, "there is no quantity %s\n", name), exit(2);
  if (td_evaluate(model, ws, state, &q, 1, &out, &err)) fprintf(stderr, "%s: %s\n", name, err.message), exit(2);
}

static const double Q[N] = {0.3, 0.2, -0.01, 0.5, -0.4, 2, 1, -1.5, 0.7}, QD[N] = {1, -2, 0.1, 3, 2, -4, 1, 5, -3},
                    QDD[N] = {0.5, 1, -1, 2, 0, 1, -3, 2, 1};

// did_dq, dtau_dqd … against central differences of `name` in the variable at `x`.
static void compare_slopes(const td_model *model, td_workspace *ws, const char *name, const char *slope, int variable) {
  double x[3][N], J[N * N], side[2][N];
  td_state state = {.q = x[0], .qd = x[1], .qdd = x[2]};
  memcpy(x[0], Q, sizeof Q), memcpy(x[1], QD, sizeof QD), memcpy(x[2], QDD, sizeof QDD);
  evaluate(model, ws, &state, slope, J);
  for (int j = 0; j < N; j++) {
    double at = x[variable][j], step = 1e-5;
    for (int k = 0; k < 2; k++) {
      x[variable][j] = at + (k ? step : -step);
      evaluate(model, ws, &state, name, side[k]);
    }
    x[variable][j] = at;
    for (int i = 0; i < N; i++)
      expect_near(J[i * N + j], (side[1][i] - side[0][i]) / (2 * step), 1e-6, slope, i * N + j);
  }
}

static void test_basis(void) {
  td_rod_spec rod = {.length = 1, .basis = TD_BASIS_SINE, .order = {-1, 3, -1, -1, -1, -1}};
  td_rod_basis *basis = NULL;
  double value[4];
  expect(!strcmp(td_basis_name(TD_BASIS_SINE), "sine"), "the word of the basis is %s", td_basis_name(TD_BASIS_SINE));
  if (td_rod_basis_create(&rod, &basis)) exit(2);
  expect(td_rod_basis_count(basis, 1) == 4, "order 3 has %d functions", td_rod_basis_count(basis, 1));
  td_rod_basis_eval(basis, 1, 0.3, value);
  for (int k = 0; k < 4; k++) expect_near(value[k], sin(M_PI * (k + 1) * 0.3), 1e-15, "sine", k);
  td_rod_basis_destroy(basis);
}

// exp of (a e1 + b e2, c e3): with b = 0 a turn about x by a, which carries c e3 to c (0, -(1 - cos a)/a, sin a / a).
static void test_joint(const td_model *model, td_workspace *ws) {
  double q[N] = {0.4, 0, 0.3}, *poses = malloc(sizeof *poses * 16 * (size_t)td_model_link_point_count(model, 0));
  td_state state = {.q = q};
  expect(td_joint_dof(TD_JOINT_TELESCOPE) == 3, "the joint has %d coordinates", td_joint_dof(TD_JOINT_TELESCOPE));
  evaluate(model, ws, &state, "poses", poses);
  expect_near(poses[3], 0, 1e-14, "position", 0);
  expect_near(poses[7], -0.3 * (1 - cos(0.4)) / 0.4, 1e-14, "position", 1);
  expect_near(poses[11], 0.3 * sin(0.4) / 0.4, 1e-14, "position", 2);
  expect_near(poses[5], cos(0.4), 1e-14, "R", 5);
  free(poses);
}

static void test_obstacle(void) {
  td_obstacle ball = {
      .type = TD_CONTACT_SPHERE_INTERIOR, .origin = {1, 0, 0}, .radius = 0.5, .stiffness = 10, .exponent = 1.5};
  double at[3] = {1.3, 0.4, -0.1}, distance = sqrt(0.09 + 0.16 + 0.01);
  td_touch here, near[2];
  td_touch_at(&ball, at, 0.05, &here);
  expect_near(here.depth, distance + 0.05 - 0.5, 1e-14, "depth", 0);
  expect(here.force[0] < 0 && here.force[1] < 0 && here.force[2] > 0, "the sphere is not pushed to the centre");
  for (int j = 0; j < 3; j++) {
    for (int k = 0; k < 2; k++) {
      at[j] += k ? 2e-6 : -1e-6;
      td_touch_at(&ball, at, 0.05, &near[k]);
    }
    at[j] -= 1e-6;
    expect_near(here.force[j], -(near[1].potential - near[0].potential) / 2e-6, 1e-7, "force", j);
    for (int i = 0; i < 3; i++)
      expect_near(here.slope[3 * i + j], (near[1].force[i] - near[0].force[i]) / 2e-6, 1e-6, "slope", 3 * i + j);
  }
}

static void test_state(const td_model *model, td_workspace *ws) {
  double mass[N * N], momentum[N], with[N], without[N], energy[8];
  td_state state = {.q = Q, .qd = QD}, rest = {.q = Q};
  evaluate(model, ws, &state, "mass", mass);
  evaluate(model, ws, &state, "momentum", momentum);
  for (int i = 0; i < N; i++) {
    double p = 0;
    for (int j = 0; j < N; j++) p += mass[i * N + j] * QD[j];
    expect_near(momentum[i], p, 1e-10, "momentum", i);
  }
  evaluate(model, ws, &state, "energy", energy);
  expect(energy[3] > 0, "nothing touches the sphere");
  evaluate(model, ws, &state, "tau", with);
  evaluate(model, ws, &rest, "tau", without);
  for (int i = 0; i < 3; i++) expect_near(with[i] - without[i], -(1e-3 + 1e-6) * QD[i], 1e-12, "air and damping", i);
  compare_slopes(model, ws, "id", "did_dq", 0);
  compare_slopes(model, ws, "id", "did_dqd", 1);
  compare_slopes(model, ws, "id", "did_dqdd", 2);
  compare_slopes(model, ws, "tau", "dtau_dq", 0);
  compare_slopes(model, ws, "tau", "dtau_dqd", 1);
}

static bool keep(void *context, double t, const double *row) {
  (void)t;
  memcpy(context, row, N * sizeof *row); // the last one stays
  return true;
}

static void run_job(const td_model *model, const char *text, double q[N], td_run_statistics *out) {
  td_error err = {0};
  job_document job;
  arena *a = arena_create();
  json_t *doc = document(text);
  td_run_hooks hooks = {.context = q, .sample = keep};
  td_status status = codec_job_read_local(doc, "", a, &job, &err);
  if (!status) status = codec_job_check(&job, model, "", NULL, NULL, &err);
  if (!status) status = td_dynamics_run(model, &job.dynamics, &hooks, NULL, 0, out, &err);
  if (status) fprintf(stderr, "%s: %s: %s\n", text, err.pointer, err.message), exit(2);
  arena_destroy(a);
  json_decref(doc);
}

static void run(const td_model *model, const char *method, const char *options, double q[N], td_run_statistics *out) {
  char text[2048];
  snprintf(text, sizeof text, JOB, method, options);
  run_job(model, text, q, out);
}

// A force with an input and an energy, which other robots do not have.
static void test_detent(const td_model *other) {
  enum { PARTS = 5, K = 4 };
  td_model *model = build(HELD);
  td_workspace *ws = NULL;
  double q[] = {0.3}, u[] = {K}, energy[PARTS], tau, slope, column, row[N];
  td_state state = {.q = q, .u = u};
  td_run_statistics run;
  if (td_workspace_create(model, &ws)) exit(2);
  expect(td_energy_count(model) == PARTS && td_energy_kind_of(model, PARTS - 1) == TD_ENERGY_DETENT,
         "it has %d energies", td_energy_count(model));
  expect(!strcmp(td_energy_name(TD_ENERGY_DETENT), "detent"), "its word is %s", td_energy_name(TD_ENERGY_DETENT));
  expect(td_energy_count(other) == PARTS - 1, "a robot without one has %d energies", td_energy_count(other));
  evaluate(model, ws, &state, "energy", energy);
  evaluate(model, ws, &state, "tau", &tau);
  evaluate(model, ws, &state, "dtau_dq", &slope);
  evaluate(model, ws, &state, "dtau_du", &column);
  expect_near(energy[PARTS - 1], K * q[0] * q[0] / 2, 1e-15, "energy", PARTS - 1);
  expect_near(tau, -K * q[0], 1e-15, "tau", 0);
  expect_near(slope, -K, 1e-15, "dtau_dq", 0);
  expect_near(column, -q[0], 1e-15, "dtau_du", 0);
  run_job(model, HELD_JOB, row, &run);
  const td_energy_balance *e = &run.energy;
  expect(fabs(e->detent) > 0.1 && fabs(e->actuation) > 0.1 && fabs(e->error) < 1e-4 * e->exchanged,
         "of a run %.3g J are stored, %.3g J are work of the input, %.3g J are missing", e->detent, e->actuation,
         e->error);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}

// The new method against radau, whose Jacobian has the new controller's derivatives; and its order, by half the step.
static void test_runs(const td_model *model) {
  double known[N], coarse[N], fine[N], off = 0, less = 0;
  td_run_statistics statistics;
  run(model, "radau", ", 'rtol': 1e-10, 'atol': 1e-12", known, &statistics);
  run(model, "heun", ", 'h': 0.00025", coarse, &statistics);
  expect(statistics.method == TD_METHOD_HEUN, "the run took method %d", (int)statistics.method);
  run(model, "heun", ", 'h': 0.000125", fine, &statistics);
  expect(fabs(statistics.energy.error) < 1e-3 * statistics.energy.exchanged, "energy is off by %.3g J of %.3g",
         statistics.energy.error, statistics.energy.exchanged);
  for (int i = 0; i < N; i++) off = fmax(off, fabs(coarse[i] - known[i])), less = fmax(less, fabs(fine[i] - known[i]));
  expect(off < 1e-2 && less < off / 3 && less > off / 5, "heun is off by %.3g, and by %.3g with half the step", off,
         less);
}

int main(void) {
  td_model *model = build(MODEL);
  td_workspace *ws = NULL;
  if (td_workspace_create(model, &ws)) return 2;
  expect(td_model_ndof(model) == N && td_model_channel_count(model) == M, "the robot has %d coordinates, %d channels",
         td_model_ndof(model), td_model_channel_count(model));
  if (wrong) return 1;
  test_basis();
  test_joint(model, ws);
  test_obstacle();
  test_state(model, ws);
  test_runs(model);
  test_detent(model);
  td_workspace_destroy(ws);
  td_model_destroy(model);
  return wrong ? 1 : 0;
}
