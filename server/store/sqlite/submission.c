// Submissions: a job with its document, labels and first event, when there is room for it and its request has not come
// before.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <string.h>

int64_t sqlite_job_bytes(const store_job *job, const char *model_document) {
  return (int64_t)strlen(job->document) + (model_document ? (int64_t)strlen(model_document) : 0);
}

static store_status insert_job(connection *c, store_job *job, const char *model_document, bool incoming) {
  static const char sql[] =
      "INSERT INTO jobs (id, kind, state, priority, model_name, model_revision, model_sha256, document, labels, t_end, "
      "created_ms, retry_of, parent, warnings, owner, queue, bytes, document_base, incoming, model_owner, digest) "
      "VALUES "
      "(?1, ?2, 'queued', "
      "?3, nullif(?4, ''), "
      "nullif(?5, 0), ?6, ?7, ?8, ?9, ?10, nullif(?11, ''), nullif(?12, ''), ?13, nullif(?14, ''), ?15, ?16, "
      "nullif(?17, ''), ?18, iif(?5 = 0, NULL, ?19), row_digest(?1, ?2, ?3, nullif(?4, ''), nullif(?5, 0), ?6, ?7, "
      "nullif(?17, ''), ?8, "
      "nullif(?11, ''), nullif(?14, '')))";
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, sql), "ttititttditttttitit", job->id, job->kind, (int64_t)job->priority, job->model_name,
               job->model_revision, job->model_sha256, job->document, job->labels, job->t_end, job->created_ms,
               job->retry_of, job->parent, job->warnings, job->owner, job->queue, sqlite_job_bytes(job, model_document),
               job->document_base, (int64_t)incoming, job->model_owner); // SQLite stores a NaN as NULL
  store_status status = sql_run(c, stmt);
  job->seq = sqlite3_last_insert_rowid(c->db);
  return status == STORE_OK ? sqlite_charge_job_comes(c, job) : status;
}

static store_status insert_labels(connection *c, const store_job *job) {
  static const char sql[] = "INSERT INTO job_labels SELECT key, value, ?1 FROM json_each(?2)";
  if (strcmp(job->labels, "{}") == 0) return STORE_OK;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "it", job->seq, job->labels));
}

static store_status say_key_damaged(const char *key) {
  log_write(LOG_LEVEL_ERROR, "row_damaged", LOG_S("table", "request_keys"), LOG_S("row", key),
            LOG_S("detail", "the disk has changed it since: run `tendrild check` and restore a backup"));
  return STORE_FAILED;
}

// STORE_NOT_FOUND when the key is free; STORE_PRECONDITION when its request had another body.
static store_status find_request(connection *c, const store_request *r, store_job *job) {
  static const char sql[] = "SELECT job, sha256, digest IS NULL OR digest = " STORE_KEY_DIGEST(
      "owner") " FROM request_keys WHERE owner = ?1 AND key = ?2";
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tt", r->owner, r->key);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, id, sizeof id);
  sql_text(stmt, 1, sha256, sizeof sha256);
  bool whole = sqlite3_column_int(stmt, 2) != 0;
  sql_done(stmt);
  if (!whole) return say_key_damaged(r->key);
  return strcmp(sha256, r->sha256) == 0 ? sqlite_select_job(c, id, job) : STORE_PRECONDITION;
}

store_status sqlite_job_find_request(store *s, const store_request *request, store_job *job) {
  connection *c = sqlite_read(s);
  store_status status = find_request(c, request, job);
  sqlite_read_end(s, c);
  return status;
}

// Two requests with one key at the same time: the second one finds what the first one wrote.
store_status sqlite_request_free(connection *c, const store_request *r) {
  store_job other;
  if (!r->key) return STORE_OK;
  store_status status = find_request(c, r, &other);
  if (status == STORE_OK) store_job_fini(&other);
  return status == STORE_NOT_FOUND                            ? STORE_OK
         : status == STORE_OK || status == STORE_PRECONDITION ? STORE_EXISTS
                                                              : status;
}

store_status sqlite_request_keep(connection *c, const store_request *r, const char *id) {
  static const char sql[] = "INSERT INTO request_keys (owner, key, sha256, job, digest) "
                            "VALUES (?1, ?2, ?3, ?4, row_digest(?1, ?2, ?3, ?4))";
  if (!r->key) return STORE_OK;
  store_status status = sql_run(c, sql_bind(sql_prepare(c, sql), "tttt", r->owner, r->key, r->sha256, id));
  return status == STORE_OK ? sqlite_charge_key(c, r->owner) : status;
}

// The queue of all and the express one are bounded by what all may have only.
static store_status room_in_queue(connection *c, const store_room *room, const char *queue, int64_t count,
                                  int64_t bytes) {
  static const char sql[] =
      "SELECT queued + ?2 > ?4 AND ?4 > 0 OR bytes + ?3 > ?5 AND ?5 > 0 FROM queues WHERE name = ?1";
  int64_t full = (room->each > 0 && count > room->each) || (room->each_bytes > 0 && bytes > room->each_bytes);
  if (!*queue || strcmp(queue, STORE_EXPRESS) == 0) return STORE_OK;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tiiii", queue, count, bytes, room->each, room->each_bytes);
  store_status status = sql_integer(c, stmt, &full);
  if (status == STORE_NOT_FOUND) status = STORE_OK; // its first job
  return status == STORE_OK && full ? STORE_SHARE : status;
}

store_status sqlite_job_room(connection *c, const store_room *room, const char *queue, int64_t count, int64_t bytes) {
  static const char sql[] = "SELECT count FROM job_counts WHERE state = 'queued'";
  int64_t waiting = 0;
  store_status status = sql_integer(c, sql_prepare(c, sql), &waiting);
  if (status == STORE_OK && waiting + count > room->all) status = STORE_PRECONDITION;
  return status == STORE_OK ? room_in_queue(c, room, queue, count, bytes) : status;
}

store_status sqlite_job_add(connection *c, store_job *job, const char *model_document, const char *model_base,
                            bool incoming) {
  job->state = JOB_QUEUED;
  store_status status =
      model_document ? sqlite_document_put(c, job->model_sha256, model_document, model_base) : STORE_OK;
  if (status == STORE_OK) status = insert_job(c, job, model_document, incoming);
  if (status == STORE_OK) status = insert_labels(c, job);
  return sqlite_event_state(c, job->id, status);
}

typedef struct insertion {
  store_job *job;
  const char *model_document;
  const store_room *room;
  const store_request *request;
} insertion;

static store_status insert(connection *c, void *context) {
  const insertion *x = context;
  store_job *job = x->job;
  job->created_ms = clock_now_ms();
  store_status status = sqlite_job_room(c, x->room, job->queue, 1, sqlite_job_bytes(job, x->model_document));
  if (status == STORE_OK) status = sqlite_request_free(c, x->request);
  if (status == STORE_OK) status = sqlite_job_add(c, job, x->model_document, NULL, false);
  if (status == STORE_OK) status = sqlite_request_keep(c, x->request, job->id);
  unsigned bounds = 1U << STORE_KEPT_JOBS | 1U << STORE_KEPT_BYTES | (x->request->key ? 1U << STORE_KEPT_KEYS : 0);
  return status == STORE_OK ? sqlite_keep_check(c, job->owner, bounds, 0, x->room->keep) : status;
}

store_status sqlite_job_insert(store *s, store_job *job, const char *model_document, const store_room *room,
                               const store_request *request) {
  insertion x = {.job = job, .model_document = model_document, .room = room, .request = request};
  store_status status = sqlite_write(s, insert, &x, NULL);
  if (status == STORE_OK) store_notify_work(s, false);
  return status;
}
