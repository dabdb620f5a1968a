// What maps share: where their twin stands, and how inputs, prescribed joints and numbers of the model enter them.
#include "constraint/loop_closure.h"
#include "gradient/chain.h"
#include "model/model.h"
#include "parameter/parameters.h"
#include <assert.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ inputs

void td_chain_place(td_chain *c, const td_note *note, size_t point) {
  c->plant.t_side = note->t_side;
  c->ws->kinks = NULL;
  if (c->plant.rows == 0) return;
  c->ws->constraint.loose = note->loose;
  c->ws->constraint.most_rank = note->rank;
  td_tape_follow(c->tape, point, c->ws);
  td_loop_follow(c->model, c->ws, td_tape_point(c->tape, point), false);
}

td_status td_chain_list(td_chain *c, double t, const double *q, const double *v) {
  c->listed = 0;
  c->ws->kinks = NULL;
  if (!c->inputs) return TD_OK;
  td_status status = td_plant_inputs(&c->plant, t, q, v);
  td_input_moment at = {t, c->plant.t_side, q, v, c->plant.u};
  if (!status) c->listed = c->by->slopes(c->by->context, &at, c->list);
  assert(c->listed <= c->by->most_slopes);
  return status;
}

void td_chain_add_inputs(td_chain *c, double *f) {
  for (size_t k = 0; k < c->listed; k++) {
    const td_input_slope *s = &c->list[k];
    for (int i = 0; i < c->n; i++)
      f[(size_t)i * (size_t)c->ld + s->number] += c->linear.r_u[i * c->m + s->channel] * s->of[0];
  }
}

void td_chain_drive_tangents(td_chain *c, double *q, double *v, double *a) {
  double *const to[3] = {q, v, a};
  for (int i = 0; i < c->driven; i++) {
    int channel, at = td_model_prescribed_coordinate(c->model, i, &channel);
    for (int k = 0; k < 3; k++) {
      if (!to[k]) continue;
      double *row = to[k] + at * c->ld;
      memset(row, 0, (size_t)c->ld * sizeof *row);
      for (size_t s = 0; s < c->listed; s++)
        if (c->list[s].channel == channel) row[c->list[s].number] += c->list[s].of[k];
    }
  }
}

void td_chain_drive_cotangents(td_chain *c, double *q, double *v, double *a) {
  double *const from[3] = {q, v, a};
  for (int i = 0; i < c->driven; i++) {
    int channel, at = td_model_prescribed_coordinate(c->model, i, &channel);
    for (int k = 0; k < 3; k++) {
      if (!from[k]) continue;
      for (size_t s = 0; s < c->listed; s++)
        if (c->list[s].channel == channel) c->gradient[c->list[s].number] += c->list[s].of[k] * from[k][at];
      from[k][at] = 0;
    }
  }
}

void td_chain_add_input_cotangent(td_chain *c) {
  for (size_t k = 0; k < c->listed; k++) c->gradient[c->list[k].number] += c->u[c->list[k].channel] * c->list[k].of[0];
}

// ------------------------------------------------------------------------------------------------ numbers of the model

static size_t column_of(const td_chain *c, int j) { return c->by->model_number ? c->by->model_number[j] : (size_t)j; }

td_status td_chain_add_parameters(td_chain *c, double *f, double *g) {
  td_status status = td_linear_parameters(&c->linear);
  size_t ld = (size_t)c->ld, numbers = (size_t)c->numbers;
  const double *by_p = c->linear.by_p;
  for (size_t i = 0; !status && i < (size_t)c->n; i++)
    for (size_t j = 0; j < numbers; j++) f[i * ld + column_of(c, (int)j)] += by_p[i * numbers + j];
  by_p += (size_t)c->n * numbers;
  for (size_t i = 0; !status && i < (size_t)c->plant.rows; i++)
    for (size_t j = 0; j < numbers; j++) g[i * ld + column_of(c, (int)j)] -= by_p[i * numbers + j];
  return status;
}

td_status td_chain_add_parameter_cotangent(td_chain *c) {
  td_status status = td_linear_parameter_cotangent(&c->linear, c->p);
  for (int j = 0; !status && j < c->numbers; j++) c->gradient[column_of(c, j)] += c->p[j];
  return status;
}
