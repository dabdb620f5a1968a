// The state at t = 0, linearised: what the job gives, an equilibrium for one, prescribed coordinates where their inputs
// want them, then q to the nearest state that closes the loops, and v to the nearest that they allow.
//
// q0 - q = G^T m, e(q) = 0:   (1 + H) dq + G^T dm = dq0 - (G^T m)_p dp,  G dq = -e_p dp,  H = d(G^T m)/dq.
#include "closure/projection_parts.h"
#include "control/parts.h"
#include "gradient/chain.h"
#include "tendril/sensitivity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// q0 and v0 [n] as the job gives them (an equilibrium: `rest` [n]), at the places of prescribed joints those of their
// inputs: c->open [2n].
static void given(td_chain *c, const double *rest) {
  size_t n = (size_t)c->n;
  const td_dynamics_spec *spec = c->spec;
  memset(c->open, 0, 2 * n * sizeof *c->open);
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(c->open, spec->q, n * sizeof *c->open);
  if (spec->initial == TD_INITIAL_EQUILIBRIUM && n) memcpy(c->open, rest, n * sizeof *c->open);
  if (spec->qd && n) memcpy(c->open + n, spec->qd, n * sizeof *c->open);
  td_plant_drive(&c->plant, 0, c->open, NULL);
}

// ------------------------------------------------------------------------------------------------ equilibrium

static bool is_controlled(const td_chain *c, int channel) {
  const td_control *control = c->plant.control;
  for (int i = 0; control && i < control->count; i++)
    for (int k = 0; k < control->item[i].width; k++)
      if (control->item[i].channel[k] == channel) return true;
  return false;
}

// Derivatives of the inputs at t = 0 that statics sees, du [m][np], and of the rates of prescribed joints, drates
// [n][np]; rates [n] as they are in c->open.
static void list_inputs(const td_chain *c, double *du, double *rates, double *drates) {
  size_t np = c->by->count;
  for (size_t k = 0; k < c->listed; k++)
    if (!is_controlled(c, c->list[k].channel))
      du[(size_t)c->list[k].channel * np + c->list[k].number] += c->list[k].of[0];
  for (int i = 0; i < c->driven; i++) {
    int channel, at = td_model_prescribed_coordinate(c->model, i, &channel);
    rates[at] = c->open[c->n + at];
    for (size_t k = 0; k < c->listed; k++)
      if (c->list[k].channel == channel) drates[(size_t)at * np + c->list[k].number] += c->list[k].of[1];
  }
}

// dq [n][np] of the equilibrium at q for the inputs at t = 0, controllers asleep: relative to prescribed joints that
// move, or as if they stood, as the run found it. (Forces that balance to a tolerance at both do not tell which.)
static td_status equilibrium(td_chain *c, const double *q, double *dq, double *block, td_error *err) {
  size_t n = (size_t)c->n, np = c->by->count;
  double *u = c->plant.u, *du = block, *drates = du + (size_t)c->m * np, *rates = drates + n * np;
  td_sensitivity *s = NULL;
  c->plant.t_side = 0;
  td_status status = td_chain_list(c, 0, q, c->open + c->n);
  list_inputs(c, du, rates, drates);
  td_inputs_eval(c->plant.inputs, 0, 0, u);
  td_equilibrium at = {.q = q, .u = u, .du_dp = du};
  if (c->rests_moving) at.rates = rates, at.drates_dp = drates;
  if (!status) status = td_sensitivity_create(c->model, np, c->by->model, c->by->model_number, &s);
  if (status) return status;
  status = td_statics_sensitivity(s, &at, dq, NULL, err);
  td_sensitivity_destroy(s);
  return status;
}

static td_status rest(td_chain *c, const double *q, double **dq, td_error *err) {
  size_t n = (size_t)c->n, np = c->by->count;
  *dq = NULL;
  if (c->spec->initial != TD_INITIAL_EQUILIBRIUM) return TD_OK;
  double *all = calloc((2 * n + (size_t)c->m) * np + n + 1, sizeof *all);
  if (!all) return TD_NO_MEMORY;
  td_status status = equilibrium(c, q, all, all + n * np, err);
  if (status) return free(all), status;
  *dq = all;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ both ways

static td_status fail(td_status status, td_error *err) {
  if (!status || (err && err->status == status)) return status;
  return td_fail(err, status, "/initial/q", "%s",
                 status == TD_NOT_CONVERGED
                     ? "loops were closed from so far away that the start is not the nearest closed state, and has no "
                       "derivative; give an initial q that is nearly closed"
                     : "the state that the run starts at has no derivative");
}

td_status td_chain_start_forward(td_chain *c, const td_tape *tape, const td_note *note, td_error *err) {
  const double *x = td_tape_point(tape, note->point);
  double *dq;
  c->tape = tape;
  for (int k = 0; k < TD_PARTS; k++) memset(c->T[k], 0, (size_t)c->n * (size_t)c->ld * sizeof *c->T[k]);
  for (int i = 0; c->by->initial && i < 2 * c->n; i++) {
    double *to = i < c->n ? c->T[TD_Q] + i * c->ld : c->T[TD_V] + (i - c->n) * c->ld;
    memcpy(to, c->by->initial + (size_t)i * c->by->count, c->by->count * sizeof *to);
  }
  td_chain_place(c, note, note->point);
  given(c, x);
  td_status status = rest(c, x, &dq, err);
  for (int i = 0; dq && i < c->n; i++)
    memcpy(c->T[TD_Q] + i * c->ld, dq + (size_t)i * c->by->count, c->by->count * sizeof *dq);
  free(dq);
  c->plant.t_side = note->t_side;
  if (!status) status = td_chain_list(c, 0, x, c->open + c->n);
  if (status) return fail(status, err);
  td_chain_drive_tangents(c, c->T[TD_Q], c->T[TD_V], NULL);
  if (c->plant.rows == 0) return TD_OK;
  return fail(td_hold_start_forward(c, note, c->open, c->open + c->n, x), err);
}

static void pull_initial(td_chain *c, const double *dq) {
  for (int i = 0; i < 2 * c->n; i++) {
    double x = i < c->n ? c->L[TD_Q][i] : c->L[TD_V][i - c->n];
    const double *row = dq && i < c->n ? dq : c->by->initial;
    if (!row || x == 0) continue;
    for (size_t j = 0; j < c->by->count; j++) c->gradient[j] += row[(size_t)i * c->by->count + j] * x;
  }
}

td_status td_chain_start_backward(td_chain *c, const td_tape *tape, const td_note *note, td_error *err) {
  const double *x = td_tape_point(tape, note->point);
  double *dq = NULL;
  c->tape = tape;
  td_chain_place(c, note, note->point);
  given(c, x);
  td_status status = td_chain_list(c, 0, x, c->open + c->n);
  if (!status && c->plant.rows) status = td_hold_start_backward(c, note, c->open, c->open + c->n, x);
  if (status) return fail(status, err);
  td_chain_drive_cotangents(c, c->L[TD_Q], c->L[TD_V], NULL);
  status = rest(c, x, &dq, err);
  if (!status) pull_initial(c, dq);
  free(dq);
  return fail(status, err);
}
