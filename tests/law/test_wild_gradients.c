// Derivatives of runs of robots with loops by every method that has them, and of random robots with loops, contact,
// reduced bodies, prescribed joints and controllers: forward, backward, and within 1e-7 of differences of order 4
// between runs that take the same steps.
#include "support/closed.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/task.h"
#include "support/thorough.h"
#include "support/wild.h"
#include <string.h>

static const double ALLOWED = 1e-7;

static tree robot;
static task job;

typedef struct way {
  td_method method;
  bool adaptive;
  td_formulation formulation;
} way;

// Loops by their closure with rates held or left alone, by accelerations with states held, explicitly.
static const way ways[] = {
    {TD_METHOD_NEWMARK, false, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_GENERALIZED_ALPHA, true, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_GENERALIZED_ALPHA, false, TD_FORMULATION_INDEX1},
    {TD_METHOD_NEWMARK, true, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_EULER_IMPLICIT, false, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_HHT, true, TD_FORMULATION_INDEX1},
    {TD_METHOD_RK4, false, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_HHT, true, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_RK45, false, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_GENERALIZED_ALPHA, false, TD_FORMULATION_AUTOMATIC},
    {TD_METHOD_RADAU, false, TD_FORMULATION_AUTOMATIC},
};
enum { WAYS = sizeof ways / sizeof *ways };

static double step_of(const way *w) { return w->method == TD_METHOD_RK4 || w->method == TD_METHOD_RK45 ? 1e-4 : 1e-3; }

static void go(const way *w) {
  td_integrator_spec *s = &job.spec.integrator;
  s->formulation = w->formulation;
  if (w->adaptive) {
    s->adaptive = true;
    s->given |= TD_OPTION_ADAPTIVE;
    s->rtol = 1e-5;
    s->atol = 1e-7;
    s->h = 0;
  }
  task_same_both_ways(&job, 1e-8);
  task_same_as_repeated(&job, ALLOWED);
}

// A robot that the run itself has no answer for says nothing of derivatives.
static bool runs(void) {
  recording r = {0};
  recording_run(&r, job.model, &job.spec, NULL);
  bool ok = r.status == TD_OK;
  recording_free(&r);
  return ok;
}

START_TEST(closed_chains_by_every_method) {
  int seen = 0;
  for (size_t i = 0; i < closed_count(); i += FEWER) {
    const way *w = &ways[i % WAYS];
    double h = step_of(w);
    bool contradicts = strcmp(closed_name(i), "the_same_loop_twice") == 0; // where another number is, it is open
    closed_make(i, &robot);
    if (task_make(&job, &robot, closed_name(i), w->method, 6 * h, h, 0.2, 1, contradicts ? 0 : 1, 1) && runs()) {
      go(w);
      seen++;
    }
    task_free(&job);
  }
  ck_assert_int_ge(seen, 15 / FEWER);
}
END_TEST

// Every method on one robot each.
START_TEST(every_method_on_a_soft_ring_and_on_bars) {
  for (size_t i = 0; i < WAYS; i += FEWER) {
    double h = step_of(&ways[i]);
    size_t which = i % 2 ? 9 : 12; // two loops to the world, a planar four-bar whose rows depend on each other
    closed_make(which, &robot);
    if (task_make(&job, &robot, closed_name(which), ways[i].method, 6 * h, h, 0.2, 1, 1, 1)) go(&ways[i]);
    task_free(&job);
  }
}
END_TEST

START_TEST(random_robots) {
  static const unsigned kinds[] = {WILD_LOOP,
                                   WILD_CONTACT,
                                   WILD_PRESCRIBED,
                                   WILD_LOOP | WILD_CONTACT,
                                   WILD_LOOP | WILD_PRESCRIBED,
                                   WILD_CONTACT | WILD_PRESCRIBED,
                                   WILD_LOOP | WILD_CONTACT | WILD_PRESCRIBED,
                                   WILD_CONTROLLED,
                                   WILD_CONTROLLED | WILD_LOOP,
                                   WILD_CONTROLLED | WILD_PRESCRIBED};
  enum { KINDS = sizeof kinds / sizeof *kinds, EACH = 2 };
  int seen = 0;
  for (uint64_t i = 0; i < KINDS * EACH; i += FEWER) {
    const way *w = &ways[(i + i / KINDS) % WAYS];
    char name[32];
    size_t motors;
    double h = step_of(w);
    wild_make(i, kinds[i % KINDS], &robot, name, &motors);
    bool closes = task_make(&job, &robot, name, w->method, 6 * h, h, 0.2, 1, motors ? 0 : 1, motors ? 0 : 1);
    td_controller_spec law = wild_law(motors);
    if (motors) job.spec.controllers = &law, job.spec.controller_count = 1, job.spec.input_count = 0;
    if (closes && runs()) {
      go(w);
      seen++;
    }
    task_free(&job);
  }
  ck_assert_int_ge(seen, 10 / FEWER);
}
END_TEST

// Stopped anywhere, in the run or in the sweep, they go on to the same bits.
START_TEST(of_closed_chains_that_stop_and_go_on) {
  for (size_t i = 0; i < 6; i += 2 * FEWER) {
    double h = step_of(&ways[i]);
    closed_make(i, &robot);
    ck_assert(task_make(&job, &robot, closed_name(i), ways[i].method, 15 * h, h, 0.2, 1, 1, 1));
    job.spec.integrator.adaptive = ways[i].adaptive;
    job.spec.integrator.formulation = ways[i].formulation;
    task_goes_on(&job);
    task_free(&job);
  }
}
END_TEST

TEST_MAIN("wild_gradients", closed_chains_by_every_method, every_method_on_a_soft_ring_and_on_bars, random_robots,
          of_closed_chains_that_stop_and_go_on)
