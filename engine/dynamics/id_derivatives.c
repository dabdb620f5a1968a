// Derivatives of inverse dynamics, in the world frame (engine/README.md, «Derivatives in the world frame»).
#include "math/finite.h"
#include "pass/columns.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <string.h>

td_status td_id_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                            const double *qdd, const double *u, double *id, double *did_dq, double *did_dqd,
                            double *mass) {
  td_id_derivatives_padded(model, ws, q, qd, qdd, u, mass ? TD_COLUMNS_ALL : TD_COLUMNS_SLOPES);
  if (id) memcpy(id, ws->id, (size_t)model->n * sizeof *id);
  if (did_dq) td_unpad(model, ws->did_dq, did_dq);
  if (did_dqd) td_unpad(model, ws->did_dqd, did_dqd);
  if (mass) td_unpad(model, ws->mass, mass);
  return td_all_finite(ws->did_dq, model->n * model->ld);
}
