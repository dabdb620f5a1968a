// An initial state against the inputs: a prescribed joint starts where its signal says, as fast as it says.
//
// q and qd that a document gives are rounded: 1e-6 of the value (at least of 1) is forgiven. What a document leaves out
// ("zero", no qd) contradicts nothing: prescribed coordinates always follow their signals.
#include "input/initial_check.h"
#include "body/rod/inside_out.h"
#include "force/contact/rubbing.h"
#include "input/inputs.h"
#include "model/model.h"
#include <math.h>

static const double FORGIVEN = 1e-6;

td_status td_rest_check(const td_place *root, const td_model *model) {
  int c = td_contact_with_friction(model);
  if (c < 0) return TD_OK;
  td_place document = td_place_key(root, "model"), list = td_place_key(&document, "contacts"),
           contact = td_place_at(&list, (size_t)c), at = td_place_key(&contact, "friction");
  return td_place_fail(
      &at, TD_UNSUPPORTED,
      "a contact with friction (%.6g) has no equilibrium that could be found: its friction is smooth in "
      "speed and holds nothing at rest, so that what should hold creeps. Give it `stick`, whose springs are "
      "unstretched there, or leave `friction` out, for the equilibrium without it, or take a run from \"zero\" or an "
      "array of numbers",
      model->contact[c].rubbing.friction);
}

static td_status compare(const td_place *initial, const char *key, const td_model *model, const double *given,
                         int coordinate, int channel, double wanted) {
  td_place list = td_place_key(initial, key), at = td_place_at(&list, (size_t)coordinate);
  if (!given || fabs(given[coordinate] - wanted) <= FORGIVEN * fmax(1, fabs(wanted))) return TD_OK;
  return td_place_fail(&at, TD_INVALID_ARGUMENT, "is %.9g, but the input \"%s\" prescribes %s of %s: %.9g at t = 0",
                       given[coordinate], td_model_channel_name(model, channel), key[1] ? "the rate" : "the position",
                       td_model_coordinate_name(model, coordinate), wanted);
}

td_status td_initial_check(const td_place *initial, const td_model *model, const td_dynamics_spec *spec) {
  const double *q = spec->initial == TD_INITIAL_ARRAY ? spec->q : NULL, *qd = spec->qd;
  td_inputs *inputs = NULL;
  if (td_model_prescribed_count(model) == 0 || (!q && !qd)) return TD_OK;
  td_status status = td_inputs_create(model, spec->inputs, spec->input_count, &inputs);
  if (status) return td_place_fail(initial, status, "not enough memory for the inputs");
  double t_side = fmin(td_inputs_next_event(inputs, 0), spec->t_end) / 2;
  for (int i = 0; !status && i < td_model_prescribed_count(model); i++) {
    int channel, coordinate = td_model_prescribed_coordinate(model, i, &channel);
    double f[3];
    td_inputs_motion(inputs, channel, 0, t_side, f);
    status = compare(initial, "q", model, q, coordinate, channel, f[0]);
    if (!status) status = compare(initial, "qd", model, qd, coordinate, channel, f[1]);
  }
  td_inputs_destroy(inputs);
  return status;
}

td_status td_initial_shape_check(const td_model *model, const double *q, const char *pointer, td_error *err) {
  td_inside_out at;
  char text[TD_INSIDE_OUT_TEXT];
  if (!td_inside_out_find(model, q, 1, &at)) return TD_OK;
  td_inside_out_text(model, &at, text);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "at this state %s", text);
}
