// Jobs for callers: the members and their order are those of the contract. Labels, error and warnings lie in the row as
// JSON text.
#include "codec/view/job.h"
#include "codec/document/job/job.h"
#include "codec/json/object.h"
#include "codec/wire/warnings.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char row_damaged[] =
    "{\"code\":\"row_damaged\",\"detail\":\"this row is not what was written: the disk has changed "
    "it (the operator runs tendrild check and restores a backup)\"}";

bool job_is_sweep(const store_job *row) { return strcmp(row->kind, job_kind_name(JOB_SWEEP)) == 0; }

static const char *error_of(const store_job *row) { return row->damaged ? row_damaged : row->error; }

static bool has_stored_model(const store_job *row) { return *row->model_name && row->model_revision > 0; }

// ---------------------------------------------------------------------------------------------------------------- JSON

static void write_progress(codec_buffer *b, const store_progress *now) {
  json_key(b, "progress");
  json_begin(b);
  json_number_member(b, "fraction", now->fraction);
  json_number_member(b, "t", now->t);
  json_number_member(b, "t_end", now->t_end);
  if (now->checking) json_string_member(b, "phase", "checking");
  json_end(b);
}

static void write_counts(codec_buffer *b, const store_job *row) {
  json_key(b, "jobs");
  json_begin(b);
  for (int i = 0; i < JOB_STATE_COUNT; i++) json_integer_member(b, job_state_name((job_state)i), row->jobs[i]);
  json_end(b);
}

static void write_model(codec_buffer *b, const store_job *row) {
  bool stored = has_stored_model(row);
  json_key(b, "model");
  json_begin(b);
  json_string_member(b, "name", *row->model_name ? row->model_name : NULL);
  json_string_member(b, "owner", stored && *row->model_owner ? row->model_owner : NULL);
  if (stored)
    json_integer_member(b, "revision", row->model_revision);
  else
    json_raw_member(b, "revision", NULL);
  json_string_member(b, "sha256", row->model_sha256);
  json_end(b);
}

void codec_job_json(codec_buffer *b, const job_view *view) {
  const store_job *row = &view->row;
  json_begin(b);
  json_string_member(b, "id", row->id);
  json_string_member(b, "kind", row->kind);
  json_string_member(b, "owner", *row->owner ? row->owner : NULL);
  json_string_member(b, "state", job_state_name(row->state));
  json_integer_member(b, "attempt", row->attempt);
  json_string_member(b, "node", *row->node ? row->node : NULL);
  write_model(b, row);
  write_progress(b, &view->progress);
  json_raw_member(b, "labels", row->labels);
  json_integer_member(b, "priority", row->priority);
  json_time_member(b, "created_at", row->created_ms);
  json_time_member(b, "started_at", row->started_ms);
  json_time_member(b, "finished_at", row->finished_ms);
  json_raw_member(b, "error", error_of(row));
  json_string_member(b, "waiting_for", view->waiting_for);
  json_raw_member(b, "warnings", row->warnings ? row->warnings : "[]");
  json_string_member(b, "retry_of", *row->retry_of ? row->retry_of : NULL);
  json_string_member(b, "parent", *row->parent ? row->parent : NULL);
  if (job_is_sweep(row)) write_counts(b, row);
  json_end(b);
}

void codec_job_documents_json(codec_buffer *b, const job_documents *documents) {
  json_begin(b);
  json_raw_member(b, "job", documents->job);
  json_raw_member(b, "model", documents->model);
  json_end(b);
}

// ------------------------------------------------------------------------------------------------------------- message

static double number(double x) { return isfinite(x) ? x : 0; }

static bool set_model(const store_job *row, arena *a, Tendril__V1__JobModel **out) {
  Tendril__V1__JobModel *m = *out = arena_alloc(a, sizeof *m);
  if (!m) return false;
  tendril__v1__job_model__init(m);
  bool stored = has_stored_model(row);
  m->revision = stored ? row->model_revision : 0;
  return message_text(a, row->model_name, &m->name) && message_text(a, stored ? row->model_owner : NULL, &m->owner) &&
         message_text(a, row->model_sha256, &m->sha256);
}

static bool set_progress(const store_progress *now, arena *a, Tendril__V1__JobProgress **out) {
  Tendril__V1__JobProgress *m = *out = arena_alloc(a, sizeof *m);
  if (!m) return false;
  tendril__v1__job_progress__init(m);
  m->fraction = number(now->fraction);
  m->t = number(now->t);
  m->t_end = number(now->t_end);
  return message_text(a, now->checking ? "checking" : NULL, &m->phase);
}

static bool set_label(arena *a, const char *key, const json_t *value, Tendril__V1__Job__LabelsEntry **out) {
  Tendril__V1__Job__LabelsEntry *m = *out = arena_alloc(a, sizeof *m);
  if (!m) return false;
  tendril__v1__job__labels_entry__init(m);
  return message_text(a, key, &m->key) && message_text(a, json_string_value(value), &m->value);
}

static bool set_labels(const char *text, arena *a, Tendril__V1__Job *m) {
  json_t *labels = text ? json_loads(text, 0, NULL) : NULL;
  size_t count = json_object_size(labels);
  m->labels = arena_array(a, count, sizeof *m->labels);
  bool made = m->labels && (labels || !text);
  const char *key;
  json_t *value;
  json_object_foreach(labels, key, value) made = made && set_label(a, key, value, &m->labels[m->n_labels++]);
  json_decref(labels);
  return made;
}

bool codec_job_message(const job_view *view, arena *a, Tendril__V1__Job *m) {
  const store_job *row = &view->row;
  tendril__v1__job__init(m);
  assert(row->attempt >= 0);
  m->attempt = (uint32_t)row->attempt;
  m->priority = row->priority;
  return message_text(a, row->id, &m->id) && message_text(a, row->kind, &m->kind) &&
         message_text(a, job_state_name(row->state), &m->state) && message_text(a, row->owner, &m->owner) &&
         set_model(row, a, &m->model) && set_progress(&view->progress, a, &m->progress) &&
         set_labels(row->labels, a, m) && message_time(a, row->created_ms, &m->created_at) &&
         message_time(a, row->started_ms, &m->started_at) && message_time(a, row->finished_ms, &m->finished_at) &&
         message_text(a, error_of(row), &m->error) && message_text(a, view->waiting_for, &m->waiting_for) &&
         codec_warnings_messages_of(row->warnings, a, &m->warnings, &m->n_warnings) &&
         message_text(a, row->node, &m->node) && message_text(a, row->retry_of, &m->retry_of) &&
         message_text(a, row->parent, &m->parent);
}
