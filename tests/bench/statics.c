// Group statics: equilibria of the cable-driven manipulator under random tensions of 0 to 100 N.
#include "tendril/statics.h"
#include "bench/robot.h"
#include "support/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 1000, SOLVES = 50 };

typedef struct fixture {
  bench_robot *robot;
  double *tension;       ///< [m][LIST]
  td_input_spec *inputs; ///< [m]
  td_statics_options options;
  int failures;
  long iterations;
  char why[TD_MESSAGE_SIZE]; ///< of the first failure
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  if (f->robot) bench_robot_destroy(f->robot);
  free(f->tension);
  free(f->inputs);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  uint64_t seed = tree_seed("tensions");
  f->robot = bench_robot_create(bench_cdm_model(), seed);
  int m = f->robot ? f->robot->m : 0;
  f->tension = calloc((size_t)m * LIST + 1, sizeof *f->tension);
  f->inputs = calloc((size_t)m + 1, sizeof *f->inputs);
  if (!f->robot || !f->tension || !f->inputs)
    return close_fixture(f), snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  td_statics_defaults(&f->options);
  for (int i = 0; i < m * LIST; i++) f->tension[i] = bench_positive(&seed, 100);
  for (int c = 0; c < m; c++)
    f->inputs[c] = (td_input_spec){
        .channel = td_model_channel_name(f->robot->model, c), .list = f->tension + c * LIST, .list_count = LIST};
  return f;
}

static void count(fixture *f, const td_statics_result *result, const td_error *failure) {
  f->iterations += result->iterations;
  if (result->converged) return;
  if (f->failures++ == 0) snprintf(f->why, sizeof f->why, "%s", failure ? failure->message : "");
}

static void forget(fixture *f) { f->failures = 0, f->iterations = 0; }

// ------------------------------------------------------------------------------------------------------------- calls

// The matrices of one Newton iteration, what a solve is made of.
static bool call_jacobian(void *context) {
  bench_robot *r = ((fixture *)context)->robot;
  return td_residual_derivatives(r->model, r->ws, r->q, NULL, NULL, r->u, r->vector, r->matrix[0], NULL, NULL) == TD_OK;
}

// The first problems of the list, each from the straight rod.
static bool call_solves(void *context) {
  fixture *f = context;
  bench_robot *r = f->robot;
  forget(f);
  for (int i = 0; i < SOLVES; i++) {
    td_statics_result result = {0};
    td_error err = {.status = TD_OK};
    for (int c = 0; c < r->m; c++) r->u[c] = f->tension[c * LIST + i];
    memset(r->vector, 0, (size_t)r->n * sizeof *r->vector);
    if (td_statics_solve(r->model, r->ws, r->u, &f->options, r->vector, &result, &err) != TD_OK)
      result.converged = false;
    count(f, &result, &err);
  }
  return true;
}

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  (void)index, (void)u, (void)q;
  count(context, result, failure);
  return true;
}

// The whole list as a statics job runs it: warm starts along it.
static bool call_list(void *context) {
  fixture *f = context;
  td_statics_spec spec = {.inputs = f->inputs, .input_count = (size_t)f->robot->m, .options = f->options};
  td_statics_hooks hooks = {.context = f, .solved = on_solved};
  td_run_statistics statistics;
  td_error err = {.status = TD_OK};
  forget(f);
  return td_statics_run(f->robot->model, &spec, 0, NULL, &hooks, &statistics, &err) == TD_OK;
}

// -------------------------------------------------------------------------------------------------------------- rows

static void jacobian(void *context, bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_jacobian, .context = context}, figure);
}

static void say(const fixture *f, bench_figure *figure, int problems) {
  if (figure->failed) return;
  bench_note(figure, "%.1f iterations, %d of %d failed%s%.60s", (double)f->iterations / problems, f->failures, problems,
             f->failures ? ": " : "", f->failures ? f->why : "");
}

static void one(void *context, bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_solves, .context = context, .items = SOLVES}, figure);
  say(context, figure, SOLVES);
}

static void whole_list(void *context, bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_list, .context = context}, figure);
  say(context, figure, LIST);
}

static const bench_row rows[] = {
    {"cdm_jacobian", "us", jacobian, NULL},
    {"cdm_solve", "us", one, "cdm_jacobian"},
    {"cdm_1000", "ms", whole_list, "cdm_solve"},
};

const bench_group bench_statics = {"statics", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
