// A and B at a state, whatever state it is: from the derivatives of forward dynamics.
#include "constraint/loop_closure.h"
#include "tendril/linearize.h"
#include <assert.h>
#include <string.h>

td_status td_linearize(const td_model *model, td_workspace *ws, const td_state *state, double *A, double *B) {
  assert(A != B || !A);
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  double *dq = A, *dqd = A ? A + n * n : NULL; // packed in the upper half, which is overwritten last
  td_constrained_output out = {.dfd_dq = dq, .dfd_dqd = dqd, .dfd_du = B ? B + n * m : NULL};
  bool closure = ws->constraint.closure;
  ws->constraint.closure = true; // the format's e has another slope than A where frames are turned: false eigenvalues
  td_status status = td_constrained_dynamics(model, ws, state, &out);
  ws->constraint.closure = closure;
  if (status) return status;
  if (B) memset(B, 0, n * m * sizeof *B);
  for (size_t i = 0; A && i < n; i++) {
    memcpy(A + (n + i) * 2 * n, dq + i * n, n * sizeof *A);
    memcpy(A + (n + i) * 2 * n + n, dqd + i * n, n * sizeof *A);
  }
  if (A) memset(A, 0, 2 * n * n * sizeof *A);
  for (size_t i = 0; A && i < n; i++) A[i * 2 * n + n + i] = 1;
  return TD_OK;
}
