// What rows say of results: which there are, what they lack, and which jobs are old.
#include "store/postgresql/postgresql.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

store_status postgresql_result_rows(store *s, int64_t after_seq, int limit, store_job *jobs, int *count) {
  static const char sql[] =
      "SELECT seq, id, result_size, result_sha256, error, attempt, result_node, finished_ms FROM jobs WHERE state = "
      "'succeeded' AND kind <> 'sweep' AND seq > $1 ORDER BY seq LIMIT $2";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "ii", after_seq, (int64_t)limit) : STORE_AWAY;
  for (*count = 0; status == STORE_OK && pg_next(&rows); ++*count) {
    store_job *job = &jobs[*count];
    assert(*count < limit);
    *job = (store_job){.seq = pg_integer(&rows, 0),
                       .result_size = pg_integer(&rows, 2),
                       .attempt = (int)pg_integer(&rows, 5),
                       .finished_ms = pg_integer(&rows, 7)};
    pg_copy(&rows, 6, job->result_node, sizeof job->result_node);
    pg_copy(&rows, 1, job->id, sizeof job->id);
    pg_copy(&rows, 3, job->result_sha256, sizeof job->result_sha256);
    job->error = pg_text_copy(&rows, 4);
  }
  pg_read_end(s, c);
  return status;
}

typedef struct report {
  const char *id, *words; // words NULL: the result is good
} report;

static store_status change_error(pg_connection *c, const report *r, bool *changed) {
  static const char lost[] =
      "UPDATE jobs SET error = '{\"code\":\"result_lost\",\"detail\":' || to_json($2::text)::text || "
      "'}' WHERE id = $1 AND state = 'succeeded' AND error IS NULL";
  static const char found[] = "UPDATE jobs SET error = NULL WHERE id = $1 AND state = 'succeeded'";
  pg_rows rows;
  store_status status = r->words ? pg_run(c, &rows, lost, "tt", r->id, r->words) : pg_run(c, &rows, found, "t", r->id);
  *changed = status == STORE_OK && pg_changed(&rows) > 0;
  if (status == STORE_OK) pg_end(&rows);
  return status;
}

static store_status write_report(pg_connection *c, void *context) {
  const report *r = context;
  char message[128];
  bool changed;
  store_status status = change_error(c, r, &changed);
  if (status == STORE_OK && !changed) status = STORE_PRECONDITION; // somebody else said so
  if (status != STORE_OK) return status;
  snprintf(message, sizeof message, "the result is %s%s", r->words ? "lost: " : "there again",
           r->words ? r->words : "");
  return pg_event_remark(c, r->id, -1, r->words ? "error" : "info", message);
}

store_status postgresql_result_note(store *s, const char *id, const char *lacks) {
  return pg_change(s, write_report, &(report){.id = id, .words = lacks}, id);
}

// Jobs of a sweep go with it, and their results are its own. By age they go in the order of submission: one that seems
// to have ended long before an earlier one ended under a clock that was set back.
store_status postgresql_job_oldest(store *s, const char *whose, int64_t before_ms, bool with_result, int limit,
                                   store_old_job *jobs, int *count) {
  static const char sql[] =
      "SELECT j.id, j.finished_ms, coalesce(j.result_size, 0) + j.charged + CASE WHEN j.kind = 'sweep' THEN (SELECT "
      "coalesce(sum(coalesce(k.result_size, 0) + k.charged), 0) FROM jobs AS k WHERE k.parent = j.id) ELSE 0 END FROM "
      "jobs AS j WHERE j.finished_ms IS NOT NULL AND j.finished_ms < $1 AND j.parent IS NULL AND ($2::boolean OR j.seq "
      "< "
      "(SELECT coalesce(min(o.seq), 9223372036854775807) FROM jobs AS o WHERE o.finished_ms >= $1 AND o.parent IS "
      "NULL)) "
      "AND ($4::text IS NULL OR j.owner = $4) ORDER BY j.finished_ms LIMIT $3";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status =
      c ? pg_run(c, &rows, sql, "ibit", before_ms, (int)with_result, (int64_t)limit, whose) : STORE_AWAY;
  for (*count = 0; status == STORE_OK && pg_next(&rows); ++*count) {
    pg_copy(&rows, 0, jobs[*count].id, sizeof jobs->id);
    jobs[*count].finished_ms = pg_integer(&rows, 1);
    jobs[*count].result_size = pg_integer(&rows, 2);
  }
  pg_read_end(s, c);
  return status;
}

// -------------------------------------------------------------------------------------------------- what one does for all

typedef struct leading {
  const char *task, *node;
  bool leads;
} leading;

// Who has gone, or has not been heard of while its lease lasted, leads no more.
static store_status lead(pg_connection *c, void *context) {
  static const char sql[] = "INSERT INTO leaders AS l VALUES ($1, $2, now_ms() + 60000) ON CONFLICT (task) DO UPDATE "
                            "SET node = excluded.node, until_ms = excluded.until_ms "
                            "WHERE l.node = excluded.node OR l.until_ms < now_ms() "
                            "OR NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.id = l.node AND n.lease_ms >= now_ms())";
  leading *x = context;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tt", x->task, x->node);
  x->leads = status == STORE_OK && pg_changed(&rows) > 0;
  if (status == STORE_OK) pg_end(&rows);
  return status;
}

bool postgresql_lead(store *s, const char *task) {
  leading x = {.task = task, .node = pg_node_id(s)};
  return pg_change(s, lead, &x, NULL) == STORE_OK && x.leads;
}
