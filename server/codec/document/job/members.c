// Names, and the keys that every kind of job has.
#include "codec/document/job/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABEL_VALUE = 255 };

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
    return fail_here(r, TD_INVALID_ARGUMENT, "%s is not a model name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}, @revision",
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
