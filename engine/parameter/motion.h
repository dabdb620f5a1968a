// Forward dynamics at a state, and what its derivatives in any direction need of it.
//   [M -A^T; A 0] (dfd; dlambda) = (dr; -da)  at the fd and lambda that were found;  trees: M dfd = dr.
// The workspace `base` keeps the factor of the left-hand side while neighbours and matrices are asked in `side`.
//
// Where rows of loops depend on each other the range of A turns with what varies (constraint/closed_chain.c): dlambda
// gains (1 - P P^T) dA w, A w = lambda, and da gains P (Ar Ar^T)^-1 Ar dA^T a where some of a is left over.
#ifndef TENDRIL_PARAMETER_MOTION_H
#define TENDRIL_PARAMETER_MOTION_H

#include "parameter/parameters.h"

typedef struct td_motion_at {
  const td_parameters *p;
  const td_model *m;
  td_parameter_workspace *ws;
  td_state at;    ///< the state with the accelerations found
  bool dependent; ///< rows of loops depend on each other
  bool turns;     ///< they do, and derivatives of multipliers are wanted
  bool leftover;  ///< they contradict each other
} td_motion_at;

/// fd and lambda, and what is left over of dependent rows.
/// @param lambdas  derivatives of multipliers are wanted
TD_NODISCARD td_status td_motion_begin(td_motion_at *o, const td_parameters *p, td_parameter_workspace *ws,
                                       const td_state *state, bool lambdas);
/// r_p, a_p and, where wanted, A_p w and A_p^T a in ws->force, rows, moved, left; of parameters whose `weight` (NULL:
/// all) is not 0. TD_SINGULAR: dependent rows part with one of them (ws->fault), fd jumps.
TD_NODISCARD td_status td_motion_right_sides(const td_motion_at *o, const double *weight);
/// ws->x [n] and ws->mu [c] of dr = f [n], da = c [r], and what turns [r] (NULL: nothing).
void td_motion_solve(const td_motion_at *o, const double *f, const double *c, const double *turn);
/// ws->f, ws->c, ws->turn: the right-hand sides of parameter j, with what dependent rows add.
void td_motion_column(const td_motion_at *o, size_t j);

#endif
