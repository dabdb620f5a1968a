// The job document: kind, model reference, inputs, integrator and output, as the engine's run specs.
//
// Method: tables of fields (codec/field.h). A dynamics and a statics job share the keys of `common`; each kind adds its own.
// Words of api.md that later versions will understand are TD_UNSUPPORTED, not unknown.
#include "codec/job.h"

#include "codec/signal.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABEL_VALUE = 255, MAX_FIELDS = 256, MAX_PROBLEMS = 1 << 20 };

static const char *kind_word(int i) {
  static const char *const words[] = {"dynamics", "statics", "sweep", "linearize"};
  return words[i];
}
const char *job_kind_name(job_kind kind) { return (unsigned)kind < JOB_KIND_COUNT ? kind_word((int)kind) : NULL; }

job_kind job_kind_find(const char *name) {
  int i = 0;
  while (i < JOB_KIND_COUNT && strcmp(kind_word(i), name) != 0) i++;
  return (job_kind)i;
}

// ------------------------------------------------------------------------------------------------ names

bool codec_name_valid(const char *name) {
  size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
  return n > 0 && n <= TD_MAX_NAME && name[n] == '\0' && isalnum((unsigned char)name[0]);
}

bool codec_model_reference(const char *text, char name[64], int64_t *revision) {
  size_t n = strcspn(text, "@");
  if (n > TD_MAX_NAME) return false;
  memcpy(name, text, n);
  name[n] = '\0';
  *revision = 0;
  if (!codec_name_valid(name)) return false;
  if (text[n] == '\0') return true;
  const char *digits = text + n + 1;
  size_t count = strspn(digits, "0123456789");
  if (count == 0 || count > 9 || digits[count] != '\0') return false;
  *revision = strtoll(digits, NULL, 10);
  return *revision > 0;
}

static td_status read_model(reader *r, const json_t *value, void *out) {
  job_document *job = out;
  if (json_is_object(value)) return job->model = value, TD_OK;
  if (!json_is_string(value)) return fail_type(r, "a name, \"name@revision\" or a model document", value);
  char text[64], name[64], *copy;
  if (!codec_model_reference(json_string_value(value), name, &job->model_revision))
    return fail_here(r, TD_INVALID_ARGUMENT, "%s is no model name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}, @revision",
                     show(value, text));
  if (!(copy = arena_strdup(r->memory, name))) return fail_here(r, TD_NO_MEMORY, "out of memory");
  job->model_name = copy;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ inputs

static td_status read_input(reader *r, const json_t *value, void *out) {
  td_input_spec *input = out;
  return read_signal(r, value, &input->signal);
}

static td_status read_statics_input(reader *r, const json_t *value, void *out) {
  td_input_spec *input = out;
  if (json_is_array(value)) return read_numbers(r, value, MAX_PROBLEMS, &input->list, &input->list_count);
  td_status status = read_signal(r, value, &input->signal);
  if (status == TD_OK && input->signal.type != TD_SIGNAL_CONSTANT)
    return fail_here(r, TD_INVALID_ARGUMENT, "an input of a statics job is a number, a constant or a list of numbers");
  return status;
}

static td_status read_inputs(reader *r, const json_t *value, field_reader read, const td_input_spec **inputs,
                             size_t *count) {
  if (!json_is_object(value)) return fail_type(r, "an object of signals by channel", value);
  size_t n = json_object_size(value);
  if (n > TD_MAX_CHANNELS) return fail_here(r, TD_INVALID_ARGUMENT, "%zu inputs are more than %d", n, TD_MAX_CHANNELS);
  td_input_spec *list = arena_array(r->memory, n, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *inputs = list;
  const char *channel;
  json_t *signal;
  json_object_foreach((json_t *)value, channel, signal) {
    size_t mark = codec_pointer_key(&r->at, channel);
    list[*count].channel = channel;
    td_status status = read(r, signal, &list[(*count)++]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

static td_status read_dynamics_inputs(reader *r, const json_t *value, void *out) {
  job_document *job = out;
  return read_inputs(r, value, read_input, &job->dynamics.inputs, &job->dynamics.input_count);
}

static td_status read_statics_inputs(reader *r, const json_t *value, void *out) {
  job_document *job = out;
  return read_inputs(r, value, read_statics_input, &job->statics.inputs, &job->statics.input_count);
}

// ------------------------------------------------------------------------------------------------ initial

typedef struct initial_values {
  td_initial kind;
  const double *q, *qd;
  size_t q_count, qd_count;
} initial_values;

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

static const field initial_fields[] = {{"q", read_initial_q, 0, false, NULL}, {"qd", read_initial_qd, 0, false, NULL}};

static td_status read_dynamics_initial(reader *r, const json_t *value, void *out) {
  td_dynamics_spec *spec = &((job_document *)out)->dynamics;
  initial_values v = {0};
  td_status status = read_object(r, value, initial_fields, 2, &v);
  spec->initial = v.kind;
  spec->q = v.q;
  spec->q_count = v.q_count;
  spec->qd = v.qd;
  spec->qd_count = v.qd_count;
  return status;
}

static td_status read_statics_initial(reader *r, const json_t *value, void *out) {
  td_statics_spec *spec = &((job_document *)out)->statics;
  initial_values v = {0};
  td_status status = read_object(r, value, initial_fields, 1, &v);
  if (status == TD_OK && v.kind == TD_INITIAL_EQUILIBRIUM)
    return fail_key(r, "q", TD_INVALID_ARGUMENT, "the first guess of a statics job is \"zero\" or an array");
  spec->initial = v.kind;
  spec->q = v.q;
  spec->q_count = v.q_count;
  return status;
}

// ------------------------------------------------------------------------------------------------ signed numbers

static td_status read_positive(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (status == TD_OK && !(x > 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must be positive, is %.15g", x);
  return status;
}

static td_status read_not_negative(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (status == TD_OK && !(x >= 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must not be negative, is %.15g", x);
  return status;
}

// ------------------------------------------------------------------------------------------------ integrator

enum { LATER_METHODS = 3 };
static const char *method_word(int i) {
  static const char *const later[LATER_METHODS] = {"dae", "hht", "generalized_alpha"};
  return i < TD_METHOD_COUNT ? td_method_name((td_method)i) : later[i - TD_METHOD_COUNT];
}
static const char *derivatives_word(int i) { return i == 0 ? "analytic" : "finite_difference"; }
static const char *formulation_word(int i) { return i == 0 ? "index1" : "index3"; }

static td_status read_method(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, method_word, TD_METHOD_COUNT + LATER_METHODS, &word);
  if (status != TD_OK) return status;
  if (word >= TD_METHOD_COUNT)
    return fail_here(r, TD_UNSUPPORTED, "the method \"%s\" is not in this version", method_word(word));
  *(td_method *)out = (td_method)word;
  return TD_OK;
}

static td_status read_derivatives(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, derivatives_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

// Without loops the formulations of constraints coincide: the words are checked and change nothing.
static td_status read_formulation(reader *r, const json_t *value, void *out) {
  (void)out;
  int word;
  return read_word(r, value, formulation_word, 2, &word);
}

static td_status read_baumgarte(reader *r, const json_t *value, void *out) {
  (void)out;
  double x;
  return read_positive(r, value, &x);
}

static const char with_later_methods[] =
    "belongs to the methods hht and generalized_alpha, which are not in this version";

static const field integrator_fields[] = {
    FIELD(td_integrator_spec, method, "method", read_method),
    FIELD(td_integrator_spec, rtol, "rtol", read_positive),
    FIELD(td_integrator_spec, atol, "atol", read_positive),
    FIELD(td_integrator_spec, h, "h", read_not_negative),
    FIELD(td_integrator_spec, h_max, "h_max", read_not_negative),
    FIELD(td_integrator_spec, gamma, "gamma", read_number),
    FIELD(td_integrator_spec, beta, "beta", read_number),
    UNSUPPORTED_FIELD("alpha", with_later_methods),
    UNSUPPORTED_FIELD("rho_inf", with_later_methods),
    UNSUPPORTED_FIELD("adaptive", "choosing between fixed and adaptive steps is not in this version"),
    {"formulation", read_formulation, 0, false, NULL},
    {"baumgarte", read_baumgarte, 0, false, NULL},
    FIELD(td_integrator_spec, finite_difference, "derivatives", read_derivatives),
};

static td_status read_integrator(reader *r, const json_t *value, void *out) {
  return read_object(r, value, integrator_fields, COUNT_OF(integrator_fields), out);
}

// ------------------------------------------------------------------------------------------------ output

static td_status read_fields(reader *r, const json_t *value, void *out) {
  td_dynamics_spec *spec = out;
  static const char *const none = NULL;
  void *list = NULL;
  td_status status = read_list(r, value, MAX_FIELDS, sizeof none, &none, read_text, &list, &spec->field_count);
  spec->fields = list;
  return status;
}

static td_status read_output(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_dynamics_spec, output_dt, "dt", read_number),
                                 {"fields", read_fields, 0, false, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

// ------------------------------------------------------------------------------------------------ the rest

static td_status read_labels(reader *r, const json_t *value, void *out) {
  if (!json_is_object(value)) return fail_type(r, "an object of strings", value);
  if (json_object_size(value) > JOB_MAX_LABELS)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu labels are more than %d", json_object_size(value), JOB_MAX_LABELS);
  const char *key;
  json_t *label;
  json_object_foreach((json_t *)value, key, label) {
    size_t mark = codec_pointer_key(&r->at, key), length = strlen(key);
    if (length == 0 || length > TD_MAX_NAME)
      return fail_here(r, TD_INVALID_ARGUMENT, "a label's key has 1 to %d bytes, this one %zu", TD_MAX_NAME, length);
    if (!json_is_string(label)) return fail_type(r, "a string", label);
    if (json_string_length(label) > MAX_LABEL_VALUE)
      return fail_here(r, TD_INVALID_ARGUMENT, "a label's value has at most %d bytes, this one %zu", MAX_LABEL_VALUE,
                       json_string_length(label));
    codec_pointer_pop(&r->at, mark);
  }
  *(const json_t **)out = value;
  return TD_OK;
}

static td_status read_priority(reader *r, const json_t *value, void *out) {
  td_status status = read_integer(r, value, out);
  int priority = *(int *)out;
  if (status == TD_OK && (priority < JOB_MIN_PRIORITY || priority > JOB_MAX_PRIORITY))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be between %d and %d, is %d", JOB_MIN_PRIORITY, JOB_MAX_PRIORITY,
                     priority);
  return status;
}

#define COMMON_FIELDS                                                                                                  \
  SKIPPED_FIELD("kind"), {"model", read_model, 0, false, NULL}, FIELD(job_document, labels, "labels", read_labels),    \
      FIELD(job_document, priority, "priority", read_priority),                                                        \
      FIELD(job_document, max_wall_s, "max_wall_s", read_positive)

static const field dynamics_fields[] = {
    COMMON_FIELDS,
    REQUIRED_FIELD(job_document, dynamics.t_end, "t_end", read_positive),
    {"initial", read_dynamics_initial, 0, false, NULL},
    {"inputs", read_dynamics_inputs, 0, false, NULL},
    FIELD(job_document, dynamics.integrator, "integrator", read_integrator),
    FIELD(job_document, dynamics, "output", read_output),
    UNSUPPORTED_FIELD("controller", "controllers are not in this version"),
};
static const field statics_fields[] = {
    COMMON_FIELDS,
    {"initial", read_statics_initial, 0, false, NULL},
    {"inputs", read_statics_inputs, 0, false, NULL},
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

static td_status read_job(reader *r, const json_t *doc, job_document *job) {
  int word;
  td_status status = read_key_word(r, doc, "kind", kind_word, 4, &word);
  if (status != TD_OK) return status;
  if (word >= JOB_KIND_COUNT)
    return fail_key(r, "kind", TD_UNSUPPORTED, "jobs of kind \"%s\" are not in this version", kind_word(word));
  job->kind = (job_kind)word;
  if (job->kind == JOB_DYNAMICS) return read_dynamics(r, doc, job);
  td_statics_defaults(&job->statics.options);
  return read_object(r, doc, statics_fields, COUNT_OF(statics_fields), job);
}

td_status codec_job_read_local(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, prefix);
  memset(job, 0, sizeof *job);
  return read_job(&r, doc, job);
}

td_status codec_job_read(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  td_status status = codec_job_read_local(doc, prefix, a, job, err);
  if (status != TD_OK || job->model || job->model_name) return status;
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, prefix);
  return fail_key(&r, "model", TD_INVALID_ARGUMENT, "required key \"model\" is missing");
}

td_status codec_job_check(const job_document *job, const td_model *model, const char *prefix, size_t *problems,
                          td_error *err) {
  td_error own = {0};
  td_error *e = err ? err : &own;
  size_t count = 1;
  td_status status = TD_OK;
  if (job->kind == JOB_DYNAMICS) {
    status = td_dynamics_check(model, &job->dynamics, e);
  } else {
    count = td_statics_count(model, &job->statics, e);
    if (count == 0) status = e->status != TD_OK ? e->status : TD_INVALID_ARGUMENT;
  }
  if (status != TD_OK) codec_error_prefix(e, prefix);
  if (problems) *problems = count;
  return status;
}
