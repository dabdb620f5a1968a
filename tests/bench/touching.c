// Group touching: what contact between bodies costs, each beside the same robot without it.
#include "bench/together.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEAR, FAR, BUNDLE, CHAINS, FLOOR, FINGERS, KINDS };
static bench_together *const kinds[KINDS] = {bench_near_rods, bench_far_rods, bench_bundle,
                                             bench_chains,    bench_floor,    bench_fingers};

typedef struct touching {
  bench_robot *of[KINDS][BENCH_LAWS];
} touching;

static void destroy(void *fixture) {
  touching *t = fixture;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < BENCH_LAWS; i++)
      if (t->of[k][i]) bench_robot_destroy(t->of[k][i]);
  free(t);
}

static void *create(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  touching *t = calloc(1, sizeof *t);
  bool good = t;
  (void)group;
  for (int k = 0; good && k < KINDS; k++)
    for (int i = 0; good && i < BENCH_LAWS; i++) good = (t->of[k][i] = kinds[k]((bench_law)i));
  if (good) return t;
  if (t) destroy(t);
  snprintf(why, BENCH_NOTE_SIZE, "not enough memory, or a robot that is none");
  return NULL;
}

// ------------------------------------------------------------------------------------------------------------- calls

static bool call_did(void *robot) {
  bench_robot *r = robot;
  return td_id_derivatives(r->model, r->ws, r->q, r->qd, r->qdd, r->u, NULL, r->matrix[0], r->matrix[1],
                           r->matrix[2]) == TD_OK;
}

static bool call_dfd(void *robot) {
  bench_robot *r = robot;
  return td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, r->vector, r->matrix[0], r->matrix[1], NULL) == TD_OK;
}

static int count_pairs(bench_robot *r) {
  td_grip grip = {0};
  int count = 0;
  if (r->model->solid_pair_count == 0) return 0;
  td_grip_begin(r->model, r->ws);
  while (td_grip_next(r->model, r->ws, false, &grip)) count++;
  return count;
}

static int count_points(bench_robot *r) {
  int count = 0;
  for (int c = 0; c < r->model->contact_count; c++)
    for (int i = 0; i < r->model->contact[c].point_count; i++) count += td_contact_depth(r->model, r->ws, c, i) > 0;
  return count;
}

static void measure(bench_robot *r, bench_figure *figure, bool (*call)(void *robot)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = r}, figure);
  if (!figure->failed) bench_note(figure, "%d touches, n = %d", count_pairs(r) + count_points(r), r->n);
}

#define ROW(name, kind, law, call)                                                                                     \
  static void name(void *fixture, bench_figure *figure) { measure(((touching *)fixture)->of[kind][law], figure, call); }
#define ROWS(name, kind)                                                                                               \
  ROW(name##_none, kind, BENCH_NONE, call_dfd)                                                                         \
  ROW(name##_smooth, kind, BENCH_SMOOTH, call_dfd)                                                                     \
  ROW(name##_rough, kind, BENCH_ROUGH, call_dfd)                                                                       \
  ROW(name##_sticky, kind, BENCH_STICKY, call_dfd)
ROW(did_none, NEAR, BENCH_NONE, call_did)
ROW(did_smooth, NEAR, BENCH_SMOOTH, call_did)
ROW(did_rough, NEAR, BENCH_ROUGH, call_did)
ROWS(dfd, NEAR)
ROWS(far, FAR)
ROWS(bundle, BUNDLE)
ROWS(chains, CHAINS)
ROWS(floor, FLOOR)
ROWS(fingers, FINGERS)

#define ROWS_OF(name, function)                                                                                        \
  {name "_none", "us", function##_none, NULL}, {name "_smooth", "us", function##_smooth, name "_none"},                \
      {name "_rough", "us", function##_rough, name "_none"}, {                                                         \
    name "_sticky", "us", function##_sticky, name "_none"                                                              \
  }
static const bench_row rows[] = {
    {"did_none", "us", did_none, NULL},
    {"did_smooth", "us", did_smooth, "did_none"},
    {"did_rough", "us", did_rough, "did_none"},
    ROWS_OF("dfd", dfd),
    ROWS_OF("far_dfd", far),
    ROWS_OF("bundle_dfd", bundle),
    ROWS_OF("chains_dfd", chains),
    ROWS_OF("floor_dfd", floor),
    ROWS_OF("fingers_dfd", fingers),
};

const bench_group bench_touching = {"touching", BENCH_ROWS(rows), create, destroy, 0};
