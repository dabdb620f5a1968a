// Every rule of controllers that needs no simulation. Pointers are those of the job document:
// /controller/reference/t/2, or /controller/1/reference/t/2 where it has a list of them.
#include "control/parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rules {
  const td_model *model;
  const td_dynamics_spec *run;
  size_t index;
  const td_controller_spec *spec;
  const td_controller_row *row;
  td_place at;
} rules;

// ------------------------------------------------------------------------------------------------ channels

static double end_of(const td_controller_spec *c) { return c->until > 0 ? c->until : INFINITY; }

// The controller before this one that asks the same channel at the same time, -1.
static int rival(const rules *r, int channel) {
  for (size_t i = 0; i < r->index; i++) {
    const td_controller_spec *other = &r->run->controllers[i];
    if (other->from >= end_of(r->spec) || r->spec->from >= end_of(other)) continue;
    for (size_t k = 0; k < other->channel_count; k++)
      if (td_channel_find(r->model, other->channels[k]) == channel) return (int)i;
  }
  return -1;
}

static bool has_input(const rules *r, int channel) {
  for (size_t i = 0; i < r->run->input_count; i++)
    if (td_channel_find(r->model, r->run->inputs[i].channel) == channel) return true;
  return false;
}

// What a channel is that no actuator has.
static const char *kind_of_input(const td_model *m, int channel) {
  if (td_model_channel_is_flow(m, channel)) return "velocity of the fluid";
  return td_model_channel_is_rest(m, channel) ? "spring's rest" : "load";
}

static td_status channel_check(const rules *r, const td_place *list, size_t i) {
  td_place at = td_place_at(list, i);
  const char *name = r->spec->channels[i];
  int channel = td_channel_find(r->model, name);
  if (channel < 0) return td_no_channel(&at, r->model, name);
  if (td_channel_drives(r->model, channel))
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" prescribes a motion; a controller needs a force", name);
  if (channel >= td_model_actuator_channel_count(r->model) && r->row->law != TD_LAW_FEED_FORWARD)
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" is a %s; a %s works on actuators", name,
                         kind_of_input(r->model, channel), r->row->name);
  if (r->row->law != TD_LAW_FEED_FORWARD && td_model_channel_is_tendon(r->model, channel) &&
      !td_model_channel_is_tension(r->model, channel))
    return td_place_fail(&at, TD_INVALID_ARGUMENT,
                         "\"%.80s\" is driven by its length; a %s needs a force: take a feed_forward, or a tendon of "
                         "mode tension",
                         name, r->row->name);
  if (has_input(r, channel))
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" has an input too; it cannot have both", name);
  for (size_t k = 0; k < i; k++)
    if (td_channel_find(r->model, r->spec->channels[k]) == channel)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" is listed twice", name);
  int other = rival(r, channel);
  if (other >= 0)
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" belongs to controller %d at the same time", name, other);
  return TD_OK;
}

static td_status channels_check(const rules *r) {
  td_place list = td_place_key(&r->at, "channels");
  if (r->spec->channel_count == 0) return td_place_fail(&list, TD_INVALID_ARGUMENT, "needs at least one channel");
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < r->spec->channel_count; i++) status = channel_check(r, &list, i);
  return status;
}

// ------------------------------------------------------------------------------------------------ gains, times

static td_status gain_check(const rules *r, const char *key, const double *gain, size_t count) {
  td_place at = td_place_key(&r->at, key);
  if (r->row->law == TD_LAW_FEED_FORWARD) {
    if (count) return td_place_fail(&at, TD_INVALID_ARGUMENT, "feed_forward has no gains");
    return TD_OK;
  }
  if (count == 0) return td_place_fail(&at, TD_INVALID_ARGUMENT, "required by a %s", r->row->name);
  if (count != 1 && count != r->spec->channel_count)
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "must be one number or one per channel (%zu), has %zu",
                         r->spec->channel_count, count);
  td_status status = td_check_all_finite(&at, NULL, count, gain);
  for (size_t i = 0; !status && i < count; i++) {
    td_place entry = count > 1 ? td_place_at(&at, i) : at;
    status = td_check_not_negative(&entry, NULL, gain[i]);
  }
  return status;
}

static td_status window_check(const rules *r) {
  td_status status = td_check_not_negative(&r->at, "from", r->spec->from);
  if (!status) status = td_check_not_negative(&r->at, "until", r->spec->until);
  td_place until = td_place_key(&r->at, "until");
  if (!status && !(end_of(r->spec) > r->spec->from))
    status = td_place_fail(&until, TD_INVALID_ARGUMENT, "must come after from (%.15g s), is %.15g s", r->spec->from,
                           r->spec->until);
  return status;
}

// ------------------------------------------------------------------------------------------------ what is referred to

// With the first names that there are, and that of the channel's own joint.
static td_status fail_coordinate(const rules *r, const td_place *at, size_t i) {
  enum { SHOWN = 6 };
  char names[SHOWN * (2 * TD_MAX_NAME + 44) + 8] = "", own[2 * TD_MAX_NAME + 64] = "";
  size_t n = 0;
  td_watched output;
  int count = td_model_ndof(r->model), channel = td_channel_find(r->model, r->spec->channels[i]);
  if (td_channel_output(r->model, channel, &output) && output.coordinate >= 0)
    snprintf(own, sizeof own, "that of \"%.63s\" is \"%s\"; ", r->spec->channels[i],
             td_model_coordinate_name(r->model, output.coordinate));
  for (int c = 0; c < count && c < SHOWN && n < sizeof names; c++) {
    const char *coordinate = td_model_coordinate_name(r->model, c);
    int driver = td_channel_find(r->model, coordinate);
    n += (size_t)snprintf(names + n, sizeof names - n, driver < 0 ? "%s%s" : "%s%s (%s)", c ? ", " : "", coordinate,
                          driver < 0 ? "" : td_model_channel_name(r->model, driver));
  }
  return td_place_fail(at, TD_INVALID_ARGUMENT, "the model has no coordinate \"%.80s\"; %sits coordinates are %s%s",
                       r->spec->reference.coordinates[i], own, names, count > SHOWN ? ", …" : "");
}

static td_status coordinates_check(const rules *r, const td_place *reference) {
  const td_reference_spec *ref = &r->spec->reference;
  td_place list = td_place_key(reference, "coordinates");
  size_t k = r->spec->channel_count;
  if (ref->coordinate_count && ref->coordinate_count != k)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "must name one coordinate per channel (%zu), has %zu", k,
                         ref->coordinate_count);
  int *coordinate = calloc(k, sizeof *coordinate);
  if (!coordinate) return td_place_fail(&list, TD_NO_MEMORY, "no memory to check the reference");
  td_status status = TD_OK;
  if (!td_joint_outputs(r->model, r->spec, coordinate))
    status =
        td_place_fail(&list, TD_INVALID_ARGUMENT, "required: not every channel is a joint's, so say which coordinates");
  for (size_t i = 0; !status && i < ref->coordinate_count; i++) {
    td_place at = td_place_at(&list, i);
    if (coordinate[i] < 0) status = fail_coordinate(r, &at, i);
    for (int p = 0; !status && p < td_model_prescribed_count(r->model); p++)
      if (td_model_prescribed_coordinate(r->model, p, NULL) == coordinate[i])
        status = td_place_fail(&at, TD_INVALID_ARGUMENT, "the motion of \"%.80s\" is prescribed", ref->coordinates[i]);
    for (size_t j = 0; !status && j < i; j++)
      if (coordinate[i] == coordinate[j])
        status = td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" is listed twice", ref->coordinates[i]);
  }
  free(coordinate);
  return status;
}

static td_status tips_check(const rules *r, const td_place *reference) {
  const td_reference_spec *ref = &r->spec->reference;
  td_place list = td_place_key(reference, "tips"), channels = td_place_key(&r->at, "channels");
  for (size_t i = 0; i < ref->tip_count; i++) {
    td_place at = td_place_at(&list, i);
    if (td_model_link_find(r->model, ref->tips[i]) < 0)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "the model has no link \"%.80s\"", ref->tips[i]);
    for (size_t j = 0; j < i; j++)
      if (strcmp(ref->tips[i], ref->tips[j]) == 0)
        return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" is listed twice", ref->tips[i]);
  }
  size_t asked = 3 * (ref->tip_count ? ref->tip_count : 1), k = r->spec->channel_count;
  if (asked > k)
    return td_place_fail(&channels, TD_INVALID_ARGUMENT, "%zu channels cannot place %zu tips (%zu numbers)", k,
                         asked / 3, asked);
  for (size_t i = 0; i < k && r->row->law != TD_LAW_FEED_FORWARD; i++) {
    td_place at = td_place_at(&channels, i);
    td_watched own;
    if (!td_channel_output(r->model, td_channel_find(r->model, r->spec->channels[i]), &own))
      return td_place_fail(&at, TD_INVALID_ARGUMENT,
                           "\"%.80s\" is neither a tendon nor a joint, which a reference of tips needs",
                           r->spec->channels[i]);
  }
  return TD_OK;
}

static td_status tendons_check(const rules *r) {
  td_place list = td_place_key(&r->at, "channels");
  for (size_t i = 0; i < r->spec->channel_count; i++) {
    td_place at = td_place_at(&list, i);
    if (!td_model_channel_is_tendon(r->model, td_channel_find(r->model, r->spec->channels[i])))
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%.80s\" is not a tendon, but the reference is in tendon space",
                           r->spec->channels[i]);
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ reference

static td_status times_check(const td_place *reference, const td_reference_spec *ref) {
  td_place knots = td_place_key(reference, "t");
  size_t least = ref->interpolation == TD_INTERPOLATION_SPLINE ? 2 : 1;
  if (ref->knots < least || ref->knots > TD_MAX_SIGNAL_KNOTS)
    return td_place_fail(&knots, TD_INVALID_ARGUMENT, "must have %zu to %d entries, has %zu", least,
                         (int)TD_MAX_SIGNAL_KNOTS, ref->knots);
  td_status status = td_check_all_finite(&knots, NULL, ref->knots, ref->t);
  for (size_t i = 1; !status && i < ref->knots; i++) {
    td_place entry = td_place_at(&knots, i);
    if (ref->t[i] <= ref->t[i - 1])
      status = td_place_fail(&entry, TD_INVALID_ARGUMENT, "times must rise strictly: %.15g follows %.15g", ref->t[i],
                             ref->t[i - 1]);
  }
  return status;
}

static td_status values_check(const rules *r, const td_place *reference) {
  const td_reference_spec *ref = &r->spec->reference;
  td_place values = td_place_key(reference, "value");
  bool tip = ref->space == TD_SPACE_TIP, input = ref->space == TD_SPACE_INPUT;
  size_t width = tip ? 3 * (ref->tip_count ? ref->tip_count : 1) : r->spec->channel_count;
  if (ref->rows != ref->knots)
    return td_place_fail(&values, TD_INVALID_ARGUMENT, "must have one row per time (%zu), has %zu", ref->knots,
                         ref->rows);
  if (ref->width != width)
    return td_place_fail(&values, TD_INVALID_ARGUMENT, "rows must have %zu numbers (%s), have %zu", width,
                         tip ? "x, y, z of each tip" : "one per channel", ref->width);
  for (size_t i = 0; i < ref->rows * width; i++) {
    td_place row = td_place_at(&values, i / width);
    double x = ref->value[i];
    const char *channel = r->spec->channels[tip ? 0 : i % width];
    if (!isfinite(x)) return td_place_fail(&row, TD_INVALID_ARGUMENT, "number %zu is not finite", i % width);
    if (input && x < 0 && td_model_channel_is_tension(r->model, td_channel_find(r->model, channel)))
      return td_place_fail(&row, TD_INVALID_ARGUMENT, "a tendon cannot push, the tension of \"%.80s\" is %.6g N",
                           channel, x);
  }
  return TD_OK;
}

static td_status reference_check(const rules *r) {
  td_place at = td_place_key(&r->at, "reference"), space = td_place_key(&at, "space");
  td_place interpolation = td_place_key(&at, "interpolation"), coordinates = td_place_key(&at, "coordinates"),
           tips = td_place_key(&at, "tips");
  const td_reference_spec *ref = &r->spec->reference;
  if ((unsigned)ref->space >= TD_SPACE_COUNT) return td_place_fail(&space, TD_INVALID_ARGUMENT, "unknown space");
  if (!(r->row->spaces & 1u << ref->space))
    return ref->space == TD_SPACE_INPUT
               ? td_place_fail(&space, TD_INVALID_ARGUMENT, "required by a %s", r->row->name)
               : td_place_fail(&space, TD_INVALID_ARGUMENT, "a %s takes no reference in %s space", r->row->name,
                               td_reference_space_name(ref->space));
  if (ref->interpolation == TD_INTERPOLATION_LINEAR && r->row->law != TD_LAW_FEED_FORWARD)
    return td_place_fail(&interpolation, TD_INVALID_ARGUMENT,
                         "linear has no velocity at its knots; cubic and spline have");
  if (ref->coordinate_count && ref->space != TD_SPACE_JOINT)
    return td_place_fail(&coordinates, TD_INVALID_ARGUMENT, "belong to the space \"joint\"");
  if (ref->tip_count && ref->space != TD_SPACE_TIP)
    return td_place_fail(&tips, TD_INVALID_ARGUMENT, "belong to the space \"tip\"");
  td_status status = times_check(&at, ref);
  if (!status && ref->space == TD_SPACE_JOINT) status = coordinates_check(r, &at);
  if (!status && ref->space == TD_SPACE_TENDON) status = tendons_check(r);
  if (!status && ref->space == TD_SPACE_TIP) status = tips_check(r, &at);
  return status ? status : values_check(r, &at);
}

static td_status controller_check(const rules *r) {
  if (!r->row) return td_place_fail(&r->at, TD_INVALID_ARGUMENT, "unknown type %d", (int)r->spec->type);
  td_status status = channels_check(r);
  if (!status) status = gain_check(r, "kp", r->spec->kp, r->spec->kp_count);
  if (!status) status = gain_check(r, "kd", r->spec->kd, r->spec->kd_count);
  if (!status) status = window_check(r);
  return status ? status : reference_check(r);
}

td_status td_controllers_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  td_place all = td_place_key(root, "controller");
  if (spec->controller_count > TD_MAX_CONTROLLERS)
    return td_place_fail(&all, TD_INVALID_ARGUMENT, "%zu controllers are more than %d", spec->controller_count,
                         (int)TD_MAX_CONTROLLERS);
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->controller_count; i++) {
    td_place above;
    const td_controller_spec *c = &spec->controllers[i];
    rules r = {model, spec, i, c, td_controller_get(c->type), td_controller_place(root, spec, i, &above)};
    td_status status = controller_check(&r);
    if (!first) first = status;
    if (!td_place_goes_on(&r.at, status)) break;
  }
  return first;
}
