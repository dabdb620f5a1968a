// Between the ends of a step of radau, linearised: the polynomial through start, stages and end, bent by the error
// (td_radau_at), which is
//     e = x + (g b, b),   x = g (v0, a0) + sum_i d_i (y_i - y0),   (M + g C + g^2 K) b - A^T l = M x_v - g K x_q
// and likewise of the loops' rows, on free coordinates. In a first step, and after a rejection, it may be taken twice:
// then v0 and a0 are those of the state that the first error leads to.
//
// The matrices are the step's own, of the state where they were made, and frozen, as the sizes of steps are: the error
// is of the size of the tolerances, and so is what their change would add.
#include "gradient/chain.h"
#include <math.h>
#include <string.h>

enum { S = TD_RADAU_STAGES };

// A matrix of the step: K, C, M [n][n], A, Cq, Cv [rows][n].
enum { OF_K, OF_C, OF_M, OF_A, OF_CQ, OF_CV };
static const double *matrix(const td_chain *c, int which) {
  size_t n = (size_t)c->n, r = (size_t)c->plant.rows, squares = (size_t)(which < 3 ? which : 3);
  return c->radau.matrices + squares * n * n + ((size_t)which - squares) * r * n;
}

static bool factor(td_chain *c, const td_note *step) {
  td_saddle *x = &c->radau.filter;
  double g = c->radau.rule.real * step->h;
  c->radau.matrices = td_tape_filter(c->tape, step);
  td_chain_place(c, step, step->start);
  td_saddle_square(&c->plant, g * g, matrix(c, OF_K), g, matrix(c, OF_C), 1, matrix(c, OF_M), x->S);
  if (c->plant.rows) {
    td_saddle_rows(&c->plant, x->ld, 1, matrix(c, OF_A), 0, NULL, 0, NULL, x->A);
    td_saddle_rows(&c->plant, x->ld, 1, matrix(c, OF_A), g, matrix(c, OF_CV), g * g, matrix(c, OF_CQ), x->G);
  }
  return td_saddle_factor(x, &c->plant);
}

// ------------------------------------------------------------------------------------------------ forward

// Column j of what an error is made of, and of what it is to become: [2n], entries ld apart.
typedef struct column {
  size_t ld;
  const double *rate, *y0, *y[S];
  double *error;
} column;

// Sums over all coordinates, of which prescribed ones have x = 0.
static double product(const double *X, const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += X[i] * x[i];
  return sum;
}

static void filter(td_chain *c, const td_note *step, const column *at) {
  td_collocation *s = &c->radau;
  int n = c->n;
  double g = s->rule.real * step->h, *x = s->x, *b = c->linear.b, *rows = c->linear.c;
  for (int i = 0; i < 2 * n; i++) {
    size_t e = (size_t)i * at->ld;
    x[i] = g * at->rate[e];
    for (int k = 0; k < S; k++) x[i] += s->rule.real * s->rule.embedded[k] * (at->y[k][e] - at->y0[e]);
  }
  for (int d = 0; d < c->driven; d++) {
    int k = td_model_prescribed_coordinate(c->model, d, NULL);
    x[k] = x[n + k] = 0;
  }
  for (int k = 0; k < c->plant.free_count; k++) {
    int row = c->plant.free[k] * n;
    b[k] = product(matrix(c, OF_M) + row, x + n, n) - g * product(matrix(c, OF_K) + row, x, n);
  }
  for (int i = 0; i < c->plant.rows; i++)
    rows[i] = product(matrix(c, OF_A) + i * n, x + n, n) - g * product(matrix(c, OF_CQ) + i * n, x, n);
  td_saddle_solve(&s->filter, b, rows);
  for (int i = 0; i < 2 * n; i++) at->error[(size_t)i * at->ld] = 0;
  for (int k = 0; k < c->plant.free_count; k++) {
    size_t i = (size_t)c->plant.free[k];
    at->error[i * at->ld] = x[i] + g * b[k];
    at->error[((size_t)n + i) * at->ld] = b[k];
  }
}

// s->error of a step, and s->shifted where it is taken twice.
static td_status values(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  size_t n = (size_t)c->n;
  const double *x0 = td_tape_point(c->tape, step->start);
  column at = {1, x0 + n, x0, {0}, s->error}; // rates of (q, v) are (v, a), which lie behind them
  for (int i = 0; i < S; i++) at.y[i] = td_tape_point(c->tape, step->start + 1 + (size_t)i);
  if (!factor(c, step)) return TD_SINGULAR;
  filter(c, step, &at);
  if (!step->twice) return TD_OK;
  double *y = s->shifted;
  for (size_t i = 0; i < 2 * n; i++) y[i] = x0[i] + s->error[i];
  td_status status = td_plant_rate(&c->plant, step->from, y, c->open);
  if (status) return status;
  memcpy(y + 2 * n, c->open + n, n * sizeof *y);
  if (c->plant.rows) memcpy(s->lambda, c->plant.lambda, (size_t)c->plant.rows * sizeof *s->lambda);
  at.rate = c->open;
  filter(c, step, &at);
  return TD_OK;
}

// The system of rates at the shifted state.
static td_status linearise_shifted(td_chain *c, const td_note *step) {
  const double *y = c->radau.shifted;
  size_t n = (size_t)c->n;
  td_linear_point at = {step->from, y, y + n, y + 2 * n, c->radau.lambda};
  td_chain_place(c, step, step->start);
  return td_chain_linearise_rate(c, &at);
}

static void filter_tangents(td_chain *c, const td_note *step, const double *rate, const double *y0, double *error) {
  td_collocation *s = &c->radau;
  for (int j = 0; j < c->np; j++) {
    column at = {(size_t)c->ld, rate + j, y0 + j, {s->Y[0] + j, s->Y[1] + j, s->Y[2] + j}, error + j};
    filter(c, step, &at);
  }
}

// s->E of a step, whose values are there.
static td_status tangents(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  size_t all = (size_t)c->n * (size_t)c->ld, size = all * sizeof(double);
  double *y0 = c->Ts; // free here
  memcpy(y0, c->T0[TD_Q], size);
  memcpy(y0 + all, c->T0[TD_V], size);
  memcpy(s->R, c->T0[TD_V], size);
  memcpy(s->R + all, c->T0[TD_A], size);
  filter_tangents(c, step, s->R, y0, s->E);
  if (!step->twice) return TD_OK;
  td_status status = linearise_shifted(c, step);
  double *v = s->R, *a = s->R + all;
  if (status) return status;
  for (size_t i = 0; i < 2 * all; i++) s->E[i] += y0[i];
  memcpy(v, s->E + all, size);
  status = td_chain_rate_forward(c, s->E, v, a);
  if (!status) filter_tangents(c, step, s->R, y0, s->E);
  return status;
}

td_status td_radau_between(td_chain *c, const td_note *step, const double *end, double part, double *y) {
  td_collocation *s = &c->radau;
  double of[S + 1], bend;
  td_status status = TD_OK;
  if (s->bent_at != step->from) {
    status = values(c, step);
    if (!status && !c->backward) status = tangents(c, step);
    s->bent_at = status ? NAN : step->from;
  }
  td_radau_shape(part, of, &bend);
  const double *x[S + 1] = {td_tape_point(c->tape, step->start), td_tape_point(c->tape, step->start + 1),
                            td_tape_point(c->tape, step->start + 2), end};
  for (int i = 0; !status && i < 2 * c->n; i++) {
    y[i] = bend * s->rule.bend * s->error[i];
    for (int k = 0; k <= S; k++) y[i] += of[k] * x[k][i];
  }
  return status;
}

void td_radau_between_forward(td_chain *c, double part, double *q, double *v) {
  td_collocation *s = &c->radau;
  size_t all = (size_t)c->n * (size_t)c->ld;
  double of[S + 1], bend;
  td_radau_shape(part, of, &bend);
  bend *= s->rule.bend;
  for (size_t i = 0; i < all; i++) {
    q[i] = of[0] * c->T0[TD_Q][i] + of[1] * s->Y[0][i] + of[2] * s->Y[1][i] + of[3] * c->T[TD_Q][i] + bend * s->E[i];
    v[i] = of[0] * c->T0[TD_V][i] + of[1] * s->Y[0][all + i] + of[2] * s->Y[1][all + i] + of[3] * c->T[TD_V][i] +
           bend * s->E[all + i];
  }
}

// ------------------------------------------------------------------------------------------------ backward

void td_radau_between_backward(td_chain *c, double part, const double *y) {
  td_collocation *s = &c->radau;
  double of[S + 1], bend;
  td_radau_shape(part, of, &bend);
  for (int i = 0; i < 2 * c->n; i++) {
    bool v = i >= c->n;
    c->L0[v ? TD_V : TD_Q][i - v * c->n] += of[0] * y[i];
    s->Ly[0][i] += of[1] * y[i];
    s->Ly[1][i] += of[2] * y[i];
    c->L[v ? TD_V : TD_Q][i - v * c->n] += of[3] * y[i];
    s->Le[i] += bend * s->rule.bend * y[i];
  }
}

// out [n] += scale X^T x, X [rows][n] read at its rows `at` (NULL: all)
static void pull(int rows, int n, const int *at, double scale, const double *X, const double *x, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) out[j] += scale * x[i] * X[(at ? at[i] : i) * n + j];
}

// The cotangents s->Le of an error go to the stages and to the start, those of the rates to s->R [2n].
static void filter_back(td_chain *c, const td_note *step, double *rate) {
  td_collocation *s = &c->radau;
  int n = c->n, f = c->plant.free_count, r = c->plant.rows;
  double g = s->rule.real * step->h, *x = s->Lx, *b = c->linear.b, *rows = c->linear.c;
  memset(x, 0, 2 * (size_t)n * sizeof *x);
  memset(rows, 0, (size_t)r * sizeof *rows);
  for (int k = 0; k < f; k++) {
    int i = c->plant.free[k];
    x[i] = s->Le[i];
    b[k] = g * s->Le[i] + s->Le[n + i];
  }
  td_saddle_solve_transposed(&s->filter, b, rows);
  pull(f, n, c->plant.free, 1, matrix(c, OF_M), b, x + n);
  pull(f, n, c->plant.free, -g, matrix(c, OF_K), b, x);
  pull(r, n, NULL, 1, matrix(c, OF_A), rows, x + n);
  pull(r, n, NULL, -g, matrix(c, OF_CQ), rows, x);
  for (int d = 0; d < c->driven; d++) {
    int k = td_model_prescribed_coordinate(c->model, d, NULL);
    x[k] = x[n + k] = 0;
  }
  for (int i = 0; i < 2 * n; i++) {
    rate[i] = g * x[i];
    for (int k = 0; k < S; k++) {
      double part = s->rule.real * s->rule.embedded[k] * x[i];
      s->Ly[k][i] += part;
      c->L0[i < n ? TD_Q : TD_V][i < n ? i : i - n] -= part;
    }
  }
}

td_status td_radau_error_backward(td_chain *c, const td_note *step) {
  td_collocation *s = &c->radau;
  size_t n = (size_t)c->n;
  double *rate = c->Ls; // free here
  bool any = false;
  for (size_t i = 0; i < 2 * n; i++) any |= s->Le[i] != 0;
  if (!any) return TD_OK;
  filter_back(c, step, rate);
  memset(s->Le, 0, 2 * n * sizeof *s->Le);
  if (step->twice) { // rates at the start and the first error: of (v, a) at y0 + e
    td_status status = linearise_shifted(c, step);
    if (status) return status;
    memcpy(s->Le + n, rate, n * sizeof *rate);
    memcpy(s->moved, rate + n, n * sizeof *rate);
    status = td_chain_rate_backward(c, s->Le, s->Le + n, s->moved);
    if (status) return status;
    for (size_t i = 0; i < n; i++) c->L0[TD_Q][i] += s->Le[i], c->L0[TD_V][i] += s->Le[n + i];
    filter_back(c, step, rate);
    memset(s->Le, 0, 2 * n * sizeof *s->Le);
  }
  for (size_t i = 0; i < n; i++) c->L0[TD_V][i] += rate[i], c->L0[TD_A][i] += rate[n + i];
  return TD_OK;
}
