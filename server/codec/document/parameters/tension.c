// A tendon cannot push: whether a number of a job is a tension, which has a bound of its own that no row of the table
// knows, because it depends on the model's channel.
#include "codec/document/parameters/tension.h"
#include "codec/json/place.h"

#include <string.h>

static bool pulls(const json_t *model, const char *channel) {
  size_t i;
  json_t *actuator;
  json_array_foreach(json_object_get(model, "actuators"), i, actuator) {
    const char *name = json_string_value(json_object_get(actuator, "name"));
    const char *type = json_string_value(json_object_get(actuator, "type"));
    const char *mode = json_string_value(json_object_get(actuator, "mode"));
    if (name && strcmp(name, channel) == 0)
      return type && strcmp(type, "tendon") == 0 && (!mode || strcmp(mode, "tension") == 0);
  }
  return false;
}

// What of a signal is a value that the input takes: itself, entries of a list, `value` of constants, tables and steps.
static bool is_value(const json_t *input, const char *rest) {
  if (*rest == '\0') return true;
  return json_is_array(input) || strcmp(rest, "/value") == 0 || strncmp(rest, "/value/", 7) == 0;
}

static bool is_affine(const char *rest) {
  const char *last = strrchr(rest, '/');
  return strstr(rest, "/t/") == NULL && last && strcmp(last, "/frequency") != 0 && strcmp(last, "/phase") != 0;
}

bool codec_parameter_bends_tension(const json_t *model, const char *place, char channel[JSON_TOKEN_SIZE]) {
  char token[JSON_TOKEN_SIZE];
  const char *rest = json_place_token(place, token); // "job"
  if (rest && strcmp(token, "job") == 0) rest = json_place_token(rest, token);
  if (!rest || strcmp(token, "inputs") != 0) return false;
  rest = json_place_token(rest, channel);
  return rest && is_affine(rest) && pulls(model, channel);
}

bool codec_parameter_is_tension(const json_t *model, const json_t *job, const char *place) {
  char token[JSON_TOKEN_SIZE], channel[JSON_TOKEN_SIZE];
  const char *rest = json_place_token(place, token); // "job"
  if (rest) rest = json_place_token(rest, token);
  if (!rest || strcmp(token, "inputs") != 0) return false;
  rest = json_place_token(rest, channel);
  const json_t *input = rest ? json_object_get(json_object_get(job, "inputs"), channel) : NULL;
  return input && is_value(input, rest) && pulls(model, channel);
}
