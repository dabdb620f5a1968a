// A quantity has the same bits whatever else is asked for, whichever workspace or thread computes it, whatever was
// computed before in that workspace; and poses asked for in different ways agree.
#include "support/suite.h"
#include "support/tree_state.h"
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

TEST_MAIN("same bits", a_quantity_does_not_depend_on_what_else_is_asked_for,
          threads_that_share_a_model_compute_the_same_bits, the_pose_at_a_computational_point_is_that_point_s,
          an_evaluation_that_was_left_off_leaves_nothing_behind,
          new_values_in_the_same_arrays_are_not_taken_for_the_old_ones)
