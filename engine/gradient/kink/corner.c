// A corner between two steps, linearised: accelerations at the state they share by the slopes of the step that follows.
//   a' = fd(q, v),   b' = b + a' - a,   v' = v + (a' - a) times what has gone by since the kink
// Values stay as they are.
#include "gradient/kink/corner.h"
#include "gradient/kink/kink.h"
#include <string.h>

static td_status linearise(td_chain *c, const td_note *step) {
  const double *x = td_tape_point(c->tape, step->start);
  size_t n = (size_t)c->n;
  td_linear_point at = {step->from, x, x + n, x + 2 * n, x + 3 * n};
  td_chain_place(c, step, step->start);
  return td_chain_linearise_rate(c, &at);
}

td_status td_corner_forward(td_chain *c, const td_note *step) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  td_status status = linearise(c, step);
  if (status) return status;
  memcpy(c->Ts, c->T[TD_A], all * sizeof *c->Ts);
  status = td_chain_rate_forward(c, c->T[TD_Q], c->T[TD_V], c->T[TD_A]);
  for (size_t i = 0; i < all; i++) {
    double change = c->T[TD_A][i] - c->Ts[i];
    c->T[TD_B][i] += change;
    c->T[TD_V][i] += c->sides.late * change;
  }
  c->ws->kinks = NULL;
  return status;
}

td_status td_corner_backward(td_chain *c, const td_note *step) {
  double **L = c->L;
  td_status status = linearise(c, step);
  if (status) return status;
  double *change = c->Ls; // free here
  for (int i = 0; i < c->n; i++) {
    change[i] = L[TD_B][i] + c->sides.late * L[TD_V][i];
    L[TD_A][i] += change[i];
  }
  status = td_chain_rate_backward(c, L[TD_Q], L[TD_V], L[TD_A]);
  for (int i = 0; i < c->n; i++) L[TD_A][i] = -change[i];
  c->ws->kinks = NULL;
  return status;
}
