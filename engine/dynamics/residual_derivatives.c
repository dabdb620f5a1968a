// The residual tau - ID and the matrices of an implicit step, without and with multipliers.  Mathew2025 (45), (52).
#include "constraint/closed_chain.h"
#include "math/finite.h"
#include "pass/generalized_force.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <string.h>

td_status td_residual_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                  const double *qdd, const double *u, double *residual, double *K, double *C,
                                  double *M) {
  if (!K && !C && !M) {
    td_status status = td_generalized_force(model, ws, q, qd, u, ws->tau);
    if (!status) status = td_inverse_dynamics(model, ws, q, qd, qdd, u, ws->id);
    for (int i = 0; !status && residual && i < model->n; i++) residual[i] = ws->tau[i] - ws->id[i];
    return status;
  }
  td_force_derivatives_padded(model, ws, q, qd, u);
  td_status status = residual ? td_generalized_force(model, ws, q, qd, u, ws->tau) : TD_OK;
  if (status) return status;
  td_id_derivatives_padded(model, ws, q, qd, qdd, u, M ? TD_COLUMNS_ALL : TD_COLUMNS_SLOPES);
  int n = model->n, ld = model->ld;
  for (int i = 0; i < n; i++) {
    if (residual) residual[i] = ws->tau[i] - ws->id[i];
    for (int j = 0; K && j < n; j++) K[i * n + j] = ws->did_dq[i * ld + j] - ws->dtau_dq[i * ld + j];
    for (int j = 0; C && j < n; j++) C[i * n + j] = ws->did_dqd[i * ld + j] - ws->dtau_dqd[i * ld + j];
    if (M) memcpy(M + i * n, ws->mass + i * ld, (size_t)n * sizeof *M);
  }
  return td_all_finite(ws->did_dq, n * ld);
}

td_status td_constraint_terms_at(const td_model *model, td_workspace *ws, const td_state *state, const double *lambda,
                                 const td_constraint_terms *out) {
  if (td_is_constrained(model)) return td_closed_terms(model, ws, state, lambda, out);
  return td_residual_derivatives(model, ws, state->q, state->qd, state->qdd, state->u, out->residual, out->K, out->C,
                                 out->M);
}
