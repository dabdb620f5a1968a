// Jobs: submission, claim, end, requeue, cancel.
//
// Every change of a row names the state it expects and, for writes of workers, the attempt that owns the job; a row that
// does not match is left alone and the caller gets STORE_PRECONDITION. That makes the commit of a result exactly-once
// although execution is at-least-once: a worker of a lost attempt can write nothing.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t FIRST_WAIT_MS = 250;
// "queued running succeeded failed cancelled", as JOB_COLUMNS has them for sweeps.
static void read_counts(const char *text, int64_t counts[JOB_STATE_COUNT]) {
  char *rest = (char *)text;
  for (int i = 0; text && i < JOB_STATE_COUNT; i++) counts[i] = strtoll(rest, &rest, 10);
}

// "fraction t", the last progress of a job that ended without success.
static void read_reached(const char *text, store_job *job) {
  char *rest = (char *)text;
  if (!text) return;
  job->fraction = strtod(rest, &rest);
  job->t = strtod(rest, NULL);
}

void sqlite_read_job(sqlite3_stmt *stmt, store_job *job) {
  *job = (store_job){.seq = sqlite3_column_int64(stmt, 0)};
  sql_text(stmt, 1, job->id, sizeof job->id);
  sql_text(stmt, 2, job->kind, sizeof job->kind);
  job->state = job_state_find((const char *)sqlite3_column_text(stmt, 3));
  job->attempt = sqlite3_column_int(stmt, 4);
  job->crashes = sqlite3_column_int(stmt, 5);
  job->priority = sqlite3_column_int(stmt, 6);
  job->cancel = sqlite3_column_int(stmt, 7) != 0;
  sql_text(stmt, 8, job->model_name, sizeof job->model_name);
  job->model_revision = sqlite3_column_int64(stmt, 9);
  sql_text(stmt, 10, job->model_sha256, sizeof job->model_sha256);
  job->document = sql_text_copy(stmt, 11);
  job->labels = sql_text_copy(stmt, 12);
  job->error = sql_text_copy(stmt, 13);
  job->t_end = sqlite3_column_type(stmt, 14) == SQLITE_NULL ? NAN : sqlite3_column_double(stmt, 14);
  job->created_ms = sqlite3_column_int64(stmt, 15);
  job->started_ms = sqlite3_column_int64(stmt, 16);
  job->finished_ms = sqlite3_column_int64(stmt, 17);
  job->result_size = sqlite3_column_int64(stmt, 18);
  sql_text(stmt, 19, job->result_sha256, sizeof job->result_sha256);
  sql_text(stmt, 20, job->retry_of, sizeof job->retry_of);
  sql_text(stmt, 21, job->parent, sizeof job->parent);
  read_counts((const char *)sqlite3_column_text(stmt, 22), job->jobs);
  read_reached((const char *)sqlite3_column_text(stmt, 23), job);
  job->warnings = sql_text_copy(stmt, 24);
  sql_text(stmt, 25, job->owner, sizeof job->owner);
  sql_text(stmt, 26, job->queue, sizeof job->queue);
  sql_text(stmt, 27, job->document_base, sizeof job->document_base);
  job->waiting = sql_text_copy(stmt, 28);
  job->faults = sqlite3_column_int(stmt, 29);
  job->damaged = sqlite3_column_int(stmt, 30) == 0;
  if (*job->model_name) sql_text(stmt, 31, job->model_owner, sizeof job->model_owner);
}

store_status sqlite_one_job(connection *c, sqlite3_stmt *stmt, store_job *job) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sqlite_read_job(stmt, job);
  sql_done(stmt);
  return STORE_OK;
}

static store_status select_job(connection *c, const char *id, store_job *job) {
  static const char sql[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1";
  return sqlite_one_job(c, sql_bind(sql_prepare(c, sql), "t", id), job);
}

// Runs a change of one row that returns its parent. STORE_PRECONDITION when it is not the row that was expected.
static store_status move(connection *c, sqlite3_stmt *stmt, char parent[ID_SIZE]) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_PRECONDITION : status;
  sql_text(stmt, 0, parent, ID_SIZE);
  sql_done(stmt);
  return STORE_OK;
}

// After a change of its row: the event, and its sweep.
static store_status tell(connection *c, const char *id, const char *parent, job_state from, job_state to,
                         int64_t now_ms) {
  store_status status = sqlite_sweep_follow(c, parent, from, to, now_ms);
  return status == STORE_OK ? sqlite_event_state_at(c, id, now_ms) : status;
}

// -------------------------------------------------------------------------------------------------------- submission

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
      "nullif(?17, ''), ?18, iif(?4 = '', NULL, ?19), row_digest(?1, ?2, ?3, nullif(?4, ''), nullif(?5, 0), ?6, ?7, "
      "nullif(?17, ''), ?8, "
      "nullif(?11, ''), nullif(?14, '')))";
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, sql), "ttititttditttttitit", job->id, job->kind, (int64_t)job->priority, job->model_name,
               job->model_revision, job->model_sha256, job->document, job->labels, job->t_end, job->created_ms,
               job->retry_of, job->parent, job->warnings, job->owner, job->queue, sqlite_job_bytes(job, model_document),
               job->document_base, (int64_t)incoming, job->model_owner); // SQLite stores a NaN as NULL
  store_status status = sql_run(c, stmt);
  job->seq = sqlite3_last_insert_rowid(c->db);
  return status;
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
  return strcmp(sha256, r->sha256) == 0 ? select_job(c, id, job) : STORE_PRECONDITION;
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
  return r->key ? sql_run(c, sql_bind(sql_prepare(c, sql), "tttt", r->owner, r->key, r->sha256, id)) : STORE_OK;
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
  return sqlite_write(s, insert, &x, NULL);
}

// ----------------------------------------------------------------------------------------------------------- reading

store_status sqlite_job_get(store *s, const char *id, store_job *job) {
  connection *c = sqlite_read(s);
  store_status status = select_job(c, id, job);
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_find(store *s, const char *owner, const char *id, store_job *job) {
  static const char sql[] =
      "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1 AND incoming = 0 AND (?2 IS NULL OR owner = ?2)";
  connection *c = sqlite_read(s);
  store_status status = sqlite_one_job(c, sql_bind(sql_prepare(c, sql), "tt", id, owner), job);
  sqlite_read_end(s, c);
  return status;
}

static store_status read_counts_of(store *s, connection *c, sqlite3_stmt *stmt, int64_t counts[JOB_STATE_COUNT]) {
  store_status status;
  memset(counts, 0, JOB_STATE_COUNT * sizeof *counts);
  while (sql_row(c, stmt, &status)) {
    job_state state = job_state_find((const char *)sqlite3_column_text(stmt, 0));
    if (state < JOB_STATE_COUNT) counts[state] = sqlite3_column_int64(stmt, 1);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] = "SELECT state, count FROM job_counts";
  connection *c = sqlite_read(s);
  return read_counts_of(s, c, sql_prepare(c, sql), counts);
}

store_status sqlite_job_counts_of(store *s, const char *owner, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] =
      "SELECT state, count(*) FROM jobs INDEXED BY jobs_owner_state WHERE owner = ?1 GROUP BY state";
  connection *c = sqlite_read_many(s);
  return read_counts_of(s, c, sql_bind(sql_prepare(c, sql), "t", owner), counts);
}

// --------------------------------------------------------------------------------------------------- end and requeue

typedef struct finishing {
  const char *id;
  int64_t attempt;
  store_outcome *outcome;
} finishing;

// A cancel that was acknowledged while the job ran holds, whatever it came to meanwhile: a result is not kept.
static store_status finish(connection *c, void *context) {
  static const char sql[] =
      "UPDATE jobs SET state = iif(cancel AND ?3 = 'succeeded', 'cancelled', ?3), error = ?4, finished_ms = ?5, "
      "result_size = iif(cancel, NULL, nullif(?6, 0)), result_sha256 = iif(cancel, NULL, ?7), "
      "warnings = iif(?8 = '', warnings, ?8), t_end = iif(?9 > 0, ?9, t_end) "
      "WHERE id = ?1 AND attempt = ?2 AND state = 'running' RETURNING parent, state";
  const finishing *x = context;
  store_outcome *o = x->outcome;
  char parent[ID_SIZE];
  int64_t now_ms = clock_now_ms();
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tittiittd", x->id, x->attempt, job_state_name(o->state), o->error,
                                now_ms, o->result_size, o->result_sha256, o->warnings, o->t_end);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_PRECONDITION : status;
  sql_text(stmt, 0, parent, sizeof parent);
  o->ended = job_state_find((const char *)sqlite3_column_text(stmt, 1));
  sql_done(stmt);
  return tell(c, x->id, parent, JOB_RUNNING, o->ended, now_ms);
}

store_status sqlite_job_finish(store *s, const char *id, int attempt, store_outcome *outcome) {
  return sqlite_write(s, finish, &(finishing){.id = id, .attempt = attempt, .outcome = outcome}, id);
}

typedef struct requeue {
  const char *id;
  int64_t attempt, crashed, delay_ms;
  const char *why; // not NULL: what it waits for
} requeue;

static store_status put_back(connection *c, void *context) {
  static const char sql[] =
      "UPDATE jobs SET state = 'queued', crashes = crashes + ?3, not_before_ms = ?4, waiting = ?5, "
      "faults = iif(?5 IS NULL, 0, faults + 1) WHERE id = ?1 AND attempt = ?2 AND state = 'running' RETURNING parent";
  static const char cancelled[] =
      "UPDATE jobs SET state = 'cancelled', finished_ms = ?3 WHERE id = ?1 AND attempt = ?2 "
      "AND state = 'running' AND cancel = 1 RETURNING parent"; // before anybody could be told
  const requeue *x = context;
  char parent[ID_SIZE];
  int64_t now_ms = clock_now_ms(), due_ms = x->delay_ms > 0 ? now_ms + x->delay_ms : 0;
  store_status status = STORE_PRECONDITION;
  if (x->why) status = move(c, sql_bind(sql_prepare(c, cancelled), "tii", x->id, x->attempt, now_ms), parent);
  if (status == STORE_OK) return tell(c, x->id, parent, JOB_RUNNING, JOB_CANCELLED, now_ms);
  if (status != STORE_PRECONDITION) return status;
  status = move(c, sql_bind(sql_prepare(c, sql), "tiiit", x->id, x->attempt, x->crashed, due_ms, x->why), parent);
  return status == STORE_OK ? tell(c, x->id, parent, JOB_RUNNING, JOB_QUEUED, now_ms) : status;
}

store_status sqlite_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms) {
  return sqlite_write(s, put_back, &(requeue){.id = id, .attempt = attempt, .crashed = crashed, .delay_ms = delay_ms},
                      id);
}

store_status sqlite_job_wait(store *s, const store_job *job, const char *why) {
  int64_t delay_ms = job->faults < 8 ? FIRST_WAIT_MS << job->faults : SQLITE_BACKOFF_MS;
  requeue x = {.id = job->id, .attempt = job->attempt, .delay_ms = delay_ms, .why = why};
  if (!job->waiting || strcmp(job->waiting, why) != 0) {
    store_status remarked = sqlite_job_remark(s, job->id, job->attempt, "warning", why);
    (void)remarked; // the remark is for people; the requeue decides
  }
  return sqlite_write(s, put_back, &x, job->id);
}

static store_status log_interrupted(connection *c) {
  static const char sql[] = "SELECT id, attempt, iif(cancel, 'cancelled', 'queued') FROM jobs WHERE state = 'running' "
                            "AND kind <> 'sweep'";
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  store_status status;
  while (sql_row(c, stmt, &status))
    log_write(LOG_LEVEL_INFO, "job_interrupted", LOG_S("job", (const char *)sqlite3_column_text(stmt, 0)),
              LOG_I("attempt", sqlite3_column_int64(stmt, 1)),
              LOG_S("state", (const char *)sqlite3_column_text(stmt, 2)));
  return status;
}

// What ran goes to another state by a statement that returns the sweeps that they are of ("": none).
static store_status move_all(connection *c, sqlite3_stmt *stmt, job_state to, int64_t now_ms, size_t *count) {
  sql_id_list sweeps = {.id = NULL};
  store_status status = sql_ids(c, stmt, &sweeps);
  for (size_t i = 0; status == STORE_OK && i < sweeps.count; i++)
    status = sqlite_sweep_follow(c, sweeps.id[i], JOB_RUNNING, to, now_ms);
  *count = sweeps.count;
  free(sweeps.id);
  return status;
}

static store_status put_all_back(connection *c, void *context) {
  static const char cancelled[] = "UPDATE jobs SET state = 'cancelled', finished_ms = ?1 WHERE state = 'running' AND "
                                  "cancel = 1 AND kind <> 'sweep' RETURNING coalesce(parent, '')";
  static const char queued[] = "UPDATE jobs SET state = 'queued', not_before_ms = 0 WHERE state = 'running' AND "
                               "kind <> 'sweep' RETURNING coalesce(parent, '')";
  int64_t now_ms = clock_now_ms();
  size_t count = 0;
  store_status status = sqlite_sweep_repair(c);
  if (status == STORE_OK) status = log_interrupted(c);
  if (status == STORE_OK) status = sqlite_event_restart(c);
  if (status == STORE_OK)
    status = move_all(c, sql_bind(sql_prepare(c, cancelled), "i", now_ms), JOB_CANCELLED, now_ms, &count);
  if (status == STORE_OK) status = move_all(c, sql_prepare(c, queued), JOB_QUEUED, now_ms, &count);
  *(int *)context = (int)count;
  return status;
}

store_status sqlite_job_requeue_running(store *s, int *count) { return sqlite_write(s, put_all_back, count, NULL); }

// -------------------------------------------------------------------------------------------------- cancel and delete

typedef struct cancellation {
  const char *id;
  store_job *job;
} cancellation;

static store_status cancel(connection *c, void *context) {
  static const char queued[] =
      "UPDATE jobs SET state = 'cancelled', finished_ms = ?2 WHERE id = ?1 AND state = 'queued' RETURNING parent";
  static const char running[] = "UPDATE jobs SET cancel = 1 WHERE id = ?1 AND state = 'running'";
  const cancellation *x = context;
  char parent[ID_SIZE];
  int64_t now_ms = clock_now_ms();
  store_job_fini(x->job);
  store_status status = move(c, sql_bind(sql_prepare(c, queued), "ti", x->id, now_ms), parent);
  if (status == STORE_OK)
    status = tell(c, x->id, parent, JOB_QUEUED, JOB_CANCELLED, now_ms);
  else if (status == STORE_PRECONDITION)
    status = sql_run(c, sql_bind(sql_prepare(c, running), "t", x->id));
  return status == STORE_OK ? select_job(c, x->id, x->job) : status;
}

store_status sqlite_job_cancel(store *s, const char *id, store_job *job) {
  *job = (store_job){.seq = 0};
  store_status status = sqlite_write(s, cancel, &(cancellation){.id = id, .job = job}, id);
  if (status != STORE_OK) store_job_fini(job);
  return status;
}

static store_status delete_job(connection *c, void *context) {
  static const char there[] = "SELECT 1 FROM jobs WHERE id = ?1";
  static const char sql[] = "DELETE FROM jobs WHERE id = ?1 AND state <> 'running'";
  const char *id = *(const char **)context;
  int64_t one;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, there), "t", id), &one);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, sql), "t", id));
  return status != STORE_OK || sqlite3_changes(c->db) == 1 ? status : STORE_PRECONDITION;
}

store_status sqlite_job_delete(store *s, const char *id) {
  store_job job;
  store_status status = sqlite_job_get(s, id, &job);
  if (status != STORE_OK) return status;
  store_job_fini(&job);
  if (strcmp(job.kind, "sweep") == 0) return sqlite_sweep_delete(s, id);
  status = sqlite_write(s, delete_job, &id, id);
  if (status == STORE_OK) store_job_gone(s, id, job.owner);
  return status;
}
