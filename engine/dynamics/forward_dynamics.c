// Forward dynamics and its derivatives: the way of trees (free_dynamics.c) or that of closed chains
// (constraint/closed_chain.c).
#include "constraint/closed_chain.h"
#include "dynamics/free_dynamics.h"

td_status td_constrained_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                  const td_constrained_output *out) {
  bool begun = td_steady_begin(ws, state->q, state->qd);
  td_status status = (td_is_constrained(model) ? td_closed_dynamics : td_free_dynamics)(model, ws, state, out);
  td_steady_end(ws, begun);
  return status;
}

td_status td_fd_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd, const double *u,
                            double *fd, double *dfd_dq, double *dfd_dqd, double *dfd_du) {
  const td_state state = {.q = q, .qd = qd, .u = u}; // prescribed coordinates at acceleration 0
  return td_constrained_dynamics(
      model, ws, &state, &(td_constrained_output){.fd = fd, .dfd_dq = dfd_dq, .dfd_dqd = dfd_dqd, .dfd_du = dfd_du});
}

td_status td_forward_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                              const double *u, double *fd) {
  return td_fd_derivatives(model, ws, q, qd, u, fd, NULL, NULL, NULL);
}
