// Projection onto loop constraints: the nearest q with e(q) = 0 and the nearest qd with A qd = 0, prescribed
// coordinates held. Distances are those of the free coordinates (rad, m, strain modes), or those of a metric that an
// integrator gives: with the matrix of its implicit step, stiff modes are left alone.
#ifndef TENDRIL_CLOSURE_PROJECTION_H
#define TENDRIL_CLOSURE_PROJECTION_H

#include "tendril/run.h"

typedef struct td_projection {
  const td_model *model;
  td_workspace *ws;
  int n, rows, free_count;
  const int *free;     ///< [free_count] borrowed
  int ld, ldp, rank;   ///< strides; independent rows of the last matrix
  double *e, *G;       ///< [rows], [rows][n]
  double *reduced, *P; ///< [rows][ld], [rows][ldp]
  double *Q, *R;       ///< [free_count][ldp], [ldp][ldp]
  double *W, *U;       ///< [free_count][ld] metric (upper triangle) and its Cholesky factor
  double *K, *D;       ///< [free_count][ld] stiffness and damping at rest, of td_projection_measure
  bool at_rest;        ///< they are known
  bool metric;         ///< there is one
  bool coarse;         ///< that is more than most_misfit
  double most_misfit;  ///< what is allowed
  double misfit; ///< what dependent rows that contradict each other leave of |e| at the state last projected loosely
  double *x, *q, *work;              ///< [free_count], [n]
  double *aside;                     ///< [n]
  bool closure_before, loose_before; ///< of ws, when it was made
  const double *u; ///< inputs whose forces say which way assembly goes where it has a choice; borrowed, NULL: 0
} td_projection;

/// As long as it lives, loops in `ws` are measured by their closure (constraint/loop_closure.h); then as before. One
/// may live within another.
TD_NODISCARD td_status td_projection_init(td_projection *p, const td_model *model, td_workspace *ws, int free_count,
                                          const int *free);
void td_projection_fini(td_projection *p);

/// Measures from now on by the symmetric part of W [free_count][free_count]; NULL, or a W that is not positive
/// definite: by the coordinates themselves. O(free_count^3 / 3), no allocation.
void td_projection_metric(td_projection *p, const double *W);

/// Largest |e| at q; TD_NONFINITE. `loop` (may be NULL): whose it is, -1 without loops.
TD_NODISCARD td_status td_loop_drift(td_projection *p, const double *q, double *error, int *loop);

/// Newton on e(q) = 0 by smallest steps, in place: for states near the constraint. TD_NOT_CONVERGED leaves q as it was.
/// Loosely (ws->constraint.loose): on the independent rows, with what the others contradict them by in p->misfit.
TD_NODISCARD td_status td_project_position(td_projection *p, double *q);
/// The same from a state that a step along the tangent space has led to, however long: turns of helical loops are those
/// that go with their slide there. TD_NOT_CONVERGED where the way back moves one by a quarter of a turn: the step was
/// too long to count.
TD_NODISCARD td_status td_project_step(td_projection *p, double *q);
/// The smallest singular value of A on the free coordinates among `rank` independent rows, *size, as a part of the
/// largest (about), and its vectors u [rows], v [free_count], u^T A v > 0. With `before`: *value = u^T A v at the
/// vectors handed in, as such a part.
TD_NODISCARD td_status td_loop_smallest(td_projection *p, const double *q, bool before, double *u, double *v,
                                        double *value, double *size, int *rank);
/// The rank of A at q as it stands.
TD_NODISCARD td_status td_loop_rank_at(td_projection *p, const double *q, int *rank);
/// The rank of A at the closed state next to q, which q becomes. Decides whether rows that nearly depend on each other
/// do so: where they let a motion of 0.05 pass without opening by more than documents are rounded by, they do, and
/// ws->constraint.loose says so. `loose`: this is known.
TD_NODISCARD td_status td_loop_rank(td_projection *p, bool loose, double *q, int *rank);
/// qd [n] in place: its nearest neighbour with A(q) qd = 0.
TD_NODISCARD td_status td_project_velocity(td_projection *p, const double *q, double *qd);

/// What a step of an implicit method measures by, W = M(q) + c D + k K, with D and K the damping and stiffness of joints
/// and bodies at rest (force/elasticity.h): stiff modes are left alone, and W has derivatives. c in s, k in s^2.
typedef struct td_step_metric {
  double k, c;
} td_step_metric;
/// td_projection_metric by W at q [n].
void td_projection_measure(td_projection *p, const td_step_metric *metric, const double *q);

/// The end of a step (q, qd, qdd) in place, prescribed coordinates included: qd [n] goes to its nearest neighbour with
/// A qd = 0, then qdd and `other` [n], an acceleration beside it, to those with A qdd + Ad qd = 0; lambda [rows], the
/// multipliers of qdd, follow (NULL: stay). They are measured by `metric` at q itself: by that of a step before, what is
/// taken away along the constraint would take some of the motion with it, a first-order error.
TD_NODISCARD td_status td_project_rates(td_projection *p, const td_step_metric *metric, const double *q, double *qd,
                                        double *qdd, double *other, double *lambda);

/// The smallest lambda [rows] that takes force [n] onto the constraint: force + A^T lambda is what is left on free
/// coordinates, in the least-squares sense. Leaves p->Q [free_count][ldp], `rank` columns: an orthonormal basis of what
/// A's rows span (in the metric, if there is one).
TD_NODISCARD td_status td_loop_multipliers(td_projection *p, const double *q, const double *force, double *lambda);
// By the factors of A that it leaves, with p->G = A:
/// the smallest lambda [rows] likewise, for another force [n];
void td_loop_take_up(td_projection *p, const double *force, double *lambda);
/// the smallest x [free_count] on free coordinates with A x = c [rows], as far as it can be met;
void td_loop_motion(td_projection *p, const double *c, double *x);
/// c [rows] becomes what of it no motion meets.
void td_loop_unmet(const td_projection *p, double *c);

/// q [n] in: any state; out: the nearest one with e(q) = 0 (damped Gauss-Newton, then a search along the constraint),
/// or one that Levenberg and Marquardt's method reaches where that ends open. A q that no body can take stays one if it
/// must: forces at it are not finite. TD_NOT_CONVERGED: `err` names the loop, its remaining error and a body bent to
/// its end; q is where it stood.
TD_NODISCARD td_status td_assemble(td_projection *p, double *q, td_error *err);
/// The same where prescribed coordinates have moved, q [n] having their new values: joints that turn by more than a
/// quarter since `from` [n] take the loops along in parts of a radian (turning.c). Allocates [n] then.
TD_NODISCARD td_status td_assemble_turning(td_projection *p, const double *from, double *q, td_error *err);
/// Warns of a state that closes its loops but for `misfit` (above 1e-8).
void td_misfit_tell(double misfit, td_warnings *warnings);

#endif
