// Words of the request, and JSON that is put together.
#include "codec/import/document.h"

const char *import_base_word(int i) {
  static const char *const words[IMPORT_BASES] = {"fixed", "free"};
  return words[i];
}

const char *import_actuators_word(int i) {
  static const char *const words[IMPORT_ACTUATORS] = {"force", "position", "none"};
  return words[i];
}

const char *import_inertia_word(int i) {
  static const char *const words[IMPORT_INERTIA_COUNT] = {"as_written", "nearest"};
  return words[i];
}

const char *import_stops_word(int i) {
  static const char *const words[IMPORT_STOPS_COUNT] = {"soft", "none"};
  return words[i];
}

const char *import_view_word(int i) {
  static const char *const words[IMPORT_VIEWS] = {"keep", "none"};
  return words[i];
}

// ------------------------------------------------------------------------------------------------ JSON

void import_set(json_t *object, const char *key, json_t *value, bool *failed) {
  if (json_object_set_new(object, key, value)) *failed = true;
}

void import_append(json_t *array, json_t *value, bool *failed) {
  if (json_array_append_new(array, value)) *failed = true;
}

json_t *import_vector(const double *x, size_t count, bool *failed) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) import_append(array, json_real(x[i]), failed);
  return array;
}
