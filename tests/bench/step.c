// Group step: the discrete map of the cable-driven manipulator, 10 ms ahead, against the derivatives of one state.
#include "tendril/step.h"
#include "bench/robot.h"
#include "support/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  bench_robot *robot;
  td_step *euler, *alpha;
  double *x, *next, *dx, *du; ///< [2n], [2n], [2n][2n], [2n][m]
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  if (f->robot) bench_robot_destroy(f->robot);
  td_step_destroy(f->euler);
  td_step_destroy(f->alpha);
  free(f->x);
  free(f);
}

static bool prepare(fixture *f) {
  f->robot = bench_robot_create(bench_cdm_model(), tree_seed("state"));
  if (!f->robot) return false;
  bench_robot *r = f->robot;
  size_t n = (size_t)r->n, m = (size_t)r->m;
  f->x = calloc(4 * n + 4 * n * n + 2 * n * m, sizeof *f->x);
  if (!f->x) return false;
  f->next = f->x + 2 * n;
  f->dx = f->next + 2 * n;
  f->du = f->dx + 4 * n * n;
  for (size_t i = 0; i < n; i++) f->x[i] = r->q[i] *= 0.1, f->x[n + i] = r->qd[i];
  td_step_spec spec = {.h = 0.01, .method = TD_METHOD_EULER_IMPLICIT, .substeps = 1};
  bool good = td_step_create(r->model, NULL, &spec, &f->euler, NULL) == TD_OK;
  spec.method = TD_METHOD_GENERALIZED_ALPHA;
  return good && td_step_create(r->model, NULL, &spec, &f->alpha, NULL) == TD_OK;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (f && prepare(f)) return f;
  if (f) close_fixture(f);
  return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
}

// ------------------------------------------------------------------------------------------------------------ calls

static bool call_dfd(void *context) {
  fixture *f = context;
  bench_robot *r = f->robot;
  return td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, r->vector, r->matrix[0], r->matrix[1], f->du) == TD_OK;
}

static bool call_value(void *context) {
  fixture *f = context;
  return td_step_take(f->euler, f->x, f->robot->u, f->next, NULL, NULL, NULL, NULL) == TD_OK;
}

static bool call_euler(void *context) {
  fixture *f = context;
  return td_step_take(f->euler, f->x, f->robot->u, f->next, f->dx, f->du, NULL, NULL) == TD_OK;
}

static bool call_alpha(void *context) {
  fixture *f = context;
  return td_step_take(f->alpha, f->x, f->robot->u, f->next, f->dx, f->du, NULL, NULL) == TD_OK;
}

// ------------------------------------------------------------------------------------------------------------- rows

static void measure(void *context, bench_figure *figure, bool (*call)(void *context)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = context}, figure);
}

static void dfd(void *context, bench_figure *figure) { measure(context, figure, call_dfd); }
static void value(void *context, bench_figure *figure) { measure(context, figure, call_value); }
static void euler(void *context, bench_figure *figure) { measure(context, figure, call_euler); }
static void alpha(void *context, bench_figure *figure) { measure(context, figure, call_alpha); }

static const bench_row rows[] = {
    {"cdm_dfd", "us", dfd, NULL},
    {"cdm_value", "us", value, "cdm_dfd"},
    {"cdm_euler", "us", euler, "cdm_dfd"},
    {"cdm_alpha", "us", alpha, "cdm_dfd"},
};

const bench_group bench_step = {"step", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
