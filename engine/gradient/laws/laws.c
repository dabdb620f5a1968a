// Inputs under control, by numbers of inputs and controllers: laws answer to what they are given, and what they are
// given depends on numbers.
//
//   u = U(t, q, qd; u_in, qdd_driven, k, x_ref, model)
//   du/dp = U_in du_in/dp + U_k dk/dp + sum over jets U_ref dx_ref/dp + du/dp of the model (control/model_numbers.c)
//
// u_in: channels with signals, of which there are derivatives (input_numbers.c); k: gains; x_ref: value, velocity and
// acceleration of references, whose derivatives by knots are those of a signal. U is affine in each of them, but for
// inputs that are lengths of springs or tendons, so that a difference is its derivative; those are differences of order
// 4. A law's own channels are the only ones that U changes. What static inversion finds at the knots of a reference
// depends on the model, on the reference and on the other inputs (control/inversion_slopes.h).
#include "base/carve.h"
#include "gradient/laws/parts.h"
#include <stdlib.h>
#include <string.h>

static bool within(const double *place, const double *list, size_t count) {
  return list && place >= list && place < list + count;
}

// Gains, values of other references, and what of the initial state is a first guess at the most.
static bool leaves_inversions(const td_dynamics_spec *run, const double *place) {
  bool does = !place || within(place, run->q, run->q_count) || within(place, run->qd, run->qd_count);
  for (size_t i = 0; i < run->controller_count && !does; i++) {
    const td_controller_spec *c = &run->controllers[i];
    const td_reference_spec *r = &c->reference;
    does = within(place, c->kp, c->kp_count) || within(place, c->kd, c->kd_count) ||
           (td_law_is_direct(c) && within(place, r->value, r->rows * r->width));
  }
  return does;
}

td_status td_law_numbers_check_model(const td_dynamics_spec *run, td_error *err) {
  td_place root = td_place_root(err), all;
  for (size_t i = 0; i < run->controller_count; i++) {
    const td_controller_spec *c = &run->controllers[i];
    if (td_law_is_direct(c) || c->reference.width >= c->channel_count) continue;
    td_place at = td_controller_place(&root, run, i, &all), key = td_place_key(&at, "reference");
    td_place space = td_place_key(&key, "space");
    return td_place_fail(
        &space, TD_UNSUPPORTED,
        "this reference is found by static inversion, and says %zu values for %zu channels: which of many equilibria "
        "is found depends on the way there, and has no derivatives. The gains are parameters; inputs, references and "
        "numbers of the model are none beside it. A reference with as many values as channels has them all",
        c->reference.width, c->channel_count);
  }
  return TD_OK;
}

td_status td_law_numbers_check_place(const td_dynamics_spec *run, const double *place, td_error *err) {
  return leaves_inversions(run, place) ? TD_OK : td_law_numbers_check_model(run, err);
}

// An inversion depends on the model, on the other inputs and on the reference.
static td_status check_inversions(const td_law_numbers *l, td_error *err) {
  bool matters = l->of_model && td_parameters_count(l->of_model) > 0;
  td_status status = matters ? td_law_numbers_check_model(l->run, err) : TD_OK;
  for (size_t k = 0; k < l->count && status == TD_OK; k++)
    status = td_law_numbers_check_place(l->run, (const double *)l->sorted[k].place, err);
  return status;
}

// ------------------------------------------------------------------------------------------------ making

static td_status make_reference(td_law_numbers *l, const td_controller_spec *spec, td_controlled *law, int i,
                                td_law_reference *r) {
  const td_track *track = &law->track;
  *r =
      (td_law_reference){.spec = spec, .law = law, .index = i, .rises = track->interpolation == TD_INTERPOLATION_CUBIC};
  size_t at = (size_t)(spec - l->run->controllers);
  if (l->found[at]) r->found = l->found[at], r->columns = td_law_columns(l, spec), r->asked = true;
  if (!td_law_is_direct(spec) && !r->found) return TD_OK;
  for (size_t k = 0; k < track->knots && !r->asked; k++) r->asked = td_law_place_find(l, td_law_value_at(r, k)) != NULL;
  r->curve = (td_signal_spec){.type = TD_SIGNAL_TABLE,
                              .t = track->t,
                              .value = track->value + (size_t)i * track->knots,
                              .count = track->knots,
                              .spline = track->interpolation == TD_INTERPOLATION_SPLINE && track->knots > 1};
  return td_signal_init(&r->signal, &r->curve);
}

static td_status make_references(td_law_numbers *l) {
  td_status status = TD_OK;
  int next = 0;
  for (size_t i = 0; i < l->run->controller_count; i++) {
    td_controlled *law = &l->control->item[i];
    law->shift = l->shift + next;
    for (int k = 0; k < law->width && status == TD_OK; k++)
      status = make_reference(l, &l->run->controllers[i], law, k, &l->reference[next++]);
  }
  return status;
}

// Values at knots, and of those that are found all that they depend on.
static size_t sources_of(const td_law_numbers *l, const td_law_reference *r) {
  size_t live = td_signal_slopes_most(&r->curve);
  return r->found ? live * r->spec->reference.width + td_law_model_count(l) + l->columns : live;
}

// Each number of an input, each gain and each live value of a reference reaches all channels of controllers.
static size_t most_of(const td_law_numbers *l) {
  size_t sources = 0, given = td_input_numbers_most(l->of_inputs), each = (size_t)l->channels;
  for (int i = 0; i < l->channels; i++)
    if (l->reference[i].asked) sources += sources_of(l, &l->reference[i]);
  for (size_t i = 0; i < l->run->controller_count; i++)
    sources += l->run->controllers[i].kp_count + l->run->controllers[i].kd_count;
  if (l->weighed) sources += td_parameters_count(l->of_model);
  return given + (given + sources) * each + 1;
}

static bool make_room(td_law_numbers *l) {
  size_t m = (size_t)l->m, n = (size_t)l->n, np = td_law_model_count(l);
  double *shift = NULL;
  bool room = TD_CARVE({&l->base, m}, {&l->in, m}, {&l->out, m}, {&l->change, m}, {&l->answer, m}, {&l->qdd, n},
                       {&shift, TD_LAW_JET * (size_t)l->channels + 1}, {&l->by_model, m * np});
  l->shift = (double(*)[TD_LAW_JET])(void *)shift;
  l->reference = calloc((size_t)l->channels + 1, sizeof *l->reference);
  l->found = calloc(l->run->controller_count + 1, sizeof *l->found);
  l->column = calloc(2 * l->count + 1, sizeof *l->column);
  l->number = l->column ? l->column + l->count : NULL;
  l->given = calloc(td_input_numbers_most(l->of_inputs) + 1, sizeof *l->given);
  return room && l->reference && l->given && l->found && l->column;
}

static td_status make(td_law_numbers *l, const double *const *places, td_error *err) {
  const td_dynamics_spec *run = l->run;
  td_law_places_sort(l, places);
  td_status status = check_inversions(l, err);
  if (status) return status;
  for (size_t i = 0; i < run->controller_count; i++) l->channels += (int)run->controllers[i].channel_count;
  status = td_workspace_create(l->model, &l->ws);
  if (!status) status = td_inputs_create(l->model, run->inputs, run->input_count, &l->inputs);
  if (!status)
    status = td_input_numbers_create(l->model, run->inputs, run->input_count, places, l->count, &l->of_inputs);
  if (!status && !make_room(l)) status = TD_NO_MEMORY;
  if (status) return td_fail(err, status, "", "no memory for derivatives of controllers");
  status = td_control_create(l->model, l->ws, l->inputs, run, NULL, &l->control, err);
  if (status) return status;
  status = l->control ? td_laws_invert(l, err) : TD_OK;
  if (status) return status;
  if (l->control && make_references(l)) return td_fail(err, TD_NO_MEMORY, "", "no memory for references");
  if (l->control && l->of_model && td_model_numbers_create(l->control, l->of_model, &l->weighed))
    return td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of controllers");
  l->most = most_of(l);
  return TD_OK;
}

td_status td_law_numbers_create(const td_model *model, const td_dynamics_spec *run, const td_parameters *of_model,
                                const size_t *model_number, const double *const *places, size_t count,
                                td_law_numbers **numbers, td_error *err) {
  td_law_numbers *l = calloc(1, sizeof *l);
  *numbers = NULL;
  if (!l) return td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of controllers");
  *l = (td_law_numbers){.model = model, .run = run, .of_model = of_model, .model_number = model_number, .count = count};
  l->m = td_model_channel_count(model);
  l->n = td_model_ndof(model);
  l->driven = td_model_prescribed_count(model);
  td_integrator_spec used;
  td_integrator_resolve(model, run, &used);
  l->baumgarte = used.baumgarte;
  l->sorted = calloc(count + 1, sizeof *l->sorted);
  td_status status = l->sorted ? make(l, places, err) : td_fail(err, TD_NO_MEMORY, "", "no memory for numbers");
  if (status)
    td_law_numbers_destroy(l);
  else
    *numbers = l;
  return status;
}

void td_law_numbers_destroy(td_law_numbers *l) {
  if (!l) return;
  for (int i = 0; l->reference && i < l->channels; i++)
    if (l->reference[i].signal.spec) td_signal_fini(&l->reference[i].signal);
  td_model_numbers_destroy(l->weighed);
  td_control_destroy(l->control);
  td_input_numbers_destroy(l->of_inputs);
  td_inputs_destroy(l->inputs);
  td_workspace_destroy(l->ws);
  for (size_t i = 0; l->found && i < l->run->controller_count; i++) free(l->found[i]);
  free(l->found);
  free(l->column);
  free(l->total);
  free(l->reference);
  free(l->given);
  free(l->base);
  free(l->sorted);
  free(l);
}

size_t td_law_numbers_most(const td_law_numbers *numbers) { return numbers->most; }
