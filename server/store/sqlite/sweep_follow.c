// A sweep goes along with its jobs: in the change that moves one of them, so that neither a lost worker nor a killed
// server leaves them apart. Counts by a statement, what follows from them by the rules that all kinds of rows share
// (sweep_rules.c).
#include "store/sqlite/sqlite.h"
#include "store/sweep_rules.h"

#include <stdlib.h>

typedef struct followed {
  sweep_now now;
  int64_t attempt;
} followed;

static store_status count(connection *c, const char *sweep, job_state from, job_state to, followed *f) {
  static const char sql[] =
      "UPDATE sweeps SET queued = queued + (?3 = 'queued') - (?2 = 'queued'), "
      "running = running + (?3 = 'running') - (?2 = 'running'), "
      "succeeded = succeeded + (?3 = 'succeeded') - (?2 = 'succeeded'), failed = failed + (?3 = 'failed') - (?2 = "
      "'failed'), "
      "cancelled = cancelled + (?3 = 'cancelled') - (?2 = 'cancelled') WHERE id = ?1 "
      "RETURNING queued, running, succeeded, failed, cancelled, (SELECT p.state FROM jobs AS p WHERE p.id = ?1), "
      "(SELECT p.cancel FROM jobs AS p WHERE p.id = ?1), (SELECT p.attempt FROM jobs AS p WHERE p.id = ?1)";
  _Static_assert(JOB_QUEUED == 0 && JOB_RUNNING == 1 && JOB_SUCCEEDED == 2 && JOB_FAILED == 3 && JOB_CANCELLED == 4,
                 "counts are returned in this order");
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ttt", sweep, job_state_name(from), job_state_name(to));
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  for (int i = 0; i < JOB_STATE_COUNT; i++) f->now.jobs[i] = sqlite3_column_int64(stmt, i);
  f->now.state = job_state_find((const char *)sqlite3_column_text(stmt, JOB_STATE_COUNT));
  f->now.cancel = sqlite3_column_int(stmt, JOB_STATE_COUNT + 1) != 0;
  f->attempt = sqlite3_column_int64(stmt, JOB_STATE_COUNT + 2);
  sql_done(stmt);
  return STORE_OK;
}

static store_status begin(connection *c, const char *sweep, int64_t now_ms) {
  static const char sql[] = "UPDATE jobs SET state = 'running', started_ms = ?2 WHERE id = ?1";
  store_status status = sql_run(c, sql_bind(sql_prepare(c, sql), "ti", sweep, now_ms));
  return status == STORE_OK ? sqlite_event_state_at(c, sweep, now_ms) : status;
}

// *error, *warnings: what it says at its end, NULL: nothing.
static store_status find_error(connection *c, const char *sweep, const sweep_now *now, char **error) {
  static const char sql[] =
      "SELECT j.id, json_extract(j.error, '$.detail') FROM sweep_jobs AS p JOIN jobs AS j ON j.id = "
      "p.job WHERE p.sweep = ?1 AND j.state = 'failed' ORDER BY p.position LIMIT 1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", sweep);
  if (!sql_row(c, stmt, &status)) return status;
  *error =
      sweep_error(now->jobs, (const char *)sqlite3_column_text(stmt, 0), (const char *)sqlite3_column_text(stmt, 1));
  sql_done(stmt);
  return *error ? STORE_OK : STORE_FAILED;
}

static store_status count_warned(connection *c, const char *sweep, sweep_warned *warned) {
  static const char sql[] = "SELECT j.id, j.warnings FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.job "
                            "WHERE p.sweep = ?1 AND j.warnings IS NOT NULL ORDER BY p.position";
  store_status status;
  bool read = true;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", sweep);
  while (read && sql_row(c, stmt, &status))
    read = sweep_warned_add(warned, (const char *)sqlite3_column_text(stmt, 0),
                            (const char *)sqlite3_column_text(stmt, 1));
  if (read) return status;
  sql_done(stmt);
  return STORE_FAILED;
}

static store_status add_warned(connection *c, const char *sweep, const sweep_now *now, const sweep_warned *warned,
                               char **warnings) {
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, "SELECT warnings FROM jobs WHERE id = ?1"), "t", sweep);
  if (!sql_row(c, stmt, &status)) return status;
  *warnings = sweep_warnings((const char *)sqlite3_column_text(stmt, 0), now->jobs, warned);
  sql_done(stmt);
  return *warnings ? STORE_OK : STORE_FAILED;
}

static store_status find_warnings(connection *c, const char *sweep, const sweep_now *now, char **warnings) {
  sweep_warned warned = {.jobs = 0};
  store_status status = count_warned(c, sweep, &warned);
  if (status == STORE_OK && warned.jobs > 0) status = add_warned(c, sweep, now, &warned, warnings);
  sweep_warned_fini(&warned);
  return status;
}

static store_status end(connection *c, const char *sweep, const sweep_now *now, job_state state, int64_t now_ms) {
  static const char sql[] = "UPDATE jobs SET state = ?2, finished_ms = ?3, error = coalesce(?4, error), "
                            "warnings = coalesce(?5, warnings) WHERE id = ?1";
  char *error = NULL, *warnings = NULL;
  assert(job_state_terminal(state));
  store_status status = state == JOB_FAILED ? find_error(c, sweep, now, &error) : STORE_OK;
  if (status == STORE_OK) status = find_warnings(c, sweep, now, &warnings);
  if (status == STORE_OK)
    status = sql_run(c, sql_bind(sql_prepare(c, sql), "ttitt", sweep, job_state_name(state), now_ms, error, warnings));
  free(error);
  free(warnings);
  return status == STORE_OK ? sqlite_event_state_at(c, sweep, now_ms) : status;
}

store_status sqlite_sweep_follow(connection *c, const char *sweep, job_state from, job_state to, int64_t now_ms) {
  followed f;
  if (!*sweep) return STORE_OK;
  assert(job_transition_allowed(from, to));
  store_status status = count(c, sweep, from, to, &f);
  if (status != STORE_OK) return status;
  job_state next = sweep_next_state(&f.now);
  if (f.now.state == JOB_RUNNING && job_state_terminal(to)) {
    store_progress at = sweep_progress(f.now.jobs);
    status = sqlite_event_progress(c, sweep, f.attempt, now_ms, &at);
  }
  if (status != STORE_OK || next == f.now.state) return status;
  return next == JOB_RUNNING ? begin(c, sweep, now_ms) : end(c, sweep, &f.now, next, now_ms);
}
