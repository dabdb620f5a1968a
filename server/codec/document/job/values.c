// Values that several kinds of jobs have: numbers with a sign, initial states, inputs by channel.
#include "codec/document/job/parts.h"

#include <math.h>

td_status read_positive(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (status == TD_OK && !(x > 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must be positive, is %.15g", x);
  return status;
}

td_status read_not_negative(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (status == TD_OK && !(x >= 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must not be negative, is %.15g", x);
  return status;
}

// ------------------------------------------------------------------------------------------------ initial state

static const char *initial_word(int i) { return i == 0 ? "zero" : "equilibrium"; }

static td_status read_initial_q(reader *r, const json_t *value, void *out) {
  initial_values *v = out;
  if (json_is_array(value)) {
    v->kind = TD_INITIAL_ARRAY;
    return read_numbers(r, value, TD_MAX_NDOF, &v->q, &v->q_count);
  }
  if (!json_is_string(value)) return fail_type(r, "an array of numbers, \"zero\" or \"equilibrium\"", value);
  int word;
  td_status status = read_word(r, value, initial_word, 2, &word);
  v->kind = word == 0 ? TD_INITIAL_ZERO : TD_INITIAL_EQUILIBRIUM;
  return status;
}

static td_status read_initial_qd(reader *r, const json_t *value, void *out) {
  initial_values *v = out;
  return read_numbers(r, value, TD_MAX_NDOF, &v->qd, &v->qd_count);
}

td_status read_initial(reader *r, const json_t *value, bool with_qd, initial_values *values) {
  static const field fields[] = {{"q", read_initial_q, 0, false, NULL}, {"qd", read_initial_qd, 0, false, NULL}};
  *values = (initial_values){.kind = TD_INITIAL_ZERO};
  return read_object(r, value, fields, with_qd ? 2 : 1, values);
}

// ------------------------------------------------------------------------------------------------ inputs

td_status read_inputs(reader *r, const json_t *value, field_reader read, const td_input_spec **inputs, size_t *count) {
  if (!json_is_object(value)) return fail_type(r, "an object of signals by channel", value);
  size_t n = json_object_size(value);
  if (n > TD_MAX_CHANNELS) return fail_here(r, TD_INVALID_ARGUMENT, "%zu inputs are more than %d", n, TD_MAX_CHANNELS);
  td_input_spec *list = arena_array(r->memory, n, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *inputs = list;
  const reader_mark here = reader_here(r);
  td_status first = TD_OK;
  const char *channel;
  json_t *signal;
  json_object_foreach((json_t *)value, channel, signal) {
    size_t mark = codec_pointer_key(&r->at, channel);
    list[*count].channel = channel;
    td_status status = read(r, signal, &list[(*count)++]);
    codec_pointer_pop(&r->at, mark);
    if (!first) first = status;
    if (!reader_goes_on(r, &here, status)) break;
  }
  return first;
}

td_status read_fields(reader *r, const json_t *value, const char *const **fields, size_t *count) {
  enum { MAX_FIELDS = 256 };
  static const char *const none = NULL;
  void *list = NULL;
  td_status status = read_list(r, value, MAX_FIELDS, sizeof none, &none, read_text, &list, count);
  *fields = list;
  return status;
}
