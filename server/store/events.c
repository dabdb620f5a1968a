// The event log of each job: changes of state, progress, remarks.
//
// A change of state and its event are one transaction, so the log tells neither more nor less than the row. Numbers are
// given by max + 1 inside the transaction, and the newest event is never pruned: they only rise. The log stays bounded:
// of the progress of a job only the newest STORE_PROGRESS_KEPT events remain, and states and remarks are few.
#include "base/clock.h"
#include "store/sqlite.h"

#define NEXT_SEQ "coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = j.seq), 0) + 1"

void store_on_event(store *s, void (*notify)(void *context, const char *id), void *context) {
  pthread_mutex_lock(&s->notify_lock);
  s->notify = notify;
  s->notify_context = context;
  pthread_mutex_unlock(&s->notify_lock);
}

store_status store_notify(store *s, const char *id, store_status status) {
  pthread_mutex_lock(&s->notify_lock);
  if (status == STORE_OK && s->notify) s->notify(s->notify_context, id);
  pthread_mutex_unlock(&s->notify_lock);
  return status;
}

store_status store_event_state(connection *c, const char *id, store_status status) {
  static const char sql[] =
      "INSERT INTO events SELECT j.seq, " NEXT_SEQ ", ?2, j.attempt, 'state', CASE WHEN j.error IS NULL "
      "THEN json_object('state', j.state) ELSE json_object('state', j.state, 'error', json(j.error)) END "
      "FROM jobs AS j WHERE j.id = ?1";
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sql), "ti", id, clock_now_ms())) : status;
}

store_status store_event_restart(connection *c) {
  static const char sql[] =
      "INSERT INTO events SELECT j.seq, " NEXT_SEQ ", ?1, j.attempt, 'state', "
      "json_object('state', iif(j.cancel, 'cancelled', 'queued')) FROM jobs AS j WHERE j.state = 'running'";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "i", clock_now_ms()));
}

static store_status one_change(connection *c, store_status status) {
  return status != STORE_OK || sqlite3_changes(c->db) == 1 ? status : STORE_PRECONDITION;
}

static store_status prune(connection *c, const char *id) {
  static const char sql[] =
      "DELETE FROM events WHERE job = (SELECT seq FROM jobs WHERE id = ?1) AND type = 'progress' AND seq <= "
      "(SELECT max(e.seq) FROM events AS e JOIN jobs AS j ON e.job = j.seq WHERE j.id = ?1) - ?2";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "ti", id, (int64_t)STORE_PROGRESS_KEPT));
}

store_status store_job_progress(store *s, const char *id, int attempt, double fraction, double t, double t_end) {
  static const char sql[] = "INSERT INTO events SELECT j.seq, " NEXT_SEQ ", ?3, j.attempt, 'progress', "
                            "json_object('fraction', ?4, 't', ?5, 't_end', ?6) "
                            "FROM jobs AS j WHERE j.id = ?1 AND j.attempt = ?2 AND j.state = 'running'";
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, sql), "tiiddd", id, (int64_t)attempt, clock_now_ms(), fraction, t, t_end);
  store_status status = one_change(c, sql_run(c, stmt));
  if (status == STORE_OK) status = prune(c, id);
  return store_notify(s, id, store_end(s, c, status));
}

store_status store_job_remark(store *s, const char *id, int attempt, const char *level, const char *message) {
  static const char sql[] =
      "INSERT INTO events SELECT j.seq, " NEXT_SEQ ", ?3, j.attempt, 'log', json_object('level', ?4, 'message', ?5) "
      "FROM jobs AS j WHERE j.id = ?1 AND j.attempt = ?2";
  connection *c = store_begin(s);
  if (!c) return STORE_FAILED;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tiitt", id, (int64_t)attempt, clock_now_ms(), level, message);
  return store_notify(s, id, store_end(s, c, one_change(c, sql_run(c, stmt))));
}

// The state is read before the events: a job seen as ended has all its events in the log already.
static store_status read_state(connection *c, const char *id, int64_t *job, bool *ended) {
  static const char sql[] = "SELECT seq, state FROM jobs WHERE id = ?1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  *job = sqlite3_column_int64(stmt, 0);
  *ended = job_state_terminal(job_state_find((const char *)sqlite3_column_text(stmt, 1)));
  sql_done(stmt);
  return STORE_OK;
}

store_status store_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                              bool *ended) {
  static const char sql[] = "SELECT seq, time_ms, attempt, type, data FROM events WHERE job = ?1 AND seq > ?2 "
                            "ORDER BY seq LIMIT ?3";
  connection *c = store_read(s);
  int64_t job = 0;
  store_status status = read_state(c, id, &job, ended);
  if (status == STORE_OK) {
    sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "iii", job, after, (int64_t)limit);
    while (sql_row(c, stmt, &status))
      visit->event(visit->context, &(store_event){.seq = sqlite3_column_int64(stmt, 0),
                                                  .time_ms = sqlite3_column_int64(stmt, 1),
                                                  .attempt = sqlite3_column_int(stmt, 2),
                                                  .type = (const char *)sqlite3_column_text(stmt, 3),
                                                  .data = (const char *)sqlite3_column_text(stmt, 4)});
  }
  store_read_end(s, c);
  return status;
}
