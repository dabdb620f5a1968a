// Designs of several jobs. Each job has a document of its own, that of a design of it alone: with its terms, its
// constraints and its numbers. What is found in one of these is placed in the whole.
//
//   {"of": [{…}, {…}], "objective": [{"of": 1, "field": …}], "constraints": [{"of": 0, …}],
//    "parameters": ["/model/…", {"path": "/job/inputs/cable", "of": [0, 1]}]}
#include "codec/document/job/design.h"
#include "codec/document/job/parts.h"

#include <stdio.h>
#include <string.h>

static const char *const lists[] = {"objective", "constraints", "parameters"};

// ------------------------------------------------------------------------------------------------ whose is it

static bool is_number(const char *list) { return list == lists[2]; }

// Of terms and constraints one job, by default the first; of numbers one or several, by default all.
static bool is_of(const char *list, const json_t *entry, size_t i) {
  const json_t *of = json_is_object(entry) ? json_object_get(entry, "of") : NULL;
  if (!of) return is_number(list) || i == 0;
  if (json_is_integer(of)) return json_integer_value(of) == (json_int_t)i;
  bool reaches = false;
  for (size_t k = 0; is_number(list) && k < json_array_size(of); k++)
    reaches = reaches || json_integer_value(json_array_get(of, k)) == (json_int_t)i;
  return reaches;
}

// An entry as it stands in a design of its job alone.
static json_t *alone(const json_t *entry) {
  json_t *copy = json_copy((json_t *)entry);
  if (json_is_object(copy)) json_object_del(copy, "of");
  return copy;
}

static json_t *entries_of(const json_t *doc, const char *list, size_t i) {
  json_t *own = json_array();
  const json_t *all = json_object_get(doc, list);
  for (size_t k = 0; k < json_array_size(all); k++)
    if (is_of(list, json_array_get(all, k), i)) json_array_append_new(own, alone(json_array_get(all, k)));
  return own;
}

json_t *codec_design_terms(const job_document *job, const json_t *document, size_t i) {
  (void)job;
  json_t *own = entries_of(document, lists[0], i);
  for (size_t k = json_array_size(own); k-- > 0;)
    if (objective_kind(json_array_get(own, k)) != TD_TERM_SUM) json_array_remove(own, k);
  return own;
}

// ------------------------------------------------------------------------------------------------ parts

// What is no list, or no entry of one, would be nobody's.
static td_status check_list(reader *r, const json_t *doc, const char *list, bool required) {
  const json_t *all = json_object_get(doc, list);
  if (!all && !required) return TD_OK;
  if (!all) return fail_key(r, list, TD_INVALID_ARGUMENT, "required key \"%s\" is missing", list);
  (void)codec_pointer_key(&r->at, list);
  if (!json_is_array(all)) return fail_type(r, "an array", all);
  if (required && json_array_size(all) == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  for (size_t k = 0; k < json_array_size(all); k++) {
    size_t mark = codec_pointer_index(&r->at, k);
    if (!json_is_object(json_array_get(all, k))) return fail_type(r, "an object", json_array_get(all, k));
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

// Those of numbers are judged with these (unknowns.c).
static td_status check_entries(reader *r, const json_t *doc, size_t jobs) {
  for (size_t l = 0; l < COUNT_OF(lists); l++) {
    const json_t *all = json_object_get(doc, lists[l]);
    for (size_t k = 0; !is_number(lists[l]) && k < json_array_size(all); k++) {
      const json_t *of = json_object_get(json_array_get(all, k), "of");
      json_int_t job = json_is_integer(of) ? json_integer_value(of) : -1;
      if (!of || (job >= 0 && job < (json_int_t)jobs)) continue;
      (void)codec_pointer_key(&r->at, lists[l]);
      (void)codec_pointer_index(&r->at, k);
      return fail_key(r, "of", TD_INVALID_ARGUMENT, "must be the number of a job, 0 to %zu", jobs - 1);
    }
  }
  return TD_OK;
}

// All are of one robot, whose model stands in the first.
static td_status check_models(reader *r, const json_t *of) {
  const json_t *model = json_object_get(json_array_get(of, 0), "model");
  for (size_t i = 1; model && i < json_array_size(of); i++) {
    const json_t *own = json_object_get(json_array_get(of, i), "model");
    if (!own || json_equal(own, model)) continue;
    (void)codec_pointer_key(&r->at, "of");
    (void)codec_pointer_index(&r->at, i);
    return fail_key(r, "model", TD_INVALID_ARGUMENT,
                    "all jobs of a design are of the model of the first, this is another");
  }
  return TD_OK;
}

td_status check_designs(reader *r, const json_t *doc) {
  const json_t *of = json_object_get(doc, "of");
  size_t jobs = json_array_size(of);
  if (jobs < 1 || jobs > DESIGN_MAX_JOBS)
    return fail_key(r, "of", TD_INVALID_ARGUMENT, "has %zu jobs, 1 to %d are possible", jobs, (int)DESIGN_MAX_JOBS);
  size_t mark = strlen(r->at.text);
  td_status status = check_list(r, doc, lists[0], true);
  codec_pointer_pop(&r->at, mark);
  if (status == TD_OK) status = check_list(r, doc, lists[1], false);
  codec_pointer_pop(&r->at, mark);
  if (status == TD_OK) status = check_models(r, of);
  return status == TD_OK ? check_entries(r, doc, jobs) : status;
}

static td_status note_places(reader *r, const json_t *doc, size_t i, design_document *d) {
  for (size_t l = 0; l < COUNT_OF(lists); l++) {
    const json_t *all = json_object_get(doc, lists[l]);
    size_t *which = arena_array(r->memory, json_array_size(all) + 1, sizeof *which), own = 0;
    if (!which) return fail_here(r, TD_NO_MEMORY, "out of memory");
    for (size_t k = 0; k < json_array_size(all); k++)
      if (is_of(lists[l], json_array_get(all, k), i)) which[own++] = k;
    d->place[l] = which;
    d->placed[l] = own;
  }
  d->index = i;
  return TD_OK;
}

td_status begin_part(reader *r, const json_t *doc, size_t i, design_document *d, json_t **part) {
  td_status status = note_places(r, doc, i, d);
  if (status != TD_OK) return status;
  if (d->placed[0] + d->placed[1] == 0)
    return fail_key(r, "of", TD_INVALID_ARGUMENT, "no term and no constraint is of job %zu", i);
  *part = json_copy((json_t *)doc);
  if (!*part) return fail_here(r, TD_NO_MEMORY, "out of memory");
  json_object_set(*part, "of", json_array_get(json_object_get(doc, "of"), i));
  for (size_t l = 0; l < COUNT_OF(lists); l++) {
    json_object_del(*part, lists[l]);
    if (d->placed[l] > 0) json_object_set_new(*part, lists[l], entries_of(doc, lists[l], i));
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ places

void place_in_designs(const design_document *d, char pointer[TD_POINTER_SIZE]) {
  char rest[TD_POINTER_SIZE], list[16] = "";
  size_t k = 0;
  int used = 0;
  if (!d->place[0]) return;
  if (strncmp(pointer, "/of", 3) == 0 && (pointer[3] == '/' || pointer[3] == '\0')) {
    snprintf(rest, sizeof rest, "%s", pointer + 3);
    snprintf(pointer, TD_POINTER_SIZE, "/of/%zu%.200s", d->index, rest);
  } else if (sscanf(pointer, "/%15[a-z]/%zu%n", list, &k, &used) == 2) {
    snprintf(rest, sizeof rest, "%s", pointer + used);
    for (size_t l = 0; l < COUNT_OF(lists); l++)
      if (strcmp(list, lists[l]) == 0 && k < d->placed[l])
        snprintf(pointer, TD_POINTER_SIZE, "/%s/%zu%.200s", list, d->place[l][k], rest);
  }
}
