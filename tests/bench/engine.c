// Groups cdm, chain_7, chain_24, chain_80, quadruped: the algorithms at one state.
//
// A warm state asked for again and again: caches and branch predictors are at their best, as they are in an integrator.
// dfd_differences is what analytic derivatives replace: 2n + 1 evaluations of our own fd.
#include "bench/robot.h"
#include "support/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------ calls

static bool call_id(void *robot) {
  bench_robot *r = robot;
  return td_inverse_dynamics(r->model, r->ws, r->q, r->qd, r->qdd, r->u, r->vector) == TD_OK;
}

static bool call_mass(void *robot) {
  bench_robot *r = robot;
  return td_mass_matrix(r->model, r->ws, r->q, r->matrix[0]) == TD_OK;
}

static bool call_tau(void *robot) {
  bench_robot *r = robot;
  return td_generalized_force(r->model, r->ws, r->q, r->qd, r->u, r->vector) == TD_OK;
}

static bool call_fd(void *robot) {
  bench_robot *r = robot;
  return td_forward_dynamics(r->model, r->ws, r->q, r->qd, r->u, r->vector) == TD_OK;
}

static bool call_did(void *robot) {
  bench_robot *r = robot;
  return td_id_derivatives(r->model, r->ws, r->q, r->qd, r->qdd, r->u, NULL, r->matrix[0], r->matrix[1],
                           r->matrix[2]) == TD_OK;
}

static bool call_dfd(void *robot) {
  bench_robot *r = robot;
  return td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, r->vector, r->matrix[0], r->matrix[1], NULL) == TD_OK;
}

// Column j of `matrix`: (fd(x + h e_j) - fd) / h, with x = q or qd.
static bool difference_column(bench_robot *r, double *x, int j, double *matrix) {
  const double kept = x[j], h = 1.5e-8 * fmax(1, fabs(kept));
  x[j] = kept + h;
  bool good = td_forward_dynamics(r->model, r->ws, r->q, r->qd, r->u, r->other) == TD_OK;
  x[j] = kept;
  for (int i = 0; i < r->n; i++) matrix[i * r->n + j] = (r->other[i] - r->vector[i]) / h;
  return good;
}

static bool call_differences(void *robot) {
  bench_robot *r = robot;
  bool good = call_fd(r);
  for (int j = 0; j < r->n && good; j++)
    good = difference_column(r, r->q, j, r->matrix[0]) && difference_column(r, r->qd, j, r->matrix[1]);
  return good;
}

// ------------------------------------------------------------------------------------------------------------- rows

static void measure(void *robot, bench_figure *figure, bool (*call)(void *robot)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = robot}, figure);
}

static void id(void *robot, bench_figure *figure) { measure(robot, figure, call_id); }
static void mass(void *robot, bench_figure *figure) { measure(robot, figure, call_mass); }
static void tau(void *robot, bench_figure *figure) { measure(robot, figure, call_tau); }
static void fd(void *robot, bench_figure *figure) { measure(robot, figure, call_fd); }
static void did(void *robot, bench_figure *figure) { measure(robot, figure, call_did); }
static void dfd(void *robot, bench_figure *figure) { measure(robot, figure, call_dfd); }
#define BATCH(function, ...)                                                                                           \
  static void function(void *robot, bench_figure *figure) {                                                            \
    bench_batch(robot, (const char *const[]){__VA_ARGS__, NULL}, figure);                                              \
  }
BATCH(id_batch, "id")
BATCH(mass_batch, "mass")
BATCH(fd_batch, "fd")
BATCH(did_batch, "did_dq", "did_dqd", "did_dqdd")
BATCH(dfd_batch, "fd", "dfd_dq", "dfd_dqd")
static void differences(void *robot, bench_figure *figure) { measure(robot, figure, call_differences); }

// tau last: a chain has neither elasticity nor actuators.
static const bench_row rows[] = {
    {"id", "us", id, NULL},
    {"mass", "us", mass, "id"},
    {"fd", "us", fd, "id"},
    {"did", "us", did, "id"},
    {"dfd_differences", "us", differences, "fd"},
    {"dfd", "us", dfd, "dfd_differences"},
    {"id_batch", "us", id_batch, "id"},
    {"mass_batch", "us", mass_batch, "mass"},
    {"fd_batch", "us", fd_batch, "fd"},
    {"did_batch", "us", did_batch, "did"},
    {"dfd_batch", "us", dfd_batch, "dfd"},
    {"tau", "us", tau, "id"},
};
enum { ROWS = sizeof rows / sizeof *rows, CHAIN_ROWS = ROWS - 1 };

// ----------------------------------------------------------------------------------------------------------- groups

static void *open_robot(td_model *model, char why[BENCH_NOTE_SIZE]) {
  bench_robot *r = model ? bench_robot_create(model, tree_seed("state")) : NULL;
  if (model && !r) snprintf(why, BENCH_NOTE_SIZE, "not enough memory");
  return r;
}

static void *open_cdm(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  return open_robot(bench_cdm_model(), why);
}

static void *open_chain(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  return open_robot(bench_chain_model(group->size, why), why);
}

static void *open_quadruped(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  return open_robot(bench_quadruped_model(why), why);
}

const bench_group bench_cdm = {"cdm", rows, ROWS, open_cdm, bench_robot_destroy, 0},
                  bench_chain_7 = {"chain_7", rows, CHAIN_ROWS, open_chain, bench_robot_destroy, 7},
                  bench_chain_24 = {"chain_24", rows, CHAIN_ROWS, open_chain, bench_robot_destroy, 24},
                  bench_chain_80 = {"chain_80", rows, CHAIN_ROWS, open_chain, bench_robot_destroy, 80},
                  bench_quadruped = {"quadruped", rows, CHAIN_ROWS, open_quadruped, bench_robot_destroy, 0};
