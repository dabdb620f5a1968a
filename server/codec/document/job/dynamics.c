// Jobs of kind dynamics: a simulation over time and what is kept of it.
#include "codec/document/job/parts.h"
#include "tendril/gradient.h"

#include <string.h>

static td_status read_run_fields(reader *r, const json_t *value, void *out) {
  td_dynamics_spec *spec = out;
  return read_fields(r, value, &spec->fields, &spec->field_count);
}

static td_status read_output(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_dynamics_spec, output_dt, "dt", read_number),
                                 {"fields", read_run_fields, 0, false, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static const char *inconsistency_word(int i) { return i == 0 ? "warn" : "fail"; }

static td_status read_on_inconsistency(reader *r, const json_t *value, void *out) {
  int word = 0;
  td_status status = read_word(r, value, inconsistency_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static const field dynamics_fields[] = {
    COMMON_FIELDS,
    REQUIRED_FIELD(job_document, dynamics.t_end, "t_end", read_positive),
    FIELD(job_document, dynamics, "initial", read_run_initial),
    FIELD(job_document, dynamics, "inputs", read_run_inputs),
    FIELD(job_document, dynamics.integrator, "integrator", read_integrator),
    FIELD(job_document, dynamics, "output", read_output),
    FIELD(job_document, dynamics, "controller", read_run_controllers),
    FIELD(job_document, dynamics.fail_on_inconsistency, "on_inconsistency", read_on_inconsistency),
    FIELD(job_document, sensitivity, "sensitivity", read_job_sensitivity),
};

static td_status read_dynamics(reader *r, const json_t *doc, job_document *job) {
  static const char *const default_fields[] = {"q", "qd"};
  job->dynamics.fields = default_fields;
  job->dynamics.field_count = COUNT_OF(default_fields);
  td_integrator_defaults(&job->dynamics.integrator);
  td_status status = read_object(r, doc, dynamics_fields, COUNT_OF(dynamics_fields), job);
  if (!json_object_get(json_object_get(doc, "output"), "dt")) job->dynamics.output_dt = job->dynamics.t_end / 100;
  return status;
}

static bool asks_for_model(const parameter_list *list) {
  static const char of_model[] = "/model";
  for (size_t i = 0; i < list->count; i++)
    if (strncmp(list->place[i].path, of_model, sizeof of_model - 1) == 0) return true;
  return false;
}

td_status codec_check_derivatives_of_run(const job_document *job, const td_model *model, td_error *err) {
  td_status status = td_gradient_check(model, &job->dynamics, &(td_variables){.count = 0}, err);
  bool asks = status == TD_OK && asks_for_model(&job->sensitivity.parameters);
  return asks ? td_law_numbers_check_model(&job->dynamics, err) : status;
}

static td_status check_derivatives(const job_document *job, const td_model *model, bool sound, td_error *err) {
  if (codec_job_sensitivity_members(job, model, 0, NULL, 0, NULL, err) < 0) return err->status;
  return sound ? codec_check_derivatives_of_run(job, model, err) : TD_OK;
}

static td_status check_dynamics(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                                td_errors *all, td_error *err) {
  *rows = 1;
  td_status first = td_dynamics_check(model, &job->dynamics, warnings, err);
  if (first && all) td_dynamics_errors(model, &job->dynamics, all);
  if (!check_goes_on(all, first, err) || !job->sensitivity.given) return first;
  if (first && !*job->sensitivity.at) return first; // its fields are a gradient's, among those of the output
  td_status status = check_derivatives(job, model, first == TD_OK, err);
  (void)check_goes_on(all, status, err);
  return first ? first : status;
}

const job_kind_row job_dynamics = {"dynamics", read_dynamics, check_dynamics};
