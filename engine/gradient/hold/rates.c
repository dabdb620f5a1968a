// Rates and accelerations put on the constraint at the end of an implicit step of index 3, linearised
// (td_project_rates). From (q, v, a, b), b the method's own accelerations, all measured by W at q:
//     v' = v - x,   A v' = 0;      y' = y - x,   A y' + Ad v' = 0   for a and b.
// Tangents:  A dx = A dy + Cq dq + Cv dv' + (A y' + Ad v')_p dp,  Cq and Cv the derivatives of A y' + Ad v' by q and v'.
#include "gradient/hold/hold.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

// The points before and after on the tape.
typedef struct ends {
  const double *q, *v, *y, *held; // y becomes held; v: the rates that are left, NULL: y is rates itself
} ends;

static ends ends_of(const td_chain *c, const td_note *note, int part) {
  const double *x = td_tape_point(c->tape, note->point - 1), *to = td_tape_point(c->tape, note->point);
  size_t n = (size_t)c->n;
  if (part == TD_V) return (ends){x, NULL, x + n, to + n};
  if (part == TD_A) return (ends){x, to + n, x + 2 * n, to + 2 * n};
  return (ends){x, to + n, td_tape_own_accelerations(c->tape, note->point - 1),
                td_tape_own_accelerations(c->tape, note->point)};
}

// What was taken away and what that has by its place: h->at, h->mu; by_p, h->X = d(M x - A^T mu)/dq, h->Cq, h->Cv and
// h->A; the rows are factored.
static td_status prepare(td_chain *c, const td_note *note, const ends *e) {
  td_holding *h = &c->hold;
  td_state state = {.q = e->q, .qd = e->v, .qdd = e->y, .baumgarte = INFINITY};
  td_constraint_terms asked = {.A = h->A, .a = h->e}, out = {.A = h->A, .Cq = h->Cq, .Cv = h->Cv};
  td_status status = td_constraint_terms_at(c->model, c->ws, &state, NULL, &asked);
  if (status) return status;
  if (!td_hold_factor(c, h->A)) return TD_SINGULAR;
  td_hold_smallest(c, h->e, h->at, h->mu);
  td_hold_question k = {note, e->q, e->q, e->v, e->held, h->mu, h->at, .positions = false};
  status = td_hold_by_numbers(c, &k);
  if (!status) status = td_hold_turn(c, e->q, c->plant.projection.metric ? h->at : NULL, h->mu, h->X);
  state.qdd = e->held;
  return status ? status : td_constraint_terms_at(c->model, c->ws, &state, NULL, &out);
}

td_status td_rates_forward(td_chain *c, const td_note *note) {
  static const int order[] = {TD_V, TD_A, TD_B};
  td_holding *h = &c->hold;
  int r = c->plant.rows;
  td_hold_measure(c, note, td_tape_point(c->tape, note->point - 1));
  for (int i = 0; i < 3; i++) {
    ends e = ends_of(c, note, order[i]);
    td_status status = prepare(c, note, &e);
    if (status) return status;
    td_hold_clear(c);
    td_hold_add_product(c, c->n, -1, h->X, c->T[TD_Q], c->f);
    td_hold_add_product(c, r, 1, h->A, c->T[order[i]], c->g);
    td_hold_add_product(c, r, 1, h->Cq, c->T[TD_Q], c->g);
    if (e.v) td_hold_add_product(c, r, 1, h->Cv, c->T[TD_V], c->g);
    td_hold_add_numbers(c, c->f, c->g);
    td_hold_take_tangents(c, c->T[order[i]]);
  }
  return TD_OK;
}

td_status td_rates_backward(td_chain *c, const td_note *note) {
  static const int order[] = {TD_B, TD_A, TD_V};
  td_holding *h = &c->hold;
  int r = c->plant.rows;
  double **L = c->L;
  td_hold_measure(c, note, td_tape_point(c->tape, note->point - 1));
  for (int i = 0; i < 3; i++) {
    ends e = ends_of(c, note, order[i]);
    td_status status = prepare(c, note, &e);
    if (status) return status;
    td_hold_solve_cotangents(c, L[order[i]]);
    for (int j = 0; j < c->n; j++) h->minus[j] = -h->f[j];
    td_hold_add_transposed(c->n, c->n, h->X, h->minus, L[TD_Q]);
    td_hold_add_transposed(r, c->n, h->Cq, h->g, L[TD_Q]);
    if (e.v) td_hold_add_transposed(r, c->n, h->Cv, h->g, L[TD_V]);
    td_hold_add_transposed(r, c->n, h->A, h->g, L[order[i]]);
    td_hold_pull_numbers(c, h->f, h->g);
  }
  return TD_OK;
}
