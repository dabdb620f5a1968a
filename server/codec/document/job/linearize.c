// Jobs of kind linearize: A and B of x' = A x + B u at an equilibrium, at given states, or at times of a run.
#include "codec/document/job/parts.h"

#include <string.h>

enum { MAX_TIMES = 1 << 20 };

static td_status read_q(reader *r, const json_t *value, void *out) {
  td_linearize_spec *spec = out;
  return read_numbers(r, value, TD_MAX_NDOF, &spec->q, &spec->q_count);
}

static td_status read_qd(reader *r, const json_t *value, void *out) {
  td_linearize_spec *spec = out;
  return read_numbers(r, value, TD_MAX_NDOF, &spec->qd, &spec->qd_count);
}

static td_status read_times(reader *r, const json_t *value, void *out) {
  td_linearize_spec *spec = out;
  td_status status = read_numbers(r, value, MAX_TIMES, &spec->times, &spec->time_count);
  if (status == TD_OK && spec->time_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one time");
  return status;
}

static td_status read_at(reader *r, const json_t *value, void *out) {
  static const field state_fields[] = {{"q", read_q, 0, true, NULL}, {"qd", read_qd, 0, false, NULL}};
  static const field time_fields[] = {{"times", read_times, 0, true, NULL}};
  td_linearize_spec *spec = out;
  spec->at = TD_AT_EQUILIBRIUM;
  if (json_is_string(value) && strcmp(json_string_value(value), "equilibrium") == 0) return TD_OK;
  if (!json_is_object(value)) return fail_type(r, "\"equilibrium\", {q, qd} or {times}", value);
  bool times = json_object_get(value, "times") != NULL;
  spec->at = times ? TD_AT_TIMES : TD_AT_STATE;
  return times ? read_object(r, value, time_fields, COUNT_OF(time_fields), spec)
               : read_object(r, value, state_fields, COUNT_OF(state_fields), spec);
}

static const field linearize_fields[] = {
    COMMON_FIELDS,
    REQUIRED_FIELD(job_document, linearize, "at", read_at),
    FIELD(job_document, linearize.run, "initial", read_run_initial),
    FIELD(job_document, linearize.run, "inputs", read_run_inputs),
    FIELD(job_document, linearize.run.integrator, "integrator", read_integrator),
    FIELD(job_document, sensitivity, "sensitivity", read_linearize_sensitivity),
};

static td_status read_linearize(reader *r, const json_t *doc, job_document *job) {
  td_integrator_defaults(&job->linearize.run.integrator);
  return read_object(r, doc, linearize_fields, COUNT_OF(linearize_fields), job);
}

// `initial` belongs to the run whose times are asked for; an equilibrium is looked for from q = 0.
static void remark_initial(const td_linearize_spec *spec, td_warnings *warnings) {
  bool given = spec->run.initial == TD_INITIAL_ARRAY || spec->run.qd_count > 0;
  if (!given || spec->at == TD_AT_TIMES) return;
  td_warn(warnings, "unused_option", spec->run.initial == TD_INITIAL_ARRAY ? "/initial/q" : "/initial/qd",
          spec->at == TD_AT_STATE
              ? "the initial state belongs to runs: \"at\" says the state of this job"
              : "the initial state belongs to runs: an equilibrium is looked for from q = 0, whatever "
                "is given here. For another state give \"at\": {\"q\": […]}");
}

static td_status check_linearize(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                                 td_errors *all, td_error *err) {
  (void)all; // its first error
  *rows = td_linearize_count(model, &job->linearize, err);
  if (*rows > 0) remark_initial(&job->linearize, warnings);
  if (*rows == 0) return err->status != TD_OK ? err->status : TD_INVALID_ARGUMENT;
  if (!job->sensitivity.given) return TD_OK;
  if (codec_job_sensitivity_members(job, model, 0, NULL, 0, NULL, err) < 0) return err->status;
  if (job->linearize.at != TD_AT_TIMES) return TD_OK;
  return td_gradient_check(model, &job->linearize.run, &(td_variables){.count = 0}, err);
}

const job_kind_row job_linearize = {"linearize", read_linearize, check_linearize};
