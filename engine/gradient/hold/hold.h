// What projections onto loops share when they are linearised.
#ifndef TENDRIL_GRADIENT_HOLD_HOLD_H
#define TENDRIL_GRADIENT_HOLD_HOLD_H

#include "gradient/chain.h"

static inline void td_hold_multiply(int rows, int n, const double *A, const double *x, double *out) {
  for (int i = 0; i < rows; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += A[i * n + j] * x[j];
  }
}

/// out [n] += A^T y
static inline void td_hold_add_transposed(int rows, int n, const double *A, const double *y, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) out[j] += A[i * n + j] * y[i];
}

/// Constraint terms at q and y = qdd [n] (NULL: 0), without velocities and without Baumgarte's terms.
TD_NODISCARD td_status td_hold_terms(td_chain *c, const double *q, const double *y, const td_constraint_terms *out);
/// Measures by the note's metric at q from now on.
void td_hold_measure(td_chain *c, const td_note *note, const double *q);
/// [W, -A^T; A, 0] factored, A [rows][n].
bool td_hold_factor(td_chain *c, const double *A);
/// x [n] and m [rows] of W x = A^T m, A x = e [rows], by the factors at hand.
void td_hold_smallest(td_chain *c, const double *e, double *x, double *m);
/// G(q + s d) less G(q - s d), over 2 s: h->B [rows][n] along d [n].
TD_NODISCARD td_status td_hold_row_change(td_chain *c, const double *q, const double *d);

/// X [n][n] = d(M x - A^T m)/dq at q; x [n], m [rows], either may be NULL: 0.
TD_NODISCARD td_status td_hold_turn(td_chain *c, const double *q, const double *x, const double *m, double *X);

/// A change x that was taken away, W x = A^T m: at q, and W at `at`, where it is measured.
typedef struct td_hold_question {
  const td_note *note;
  const double *q, *at, *v, *y, *m, *x; ///< y: what is left, and v the rates at which it is accelerations (NULL: none)
  bool positions;                       ///< x moves q, the rows are e - G x; else A y + Ad v
} td_hold_question;
/// h->by_p = A^T m - W x [n], then the rows, by numbers of the model; what stands in h->A is lost.
TD_NODISCARD td_status td_hold_by_numbers(td_chain *c, const td_hold_question *question);
/// f, g += h->by_p, in the columns of the model's numbers.
void td_hold_add_numbers(td_chain *c, double *f, double *g);
/// gradient += h->by_p^T (w, nu)
void td_hold_pull_numbers(td_chain *c, const double *w, const double *nu);

/// c->f and c->g become 0.
void td_hold_clear(td_chain *c);
/// out [rows][ld] += sign X T, X [rows][n]
void td_hold_add_product(td_chain *c, int rows, double sign, const double *X, const double *T, double *out);
/// T [n][ld] less the solution of c->f, c->g by the factors at hand.
void td_hold_take_tangents(td_chain *c, double *T);
/// D [n][ld] that solution itself, 0 at prescribed coordinates.
void td_hold_solve_tangents(td_chain *c, double *D);
/// h->f [n], h->g [rows]: the solution of the transposed system for the cotangent -y [n] of x.
void td_hold_solve_cotangents(td_chain *c, const double *y);

#endif
