// Documents with one number changed, at all of its places.
#include "codec/document/parameters/parts.h"
#include "codec/json/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char in_job[] = "/job";
enum { IN_MODEL = sizeof "/model" - 1 };

bool codec_parameter_is_of_job(const parameter_set *set, size_t i) {
  return parameter_begins(set->number[i].name, in_job);
}

// ------------------------------------------------------------------------------------------------ sets

void codec_parameters_append(parameter_set *to, const parameter_set *from, size_t i, size_t place) {
  for (size_t k = 0; k < from->twin_count; k++) {
    if (from->twin[k].number != i) continue;
    to->twin[to->twin_count] = from->twin[k];
    to->twin[to->twin_count++].number = to->count;
  }
  to->number[to->count] = from->number[i];
  to->place[to->count] = place;
  to->mirrored[to->count++] = from->mirrored[i];
}

bool codec_parameters_room(parameter_set *set, size_t numbers, size_t twins, arena *a) {
  *set = (parameter_set){.number = arena_array(a, numbers, sizeof *set->number),
                         .place = arena_array(a, numbers, sizeof *set->place),
                         .mirrored = arena_array(a, numbers, sizeof *set->mirrored),
                         .twin = arena_array(a, twins, sizeof *set->twin)};
  return set->number && set->place && set->mirrored && set->twin;
}

bool codec_parameters_of_model(const parameter_set *set, arena *a, parameter_set *own, size_t **which) {
  size_t n = set->count;
  *which = arena_array(a, n, sizeof **which);
  if (!codec_parameters_room(own, n, set->twin_count, a) || !*which) return false;
  for (size_t i = 0; i < n; i++) {
    if (codec_parameter_is_of_job(set, i)) continue;
    (*which)[own->count] = i;
    codec_parameters_append(own, set, i, set->place[i]);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ moving one

static bool put_number(json_t *document, const char *name, double value) {
  json_t *number = json_real(value);
  size_t prefix = parameter_begins(name, in_job) ? sizeof in_job - 1 : IN_MODEL;
  bool done = number && json_place_put(document, name + prefix, number);
  json_decref(number);
  return done;
}

// `across`: what a symmetric matrix has across, NaN where there is none.
static bool put_both(json_t *document, const char *name, double value, double across) {
  char mirrored[TD_POINTER_SIZE];
  if (isnan(across)) return put_number(document, name, value);
  parameter_mirror(name, mirrored);
  return put_number(document, mirrored, across) && put_number(document, name, value);
}

static bool move_place(json_t *document, const char *name, double value, double mirrored) {
  double mean = 0.5 * (value + mirrored); // NaN without a mirror
  return put_both(document, name, isnan(mirrored) ? value : mean, mean);
}

bool codec_parameters_move(const parameter_set *set, json_t *document, size_t i, double value) {
  bool done = move_place(document, set->number[i].name, value, set->mirrored[i]);
  for (size_t k = 0; done && k < set->twin_count; k++)
    if (set->twin[k].number == i) done = move_place(document, set->twin[k].name, value, set->twin[k].mirrored);
  return done;
}

bool codec_parameters_restore(const parameter_set *set, json_t *document, size_t i) {
  const td_parameter *number = &set->number[i];
  bool done = put_both(document, number->name, number->value, set->mirrored[i]);
  for (size_t k = 0; done && k < set->twin_count; k++) {
    const parameter_twin *twin = &set->twin[k];
    if (twin->number == i) done = put_both(document, twin->name, twin->value, twin->mirrored);
  }
  return done;
}

// ------------------------------------------------------------------------------------------------ names

void codec_parameter_name(const parameter_list *list, const parameter_set *set, size_t i, char name[TD_POINTER_SIZE]) {
  const parameter_place *entry = &list->place[set->place[i]];
  if (!entry->name) {
    snprintf(name, TD_POINTER_SIZE, "%s", set->number[i].name);
    return;
  }
  size_t n = (size_t)snprintf(name, TD_POINTER_SIZE, "%s", entry->name);
  for (const char *p = set->number[i].name + strlen(entry->path); *p == '/';) {
    const char *end = p + 1 + strcspn(p + 1, "/");
    if (n >= TD_POINTER_SIZE) return;
    n += (size_t)snprintf(name + n, TD_POINTER_SIZE - n, "[%.*s]", (int)(end - p - 1), p + 1);
    p = end;
  }
}

const char *codec_parameter_every(const parameter_set *set, size_t i, size_t *number) {
  bool first = i < set->count;
  *number = first ? i : set->twin[i - set->count].number;
  return first ? set->number[i].name : set->twin[i - set->count].name;
}

json_t *codec_parameter_also(const parameter_set *set, size_t i) {
  json_t *list = NULL;
  for (size_t k = 0; k < set->twin_count; k++) {
    if (set->twin[k].number != i) continue;
    if (!list) list = json_array();
    json_array_append_new(list, json_string(set->twin[k].name));
  }
  return list;
}
