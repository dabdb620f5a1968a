// What a sweep varies, and the documents of its jobs (the document itself is read by job/job.c).
//
// Method: varied places are found by their pointers and set in a copy. Invariants after the check: every /job path, and
// every /model path of an inline model, exists; no path is the beginning of another; with zip all lists are equally
// long.
#include "codec/document/sweep.h"
#include "codec/json/memory.h"
#include "codec/json/place.h"
#include "codec/json/pointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char in_model[] = "/model";

bool codec_sweep_begins(const char *path, const char *with) {
  size_t n = strlen(with);
  return strncmp(path, with, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool of_model(const sweep_variation *v) { return codec_sweep_begins(v->path, in_model); }

// The pointer within its document.
static const char *pointer_within(const sweep_variation *v) {
  return v->path + strlen(of_model(v) ? in_model : "/job");
}

// ------------------------------------------------------------------------------------------------ rules

static td_status fail_path(size_t v, td_error *err, const char *format, const char *path) {
  char at[32];
  snprintf(at, sizeof at, "/vary/%zu/path", v);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // the formats stand below
  return td_fail(err, TD_INVALID_ARGUMENT, at, format, path);
#pragma GCC diagnostic pop
}

// With the first token that is not there, and what may be meant by it.
static td_status fail_missing(const json_t *document, const sweep_variation *variation, size_t v, td_error *err) {
  char token[JSON_TOKEN_SIZE] = "", why[280] = "", text[TD_MESSAGE_SIZE];
  const json_t *at = document, *next = document;
  for (const char *rest = pointer_within(variation); next && rest && *rest;) {
    at = next;
    rest = json_place_token(rest, token);
    next = rest ? json_place_member(at, token) : NULL;
  }
  if (!json_place_explain(at, token, why, sizeof why))
    snprintf(why, sizeof why, "what it leaves to a default has to be written into it");
  snprintf(text, sizeof text, "the base has nothing at %.200s; %s", variation->path, why);
  return fail_path(v, err, "%s", text);
}

static td_status check_places(const sweep_document *sweep, const json_t *document, bool model, td_error *err) {
  char token[JSON_TOKEN_SIZE];
  for (size_t v = 0; v < sweep->vary_count; v++)
    if (of_model(&sweep->vary[v]) == model &&
        !json_place_holder((json_t *)document, pointer_within(&sweep->vary[v]), token))
      return fail_missing(document, &sweep->vary[v], v, err);
  return TD_OK;
}

td_status codec_sweep_check_model(const sweep_document *sweep, const json_t *model, td_error *err) {
  return check_places(sweep, model, true, err);
}

static bool has_path(const sweep_document *sweep, const char *path) {
  for (size_t v = 0; v < sweep->vary_count; v++)
    if (strcmp(sweep->vary[v].path, path) == 0) return true;
  return false;
}

static td_status check_paths(const sweep_document *sweep, td_error *err) {
  for (size_t v = 0; v < sweep->vary_count; v++)
    for (size_t w = 0; w < v; w++)
      if (codec_sweep_begins(sweep->vary[v].path, sweep->vary[w].path) ||
          codec_sweep_begins(sweep->vary[w].path, sweep->vary[v].path))
        return fail_path(v, err, "%.200s and a path before it are in each other's way", sweep->vary[v].path);
  if (has_path(sweep, "/job/model") && codec_sweep_varies_model(sweep))
    return td_fail(err, TD_INVALID_ARGUMENT, "/vary", "the model is varied as a whole and in its parts");
  return TD_OK;
}

static td_status count_jobs(sweep_document *sweep, td_error *err) {
  char at[48];
  sweep->jobs = sweep->zip ? sweep->vary[0].count : 1;
  for (size_t v = 0; v < sweep->vary_count; v++) {
    size_t count = sweep->vary[v].count;
    snprintf(at, sizeof at, "/vary/%zu/values", v);
    if (sweep->zip && count != sweep->jobs)
      return td_fail(err, TD_INVALID_ARGUMENT, at, "has %zu values, the first list has %zu (mode zip)", count,
                     sweep->jobs);
    if (!sweep->zip) sweep->jobs *= count;
    if (sweep->jobs > SWEEP_MAX_JOBS)
      return td_fail(err, TD_INVALID_ARGUMENT, "/vary", "%zu jobs or more, a sweep has at most %d", sweep->jobs,
                     SWEEP_MAX_JOBS);
  }
  return TD_OK;
}

td_status codec_sweep_check(sweep_document *sweep, td_error *err) {
  td_status status = check_paths(sweep, err);
  if (!status) status = count_jobs(sweep, err);
  return status ? status : check_places(sweep, sweep->base, false, err);
}

bool codec_sweep_outline(const json_t *document, arena *a, sweep_document *sweep) {
  const json_t *vary = json_object_get(document, "vary");
  const char *mode = json_string_value(json_object_get(document, "mode"));
  size_t count = json_array_size(vary);
  sweep_variation *list = arena_array(a, count, sizeof *list);
  if (!list) return false;
  for (size_t v = 0; v < count; v++) {
    const json_t *entry = json_array_get(vary, v), *values = json_object_get(entry, "values");
    list[v] = (sweep_variation){json_string_value(json_object_get(entry, "path")), values, json_array_size(values)};
  }
  *sweep = (sweep_document){.vary = list, .vary_count = count, .zip = mode && strcmp(mode, "zip") == 0};
  return true;
}

// ------------------------------------------------------------------------------------------------ jobs of a sweep

bool codec_sweep_varies_model(const sweep_document *sweep) {
  for (size_t v = 0; v < sweep->vary_count; v++)
    if (of_model(&sweep->vary[v])) return true;
  return false;
}

size_t codec_sweep_choice(const sweep_document *sweep, size_t i, size_t v) {
  if (sweep->zip) return i;
  for (size_t w = sweep->vary_count - 1; w > v; w--) i /= sweep->vary[w].count;
  return i % sweep->vary[v].count;
}

bool codec_sweep_apply(const sweep_document *sweep, size_t i, json_t *job, json_t *model) {
  bool done = true;
  for (size_t v = 0; done && v < sweep->vary_count; v++) {
    const sweep_variation *variation = &sweep->vary[v];
    json_t *document = of_model(variation) ? model : job;
    json_t *value = json_array_get(variation->values, codec_sweep_choice(sweep, i, v));
    done = !document || json_place_put(document, pointer_within(variation), value);
  }
  return done;
}

char *codec_sweep_difference(const sweep_document *sweep, size_t i, bool model) {
  json_t *list = json_array();
  for (size_t v = 0; list && v < sweep->vary_count; v++) {
    const sweep_variation *variation = &sweep->vary[v];
    json_t *value = json_array_get(variation->values, codec_sweep_choice(sweep, i, v));
    if (of_model(variation) != model) continue;
    if (json_array_append_new(list, json_pack("[s, O]", pointer_within(variation), value)) != 0)
      json_decref(list), list = NULL;
  }
  char *text = list ? json_memory_text(list, JSON_COMPACT) : NULL;
  json_decref(list);
  return text;
}

bool codec_sweep_varies_models(const sweep_document *sweep) { return has_path(sweep, "/job/model"); }

// An error at, below or around a varied place is that of its value.
static bool blames(const sweep_variation *v, const char *pointer, const char **rest) {
  const char *place = of_model(v) ? v->path : pointer_within(v);
  *rest = codec_sweep_begins(pointer, place) ? pointer + strlen(place) : "";
  return codec_sweep_begins(pointer, place) || (*pointer && codec_sweep_begins(place, pointer));
}

void codec_sweep_blame(const sweep_document *sweep, size_t i, td_error *err) {
  char pointer[TD_POINTER_SIZE], message[TD_MESSAGE_SIZE];
  const char *rest;
  int n = snprintf(pointer, sizeof pointer, "/base%.*s", (int)sizeof pointer - 8, err->pointer);
  for (size_t v = 0; v < sweep->vary_count; v++)
    if (blames(&sweep->vary[v], err->pointer, &rest))
      n = snprintf(pointer, sizeof pointer, "/vary/%zu/values/%zu%.*s", v, codec_sweep_choice(sweep, i, v), 200, rest);
  if (n >= (int)sizeof pointer) *strrchr(pointer, '/') = '\0'; // cut at a place that exists
  snprintf(message, sizeof message, "job %zu of the sweep: %.*s", i, TD_MESSAGE_SIZE - 48, err->message);
  memcpy(err->pointer, pointer, sizeof pointer);
  memcpy(err->message, message, sizeof message);
}
