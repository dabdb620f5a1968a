// Groups paper_NAME: the six robots of Mathew2025 as the paper measured them (Table 3 and section 6), its figures
// beside ours.
//
// Rows `…_paper` print what the paper reports (MATLAB R2024a, i9-13900HX); our rows follow with their ratio to it, rows
// `…_differences` with their ratio to the analytic row. A run is the example job, 10 s with all its output, at the
// paper's tolerances 1e-3 / 1e-6 (`…_1e-6`: 1e-6 / 1e-9) or its step: by newmark where the robot is a tree, by
// generalized_alpha (index 3) where it has loops. A run is given up after RUN_BOUND_S of CPU time: "stuck". Statics:
// 1000 random problems, each from q = 0; without analytic derivatives by numeric_statics.c.
#include "bench/numeric_statics.h"
#include "bench/robot.h"
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include "support/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1000 };
static const double run_bound_s = 60;

/// What the paper reports, s; 0: nothing, INFINITY: "stuck".
typedef struct paper {
  const char *name;
  double dfd, dfd_differences; ///< one Jacobian of fd
  double bdf, bdf_differences; ///< ode15s, 10 s
  double newmark, h;           ///< its step
  double statics, statics_differences;
  double force, moment; ///< random statics inputs: tensions 0 … force, or wrenches and angles ± force, ± moment
} paper;

static const paper reported[] = {
    {"cdm", 1.3e-3, 10.5e-3, 1.25, 5.4, 24.4, 0.002, 3.3e-3, 28.2e-3, 100, 0},
    {"serial", 2.5e-3, 32.1e-3, 2.49, 7.08, 231, 0.001, 6.3e-3, 49.9e-3, 0.7853981633974483, 0},
    {"finray", 23.7e-3, 498e-3, 994, INFINITY, 69, 0.01, 0, 0, 0, 0},
    {"parallel", 5.1e-3, 82.9e-3, 2.46, 4500, 17.6, 0.01, 8.97e-3, 166.4e-3, 0.5, 0.05},
    {"contact", 2.3e-3, 23.7e-3, 7.8, 30.6, 46.6, 0.002, 0, 0, 0, 0},
    {"uw", 11.9e-3, 216e-3, 1.17, 496, 69, 0.01, 0, 0, 0, 0},
};

typedef struct fixture {
  const paper *paper;
  bench_robot *robot;
  arena *memory;
  json_t *document;
  job_document job;
  // of the run under way
  td_integrator_spec integrator;
  bench_figure *figure;
  double started, sum; ///< sum: every sample is read, as by a writer
  size_t row_size;
  td_run_statistics statistics;
  bool stuck;
  numeric_statics *numeric;
  // of the statics under way
  void (*solve)(struct fixture *f);
  int failures, iterations;
  char why[TD_MESSAGE_SIZE];
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  if (f->numeric) numeric_statics_destroy(f->numeric);
  if (f->robot) bench_robot_destroy(f->robot);
  if (f->document) json_decref(f->document);
  if (f->memory) arena_destroy(f->memory);
  free(f);
}

/// A state as in use: strains and angles small, tensions and torques of a few units.
static void calm(bench_robot *r) {
  for (int i = 0; i < r->n; i++) r->q[i] *= 0.02;
}

static bool read_job(fixture *f, const char *text, td_error *err) {
  f->memory = arena_create();
  f->document = text ? codec_parse(text, strlen(text), err) : NULL;
  return f->memory && f->document && codec_job_read_local(f->document, "", f->memory, &f->job, err) == TD_OK &&
         td_run_output_members(f->robot->model, &f->job.dynamics, NULL, 0, &f->row_size, err) >= 0;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  char file[64];
  td_error err = {.message = "not enough memory"};
  fixture *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->paper = &reported[group->size];
  snprintf(file, sizeof file, "%s.model.json", f->paper->name);
  f->robot = bench_robot_create(test_model_from_text(bench_example(file)), tree_seed(f->paper->name));
  snprintf(file, sizeof file, "%s.job.json", f->paper->name);
  if (f->robot && read_job(f, bench_example(file), &err)) return calm(f->robot), f;
  snprintf(why, BENCH_NOTE_SIZE, "the example: %.100s", err.message);
  return close_fixture(f), NULL;
}

// ---------------------------------------------------------------------------------------------------------- Jacobians

static bool rate(bench_robot *r, double *fd) {
  td_state state = {.q = r->q, .qd = r->qd, .qdd = r->qdd, .u = r->u};
  return td_constrained_dynamics(r->model, r->ws, &state, &(td_constrained_output){.fd = fd}) == TD_OK;
}

static bool call_dfd(void *context) {
  bench_robot *r = ((fixture *)context)->robot;
  td_state state = {.q = r->q, .qd = r->qd, .qdd = r->qdd, .u = r->u};
  td_constrained_output out = {.fd = r->vector, .dfd_dq = r->matrix[0], .dfd_dqd = r->matrix[1]};
  return td_constrained_dynamics(r->model, r->ws, &state, &out) == TD_OK;
}

/// Column j of `matrix`: (fd(x + h e_j) - fd) / h, with x = q or qd.
static bool difference_column(bench_robot *r, double *x, int j, double *matrix) {
  const double kept = x[j], h = 1.5e-8 * fmax(1, fabs(kept));
  x[j] = kept + h;
  bool good = rate(r, r->other);
  x[j] = kept;
  for (int i = 0; i < r->n; i++) matrix[i * r->n + j] = (r->other[i] - r->vector[i]) / h;
  return good;
}

static bool call_dfd_differences(void *context) {
  bench_robot *r = ((fixture *)context)->robot;
  bool good = rate(r, r->vector);
  for (int j = 0; j < r->n && good; j++)
    good = difference_column(r, r->q, j, r->matrix[0]) && difference_column(r, r->qd, j, r->matrix[1]);
  return good;
}

static void measure(void *context, bench_figure *figure, bool (*call)(void *context)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = context}, figure);
}

static void dfd(void *context, bench_figure *figure) { measure(context, figure, call_dfd); }
static void dfd_differences(void *context, bench_figure *figure) { measure(context, figure, call_dfd_differences); }

// --------------------------------------------------------------------------------------------------------------- runs

static bool on_step(void *context, double t) {
  fixture *f = context;
  (void)t;
  f->stuck = bench_now(BENCH_CPU) - f->started > run_bound_s;
  return !f->stuck;
}

static bool on_sample(void *context, double t, const double *row) {
  fixture *f = context;
  (void)t;
  for (size_t i = 0; i < f->row_size; i++) f->sum += row[i];
  return true;
}

static bool call_run(void *context) {
  fixture *f = context;
  td_dynamics_spec spec = f->job.dynamics;
  spec.integrator = f->integrator;
  td_run_hooks hooks = {.context = f, .step = on_step, .sample = on_sample};
  td_error err = {.status = TD_OK};
  f->started = bench_now(BENCH_CPU);
  if (td_dynamics_run(f->robot->model, &spec, &hooks, NULL, 0, &f->statistics, &err) == TD_OK) return true;
  if (!f->stuck) bench_note(f->figure, "failed at t %.4g s: %.110s", f->statistics.t, err.message);
  return false;
}

/// A run that is stuck or fails is a finding, not a defect of the measurement: it has no figure, and its note says
/// where it ended.
static void run(fixture *f, bench_figure *figure) {
  const td_run_statistics *s = &f->statistics;
  bench_figure measured = {0};
  f->figure = figure;
  f->stuck = false;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_run, .context = f}, &measured);
  figure->median = measured.failed ? NAN : measured.median, figure->min = measured.failed ? NAN : measured.min;
  if (f->stuck)
    bench_note(figure, "stuck at t %.4g s after %g s of CPU, %llu steps", s->t, run_bound_s,
               (unsigned long long)s->steps);
  else if (!measured.failed)
    bench_note(figure, "%s, %llu steps, %llu evaluations, %llu Jacobians; loop error %.1e, energy off by %.0e",
               td_method_name(f->integrator.method), (unsigned long long)s->steps, (unsigned long long)s->evaluations,
               (unsigned long long)s->jacobians, s->drift, fabs(s->energy.error) / fmax(s->energy.exchanged, 1e-300));
}

static void run_multistep(fixture *f, bench_figure *figure, td_method method, double rtol, bool differences) {
  td_integrator_defaults(&f->integrator);
  f->integrator.method = method;
  f->integrator.rtol = rtol, f->integrator.atol = 1e-3 * rtol;
  f->integrator.finite_difference = differences;
  run(f, figure);
}

static void run_steps(fixture *f, bench_figure *figure, bool differences) {
  bool loops = td_model_loop_row_count(f->robot->model) > 0;
  td_integrator_defaults(&f->integrator);
  f->integrator.method = loops ? TD_METHOD_GENERALIZED_ALPHA : TD_METHOD_NEWMARK;
  f->integrator.h = f->paper->h;
  f->integrator.finite_difference = differences;
  run(f, figure);
}

static void bdf(void *f, bench_figure *figure) { run_multistep(f, figure, TD_METHOD_BDF, 1e-3, false); }
static void bdf_differences(void *f, bench_figure *figure) { run_multistep(f, figure, TD_METHOD_BDF, 1e-3, true); }
static void bdf_tight(void *f, bench_figure *figure) { run_multistep(f, figure, TD_METHOD_BDF, 1e-6, false); }
static void dae(void *f, bench_figure *figure) { run_multistep(f, figure, TD_METHOD_DAE, 1e-3, false); }
static void dae_tight(void *f, bench_figure *figure) { run_multistep(f, figure, TD_METHOD_DAE, 1e-6, false); }
static void steps(void *f, bench_figure *figure) { run_steps(f, figure, false); }
static void steps_differences(void *f, bench_figure *figure) { run_steps(f, figure, true); }

// ------------------------------------------------------------------------------------------------------------ statics

/// Input c of a random problem.
static double random_input(const fixture *f, int c, uint64_t *seed) {
  if (td_model_channel_is_tendon(f->robot->model, c)) return bench_positive(seed, f->paper->force);
  bool moment = f->paper->moment > 0 && td_model_channel_name(f->robot->model, c)[0] == 'm';
  return (moment ? f->paper->moment : f->paper->force) * tree_random(seed);
}

static void next_problem(fixture *f, uint64_t *seed) {
  for (int c = 0; c < f->robot->m; c++) f->robot->u[c] = random_input(f, c, seed);
}

static void solve(fixture *f) {
  bench_robot *r = f->robot;
  td_statics_options options;
  td_statics_result result = {0};
  td_error err = {.status = TD_OK};
  td_statics_defaults(&options);
  memset(r->vector, 0, (size_t)r->n * sizeof *r->vector);
  td_status status = td_statics_solve(r->model, r->ws, r->u, &options, r->vector, &result, &err);
  f->iterations += result.iterations;
  if (status != TD_OK && f->failures++ == 0) snprintf(f->why, sizeof f->why, ": %.100s", err.message);
}

static void solve_numerically(fixture *f) {
  f->failures += !numeric_statics_solve(f->numeric, f->robot->u, &f->iterations);
}

static bool call_statics(void *context) {
  fixture *f = context;
  uint64_t seed = tree_seed("statics");
  f->failures = 0, f->iterations = 0, f->why[0] = '\0';
  for (int i = 0; i < PROBLEMS; i++) {
    next_problem(f, &seed);
    f->solve(f);
  }
  return true;
}

static void measure_statics(fixture *f, bench_figure *figure, void (*how)(fixture *f)) {
  f->solve = how;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_statics, .context = f, .items = PROBLEMS}, figure);
  if (!figure->failed)
    bench_note(figure, "%.1f iterations, %d of %d failed%.80s", (double)f->iterations / PROBLEMS, f->failures, PROBLEMS,
               f->why);
}

static void statics(void *context, bench_figure *figure) { measure_statics(context, figure, solve); }

static void statics_differences(void *context, bench_figure *figure) {
  fixture *f = context;
  if (!f->numeric) f->numeric = numeric_statics_create(f->robot->model);
  if (f->numeric)
    measure_statics(f, figure, solve_numerically);
  else
    bench_fail(figure, "not enough memory");
}

// --------------------------------------------------------------------------------------------------------------- rows

static void say(bench_figure *figure, double seconds) {
  bool finite = isfinite(seconds);
  figure->median = figure->min = finite ? seconds : NAN;
  bench_note(figure, "%s, i9-13900HX", finite ? "as reported" : "reported as stuck");
}

#define PAPER(member)                                                                                                  \
  static void member##_paper(void *f, bench_figure *figure) { say(figure, ((fixture *)f)->paper->member); }
PAPER(dfd)
PAPER(dfd_differences)
PAPER(bdf)
PAPER(bdf_differences)
PAPER(newmark)
PAPER(statics)
PAPER(statics_differences)

static const bench_row rows[] = {
    {"dfd_paper", "us", dfd_paper, NULL},
    {"dfd_differences_paper", "us", dfd_differences_paper, "dfd_paper"},
    {"dfd", "us", dfd, "dfd_paper"},
    {"dfd_differences", "us", dfd_differences, "dfd"},
    {"bdf_paper", "ms", bdf_paper, NULL},
    {"bdf_differences_paper", "ms", bdf_differences_paper, "bdf_paper"},
    {"bdf", "ms", bdf, "bdf_paper"},
    {"bdf_differences", "ms", bdf_differences, "bdf"},
    {"dae", "ms", dae, "bdf"},
    {"bdf_1e-6", "ms", bdf_tight, "bdf"},
    {"dae_1e-6", "ms", dae_tight, "bdf_1e-6"},
    {"steps_paper", "ms", newmark_paper, NULL},
    {"steps", "ms", steps, "steps_paper"},
    {"steps_differences", "ms", steps_differences, "steps"},
    {"statics_paper", "ms", statics_paper, NULL},
    {"statics_differences_paper", "ms", statics_differences_paper, "statics_paper"},
    {"statics", "ms", statics, "statics_paper"},
    {"statics_differences", "ms", statics_differences, "statics"},
};
enum { ROWS = sizeof rows / sizeof *rows, ROWS_WITHOUT_STATICS = ROWS - 4 };

const bench_group bench_paper[BENCH_PAPER_COUNT] = {
    {"paper_cdm", rows, ROWS, open_fixture, close_fixture, 0},
    {"paper_serial", rows, ROWS, open_fixture, close_fixture, 1},
    {"paper_finray", rows, ROWS_WITHOUT_STATICS, open_fixture, close_fixture, 2},
    {"paper_parallel", rows, ROWS, open_fixture, close_fixture, 3},
    {"paper_contact", rows, ROWS_WITHOUT_STATICS, open_fixture, close_fixture, 4},
    {"paper_uw", rows, ROWS_WITHOUT_STATICS, open_fixture, close_fixture, 5},
};
