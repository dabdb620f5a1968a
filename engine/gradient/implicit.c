// A step of one-step implicit methods, linearised.
//
// Forward:  b~ = a + ratio (b - a);  x^ = P (q, v, a, b~), P the predictor's numbers; prescribed ones go to their
//         course; x = x^ + (1, v, a, b) D on free coordinates, D by the system of step/linear.h.
// Backward, from the cotangents L of x: those of D are d = Lq + v Lv + a La + b Lb; what td_linear_cotangents makes of
// them adds to L; entries of prescribed coordinates go to their course; then L <- P^T L, and b~'s to a and b.
#include "gradient/chain.h"
#include "gradient/kink/kink.h"
#include <assert.h>
#include <string.h>

static td_linear_point point_of(const td_chain *c, const td_note *note) {
  const double *x = td_tape_point(c->tape, note->point);
  size_t n = (size_t)c->n;
  return (td_linear_point){note->t, x, x + n, x + 2 * n, x + 3 * n};
}

// to[i] = sum_k p[i][k] from[k]: what the method predicts from each part of a state; slopes of its unknown.
static td_slopes predictor(const td_chain *c, double h, double p[TD_PARTS][TD_PARTS]) {
  td_slopes slopes = {0};
  for (int k = 0; k < TD_PARTS; k++) {
    double from[2] = {k == TD_Q, k == TD_V}, a0 = k == TD_A, b0 = k == TD_B, to[2] = {0}, a1 = 0, b1 = 0;
    td_point start = {.y = from, .a = &a0, .b = &b0}, end = {.y = to, .a = &a1, .b = &b1};
    slopes = c->predictor(c->method, &c->method_spec, 1, h, &start, &end);
    p[TD_Q][k] = to[0], p[TD_V][k] = to[1], p[TD_A][k] = a1, p[TD_B][k] = b1;
  }
  return slopes;
}

// The predictor from (q, v, a, b), b that of before whatever the step's size.
static td_slopes whole_predictor(const td_chain *c, const td_note *note, double p[TD_PARTS][TD_PARTS]) {
  td_slopes slopes = predictor(c, note->h, p);
  for (int i = 0; i < TD_PARTS; i++) {
    p[i][TD_A] += (1 - note->ratio) * p[i][TD_B];
    p[i][TD_B] *= note->ratio;
  }
  return slopes;
}

static td_status linearise(td_chain *c, const td_note *note, td_linear_slopes slopes, bool index3) {
  td_linear_point at = point_of(c, note);
  td_chain_place(c, note, note->point);
  td_status status = td_chain_list(c, note->t, at.q, at.v);
  td_kinks_keep(c, at.q);
  if (!status) status = td_linear_at(&c->linear, &at, slopes, index3, c->listed > 0);
  return status;
}

// ------------------------------------------------------------------------------------------------ forward

static void predict_tangents(td_chain *c, double p[TD_PARTS][TD_PARTS]) {
  for (size_t i = 0; i < (size_t)c->n * (size_t)c->ld; i++) {
    double from[TD_PARTS];
    for (int k = 0; k < TD_PARTS; k++) from[k] = c->T[k][i];
    for (int k = 0; k < TD_PARTS; k++)
      c->T[k][i] =
          p[k][TD_Q] * from[TD_Q] + p[k][TD_V] * from[TD_V] + p[k][TD_A] * from[TD_A] + p[k][TD_B] * from[TD_B];
  }
}

td_status td_implicit_step_forward(td_chain *c, const td_note *note) {
  double p[TD_PARTS][TD_PARTS];
  size_t all = (size_t)c->n * (size_t)c->ld;
  td_slopes s = whole_predictor(c, note, p);
  for (int k = 0; k < TD_B; k++) memcpy(c->T0[k], c->T[k], all * sizeof *c->T[k]);
  td_status status = linearise(c, note, (td_linear_slopes){1, s.v, s.a}, c->index3);
  if (!status) status = td_chain_right_sides(c);
  if (status) return status;
  predict_tangents(c, p);
  td_chain_drive_tangents(c, c->T[TD_Q], c->T[TD_V], c->T[TD_A]);
  td_tangent_columns T = {c->np, c->ld, c->T[TD_Q], c->T[TD_V], c->T[TD_A]};
  td_linear_tangents(&c->linear, &T, c->f, c->g, c->D);
  const double slope[TD_PARTS] = {1, s.v, s.a, s.b};
  for (int k = 0; k < TD_PARTS; k++)
    for (size_t i = 0; i < all; i++) c->T[k][i] += slope[k] * c->D[i];
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ backward

static void pull_through_predictor(td_chain *c, double p[TD_PARTS][TD_PARTS]) {
  for (int i = 0; i < c->n; i++) {
    double at[TD_PARTS];
    for (int k = 0; k < TD_PARTS; k++) at[k] = c->L[k][i];
    for (int k = 0; k < TD_PARTS; k++)
      c->L[k][i] = p[TD_Q][k] * at[TD_Q] + p[TD_V][k] * at[TD_V] + p[TD_A][k] * at[TD_A] + p[TD_B][k] * at[TD_B];
  }
}

td_status td_implicit_step_backward(td_chain *c, const td_note *note) {
  double p[TD_PARTS][TD_PARTS], **L = c->L;
  size_t size = (size_t)c->n * sizeof *c->d;
  td_slopes s = whole_predictor(c, note, p);
  td_status status = linearise(c, note, (td_linear_slopes){1, s.v, s.a}, c->index3);
  if (status) return status;
  for (int i = 0; i < c->n; i++) c->d[i] = L[TD_Q][i] + s.v * L[TD_V][i] + s.a * L[TD_A][i] + s.b * L[TD_B][i];
  td_linear_cotangents(&c->linear, c->d, L[TD_Q], L[TD_V], L[TD_A]);
  status = td_chain_right_side_cotangents(c);
  td_chain_drive_cotangents(c, L[TD_Q], L[TD_V], L[TD_A]);
  pull_through_predictor(c, p);
  for (int k = 0; k < TD_B; k++) {
    for (int i = 0; i < c->n; i++) L[k][i] += c->L0[k][i];
    memset(c->L0[k], 0, size);
  }
  return status;
}
