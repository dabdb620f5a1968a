// Controllers of a dynamics job: one object, or an array of them.
//
// Here: types, words, required keys, equal rows. What fits the model and each type is td_dynamics_check's.
#include "codec/document/job/parts.h"

enum { MAX_NAMES = TD_MAX_CHANNELS, MAX_VALUES = 1 << 22 };

static const char *type_word(int i) { return td_controller_type_name((td_controller_type)i); }
static const char *space_word(int i) { return td_reference_space_name((td_reference_space)i); }
static const char *interpolation_word(int i) { return td_interpolation_name((td_interpolation)i); }

static td_status read_names(reader *r, const json_t *value, const char *const **names, size_t *count) {
  static const char *const none = NULL;
  void *list = NULL;
  td_status status = read_list(r, value, MAX_NAMES, sizeof none, &none, read_text, &list, count);
  if (status == TD_OK && *count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one name");
  *names = list;
  return status;
}

// ------------------------------------------------------------------------------------------------ reference

static td_status read_space(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, space_word, TD_SPACE_INPUT, &word);
  ((td_reference_spec *)out)->space = (td_reference_space)word;
  return status;
}

static td_status read_interpolation(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, interpolation_word, TD_INTERPOLATION_COUNT, &word);
  ((td_reference_spec *)out)->interpolation = (td_interpolation)word;
  return status;
}

static td_status read_coordinates(reader *r, const json_t *value, void *out) {
  td_reference_spec *spec = out;
  return read_names(r, value, &spec->coordinates, &spec->coordinate_count);
}

static td_status read_tips(reader *r, const json_t *value, void *out) {
  td_reference_spec *spec = out;
  return read_names(r, value, &spec->tips, &spec->tip_count);
}

static td_status read_t(reader *r, const json_t *value, void *out) {
  td_reference_spec *spec = out;
  return read_numbers(r, value, TD_MAX_SIGNAL_KNOTS, &spec->t, &spec->knots);
}

// Rows of equal width; where there is one number per time the rows may be the numbers themselves.
static td_status read_value(reader *r, const json_t *value, void *out) {
  td_reference_spec *spec = out;
  if (!json_is_array(value)) return fail_type(r, "an array of rows", value);
  const json_t *first = json_array_get(value, 0);
  size_t limit = TD_MAX_SIGNAL_KNOTS;
  spec->width = json_is_array(first) ? json_array_size(first) : 1;
  if (!json_is_array(first)) return read_numbers(r, value, limit, &spec->value, &spec->rows);
  if (spec->width == 0) return fail_here(r, TD_INVALID_ARGUMENT, "rows need at least one number");
  if (json_array_size(value) * spec->width > MAX_VALUES)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu numbers are more than %d", json_array_size(value) * spec->width,
                     (int)MAX_VALUES);
  return read_rows(r, value, spec->width, limit, &spec->value, &spec->rows);
}

static const field reference_fields[] = {
    {"space", read_space, 0, false, NULL}, {"coordinates", read_coordinates, 0, false, NULL},
    {"tips", read_tips, 0, false, NULL},   {"t", read_t, 0, true, NULL},
    {"value", read_value, 0, true, NULL},  {"interpolation", read_interpolation, 0, false, NULL},
};

static td_status read_reference(reader *r, const json_t *value, void *out) {
  td_reference_spec *spec = &((td_controller_spec *)out)->reference;
  *spec = (td_reference_spec){.space = TD_SPACE_INPUT};
  return read_object(r, value, reference_fields, COUNT_OF(reference_fields), spec);
}

// ------------------------------------------------------------------------------------------------ controller

static td_status read_type(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, type_word, TD_CONTROLLER_TYPE_COUNT, &word);
  ((td_controller_spec *)out)->type = (td_controller_type)word;
  return status;
}

static td_status read_channels(reader *r, const json_t *value, void *out) {
  td_controller_spec *spec = out;
  return read_names(r, value, &spec->channels, &spec->channel_count);
}

// A number, or one per channel.
static td_status read_gain(reader *r, const json_t *value, const double **gain, size_t *count) {
  if (json_is_array(value)) {
    td_status status = read_numbers(r, value, TD_MAX_CHANNELS, gain, count);
    if (status == TD_OK && *count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one number");
    return status;
  }
  double *own = arena_array(r->memory, 1, sizeof *own);
  if (!own) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *gain = own;
  *count = 1;
  return read_number(r, value, own);
}

static td_status read_kp(reader *r, const json_t *value, void *out) {
  td_controller_spec *spec = out;
  return read_gain(r, value, &spec->kp, &spec->kp_count);
}
static td_status read_kd(reader *r, const json_t *value, void *out) {
  td_controller_spec *spec = out;
  return read_gain(r, value, &spec->kd, &spec->kd_count);
}

static const field controller_fields[] = {
    {"type", read_type, 0, true, NULL},
    {"channels", read_channels, 0, true, NULL},
    {"kp", read_kp, 0, false, NULL},
    {"kd", read_kd, 0, false, NULL},
    FIELD(td_controller_spec, from, "from", read_not_negative),
    FIELD(td_controller_spec, until, "until", read_positive),
    {"reference", read_reference, 0, true, NULL},
};

static td_status read_controller(reader *r, const json_t *value, void *out) {
  return read_object(r, value, controller_fields, COUNT_OF(controller_fields), out);
}

td_status read_run_controllers(reader *r, const json_t *value, void *out) {
  static const td_controller_spec none = {0};
  td_dynamics_spec *spec = out;
  void *list = NULL;
  spec->controller_list = json_is_array(value);
  if (spec->controller_list) {
    td_status status =
        read_list(r, value, TD_MAX_CONTROLLERS, sizeof none, &none, read_controller, &list, &spec->controller_count);
    spec->controllers = list;
    return status;
  }
  td_controller_spec *one = arena_array(r->memory, 1, sizeof *one);
  if (!one) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *one = none;
  spec->controllers = one;
  spec->controller_count = 1;
  return read_controller(r, value, one);
}
