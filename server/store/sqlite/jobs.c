// Jobs: end, requeue, cancel, delete.
//
// Every change of a row names the state it expects and, for writes of workers, the attempt that owns the job; a row
// that does not match is left alone and the caller gets STORE_PRECONDITION. That makes the commit of a result
// exactly-once although execution is at-least-once: a worker of a lost attempt can write nothing.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const int64_t FIRST_WAIT_MS = 250;
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
      "WHERE id = ?1 AND attempt = ?2 AND state = 'running' RETURNING parent, state, owner, "
      "coalesce(result_size, 0)";
  const finishing *x = context;
  store_outcome *o = x->outcome;
  char parent[ID_SIZE], owner[STORE_NAME_SIZE];
  int64_t now_ms = clock_now_ms();
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tittiittd", x->id, x->attempt, job_state_name(o->state), o->error,
                                now_ms, o->result_size, o->result_sha256, o->warnings, o->t_end);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_PRECONDITION : status;
  sql_text(stmt, 0, parent, sizeof parent);
  o->ended = job_state_find((const char *)sqlite3_column_text(stmt, 1));
  sql_text(stmt, 2, owner, sizeof owner);
  int64_t size = sqlite3_column_int64(stmt, 3);
  sql_done(stmt);
  status = sqlite_charge_result(c, owner, size);
  return status == STORE_OK ? tell(c, x->id, parent, JOB_RUNNING, o->ended, now_ms) : status;
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

// It is work again, from when it is due.
static store_status write_requeue(store *s, requeue *x) {
  store_status status = sqlite_write(s, put_back, x, x->id);
  if (status == STORE_OK) store_notify_work(s, false);
  return status;
}

store_status sqlite_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms) {
  requeue x = {.id = id, .attempt = attempt, .crashed = crashed, .delay_ms = delay_ms};
  return write_requeue(s, &x);
}

store_status sqlite_job_wait(store *s, const store_job *job, const char *why) {
  int64_t delay_ms = job->faults < 8 ? FIRST_WAIT_MS << job->faults : SQLITE_BACKOFF_MS;
  requeue x = {.id = job->id, .attempt = job->attempt, .delay_ms = delay_ms, .why = why};
  if (!job->waiting || strcmp(job->waiting, why) != 0) {
    store_status remarked = sqlite_job_remark(s, job->id, job->attempt, "warning", why);
    (void)remarked; // the remark is for people; the requeue decides
  }
  return write_requeue(s, &x);
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

store_status sqlite_job_requeue_running(store *s, int *count) {
  store_status status = sqlite_write(s, put_all_back, count, NULL);
  if (status == STORE_OK && *count > 0) store_notify_work(s, true);
  return status;
}

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
  return status == STORE_OK ? sqlite_select_job(c, x->id, x->job) : status;
}

store_status sqlite_job_cancel(store *s, const char *id, store_job *job) {
  *job = (store_job){.seq = 0};
  store_status status = sqlite_write(s, cancel, &(cancellation){.id = id, .job = job}, id);
  if (status != STORE_OK) store_job_fini(job);
  return status;
}

static store_status delete_job(connection *c, void *context) {
  static const char sql[] = "SELECT state = 'running' FROM jobs WHERE id = ?1";
  const char *id = *(const char **)context;
  int64_t running = 0;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &running);
  if (status == STORE_OK && running) return STORE_PRECONDITION;
  return status == STORE_OK ? sqlite_job_remove(c, id) : status;
}

store_status sqlite_job_delete(store *s, const char *id) {
  store_job job;
  store_status status = sqlite_job_get(s, id, &job);
  if (status != STORE_OK) return status;
  store_job_fini(&job);
  if (strcmp(job.kind, "sweep") == 0) return sqlite_sweep_delete(s, id);
  status = sqlite_write(s, delete_job, &id, id);
  store_result_name result = store_result_named(id, 0, "");
  if (status == STORE_OK) store_job_gone(s, &result, job.owner);
  return status;
}
