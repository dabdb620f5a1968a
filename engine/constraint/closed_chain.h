// What the algorithms of constrained robots share.
#ifndef TENDRIL_CONSTRAINT_CLOSED_CHAIN_H
#define TENDRIL_CONSTRAINT_CLOSED_CHAIN_H

#include "model/workspace.h"
#include "tendril/dynamics.h"

/// A constraint row, or what is left of a column of A, counts as dependent below this part of A's longest column.
#define TD_RANK_TOLERANCE 1e-9
/// The same where the numbers of a document contradict each other by their rounding.
#define TD_LOOSE_RANK 1e-4

/// True when the model has loops or prescribed coordinates.
static inline bool td_is_constrained(const td_model *m) { return m->loop_rows + m->prescribed_count > 0; }

static inline double td_rank_tolerance(const td_constraint_scratch *s) {
  return s->loose ? TD_LOOSE_RANK : TD_RANK_TOLERANCE;
}

/// The rank to go by when a matrix of rows has `rank`. Rows that depend on each other on the constraint only (Bricard's
/// mechanism, three parallel legs) seem independent next to it, by as much as loops are open, and would ask for forces
/// and motions of the inverse of that: a run goes by the rank of a closed state (td_plant_note_rank).
static inline int td_rank_held(td_constraint_scratch *s, int rank) {
  if (s->most_rank > 0 && rank != s->most_rank) s->doubt = true;
  return s->most_rank > 0 && rank > s->most_rank ? s->most_rank : rank;
}

/// td_constrained_dynamics of a model with loops or prescribed coordinates.
TD_NODISCARD td_status td_closed_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                          const td_constrained_output *out);

// What td_closed_dynamics leaves in ws serves other directions than q and qd, as long as nothing else is computed
// there.

/// M x - A^T lambda = force on free coordinates, A x = -c; x [n] is 0 on prescribed ones, lambda [r + prescribed] ends
/// with their reactions. `turn` [r] (NULL: 0) is added to the multipliers of loops before.
void td_closed_solve(const td_model *m, td_workspace *ws, const double *force, const double *c, const double *turn,
                     double *x, double *lambda);
/// Where rows of loops depend on each other (constraint.rank < loop_rows), derivatives know that the range of A turns;
/// makes ready what the functions below need. True: some of a [r], that at fd, is left over.
bool td_closed_dependent(const td_model *m, td_workspace *ws, const double *a);
/// w [n] of smallest norm with A w = lambda [r], 0 on prescribed coordinates.
void td_closed_range_motion(const td_model *m, td_workspace *ws, const double *lambda, double *w);
/// c [r] += P (Ar Ar^T)^-1 Ar force, force [n] = d(A^T a) at the a left over. Its transpose is td_closed_range_motion.
void td_closed_leftover(const td_model *m, td_workspace *ws, const double *force, double *c);
/// v [n], 0 on prescribed coordinates, becomes what of it no row of A moves along: A v = 0.
void td_closed_project_out(const td_model *m, td_workspace *ws, double *v);
/// turn [r] = (1 - P P^T) rows, rows [r] = d(A w): what to give to td_closed_solve.
void td_closed_turn(const td_model *m, td_workspace *ws, const double *rows, double *turn);

/// td_constraint_terms_at of a model with loops or prescribed coordinates.
TD_NODISCARD td_status td_closed_terms(const td_model *model, td_workspace *ws, const td_state *state,
                                       const double *lambda, const td_constraint_terms *out);
/// lambda . A qd, W, without A: the work that the multipliers lambda [r] of loops do on open ones. Cost: O(points).
double td_loop_power(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *lambda);
/// Largest angle, rad, between the two frames of a loop whose joint leaves a rotation free, and that loop (-1: none
/// has).
double td_loop_free_rotation(const td_model *m, td_workspace *ws, const double *q, int *loop);
#endif
