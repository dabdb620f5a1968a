// Lists of parameters as requests have them: places, names, and places that share one number.
#include "codec/document/parameters/parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char in_model[] = "/model", in_job[] = "/job", in_jobs_model[] = "/job/model";

td_status codec_parameters_begin(reader *r, size_t count, parameter_list *list) {
  bool of_job = list->of_job;
  if (count > CODEC_MAX_PARAMETERS)
    return fail_here(r, TD_LIMIT, "%zu places are more than the %d parameters allowed in one request", count,
                     CODEC_MAX_PARAMETERS);
  *list =
      (parameter_list){.place = arena_array(r->memory, count, sizeof *list->place), .count = count, .of_job = of_job};
  return list->place ? TD_OK : fail_here(r, TD_NO_MEMORY, "out of memory");
}

// Results are told apart by names; of those that have none the path is one.
static td_status check_name(reader *r, const parameter_list *list, size_t i) {
  const char *name = list->place[i].name;
  for (size_t k = 0; name && k < i; k++) {
    const char *other = list->place[k].name ? list->place[k].name : list->place[k].path;
    if (other && strcmp(other, name) == 0)
      return fail_here(r, TD_INVALID_ARGUMENT, "\"%.200s\" is the name of parameter %zu, too", name, k);
  }
  return TD_OK;
}

static td_status check_path(reader *r, const parameter_list *list, const char *path) {
  if (parameter_begins(path, in_job) && !list->of_job)
    return fail_here(r, TD_INVALID_ARGUMENT, "%.200s has no meaning here: there is no job; places are below /model",
                     path);
  if (parameter_begins(path, in_jobs_model))
    return fail_here(r, TD_INVALID_ARGUMENT, "%.200s cannot be a parameter; places of the model begin with /model",
                     path);
  if (!parameter_begins(path, in_model) && !parameter_begins(path, in_job))
    return fail_here(r, TD_INVALID_ARGUMENT,
                     "\"%.200s\" is no place in the model%s: a JSON pointer as \"/model/links/0/body/length\"", path,
                     list->of_job ? " or the job" : "");
  for (const char *p = path; *p; p++)
    if (*p == '~' && p[1] != '0' && p[1] != '1')
      return fail_here(r, TD_INVALID_ARGUMENT, "\"%.200s\" is no JSON pointer: ~ is written ~0, / within a key ~1",
                       path);
  return TD_OK;
}

static td_status check_also(reader *r, const parameter_list *list, const parameter_place *place) {
  size_t outer = codec_pointer_key(&r->at, "paths");
  td_status status = TD_OK;
  for (size_t k = 0; status == TD_OK && k < place->also_count; k++) {
    size_t mark = codec_pointer_index(&r->at, k + 1);
    status = check_path(r, list, place->also[k]);
    if (status == TD_OK && parameter_begins(place->also[k], in_job) != parameter_begins(place->path, in_job))
      status = fail_here(r, TD_INVALID_ARGUMENT,
                         "%.120s and %.120s cannot share a number: one is of the model, one of the job", place->path,
                         place->also[k]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  if (status == TD_OK) codec_pointer_pop(&r->at, outer);
  return status;
}

td_status codec_parameters_set(reader *r, parameter_list *list, size_t i, const parameter_place *place) {
  assert(i < list->count);
  parameter_place *own = &list->place[i];
  const char **also = arena_array(r->memory, place->also_count + 1, sizeof *also);
  *own = *place;
  own->also = also;
  own->path = arena_strdup(r->memory, place->path);
  own->name = place->name ? arena_strdup(r->memory, place->name) : NULL;
  bool good = also && own->path && (own->name || !place->name);
  for (size_t k = 0; good && k < place->also_count; k++)
    good = (also[k] = arena_strdup(r->memory, place->also[k])) != NULL;
  if (!good) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = check_path(r, list, own->path);
  if (status == TD_OK) status = check_also(r, list, own);
  return status == TD_OK ? check_name(r, list, i) : status;
}

bool codec_parameter_name_valid(const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f) return false;
  return n <= TD_MAX_NAME;
}

td_status codec_parameter_paths_read(reader *r, const json_t *value, void *out) {
  parameter_place *place = out;
  if (!json_is_array(value)) return fail_type(r, "an array of paths", value);
  size_t count = json_array_size(value);
  if (count < 1 || count > CODEC_MAX_SHARED)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs 1 to %d paths, has %zu", CODEC_MAX_SHARED, count);
  const char **list = arena_array(r->memory, count, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = TD_OK;
  for (size_t k = 0; status == TD_OK && k < count; k++) {
    size_t mark = codec_pointer_index(&r->at, k);
    status = read_text(r, json_array_get(value, k), &list[k]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  place->also = list;
  place->also_count = count;
  return status;
}

td_status codec_parameter_place_settle(reader *r, parameter_place *place) {
  if (place->path && place->also)
    return fail_key(r, "paths", TD_INVALID_ARGUMENT, "one of `path` and `paths`, not both");
  if (place->path) return TD_OK;
  if (!place->also) return fail_key(r, "path", TD_INVALID_ARGUMENT, "required key \"path\" (or \"paths\") is missing");
  place->path = place->also[0];
  place->also++;
  place->also_count--;
  return TD_OK;
}

static const field place_fields[] = {
    FIELD(parameter_place, path, "path", read_text),
    {"paths", codec_parameter_paths_read, 0, false, NULL},
    FIELD(parameter_place, name, "name", read_name),
};

static td_status read_place(reader *r, const json_t *value, parameter_list *list, size_t i) {
  parameter_place place = {.path = NULL};
  td_status status = TD_OK;
  if (json_is_string(value))
    status = read_text(r, value, &place.path);
  else if (json_is_object(value))
    status = read_object(r, value, place_fields, COUNT_OF(place_fields), &place);
  else
    status = fail_type(r, "a path, or an object with path (or paths) and name", value);
  if (status == TD_OK) status = codec_parameter_place_settle(r, &place);
  return status ? status : codec_parameters_set(r, list, i, &place);
}

static td_status read_places(reader *r, const json_t *value, parameter_list *list) {
  if (!json_is_array(value)) return fail_type(r, "an array of paths", value);
  td_status status = codec_parameters_begin(r, json_array_size(value), list);
  for (size_t i = 0; status == TD_OK && i < list->count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_place(r, json_array_get(value, i), list, i);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

td_status codec_parameters_read(reader *r, const json_t *value, void *out) {
  *(parameter_list *)out = (parameter_list){.of_job = false};
  return read_places(r, value, out);
}

td_status codec_parameters_read_of_job(reader *r, const json_t *value, void *out) {
  *(parameter_list *)out = (parameter_list){.of_job = true};
  return read_places(r, value, out);
}

json_t *codec_parameter_place_json(const parameter_place *place) {
  if (place->also_count == 0) return json_string(place->path);
  json_t *list = json_array();
  json_array_append_new(list, json_string(place->path));
  for (size_t k = 0; k < place->also_count; k++) json_array_append_new(list, json_string(place->also[k]));
  return json_pack("{s:o}", "paths", list);
}
