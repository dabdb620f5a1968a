// Derivatives by numbers of the model: one far neighbour against six near ones, forward dynamics against differences of
// forward dynamics, products against matrices.
#include "support/closed.h"
#include "support/numbers.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MATRIX = STATE_MAX * NUMBERS_MAX };

static tree robot;
static tree_numbers numbers;
static double analytic[MATRIX], numeric[MATRIX];

typedef struct asked {
  td_parameters *p;
  td_parameter_workspace *ws;
  size_t np;
} asked;

static asked ask(tree_state *s) {
  asked a = {.np = numbers.count};
  td_error err = {0};
  td_status status =
      td_parameters_create(s->model, numbers.parameter, numbers.count, tree_numbers_freeze, &numbers, &a.p, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", s->name, err.pointer, err.message);
  TREE_OK(td_parameter_workspace_create(a.p, &a.ws));
  return a;
}

static void done(asked *a) {
  td_parameter_workspace_destroy(a->ws);
  td_parameters_destroy(a->p);
}

// Columns agree to `relative` of their largest entry and what rounding of r leaves of a step `h`.
static void same_columns(const tree_state *s, const char *what, int rows, const double *got, const double *expected,
                         double relative, double floor) {
  size_t np = numbers.count;
  for (size_t j = 0; j < np; j++) {
    double most = 0;
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(expected[(size_t)i * np + j]));
    double bound = relative * most + floor / numbers.parameter[j].scale;
    for (int i = 0; i < rows; i++) {
      double a = got[(size_t)i * np + j], b = expected[(size_t)i * np + j];
      ck_assert_msg(fabs(a - b) <= bound, "%s: %s by %s [%d] is %.15g, not %.15g (off by %.2g, allowed %.2g)", s->name,
                    what, numbers.number[j].name, i, a, b, fabs(a - b), bound);
    }
  }
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Volume-preserving bodies and meshes take a hundred times as long to freeze as others: few of their numbers.
static void numbers_of(bool linear) {
  tree_numbers_of(&robot, &numbers);
  tree_numbers_keep(&numbers, linear);
  bool slow = false;
  for (size_t i = 0; i < robot.spec.link_count; i++)
    slow |= robot.links[i].body.type == TD_BODY_REDUCED &&
            (robot.links[i].body.reduced.kinematics == TD_KINEMATICS_LVP || robot.links[i].body.reduced.has_mesh);
  if (slow) tree_numbers_sample(&numbers, 9);
}

static void one_far_neighbour(tree_state *s) {
  double r[STATE_MAX];
  numbers_of(true);
  td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u, .baumgarte = 0.1};
  asked a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = analytic}));
  done(&a);
  for (size_t i = 0; i < numbers.count; i++) numbers.parameter[i].linear = false;
  a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = numeric}));
  done(&a);
  TREE_OK(td_residual_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, r, NULL, NULL, NULL));
  same_columns(s, "residual", s->n, analytic, numeric, 1e-11, 1e-12 * largest(s->n, r));
}

START_TEST(numbers_that_are_called_linear_are) {
  for (size_t i = 0; i < tree_count(); i++) {
    tree_state s;
    tree_make(i, &robot);
    tree_state_of(&s, &robot, tree_name(i), 0.5);
    one_far_neighbour(&s);
    tree_state_close(&s);
  }
}
END_TEST

TEST_MAIN("parameters", numbers_that_are_called_linear_are)
