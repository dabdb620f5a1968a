// Derivatives by numbers of the model: one far neighbour against four near ones, forward dynamics against differences of
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
static void numbers_of(size_t every) {
  tree_numbers_of(&robot, &numbers);
  bool slow = false;
  for (size_t i = 0; i < robot.spec.link_count; i++)
    slow |= robot.links[i].body.type == TD_BODY_REDUCED &&
            (robot.links[i].body.reduced.kinematics == TD_KINEMATICS_LVP || robot.links[i].body.reduced.has_mesh);
  tree_numbers_sample(&numbers, slow ? 7 * every : every);
}

static void by_differences(void) {
  for (size_t i = 0; i < numbers.count; i++) numbers.parameter[i].linear = false;
}

static void one_far_neighbour(tree_state *s) {
  double r[STATE_MAX];
  numbers_of(1);
  tree_numbers_keep(&numbers, true);
  td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u, .baumgarte = 0.1};
  asked a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = analytic}));
  done(&a);
  by_differences();
  a = ask(s);
  TREE_OK(td_parameter_derivatives(a.p, a.ws, &state, NULL, &(td_parameter_output){.dresidual_dp = numeric}));
  done(&a);
  TREE_OK(td_residual_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, r, NULL, NULL, NULL));
  same_columns(s, "residual", s->n, analytic, numeric, 1e-11, 1e-12 * largest(s->n, r));
}

// Robots by name: no test needs them all.
static void each_tree(void (*law)(tree_state *s), size_t first, size_t every) {
  for (size_t i = first; i < tree_count(); i += every) {
    tree_state s;
    tree_make(i, &robot);
    tree_state_of(&s, &robot, tree_name(i), 0.5);
    law(&s);
    tree_state_close(&s);
  }
}

static void each_closed(void (*law)(tree_state *s)) {
  for (size_t i = 0; i < closed_count(); i++) {
    tree_state s;
    closed_make(i, &robot);
    tree_state_of(&s, &robot, closed_name(i), 0.4);
    law(&s);
    tree_state_close(&s);
  }
}

START_TEST(numbers_that_are_called_linear_are) { each_tree(one_far_neighbour, 10, 1); }
END_TEST

// fd and lambda of a neighbour.
static td_status motion_of(void *context, const td_model *m, td_workspace *ws, double *out) {
  td_constrained_output found = {.fd = out, .lambda = out + td_model_ndof(m)};
  return td_constrained_dynamics(m, ws, context, &found);
}

// Where rows of loops depend on each other, a number that parts them changes the rank, and fd jumps.
static void keep_rank(const tree_state *s) {
  if (!strcmp(s->name, "the_same_loop_twice")) tree_numbers_without(&numbers, "loop");
  if (!strcmp(s->name, "planar_four_bar"))
    tree_numbers_without(&numbers, "rpy"), tree_numbers_without(&numbers, "axis");
}

static void forward_dynamics(tree_state *s) {
  static double scratch[3 * 2 * STATE_MAX], fd[STATE_MAX], lambda[STATE_MAX];
  numbers_of(2);
  keep_rank(s);
  td_state state = closed_state(s);
  int n = s->n, c = closed_multipliers(s);
  asked a = ask(s);
  TREE_OK(td_parameter_dynamics(a.p, a.ws, &state, fd, lambda, analytic, analytic + (size_t)n * a.np));
  done(&a);
  by_differences();
  a = ask(s);
  TREE_OK(td_parameter_differentiate(a.p, a.ws, motion_of, &state, (size_t)(n + c), scratch, numeric));
  done(&a);
  same_columns(s, "fd", n, analytic, numeric, 1e-7, 1e-8 * largest(n, fd));
  same_columns(s, "lambda", c, analytic + (size_t)n * a.np, numeric + (size_t)n * a.np, 1e-7,
               1e-8 * largest(c, lambda));
}

START_TEST(derivatives_of_forward_dynamics_are_its_differences) {
  each_tree(forward_dynamics, 13, 5);
  each_closed(forward_dynamics);
}
END_TEST

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// w^T J v by the matrix, by its product with v, by its transpose's with w.
static void products(tree_state *s) {
  static double dq[STATE_MAX * STATE_MAX], dqd[STATE_MAX * STATE_MAX], du[STATE_MAX * STATE_MAX], w[STATE_MAX],
      q[STATE_MAX], qd[STATE_MAX], u[STATE_MAX], p[NUMBERS_MAX], gq[STATE_MAX], gqd[STATE_MAX], gu[STATE_MAX],
      gp[NUMBERS_MAX], jvp[STATE_MAX];
  numbers_of(4);
  td_state state = closed_state(s);
  td_constrained_output matrices = {.dfd_dq = dq, .dfd_dqd = dqd, .dfd_du = du};
  uint64_t seed = tree_seed(s->name);
  tree_random_vector(&seed, 1, s->n, w);
  tree_random_vector(&seed, 1, s->n, q);
  tree_random_vector(&seed, 1, s->n, qd);
  tree_random_vector(&seed, 1, s->m, u);
  for (size_t j = 0; j < numbers.count; j++) p[j] = numbers.parameter[j].scale * tree_random(&seed);
  TREE_OK(td_constrained_dynamics(s->model, s->ws, &state, &matrices));
  asked a = ask(s);
  TREE_OK(td_parameter_dynamics(a.p, a.ws, &state, NULL, NULL, analytic, NULL));
  const struct {
    td_variation v;
    const double *matrix;
    int columns;
    const double *gradient;
  } parts[] = {{{.q = q}, dq, s->n, gq},
               {{.qd = qd}, dqd, s->n, gqd},
               {{.u = u}, du, s->m, gu},
               {{.p = p}, analytic, (int)numbers.count, gp}};
  TREE_OK(td_parameter_vjp(a.p, a.ws, &state, w, NULL, &(td_variation){gq, gqd, gu, gp}));
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    const double *v = k == 0 ? q : k == 1 ? qd : k == 2 ? u : p;
    double size = 0, sum = 0;
    TREE_OK(td_parameter_jvp(a.p, a.ws, &state, &parts[k].v, NULL, jvp));
    for (int i = 0; i < s->n; i++)
      for (int j = 0; j < parts[k].columns; j++) {
        double term = w[i] * parts[k].matrix[i * parts[k].columns + j] * v[j];
        sum += term;
        size += fabs(term);
      }
    double along = dot(s->n, w, jvp), across = dot(parts[k].columns, parts[k].gradient, v);
    ck_assert_msg(fabs(along - sum) <= 1e-8 * size, "%s: jvp of part %zu is %.15g, not %.15g", s->name, k, along, sum);
    ck_assert_msg(fabs(across - sum) <= 1e-8 * size, "%s: vjp of part %zu is %.15g, not %.15g", s->name, k, across,
                  sum);
  }
  done(&a);
}

START_TEST(products_are_those_of_the_matrices) {
  each_tree(products, 12, 7);
  each_closed(products);
}
END_TEST

TEST_MAIN("parameters", numbers_that_are_called_linear_are, derivatives_of_forward_dynamics_are_its_differences,
          products_are_those_of_the_matrices)
