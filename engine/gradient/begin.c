// Accelerations by forward dynamics, linearised: where a method begins, and in the stages of explicit ones.
//   a = fd(q, v, u), at index 1 with loops; the method's own accelerations are the same at first.
#include "gradient/chain.h"
#include "gradient/kink/kink.h"
#include <string.h>

td_status td_chain_right_sides(td_chain *c) {
  size_t ld = (size_t)c->ld;
  memset(c->f, 0, (size_t)c->n * ld * sizeof *c->f);
  if (c->plant.rows) memset(c->g, 0, (size_t)c->plant.rows * ld * sizeof *c->g);
  td_chain_add_inputs(c, c->f);
  return td_chain_add_parameters(c, c->f, c->g);
}

td_status td_chain_right_side_cotangents(td_chain *c) {
  if (c->listed) {
    td_linear_input_cotangent(&c->linear, c->u);
    td_chain_add_input_cotangent(c);
  }
  return td_chain_add_parameter_cotangent(c);
}

td_status td_chain_linearise_rate(td_chain *c, const td_linear_point *at) {
  static const td_linear_slopes rate = {0, 0, 1};
  td_status status = td_chain_list(c, at->t, at->q, at->v);
  td_kinks_keep(c, at->q);
  return status ? status : td_linear_at(&c->linear, at, rate, false, c->listed > 0);
}

td_status td_chain_rate_forward(td_chain *c, double *q, double *v, double *a) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  td_status status = td_chain_right_sides(c);
  if (status) return status;
  memset(a, 0, all * sizeof *a);
  td_chain_drive_tangents(c, q, v, a);
  td_tangent_columns T = {c->np, c->ld, q, v, c->driven ? a : NULL};
  td_linear_tangents(&c->linear, &T, c->f, c->g, c->D);
  for (size_t i = 0; i < all; i++) a[i] += c->D[i];
  return TD_OK;
}

td_status td_chain_rate_backward(td_chain *c, double *q, double *v, double *a) {
  memcpy(c->d, a, (size_t)c->n * sizeof *c->d);
  td_linear_cotangents(&c->linear, c->d, q, v, a);
  td_status status = td_chain_right_side_cotangents(c);
  td_chain_drive_cotangents(c, q, v, a);
  return status;
}

static td_status linearise(td_chain *c, const td_note *note) {
  const double *x = td_tape_point(c->tape, note->point);
  size_t n = (size_t)c->n;
  td_linear_point at = {note->t, x, x + n, x + 2 * n, x + 3 * n};
  td_chain_place(c, note, note->point);
  return td_chain_linearise_rate(c, &at);
}

// Where a force has set in or ended, rates get what is new in accelerations since (kink/corner.c).
td_status td_begin_forward(td_chain *c, const td_note *note) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  bool turns = td_kinks_turn(c, note);
  if (turns) memcpy(c->Ts, c->T[TD_A], all * sizeof *c->Ts);
  td_status status = linearise(c, note);
  if (!status) status = td_chain_rate_forward(c, c->T[TD_Q], c->T[TD_V], c->T[TD_A]);
  for (size_t i = 0; turns && i < all; i++) c->T[TD_V][i] += c->sides.late * (c->T[TD_A][i] - c->Ts[i]);
  memcpy(c->T[TD_B], c->T[TD_A], (size_t)c->n * (size_t)c->ld * sizeof *c->T[TD_B]);
  return status;
}

td_status td_begin_backward(td_chain *c, const td_note *note) {
  double **L = c->L, *since = c->Ls; // free here
  double late = td_kinks_turn(c, note) ? c->sides.late : 0;
  td_status status = linearise(c, note);
  if (status) return status;
  for (int i = 0; i < c->n; i++) {
    since[i] = late * L[TD_V][i];
    L[TD_A][i] += L[TD_B][i] + since[i];
  }
  status = td_chain_rate_backward(c, L[TD_Q], L[TD_V], L[TD_A]);
  for (int i = 0; i < c->n; i++) L[TD_A][i] = -since[i];
  memset(L[TD_B], 0, (size_t)c->n * sizeof *L[TD_B]);
  return status;
}
