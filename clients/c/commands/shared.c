// Small things that several commands need: names in paths, members of JSON replies.
#include "base/say.h"
#include "commands/command.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool name_check(const char *what, const char *text) {
  size_t length = strlen(text);
  bool good = length > 0 && length <= 128 && isalnum((unsigned char)text[0]);
  for (size_t i = 0; good && i < length; ++i) good = isalnum((unsigned char)text[i]) || strchr("_.-@", text[i]);
  if (!good) say_error("'%s' is not %s: letters, digits and _ . - only, the first a letter or digit", text, what);
  return good;
}

char *model_path(const char *name) {
  const char *at = strchr(name, '@');
  if (!at) return must_format("/v1/models/%s", name);
  return must_format("/v1/models/%.*s/revisions/%s", (int)(at - name), name, at + 1);
}

void json_print(const json_t *value) {
  json_dumpf(value, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  putchar('\n');
}

const char *text_of(const json_t *object, const char *key, const char *otherwise) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : otherwise;
}

double number_of(const json_t *object, const char *key, double otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

const char *job_id(const json_t *job) {
  const char *id = text_of(job, "id", NULL);
  if (!id) say_error("the server's reply names no job");
  return id;
}

const char *job_model(const json_t *job, char *out, size_t size) {
  const json_t *model = json_object_get(job, "model");
  const char *name = text_of(model, "name", json_is_string(model) ? json_string_value(model) : "(inline)");
  double revision = number_of(model, "revision", 0);
  if (revision > 0)
    snprintf(out, size, "%s@%.0f", name, revision);
  else
    snprintf(out, size, "%s", name);
  return out;
}
