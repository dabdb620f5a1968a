// The job document: its kind, and the keys that every kind has.
//
// Method: tables of fields (codec/json/field.h), one file and one row of `kinds` per kind. Words of api.md that later versions will
// understand are TD_UNSUPPORTED, not unknown.
#include "codec/document/job/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABEL_VALUE = 255 };

static const job_kind_row *const kinds[JOB_KIND_COUNT] = {
    [JOB_DYNAMICS] = &job_dynamics,
    [JOB_STATICS] = &job_statics,
    [JOB_LINEARIZE] = &job_linearize,
    [JOB_SWEEP] = &job_sweep,
};

static const char *kind_word(int i) { return kinds[i]->name; }
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

td_status read_job_model(reader *r, const json_t *value, void *out) {
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

// ------------------------------------------------------------------------------------------------ common keys

td_status read_job_labels(reader *r, const json_t *value, void *out) {
  if (!json_is_object(value)) return fail_type(r, "an object of strings", value);
  if (json_object_size(value) > JOB_MAX_LABELS)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu labels are more than %d", json_object_size(value), JOB_MAX_LABELS);
  const char *key;
  json_t *label;
  json_object_foreach((json_t *)value, key, label) {
    size_t mark = codec_pointer_key(&r->at, key), length = strlen(key);
    if (length == 0 || length > TD_MAX_NAME)
      return fail_here(r, TD_INVALID_ARGUMENT, "a label's key has 1 to %d bytes, this one %zu", TD_MAX_NAME, length);
    if (strchr(key, ':')) // label=KEY:VALUE finds jobs
      return fail_here(r, TD_INVALID_ARGUMENT, "a label's key has no colon, this one is \"%.80s\"", key);
    if (!json_is_string(label)) return fail_type(r, "a string", label);
    if (json_string_length(label) > MAX_LABEL_VALUE)
      return fail_here(r, TD_INVALID_ARGUMENT, "a label's value has at most %d bytes, this one %zu", MAX_LABEL_VALUE,
                       json_string_length(label));
    codec_pointer_pop(&r->at, mark);
  }
  *(const json_t **)out = value;
  return TD_OK;
}

td_status read_job_priority(reader *r, const json_t *value, void *out) {
  td_status status = read_integer(r, value, out);
  int priority = *(int *)out;
  if (status == TD_OK && (priority < JOB_MIN_PRIORITY || priority > JOB_MAX_PRIORITY))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be between %d and %d, is %d", JOB_MIN_PRIORITY, JOB_MAX_PRIORITY,
                     priority);
  return status;
}

// ------------------------------------------------------------------------------------------------ the document

td_status read_job(reader *r, const json_t *doc, job_document *job) {
  int word;
  memset(job, 0, sizeof *job);
  td_status status = read_key_word(r, doc, "kind", kind_word, JOB_KIND_COUNT, &word);
  if (status != TD_OK) return status;
  job->kind = (job_kind)word;
  job->model_at = "/model";
  return kinds[word]->read(r, doc, job);
}

td_status codec_job_read_local(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, prefix);
  return read_job(&r, doc, job);
}

td_status codec_job_read(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  td_status status = codec_job_read_local(doc, prefix, a, job, err);
  if (status != TD_OK || job->model || job->model_name) return status;
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, prefix);
  return fail_key(&r, "model", TD_INVALID_ARGUMENT, "required key \"model\" is missing");
}

td_status codec_job_check(const job_document *job, const td_model *model, const char *prefix, size_t *rows,
                          td_warnings *warnings, td_error *err) {
  td_error own = {0};
  td_error *e = err ? err : &own;
  td_warnings found = {0};
  size_t count = 1;
  td_status status = kinds[job->kind]->check(job, model, &count, &found, e);
  if (status != TD_OK) codec_error_prefix(e, prefix);
  td_warnings_append(warnings, job->model_at, td_model_warnings(model));
  td_warnings_append(warnings, prefix, &found);
  if (rows) *rows = count;
  return status;
}
