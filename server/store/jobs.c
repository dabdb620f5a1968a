// Jobs: submission, claim, end, requeue, cancel.
//
// Every change of a row names the state it expects and, for writes of workers, the attempt that owns the job; a row that
// does not match is left alone and the caller gets STORE_PRECONDITION. That makes the commit of a result exactly-once
// although execution is at-least-once: a worker of a lost attempt can write nothing.
#include "base/clock.h"
#include "store/sqlite.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t LONGEST_BACKOFF_MS = 60000; // a job due later than this is due: the clock was set back

#define JOB_COLUMNS                                                                                                    \
  "seq, id, kind, state, attempt, crashes, priority, cancel, model_name, model_revision, model_sha256, document, "     \
  "labels, error, t_end, created_ms, started_ms, finished_ms, result_size, result_sha256"

void store_job_fini(store_job *job) {
  free(job->document);
  free(job->labels);
  free(job->error);
  job->document = job->labels = job->error = NULL;
}

static void read_job(sqlite3_stmt *stmt, store_job *job) {
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
}

static store_status one_job(connection *c, sqlite3_stmt *stmt, store_job *job) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  read_job(stmt, job);
  sql_done(stmt);
  return STORE_OK;
}

static store_status select_job(connection *c, const char *id, store_job *job) {
  static const char sql[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1";
  return one_job(c, sql_bind(sql_prepare(c, sql), "t", id), job);
}

// STORE_OK when the last statement changed exactly the one row it was meant for.
static store_status changed(connection *c, store_status status) {
  return status != STORE_OK || sqlite3_changes(c->db) == 1 ? status : STORE_PRECONDITION;
}

// -------------------------------------------------------------------------------------------------------- submission

static store_status insert_job(connection *c, store_job *job) {
  static const char sql[] =
      "INSERT INTO jobs (id, kind, state, priority, model_name, model_revision, model_sha256, document, labels, t_end, "
      "created_ms) VALUES (?1, ?2, 'queued', ?3, nullif(?4, ''), nullif(?5, 0), ?6, ?7, ?8, ?9, ?10)";
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ttititttdi", job->id, job->kind, (int64_t)job->priority,
                                job->model_name, job->model_revision, job->model_sha256, job->document, job->labels,
                                job->t_end, job->created_ms); // SQLite stores a NaN as NULL
  store_status status = sql_run(c, stmt);
  job->seq = sqlite3_last_insert_rowid(c->db);
  return status;
}

store_status store_job_insert(store *s, store_job *job, const char *model_document, int64_t limit) {
  static const char waiting[] = "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' LIMIT ?1)";
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  int64_t count = 0;
  job->created_ms = clock_now_ms();
  job->state = JOB_QUEUED;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, waiting), "i", limit), &count);
  if (status == STORE_OK && count >= limit) status = STORE_PRECONDITION;
  if (status == STORE_OK) status = store_document_put(c, job->model_sha256, model_document);
  if (status == STORE_OK) status = insert_job(c, job);
  return store_end(s, c, status);
}

// ----------------------------------------------------------------------------------------------------------- reading

store_status store_job_get(store *s, const char *id, store_job *job) {
  connection *c = store_read(s);
  store_status status = select_job(c, id, job);
  store_read_end(s, c);
  return status;
}

store_status store_job_list(store *s, const store_job_filter *f, const store_visit *visit) {
  static const char sql[] =
      "SELECT " JOB_COLUMNS " FROM jobs WHERE (?1 = 0 OR seq < ?1) AND (?2 IS NULL OR state = ?2) "
      "AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR model_name = ?4) AND (?5 = 0 OR created_ms >= ?5) "
      "AND (?6 = 0 OR created_ms < ?6) AND (?7 IS NULL OR EXISTS (SELECT 1 FROM json_each(labels) AS l "
      "WHERE l.key = ?7 AND l.value = ?8)) ORDER BY seq DESC LIMIT ?9";
  connection *c = store_read(s);
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "itttiitti", f->before_seq, f->state, f->kind, f->model,
                                f->since_ms, f->until_ms, f->label_key, f->label_value, (int64_t)f->limit);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_job job;
    read_job(stmt, &job);
    visit->job(visit->context, &job);
    store_job_fini(&job);
  }
  store_read_end(s, c);
  return status;
}

store_status store_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] = "SELECT state, count(*) FROM jobs GROUP BY state";
  memset(counts, 0, JOB_STATE_COUNT * sizeof *counts);
  connection *c = store_read(s);
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    job_state state = job_state_find((const char *)sqlite3_column_text(stmt, 0));
    if (state < JOB_STATE_COUNT) counts[state] = sqlite3_column_int64(stmt, 1);
  }
  store_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- claim

static store_status next_due(connection *c, int64_t *due) {
  static const char sql[] = "SELECT coalesce(min(not_before_ms), 0) FROM jobs WHERE state = 'queued'";
  store_status status = sql_integer(c, sql_prepare(c, sql), due);
  return status == STORE_OK ? STORE_NOT_FOUND : status;
}

static store_status read_document(connection *c, const char *sha256, char **document) {
  static const char sql[] = "SELECT body FROM documents WHERE sha256 = ?1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", sha256);
  *document = NULL;
  if (!sql_row(c, stmt, &status)) return STORE_FAILED;
  *document = sql_text_copy(stmt, 0);
  sql_done(stmt);
  return *document ? STORE_OK : STORE_FAILED;
}

store_status store_document_get(store *s, const char *sha256, char **document) {
  connection *c = store_read(s);
  store_status status = read_document(c, sha256, document);
  store_read_end(s, c);
  return status;
}

store_status store_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char sql[] =
      "UPDATE jobs SET state = 'running', attempt = attempt + 1, started_ms = ?1 WHERE seq = ("
      "SELECT seq FROM jobs WHERE state = 'queued' AND not_before_ms NOT BETWEEN ?1 + 1 AND ?1 + ?2 "
      "ORDER BY priority DESC, seq LIMIT 1) RETURNING " JOB_COLUMNS;
  assert(job_transition_allowed(JOB_QUEUED, JOB_RUNNING));
  *next_due_ms = 0;
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  store_status status = one_job(c, sql_bind(sql_prepare(c, sql), "ii", clock_now_ms(), LONGEST_BACKOFF_MS), job);
  if (status == STORE_NOT_FOUND)
    status = next_due(c, next_due_ms);
  else if (status == STORE_OK) {
    status = read_document(c, job->model_sha256, model_document);
    if (status != STORE_OK) store_job_fini(job);
  }
  store_status end = store_end(s, c, status);
  if (status == STORE_OK && end != STORE_OK) store_job_fini(job), free(*model_document);
  return end;
}

// --------------------------------------------------------------------------------------------------- end and requeue

store_status store_job_finish(store *s, const char *id, int attempt, const store_outcome *o) {
  static const char sql[] = "UPDATE jobs SET state = ?3, error = ?4, finished_ms = ?5, result_size = nullif(?6, 0), "
                            "result_sha256 = ?7 WHERE id = ?1 AND attempt = ?2 AND state = 'running'";
  assert(job_transition_allowed(JOB_RUNNING, o->state));
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tittiit", id, (int64_t)attempt, job_state_name(o->state),
                                o->error, clock_now_ms(), o->result_size, o->result_sha256);
  return store_end(s, c, changed(c, sql_run(c, stmt)));
}

store_status store_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms) {
  static const char sql[] = "UPDATE jobs SET state = 'queued', crashes = crashes + ?3, not_before_ms = ?4 "
                            "WHERE id = ?1 AND attempt = ?2 AND state = 'running'";
  assert(job_transition_allowed(JOB_RUNNING, JOB_QUEUED));
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tiii", id, (int64_t)attempt, (int64_t)crashed,
                                delay_ms > 0 ? clock_now_ms() + delay_ms : 0);
  return store_end(s, c, changed(c, sql_run(c, stmt)));
}

store_status store_job_requeue_running(store *s, int *count) {
  static const char cancelled[] =
      "UPDATE jobs SET state = 'cancelled', finished_ms = ?1 WHERE state = 'running' AND cancel = 1";
  static const char sql[] = "UPDATE jobs SET state = 'queued', not_before_ms = 0 WHERE state = 'running'";
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  store_status status = sql_run(c, sql_bind(sql_prepare(c, cancelled), "i", clock_now_ms()));
  if (status == STORE_OK) status = sql_run(c, sql_prepare(c, sql));
  *count = sqlite3_changes(c->db);
  return store_end(s, c, status);
}

// -------------------------------------------------------------------------------------------------- cancel and delete

static store_status cancel(connection *c, const char *id, store_job *job) {
  static const char queued[] =
      "UPDATE jobs SET state = 'cancelled', finished_ms = ?2 WHERE id = ?1 AND state = 'queued'";
  static const char running[] = "UPDATE jobs SET cancel = 1 WHERE id = ?1 AND state = 'running'";
  store_status status = sql_run(c, sql_bind(sql_prepare(c, queued), "ti", id, clock_now_ms()));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, running), "t", id));
  return status == STORE_OK ? select_job(c, id, job) : status;
}

store_status store_job_cancel(store *s, const char *id, store_job *job) {
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  store_status status = cancel(c, id, job), end = store_end(s, c, status);
  if (status == STORE_OK && end != STORE_OK) store_job_fini(job);
  return end;
}

store_status store_job_delete(store *s, const char *id) {
  static const char sql[] = "DELETE FROM jobs WHERE id = ?1 AND state <> 'running'";
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  store_job job;
  store_status status = select_job(c, id, &job);
  if (status == STORE_OK) {
    store_job_fini(&job);
    status = changed(c, sql_run(c, sql_bind(sql_prepare(c, sql), "t", id)));
  }
  status = store_end(s, c, status);
  if (status == STORE_OK) store_result_remove(s, id), store_part_remove(s, id);
  return status;
}
