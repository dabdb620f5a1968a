// Samples, linearised: a row of outputs at a point, or at a state between the ends of a step.
//
// Inside a step of size h, at the part s of it: Hermite's cubic through (q, v) and its rates (v, a) at both ends; then
// prescribed coordinates are put where they belong. Loops are closed between the ends; at an end rates are put on them.
#include "gradient/chain.h"
#include "math/hermite.h"
#include <string.h>

typedef struct hermite {
  double y0, dy0, y1, dy1; // what each counts
  double extra;            // what h times a rate does, by td_tableau.dense
} hermite;

static const td_note *step_of(const td_note *note) {
  while (note->kind != TD_NOTE_STEP) note--;
  return note;
}

static hermite weights(const td_note *note, double *h, double *s) {
  static const double one = 1, none = 0;
  const td_note *step = step_of(note);
  hermite w;
  *h = step->t - step->from;
  *s = (note->t - step->from) / *h;
  td_hermite(1, *s, *h, &one, &none, &none, &none, &w.y0);
  td_hermite(1, *s, *h, &none, &one, &none, &none, &w.dy0);
  td_hermite(1, *s, *h, &none, &none, &one, &none, &w.y1);
  td_hermite(1, *s, *h, &none, &none, &none, &one, &w.dy1);
  w.extra = *s * *s * (1 - *s) * (1 - *s) * *h;
  return w;
}

// Dormand and Prince's: the rates of all stages count.
static bool is_quartic(const td_chain *c) { return c->method->tableau && c->method->tableau->dense[0] != 0; }

static void take_metric(td_chain *c, const td_note *note) {
  c->plant.metric = note->metric;
  c->plant.measured = note->measured;
  td_projection_metric(&c->plant.projection, NULL);
}

// A state that is reported in c->y, and the same before loops were closed or rates were put on them, prescribed
// coordinates driven, in c->open.
static td_status state_of(td_chain *c, const td_note *note) {
  size_t n = (size_t)c->n;
  const double *x1 = td_tape_point(c->tape, note->point);
  if (!note->inside) {
    memcpy(c->y, x1, 2 * n * sizeof *c->y);
    memcpy(c->open, x1, 2 * n * sizeof *c->y);
    take_metric(c, note);
    if (c->plant.rows) td_plant_settle_rates(&c->plant, c->y);
    return TD_OK;
  }
  const double *x0 = td_tape_point(c->tape, step_of(note)->start);
  double h, s;
  hermite w = weights(note, &h, &s);
  td_status status = TD_OK;
  if (c->method->collocates)
    status = td_radau_between(c, step_of(note), x1, s, c->y);
  else
    td_hermite(2 * c->n, s, h, x0, x0 + n, x1, x1 + n, c->y); // rates of (q, v) are (v, a), which lie behind them
  for (int j = 0; is_quartic(c) && j <= c->method->tableau->stages; j++) {
    const double *k = j < c->method->tableau->stages ? c->stage.k[j] : x1 + n;
    for (size_t i = 0; i < 2 * n; i++) c->y[i] += w.extra * c->method->tableau->dense[j] * k[i];
  }
  if (status) return status;
  td_chain_place(c, note, note->point);
  td_plant_drive(&c->plant, note->t, c->y, NULL);
  memcpy(c->open, c->y, 2 * n * sizeof *c->y);
  take_metric(c, note);
  td_plant_settle(&c->plant, note->t, c->y);
  return status;
}

// Of rows whose `wanted` (NULL: all) is not 0.
static td_status differentiate(td_chain *c, const td_note *note, const double *wanted) {
  td_status status = TD_OK;
  if (note->inside && is_quartic(c)) {
    td_chain_place(c, note, step_of(note)->point - 1);
    status = td_stages_values(c, step_of(note));
  }
  if (status) return status;
  td_chain_place(c, note, note->point);
  status = state_of(c, note);
  if (status) return status;
  status = td_chain_list(c, note->t, c->y, c->y + c->n);
  if (!status) status = td_output_slopes_at(c->differentiator, note->t, c->y, wanted, &c->slopes, NULL);
  return status;
}

// ------------------------------------------------------------------------------------------------ forward

// Row i of out [np] += J [row i][count] T [count][ld]
static void add_rows(const td_chain *c, const double *J, int count, const double *T, double *out) {
  for (int i = 0; i < c->row; i++)
    for (int k = 0; k < count; k++) {
      double x = J[i * count + k];
      for (int j = 0; x != 0 && j < c->np; j++) out[i * c->np + j] += x * T[k * c->ld + j];
    }
}

static void add_other(td_chain *c) {
  for (int i = 0; i < c->row; i++) {
    double *out = c->row_dp + (size_t)i * (size_t)c->np;
    for (size_t s = 0; s < c->listed; s++)
      out[c->list[s].number] += c->slopes.u[i * c->m + c->list[s].channel] * c->list[s].of[0];
    for (int j = 0; j < c->numbers; j++)
      out[c->by->model_number ? c->by->model_number[j] : (size_t)j] += c->slopes.p[i * c->numbers + j];
    for (int d = 0; d < c->driven; d++) {
      int channel;
      (void)td_model_prescribed_coordinate(c->model, d, &channel);
      for (size_t s = 0; s < c->listed; s++)
        if (c->list[s].channel == channel) out[c->list[s].number] += c->slopes.a[i * c->driven + d] * c->list[s].of[2];
    }
  }
}

td_status td_sample_forward(td_chain *c, const td_note *note) {
  td_status status = differentiate(c, note, NULL);
  if (status) return status;
  size_t all = (size_t)c->n * (size_t)c->ld;
  double *q = c->Ts, *v = c->Ts + all, h, s;
  memcpy(q, c->T[TD_Q], all * sizeof *q);
  memcpy(v, c->T[TD_V], all * sizeof *v);
  if (note->inside) {
    hermite w = weights(note, &h, &s);
    if (c->method->collocates) td_radau_between_forward(c, s, q, v);
    for (size_t i = 0; !c->method->collocates && i < all; i++) {
      q[i] = w.y0 * c->T0[TD_Q][i] + w.dy0 * c->T0[TD_V][i] + w.y1 * c->T[TD_Q][i] + w.dy1 * c->T[TD_V][i];
      v[i] = w.y0 * c->T0[TD_V][i] + w.dy0 * c->T0[TD_A][i] + w.y1 * c->T[TD_V][i] + w.dy1 * c->T[TD_A][i];
    }
    for (int j = 0; is_quartic(c) && j <= c->method->tableau->stages; j++) {
      bool end = j == c->method->tableau->stages;
      const double x = w.extra * c->method->tableau->dense[j], *dk = c->stage.dk[j];
      for (size_t i = 0; i < all; i++) {
        q[i] += x * (end ? c->T[TD_V][i] : dk[i]);
        v[i] += x * (end ? c->T[TD_A][i] : dk[all + i]);
      }
    }
    td_chain_drive_tangents(c, q, v, NULL);
  }
  if (c->plant.rows && note->inside) status = td_hold_close_forward(c, note, c->open, c->open + c->n, q, v);
  if (c->plant.rows && !note->inside) status = td_hold_rates_forward(c, note, c->open, c->open + c->n, q, v);
  if (status) return status;
  memset(c->row_dp, 0, (size_t)(c->row * c->np) * sizeof *c->row_dp);
  add_rows(c, c->slopes.q, c->n, q, c->row_dp);
  add_rows(c, c->slopes.qd, c->n, v, c->row_dp);
  add_other(c);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ backward

// out [count] = J^T cotangent, J [row][count]
static void pull(const td_chain *c, const double *J, int count, double *out) {
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < c->row; i++)
    for (int k = 0; c->cotangent[i] != 0 && k < count; k++) out[k] += J[i * count + k] * c->cotangent[i];
}

static void pull_other(td_chain *c) {
  pull(c, c->slopes.u, c->m, c->u);
  td_chain_add_input_cotangent(c);
  pull(c, c->slopes.p, c->numbers, c->p);
  for (int j = 0; j < c->numbers; j++) c->gradient[c->by->model_number ? c->by->model_number[j] : (size_t)j] += c->p[j];
  pull(c, c->slopes.a, c->driven, c->motion);
  for (int d = 0; d < c->driven; d++) {
    int channel;
    (void)td_model_prescribed_coordinate(c->model, d, &channel);
    for (size_t s = 0; s < c->listed; s++)
      if (c->list[s].channel == channel) c->gradient[c->list[s].number] += c->motion[d] * c->list[s].of[2];
  }
}

static bool is_silent(const td_chain *c) {
  for (int i = 0; i < c->row; i++)
    if (c->cotangent[i] != 0) return false;
  return true;
}

td_status td_sample_backward(td_chain *c, const td_note *note) {
  if (is_silent(c)) return TD_OK;
  td_status status = differentiate(c, note, c->cotangent);
  if (status) return status;
  double *q = c->Ls, *v = c->Ls + c->n, h, s;
  pull(c, c->slopes.q, c->n, q);
  pull(c, c->slopes.qd, c->n, v);
  pull_other(c);
  if (c->plant.rows && note->inside) status = td_hold_close_backward(c, note, c->open, c->open + c->n, q, v);
  if (c->plant.rows && !note->inside) status = td_hold_rates_backward(c, note, c->open, c->open + c->n, q, v);
  if (status) return status;
  if (!note->inside) {
    for (int i = 0; i < c->n; i++) c->L[TD_Q][i] += q[i], c->L[TD_V][i] += v[i];
    return TD_OK;
  }
  td_chain_drive_cotangents(c, q, v, NULL);
  hermite w = weights(note, &h, &s);
  if (c->method->collocates) return td_radau_between_backward(c, s, c->Ls), TD_OK;
  for (int i = 0; i < c->n; i++) {
    c->L0[TD_Q][i] += w.y0 * q[i];
    c->L0[TD_V][i] += w.dy0 * q[i] + w.y0 * v[i];
    c->L0[TD_A][i] += w.dy0 * v[i];
    c->L[TD_Q][i] += w.y1 * q[i];
    c->L[TD_V][i] += w.dy1 * q[i] + w.y1 * v[i];
    c->L[TD_A][i] += w.dy1 * v[i];
  }
  for (int j = 0; is_quartic(c) && j <= c->method->tableau->stages; j++) {
    bool end = j == c->method->tableau->stages;
    double x = w.extra * c->method->tableau->dense[j];
    for (int i = 0; i < c->n; i++) {
      *(end ? &c->L[TD_V][i] : &c->stage.Lk[j][i]) += x * q[i];
      *(end ? &c->L[TD_A][i] : &c->stage.Lk[j][c->n + i]) += x * v[i];
    }
  }
  return TD_OK;
}
