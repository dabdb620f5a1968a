// The residual tau - ID and the matrices of an implicit step, without and with multipliers.  Mathew2025 (45), (52).
#include "constraint/closed_chain.h"
#include "math/finite.h"
#include "pass/generalized_force.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <string.h>

static td_status residual_alone(const td_model *m, td_workspace *ws, const td_state *at, double *residual) {
  td_status status = td_generalized_force(m, ws, at->q, at->qd, at->u, ws->tau);
  if (!status) status = td_inverse_dynamics(m, ws, at->q, at->qd, at->qdd, at->u, ws->id);
  for (int i = 0; !status && residual && i < m->n; i++) residual[i] = ws->tau[i] - ws->id[i];
  return status;
}

static td_status free_terms(const td_model *m, td_workspace *ws, const td_state *at, const td_constraint_terms *out) {
  if (!out->K && !out->C && !out->M) return residual_alone(m, ws, at, out->residual);
  td_force_derivatives_padded(m, ws, at->q, at->qd, at->u);
  td_status status = out->residual ? td_generalized_force(m, ws, at->q, at->qd, at->u, ws->tau) : TD_OK;
  if (status) return status;
  td_id_derivatives_padded(m, ws, at->q, at->qd, at->qdd, at->u, out->M ? TD_COLUMNS_ALL : TD_COLUMNS_SLOPES);
  int n = m->n, ld = m->ld;
  for (int i = 0; i < n; i++) {
    if (out->residual) out->residual[i] = ws->tau[i] - ws->id[i];
    for (int j = 0; out->K && j < n; j++) out->K[i * n + j] = ws->did_dq[i * ld + j] - ws->dtau_dq[i * ld + j];
    for (int j = 0; out->C && j < n; j++) out->C[i * n + j] = ws->did_dqd[i * ld + j] - ws->dtau_dqd[i * ld + j];
    if (out->M) memcpy(out->M + i * n, ws->mass + i * ld, (size_t)n * sizeof *out->M);
  }
  return td_all_finite(ws->did_dq, n * ld);
}

td_status td_residual_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                  const double *qdd, const double *u, double *residual, double *K, double *C,
                                  double *M) {
  bool begun = td_steady_begin(ws, q, qd);
  td_status status = free_terms(model, ws, &(td_state){.q = q, .qd = qd, .qdd = qdd, .u = u},
                                &(td_constraint_terms){.residual = residual, .K = K, .C = C, .M = M});
  td_steady_end(ws, begun);
  return status;
}

td_status td_constraint_terms_at(const td_model *model, td_workspace *ws, const td_state *state, const double *lambda,
                                 const td_constraint_terms *out) {
  bool begun = td_steady_begin(ws, state->q, state->qd);
  td_status status =
      td_is_constrained(model) ? td_closed_terms(model, ws, state, lambda, out) : free_terms(model, ws, state, out);
  td_steady_end(ws, begun);
  return status;
}
