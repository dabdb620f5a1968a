// Touches that undo each other at the joints of a rod's capsules are left out: what remains exerts the same, and its
// derivatives are the same, at random states of rods that touch rods, capsules, boxes and themselves.
#include "force/contact/bristle.h"
#include "force/contact/pair/pair.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, STATES = 20, ROD_N = 6 + 5 };

#define ROD(points)                                                                                                    \
  "\"body\": {\"type\": \"rod\", \"length\": 0.6, \"section\": {\"shape\": \"circle\", \"radius\": 0.05}, "            \
  "\"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "        \
  "\"order\": {\"bending_y\": 2, \"bending_z\": 1}}, \"quadrature\": {\"points\": " points "}}"
#define RIGID "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"collision\": "
#define LAW "\"stiffness\": 2e3, \"damping\": 0.4, \"friction\": 0.6, \"slip_speed\": 0.3"
#define STICK "\"stiffness\": 2e3, \"damping\": 0.4, \"friction\": 0.6, \"stick\": {\"stiffness\": 300, \"damping\": 1}"
#define PAIR "{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], " LAW "}"
#define STICKY "{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], " STICK "}"
#define STICKY_SELF "{\"type\": \"self\", \"link\": \"a\", \"apart\": 0.2, " STICK "}"
#define SELF "{\"type\": \"self\", \"link\": \"a\", \"apart\": 0.2, " LAW "}"

typedef struct robots {
  td_model *model[2]; // as it is; with nothing left out
  td_workspace *ws[2];
  unsigned seed;
  int fewer; // touches left out so far
} robots;

static void init(robots *r, const char *one, const char *other, const char *contact) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"free\"}, %s}, "
           "{\"name\": \"b\", \"joint\": {\"type\": \"free\"}, %s}], \"contacts\": [%s]}",
           one, other, contact);
  *r = (robots){.seed = 5};
  for (int i = 0; i < 2; i++) {
    ck_assert_ptr_nonnull(r->model[i] = test_model_from_text(text));
    ck_assert_int_eq(td_workspace_create(r->model[i], &r->ws[i]), TD_OK);
    ck_assert_int_le(td_model_ndof(r->model[i]), MOST);
  }
  for (int p = 0; p < r->model[1]->proxy_count; p++) memset(r->model[1]->proxy[p].joint, 0, sizeof(int[2]));
}

static void fini(robots *r) {
  for (int i = 0; i < 2; i++) td_workspace_destroy(r->ws[i]), td_model_destroy(r->model[i]);
}

static double some(robots *r) {
  r->seed = r->seed * 1664525u + 1013904223u;
  return (double)(r->seed >> 8) / (1 << 23) - 1;
}

typedef struct answer {
  double energy, id[MOST], did_dq[MOST * MOST], did_dqd[MOST * MOST], did_dqdd[MOST * MOST];
} answer;

static int count(const td_model *m, td_workspace *ws) {
  td_grip g = {0};
  int touches = 0;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, false, &g)) touches++;
  return touches;
}

static int ask(robots *r, int i, double x[3][MOST], answer *a) {
  td_energy energy;
  ck_assert_int_eq(td_energy_at(r->model[i], r->ws[i], x[0], x[1], &energy), TD_OK);
  a->energy = energy.contact;
  ck_assert_int_eq(td_inverse_dynamics(r->model[i], r->ws[i], x[0], x[1], x[2], NULL, a->id), TD_OK);
  ck_assert_int_eq(
      td_id_derivatives(r->model[i], r->ws[i], x[0], x[1], x[2], NULL, NULL, a->did_dq, a->did_dqd, a->did_dqdd),
      TD_OK);
  return count(r->model[i], r->ws[i]);
}

static void agree(const double *a, const double *b, int n, const char *what) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(b[i]));
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(a[i] - b[i]) < 1e-11 * most, "%s[%d]: %.17g, %.17g", what, i, a[i], b[i]);
}

// Of rotations, places and strains of a body.
static double size_of(int i) { return i < 3 ? 1 : i < 6 ? 0.15 : 8; }

static void agree_in_all(const answer *a, const answer *b, int n) {
  agree(&a->energy, &b->energy, 1, "energy");
  agree(a->id, b->id, n, "id");
  agree(a->did_dq, b->did_dq, n * n, "did_dq");
  agree(a->did_dqd, b->did_dqd, n * n, "did_dqd");
}

static void leaves_the_same(const char *other, const char *contact) {
  robots r;
  init(&r, ROD("9"), other, contact);
  int n = td_model_ndof(r.model[0]);
  for (int touching = 0; touching < STATES;) {
    static answer a, b;
    double x[3][MOST];
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < n; i++) x[part][i] = (part ? 2 : size_of(i % ROD_N)) * some(&r);
    int left = ask(&r, 0, x, &a), all = ask(&r, 1, x, &b);
    ck_assert_int_eq(all > 0, left > 0);
    if (all == 0) continue;
    touching++;
    r.fewer += all - left;
    agree_in_all(&a, &b, n);
  }
  ck_assert_int_gt(r.fewer, STATES);
  fini(&r);
}

START_TEST(of_rods_that_touch_rods_what_undoes_each_other_is_left_out) { leaves_the_same(ROD("6"), PAIR); }
END_TEST
START_TEST(of_rods_that_touch_rigid_bodies_what_undoes_each_other_is_left_out) {
  leaves_the_same(RIGID "{\"shape\": \"capsule\", \"radius\": 0.07, \"length\": 0.3, \"axis\": [1, 0.5, 0.2]}}", PAIR);
  leaves_the_same(RIGID "{\"shape\": \"box\", \"size\": [0.2, 0.3, 0.1]}}", PAIR);
}
END_TEST
START_TEST(of_a_rod_that_touches_itself_what_undoes_each_other_is_left_out) { leaves_the_same(ROD("6"), SELF); }
END_TEST

// Of either robot the springs that it has from this state on, after it was asked at it.
static void take_hold(robots *r, td_bristle *springs[2]) {
  for (int i = 0; i < 2; i++) {
    (void)td_bristles_take(r->model[i], r->ws[i], 0, springs[i]);
    r->ws[i]->bristle = springs[i];
    r->ws[i]->holds = 0;
  }
}

static void holds_the_same(const char *other, const char *contact) {
  robots r;
  td_bristle *springs[2];
  init(&r, ROD("9"), other, contact);
  int n = td_model_ndof(r.model[0]);
  for (int i = 0; i < 2; i++) springs[i] = calloc((size_t)r.model[i]->bristle_count, sizeof *springs[i]);
  for (int touching = 0; touching < STATES;) {
    static answer a, b;
    double x[3][MOST];
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < n; i++) x[part][i] = (part ? 2 : size_of(i % ROD_N)) * some(&r);
    if (ask(&r, 1, x, &b) == 0) continue;
    (void)ask(&r, 0, x, &a);
    touching++;
    for (int step = 0; step < 3; step++) {
      take_hold(&r, springs);
      for (int i = 0; i < n; i++) x[0][i] += 0.003 * size_of(i % ROD_N) * some(&r);
      int left = ask(&r, 0, x, &a), all = ask(&r, 1, x, &b);
      r.fewer += all - left;
      agree_in_all(&a, &b, n);
    }
    r.ws[0]->bristle = r.ws[1]->bristle = NULL;
  }
  ck_assert_int_gt(r.fewer, 3 * STATES);
  for (int i = 0; i < 2; i++) free(springs[i]);
  fini(&r);
}

START_TEST(springs_that_hold_alike_undo_each_other_and_those_that_do_not_stay) {
  holds_the_same(ROD("6"), STICKY);
  holds_the_same(ROD("6"), STICKY_SELF);
}
END_TEST

// did_dq dx + did_dqd dxd by differences of fourth order.
static void differences(robots *r, double x[3][MOST], double dx[3][MOST], double *out) {
  static const double way[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, h = 1e-5;
  int n = td_model_ndof(r->model[0]);
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < 4; k++) {
    double at[3][MOST], id[MOST];
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < n; i++) at[part][i] = x[part][i] + (part < 2 ? h * way[k] * dx[part][i] : 0);
    ck_assert_int_eq(td_inverse_dynamics(r->model[0], r->ws[0], at[0], at[1], at[2], NULL, id), TD_OK);
    for (int i = 0; i < n; i++) out[i] += weight[k] * id[i] / h;
  }
}

START_TEST(more_frames_touch_than_rows_are_kept_of_at_a_time) {
  robots r;
  init(&r, ROD("60"), ROD("60"), PAIR);
  int n = td_model_ndof(r.model[0]);
  double x[3][MOST], dx[3][MOST], told[MOST], seen[MOST];
  answer a;
  for (int part = 0; part < 3; part++)
    for (int i = 0; i < n; i++) x[part][i] = 0.02 * some(&r), dx[part][i] = some(&r);
  x[0][ROD_N + 4] += 0.09; // b lies beside a
  ck_assert_int_gt(ask(&r, 0, x, &a), td_touch_most(r.model[0]));
  differences(&r, x, dx, seen);
  for (int i = 0; i < n; i++) {
    told[i] = 0;
    for (int k = 0; k < n; k++) told[i] += a.did_dq[i * n + k] * dx[0][k] + a.did_dqd[i * n + k] * dx[1][k];
  }
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(seen[i]));
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(told[i] - seen[i]) < 1e-6 * most, "%d: %.12g, %.12g", i, told[i], seen[i]);
  fini(&r);
}
END_TEST

TEST_MAIN("joined_capsules", of_rods_that_touch_rods_what_undoes_each_other_is_left_out,
          of_rods_that_touch_rigid_bodies_what_undoes_each_other_is_left_out,
          of_a_rod_that_touches_itself_what_undoes_each_other_is_left_out,
          springs_that_hold_alike_undo_each_other_and_those_that_do_not_stay,
          more_frames_touch_than_rows_are_kept_of_at_a_time)
