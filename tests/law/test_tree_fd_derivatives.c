// Derivatives of fd on every tree, in two ways: the identity M dfd = dtau - did at qdd = fd, to rounding, and
// five-point differences of fd itself, as far as the condition of M lets them.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static matrix M, did_dq, did_dqd, did_du, dtau_dq, dtau_dqd, dtau_du, dfd_dq, dfd_dqd, dfd_du, numeric;

// |M X - (tau_x - id_x)| against the magnitudes that were added, row by row.
static void solves(const tree_state *s, const char *what, int columns, const double *X, const double *tau_x,
                   const double *id_x) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < columns; j++) {
      double sum = id_x[i * columns + j] - tau_x[i * columns + j],
             scale = fabs(id_x[i * columns + j]) + fabs(tau_x[i * columns + j]);
      for (int k = 0; k < s->n; k++) {
        double term = M[i * s->n + k] * X[k * columns + j];
        sum += term;
        scale += fabs(term);
      }
      ck_assert_msg(fabs(sum) <= 1e-10 * scale, "%s (q %g): %s [%d][%d] misses by %.2g of %.2g", s->name, s->scale,
                    what, i, j, sum, scale);
    }
}

static void fd_identity(tree_state *s) {
  vector fd, alone;
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, fd, dfd_dq, dfd_dqd, dfd_du));
  tree_fd(s, alone);
  tree_same(s, "fd beside its derivatives", s->n, 1, fd, alone, 0, 1e-8);
  TREE_OK(td_id_derivatives(s->model, s->ws, s->q, s->qd, fd, s->u, NULL, did_dq, did_dqd, M));
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, s->u, dtau_dq, dtau_dqd, dtau_du));
  solves(s, "dfd_dq", s->n, dfd_dq, dtau_dq, did_dq);
  solves(s, "dfd_dqd", s->n, dfd_dqd, dtau_dqd, did_dqd);
  if (s->m == 0) return;
  TREE_OK(td_id_input_derivative(s->model, s->ws, s->q, s->qd, s->u, did_du));
  solves(s, "dfd_du", s->m, dfd_du, dtau_du, did_du);
}

START_TEST(mass_times_derivatives_of_fd_is_dtau_minus_did) { tree_state_each(fd_identity); }
END_TEST

static void fd_differences(tree_state *s) {
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, NULL, dfd_dq, dfd_dqd, dfd_du));
  tree_difference(s, tree_fd, s->q, s->n, s->n, 1e-3, numeric);
  tree_same(s, "dfd_dq", s->n, s->n, dfd_dq, numeric, 1e-6, 1e-7);
  tree_difference(s, tree_fd, s->qd, s->n, s->n, 1e-2, numeric); // quadratic in qd
  tree_same(s, "dfd_dqd", s->n, s->n, dfd_dqd, numeric, 1e-6, 1e-7);
  if (s->m == 0) return;
  tree_difference(s, tree_fd, s->u, s->m, s->n, 0.02, numeric); // linear in u but for flows
  tree_same(s, "dfd_du", s->n, s->m, dfd_du, numeric, 1e-6, 1e-7);
}

START_TEST(derivatives_of_fd_are_its_differences) { tree_state_each(fd_differences); }
END_TEST

TEST_MAIN("tree_fd_derivatives", mass_times_derivatives_of_fd_is_dtau_minus_did, derivatives_of_fd_are_its_differences)
