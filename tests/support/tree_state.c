// See tree_state.h.
#include "support/tree_state.h"
#include "support/thorough.h"
#include <check.h>
#include <math.h>
#include <string.h>

void tree_state_of(tree_state *s, const tree *t, const char *name, double scale) {
  memset(s, 0, sizeof *s);
  s->model = tree_build(t);
  s->name = name;
  s->scale = scale;
  TREE_OK(td_workspace_create(s->model, &s->ws));
  s->n = td_model_ndof(s->model);
  s->m = td_model_channel_count(s->model);
  ck_assert_int_le(s->n, STATE_MAX);
  ck_assert_int_le(s->m, STATE_MAX);
  uint64_t seed = tree_seed(name);
  tree_random_vector(&seed, scale, s->n, s->q);
  tree_random_vector(&seed, 1, s->n, s->qd);
  tree_random_vector(&seed, 2, s->n, s->qdd);
  tree_random_vector(&seed, 3, s->m, s->u);
}

void tree_state_open(tree_state *s, size_t i, double scale) {
  static tree t;
  tree_make(i, &t);
  tree_state_of(s, &t, tree_name(i), scale);
}

void tree_state_close(tree_state *s) {
  td_workspace_destroy(s->ws);
  td_model_destroy(s->model);
}

void tree_state_each(void (*law)(tree_state *s)) {
  static const double scales[3] = {0.5, 1e-3, 3};
  for (size_t i = 0; i < tree_count(); i++)
    for (int k = 0; k < 3; k++) {
      if (SANITIZED && k != (int)(i % 3)) continue;
      tree_state s;
      tree_state_open(&s, i, scales[k]);
      law(&s);
      tree_state_close(&s);
    }
}

void tree_id(tree_state *s, double *out) {
  TREE_OK(td_inverse_dynamics(s->model, s->ws, s->q, s->qd, s->qdd, s->u, out));
}
void tree_tau(tree_state *s, double *out) { TREE_OK(td_generalized_force(s->model, s->ws, s->q, s->qd, s->u, out)); }
void tree_fd(tree_state *s, double *out) { TREE_OK(td_forward_dynamics(s->model, s->ws, s->q, s->qd, s->u, out)); }

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h, error h^4 f^(5) / 30
void tree_difference(tree_state *s, tree_quantity f, double *x, int columns, int rows, double h, double *jacobian) {
  static const double steps[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1};
  double value[STATE_MAX];
  ck_assert_int_le(rows, STATE_MAX);
  memset(jacobian, 0, (size_t)(rows * columns) * sizeof *jacobian);
  for (int j = 0; j < columns; j++) {
    double kept = x[j];
    for (int k = 0; k < 4; k++) {
      x[j] = kept + steps[k] * h;
      f(s, value);
      for (int i = 0; i < rows; i++) jacobian[i * columns + j] += weights[k] * value[i] / (12 * h);
    }
    x[j] = kept;
  }
}

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

void tree_same(const tree_state *s, const char *what, int rows, int columns, const double *got, const double *expected,
               double relative, double absolute) {
  double all = largest(expected, rows * columns);
  for (int i = 0; i < rows; i++) {
    double bound = relative * largest(expected + i * columns, columns) + absolute * all;
    for (int j = 0; j < columns; j++) {
      double a = got[i * columns + j], b = expected[i * columns + j];
      ck_assert_msg(fabs(a - b) <= bound, "%s (q %g): %s [%d][%d] is %.15g, not %.15g (off by %.2g, allowed %.2g)",
                    s->name, s->scale, what, i, j, a, b, fabs(a - b), bound);
    }
  }
}
