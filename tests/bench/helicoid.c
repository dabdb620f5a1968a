// Group helicoid: the algorithms of Pustina2025 under their names, and implicit runs, on three volume-preserving bodies
// (n = 24).
//
// iid: inertial forces alone (no gravity); id: all forces, ID - tau; miid, mid: the same with the mass matrix in one
// pass
// (id_then_mass: in two); fd: accelerations through the mass matrix. controlled: with partial feedback linearisation.
// Runs: 0.5 s of three waving tensions by two implicit methods, Jacobians analytic or by forward
// differences: what analytic derivatives save.
#include "bench/robot.h"
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "support/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  bench_robot *robot, *weightless;
  arena *memory;
  json_t *model, *job_text;
  job_document job;
  td_method method; ///< of the run under way
  bool differences;
  td_run_statistics statistics;
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  if (f->robot) bench_robot_destroy(f->robot);
  if (f->weightless) bench_robot_destroy(f->weightless);
  json_decref(f->model);
  json_decref(f->job_text);
  arena_destroy(f->memory);
  free(f);
}

static bench_robot *robot_of(const json_t *document, td_error *err) {
  td_model *model = NULL;
  if (codec_model_build(document, "", &model, err) != TD_OK) return NULL;
  bench_robot *r = bench_robot_create(model, tree_seed("state"));
  for (int i = 0; r && i < r->n; i++) r->q[i] *= 0.1, r->u[i % r->m] = 0.5 + 0.05 * i; // within the kinematics
  return r;
}

static bool read_documents(fixture *f, td_error *err) {
  const char *model = bench_example("helicoid.model.json"), *job = bench_example("helicoid.job.json");
  f->model = codec_parse(model, strlen(model), err);
  f->job_text = codec_parse(job, strlen(job), err);
  f->memory = arena_create();
  if (!f->model || !f->job_text || !f->memory) return false;
  return codec_job_read_local(f->job_text, "", f->memory, &f->job, err) == TD_OK;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  td_error err = {.message = "not enough memory"};
  fixture *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  bool good = read_documents(f, &err);
  if (good) f->robot = robot_of(f->model, &err);
  if (good) json_object_set_new(f->model, "gravity", json_pack("[i, i, i]", 0, 0, 0));
  if (good) f->weightless = robot_of(f->model, &err);
  if (f->robot && f->weightless) return f;
  snprintf(why, BENCH_NOTE_SIZE, "the example: %.100s", err.message);
  return close_fixture(f), NULL;
}

// ------------------------------------------------------------------------------------------------- the papers' names

static bool call_id(void *robot) {
  bench_robot *r = robot;
  return td_inverse_dynamics(r->model, r->ws, r->q, r->qd, r->qdd, r->u, r->vector) == TD_OK;
}
static bool call_miid(void *robot) {
  bench_robot *r = robot;
  return td_mass_inverse_dynamics(r->model, r->ws, r->q, r->qd, r->qdd, r->u, r->vector, r->matrix[0]) == TD_OK;
}
static bool call_forces(void *robot) {
  bench_robot *r = robot;
  return call_id(r) && td_generalized_force(r->model, r->ws, r->q, r->qd, r->u, r->other) == TD_OK;
}
static bool call_mid(void *robot) {
  bench_robot *r = robot;
  return call_miid(r) && td_generalized_force(r->model, r->ws, r->q, r->qd, r->u, r->other) == TD_OK;
}
static bool call_apart(void *robot) {
  bench_robot *r = robot;
  return call_forces(r) && td_mass_matrix(r->model, r->ws, r->q, r->matrix[0]) == TD_OK;
}
static bool call_fd(void *robot) {
  bench_robot *r = robot;
  return td_forward_dynamics(r->model, r->ws, r->q, r->qd, r->u, r->vector) == TD_OK;
}
static bool call_dfd(void *robot) {
  bench_robot *r = robot;
  return td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, r->vector, r->matrix[0], r->matrix[1], NULL) == TD_OK;
}

static void measure(bench_robot *robot, bench_figure *figure, bool (*call)(void *)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = robot}, figure);
}

static void iid(void *f, bench_figure *figure) { measure(((fixture *)f)->weightless, figure, call_id); }
static void id(void *f, bench_figure *figure) { measure(((fixture *)f)->robot, figure, call_forces); }
static void miid(void *f, bench_figure *figure) { measure(((fixture *)f)->weightless, figure, call_miid); }
static void mid(void *f, bench_figure *figure) { measure(((fixture *)f)->robot, figure, call_mid); }
static void apart(void *f, bench_figure *figure) { measure(((fixture *)f)->robot, figure, call_apart); }
static void fd(void *f, bench_figure *figure) { measure(((fixture *)f)->robot, figure, call_fd); }
static void dfd(void *f, bench_figure *figure) { measure(((fixture *)f)->robot, figure, call_dfd); }

// ------------------------------------------------------------------------------------------------------------- runs

static bool call_run(void *context) {
  fixture *f = context;
  static const char *const fields[] = {"q"};
  static const td_input_spec pulls[] = {
      {.channel = "t1a",
       .signal = {.type = TD_SIGNAL_SINE, .offset = 0.5, .amplitude = 0.4, .frequency = 1, .phase = 0}},
      {.channel = "t2b",
       .signal = {.type = TD_SIGNAL_SINE, .offset = 1, .amplitude = 0.8, .frequency = 1.5, .phase = 1}},
      {.channel = "t3c",
       .signal = {.type = TD_SIGNAL_SINE, .offset = 1.5, .amplitude = 1.2, .frequency = 2, .phase = 2}}};
  td_dynamics_spec spec = f->job.dynamics;
  td_error err = {.status = TD_OK};
  spec.controllers = NULL, spec.controller_count = 0; // Jacobians of the robot alone
  spec.inputs = pulls, spec.input_count = 3;
  spec.t_end = 0.5, spec.output_dt = 0.01;
  spec.fields = fields, spec.field_count = 1;
  td_integrator_defaults(&spec.integrator);
  spec.integrator.method = f->method;
  spec.integrator.rtol = 1e-4, spec.integrator.atol = 1e-7;
  spec.integrator.finite_difference = f->differences;
  return td_dynamics_run(f->robot->model, &spec, &(td_run_hooks){0}, NULL, 0, &f->statistics, &err) == TD_OK;
}

// The same under partial feedback linearisation of the nine lengths, 5 % shorter within half a second.
static bool call_controlled(void *context) {
  fixture *f = context;
  static const char *const fields[] = {"q"};
  static const char *const channels[] = {"t1a", "t1b", "t1c", "t2a", "t2b", "t2c", "t3a", "t3b", "t3c"};
  static const double t[] = {0, 0.5}, kp[] = {100}, kd[] = {20};
  static double value[2][9];
  for (int i = 0; i < 9; i++) value[0][i] = 0.135 * (1 + i / 3), value[1][i] = 0.95 * value[0][i];
  td_controller_spec law = f->job.dynamics.controllers[0];
  law.channels = channels, law.channel_count = 9;
  law.kp = kp, law.kp_count = 1, law.kd = kd, law.kd_count = 1;
  law.reference =
      (td_reference_spec){.space = TD_SPACE_TENDON, .t = t, .knots = 2, .rows = 2, .width = 9, .value = value[0]};
  td_dynamics_spec spec = f->job.dynamics;
  td_error err = {.status = TD_OK};
  spec.controllers = &law, spec.controller_count = 1;
  spec.t_end = 0.5, spec.output_dt = 0.01;
  spec.fields = fields, spec.field_count = 1;
  return td_dynamics_run(f->robot->model, &spec, &(td_run_hooks){0}, NULL, 0, &f->statistics, &err) == TD_OK;
}

static void controlled(void *context, bench_figure *figure) {
  fixture *f = context;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_controlled, .context = f}, figure);
  const td_run_statistics *s = &f->statistics;
  if (!figure->failed)
    bench_note(figure, "one MID each of %llu evaluations, %llu Jacobians", (unsigned long long)s->evaluations,
               (unsigned long long)s->jacobians);
}

static void run(fixture *f, bench_figure *figure, td_method method, bool differences) {
  f->method = method, f->differences = differences;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_run, .context = f}, figure);
  const td_run_statistics *s = &f->statistics;
  if (!figure->failed)
    bench_note(figure, "%llu steps, %llu evaluations, %llu Jacobians", (unsigned long long)s->steps,
               (unsigned long long)s->evaluations, (unsigned long long)s->jacobians);
}

static void bdf(void *f, bench_figure *figure) { run(f, figure, TD_METHOD_BDF, false); }
static void bdf_differences(void *f, bench_figure *figure) { run(f, figure, TD_METHOD_BDF, true); }
static void newmark(void *f, bench_figure *figure) { run(f, figure, TD_METHOD_NEWMARK, false); }
static void newmark_differences(void *f, bench_figure *figure) { run(f, figure, TD_METHOD_NEWMARK, true); }

static const bench_row rows[] = {
    {"iid", "us", iid, NULL},
    {"id", "us", id, "iid"},
    {"miid", "us", miid, "iid"},
    {"id_then_mass", "us", apart, "id"},
    {"mid", "us", mid, "id_then_mass"},
    {"fd", "us", fd, "id"},
    {"dfd", "us", dfd, "fd"},
    {"bdf_1e-4_differences", "ms", bdf_differences, NULL},
    {"bdf_1e-4", "ms", bdf, "bdf_1e-4_differences"},
    {"bdf_1e-4_controlled", "ms", controlled, "bdf_1e-4"},
    {"newmark_0.002_differences", "ms", newmark_differences, NULL},
    {"newmark_0.002", "ms", newmark, "newmark_0.002_differences"},
};

const bench_group bench_helicoid = {"helicoid", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
