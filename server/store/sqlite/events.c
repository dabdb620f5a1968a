// The event log of each job: changes of state, progress, remarks.
//
// A change of state and its event are one transaction, so the log tells neither more nor less than the row. Numbers are
// given by max + 1 inside the transaction, and the newest event is never pruned: they only rise. The log stays bounded:
// of progress and samples only what is among the newest STORE_PROGRESS_KEPT events of a job remains; states and remarks
// are few.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>

#define JOB_SEQ "j.seq AS job, coalesce((SELECT max(o.seq) FROM events AS o WHERE o.job = j.seq), 0) + 1 AS seq"

store_status sqlite_event_add(connection *c, sqlite3_stmt *stmt, int *added) {
  store_status status, charged = STORE_OK;
  int count = 0;
  for (; charged == STORE_OK && sql_row(c, stmt, &status); count++)
    charged = sqlite_charge_event(c, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1));
  if (charged != STORE_OK) sql_done(stmt);
  if (added) *added = count;
  return charged != STORE_OK ? charged : status;
}

store_status sqlite_event_state_at(connection *c, const char *id, int64_t now_ms) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT " JOB_SEQ ", ?2 AS time_ms, j.attempt AS attempt, 'state' AS type, "
      "json_patch(json_patch(json_object('state', j.state), iif(j.error IS NULL, '{}', json_object('error', "
      "json(j.error)))), iif(j.warnings IS NULL, '{}', json_object('warnings', json(j.warnings)))) AS data "
      "FROM jobs AS j WHERE j.id = ?1");
  return sqlite_event_add(c, sql_bind(sql_prepare(c, sql), "ti", id, now_ms), NULL);
}

store_status sqlite_event_state(connection *c, const char *id, store_status status) {
  return status == STORE_OK ? sqlite_event_state_at(c, id, clock_now_ms()) : status;
}

store_status sqlite_event_restart(connection *c) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT " JOB_SEQ ", ?1 AS time_ms, j.attempt AS attempt, 'state' AS type, "
      "json_object('state', iif(j.cancel, 'cancelled', 'queued')) AS data FROM jobs AS j WHERE j.state = 'running' "
      "AND j.kind <> 'sweep'");
  return sqlite_event_add(c, sql_bind(sql_prepare(c, sql), "i", clock_now_ms()), NULL);
}

// Of an attempt that owns the job: without a row that matches nothing is added.
static store_status add_one(connection *c, sqlite3_stmt *stmt) {
  int added = 0;
  store_status status = sqlite_event_add(c, stmt, &added);
  return status != STORE_OK || added == 1 ? status : STORE_PRECONDITION;
}

static store_status prune(connection *c, const char *id) {
  static const char sql[] = "DELETE FROM events WHERE job = (SELECT seq FROM jobs WHERE id = ?1) AND type IN "
                            "('progress', 'samples') AND seq <= "
                            "(SELECT max(e.seq) FROM events AS e JOIN jobs AS j ON e.job = j.seq WHERE j.id = ?1) - ?2";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "ti", id, (int64_t)STORE_PROGRESS_KEPT));
}

typedef struct news {
  char id[ID_SIZE];
  int64_t attempt, now_ms, rows;
  store_progress progress;
} news;

static store_status add_news(connection *c, const char *id, sqlite3_stmt *stmt) {
  store_status status = add_one(c, stmt);
  return status == STORE_OK ? prune(c, id) : status;
}

// What the last event of a job's progress told, 0 without one.
#define TOLD(member)                                                                                                   \
  "coalesce((SELECT e.data ->> '" member "' FROM events AS e WHERE e.job = j.seq AND e.type = 'progress' "             \
  "ORDER BY e.seq DESC LIMIT 1), 0)"

// Who tells the progress of a sweep looks at its jobs one after the other while they end: it never falls behind what
// was told. That of another job may: a new attempt begins where its checkpoint is.
store_status sqlite_event_progress(connection *c, const char *id, int64_t attempt, int64_t now_ms,
                                   const store_progress *at) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT " JOB_SEQ ", ?3 AS time_ms, j.attempt AS attempt, 'progress' AS type, "
      "iif(?7, json_object('fraction', ?4, 't', ?5, 't_end', ?6, 'phase', 'checking'), "
      "iif(j.kind = 'sweep', json_object('fraction', max(?4, " TOLD(
          "fraction") "), 't', "
                      "CAST(max(?5, " TOLD(
                          "t") ") AS INTEGER), 't_end', CAST(?6 AS INTEGER)), "
                               "json_object('fraction', ?4, 't', ?5, 't_end', ?6))) AS data "
                               "FROM jobs AS j WHERE j.id = ?1 AND j.attempt = ?2 AND j.state = 'running'");
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tiidddi", id, attempt, now_ms, at->fraction, at->t, at->t_end,
                                (int64_t)at->checking);
  return add_news(c, id, stmt);
}

static store_status add_progress(connection *c, void *context) {
  const news *p = context;
  return sqlite_event_progress(c, p->id, p->attempt, p->now_ms, &p->progress);
}

static store_status add_samples(connection *c, void *context) {
  static const char sql[] =
      STORE_ADD_EVENTS("SELECT " JOB_SEQ ", ?3 AS time_ms, j.attempt AS attempt, 'samples' AS type, "
                       "json_object('rows', ?4) AS data "
                       "FROM jobs AS j WHERE j.id = ?1 AND j.attempt = ?2 AND j.state = 'running'");
  const news *p = context;
  return add_news(c, p->id, sql_bind(sql_prepare(c, sql), "tiii", p->id, p->attempt, p->now_ms, p->rows));
}

static store_status write_news(store *s, const char *id, const news *from,
                               store_status (*add)(connection *c, void *context)) {
  news *p = malloc(sizeof *p);
  if (!p) return STORE_FULL;
  *p = *from;
  p->now_ms = clock_now_ms();
  snprintf(p->id, sizeof p->id, "%s", id);
  return sqlite_write_later(s, add, p, p->id);
}

store_status sqlite_job_progress(store *s, const char *id, int attempt, const store_progress *now) {
  return write_news(s, id, &(news){.attempt = attempt, .progress = *now}, add_progress);
}

store_status sqlite_job_samples(store *s, const char *id, int attempt, uint64_t rows) {
  return write_news(s, id, &(news){.attempt = attempt, .rows = (int64_t)rows}, add_samples);
}

typedef struct remark {
  const char *id, *level, *message;
  int64_t attempt;
} remark;

static store_status add_remark(connection *c, void *context) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT " JOB_SEQ ", ?3 AS time_ms, j.attempt AS attempt, 'log' AS type, "
      "json_object('level', ?4, 'message', ?5) AS data FROM jobs AS j WHERE j.id = ?1 AND j.attempt = ?2");
  const remark *r = context;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tiitt", r->id, r->attempt, clock_now_ms(), r->level, r->message);
  return add_one(c, stmt);
}

store_status sqlite_job_remark(store *s, const char *id, int attempt, const char *level, const char *message) {
  return sqlite_write(s, add_remark, &(remark){.id = id, .level = level, .message = message, .attempt = attempt}, id);
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

static store_event read_event(sqlite3_stmt *stmt) {
  return (store_event){.seq = sqlite3_column_int64(stmt, 0),
                       .time_ms = sqlite3_column_int64(stmt, 1),
                       .attempt = sqlite3_column_int(stmt, 2),
                       .type = (const char *)sqlite3_column_text(stmt, 3),
                       .data = (const char *)sqlite3_column_text(stmt, 4)};
}

// What stands in the place of an event that is not what was written.
static const char damaged[] =
    "{\"level\":\"error\",\"message\":\"this event is not what was written: the disk has changed it\"}";

store_status sqlite_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                               bool *ended) {
  static const char sql[] = "SELECT seq, time_ms, attempt, type, data, digest IS NULL OR digest = " STORE_EVENT_DIGEST
                            " FROM events AS e WHERE job = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
  connection *c = sqlite_read(s);
  int64_t job = 0;
  store_status status = read_state(c, id, &job, ended);
  if (status == STORE_OK) {
    sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "iii", job, after, (int64_t)limit);
    while (sql_row(c, stmt, &status)) {
      store_event event = read_event(stmt);
      if (sqlite3_column_int(stmt, 5) == 0)
        event.type = "log", event.data = damaged, store_row_damaged(s, "events", id);
      visit->event(visit->context, &event);
    }
  }
  sqlite_read_end(s, c);
  return status;
}
