// The parts of forward dynamics behind its passes over the tree, for states that went through those side by side
// (batch/).
#ifndef TENDRIL_DYNAMICS_FORWARD_DYNAMICS_H
#define TENDRIL_DYNAMICS_FORWARD_DYNAMICS_H

#include "model/workspace.h"
#include "tendril/dynamics.h"

/// ws->fd and ws->factor from ws->tau, ws->id and ws->mass.
TD_NODISCARD td_status td_acceleration_of(const td_model *m, td_workspace *ws);
/// dfd_dq, dfd_dqd [n][n] (either may be NULL) from ws->factor and the derivatives of ID and tau in ws.
TD_NODISCARD td_status td_acceleration_slopes_of(const td_model *m, td_workspace *ws, double *dfd_dq, double *dfd_dqd);

#endif
