// Robots for tests, through the same codec as the server's.
#include "support/model_file.h"

#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void give_up(const char *where, const td_error *err) {
  fprintf(stderr, "%s: %s at \"%s\": %s\n", where, td_status_name(err->status), err->pointer, err->message);
  abort();
}

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    abort();
  }
  char *bytes = NULL;
  *size = 0;
  for (size_t room = 1 << 16, got;; room *= 2) {
    bytes = realloc(bytes, room);
    if (!bytes) abort();
    got = fread(bytes + *size, 1, room - *size, f);
    *size += got;
    if (*size < room) break;
  }
  fclose(f);
  return bytes;
}

json_t *test_json_from_file(const char *path) {
  char full[4096];
  snprintf(full, sizeof full, "%s%s%s", path[0] == '/' ? "" : TEST_DATA_DIR, path[0] == '/' ? "" : "/", path);
  size_t size;
  char *bytes = read_file(full, &size);
  td_error err = {0};
  json_t *doc = codec_parse(bytes, size, &err);
  free(bytes);
  if (!doc) give_up(path, &err);
  return doc;
}

td_model *test_model_from_file(const char *path, const char *member) {
  json_t *doc = test_json_from_file(path);
  td_model *model = NULL;
  td_error err = {0};
  if (codec_model_build(member ? json_object_get(doc, member) : doc, "", &model, &err) != TD_OK) give_up(path, &err);
  json_decref(doc);
  return model;
}

td_status test_model_try(const char *json, td_model **model, td_error *err) {
  *model = NULL;
  json_t *doc = codec_parse(json, strlen(json), err);
  if (!doc) return err->status;
  td_status status = codec_model_build(doc, "", model, err);
  json_decref(doc);
  return status;
}

td_model *test_model_from_text(const char *json) {
  td_model *model = NULL;
  td_error err = {0};
  if (test_model_try(json, &model, &err) != TD_OK) give_up("model text", &err);
  return model;
}

static size_t count_numbers(const json_t *value) {
  if (!json_is_array(value)) return 1;
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(value); i++) n += count_numbers(json_array_get(value, i));
  return n;
}

static double *copy_numbers(const json_t *value, double *out) {
  if (!json_is_array(value)) return *out = json_number_value(value), out + 1;
  for (size_t i = 0; i < json_array_size(value); i++) out = copy_numbers(json_array_get(value, i), out);
  return out;
}

double *test_numbers(const json_t *array, size_t *count) {
  *count = count_numbers(array);
  double *numbers = calloc(*count + 1, sizeof *numbers);
  if (!numbers) abort();
  copy_numbers(array, numbers);
  return numbers;
}
