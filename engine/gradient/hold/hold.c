// Projections onto loops, linearised (closure/projection.h): what they share.
//
// A smallest change x of y, W x = A^T m, A x = c, has the tangents
//     W dx - A^T dm = -d(W x - A^T m) at fixed x and m,     A dx = dc - dA x.
// W is 1, or M + c D + k K with constant D and K, so that its tangents are those of M (closure/step_metric.c): what K =
// d(ID - tau - A^T m)/dq gains by the accelerations x and the multipliers m. Backward: (w, nu) the transposed solution
// of -(cotangent of y - x), and w, nu times what stands on the right. Rows that depend on each other do so by the run's
// rank, in both directions.
#include "gradient/hold/hold.h"
#include "base/carve.h"
#include "closure/projection_parts.h"
#include "force/elasticity.h"
#include "math/product.h"
#include "model/workspace.h"
#include "pass/whole_pass.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAR_OFF = 1e15; // s, Baumgarte's terms vanish
static const double STRIDE = 1e-5;  // of differences of G: rad, m, strain

// ------------------------------------------------------------------------------------------------ life

td_status td_hold_init(td_chain *c, bool backward) {
  td_holding *h = &c->hold;
  size_t n = (size_t)c->n, r = (size_t)c->plant.rows, p = (size_t)c->numbers, d = (size_t)c->driven;
  if (r == 0) return TD_OK;
  bool room = TD_CARVE({&h->q[0], n}, {&h->q[1], n}, {&h->q[2], n}, {&h->q[3], n}, {&h->q[4], n}, {&h->x[0], n},
                       {&h->x[1], n}, {&h->x[2], n}, {&h->x[3], n}, {&h->m[0], r}, {&h->m[1], r}, {&h->m[2], r},
                       {&h->m[3], r}, {&h->e, r}, {&h->A, r * n}, {&h->B, r * n}, {&h->Cq, r * n}, {&h->Cv, r * n},
                       {&h->N, n * n}, {&h->X, n * n}, {&h->at, n}, {&h->moved, n}, {&h->f, n}, {&h->g, r},
                       {&h->left, n}, {&h->mu, r}, {&h->minus, n}, {&h->asked, r + d}, {&h->by_p, (n + r) * p},
                       {&h->by_scratch, 3 * (n + r)}, {&h->first, n * (backward ? 1 : (size_t)c->ld)});
  return room ? TD_OK : TD_NO_MEMORY;
}

void td_hold_fini(td_chain *c) { free(c->hold.q[0]); }

// ------------------------------------------------------------------------------------------------ rows and metric

td_status td_hold_terms(td_chain *c, const double *q, const double *y, const td_constraint_terms *out) {
  td_state state = {.q = q, .qdd = y, .baumgarte = FAR_OFF};
  return td_constraint_terms_at(c->model, c->ws, &state, NULL, out);
}

void td_hold_measure(td_chain *c, const td_note *note, const double *q) {
  td_projection *p = &c->plant.projection;
  c->plant.metric = note->metric;
  c->plant.measured = note->measured;
  td_projection_metric(p, NULL);
  td_plant_measure(&c->plant, q);
}

bool td_hold_factor(td_chain *c, const double *A) {
  td_saddle *s = &c->linear.saddle;
  const td_projection *p = &c->plant.projection;
  size_t f = (size_t)c->plant.free_count;
  memset(s->S, 0, f * f * sizeof *s->S);
  for (size_t i = 0; i < f && !p->metric; i++) s->S[i * f + i] = 1;
  for (size_t i = 0; i < f && p->metric; i++)
    for (size_t j = i; j < f; j++) s->S[i * f + j] = s->S[j * f + i] = p->W[i * (size_t)p->ld + j];
  td_saddle_rows(&c->plant, s->ld, 1, A, 0, NULL, 0, NULL, s->A);
  td_saddle_rows(&c->plant, s->ld, 1, A, 0, NULL, 0, NULL, s->G);
  return td_saddle_factor(s, &c->plant);
}

void td_hold_smallest(td_chain *c, const double *e, double *x, double *m) {
  memset(c->linear.b, 0, (size_t)c->n * sizeof *x);
  memcpy(m, e, (size_t)c->plant.rows * sizeof *m);
  td_saddle_solve(&c->linear.saddle, c->linear.b, m);
  memset(x, 0, (size_t)c->n * sizeof *x);
  td_plant_unpack(&c->plant, c->linear.b, x);
}

td_status td_hold_row_change(td_chain *c, const double *q, const double *d) {
  td_holding *h = &c->hold;
  size_t n = (size_t)c->n, size = (size_t)c->plant.rows * n;
  double most = td_projection_largest(c->n, d), step = most > 0 ? STRIDE / most : 0;
  td_constraint_terms ahead = {.G = h->B}, back = {.G = h->Cq};
  if (most == 0) return memset(h->B, 0, size * sizeof *h->B), TD_OK;
  for (size_t i = 0; i < n; i++) h->moved[i] = q[i] + step * d[i];
  td_status status = td_hold_terms(c, h->moved, NULL, &ahead);
  for (size_t i = 0; i < n; i++) h->moved[i] = q[i] - step * d[i];
  if (!status) status = td_hold_terms(c, h->moved, NULL, &back);
  for (size_t i = 0; i < size; i++) h->B[i] = (h->B[i] - h->Cq[i]) / (2 * step);
  return status;
}

static td_status stiffness(td_chain *c, const double *q, const double *x, double *K) {
  td_constraint_terms out = {.K = K};
  td_state state = {.q = q, .qdd = x, .baumgarte = FAR_OFF};
  return td_constraint_terms_at(c->model, c->ws, &state, c->hold.asked, &out);
}

// It is linear in (x, m): changes of any size are made as large as 1, lest they drown in the rest of K.
td_status td_hold_turn(td_chain *c, const double *q, const double *x, const double *m, double *X) {
  td_holding *h = &c->hold;
  int n = c->n, r = c->plant.rows;
  double most = x ? td_projection_largest(n, x) : td_projection_largest(r, m);
  memset(X, 0, (size_t)(n * n) * sizeof *X);
  if (!(most > 0)) return TD_OK;
  memset(h->asked, 0, (size_t)(r + c->driven) * sizeof *h->asked);
  td_status status = stiffness(c, q, NULL, c->linear.K);
  for (int i = 0; i < r && m; i++) h->asked[i] = m[i] / most;
  for (int i = 0; i < n; i++) h->moved[i] = x ? x[i] / most : 0;
  if (!status) status = stiffness(c, q, h->moved, X);
  for (int i = 0; i < n * n; i++) X[i] = most * (X[i] - c->linear.K[i]);
  return status;
}

// ------------------------------------------------------------------------------------------------ neighbours

typedef struct asked {
  td_chain *c;
  const td_hold_question *k;
} asked;

// out [n] -= W x of a neighbour, which has a stiffness and a damping of its own.
static void take_measured(const td_chain *c, const td_hold_question *k, const td_model *model, td_workspace *ws,
                          double *out) {
  if (!c->plant.projection.metric) return;
  td_mass_padded(model, ws, k->at);
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j < c->n; j++) out[i] -= ws->mass[i * model->ld + j] * k->x[j];
  td_elasticity_at_rest(model, ws);
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j < c->n; j++) {
      int ij = i * model->ld + j, ji = j * model->ld + i;
      double less = k->note->metric.k * (ws->dtau_dq[ij] + ws->dtau_dq[ji]) +
                    k->note->metric.c * (ws->dtau_dqd[ij] + ws->dtau_dqd[ji]);
      out[i] += 0.5 * less * k->x[j];
    }
}

static td_status ask(void *context, const td_model *model, td_workspace *ws, double *out) {
  const asked *a = context;
  const td_hold_question *k = a->k;
  td_chain *c = a->c;
  td_holding *h = &c->hold;
  bool before = ws->constraint.closure;
  double *rows = out + c->n;
  ws->constraint.closure = true;
  memcpy(ws->constraint.loop, c->ws->constraint.loop, (size_t)model->loop_count * sizeof *ws->constraint.loop);
  td_state state = {.q = k->q, .qd = k->v, .qdd = k->y, .baumgarte = FAR_OFF};
  td_constraint_terms at = {.A = h->A, .a = rows};
  if (k->positions) at = (td_constraint_terms){.G = h->A, .e = rows};
  td_status status = td_constraint_terms_at(model, ws, &state, NULL, &at);
  memset(out, 0, (size_t)c->n * sizeof *out);
  td_hold_add_transposed(c->plant.rows, c->n, h->A, k->m, out);
  for (int i = 0; k->positions && i < c->plant.rows; i++)
    for (int j = 0; j < c->n; j++) rows[i] -= h->A[i * c->n + j] * k->x[j];
  take_measured(c, k, model, ws, out);
  ws->constraint.closure = before;
  return status;
}

td_status td_hold_by_numbers(td_chain *c, const td_hold_question *question) {
  asked a = {c, question};
  if (c->numbers == 0) return TD_OK;
  return td_parameter_differentiate(c->by->model, c->linear.by, ask, &a, (size_t)(c->n + c->plant.rows),
                                    c->hold.by_scratch, c->hold.by_p);
}

static size_t column_of(const td_chain *c, int j) { return c->by->model_number ? c->by->model_number[j] : (size_t)j; }

void td_hold_add_numbers(td_chain *c, double *f, double *g) {
  for (int i = 0; i < c->n + c->plant.rows; i++) {
    double *to = i < c->n ? f + (size_t)i * (size_t)c->ld : g + (size_t)(i - c->n) * (size_t)c->ld;
    for (int j = 0; j < c->numbers; j++) to[column_of(c, j)] += c->hold.by_p[i * c->numbers + j];
  }
}

void td_hold_pull_numbers(td_chain *c, const double *w, const double *nu) {
  for (int i = 0; i < c->n + c->plant.rows; i++) {
    double x = i < c->n ? w[i] : nu[i - c->n];
    for (int j = 0; j < c->numbers; j++) c->gradient[column_of(c, j)] += c->hold.by_p[i * c->numbers + j] * x;
  }
}

// ------------------------------------------------------------------------------------------------ solutions

void td_hold_clear(td_chain *c) {
  memset(c->f, 0, (size_t)c->n * (size_t)c->ld * sizeof *c->f);
  memset(c->g, 0, (size_t)c->plant.rows * (size_t)c->ld * sizeof *c->g);
}

void td_hold_add_product(td_chain *c, int rows, double sign, const double *X, const double *T, double *out) {
  td_multiply_add(rows, c->n, c->np, sign, X, c->n, 1, T, c->ld, out, c->ld);
}

void td_hold_solve_tangents(td_chain *c, double *D) {
  const td_plant *p = &c->plant;
  double *b = c->linear.b, *rows = c->linear.c;
  memset(D, 0, (size_t)c->n * (size_t)c->ld * sizeof *D);
  for (int j = 0; j < c->np; j++) {
    for (int k = 0; k < p->free_count; k++) b[k] = c->f[p->free[k] * c->ld + j];
    for (int i = 0; i < p->rows; i++) rows[i] = c->g[i * c->ld + j];
    td_saddle_solve(&c->linear.saddle, b, rows);
    for (int k = 0; k < p->free_count; k++) D[p->free[k] * c->ld + j] = b[k];
  }
}

void td_hold_take_tangents(td_chain *c, double *T) {
  td_hold_solve_tangents(c, c->D);
  for (size_t i = 0; i < (size_t)c->n * (size_t)c->ld; i++) T[i] -= c->D[i];
}

void td_hold_solve_cotangents(td_chain *c, const double *y) {
  td_holding *h = &c->hold;
  double *b = c->linear.b;
  for (int k = 0; k < c->plant.free_count; k++) b[k] = -y[c->plant.free[k]];
  memset(h->g, 0, (size_t)c->plant.rows * sizeof *h->g);
  td_saddle_solve_transposed(&c->linear.saddle, b, h->g);
  memset(h->f, 0, (size_t)c->n * sizeof *h->f);
  td_plant_unpack(&c->plant, b, h->f);
}
