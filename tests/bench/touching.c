// Group touching: what contact between bodies costs, each beside the same robot without it.
//
// Two rods lie side by side. Near ones touch along their whole length: 11 points on each have 19 capsules and joints, of
// which about a hundred pairs are in each other. Far ones of 17 points have 31, of which 961 pairs could touch and none
// does, though the boxes about the rods meet.
#include "bench/robot.h"
#include "force/contact/pair/pair.h"
#include "support/model_file.h"
#include "support/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, NEAR_POINTS = 11, FAR_POINTS = 17 };
static const double near_m = 0.01, far_m = 0.08;

typedef enum touching_law { NONE, SMOOTH, ROUGH, STICKY, LAWS } touching_law;
static const char *const laws[LAWS] = {NULL, "", ",\"damping\":1,\"friction\":0.5,\"slip_speed\":0.01",
                                       ",\"damping\":1,\"friction\":0.5,\"stick\":{\"stiffness\":1000,\"damping\":1}"};

typedef struct touching {
  bench_robot *near[LAWS], *far[ROUGH + 1];
} touching;

// ---------------------------------------------------------------------------------------------------------- robots

static const char base_text[] =
    "{\"name\":\"base\",\"parent\":\"world\",\"pose\":{\"rpy\":[0.1,0.2,0.3]},\"joint\":{\"type\":\"prismatic\","
    "\"axis\":\"z\"},\"body\":{\"type\":\"rigid\",\"mass\":1,\"com\":[0,0,0],\"inertia\":[0.001,0.001,0.001]}}";
static const char rod_text[] =
    "{\"name\":\"%s\",\"parent\":\"base\",\"pose\":{\"translation\":[0,%g,0],\"rpy\":[0.2,0.7,0.3]},"
    "\"joint\":{\"type\":\"fixed\"},\"body\":{\"type\":\"rod\",\"length\":0.3,\"section\":{\"shape\":\"circle\","
    "\"radius\":0.01},\"material\":{\"young\":1e6,\"poisson\":0.4,\"density\":1100,\"viscosity\":2000},"
    "\"strain\":{\"basis\":\"legendre\",\"order\":{\"torsion\":1,\"bending_y\":3,\"bending_z\":3}},"
    "\"quadrature\":{\"points\":%d}}}";

// Both rods in the same shape, nearly straight.
static void lay_down(bench_robot *r) {
  int half = r->n / 2;
  for (int i = 1; i < r->n; i++) r->q[i] *= 0.01, r->qd[i] *= 0.01;
  memcpy(r->q + 1 + half, r->q + 1, (size_t)half * sizeof *r->q);
}

static bench_robot *robot(int points, double gap, touching_law law) {
  char text[TEXT], one[TEXT / 4], two[TEXT / 4], contacts[TEXT / 4] = "";
  snprintf(one, sizeof one, rod_text, "one", 0., points);
  snprintf(two, sizeof two, rod_text, "two", gap, points);
  if (laws[law])
    snprintf(contacts, sizeof contacts,
             ",\"contacts\":[{\"type\":\"pair\",\"a\":[\"one\"],\"b\":[\"two\"],\"stiffness\":1e3%s}]", laws[law]);
  snprintf(text, sizeof text,
           "{\"format\":\"tendril.model/1\",\"name\":\"t\",\"gravity\":[0,0,-9.81],\"links\":[%s,%s,%s]%s}", base_text,
           one, two, contacts);
  td_model *model = test_model_from_text(text);
  bench_robot *r = model ? bench_robot_create(model, tree_seed("state")) : NULL;
  if (r) lay_down(r);
  return r;
}

static void destroy(void *fixture) {
  touching *t = fixture;
  for (int i = 0; i < LAWS; i++)
    if (t->near[i]) bench_robot_destroy(t->near[i]);
  for (int i = 0; i <= ROUGH; i++)
    if (t->far[i]) bench_robot_destroy(t->far[i]);
  free(t);
}

static void *create(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  touching *t = calloc(1, sizeof *t);
  bool good = t;
  (void)group;
  for (int i = 0; good && i < LAWS; i++) good = (t->near[i] = robot(NEAR_POINTS, near_m, (touching_law)i));
  for (int i = 0; good && i <= ROUGH; i++) good = (t->far[i] = robot(FAR_POINTS, far_m, (touching_law)i));
  if (good) return t;
  if (t) destroy(t);
  snprintf(why, BENCH_NOTE_SIZE, "not enough memory");
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

static int count_touches(bench_robot *r) {
  td_grip grip = {0};
  int count = 0;
  if (r->model->solid_pair_count == 0) return 0;
  td_grip_begin(r->model, r->ws);
  while (td_grip_next(r->model, r->ws, false, &grip)) count++;
  return count;
}

static void measure(bench_robot *r, bench_figure *figure, bool (*call)(void *robot)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = r}, figure);
  if (!figure->failed) bench_note(figure, "%d touches, n = %d", count_touches(r), r->n);
}

#define ROW(name, which, law, call)                                                                                    \
  static void name(void *fixture, bench_figure *figure) { measure(((touching *)fixture)->which[law], figure, call); }
ROW(did_none, near, NONE, call_did)
ROW(did_smooth, near, SMOOTH, call_did)
ROW(did_rough, near, ROUGH, call_did)
ROW(dfd_none, near, NONE, call_dfd)
ROW(dfd_smooth, near, SMOOTH, call_dfd)
ROW(dfd_rough, near, ROUGH, call_dfd)
ROW(dfd_sticky, near, STICKY, call_dfd)
ROW(far_none, far, NONE, call_dfd)
ROW(far_smooth, far, SMOOTH, call_dfd)
ROW(far_rough, far, ROUGH, call_dfd)

static const bench_row rows[] = {
    {"did_none", "us", did_none, NULL},
    {"did_smooth", "us", did_smooth, "did_none"},
    {"did_rough", "us", did_rough, "did_none"},
    {"dfd_none", "us", dfd_none, NULL},
    {"dfd_smooth", "us", dfd_smooth, "dfd_none"},
    {"dfd_rough", "us", dfd_rough, "dfd_none"},
    {"dfd_sticky", "us", dfd_sticky, "dfd_none"},
    {"far_dfd_none", "us", far_none, NULL},
    {"far_dfd_smooth", "us", far_smooth, "far_dfd_none"},
    {"far_dfd_rough", "us", far_rough, "far_dfd_none"},
};

const bench_group bench_touching = {"touching", BENCH_ROWS(rows), create, destroy, 0};
