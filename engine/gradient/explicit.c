// Steps of explicit methods, linearised: y_i = y + h sum_j A_ij k_j by the method's tableau, k_i = (v_i, fd(y_i)), with
// prescribed coordinates put where they belong in each argument and at the end. The rate at the start is that of the
// state, (v, a); that at the end is a map of its own (TD_NOTE_BEGIN).
#include "base/carve.h"
#include "gradient/chain.h"
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ life

td_status td_stages_init(td_chain *c) {
  td_stages *s = &c->stage;
  size_t n = (size_t)c->n, size = 2 * n, r = (size_t)c->plant.rows, all = c->backward ? 0 : n * (size_t)c->ld;
  size_t each = 2 * size + r + 2 * all + (c->backward ? size : 0);
  double *at = s->memory = calloc(TD_EXPLICIT_STAGES * each + n + 1, sizeof *at);
  if (!at) return TD_NO_MEMORY;
  for (int i = 0; i < TD_EXPLICIT_STAGES; i++, at += each) {
    s->y[i] = at, s->k[i] = at + size, s->l[i] = at + 2 * size;
    s->dk[i] = s->Lk[i] = at + 2 * size + r; // of one direction each
  }
  s->a = at;
  return TD_OK;
}

void td_stages_fini(td_chain *c) { free(c->stage.memory); }

// ------------------------------------------------------------------------------------------------ values

td_status td_stages_values(td_chain *c, const td_note *step) {
  const td_tableau *b = c->method->tableau;
  td_stages *s = &c->stage;
  size_t size = 2 * (size_t)c->n;
  const double *x = td_tape_point(c->tape, step->point - 1);
  td_status status = TD_OK;
  memcpy(s->k[0], x + c->n, size * sizeof *x); // (v, a) lie behind q
  for (int i = 1; !status && i < b->stages; i++) {
    double *y = s->y[i], t = step->from + b->c[i] * step->h;
    memcpy(y, x, size * sizeof *y);
    for (int j = 0; j < i; j++)
      for (size_t k = 0; b->A[i][j] != 0 && k < size; k++) y[k] += step->h * b->A[i][j] * s->k[j][k];
    td_plant_drive(&c->plant, t, y, NULL);
    status = td_plant_rate(&c->plant, t, y, s->k[i]);
    if (c->plant.rows) memcpy(s->l[i], c->plant.lambda, (size_t)c->plant.rows * sizeof *s->l[i]);
  }
  return status;
}

// The system of stage i, and the inputs there.
static td_status linearise(td_chain *c, const td_note *step, int i) {
  const double *y = c->stage.y[i];
  td_linear_point at = {step->from + c->method->tableau->c[i] * step->h, y, y + c->n, c->stage.k[i] + c->n,
                        c->stage.l[i]};
  return td_chain_linearise_rate(c, &at);
}

static td_status inputs_at_end(td_chain *c, const td_note *step) {
  const double *x = td_tape_point(c->tape, step->point);
  return td_chain_list(c, step->t, x, x + c->n);
}

// ------------------------------------------------------------------------------------------------ forward

// q, v = those of the start and what stages before i add.
static void argument(td_chain *c, const td_note *step, int i, double *q, double *v) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  memcpy(q, c->T0[TD_Q], all * sizeof *q);
  memcpy(v, c->T0[TD_V], all * sizeof *v);
  for (int j = 0; j < i; j++) {
    double x = step->h * c->method->tableau->A[i][j];
    const double *dk = c->stage.dk[j];
    for (size_t k = 0; x != 0 && k < all; k++) q[k] += x * dk[k], v[k] += x * dk[all + k];
  }
}

td_status td_explicit_step_forward(td_chain *c, const td_note *step) {
  size_t all = (size_t)c->n * (size_t)c->ld;
  double *q = c->T[TD_Q], *v = c->T[TD_V], *a = c->T[TD_A];
  int stages = c->method->tableau->stages;
  td_chain_place(c, step, step->point - 1);
  for (int k = 0; k < TD_B; k++) memcpy(c->T0[k], c->T[k], all * sizeof *c->T[k]);
  memcpy(c->stage.dk[0], v, all * sizeof *v);
  memcpy(c->stage.dk[0] + all, a, all * sizeof *a);
  td_status status = td_stages_values(c, step);
  for (int i = 1; !status && i < stages; i++) {
    status = linearise(c, step, i);
    if (status) return status;
    argument(c, step, i, q, v);
    status = td_chain_rate_forward(c, q, v, a);
    memcpy(c->stage.dk[i], v, all * sizeof *v);
    memcpy(c->stage.dk[i] + all, a, all * sizeof *a);
  }
  if (!status) status = inputs_at_end(c, step);
  argument(c, step, stages, q, v);
  td_chain_drive_tangents(c, q, v, NULL);
  return status;
}

// ------------------------------------------------------------------------------------------------ backward

// Cotangents y [2n] of an argument go to the start and to the stages before i.
static void spread(td_chain *c, const td_note *step, int i, const double *y) {
  size_t n = (size_t)c->n;
  for (size_t k = 0; k < n; k++) c->L0[TD_Q][k] += y[k], c->L0[TD_V][k] += y[n + k];
  for (int j = 0; j < i; j++) {
    double x = step->h * c->method->tableau->A[i][j];
    for (size_t k = 0; x != 0 && k < 2 * n; k++) c->stage.Lk[j][k] += x * y[k];
  }
}

td_status td_explicit_step_backward(td_chain *c, const td_note *step) {
  size_t n = (size_t)c->n, bytes = n * sizeof(double);
  double **L = c->L, **Lk = c->stage.Lk, *q = c->Ls, *v = c->Ls + n, *a = c->stage.a;
  int stages = c->method->tableau->stages;
  td_chain_place(c, step, step->point - 1);
  td_status status = inputs_at_end(c, step);
  if (!status) status = td_stages_values(c, step);
  if (status) return status;
  td_chain_drive_cotangents(c, L[TD_Q], L[TD_V], NULL);
  memcpy(q, L[TD_Q], bytes);
  memcpy(v, L[TD_V], bytes);
  spread(c, step, stages, c->Ls);
  for (int i = stages - 1; !status && i > 0; i--) {
    status = linearise(c, step, i);
    if (status) return status;
    memset(q, 0, bytes);
    memcpy(v, Lk[i], bytes);
    memcpy(a, Lk[i] + n, bytes);
    memset(Lk[i], 0, 2 * bytes);
    status = td_chain_rate_backward(c, q, v, a);
    spread(c, step, i, c->Ls);
  }
  for (size_t k = 0; k < n; k++) c->L0[TD_V][k] += Lk[0][k], c->L0[TD_A][k] += Lk[0][n + k];
  memset(Lk[0], 0, 2 * bytes);
  for (int k = 0; k < TD_B; k++) {
    memcpy(L[k], c->L0[k], bytes);
    memset(c->L0[k], 0, bytes);
  }
  memset(L[TD_B], 0, bytes);
  return status;
}
