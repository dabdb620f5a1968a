// Coordinates and rates put on the constraint of loops, linearised: those of samples between steps, of the ends of
// explicit steps and of implicit ones at index 1.
//
// Coordinates are moved by Newton's method, q <- q - x, c = e, with G = de/dq in place of A at each iterate and W that
// of where they came from. G's own slopes are differences along what is asked: e's second derivatives are symmetric, and x
// is small. Then rates, c = A v:  A dx = A dv + D(v') dq + (A v')_p dp with what is left, v' = v - x, and D(y) =
// d(A y)/dq at fixed y.
#include "closure/projection_parts.h"
#include "gradient/hold/hold.h"
#include <string.h>

static const double SMALL = 1e-11; // changes whose own slopes are rounding

// ------------------------------------------------------------------------------------------------ coordinates

// The iterates of h->q[0] on its way to the constraint.
static td_status iterate(td_chain *c, const double *from) {
  td_holding *h = &c->hold;
  td_constraint_terms out = {.e = h->e, .G = h->A};
  memcpy(h->q[0], from, (size_t)c->n * sizeof *from);
  td_status status = TD_OK;
  for (h->iterates = 0; !status && h->iterates < TD_HOLD_ITERATES; h->iterates++) {
    int i = h->iterates;
    status = td_hold_terms(c, h->q[i], NULL, &out);
    double open = td_projection_largest(c->plant.rows, h->e);
    if (status || (i > 0 && open < SMALL)) break;
    if (!td_hold_factor(c, h->A)) return TD_SINGULAR;
    td_hold_smallest(c, h->e, h->x[i], h->m[i]);
    for (int k = 0; k < c->n; k++) h->q[i + 1][k] = h->q[i][k] - h->x[i][k];
  }
  return status;
}

static td_status at_iterate(td_chain *c, int i) {
  td_constraint_terms out = {.G = c->hold.A};
  td_status status = td_hold_terms(c, c->hold.q[i], NULL, &out);
  if (status) return status;
  return td_hold_factor(c, c->hold.A) ? TD_OK : TD_SINGULAR;
}

static bool matters(const td_chain *c, int i) { return td_projection_largest(c->n, c->hold.x[i]) > SMALL; }

// h->X = d(W x)/dq where W is measured; false: it is constant, or cannot be had.
static bool turns(td_chain *c, const double *x, td_status *status) {
  if (*status || !c->plant.projection.metric) return false;
  *status = td_hold_turn(c, c->hold.q[0], x, NULL, c->hold.X);
  return !*status;
}

// f += d(G^T m) dq, g -= (dG dq) x, column by column.
static td_status add_curvature(td_chain *c, int i, const double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int j = 0; !status && j < c->np; j++) {
    for (int k = 0; k < c->n; k++) h->at[k] = q[k * c->ld + j];
    status = td_hold_row_change(c, h->q[i], h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    td_hold_add_transposed(c->plant.rows, c->n, h->B, h->m[i], h->f);
    td_hold_multiply(c->plant.rows, c->n, h->B, h->x[i], h->g);
    for (int k = 0; k < c->n; k++) c->f[k * c->ld + j] += h->f[k];
    for (int k = 0; k < c->plant.rows; k++) c->g[k * c->ld + j] -= h->g[k];
  }
  return status;
}

static td_hold_question of_iterate(const td_chain *c, const td_note *note, int i) {
  const td_holding *h = &c->hold;
  return (td_hold_question){note, h->q[i], h->q[0], NULL, NULL, h->m[i], h->x[i], .positions = true};
}

static td_status positions_forward(td_chain *c, const td_note *note, double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int i = 0; !status && i < h->iterates; i++) {
    status = at_iterate(c, i);
    if (status) return status;
    td_hold_clear(c);
    td_hold_add_product(c, c->plant.rows, 1, h->A, q, c->g);
    if (matters(c, i)) status = add_curvature(c, i, q);
    if (matters(c, i) && turns(c, h->x[i], &status)) td_hold_add_product(c, c->n, -1, h->X, h->first, c->f);
    td_hold_question k = of_iterate(c, note, i);
    if (!status) status = td_hold_by_numbers(c, &k);
    td_hold_add_numbers(c, c->f, c->g);
    td_hold_take_tangents(c, q);
  }
  return status;
}

// out [n] -= X^T w
static void take_transposed(const td_chain *c, const double *X, const double *w, double *out) {
  for (int i = 0; i < c->n; i++)
    for (int j = 0; w[i] != 0 && j < c->n; j++) out[j] -= X[i * c->n + j] * w[i];
}

// h->first [n] gathers what goes to where they came from.
static td_status positions_backward(td_chain *c, const td_note *note, double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int i = h->iterates - 1; !status && i >= 0; i--) {
    status = at_iterate(c, i);
    if (status) return status;
    td_hold_solve_cotangents(c, q);
    td_hold_add_transposed(c->plant.rows, c->n, h->A, h->g, q);
    if (matters(c, i)) {
      status = td_hold_row_change(c, h->q[i], h->f); // the second derivative of m.e along w
      if (!status) td_hold_add_transposed(c->plant.rows, c->n, h->B, h->m[i], q);
      if (!status) status = td_hold_row_change(c, h->q[i], h->x[i]); // that of nu.e along x
      for (int k = 0; k < c->plant.rows; k++) h->e[k] = -h->g[k];
      if (!status) td_hold_add_transposed(c->plant.rows, c->n, h->B, h->e, q);
      if (turns(c, h->x[i], &status)) take_transposed(c, h->X, h->f, h->first);
    }
    td_hold_question k = of_iterate(c, note, i);
    if (!status) status = td_hold_by_numbers(c, &k);
    td_hold_pull_numbers(c, h->f, h->g);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ rates

// Of y [n] at q what is left, h->left, with A left = 0, in h->at what was taken away, with multipliers h->mu.
static td_status take_away(td_chain *c, const double *q, const double *y) {
  td_holding *h = &c->hold;
  td_constraint_terms out = {.A = h->A};
  td_status status = td_hold_terms(c, q, y, &out);
  if (status) return status;
  if (!td_hold_factor(c, h->A)) return TD_SINGULAR;
  td_hold_multiply(c->plant.rows, c->n, h->A, y, h->e);
  td_hold_smallest(c, h->e, h->at, h->mu);
  for (int k = 0; k < c->n; k++) h->left[k] = y[k] - h->at[k];
  return TD_OK;
}

// What that has by its place: by_p, h->N = -d(A^T mu)/dq, h->Cq = d(A left)/dq, and h->A again.
static td_status prepare(td_chain *c, const td_note *note, const double *q, const double *y) {
  td_holding *h = &c->hold;
  td_status status = take_away(c, q, y);
  td_hold_question k = {note, q, h->q[0], NULL, h->left, h->mu, h->at, .positions = false};
  if (!status) status = td_hold_by_numbers(c, &k);
  if (!status) status = td_hold_turn(c, q, NULL, h->mu, h->N);
  td_constraint_terms out = {.A = h->A, .Cq = h->Cq};
  return status ? status : td_hold_terms(c, q, h->left, &out);
}

static td_status rates_forward(td_chain *c, const double *q, double *v) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  td_hold_clear(c);
  td_hold_add_product(c, c->n, -1, h->N, q, c->f);
  if (turns(c, h->at, &status)) td_hold_add_product(c, c->n, -1, h->X, h->first, c->f);
  td_hold_add_product(c, c->plant.rows, 1, h->A, v, c->g);
  td_hold_add_product(c, c->plant.rows, 1, h->Cq, q, c->g);
  td_hold_add_numbers(c, c->f, c->g);
  td_hold_take_tangents(c, v);
  return status;
}

static td_status rates_backward(td_chain *c, double *q, double *v) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  td_hold_solve_cotangents(c, v);
  take_transposed(c, h->N, h->f, q);
  if (turns(c, h->at, &status)) take_transposed(c, h->X, h->f, h->first);
  td_hold_add_transposed(c->plant.rows, c->n, h->Cq, h->g, q);
  td_hold_add_transposed(c->plant.rows, c->n, h->A, h->g, v);
  td_hold_pull_numbers(c, h->f, h->g);
  return status;
}

// ------------------------------------------------------------------------------------------------ maps

td_status td_hold_close_forward(td_chain *c, const td_note *note, const double *from, const double *rate, double *q,
                                double *v) {
  td_holding *h = &c->hold;
  td_hold_measure(c, note, from);
  memcpy(h->first, q, (size_t)c->n * (size_t)c->ld * sizeof *q);
  td_status status = iterate(c, from);
  if (!status) status = positions_forward(c, note, q);
  if (!status) status = prepare(c, note, h->q[h->iterates], rate);
  return status ? status : rates_forward(c, q, v);
}

td_status td_hold_close_backward(td_chain *c, const td_note *note, const double *from, const double *rate, double *q,
                                 double *v) {
  td_holding *h = &c->hold;
  td_hold_measure(c, note, from);
  memset(h->first, 0, (size_t)c->n * sizeof *h->first);
  td_status status = iterate(c, from);
  if (!status) status = prepare(c, note, h->q[h->iterates], rate);
  if (!status) status = rates_backward(c, q, v);
  if (!status) status = positions_backward(c, note, q);
  for (int i = 0; i < c->n; i++) q[i] += h->first[i];
  return status;
}

// ------------------------------------------------------------------------------------------------ rates alone

td_status td_hold_rates_forward(td_chain *c, const td_note *note, const double *at, const double *rate, const double *q,
                                double *v) {
  td_holding *h = &c->hold;
  td_hold_measure(c, note, at);
  memcpy(h->q[0], at, (size_t)c->n * sizeof *at);
  memcpy(h->first, q, (size_t)c->n * (size_t)c->ld * sizeof *q);
  td_status status = prepare(c, note, at, rate);
  return status ? status : rates_forward(c, q, v);
}

td_status td_hold_rates_backward(td_chain *c, const td_note *note, const double *at, const double *rate, double *q,
                                 double *v) {
  td_holding *h = &c->hold;
  td_hold_measure(c, note, at);
  memcpy(h->q[0], at, (size_t)c->n * sizeof *at);
  memset(h->first, 0, (size_t)c->n * sizeof *h->first);
  td_status status = prepare(c, note, at, rate);
  if (!status) status = rates_backward(c, q, v);
  for (int i = 0; i < c->n; i++) q[i] += h->first[i];
  return status;
}
