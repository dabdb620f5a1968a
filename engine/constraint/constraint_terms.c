// Parts of a constrained robot's equations one by one: what implicit steps, assembly and statics are made of.
//   residual = tau - ID + A^T lambda + E^T lambda_p,   a = A qdd + Ad qd + (2/T) A qd + e / T^2,   e, G = de/dq.
// Gravity, an acceleration of the root, cancels in rows. Its rounding does not: differences of a over the numbers of a
// model divide it by a step. Rows alone are computed without gravity.
#include "constraint/closed_chain.h"
#include "constraint/loop.h"
#include "math/finite.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/generalized_force.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <string.h>

// ws->id = ID - A^T lambda without derivatives; columns J are kept when `columns`.
static void plain_pass(const td_model *m, td_workspace *ws, const td_state *state, const double *lambda,
                       const double *gravity, bool columns) {
  const double *qd = state->qd ? state->qd : ws->zero, *qdd = state->qdd ? state->qdd : ws->zero;
  td_kinematics(m, ws, state->q, qd, qdd, gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, state->u, TD_FORCE_ALL, gravity, TD_COMPOSITE_WRENCH);
  td_loop_poses(m, ws);
  td_loop_apply(m, ws, lambda);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, ws->id);
  if (columns) td_columns_of(m, ws, TD_COLUMNS_MASS);
}

static void write_residual(const td_model *m, const td_workspace *ws, const double *lambda, double *residual) {
  for (int i = 0; i < m->n; i++) residual[i] = ws->tau[i] - ws->id[i];
  for (int i = 0; i < m->prescribed_count; i++) residual[m->prescribed[i].coordinate] += lambda[m->loop_rows + i];
}

static void write_matrices(const td_model *m, const td_workspace *ws, const td_constraint_terms *out) {
  int n = m->n, ld = m->ld;
  for (int i = 0; i < n; i++) {
    for (int j = 0; out->K && j < n; j++) out->K[i * n + j] = ws->did_dq[i * ld + j] - ws->dtau_dq[i * ld + j];
    for (int j = 0; out->C && j < n; j++) out->C[i * n + j] = ws->did_dqd[i * ld + j] - ws->dtau_dqd[i * ld + j];
    if (out->M) memcpy(out->M + i * n, ws->mass + i * ld, (size_t)n * sizeof *out->M);
  }
}

static void write_rows(const td_model *m, td_workspace *ws, double T, const td_constraint_terms *out) {
  td_constraint_scratch *s = &ws->constraint;
  size_t size = (size_t)m->loop_rows * sizeof(double);
  td_loop_rates(m, ws, T);
  if (out->e) memcpy(out->e, s->e, size);
  if (out->a) memcpy(out->a, s->a, size);
  if (out->A || out->G) td_loop_jacobian(m, ws, s->A, s->G);
  if (out->A) td_loop_unpad(m, m->ld, s->A, out->A);
  if (out->G) td_loop_unpad(m, m->ld, s->G, out->G);
  if (!out->Cq && !out->Cv) return;
  td_loop_rate_derivatives(m, ws, T, s->da);
  if (out->Cq) td_loop_unpad(m, 2 * m->ld, s->da, out->Cq);
  if (out->Cv) td_loop_unpad(m, 2 * m->ld, s->da + m->ld, out->Cv);
}

td_status td_closed_terms(const td_model *model, td_workspace *ws, const td_state *state, const double *lambda,
                          const td_constraint_terms *out) {
  static const double NONE[3] = {0};
  double T = state->baumgarte > 0 ? state->baumgarte : TD_BAUMGARTE;
  const double *gravity = out->residual || out->K || out->C ? model->gravity : NONE;
  td_constraint_scratch *s = &ws->constraint;
  int c = model->loop_rows + model->prescribed_count;
  bool derivatives = out->K || out->C || out->M || out->Cq || out->Cv;
  for (int i = 0; i < c; i++) s->lambda[i] = lambda ? lambda[i] : 0;
  if (out->K || out->C) td_force_derivatives_padded(model, ws, state->q, state->qd, state->u);
  td_status status = TD_OK;
  if (out->residual) status = td_generalized_force(model, ws, state->q, state->qd, state->u, ws->tau);
  if (status) return status;
  if (derivatives)
    td_loop_id_derivatives(model, ws, state, s->lambda, gravity, out->M ? TD_COLUMNS_ALL : TD_COLUMNS_SLOPES);
  else
    plain_pass(model, ws, state, s->lambda, gravity, out->A || out->G);
  if (out->residual) write_residual(model, ws, s->lambda, out->residual);
  write_matrices(model, ws, out);
  write_rows(model, ws, T, out);
  status = td_all_finite(ws->id, model->n);
  if (!status) status = td_all_finite(s->a, model->loop_rows);
  return status || !derivatives ? status : td_all_finite(ws->did_dq, model->n * model->ld);
}
