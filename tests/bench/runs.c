// Group runs: the example job of the cable-driven manipulator, 10 s with its five cables and all its output, by method.
//
// A run is given up when it has used RUN_BOUND_S of CPU time: the arm is stiff, and explicit methods crawl.
#include "bench/robot.h"
#include "codec/document/job/job.h"
#include "codec/json/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double run_bound_s = 10;

typedef struct variant {
  td_method method;
  double rtol, atol; ///< 0: the method has none
  double h;
  bool finite_difference;
} variant;

typedef struct fixture {
  td_model *model;
  arena *memory;
  json_t *document;
  job_document job;
  // of the run under way
  const variant *variant;
  bench_figure *figure;
  double started, sum; ///< sum: every sample is read, as by a writer
  size_t row_size;
  td_run_statistics statistics;
  bool stuck;
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  td_model_destroy(f->model);
  json_decref(f->document);
  arena_destroy(f->memory);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  td_error err = {.message = "not enough memory"};
  fixture *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  const char *text = bench_example("cdm.job.json");
  f->model = bench_cdm_model();
  f->memory = arena_create();
  f->document = codec_parse(text, strlen(text), &err);
  if (f->memory && f->document && codec_job_read_local(f->document, "", f->memory, &f->job, &err) == TD_OK &&
      td_run_output_members(f->model, &f->job.dynamics, NULL, 0, &f->row_size, &err) >= 0)
    return f;
  snprintf(why, BENCH_NOTE_SIZE, "the example job: %.100s", err.message);
  return close_fixture(f), NULL;
}

// ------------------------------------------------------------------------------------------------------------- a run

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

static td_dynamics_spec spec_of(const fixture *f) {
  td_dynamics_spec spec = f->job.dynamics;
  td_integrator_spec *integrator = &spec.integrator;
  const variant *v = f->variant;
  td_integrator_defaults(integrator);
  integrator->method = v->method;
  integrator->finite_difference = v->finite_difference;
  if (v->rtol > 0) integrator->rtol = v->rtol, integrator->atol = v->atol;
  if (v->h > 0) integrator->h = v->h;
  return spec;
}

static bool call(void *context) {
  fixture *f = context;
  td_dynamics_spec spec = spec_of(f);
  td_run_hooks hooks = {.context = f, .step = on_step, .sample = on_sample};
  td_error err = {.status = TD_OK};
  f->started = bench_now(BENCH_CPU);
  if (td_dynamics_run(f->model, &spec, &hooks, NULL, 0, &f->statistics, &err) == TD_OK) return true;
  if (!f->stuck) bench_fail(f->figure, "failed at t %.4g s: %.110s", f->statistics.t, err.message);
  return false;
}

static void note(const fixture *f, bench_figure *figure) {
  const td_run_statistics *s = &f->statistics;
  bench_note(figure, "%llu steps, %llu rejected, %llu evaluations, %llu Jacobians, %llu factorisations",
             (unsigned long long)s->steps, (unsigned long long)s->rejected, (unsigned long long)s->evaluations,
             (unsigned long long)s->jacobians, (unsigned long long)s->factorisations);
}

static void measure(fixture *f, bench_figure *figure, const variant *v) {
  f->variant = v;
  f->figure = figure;
  f->stuck = false;
  bench_figure measured = {0};
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = f}, &measured);
  if (figure->failed) return;
  figure->median = measured.median, figure->min = measured.min;
  if (!f->stuck)
    note(f, figure);
  else
    bench_note(figure, "stuck at t %.4g s of %g after %g s of CPU, %llu steps", f->statistics.t, f->job.dynamics.t_end,
               run_bound_s, (unsigned long long)f->statistics.steps);
}

// -------------------------------------------------------------------------------------------------------------- rows

#define RUN(function, ...)                                                                                             \
  static void function(void *f, bench_figure *figure) { measure(f, figure, &(variant){__VA_ARGS__}); }
RUN(bdf, TD_METHOD_BDF, 1e-3, 1e-6, 0, false)
RUN(bdf_differences, TD_METHOD_BDF, 1e-3, 1e-6, 0, true)
RUN(bdf_tight, TD_METHOD_BDF, 1e-6, 1e-9, 0, false)
RUN(bdf_tight_differences, TD_METHOD_BDF, 1e-6, 1e-9, 0, true)
RUN(dae, TD_METHOD_DAE, 1e-3, 1e-6, 0, false)
RUN(dae_tight, TD_METHOD_DAE, 1e-6, 1e-9, 0, false)
RUN(newmark, TD_METHOD_NEWMARK, 0, 0, 0.002, false)
RUN(newmark_differences, TD_METHOD_NEWMARK, 0, 0, 0.002, true)
RUN(euler_implicit, TD_METHOD_EULER_IMPLICIT, 0, 0, 0.002, false)
RUN(rk45, TD_METHOD_RK45, 1e-3, 1e-6, 0, false)

static const bench_row rows[] = {
    {"cdm_bdf_1e-3", "ms", bdf, NULL},
    {"cdm_bdf_1e-3_differences", "ms", bdf_differences, "cdm_bdf_1e-3"},
    {"cdm_bdf_1e-6", "ms", bdf_tight, "cdm_bdf_1e-3"},
    {"cdm_bdf_1e-6_differences", "ms", bdf_tight_differences, "cdm_bdf_1e-3"},
    {"cdm_dae_1e-3", "ms", dae, "cdm_bdf_1e-3"},
    {"cdm_dae_1e-6", "ms", dae_tight, "cdm_bdf_1e-6"},
    {"cdm_newmark_0.002", "ms", newmark, "cdm_bdf_1e-3"},
    {"cdm_newmark_0.002_differences", "ms", newmark_differences, "cdm_bdf_1e-3"},
    {"cdm_euler_implicit_0.002", "ms", euler_implicit, "cdm_bdf_1e-3"},
    {"cdm_rk45_1e-3", "ms", rk45, "cdm_bdf_1e-3"},
};

const bench_group bench_runs = {"runs", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
