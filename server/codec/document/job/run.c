// What a simulation over time is made of: inputs, initial state, integrator. Jobs of kind dynamics and linearisations
// along a run read them into the same td_dynamics_spec.
#include "codec/document/job/parts.h"
#include "codec/document/job/signal.h"
#include <assert.h>
#include <string.h>

static td_status read_input(reader *r, const json_t *value, void *out) {
  td_input_spec *input = out;
  return read_signal(r, value, &input->signal);
}

td_status read_run_inputs(reader *r, const json_t *value, void *out) {
  td_dynamics_spec *spec = out;
  return read_inputs(r, value, read_input, &spec->inputs, &spec->input_count);
}

td_status read_run_initial(reader *r, const json_t *value, void *out) {
  td_dynamics_spec *spec = out;
  initial_values v;
  td_status status = read_initial(r, value, true, &v);
  spec->initial = v.kind;
  spec->q = v.q;
  spec->q_count = v.q_count;
  spec->qd = v.qd;
  spec->qd_count = v.qd_count;
  return status;
}

// ------------------------------------------------------------------------------------------------ integrator

static const char *method_word(int i) { return td_method_name((td_method)i); }
static const char *derivatives_word(int i) { return i == 0 ? "analytic" : "finite_difference"; }
static const char *formulation_word(int i) { return td_formulation_name((td_formulation)i); }

static td_status read_method(reader *r, const json_t *value, void *out) {
  int word = 0;
  td_status status = read_word(r, value, method_word, TD_METHOD_COUNT, &word);
  *(td_method *)out = (td_method)word;
  return status;
}

static td_status read_derivatives(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, derivatives_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static td_status read_formulation(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, formulation_word, TD_FORMULATION_COUNT, &word);
  *(td_formulation *)out = (td_formulation)word;
  return status;
}

static const field integrator_words[] = {
    FIELD(td_integrator_spec, method, "method", read_method),
    FIELD(td_integrator_spec, adaptive, "adaptive", read_bool),
    FIELD(td_integrator_spec, formulation, "formulation", read_formulation),
    FIELD(td_integrator_spec, finite_difference, "derivatives", read_derivatives),
};

static field number_field(const td_integrator_number *number) {
  static const field_reader readers[] = {
      [TD_SIGN_ANY] = read_number, [TD_SIGN_NOT_NEGATIVE] = read_not_negative, [TD_SIGN_POSITIVE] = read_positive};
  return (field){number->key, readers[number->sign], number->offset, false, NULL};
}

// "rk4" in place of {"method": "rk4"}
static td_status fail_bare_method(reader *r, const json_t *value) {
  const char *word = json_string_value(value);
  for (int i = 0; i < TD_METHOD_COUNT; i++)
    if (strcmp(method_word(i), word) == 0)
      return fail_here(r, TD_INVALID_ARGUMENT, "expected an object, got \"%s\": did you mean {\"method\": \"%s\"}?",
                       word, word);
  return fail_type(r, "an object as {\"method\": \"radau\"}", value);
}

td_status read_integrator(reader *r, const json_t *value, void *out) {
  enum { MOST = 32 };
  td_integrator_spec *spec = out;
  if (json_is_string(value)) return fail_bare_method(r, value);
  size_t count = 0, words = COUNT_OF(integrator_words);
  const td_integrator_number *numbers = td_integrator_numbers(&count);
  field fields[MOST];
  assert(words + count <= MOST);
  memcpy(fields, integrator_words, sizeof integrator_words);
  for (size_t i = 0; i < count; i++) fields[words + i] = number_field(&numbers[i]);
  td_status status = read_object(r, value, fields, words + count, spec);
  spec->given =
      json_object_get(value, "adaptive") ? TD_OPTION_ADAPTIVE : 0; // the engine refuses options of other methods
  for (size_t i = 0; i < count; i++) spec->given |= json_object_get(value, numbers[i].key) ? numbers[i].option : 0;
  return status;
}
