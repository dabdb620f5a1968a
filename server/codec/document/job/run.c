// What a simulation over time is made of: inputs, initial state, integrator. Jobs of kind dynamics and linearisations along
// a run read them into the same td_dynamics_spec.
#include "codec/document/job/parts.h"
#include "codec/document/job/signal.h"

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

static const field integrator_fields[] = {
    FIELD(td_integrator_spec, method, "method", read_method),
    FIELD(td_integrator_spec, rtol, "rtol", read_positive),
    FIELD(td_integrator_spec, atol, "atol", read_positive),
    FIELD(td_integrator_spec, h, "h", read_not_negative),
    FIELD(td_integrator_spec, h_max, "h_max", read_not_negative),
    FIELD(td_integrator_spec, gamma, "gamma", read_number),
    FIELD(td_integrator_spec, beta, "beta", read_number),
    FIELD(td_integrator_spec, alpha, "alpha", read_number),
    FIELD(td_integrator_spec, rho_inf, "rho_inf", read_number),
    FIELD(td_integrator_spec, adaptive, "adaptive", read_bool),
    FIELD(td_integrator_spec, formulation, "formulation", read_formulation),
    FIELD(td_integrator_spec, baumgarte, "baumgarte", read_positive),
    FIELD(td_integrator_spec, cutoff, "cutoff", read_positive),
    FIELD(td_integrator_spec, max_steps, "max_steps", read_positive),
    FIELD(td_integrator_spec, finite_difference, "derivatives", read_derivatives),
};

// Which of them were given: the engine refuses options of another method.
static unsigned options_given(const json_t *value) {
  static const struct {
    const char *key;
    unsigned option;
  } rows[] = {{"rtol", TD_OPTION_RTOL},       {"atol", TD_OPTION_ATOL},          {"h_max", TD_OPTION_H_MAX},
              {"gamma", TD_OPTION_GAMMA},     {"beta", TD_OPTION_BETA},          {"alpha", TD_OPTION_ALPHA},
              {"rho_inf", TD_OPTION_RHO_INF}, {"adaptive", TD_OPTION_ADAPTIVE},  {"baumgarte", TD_OPTION_BAUMGARTE},
              {"cutoff", TD_OPTION_CUTOFF},   {"max_steps", TD_OPTION_MAX_STEPS}};
  unsigned given = 0;
  for (size_t i = 0; i < COUNT_OF(rows); i++) given |= json_object_get(value, rows[i].key) ? rows[i].option : 0;
  return given;
}

td_status read_integrator(reader *r, const json_t *value, void *out) {
  td_integrator_spec *spec = out;
  td_status status = read_object(r, value, integrator_fields, COUNT_OF(integrator_fields), spec);
  spec->given = options_given(value);
  return status;
}
