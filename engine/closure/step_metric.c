// What projections at the ends of implicit steps, and of samples between them, measure by: W = M(q) + c D + k K, the
// matrix of the step but for what of it changes from state to state beside inertia. It is positive definite where M is,
// and its derivatives are those of M.
#include "closure/projection.h"
#include "force/elasticity.h"
#include "math/cholesky.h"
#include "model/workspace.h"
#include "pass/whole_pass.h"
#include <assert.h>

static void note_rest(td_projection *p) {
  int ld = p->model->ld;
  td_elasticity_at_rest(p->model, p->ws);
  for (int i = 0; i < p->free_count; i++)
    for (int j = i; j < p->free_count; j++) {
      int a = p->free[i], b = p->free[j];
      p->K[i * p->ld + j] = -0.5 * (p->ws->dtau_dq[a * ld + b] + p->ws->dtau_dq[b * ld + a]);
      p->D[i * p->ld + j] = -0.5 * (p->ws->dtau_dqd[a * ld + b] + p->ws->dtau_dqd[b * ld + a]);
    }
  p->at_rest = true;
}

void td_projection_measure(td_projection *p, const td_step_metric *metric, const double *q) {
  assert(metric->k >= 0 && metric->c >= 0);
  if (p->rows == 0) return;
  if (!p->at_rest) note_rest(p);
  td_mass_padded(p->model, p->ws, q);
  for (int i = 0; i < p->free_count; i++)
    for (int j = i; j < p->free_count; j++) {
      int at = i * p->ld + j;
      p->W[at] = p->ws->mass[p->free[i] * p->model->ld + p->free[j]] + metric->c * p->D[at] + metric->k * p->K[at];
    }
  p->metric = td_spd_factor(p->free_count, p->ld, p->W, p->ld, p->U) == TD_OK;
}
