// The state at t = 0, linearised: what the job gives, as loops and prescribed joints let it stand.
#include "gradient/chain.h"
#include <string.h>

td_status td_chain_start_forward(td_chain *c, td_simulation *run) {
  (void)run;
  for (int k = 0; k < TD_PARTS; k++) memset(c->T[k], 0, (size_t)c->n * (size_t)c->ld * sizeof *c->T[k]);
  for (int i = 0; c->by->initial && i < 2 * c->n; i++) {
    double *to = i < c->n ? c->T[TD_Q] + i * c->ld : c->T[TD_V] + (i - c->n) * c->ld;
    memcpy(to, c->by->initial + (size_t)i * c->by->count, c->by->count * sizeof *to);
  }
  return TD_OK;
}

td_status td_chain_start_backward(td_chain *c, td_simulation *run) {
  (void)run;
  for (int i = 0; c->by->initial && i < 2 * c->n; i++) {
    double x = i < c->n ? c->L[TD_Q][i] : c->L[TD_V][i - c->n];
    const double *row = c->by->initial + (size_t)i * c->by->count;
    for (size_t j = 0; x != 0 && j < c->by->count; j++) c->gradient[j] += row[j] * x;
  }
  return TD_OK;
}
