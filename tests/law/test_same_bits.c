// A quantity has the same bits whatever else is asked for, whichever workspace or thread computes it, whatever was
// computed before in that workspace; and poses asked for in different ways agree.
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/batch.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { MEMBERS = 256 };

// All quantities of a state in one block each; the caller frees the blocks.
typedef struct everything {
  double *block[TD_QUANTITY_LIMIT];
  size_t size[TD_QUANTITY_LIMIT];
} everything;

static void allocate(const tree_state *s, everything *e) {
  for (int i = 0; i < td_quantity_count(); i++) {
    td_member members[MEMBERS];
    td_quantity_members(s->model, i, members, MEMBERS, &e->size[i]);
    e->block[i] = calloc(e->size[i] + 1, sizeof(double));
    ck_assert_ptr_nonnull(e->block[i]);
  }
}

static void release(everything *e) {
  for (int i = 0; i < td_quantity_count(); i++) free(e->block[i]);
}

static td_state state_of(const tree_state *s) { return (td_state){.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u}; }

static void evaluate_together(tree_state *s, everything *e) {
  int want[TD_QUANTITY_LIMIT];
  td_state state = state_of(s);
  td_error err;
  for (int i = 0; i < td_quantity_count(); i++) want[i] = i;
  ck_assert_int_eq(td_evaluate(s->model, s->ws, &state, want, td_quantity_count(), e->block, &err), TD_OK);
}

static void evaluate_apart(tree_state *s, everything *e) {
  td_state state = state_of(s);
  td_error err;
  for (int i = td_quantity_count() - 1; i >= 0; i--)
    ck_assert_int_eq(td_evaluate(s->model, s->ws, &state, &i, 1, &e->block[i], &err), TD_OK);
}

static void same_bits(const tree_state *s, const everything *a, const everything *b) {
  for (int i = 0; i < td_quantity_count(); i++)
    ck_assert_msg(!memcmp(a->block[i], b->block[i], a->size[i] * sizeof(double)), "%s (q %g): %s differs in its bits",
                  s->name, s->scale, td_quantity_name(i));
}

static void together_and_apart(tree_state *s) {
  everything together, apart;
  allocate(s, &together);
  allocate(s, &apart);
  evaluate_together(s, &together);
  evaluate_apart(s, &apart);
  same_bits(s, &together, &apart);
  release(&together);
  release(&apart);
}

START_TEST(a_quantity_does_not_depend_on_what_else_is_asked_for) { tree_state_each(together_and_apart); }
END_TEST

typedef struct worker {
  tree_state state;
  everything result;
} worker;

static void *work(void *context) {
  worker *w = context;
  for (int i = 0; i < 20; i++) evaluate_together(&w->state, &w->result);
  return NULL;
}

// Two threads share the model, each with its own workspace.
static void threads(tree_state *s) {
  worker workers[2] = {{.state = *s}, {.state = *s}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) {
    TREE_OK(td_workspace_create(s->model, &workers[i].state.ws));
    allocate(s, &workers[i].result);
  }
  for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  same_bits(s, &workers[0].result, &workers[1].result);
  for (int i = 0; i < 2; i++) {
    td_workspace_destroy(workers[i].state.ws);
    release(&workers[i].result);
  }
}

START_TEST(threads_that_share_a_model_compute_the_same_bits) { tree_state_each(threads); }
END_TEST

typedef struct alarm_clock {
  _Atomic bool stop;
  _Atomic bool over;
  struct timespec after;
} alarm_clock;

static void *ring(void *context) {
  alarm_clock *a = context;
  while (!atomic_load(&a->over)) {
    nanosleep(&a->after, NULL);
    atomic_store(&a->stop, true);
    a->after.tv_nsec = (a->after.tv_nsec * 7 + 1000) % 60000; // at other moments of the evaluation each time
    nanosleep(&a->after, NULL);
    atomic_store(&a->stop, false);
  }
  return NULL;
}

// What was left off at any moment is told, and the workspace is as good as new.
static void left_off(tree_state *s) {
  everything whole, again;
  alarm_clock a = {.after = {.tv_nsec = 1000}};
  pthread_t thread;
  int want[TD_QUANTITY_LIMIT];
  td_state state = state_of(s);
  td_error err;
  for (int i = 0; i < td_quantity_count(); i++) want[i] = i;
  allocate(s, &whole);
  allocate(s, &again);
  evaluate_together(s, &whole);
  _Atomic bool stopped = true;
  td_workspace_watch(s->ws, &stopped);
  ck_assert_int_eq(td_evaluate(s->model, s->ws, &state, want, td_quantity_count(), again.block, &err), TD_CANCELLED);
  td_workspace_watch(s->ws, &a.stop);
  ck_assert_int_eq(pthread_create(&thread, NULL, ring, &a), 0);
  for (int i = 0; i < 50; i++)
    (void)!td_evaluate(s->model, s->ws, &state, want, td_quantity_count(), again.block, &err);
  atomic_store(&a.over, true);
  pthread_join(thread, NULL);
  td_workspace_watch(s->ws, NULL);
  evaluate_together(s, &again);
  same_bits(s, &whole, &again);
  release(&whole);
  release(&again);
}

START_TEST(an_evaluation_that_was_left_off_leaves_nothing_behind) { tree_state_each(left_off); }
END_TEST

// New values in the arrays of the call before, then the old ones again: by td_evaluate and by the functions that run
// several passes.
static void arrays_written_over(tree_state *s) {
  everything first, between, again;
  double fd[STATE_MAX], same[STATE_MAX], kept[2 * STATE_MAX];
  everything *all[] = {&first, &between, &again};
  for (int i = 0; i < 3; i++) allocate(s, all[i]);
  evaluate_together(s, &first);
  TREE_OK(td_forward_dynamics(s->model, s->ws, s->q, s->qd, s->u, fd));
  memcpy(kept, s->q, sizeof s->q);
  memcpy(kept + STATE_MAX, s->qd, sizeof s->qd);
  for (int i = 0; i < s->n; i++) s->q[i] = -0.5 * s->q[i], s->qd[i] = 0.25 - s->qd[i];
  evaluate_together(s, &between);
  tree_fd(s, same);
  ck_assert_msg(memcmp(fd, same, (size_t)s->n * sizeof *fd), "%s: fd of another state is that of the one before",
                s->name);
  tree_state other = *s; // in a workspace that has seen nothing
  everything fresh;
  TREE_OK(td_workspace_create(s->model, &other.ws));
  allocate(&other, &fresh);
  evaluate_together(&other, &fresh);
  same_bits(s, &between, &fresh);
  td_workspace_destroy(other.ws);
  memcpy(s->q, kept, sizeof s->q);
  memcpy(s->qd, kept + STATE_MAX, sizeof s->qd);
  evaluate_together(s, &again);
  same_bits(s, &first, &again);
  tree_fd(s, same);
  ck_assert_msg(!memcmp(fd, same, (size_t)s->n * sizeof *fd), "%s: fd after another state", s->name);
  for (int i = 0; i < 3; i++) release(all[i]);
  release(&fresh);
}

START_TEST(new_values_in_the_same_arrays_are_not_taken_for_the_old_ones) { tree_state_each(arrays_written_over); }
END_TEST

static void same_pose(const tree_state *s, const char *link, const td_se3 *a, const td_se3 *b) {
  for (int k = 0; k < 12; k++)
    ck_assert_msg(fabs(((const double *)a)[k] - ((const double *)b)[k]) <= 1e-13, "%s: pose of %s", s->name, link);
}

// At computational points the pose of an abscissa is the point's.
static void poses_at_points(tree_state *s) {
  for (int link = 0; link < td_model_link_count(s->model); link++) {
    int count = td_model_link_point_count(s->model, link);
    td_se3 *points = calloc((size_t)count, sizeof *points), pose;
    ck_assert_ptr_nonnull(points);
    TREE_OK(td_link_poses(s->model, s->ws, s->q, link, points));
    for (int k = 0; k < count; k++) {
      TREE_OK(td_pose_at(s->model, s->ws, s->q, link, td_model_link_abscissa(s->model, link, k), &pose));
      same_pose(s, td_model_link_name(s->model, link), &pose, &points[k]);
    }
    free(points);
  }
}

START_TEST(the_pose_at_a_computational_point_is_that_point_s) { tree_state_each(poses_at_points); }
END_TEST

enum { CROWD = 11 };

typedef struct crowd {
  td_state state[CROWD];
  double q[CROWD][STATE_MAX], qd[CROWD][STATE_MAX], qdd[CROWD][STATE_MAX];
  int want[TD_QUANTITY_LIMIT], wanted;
  double *alone[TD_QUANTITY_LIMIT], *batch[TD_QUANTITY_LIMIT]; // [CROWD][total]
  size_t total[TD_QUANTITY_LIMIT];
} crowd;

// What lanes compute, M first, and what they do not.
static const char *const wanted[] = {"mass", "id", "did_dq", "did_dqd", "did_dqdd", "fd", "dfd_dq", "dfd_dqd", "tau"};
enum { NOT_BY_LANES = 8 };

// Different states; every third without rates, the others with and without accelerations.
static void gather(const tree_state *s, crowd *c) {
  for (int i = 0; i < CROWD; i++) {
    for (int k = 0; k < s->n; k++) {
      c->q[i][k] = s->q[k] * (1 - 0.11 * ((i * 7 + k) % 13));
      c->qd[i][k] = s->qd[k] * (1 - 0.13 * ((i * 5 + k) % 11));
      c->qdd[i][k] = s->qdd[k] * (1 - 0.17 * ((i * 3 + k) % 7));
    }
    c->state[i] = (td_state){
        .q = c->q[i], .qd = i % 3 ? c->qd[i] : NULL, .qdd = i % 2 ? c->qdd[i] : NULL, .u = i % 5 ? s->u : NULL};
  }
  c->wanted = (int)(sizeof wanted / sizeof *wanted);
  for (int i = 0; i < c->wanted; i++) {
    c->want[i] = td_quantity_find(wanted[i]);
    td_quantity_members(s->model, c->want[i], NULL, 0, &c->total[i]);
    c->alone[i] = calloc(CROWD * c->total[i] + 1, sizeof(double));
    c->batch[i] = calloc(CROWD * c->total[i] + 1, sizeof(double));
    ck_assert(c->alone[i] && c->batch[i]);
  }
}

static void evaluate_part(const tree_state *s, td_batch *batch, crowd *c, int first, int count) {
  double *out[TD_QUANTITY_LIMIT];
  size_t done = 0;
  td_error err;
  for (int i = 0; i < c->wanted; i++) out[i] = c->batch[i] + (size_t)first * c->total[i];
  TREE_OK(
      td_evaluate_batch(s->model, batch, s->ws, c->state + first, (size_t)count, c->want, c->wanted, out, &done, &err));
  ck_assert_uint_eq(done, (size_t)count);
}

static void evaluate_alone(const tree_state *s, crowd *c) {
  for (size_t i = 0; i < CROWD; i++) {
    double *out[TD_QUANTITY_LIMIT];
    td_error err;
    for (int k = 0; k < c->wanted; k++) out[k] = c->alone[k] + i * c->total[k];
    TREE_OK(td_evaluate(s->model, s->ws, &c->state[i], c->want, c->wanted, out, &err));
  }
}

static double largest(size_t count, const double *x) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// What lanes compute differs from what a state by itself gives by rounding alone: entries of id, M and derivatives of id
// as they stand, those of fd by the forces that they stand for, M (a - b).
static void same_values(const tree_state *s, int quantity, const double *mass, const double *a, const double *b,
                        size_t size) {
  static const double rounding = 1e-12;
  const char *name = td_quantity_name(quantity);
  bool motion = strstr(name, "fd") != NULL;
  size_t n = (size_t)s->n, columns = size / n;
  double scale = largest(size, b) * (motion ? (double)n * largest(n * n, mass) : 1), worst = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < columns; c++) {
      double off = motion ? 0 : a[i * columns + c] - b[i * columns + c];
      for (size_t k = 0; k < n && motion; k++) off += mass[i * n + k] * (a[k * columns + c] - b[k * columns + c]);
      worst = fmax(worst, fabs(off));
    }
  ck_assert_msg(worst <= rounding * scale, "%s (q %g): %s in a batch is off by %.2g of %.2g", s->name, s->scale, name,
                worst, scale);
}

static void compare_with_alone(const tree_state *s, const crowd *c) {
  bool served = td_batch_serves(s->model, c->want, c->wanted);
  for (int i = 0; i < c->wanted; i++) {
    if (!served || i == NOT_BY_LANES)
      ck_assert_msg(!memcmp(c->alone[i], c->batch[i], CROWD * c->total[i] * sizeof(double)),
                    "%s (q %g): %s is not that of td_evaluate", s->name, s->scale, wanted[i]);
    for (size_t k = 0; k < CROWD && served; k++)
      same_values(s, c->want[i], c->alone[0] + k * c->total[0], c->batch[i] + k * c->total[i],
                  c->alone[i] + k * c->total[i], c->total[i]);
  }
}

static int served_count;

// All at once, then in parts of other sizes, so that states change their lanes and neighbours.
static void states_in_batches(tree_state *s) {
  static crowd c;
  static const int parts[4] = {1, 5, 3, 2};
  td_batch *batch = NULL;
  gather(s, &c);
  TREE_OK(td_batch_create(s->model, &batch));
  served_count += td_batch_serves(s->model, c.want, c.wanted);
  evaluate_alone(s, &c);
  evaluate_part(s, batch, &c, 0, CROWD);
  compare_with_alone(s, &c);
  for (int i = 0; i < c.wanted; i++) memcpy(c.alone[i], c.batch[i], CROWD * c.total[i] * sizeof(double));
  for (int i = 0; i < c.wanted; i++) memset(c.batch[i], 0x55, CROWD * c.total[i] * sizeof(double));
  for (int i = 0, first = 0; i < 4; first += parts[i++]) evaluate_part(s, batch, &c, first, parts[i]);
  for (int i = 0; i < c.wanted; i++)
    ck_assert_msg(!memcmp(c.alone[i], c.batch[i], CROWD * c.total[i] * sizeof(double)),
                  "%s (q %g): %s of a state depends on its place in a batch", s->name, s->scale, wanted[i]);
  for (int i = 0; i < c.wanted; i++) free(c.alone[i]), free(c.batch[i]);
  td_batch_destroy(batch);
}

START_TEST(a_state_has_the_same_bits_wherever_it_is_in_a_batch) {
  tree_state_each(states_in_batches);
  ck_assert_int_ge(served_count, 9);
}
END_TEST

// The others keep their answers, and it is told why, as it would be by itself.
START_TEST(a_state_without_an_answer_is_told_and_the_others_have_theirs) {
  static double out[CROWD * STATE_MAX], alone[STATE_MAX], far[STATE_MAX];
  tree_state s;
  td_state state[CROWD];
  td_batch *batch = NULL;
  td_error err, err_alone;
  int want = td_quantity_find("id"), bad = 6;
  size_t done;
  tree_state_open(&s, 0, 0.5);
  TREE_OK(td_batch_create(s.model, &batch));
  for (int i = 0; i < s.n; i++) far[i] = 1e200;
  for (int i = 0; i < CROWD; i++) state[i] = (td_state){.q = s.q, .qd = i == bad ? far : s.qd, .u = s.u};
  double *from = out;
  ck_assert_int_eq(td_evaluate_batch(s.model, batch, s.ws, state, CROWD, &want, 1, &from, &done, &err), TD_NONFINITE);
  ck_assert_uint_eq(done, (size_t)bad);
  from = alone;
  ck_assert_int_eq(td_evaluate(s.model, s.ws, &state[bad], &want, 1, &from, &err_alone), TD_NONFINITE);
  ck_assert_str_eq(err.message, err_alone.message);
  ck_assert_str_eq(err.pointer, err_alone.pointer);
  from = out + (bad + 1) * s.n;
  TREE_OK(td_evaluate_batch(s.model, batch, s.ws, state + bad + 1, (size_t)(CROWD - bad - 1), &want, 1, &from, &done,
                            &err));
  from = alone;
  TREE_OK(td_evaluate_batch(s.model, batch, s.ws, state, 1, &want, 1, &from, &done, &err));
  for (int i = 0; i < CROWD; i++)
    ck_assert_msg(i == bad || !memcmp(out + i * s.n, alone, (size_t)s.n * sizeof *out), "state %d", i);
  td_batch_destroy(batch);
  tree_state_close(&s);
}
END_TEST

TEST_MAIN("same bits", a_state_has_the_same_bits_wherever_it_is_in_a_batch,
          a_state_without_an_answer_is_told_and_the_others_have_theirs,
          a_quantity_does_not_depend_on_what_else_is_asked_for, threads_that_share_a_model_compute_the_same_bits,
          the_pose_at_a_computational_point_is_that_point_s, an_evaluation_that_was_left_off_leaves_nothing_behind,
          new_values_in_the_same_arrays_are_not_taken_for_the_old_ones)
