// Submissions: jobs with their documents, labels and first events, when there is room for them and their request has not
// come before. One job or those of a sweep: they come as a list, which one statement stores.
#include "store/postgresql/postgresql.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 500, JOB_BYTES = 2048 };

static int64_t bytes_of(const store_job *job, const char *model_document) {
  return (int64_t)strlen(job->document) + (model_document ? (int64_t)strlen(model_document) : 0);
}

static json_t *text_or_null(const char *text) { return text && *text ? json_string(text) : json_null(); }

// What its row is charged for (migration 1).
static int64_t charge_of(const store_job *job, int64_t places) {
  int64_t charge = JOB_BYTES + (int64_t)strlen(job->document) + 3 * (int64_t)strlen(job->labels);
  return charge + (strcmp(job->kind, "sweep") == 0 ? STORE_PLACE_BYTES * places : 0);
}

static json_t *describe(const pg_submission *x, size_t i, int64_t place) {
  const store_job *job = x->jobs[i];
  json_t *row =
      json_pack("{s:I, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "seq", (json_int_t)place, "id", job->id,
                "kind", job->kind, "priority", job->priority, "queue", job->queue, "owner", job->owner, "model_sha256",
                job->model_sha256, "document", job->document, "labels", job->labels, "bytes",
                (json_int_t)bytes_of(job, x->model_documents[i]), "charged", (json_int_t)charge_of(job, x->places));
  if (!row) return NULL;
  json_object_set_new(row, "model_name", text_or_null(job->model_name));
  if (job->model_revision > 0) json_object_set_new(row, "model_owner", json_string(job->model_owner));
  if (job->model_revision) json_object_set_new(row, "model_revision", json_integer(job->model_revision));
  json_object_set_new(row, "document_base", text_or_null(job->document_base));
  json_object_set_new(row, "retry_of", text_or_null(job->retry_of));
  json_object_set_new(row, "parent", text_or_null(job->parent));
  json_object_set_new(row, "warnings", text_or_null(job->warnings));
  if (isfinite(job->t_end)) json_object_set_new(row, "t_end", json_real(job->t_end));
  return row;
}

// Of some jobs, as JSON; to be freed, NULL without memory.
static char *list_jobs(const pg_submission *x, size_t first, size_t end, int64_t place, int64_t now_ms) {
  json_t *rows = json_array();
  bool made = true;
  for (size_t i = first; made && i < end; i++) {
    store_job *job = x->jobs[i];
    job->state = JOB_QUEUED;
    job->seq = place + (int64_t)i;
    job->created_ms = now_ms;
    made = json_array_append_new(rows, describe(x, i, job->seq)) == 0;
  }
  char *text = made ? store_json_text(rows) : NULL;
  json_decref(rows);
  return text;
}

static store_status put_documents(pg_connection *c, const pg_submission *x, size_t first, size_t end) {
  store_status status = STORE_OK;
  for (size_t i = first; status == STORE_OK && i < end; i++)
    if (x->model_documents[i])
      status = pg_document_put(c, x->jobs[i]->model_sha256, x->model_documents[i], x->model_bases[i]);
  return status;
}

// Documents are there before the jobs that need them come to hold them.
static store_status insert_rows(pg_connection *c, const char *rows, int64_t now_ms) {
  static const char sql[] =
      "WITH j AS (INSERT INTO jobs (seq, id, kind, state, priority, queue, owner, model_name, model_owner, "
      "model_revision, model_sha256, document, document_base, labels, t_end, created_ms, retry_of, parent, warnings, "
      "bytes, charged) SELECT seq, id, kind, 'queued', priority, queue, owner, model_name, model_owner, "
      "model_revision, "
      "model_sha256, document, document_base, labels, t_end, $2, retry_of, parent, warnings, bytes, charged FROM "
      "json_to_recordset($1::json) AS r (seq bigint, id text, kind text, priority integer, queue text, owner text, "
      "model_name text, model_owner text, model_revision bigint, model_sha256 text, document text, document_base text, "
      "labels text, t_end double precision, retry_of text, parent text, warnings text, bytes bigint, charged bigint) "
      "RETURNING *), labelled AS (INSERT INTO job_labels SELECT l.key, l.value, j.seq FROM j, "
      "json_each_text(j.labels::json) AS l WHERE j.labels <> '{}'), held AS (INSERT INTO "
      "document_holders SELECT DISTINCT j.owner, d.sha256, document_charge(d.body) FROM j JOIN documents AS d ON "
      "d.sha256 IN (j.model_sha256, j.document_base) WHERE NOT EXISTS (SELECT 1 FROM document_holders AS h WHERE "
      "h.owner "
      "= j.owner AND h.sha256 = d.sha256) ON CONFLICT DO NOTHING) INSERT INTO events (job, seq, time_ms, attempt, "
      "type, "
      "data) SELECT j.seq, 1, $2, 0, 'state', " STATE_TEXT("j") " FROM j";
  return pg_run(c, NULL, sql, "ti", rows, now_ms);
}

static store_status add_some(pg_connection *c, const pg_submission *x, size_t first, size_t end, int64_t place,
                             int64_t now_ms) {
  char *rows = list_jobs(x, first, end, place, now_ms);
  store_status status = rows ? put_documents(c, x, first, end) : STORE_FAILED;
  if (status == STORE_OK) status = insert_rows(c, rows, now_ms);
  free(rows);
  return status;
}

store_status pg_jobs_add(pg_connection *c, const pg_submission *x, int64_t first_place, int64_t now_ms) {
  store_status status = STORE_OK;
  for (size_t i = 0; status == STORE_OK && i < x->count; i += AT_ONCE)
    status = add_some(c, x, i, i + AT_ONCE < x->count ? i + AT_ONCE : x->count, first_place, now_ms);
  return status;
}

// ------------------------------------------------------------------------------------------------------ room and keys

// The queue of all and the express one are bounded by what all may have only. Counts are of what is committed: others
// may come at the same time, so there may be a few more.
store_status pg_job_room(pg_connection *c, const store_room *room, const char *queue, int64_t count, int64_t bytes,
                         int64_t *place, int64_t *now_ms) {
  static const char sql[] =
      "SELECT next_place(), now_ms(), (SELECT coalesce(sum(queued), 0) FROM job_counts), coalesce(sum(queued), 0), "
      "coalesce(sum(bytes), 0) FROM queue_counts WHERE name = $1";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", queue);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  bool shared = !*queue || strcmp(queue, STORE_EXPRESS) == 0;
  *place = pg_integer(&rows, 0);
  *now_ms = pg_integer(&rows, 1);
  if (pg_integer(&rows, 2) + count > room->all)
    status = STORE_PRECONDITION;
  else if (!shared && ((room->each > 0 && pg_integer(&rows, 3) + count > room->each) ||
                       (room->each_bytes > 0 && pg_integer(&rows, 4) + bytes > room->each_bytes)))
    status = STORE_SHARE;
  pg_end(&rows);
  return status;
}

// STORE_NOT_FOUND when the key is free; STORE_PRECONDITION when its request had another body.
static store_status find_request(pg_connection *c, const store_request *r, store_job *job) {
  static const char sql[] = "SELECT job, sha256 FROM request_keys WHERE owner = $1 AND key = $2";
  char id[ID_SIZE];
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tt", r->owner, r->key);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  pg_copy(&rows, 0, id, sizeof id);
  bool same = strcmp(pg_text(&rows, 1), r->sha256) == 0;
  pg_end(&rows);
  return same ? pg_select_job(c, id, job) : STORE_PRECONDITION;
}

store_status postgresql_job_find_request(store *s, const store_request *request, store_job *job) {
  pg_connection *c = pg_read(s);
  store_status status = c ? find_request(c, request, job) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

// Two requests with one key at the same time: the second waits here for the first one's end.
store_status pg_request_keep(pg_connection *c, const store_request *r, const char *id) {
  static const char sql[] =
      "INSERT INTO request_keys (owner, key, sha256, job) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
  pg_rows rows;
  if (!r->key) return STORE_OK;
  store_status status = pg_run(c, &rows, sql, "tttt", r->owner, r->key, r->sha256, id);
  if (status != STORE_OK) return status;
  bool kept = pg_changed(&rows) == 1;
  pg_end(&rows);
  return kept ? STORE_OK : STORE_EXISTS;
}

// -------------------------------------------------------------------------------------------------------------- jobs

typedef struct insertion {
  store_job *job;
  const char *model_document;
  const store_room *room;
  const store_request *request;
} insertion;

static store_status insert(pg_connection *c, void *context) {
  const insertion *x = context;
  store_job *job = x->job;
  const char *whole = NULL;
  const pg_submission one = {.jobs = &job, .model_documents = &x->model_document, .model_bases = &whole, .count = 1};
  int64_t place = 0, now_ms = 0, bytes = bytes_of(job, x->model_document);
  store_status status = pg_keep_begin(c, job->owner, x->room->keep);
  if (status == STORE_OK) status = pg_job_room(c, x->room, job->queue, 1, bytes, &place, &now_ms);
  if (status == STORE_OK) status = pg_jobs_add(c, &one, place, now_ms);
  if (status == STORE_OK) status = pg_request_keep(c, x->request, job->id);
  unsigned bounds = 1U << STORE_KEPT_JOBS | 1U << STORE_KEPT_BYTES | (x->request->key ? 1U << STORE_KEPT_KEYS : 0);
  return status == STORE_OK ? pg_keep_check(c, job->owner, bounds, x->room->keep) : status;
}

store_status postgresql_job_insert(store *s, store_job *job, const char *model_document, const store_room *room,
                                   const store_request *request) {
  insertion x = {.job = job, .model_document = model_document, .room = room, .request = request};
  store_status status = pg_change(s, insert, &x, NULL);
  if (status == STORE_OK) pg_tell_work(s, false);
  return status;
}
