// The start's coordinates and rates, which went to the nearest closed state, linearised (closure/assembly.c).
//
// q0 - q = G^T m, e(q) = 0:   (1 + H) dq + G^T dm = dq0 - (G^T m)_p dp,  G dq = -e_p dp,  H = d(G^T m)/dq.
// Distances are those of the coordinates, whatever the method's steps measure by.
#include "closure/projection_parts.h"
#include "gradient/hold/hold.h"
#include "model/model.h"
#include <string.h>

static const double SMALL = 1e-11;  // multipliers whose own slopes are rounding
static const double NEAREST = 1e-8; // of a start that is not the nearest closed state

// h->m[0]: the multipliers of from - to, of which the rows account for all; S = 1 + H and the rows are factored.
static td_status assemble(td_chain *c, const td_note *note, const double *from, const double *to) {
  td_holding *h = &c->hold;
  td_saddle *s = &c->linear.saddle;
  size_t f = (size_t)c->plant.free_count, r = (size_t)c->plant.rows;
  td_constraint_terms out = {.G = h->A};
  td_hold_measure(c, note, to);
  td_status status = td_hold_terms(c, to, NULL, &out);
  if (status) return status;
  if (!td_hold_factor(c, h->A)) return TD_SINGULAR;
  for (size_t k = 0; k < f; k++) c->linear.b[k] = from[c->plant.free[k]] - to[c->plant.free[k]];
  memset(h->m[0], 0, r * sizeof *h->m[0]);
  td_saddle_solve(s, c->linear.b, h->m[0]); // b + G^T m = x, G x = 0
  if (td_projection_largest((int)f, c->linear.b) > NEAREST) return TD_NOT_CONVERGED;
  for (size_t i = 0; i < r; i++) h->m[0][i] = -h->m[0][i];
  if (!td_hold_factor(c, h->A)) return TD_SINGULAR;
  if (td_projection_largest((int)r, h->m[0]) < SMALL) return TD_OK;
  memset(s->S, 0, f * f * sizeof *s->S);
  for (size_t j = 0; !status && j < f; j++) {
    memset(h->at, 0, (size_t)c->n * sizeof *h->at);
    h->at[c->plant.free[j]] = 1;
    status = td_hold_row_change(c, to, h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    td_hold_add_transposed((int)r, c->n, h->B, h->m[0], h->f);
    for (size_t i = 0; i < f; i++) s->S[i * f + j] = h->f[c->plant.free[i]] + (i == j);
  }
  td_saddle_rows(&c->plant, s->ld, 1, h->A, 0, NULL, 0, NULL, s->A);
  td_saddle_rows(&c->plant, s->ld, 1, h->A, 0, NULL, 0, NULL, s->G);
  return status ? status : td_saddle_factor(s, &c->plant) ? TD_OK : TD_SINGULAR;
}

// The numbers' part, and h->A = G again.
static td_status prepare(td_chain *c, const td_note *note, const double *from, const double *to) {
  td_holding *h = &c->hold;
  memset(h->x[0], 0, (size_t)c->n * sizeof *h->x[0]);
  td_status status = assemble(c, note, from, to);
  td_hold_question k = {note, to, to, NULL, NULL, h->m[0], h->x[0], .positions = true};
  if (!status) status = td_hold_by_numbers(c, &k);
  td_constraint_terms out = {.G = h->A};
  return status ? status : td_hold_terms(c, to, NULL, &out);
}

// Prescribed columns d of what stands fixed: f -= H d, g -= G d.
static td_status add_driven(td_chain *c, const double *to, double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int j = 0; !status && c->driven && j < c->np; j++) {
    memset(h->at, 0, (size_t)c->n * sizeof *h->at);
    for (int i = 0; i < c->driven; i++) {
      int k = td_model_prescribed_coordinate(c->model, i, NULL);
      h->at[k] = q[k * c->ld + j];
    }
    status = td_hold_row_change(c, to, h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    td_hold_add_transposed(c->plant.rows, c->n, h->B, h->m[0], h->f);
    td_hold_multiply(c->plant.rows, c->n, h->A, h->at, h->g);
    for (int k = 0; k < c->n; k++) c->f[k * c->ld + j] -= h->f[k];
    for (int k = 0; k < c->plant.rows; k++) c->g[k * c->ld + j] -= h->g[k];
  }
  return status;
}

static td_note by_coordinates(const td_note *note) {
  td_note plain = *note;
  plain.measured = false;
  return plain;
}

td_status td_hold_start_forward(td_chain *c, const td_note *start, const double *from, const double *rate,
                                const double *to) {
  double *q = c->T[TD_Q];
  td_note plain = by_coordinates(start), *note = &plain;
  size_t ld = (size_t)c->ld;
  td_status status = prepare(c, note, from, to);
  if (status) return status;
  td_hold_clear(c);
  td_hold_add_numbers(c, c->f, c->g);
  for (size_t i = 0; i < (size_t)c->n * ld; i++) c->f[i] = q[i] - c->f[i];
  for (size_t i = 0; i < (size_t)c->plant.rows * ld; i++) c->g[i] = -c->g[i];
  status = add_driven(c, to, q);
  td_hold_solve_tangents(c, c->D);
  for (int i = 0; i < c->plant.free_count; i++)
    memcpy(q + (size_t)c->plant.free[i] * ld, c->D + (size_t)c->plant.free[i] * ld, ld * sizeof *q);
  return status ? status : td_hold_rates_forward(c, note, to, rate, q, c->T[TD_V]);
}

td_status td_hold_start_backward(td_chain *c, const td_note *start, const double *from, const double *rate,
                                 const double *to) {
  td_holding *h = &c->hold;
  td_note plain = by_coordinates(start), *note = &plain;
  double *q = c->L[TD_Q];
  td_status status = td_hold_rates_backward(c, note, to, rate, q, c->L[TD_V]);
  if (!status) status = prepare(c, note, from, to);
  if (status) return status;
  for (int i = 0; i < c->n; i++) q[i] = -q[i];
  td_hold_solve_cotangents(c, q);
  for (int i = 0; i < c->n; i++) q[i] = -q[i];
  for (int i = 0; i < c->n; i++) h->minus[i] = -h->f[i];
  for (int i = 0; i < c->plant.rows; i++) h->e[i] = -h->g[i];
  td_hold_pull_numbers(c, h->minus, h->e);
  if (c->driven) {
    memcpy(h->at, h->f, (size_t)c->n * sizeof *h->at);
    status = td_hold_row_change(c, to, h->at);
    for (int i = 0; i < c->plant.rows; i++) h->m[1][i] = -h->m[0][i];
    td_hold_add_transposed(c->plant.rows, c->n, h->B, h->m[1], q);
    td_hold_add_transposed(c->plant.rows, c->n, h->A, h->e, q);
  }
  for (int i = 0; i < c->plant.free_count; i++) q[c->plant.free[i]] = h->f[c->plant.free[i]];
  return status;
}
