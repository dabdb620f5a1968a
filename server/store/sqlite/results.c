// What rows say of results: which there are, whose they are, what they lack, and which jobs are old.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <stdio.h>

store_status sqlite_result_rows(store *s, int64_t after_seq, int limit, store_job *jobs, int *count) {
  static const char sql[] = "SELECT seq, id, result_size, result_sha256, error FROM jobs INDEXED BY jobs_state "
                            "WHERE state = 'succeeded' AND kind <> 'sweep' AND seq > ?1 ORDER BY seq LIMIT ?2";
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ii", after_seq, (int64_t)limit);
  for (*count = 0; sql_row(c, stmt, &status); ++*count) {
    store_job *job = &jobs[*count];
    assert(*count < limit);
    *job = (store_job){.seq = sqlite3_column_int64(stmt, 0), .result_size = sqlite3_column_int64(stmt, 2)};
    sql_text(stmt, 1, job->id, sizeof job->id);
    sql_text(stmt, 3, job->result_sha256, sizeof job->result_sha256);
    job->error = sql_text_copy(stmt, 4);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_standing(store *s, const char *id, store_standing *now) {
  static const char sql[] = "SELECT state, attempt, result_size IS NOT NULL, owner FROM jobs WHERE id = ?1";
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  bool found = sql_row(c, stmt, &status);
  if (found) {
    *now = (store_standing){.state = job_state_find((const char *)sqlite3_column_text(stmt, 0)),
                            .attempt = sqlite3_column_int(stmt, 1),
                            .result = sqlite3_column_int(stmt, 2) != 0};
    sql_text(stmt, 3, now->owner, sizeof now->owner);
    sql_done(stmt);
  }
  sqlite_read_end(s, c);
  return found || status != STORE_OK ? status : STORE_NOT_FOUND;
}

// ---------------------------------------------------------------------------------------------------- what one lacks

static store_status note(connection *c, const char *id, const char *level, const char *message) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT j.seq AS job, coalesce((SELECT max(o.seq) FROM events AS o WHERE o.job = j.seq), 0) + 1 AS seq, "
      "?2 AS time_ms, j.attempt AS attempt, 'log' AS type, json_object('level', ?3, 'message', ?4) AS data "
      "FROM jobs AS j WHERE j.id = ?1");
  return sqlite_event_add(c, sql_bind(sql_prepare(c, sql), "titt", id, clock_now_ms(), level, message), NULL);
}

typedef struct report {
  const char *id, *words; // words NULL: the result is good
} report;

static store_status change_error(connection *c, const report *r) {
  static const char lost[] = "UPDATE jobs SET error = json_object('code', 'result_lost', 'detail', ?2) WHERE id = ?1 "
                             "AND state = 'succeeded' AND error IS NULL";
  static const char found[] = "UPDATE jobs SET error = NULL WHERE id = ?1 AND state = 'succeeded'";
  return r->words ? sql_run(c, sql_bind(sql_prepare(c, lost), "tt", r->id, r->words))
                  : sql_run(c, sql_bind(sql_prepare(c, found), "t", r->id));
}

static store_status write_report(connection *c, void *context) {
  const report *r = context;
  char message[128];
  store_status status = change_error(c, r);
  if (status == STORE_OK && sqlite3_changes(c->db) == 0) status = STORE_PRECONDITION; // somebody else said so
  if (status != STORE_OK) return status;
  snprintf(message, sizeof message, "the result is %s%s", r->words ? "lost: " : "there again",
           r->words ? r->words : "");
  return note(c, r->id, r->words ? "error" : "info", message);
}

store_status sqlite_result_note(store *s, const char *id, const char *lacks) {
  return sqlite_write(s, write_report, &(report){.id = id, .words = lacks}, id);
}

// --------------------------------------------------------------------------------------------------------- old jobs

store_status sqlite_job_oldest(store *s, const char *whose, int64_t before_ms, bool with_result, int limit,
                               store_old_job *jobs, int *count) {
  // Jobs of a sweep go with it, and their results are its own. By age they go in the order of submission: one that
  // seems to have ended long before an earlier one ended under a clock that was set back.
  static const char sql[] = "SELECT id, finished_ms, coalesce(result_size, 0) + " STORE_ROW_BYTES(
      "jobs") " + CASE WHEN kind = 'sweep' THEN (SELECT "
              "coalesce(sum(coalesce(j.result_size, 0) + j.own), 0) FROM (SELECT result_size, " STORE_ROW_BYTES(
                  "k") " AS own FROM jobs AS k WHERE k.parent = jobs.id) AS j) ELSE 0 END AS size FROM jobs INDEXED BY "
                       "jobs_finished "
                       "WHERE finished_ms IS NOT NULL AND finished_ms < ?1 AND parent IS NULL AND "
                       "(?2 OR seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM jobs WHERE finished_ms >= ?1 "
                       "AND "
                       "parent IS NULL)) AND (?4 IS NULL OR coalesce(owner, '') = ?4) "
                       "ORDER BY finished_ms LIMIT ?3";
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "iiit", before_ms, (int64_t)with_result, (int64_t)limit, whose);
  for (*count = 0; sql_row(c, stmt, &status); ++*count) {
    sql_text(stmt, 0, jobs[*count].id, sizeof jobs->id);
    jobs[*count].finished_ms = sqlite3_column_int64(stmt, 1);
    jobs[*count].result_size = sqlite3_column_int64(stmt, 2);
  }
  sqlite_read_end(s, c);
  return status;
}

// Nobody else has the folder.
bool sqlite_lead(store *s, const char *task) {
  (void)s, (void)task;
  return true;
}
