// Forward dynamics and its derivatives.
//   fd = M^-1 (tau - ID(q, qd, 0));   dfd/dx = M^-1 (dtau/dx - dID/dx) at qdd = fd.     Mathew2025 (36)-(38).
// One kinematic pass gives bias and mass matrix; one Cholesky factor serves fd and all right-hand sides of its
// derivatives. Robots with loops or prescribed coordinates go the way of constraint/closed_chain.c.
#include "dynamics/forward_dynamics.h"
#include "constraint/closed_chain.h"
#include "math/cholesky.h"
#include "math/finite.h"
#include "model/mass_factor.h"
#include "pass/columns.h"
#include "pass/generalized_force.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include "why/mass_rank.h"
#include <string.h>

td_status td_acceleration_of(const td_model *m, td_workspace *ws) {
  td_status status = td_stopped(ws) ? TD_CANCELLED : td_all_finite(ws->id, m->n);
  if (!status) status = td_mass_factor(m, ws->mass, ws->factor);
  if (!status) status = td_mass_regular(m, ws);
  if (status) return status;
  for (int i = 0; i < m->n; i++) ws->fd[i] = ws->tau[i] - ws->id[i];
  td_mass_solve(m, ws->factor, ws->fd);
  return td_all_finite(ws->fd, m->n);
}

// ws->fd and ws->factor at the state.
static td_status solve_acceleration(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                    const double *u) {
  td_status status = td_generalized_force(m, ws, q, qd, u, ws->tau);
  if (status) return status;
  td_id_parts(m, ws, q, qd, NULL, u, TD_FORCE_ALL, m->gravity, ws->id);
  td_columns_of(m, ws, TD_COLUMNS_MASS);
  return td_acceleration_of(m, ws);
}

// Right-hand sides [n][dq | dqd]: dtau - did.
static void fill_state_columns(const td_model *m, td_workspace *ws, int ldx, int with_q, int with_qd) {
  for (int i = 0; i < m->n; i++) {
    double *row = ws->solution + i * ldx;
    const double *tq = ws->dtau_dq + i * m->ld, *tv = ws->dtau_dqd + i * m->ld, *iq = ws->did_dq + i * m->ld,
                 *iv = ws->did_dqd + i * m->ld;
    for (int j = 0; with_q && j < m->ld; j++) row[j] = tq[j] - iq[j];
    row += with_q ? m->ld : 0;
    for (int j = 0; with_qd && j < m->ld; j++) row[j] = tv[j] - iv[j];
  }
}

static void copy_columns(const td_model *m, const td_workspace *ws, int ldx, int first, int columns, double *out) {
  for (int i = 0; i < m->n; i++)
    memcpy(out + i * columns, ws->solution + i * ldx + first, (size_t)columns * sizeof *out);
}

td_status td_acceleration_slopes_of(const td_model *m, td_workspace *ws, double *dfd_dq, double *dfd_dqd) {
  int columns = (dfd_dq ? m->ld : 0) + (dfd_dqd ? m->ld : 0);
  fill_state_columns(m, ws, columns, dfd_dq != NULL, dfd_dqd != NULL);
  for (int c = 0, next; c < columns && !td_stopped(ws); c = next) {
    next = td_solve_end(m->n, c, columns);
    td_mass_solve_many(m, ws->factor, next - c, columns, ws->solution + c);
  }
  if (dfd_dq) copy_columns(m, ws, columns, 0, m->n, dfd_dq);
  if (dfd_dqd) copy_columns(m, ws, columns, dfd_dq ? m->ld : 0, m->n, dfd_dqd);
  return td_all_finite(dfd_dq ? dfd_dq : dfd_dqd, m->n * m->n);
}

static td_status state_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                   const double *u, double *dfd_dq, double *dfd_dqd) {
  td_force_derivatives_padded(m, ws, q, qd, u);
  td_id_derivatives_padded(m, ws, q, qd, ws->fd, u, TD_COLUMNS_SLOPES);
  return td_acceleration_slopes_of(m, ws, dfd_dq, dfd_dqd);
}

// Input columns one by one: few, and rarely asked for.
static td_status input_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                   const double *u, double *dfd_du) {
  td_status status = td_force_derivatives(m, ws, q, qd, u, NULL, NULL, dfd_du);
  double *did_du = ws->solution, *column = ws->scratch;
  if (!status) status = td_id_input_derivative(m, ws, q, qd, u, did_du);
  for (int c = 0; !status && c < m->channel_count; c++) {
    for (int i = 0; i < m->n; i++) column[i] = dfd_du[i * m->channel_count + c] - did_du[i * m->channel_count + c];
    td_mass_solve(m, ws->factor, column);
    for (int i = 0; i < m->n; i++) dfd_du[i * m->channel_count + c] = column[i];
  }
  return status ? status : td_all_finite(dfd_du, m->n * m->channel_count);
}

static td_status free_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                               const td_constrained_output *out) {
  const double *q = state->q, *qd = state->qd, *u = state->u;
  td_status status = solve_acceleration(model, ws, q, qd, u);
  if (!status && out->fd) memcpy(out->fd, ws->fd, (size_t)model->n * sizeof *out->fd);
  if (!status && (out->dfd_dq || out->dfd_dqd))
    status = state_derivatives(model, ws, q, qd, u, out->dfd_dq, out->dfd_dqd);
  if (!status && out->dfd_du) status = input_derivatives(model, ws, q, qd, u, out->dfd_du);
  return status;
}

td_status td_constrained_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                  const td_constrained_output *out) {
  bool begun = td_steady_begin(ws, state->q, state->qd);
  td_status status =
      td_is_constrained(model) ? td_closed_dynamics(model, ws, state, out) : free_dynamics(model, ws, state, out);
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
