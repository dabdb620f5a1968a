// The chain of a run's maps: memory, and which map a note is.
#include "gradient/chain.h"
#include "base/carve.h"
#include "build/build.h"
#include "closure/rechart.h"
#include "gradient/kink/corner.h"
#include "gradient/kink/kink.h"
#include "model/model.h"
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ life

static bool carve(td_chain *c, bool backward) {
  size_t n = (size_t)c->n, m = (size_t)c->m, r = (size_t)c->plant.rows, row = (size_t)c->row, np = (size_t)c->np;
  size_t wide = backward ? 0 : n * (size_t)c->ld, one = backward ? n : 0, driven = (size_t)c->driven;
  size_t most = c->by->slopes ? c->by->most_slopes : 0;
  size_t square = td_rechart_needed(c->model) ? 2 * n * (1 + (backward ? (size_t)td_pad(2 * c->n) : 0)) : 0;
  double **T = c->T, **T0 = c->T0, **L = c->L, **L0 = c->L0;
  bool room = TD_CARVE({&c->y, 2 * n}, {&c->open, 2 * n}, {&c->slopes.q, row * n}, {&c->slopes.qd, row * n},
                       {&c->slopes.u, row * m}, {&c->slopes.a, row * driven}, {&c->slopes.p, row * (size_t)c->numbers},
                       {&T[0], wide}, {&T[1], wide}, {&T[2], wide}, {&T[3], wide}, {&T0[0], wide}, {&T0[1], wide},
                       {&T0[2], wide}, {&c->f, wide}, {&c->g, backward ? 0 : r * (size_t)c->ld}, {&c->D, wide},
                       {&c->Ts, 2 * wide}, {&c->row_dp, backward ? 0 : row * np}, {&L[0], one}, {&L[1], one},
                       {&L[2], one}, {&L[3], one}, {&L0[0], one}, {&L0[1], one}, {&L0[2], one}, {&L0[3], one},
                       {&c->d, n}, {&c->u, m}, {&c->motion, 3 * driven}, {&c->Ls, 2 * n}, {&c->cotangent, row},
                       {&c->gradient, np}, {&c->p, (size_t)c->numbers}, {&c->chart, square});
  c->list = calloc(most + 1, sizeof *c->list);
  return room && c->list;
}

td_status td_chain_init(td_chain *c, const td_model *model, const td_dynamics_spec *spec, const td_variables *by,
                        bool backward, td_error *err) {
  *c = (td_chain){.model = model, .spec = spec, .by = by, .backward = backward, .np = (int)by->count};
  td_status status = td_output_create(model, spec, &c->output, err);
  if (status) return status;
  c->row = (int)td_output_row_size(c->output);
  c->numbers = by->model ? (int)td_parameters_count(by->model) : 0;
  c->ld = td_pad(c->np > 0 ? c->np : 1);
  c->inputs = by->slopes && by->most_slopes > 0;
  if (!status) status = td_workspace_create(model, &c->ws);
  if (!status) status = td_plant_init(&c->plant, model, c->ws, NULL, &c->statistics);
  if (status) return td_fail(err, status, "", "no memory for the derivatives of the run");
  c->n = c->plant.n, c->m = c->plant.m, c->driven = c->plant.driven_count;
  if (!carve(c, backward)) status = TD_NO_MEMORY;
  if (!status) status = td_hold_init(c, backward);
  if (!status) status = td_kinks_init(c);
  if (!status) status = td_linear_init(&c->linear, &c->plant, by->model);
  if (!status) status = td_output_differentiator_create(c->output, &c->plant, by->model, &c->differentiator);
  return status ? td_fail(err, status, "", "no memory for the derivatives of the run") : TD_OK;
}

void td_chain_fini(td_chain *c) {
  td_hold_fini(c);
  td_kinks_fini(c);
  td_stages_fini(c);
  td_radau_chain_fini(c);
  td_output_differentiator_destroy(c->differentiator);
  td_linear_fini(&c->linear);
  if (c->plant.free) td_plant_fini(&c->plant);
  td_output_destroy(c->output);
  td_workspace_destroy(c->ws);
  free(c->list);
  free(c->y);
  *c = (td_chain){0};
}

td_status td_chain_attach(td_chain *c, td_simulation *run) {
  c->method = run->method;
  c->method_spec = run->method_spec;
  c->plant.inputs = run->inputs;
  c->plant.control = run->control;
  c->plant.baumgarte = run->plant.baumgarte;
  c->rests_moving = run->state.rests_moving;
  if (c->method->map == TD_MAP_IMPLICIT) {
    const td_implicit *im = (const td_implicit *)run->stepper;
    c->predictor = im->predictor;
    c->index3 = im->index3;
  }
  if (c->method->tableau && !c->stage.memory) return td_stages_init(c);
  return c->method->collocates ? td_radau_chain_init(c) : TD_OK;
}

// ------------------------------------------------------------------------------------------------ notes

static td_status step_forward(td_chain *c, const td_note *note) {
  td_status status = td_kinks_turn(c, note) ? td_corner_forward(c, note) : TD_OK;
  if (status) return status;
  if (c->method->collocates) return td_radau_forward(c, note);
  return c->method->tableau ? td_explicit_step_forward(c, note) : td_implicit_step_forward(c, note);
}

static td_status step_backward(td_chain *c, const td_note *note) {
  td_status status = c->method->collocates ? td_radau_backward(c, note)
                     : c->method->tableau  ? td_explicit_step_backward(c, note)
                                           : td_implicit_step_backward(c, note);
  c->ws->kinks = NULL;
  return !status && td_kinks_turn(c, note) ? td_corner_backward(c, note) : status;
}

static td_status close_forward(td_chain *c, const td_note *note) {
  const double *x = td_tape_point(c->tape, note->point - 1);
  td_chain_place(c, note, note->point - 1);
  return td_hold_close_forward(c, note, x, x + c->n, c->T[TD_Q], c->T[TD_V]);
}

static td_status close_backward(td_chain *c, const td_note *note) {
  const double *x = td_tape_point(c->tape, note->point - 1);
  td_chain_place(c, note, note->point - 1);
  return td_hold_close_backward(c, note, x, x + c->n, c->L[TD_Q], c->L[TD_V]);
}

static td_status forward(td_chain *c, const td_note *note) {
  switch (note->kind) {
  case TD_NOTE_BEGIN:
    return td_begin_forward(c, note);
  case TD_NOTE_STEP:
    return step_forward(c, note);
  case TD_NOTE_CLOSE:
    return close_forward(c, note);
  case TD_NOTE_RATES:
    td_chain_place(c, note, note->point);
    return td_rates_forward(c, note);
  case TD_NOTE_SAMPLE:
    return td_sample_forward(c, note);
  case TD_NOTE_CHART:
    td_chart_forward(c, note);
    return TD_OK;
  case TD_NOTE_GO_ON:
    return TD_OK;
  }
  return TD_OK;
}

td_status td_chain_forward(td_chain *c, const td_tape *tape, const td_note *note) {
  c->tape = tape;
  td_kinks_enter(c, note);
  td_status status = forward(c, note);
  td_kinks_enter(c, NULL);
  if (!status) td_kinks_remember(c, note);
  return status;
}

static td_status backward(td_chain *c, const td_note *note) {
  switch (note->kind) {
  case TD_NOTE_BEGIN:
    return td_begin_backward(c, note);
  case TD_NOTE_STEP:
    return step_backward(c, note);
  case TD_NOTE_CLOSE:
    return close_backward(c, note);
  case TD_NOTE_RATES:
    td_chain_place(c, note, note->point);
    return td_rates_backward(c, note);
  case TD_NOTE_SAMPLE:
    return td_sample_backward(c, note);
  case TD_NOTE_CHART:
    td_chart_backward(c, note);
    return TD_OK;
  case TD_NOTE_GO_ON:
    return TD_OK;
  }
  return TD_OK;
}

td_status td_chain_backward(td_chain *c, const td_tape *tape, const td_note *note) {
  c->tape = tape;
  td_kinks_enter(c, note);
  td_status status = backward(c, note);
  td_kinks_enter(c, NULL);
  return status;
}
