// A sweep goes along with its jobs: in the change that moves some of them, so that neither a lost worker nor a lost node
// leaves them apart. Ends are counted by a statement, which locks the counts until the change is over; what follows from
// them by the rules that all kinds of rows share (sweep_rules.c). Jobs are locked before their sweep, always: its counts
// first, then its own row of `jobs`, where something of it is told.
//
// Claims and jobs that wait again write nothing of it but its begin, so nodes that claim jobs of one sweep do not wait
// for each other: `queued` and `running` of its counts together are the jobs that have not ended, and how many of them
// run is counted where a sweep is read (JOB_COLUMNS). Nodes of before, whose claims move jobs from one to the other,
// show both as they stand: an end takes from what is there.
#include "store/postgresql/jobs/jobs.h"
#include "store/sweep_rules.h"

#include <stdlib.h>
#include <string.h>

// *counts: those that have not ended as queued.
static store_status count(pg_connection *c, const char *sweep, job_state to, int64_t jobs,
                          int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] =
      "UPDATE sweeps SET queued = queued - least($3::bigint, greatest(queued, 0)), running = running - $3 + least($3, "
      "greatest(queued, 0)), succeeded = succeeded + $3 * ($2 = 'succeeded')::integer, "
      "failed = failed + $3 * ($2 = 'failed')::integer, cancelled = cancelled + $3 * ($2 = 'cancelled')::integer "
      "WHERE id = $1 RETURNING queued + running, 0, succeeded, failed, cancelled";
  _Static_assert(JOB_QUEUED == 0 && JOB_RUNNING == 1 && JOB_SUCCEEDED == 2 && JOB_FAILED == 3 && JOB_CANCELLED == 4,
                 "counts are returned in this order");
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tti", sweep, job_state_name(to), jobs);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  for (int i = 0; i < JOB_STATE_COUNT; i++) counts[i] = pg_integer(&rows, i);
  pg_end(&rows);
  return STORE_OK;
}

// With the row locked, by a statement of its own: whoever adds an event to the sweep's log counts on from what is there
// when it has the lock.
static store_status read_state(pg_connection *c, const char *sweep, bool tells, sweep_now *now) {
  static const char look[] = "SELECT state, cancel FROM jobs WHERE id = $1";
  static const char lock[] = "SELECT state, cancel FROM jobs WHERE id = $1 FOR NO KEY UPDATE";
  pg_rows rows;
  store_status status = pg_run(c, &rows, tells ? lock : look, "t", sweep);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  now->state = job_state_find(pg_text(&rows, 0));
  now->cancel = pg_true(&rows, 1);
  pg_end(&rows);
  return STORE_OK;
}

// Told by the first of its jobs that begins only.
store_status pg_sweep_begins(pg_connection *c, const char *sweep) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = 'running', started_ms = now_ms() WHERE id = $1 RETURNING jobs.*, now_ms() AS "
      "at)" TELL_STATES "SELECT 1 FROM j";
  sweep_now now = {.state = JOB_QUEUED};
  store_status status = read_state(c, sweep, false, &now);
  if (status == STORE_OK && now.state == JOB_QUEUED) status = read_state(c, sweep, true, &now);
  if (status == STORE_NOT_FOUND) return STORE_OK; // it is being deleted
  return status == STORE_OK && now.state == JOB_QUEUED ? pg_run(c, NULL, sql, "t", sweep) : status;
}

// *error, *warnings: what it says at its end, NULL: nothing.
static store_status find_error(pg_connection *c, const char *sweep, const sweep_now *now, char **error) {
  static const char sql[] =
      "SELECT j.id, j.error::json ->> 'detail' FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.job "
      "WHERE p.sweep = $1 AND j.state = 'failed' ORDER BY p.position LIMIT 1";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", sweep);
  if (status != STORE_OK || !pg_next(&rows)) return status;
  *error = sweep_error(now->jobs, pg_text(&rows, 0), pg_text(&rows, 1));
  pg_end(&rows);
  return *error ? STORE_OK : STORE_FAILED;
}

static store_status count_warned(pg_connection *c, const char *sweep, sweep_warned *warned) {
  static const char sql[] =
      "SELECT j.id, j.warnings FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.job WHERE p.sweep = "
      "$1 AND j.warnings IS NOT NULL ORDER BY p.position";
  pg_rows rows;
  bool read = true;
  store_status status = pg_run(c, &rows, sql, "t", sweep);
  while (status == STORE_OK && read && pg_next(&rows))
    read = sweep_warned_add(warned, pg_text(&rows, 0), pg_text(&rows, 1));
  if (!read) pg_end(&rows);
  return read ? status : STORE_FAILED;
}

static store_status find_warnings(pg_connection *c, const char *sweep, const sweep_now *now, char **warnings) {
  sweep_warned warned = {.jobs = 0};
  pg_rows rows;
  store_status status = count_warned(c, sweep, &warned);
  if (status == STORE_OK && warned.jobs > 0) {
    status = pg_run(c, &rows, "SELECT warnings FROM jobs WHERE id = $1", "t", sweep);
    if (status == STORE_OK && pg_next(&rows)) {
      *warnings = sweep_warnings(pg_text(&rows, 0), now->jobs, &warned);
      if (!*warnings) status = STORE_FAILED;
      pg_end(&rows);
    }
  }
  sweep_warned_fini(&warned);
  return status;
}

static store_status end(pg_connection *c, const char *sweep, const sweep_now *now, job_state state) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = $2, finished_ms = now_ms(), error = coalesce($3, error), warnings = "
      "coalesce($4, warnings) WHERE id = $1 RETURNING jobs.*, now_ms() AS at)" TELL_STATES "SELECT 1 FROM j";
  char *error = NULL, *warnings = NULL;
  store_status status = state == JOB_FAILED ? find_error(c, sweep, now, &error) : STORE_OK;
  if (status == STORE_OK) status = find_warnings(c, sweep, now, &warnings);
  if (status == STORE_OK) status = pg_run(c, NULL, sql, "tttt", sweep, job_state_name(state), error, warnings);
  free(error);
  free(warnings);
  return status;
}

store_status pg_sweep_follow(pg_connection *c, const char *sweep, job_state to, int64_t jobs) {
  assert(to != JOB_RUNNING);
  if (!*sweep || jobs == 0 || to == JOB_QUEUED) return STORE_OK;
  sweep_now now = {.cancel = false};
  store_status status = count(c, sweep, to, jobs, now.jobs);
  if (status == STORE_NOT_FOUND) return STORE_OK; // it is being deleted
  if (status == STORE_OK) status = read_state(c, sweep, true, &now);
  if (status == STORE_OK && now.state == JOB_RUNNING) {
    store_progress at = sweep_progress(now.jobs);
    status = pg_sweep_progress(c, sweep, &at);
  }
  if (status != STORE_OK) return status;
  job_state next = sweep_next_state(&now);
  return next == now.state ? STORE_OK : end(c, sweep, &now, next);
}
