// A state of a robot with everything the law tests need around it: workspace, random q, qd, qdd, u, and differences.
#ifndef TENDRIL_TEST_TREE_STATE_H
#define TENDRIL_TEST_TREE_STATE_H

#include "support/tree.h"
#include "tendril/dynamics.h"

enum { STATE_MAX = 96 }; ///< coordinates and channels of the law tests' robots

typedef struct tree_state {
  td_model *model;
  td_workspace *ws;
  const char *name;
  double scale;
  int n, m;
  double q[STATE_MAX], qd[STATE_MAX], qdd[STATE_MAX], u[STATE_MAX];
} tree_state;

/// Builds robot `i` and a random state: q within +-scale, qd +-1, qdd +-2, u +-3.
void tree_state_open(tree_state *s, size_t i, double scale);
/// The same for a robot of one's own.
void tree_state_of(tree_state *s, const tree *t, const char *name, double scale);
void tree_state_close(tree_state *s);

/// Runs `law` on every robot at q of 0.5, 1e-3 and 3; with sanitizers at one of the three.
void tree_state_each(void (*law)(tree_state *s));

/// A quantity of the state: out [rows].
typedef void (*tree_quantity)(tree_state *s, double *out);
void tree_id(tree_state *s, double *out);
void tree_tau(tree_state *s, double *out);
void tree_fd(tree_state *s, double *out);

/// jacobian [rows][columns] of `f` with respect to x [columns], a member of the state: five-point differences of step
/// h.
void tree_difference(tree_state *s, tree_quantity f, double *x, int columns, int rows, double h, double *jacobian);

/// Fails unless |got - expected| <= relative * (largest entry of the row) + absolute * (largest entry) everywhere.
void tree_same(const tree_state *s, const char *what, int rows, int columns, const double *got, const double *expected,
               double relative, double absolute);

#define TREE_OK(call) ck_assert_int_eq((call), TD_OK)

#endif
