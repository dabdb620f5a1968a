// Changes of chart, linearised: (q, v) of joints whose rotation vectors were rewritten. Accelerations begin anew.
#include "build/build.h"
#include "closure/rechart.h"
#include "gradient/chain.h"
#include <string.h>

// The state before the change in c->y.
static void state_before(td_chain *c, const td_note *note) {
  memcpy(c->y, td_tape_point(c->tape, note->point - 1), 2 * (size_t)c->n * sizeof *c->y);
}

void td_chart_forward(td_chain *c, const td_note *note) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  state_before(c, note);
  memcpy(c->Ts, c->T[TD_Q], all * sizeof *c->Ts);
  memcpy(c->Ts + all, c->T[TD_V], all * sizeof *c->Ts);
  (void)td_rechart_columns(c->model, c->y, c->np, c->ld, c->Ts, c->chart);
  memcpy(c->T[TD_Q], c->Ts, all * sizeof *c->Ts);
  memcpy(c->T[TD_V], c->Ts + all, all * sizeof *c->Ts);
}

// By the whole matrix: a change is rare.
void td_chart_backward(td_chain *c, const td_note *note) {
  int size = 2 * c->n, ld = td_pad(size);
  double *column = c->chart, *J = c->chart + size;
  memset(J, 0, (size_t)(size * ld) * sizeof *J);
  for (int i = 0; i < size; i++) J[i * ld + i] = 1;
  state_before(c, note);
  (void)td_rechart_columns(c->model, c->y, size, ld, J, column);
  memset(c->Ls, 0, (size_t)size * sizeof *c->Ls);
  for (int i = 0; i < size; i++) {
    double x = i < c->n ? c->L[TD_Q][i] : c->L[TD_V][i - c->n];
    for (int j = 0; x != 0 && j < size; j++) c->Ls[j] += J[i * ld + j] * x;
  }
  memcpy(c->L[TD_Q], c->Ls, (size_t)c->n * sizeof *c->Ls);
  memcpy(c->L[TD_V], c->Ls + c->n, (size_t)c->n * sizeof *c->Ls);
}
