// Forward dynamics of robots without loops and prescribed coordinates.
#ifndef TENDRIL_DYNAMICS_FREE_DYNAMICS_H
#define TENDRIL_DYNAMICS_FREE_DYNAMICS_H

#include "model/workspace.h"
#include "tendril/dynamics.h"

/// fd and its derivatives at (q, qd, u) of the state; each output may be NULL, multipliers are none. TD_SINGULAR
/// without a mass matrix.
TD_NODISCARD td_status td_free_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                        const td_constrained_output *out);

#endif
