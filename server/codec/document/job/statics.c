// Jobs of kind statics: equilibria for constant inputs, along lists of them, or along a path.
#include "codec/document/job/parts.h"
#include "codec/document/job/signal.h"

enum { MAX_PROBLEMS = 1 << 20, PATH_STEPS = 100 };

static td_status read_input(reader *r, const json_t *value, void *out) {
  td_input_spec *input = out;
  if (json_is_array(value)) return read_numbers(r, value, MAX_PROBLEMS, &input->list, &input->list_count);
  td_status status = read_signal(r, value, &input->signal);
  if (status == TD_OK && input->signal.type != TD_SIGNAL_CONSTANT)
    return fail_here(
        r, TD_INVALID_ARGUMENT,
        "an input of a statics job is a number, a constant or a list of numbers: nothing moves in it. The equilibrium "
        "of joints that turn is what runs start at from \"equilibrium\", and what linearize finds");
  return status;
}

static td_status read_statics_inputs(reader *r, const json_t *value, void *out) {
  td_statics_spec *spec = out;
  return read_inputs(r, value, read_input, &spec->inputs, &spec->input_count);
}

static td_status read_statics_initial(reader *r, const json_t *value, void *out) {
  td_statics_spec *spec = out;
  initial_values v;
  td_status status = read_initial(r, value, false, &v);
  if (status == TD_OK && v.kind == TD_INITIAL_EQUILIBRIUM)
    return fail_key(r, "q", TD_INVALID_ARGUMENT, "the first guess of a statics job is \"zero\" or an array");
  spec->initial = v.kind;
  spec->q = v.q;
  spec->q_count = v.q_count;
  return status;
}

static const char *unconverged_word(int i) { return i == 0 ? "fail" : "keep"; }

td_status read_unconverged(reader *r, const json_t *value, void *out) {
  int word = 0;
  td_status status = read_word(r, value, unconverged_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static const char *follow_word(int i) { return i == 0 ? "arc_length" : NULL; }

// The only way so far; the word says which, so that others can stand beside it.
static td_status read_follow(reader *r, const json_t *value, void *out) {
  (void)out;
  int word = 0;
  return read_word(r, value, follow_word, 1, &word);
}

static td_status read_steps(reader *r, const json_t *value, void *out) {
  td_status status = read_integer(r, value, out);
  int steps = *(int *)out;
  if (status == TD_OK && (steps < 1 || steps >= TD_MAX_STATICS))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be 1 to %d, is %d", TD_MAX_STATICS - 1, steps);
  return status;
}

static td_status read_to(reader *r, const json_t *value, void *out) {
  td_continuation_spec *c = out;
  c->bounded = true;
  return read_number(r, value, &c->to);
}

static td_status read_continuation(reader *r, const json_t *value, void *out) {
  static const field fields[] = {
      REQUIRED_FIELD(td_continuation_spec, channel, "channel", read_name),
      FIELD(td_continuation_spec, steps, "steps", read_steps),
      {"follow", read_follow, 0, false, NULL},
      {"to", read_to, 0, false, NULL},
      FIELD(td_continuation_spec, ds, "ds", read_positive),
  };
  *(td_continuation_spec *)out = (td_continuation_spec){.steps = PATH_STEPS, .ds = TD_CONTINUATION_DS};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_statics_fields(reader *r, const json_t *value, void *out) {
  td_statics_spec *spec = out;
  return read_fields(r, value, &spec->fields, &spec->field_count);
}

static td_status read_output(reader *r, const json_t *value, void *out) {
  static const field fields[] = {{"fields", read_statics_fields, 0, false, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static const field statics_fields[] = {
    COMMON_FIELDS,
    FIELD(job_document, statics, "initial", read_statics_initial),
    FIELD(job_document, statics, "inputs", read_statics_inputs),
    FIELD(job_document, keep_unconverged, "unconverged", read_unconverged),
    FIELD(job_document, statics, "output", read_output),
    FIELD(job_document, statics.continuation, "continuation", read_continuation),
    FIELD(job_document, sensitivity, "sensitivity", read_job_sensitivity),
};

static td_status read_statics(reader *r, const json_t *doc, job_document *job) {
  td_statics_defaults(&job->statics.options);
  return read_object(r, doc, statics_fields, COUNT_OF(statics_fields), job);
}

static td_status check_statics(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                               td_errors *all, td_error *err) {
  td_status first = td_statics_check(model, &job->statics, rows, warnings, err), status = TD_OK;
  if (first && all) td_statics_errors(model, &job->statics, all);
  if (!check_goes_on(all, first, err) || !job->sensitivity.given) return first;
  if (first && !*job->sensitivity.at) return first; // its fields are a gradient's, among those of the output
  if (codec_job_sensitivity_members(job, model, 0, NULL, 0, NULL, err) < 0) status = err->status;
  (void)check_goes_on(all, status, err);
  return first ? first : status;
}

const job_kind_row job_statics = {"statics", read_statics, check_statics};
