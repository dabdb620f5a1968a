// Projections onto loops, linearised (closure/projection.h). The metric W is frozen, as the size of a step is.
//
// A smallest change x of y, W x = A^T m, A x = c, has the tangents  W dx - A^T dm = N dq + (A^T m)_p dp with
// N = d(A^T m)/dq, and A dx = dc - (dA/dq dq + A_p dp) x. So of rates, c = A v, with what is left of them, v' = v - x:
//     A dx = A dv + D(v') dq + (A v')_p dp,     D(y) = d(A y)/dq at fixed y.
// Coordinates are moved by Newton's method, q <- q - x, c = e, with G = de/dq in place of A at each iterate, whose own
// slopes are differences of G along what is asked: e's second derivatives are symmetric, and x is small.
// Backward: (w, nu) the transposed solution of -(cotangent of y'), so that q += N^T w + D^T nu, v += A^T nu.
#include "base/carve.h"
#include "closure/projection_parts.h"
#include "gradient/chain.h"
#include "math/product.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAR_OFF = 1e15; // s, Baumgarte's terms vanish
static const double SMALL = 1e-11;  // changes whose own slopes are rounding
static const double NEAREST = 1e-8; // of a start that is not the nearest closed state
static const double STRIDE = 1e-5;  // of differences of G: rad, m, strain

// ------------------------------------------------------------------------------------------------ life

td_status td_hold_init(td_chain *c) {
  td_holding *h = &c->hold;
  size_t n = (size_t)c->n, r = (size_t)c->plant.rows, p = (size_t)c->numbers;
  if (r == 0) return TD_OK;
  bool room = TD_CARVE({&h->q[0], n}, {&h->q[1], n}, {&h->q[2], n}, {&h->q[3], n}, {&h->q[4], n}, {&h->x[0], n},
                       {&h->x[1], n}, {&h->x[2], n}, {&h->x[3], n}, {&h->m[0], r}, {&h->m[1], r}, {&h->m[2], r},
                       {&h->m[3], r}, {&h->e, r}, {&h->A, r * n}, {&h->B, r * n}, {&h->Cq, r * n}, {&h->N, n * n},
                       {&h->at, n}, {&h->moved, n}, {&h->f, n}, {&h->g, r}, {&h->left, n}, {&h->mu, r}, {&h->minus, n},
                       {&h->by_p, (n + r) * p}, {&h->by_scratch, 3 * (n + r)});
  return room ? TD_OK : TD_NO_MEMORY;
}

void td_hold_fini(td_chain *c) { free(c->hold.q[0]); }

// ------------------------------------------------------------------------------------------------ what is asked

// Rows at q, and A y.
static td_status terms(td_chain *c, const double *q, const double *y, const td_constraint_terms *out) {
  td_state state = {.q = q, .qdd = y, .baumgarte = FAR_OFF};
  return td_constraint_terms_at(c->model, c->ws, &state, NULL, out);
}

// The twin's projection measures by the note's metric, too.
static void measure(td_chain *c, const td_note *note) {
  td_projection_metric(&c->plant.projection, td_tape_metric(c->tape, note));
}

// [W, -A^T; A, 0] factored, A [rows][n].
static bool factor(td_chain *c, const td_note *note, const double *A) {
  td_saddle *s = &c->linear.saddle;
  const double *W = td_tape_metric(c->tape, note);
  size_t f = (size_t)c->plant.free_count;
  memset(s->S, 0, f * f * sizeof *s->S);
  for (size_t i = 0; i < f && !W; i++) s->S[i * f + i] = 1;
  if (W) memcpy(s->S, W, f * f * sizeof *s->S);
  td_saddle_rows(&c->plant, s->ld, 1, A, 0, NULL, 0, NULL, s->A);
  td_saddle_rows(&c->plant, s->ld, 1, A, 0, NULL, 0, NULL, s->G);
  return td_saddle_factor(s, &c->plant);
}

// x [n] and m [rows] of A x = c, by the factors at hand; `rows` [rows] is c.
static void smallest(td_chain *c, const double *rows, double *x, double *m) {
  memset(c->linear.b, 0, (size_t)c->n * sizeof *x);
  memcpy(m, rows, (size_t)c->plant.rows * sizeof *m);
  td_saddle_solve(&c->linear.saddle, c->linear.b, m);
  memset(x, 0, (size_t)c->n * sizeof *x);
  td_plant_unpack(&c->plant, c->linear.b, x);
}

static void multiply(int rows, int n, const double *A, const double *x, double *out) {
  for (int i = 0; i < rows; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += A[i * n + j] * x[j];
  }
}

// out [n] += A^T y
static void add_transposed(int rows, int n, const double *A, const double *y, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) out[j] += A[i * n + j] * y[i];
}

// G(q + s d) less G(q - s d), over 2 s |d|: h->B [rows][n] along d [n]; d = 0: 0.
static td_status difference_of_rows(td_chain *c, const double *q, const double *d) {
  td_holding *h = &c->hold;
  size_t n = (size_t)c->n, size = (size_t)c->plant.rows * n;
  double most = td_projection_largest(c->n, d), step = most > 0 ? STRIDE / most : 0;
  td_constraint_terms ahead = {.G = h->B}, back = {.G = h->Cq};
  if (most == 0) return memset(h->B, 0, size * sizeof *h->B), TD_OK;
  for (size_t i = 0; i < n; i++) h->moved[i] = q[i] + step * d[i];
  td_status status = terms(c, h->moved, NULL, &ahead);
  for (size_t i = 0; i < n; i++) h->moved[i] = q[i] - step * d[i];
  if (!status) status = terms(c, h->moved, NULL, &back);
  for (size_t i = 0; i < size; i++) h->B[i] = (h->B[i] - h->Cq[i]) / (2 * step);
  return status;
}

// ------------------------------------------------------------------------------------------------ neighbours

typedef struct asked {
  td_chain *c;
  const double *q, *v, *m, *x;
  enum { POSITIONS, RATES } what;
} asked;

// A^T m [n], then  e - G x  or  A v  [rows] of a neighbour.
static td_status ask(void *context, const td_model *model, td_workspace *ws, double *out) {
  const asked *k = context;
  td_chain *c = k->c;
  td_holding *h = &c->hold;
  bool before = ws->constraint.closure, positions = k->what == POSITIONS;
  double *rows = out + c->n;
  ws->constraint.closure = true;
  memcpy(ws->constraint.loop, c->ws->constraint.loop, (size_t)model->loop_count * sizeof *ws->constraint.loop);
  td_state state = {.q = k->q, .qdd = k->v, .baumgarte = FAR_OFF};
  td_constraint_terms at = {.A = h->A, .a = rows};
  if (positions) at = (td_constraint_terms){.G = h->A, .e = rows};
  td_status status = td_constraint_terms_at(model, ws, &state, NULL, &at);
  memset(out, 0, (size_t)c->n * sizeof *out);
  add_transposed(c->plant.rows, c->n, h->A, k->m, out);
  for (int i = 0; positions && i < c->plant.rows; i++)
    for (int j = 0; j < c->n; j++) rows[i] -= h->A[i * c->n + j] * k->x[j];
  ws->constraint.closure = before;
  return status;
}

static td_status by_numbers(td_chain *c, asked *k) {
  k->c = c;
  if (c->numbers == 0) return TD_OK;
  return td_parameter_differentiate(c->by->model, c->linear.by, ask, k, (size_t)(c->n + c->plant.rows),
                                    c->hold.by_scratch, c->hold.by_p);
}

static size_t column_of(const td_chain *c, int j) { return c->by->model_number ? c->by->model_number[j] : (size_t)j; }

// f, g += by_p in the columns of the model's numbers
static void add_numbers(td_chain *c, double *f, double *g) {
  for (int i = 0; i < c->n + c->plant.rows; i++) {
    double *to = i < c->n ? f + (size_t)i * (size_t)c->ld : g + (size_t)(i - c->n) * (size_t)c->ld;
    for (int j = 0; j < c->numbers; j++) to[column_of(c, j)] += c->hold.by_p[i * c->numbers + j];
  }
}

// gradient += by_p^T (w, nu)
static void pull_numbers(td_chain *c, const double *w, const double *nu) {
  for (int i = 0; i < c->n + c->plant.rows; i++) {
    double x = i < c->n ? w[i] : nu[i - c->n];
    for (int j = 0; j < c->numbers; j++) c->gradient[column_of(c, j)] += c->hold.by_p[i * c->numbers + j] * x;
  }
}

// ------------------------------------------------------------------------------------------------ solutions

// D [n][ld] of f, g for all columns, 0 at prescribed coordinates.
static void solve_tangents(td_chain *c, const double *f, const double *g, double *D) {
  const td_plant *p = &c->plant;
  double *b = c->linear.b, *rows = c->linear.c;
  memset(D, 0, (size_t)c->n * (size_t)c->ld * sizeof *D);
  for (int j = 0; j < c->np; j++) {
    for (int k = 0; k < p->free_count; k++) b[k] = f[p->free[k] * c->ld + j];
    for (int i = 0; i < p->rows; i++) rows[i] = g[i * c->ld + j];
    td_saddle_solve(&c->linear.saddle, b, rows);
    for (int k = 0; k < p->free_count; k++) D[p->free[k] * c->ld + j] = b[k];
  }
}

// h->f [n], h->g [rows] of the cotangent -y of x.
static void solve_cotangents(td_chain *c, const double *y) {
  td_holding *h = &c->hold;
  double *b = c->linear.b;
  for (int k = 0; k < c->plant.free_count; k++) b[k] = -y[c->plant.free[k]];
  memset(h->g, 0, (size_t)c->plant.rows * sizeof *h->g);
  td_saddle_solve_transposed(&c->linear.saddle, b, h->g);
  memset(h->f, 0, (size_t)c->n * sizeof *h->f);
  td_plant_unpack(&c->plant, b, h->f);
}

static void clear(td_chain *c) {
  memset(c->f, 0, (size_t)c->n * (size_t)c->ld * sizeof *c->f);
  memset(c->g, 0, (size_t)c->plant.rows * (size_t)c->ld * sizeof *c->g);
}

static void add_product(td_chain *c, int rows, const double *X, const double *T, double *out) {
  td_multiply_add(rows, c->n, c->np, 1, X, c->n, 1, T, c->ld, out, c->ld);
}

static void subtract(td_chain *c, const double *D, double *T) {
  for (size_t i = 0; i < (size_t)c->n * (size_t)c->ld; i++) T[i] -= D[i];
}

// ------------------------------------------------------------------------------------------------ coordinates

// The iterates of h->q[0] on its way to the constraint.
static td_status iterate(td_chain *c, const td_note *note, const double *from) {
  td_holding *h = &c->hold;
  td_constraint_terms out = {.e = h->e, .G = h->A};
  memcpy(h->q[0], from, (size_t)c->n * sizeof *from);
  td_status status = TD_OK;
  for (h->iterates = 0; !status && h->iterates < TD_HOLD_ITERATES; h->iterates++) {
    int i = h->iterates;
    status = terms(c, h->q[i], NULL, &out);
    double open = td_projection_largest(c->plant.rows, h->e);
    if (status || (i > 0 && open < SMALL)) break;
    if (!factor(c, note, h->A)) return TD_SINGULAR;
    smallest(c, h->e, h->x[i], h->m[i]);
    for (int k = 0; k < c->n; k++) h->q[i + 1][k] = h->q[i][k] - h->x[i][k];
  }
  return status;
}

static td_status at_iterate(td_chain *c, const td_note *note, int i) {
  td_constraint_terms out = {.G = c->hold.A};
  td_status status = terms(c, c->hold.q[i], NULL, &out);
  if (status) return status;
  return factor(c, note, c->hold.A) ? TD_OK : TD_SINGULAR;
}

static bool matters(const td_chain *c, int i) { return td_projection_largest(c->n, c->hold.x[i]) > SMALL; }

// f += N dq, g -= (dG/dq dq) x, column by column.
static td_status add_curvature(td_chain *c, int i, const double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int j = 0; !status && j < c->np; j++) {
    for (int k = 0; k < c->n; k++) h->at[k] = q[k * c->ld + j];
    status = difference_of_rows(c, h->q[i], h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    add_transposed(c->plant.rows, c->n, h->B, h->m[i], h->f);
    multiply(c->plant.rows, c->n, h->B, h->x[i], h->g);
    for (int k = 0; k < c->n; k++) c->f[k * c->ld + j] += h->f[k];
    for (int k = 0; k < c->plant.rows; k++) c->g[k * c->ld + j] -= h->g[k];
  }
  return status;
}

static td_status positions_forward(td_chain *c, const td_note *note, double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int i = 0; !status && i < h->iterates; i++) {
    status = at_iterate(c, note, i);
    if (status) return status;
    clear(c);
    add_product(c, c->plant.rows, h->A, q, c->g);
    if (matters(c, i)) status = add_curvature(c, i, q);
    asked k = {.q = h->q[i], .m = h->m[i], .x = h->x[i], .what = POSITIONS};
    if (!status) status = by_numbers(c, &k);
    add_numbers(c, c->f, c->g);
    solve_tangents(c, c->f, c->g, c->D);
    subtract(c, c->D, q);
  }
  return status;
}

static td_status positions_backward(td_chain *c, const td_note *note, double *q) {
  td_holding *h = &c->hold;
  td_status status = TD_OK;
  for (int i = h->iterates - 1; !status && i >= 0; i--) {
    status = at_iterate(c, note, i);
    if (status) return status;
    solve_cotangents(c, q);
    add_transposed(c->plant.rows, c->n, h->A, h->g, q);
    if (matters(c, i)) {
      status = difference_of_rows(c, h->q[i], h->f); // N^T w: the second derivative of m.e along w
      if (!status) add_transposed(c->plant.rows, c->n, h->B, h->m[i], q);
      if (!status) status = difference_of_rows(c, h->q[i], h->x[i]); // that of nu.e along x
      for (int k = 0; k < c->plant.rows; k++) h->e[k] = -h->g[k];
      if (!status) add_transposed(c->plant.rows, c->n, h->B, h->e, q);
    }
    asked k = {.q = h->q[i], .m = h->m[i], .x = h->x[i], .what = POSITIONS};
    if (!status) status = by_numbers(c, &k);
    pull_numbers(c, h->f, h->g);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ rates

// Of y [n] at q what is left, `left`, with A left = 0; A in h->A, factored; multipliers m [rows].
static td_status take_away(td_chain *c, const td_note *note, const double *q, const double *y, double *left,
                           double *m) {
  td_holding *h = &c->hold;
  td_constraint_terms out = {.A = h->A};
  td_status status = terms(c, q, NULL, &out);
  if (status) return status;
  if (!factor(c, note, h->A)) return TD_SINGULAR;
  multiply(c->plant.rows, c->n, h->A, y, h->e);
  smallest(c, h->e, h->at, m);
  for (int k = 0; k < c->n; k++) left[k] = y[k] - h->at[k];
  return TD_OK;
}

// h->N = d(A^T m)/dq, h->Cq = d(A y)/dq, at q.
static td_status slopes(td_chain *c, const double *q, const double *y, const double *m) {
  td_holding *h = &c->hold;
  td_constraint_terms out = {.Cq = h->Cq}, with = {.K = h->N};
  td_status status = terms(c, q, y, &out);
  td_state state = {.q = q, .baumgarte = FAR_OFF};
  double *lambda = c->plant.lambda;
  memset(lambda, 0, (size_t)(c->plant.rows + c->driven) * sizeof *lambda);
  memcpy(lambda, m, (size_t)c->plant.rows * sizeof *lambda);
  if (!status) status = td_constraint_terms_at(c->model, c->ws, &state, lambda, &with);
  if (status) return status;
  // K = d(ID - tau)/dq - N: less that of no multipliers
  memset(lambda, 0, (size_t)c->plant.rows * sizeof *lambda);
  with.K = c->linear.K;
  status = td_constraint_terms_at(c->model, c->ws, &state, lambda, &with);
  for (int i = 0; i < c->n * c->n; i++) h->N[i] = c->linear.K[i] - h->N[i];
  return status;
}

// y' = y - x in the tangent T of y: h->A, N and the rows' own slopes are there, g their part beside A dy.
static void part_forward(td_chain *c, const double *q, double *T) {
  td_holding *h = &c->hold;
  add_product(c, c->n, h->N, q, c->f);
  add_product(c, c->plant.rows, h->A, T, c->g);
  add_product(c, c->plant.rows, h->Cq, q, c->g);
  add_numbers(c, c->f, c->g);
  solve_tangents(c, c->f, c->g, c->D);
  subtract(c, c->D, T);
}

static void part_backward(td_chain *c, double *q, double *L) {
  td_holding *h = &c->hold;
  solve_cotangents(c, L);
  add_transposed(c->n, c->n, h->N, h->f, q);
  add_transposed(c->plant.rows, c->n, h->Cq, h->g, q);
  add_transposed(c->plant.rows, c->n, h->A, h->g, L);
  pull_numbers(c, h->f, h->g);
}

// What a projection of y at q has by its place; h->A is that of q again, which neighbours overwrote.
static td_status prepare(td_chain *c, const td_note *note, const double *q, const double *y, double *left) {
  td_holding *h = &c->hold;
  td_status status = take_away(c, note, q, y, left, h->mu);
  asked k = {.q = q, .v = left, .m = h->mu, .what = RATES};
  if (!status) status = by_numbers(c, &k);
  if (!status) status = slopes(c, q, left, h->mu);
  td_constraint_terms out = {.A = h->A};
  return status ? status : terms(c, q, NULL, &out);
}

// ------------------------------------------------------------------------------------------------ maps

td_status td_hold_close_forward(td_chain *c, const td_note *note, const double *from, const double *rate, double *q,
                                double *v) {
  td_holding *h = &c->hold;
  measure(c, note);
  td_status status = iterate(c, note, from);
  if (!status) status = positions_forward(c, note, q);
  if (!status) status = prepare(c, note, h->q[h->iterates], rate, h->left);
  if (status) return status;
  clear(c);
  part_forward(c, q, v);
  return TD_OK;
}

td_status td_hold_close_backward(td_chain *c, const td_note *note, const double *from, const double *rate, double *q,
                                 double *v) {
  td_holding *h = &c->hold;
  measure(c, note);
  td_status status = iterate(c, note, from);
  if (!status) status = prepare(c, note, h->q[h->iterates], rate, h->left);
  if (status) return status;
  part_backward(c, q, v);
  return positions_backward(c, note, q);
}

// ------------------------------------------------------------------------------------------------ start

// h->m[0]: the multipliers of from - to, of which the rows account for all; S = 1 + H and the rows are factored.
static td_status assemble(td_chain *c, const td_note *note, const double *from, const double *to) {
  td_holding *h = &c->hold;
  td_saddle *s = &c->linear.saddle;
  size_t f = (size_t)c->plant.free_count, r = (size_t)c->plant.rows;
  td_constraint_terms out = {.G = h->A};
  td_status status = terms(c, to, NULL, &out);
  if (status) return status;
  if (!factor(c, note, h->A)) return TD_SINGULAR;
  for (size_t k = 0; k < f; k++) c->linear.b[k] = from[c->plant.free[k]] - to[c->plant.free[k]];
  memset(h->m[0], 0, r * sizeof *h->m[0]);
  td_saddle_solve(s, c->linear.b, h->m[0]); // b + G^T m = x, G x = 0
  if (td_projection_largest((int)f, c->linear.b) > NEAREST) return TD_NOT_CONVERGED;
  for (size_t i = 0; i < r; i++) h->m[0][i] = -h->m[0][i];
  if (!factor(c, note, h->A)) return TD_SINGULAR;
  if (td_projection_largest((int)r, h->m[0]) < SMALL) return TD_OK;
  memset(s->S, 0, f * f * sizeof *s->S);
  for (size_t j = 0; !status && j < f; j++) {
    memset(h->at, 0, (size_t)c->n * sizeof *h->at);
    h->at[c->plant.free[j]] = 1;
    status = difference_of_rows(c, to, h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    add_transposed(c->plant.rows, c->n, h->B, h->m[0], h->f);
    for (size_t i = 0; i < f; i++) s->S[i * f + j] = h->f[c->plant.free[i]] + (i == j);
  }
  td_saddle_rows(&c->plant, s->ld, 1, h->A, 0, NULL, 0, NULL, s->A);
  td_saddle_rows(&c->plant, s->ld, 1, h->A, 0, NULL, 0, NULL, s->G);
  return status ? status : td_saddle_factor(s, &c->plant) ? TD_OK : TD_SINGULAR;
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
    status = difference_of_rows(c, to, h->at);
    memset(h->f, 0, (size_t)c->n * sizeof *h->f);
    add_transposed(c->plant.rows, c->n, h->B, h->m[0], h->f);
    multiply(c->plant.rows, c->n, h->A, h->at, h->g);
    for (int k = 0; k < c->n; k++) c->f[k * c->ld + j] -= h->f[k];
    for (int k = 0; k < c->plant.rows; k++) c->g[k * c->ld + j] -= h->g[k];
  }
  return status;
}

td_status td_hold_start_forward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                const double *to) {
  td_holding *h = &c->hold;
  double *q = c->T[TD_Q];
  size_t ld = (size_t)c->ld;
  memset(h->x[0], 0, (size_t)c->n * sizeof *h->x[0]);
  td_status status = assemble(c, note, from, to);
  asked k = {.q = to, .m = h->m[0], .x = h->x[0], .what = POSITIONS};
  if (!status) status = by_numbers(c, &k);
  td_constraint_terms out = {.G = h->A};
  if (!status) status = terms(c, to, NULL, &out);
  if (status) return status;
  clear(c);
  add_numbers(c, c->f, c->g);
  for (size_t i = 0; i < (size_t)c->n * ld; i++) c->f[i] = q[i] - c->f[i];
  for (size_t i = 0; i < (size_t)c->plant.rows * ld; i++) c->g[i] = -c->g[i];
  status = add_driven(c, to, q);
  solve_tangents(c, c->f, c->g, c->D);
  for (int i = 0; i < c->plant.free_count; i++)
    memcpy(q + (size_t)c->plant.free[i] * ld, c->D + (size_t)c->plant.free[i] * ld, ld * sizeof *q);
  if (!status) status = prepare(c, note, to, rate, h->left);
  if (status) return status;
  clear(c);
  part_forward(c, q, c->T[TD_V]);
  return TD_OK;
}

td_status td_hold_start_backward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                 const double *to) {
  td_holding *h = &c->hold;
  double *q = c->L[TD_Q];
  td_status status = prepare(c, note, to, rate, h->left);
  if (status) return status;
  part_backward(c, q, c->L[TD_V]);
  memset(h->x[0], 0, (size_t)c->n * sizeof *h->x[0]);
  status = assemble(c, note, from, to);
  asked k = {.q = to, .m = h->m[0], .x = h->x[0], .what = POSITIONS};
  if (!status) status = by_numbers(c, &k);
  td_constraint_terms out = {.G = h->A};
  if (!status) status = terms(c, to, NULL, &out);
  if (status) return status;
  for (int i = 0; i < c->n; i++) q[i] = -q[i];
  solve_cotangents(c, q);
  for (int i = 0; i < c->n; i++) q[i] = -q[i];
  for (int i = 0; i < c->n; i++) h->minus[i] = -h->f[i];
  for (int i = 0; i < c->plant.rows; i++) h->e[i] = -h->g[i];
  pull_numbers(c, h->minus, h->e);
  if (c->driven) {
    memcpy(h->at, h->f, (size_t)c->n * sizeof *h->at);
    status = difference_of_rows(c, to, h->at);
    for (int i = 0; i < c->plant.rows; i++) h->m[1][i] = -h->m[0][i];
    add_transposed(c->plant.rows, c->n, h->B, h->m[1], q);
    add_transposed(c->plant.rows, c->n, h->A, h->e, q);
  }
  for (int i = 0; i < c->plant.free_count; i++) q[c->plant.free[i]] = h->f[c->plant.free[i]];
  return status;
}
