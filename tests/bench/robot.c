// Robots for measuring: the example, chains built as specs, random states. Seeds are fixed, so every run sees the same.
#include "bench/robot.h"
#include "api/c/examples/examples.h"
#include "support/model_file.h"
#include "support/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double bench_coordinate(uint64_t *seed) {
  double r = tree_random(seed);
  return 0.7 * r + (r < 0 ? -0.3 : 0.3);
}

double bench_positive(uint64_t *seed, double most) { return most * (0.5 + 0.5 * tree_random(seed)); }

// ------------------------------------------------------------------------------------------------------------ state

static void fill_state(bench_robot *r, uint64_t seed) {
  for (int i = 0; i < r->n; i++) {
    r->q[i] = bench_coordinate(&seed);
    r->qd[i] = bench_coordinate(&seed);
    r->qdd[i] = 2 * tree_random(&seed);
  }
  for (int i = 0; i < r->m; i++) r->u[i] = bench_positive(&seed, 20);
}

bench_robot *bench_robot_create(td_model *model, uint64_t seed) {
  bench_robot *r = calloc(1, sizeof *r);
  if (!r) return td_model_destroy(model), NULL;
  *r = (bench_robot){.model = model, .n = td_model_ndof(model), .m = td_model_channel_count(model)};
  size_t n = (size_t)r->n, square = n * n;
  double *at = calloc(5 * n + (size_t)r->m + 3 * square, sizeof *at);
  if (!at || td_workspace_create(model, &r->ws) != TD_OK) return free(at), bench_robot_destroy(r), NULL;
  r->q = at, r->qd = at + n, r->qdd = at + 2 * n, r->vector = at + 3 * n, r->other = at + 4 * n;
  for (int k = 0; k < 3; k++) r->matrix[k] = at + 5 * n + k * square;
  r->u = at + 5 * n + 3 * square;
  fill_state(r, seed);
  return r;
}

void bench_robot_destroy(void *robot) {
  bench_robot *r = robot;
  free(r->q);
  td_workspace_destroy(r->ws);
  td_model_destroy(r->model);
  free(r);
}

// ---------------------------------------------------------------------------------------------------------- example

const char *bench_example(const char *file) {
  for (const embedded_file *e = embedded_examples; e->name; e++)
    if (strcmp(e->name, file) == 0) return e->data;
  return NULL;
}

td_model *bench_cdm_model(void) { return test_model_from_text(bench_example("cdm.model.json")); }

// ----------------------------------------------------------------------------------------------------------- chains

// I = tr(P) E - P of a random mass distribution P = A A^T: the inertia of a body that can exist.
static void random_inertia(uint64_t *seed, double inertia[9]) {
  double A[9], P[9] = {0}, trace = 0;
  for (int i = 0; i < 9; i++) A[i] = 0.1 * tree_random(seed);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) P[3 * i + j] += A[3 * i + k] * A[3 * j + k];
  for (int i = 0; i < 3; i++) trace += P[4 * i];
  for (int i = 0; i < 9; i++) inertia[i] = (i % 4 == 0 ? trace : 0) - P[i];
}

static void fill_link(td_link_spec *link, int i, char (*names)[16], uint64_t *seed) {
  *link = (td_link_spec){.name = names[i], .parent = i ? names[i - 1] : "world", .at = 1, .pose = td_se3_identity()};
  link->pose.p[0] = i ? 0.3 : 0;
  link->joint = (td_joint_spec){.type = TD_JOINT_REVOLUTE, .axis = {i % 2, (i + 1) % 2, 0}};
  link->body.type = TD_BODY_RIGID;
  td_rigid_spec *body = &link->body.rigid;
  body->axis[2] = 1;
  body->mass = 0.5 + bench_positive(seed, 1);
  body->com[0] = 0.15;
  for (int k = 0; k < 3; k++) body->com[k] += 0.05 * tree_random(seed);
  random_inertia(seed, body->inertia);
}

static td_model *model_of(td_link_spec *links, int count, char why[BENCH_NOTE_SIZE]) {
  td_model_spec spec = {.name = "bench", .gravity = {0, 0, -9.81}, .links = links, .link_count = (size_t)count};
  td_model *model = NULL;
  td_error err = {.status = TD_OK};
  if (td_model_create(&spec, &model, &err) == TD_OK) return model;
  snprintf(why, BENCH_NOTE_SIZE, "%.30s: %.120s", err.pointer, err.message);
  return NULL;
}

td_model *bench_chain_model(int joints, char why[BENCH_NOTE_SIZE]) {
  enum { MOST = 128 };
  static td_link_spec links[MOST];
  static char names[MOST][16];
  uint64_t seed = tree_seed("chain");
  for (int i = 0; i < joints && i < MOST; i++) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    fill_link(&links[i], i, names, &seed);
  }
  return model_of(links, joints, why);
}

td_model *bench_quadruped_model(char why[BENCH_NOTE_SIZE]) {
  enum { LEGS = 4, OF_LEG = 3, LINKS = 1 + LEGS * OF_LEG };
  static td_link_spec links[LINKS];
  static char names[LINKS][16];
  uint64_t seed = tree_seed("quadruped");
  for (int i = 0; i < LINKS; i++) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    fill_link(&links[i], i, names, &seed);
    if (i % OF_LEG == 1) links[i].parent = names[0]; // a hip
  }
  links[0].joint.type = TD_JOINT_FREE;
  return model_of(links, LINKS, why);
}
