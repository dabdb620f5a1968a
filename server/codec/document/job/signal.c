// Input signals of a job document: a number, or one of the types of td_signal_type with its own table of keys.
//
// Invariants: t and value of steps, ramp and table have the same length; nesting of sums and products is at most
// TD_MAX_SIGNAL_DEPTH, which bounds the recursion.
#include "codec/document/job/signal.h"
#include "codec/json/place.h"

#include <string.h>

static const char *type_word(int i) { return td_signal_type_name((td_signal_type)i); }
static const char *interpolation_word(int i) { return i == 0 ? "linear" : "spline"; }

typedef struct knots {
  td_signal_spec spec; // first: offsets of the tables below are its own, too
  size_t t_count;
} knots;

static td_status read_t(reader *r, const json_t *value, void *out) {
  knots *k = out;
  return read_numbers(r, value, TD_MAX_SIGNAL_KNOTS, &k->spec.t, &k->t_count);
}

static td_status read_value(reader *r, const json_t *value, void *out) {
  knots *k = out;
  td_status status = read_numbers(r, value, TD_MAX_SIGNAL_KNOTS, &k->spec.value, &k->spec.count);
  if (status == TD_OK && k->spec.count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  return status;
}

static td_status read_interpolation(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, interpolation_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static td_status read_of(reader *r, const json_t *value, void *out) {
  td_signal_spec *signal = out;
  if (++r->depth > TD_MAX_SIGNAL_DEPTH)
    return fail_here(r, TD_INVALID_ARGUMENT, "signals nested deeper than %d levels", TD_MAX_SIGNAL_DEPTH);
  static const td_signal_spec none = {0};
  void *list = NULL;
  td_status status =
      read_list(r, value, TD_MAX_SIGNAL_TERMS, sizeof none, &none, read_signal, &list, &signal->of_count);
  signal->of = list;
  r->depth--;
  if (status == TD_OK && signal->of_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  return status;
}

static const field constant_fields[] = {SKIPPED_FIELD("type"),
                                        REQUIRED_FIELD(knots, spec.offset, "value", read_number)};
static const field sine_fields[] = {SKIPPED_FIELD("type"), FIELD(knots, spec.offset, "offset", read_number),
                                    REQUIRED_FIELD(knots, spec.amplitude, "amplitude", read_number),
                                    REQUIRED_FIELD(knots, spec.frequency, "frequency", read_number),
                                    FIELD(knots, spec.phase, "phase", read_number)};
static const field knot_fields[] = {
    SKIPPED_FIELD("type"), {"t", read_t, 0, true, NULL}, {"value", read_value, 0, true, NULL}};
static const field polynomial_fields[] = {SKIPPED_FIELD("type"), {"coefficients", read_value, 0, true, NULL}};
static const field table_fields[] = {SKIPPED_FIELD("type"),
                                     {"t", read_t, 0, true, NULL},
                                     {"value", read_value, 0, true, NULL},
                                     FIELD(knots, spec.spline, "interpolation", read_interpolation)};
static const field nested_fields[] = {SKIPPED_FIELD("type"), {"of", read_of, 0, true, NULL}};

#define ROW(table)                                                                                                     \
  { table, COUNT_OF(table) }
static const struct {
  const field *fields;
  size_t count;
} types[TD_SIGNAL_TYPE_COUNT] = {
    [TD_SIGNAL_CONSTANT] = ROW(constant_fields),
    [TD_SIGNAL_SINE] = ROW(sine_fields),
    [TD_SIGNAL_STEPS] = ROW(knot_fields),
    [TD_SIGNAL_RAMP] = ROW(knot_fields),
    [TD_SIGNAL_POLYNOMIAL] = ROW(polynomial_fields),
    [TD_SIGNAL_TABLE] = ROW(table_fields),
    [TD_SIGNAL_SUM] = ROW(nested_fields),
    [TD_SIGNAL_PRODUCT] = ROW(nested_fields),
};

static td_status check_lengths(reader *r, const knots *k) {
  td_signal_type type = k->spec.type;
  if (type != TD_SIGNAL_STEPS && type != TD_SIGNAL_RAMP && type != TD_SIGNAL_TABLE) return TD_OK;
  if (type == TD_SIGNAL_RAMP && k->t_count != 2)
    return fail_key(r, "t", TD_INVALID_ARGUMENT, "a ramp has 2 times, got %zu", k->t_count);
  if (k->spec.count != k->t_count)
    return fail_key(r, "value", TD_INVALID_ARGUMENT, "has %zu entries, t has %zu", k->spec.count, k->t_count);
  return TD_OK;
}

td_status read_signal(reader *r, const json_t *value, void *out) {
  td_signal_spec *signal = out;
  if (json_is_number(value)) {
    *signal = (td_signal_spec){.type = TD_SIGNAL_CONSTANT, .offset = json_number_value(value)};
    return TD_OK;
  }
  if (json_is_array(value))
    return fail_here(r, TD_INVALID_ARGUMENT,
                     "expected a number or a signal object, got an array of %zu; values over time are {\"type\": "
                     "\"table\", \"t\": [0, 1], \"value\": [0, 2]}",
                     json_array_size(value));
  if (!json_is_object(value)) return fail_type(r, "a number or a signal object", value);
  int word;
  td_status status = read_key_word(r, value, "type", type_word, TD_SIGNAL_TYPE_COUNT, &word);
  if (status != TD_OK) return status;
  knots k = {.spec.type = (td_signal_type)word};
  status = read_object(r, value, types[word].fields, types[word].count, &k);
  if (status == TD_OK) status = check_lengths(r, &k);
  *signal = k.spec;
  return status;
}

// ------------------------------------------------------------------------------------------------ places of numbers

static const field *field_of(const td_signal_spec *signal, const char *key) {
  const field *f = types[signal->type].fields;
  for (size_t i = 0; i < types[signal->type].count; i++)
    if (strcmp(f[i].key, key) == 0) return &f[i];
  return NULL;
}

const double *signal_number(const td_signal_spec *signal, const char *rest) {
  char token[JSON_TOKEN_SIZE];
  size_t i;
  for (; *rest; signal = &signal->of[i]) {
    rest = json_place_token(rest, token);
    const field *f = rest ? field_of(signal, token) : NULL;
    if (!f || !f->read) return NULL;
    if (f->read == read_number) return *rest ? NULL : (const double *)((const char *)signal + f->offset);
    rest = json_place_token(rest, token);
    if (!rest || !json_place_index(token, &i)) return NULL;
    if (f->read == read_of && i < signal->of_count) continue;
    bool value = f->read == read_value, time = f->read == read_t;
    if (*rest || i >= signal->count || !(value || time)) return NULL;
    return value ? &signal->value[i] : &signal->t[i];
  }
  return signal->type == TD_SIGNAL_CONSTANT ? &signal->offset : NULL;
}
