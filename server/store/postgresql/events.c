// Events of jobs, as they are read, and remarks. Changes of state write theirs in their own statement (TELL_STATES),
// progress comes in batches (progress.c).
//
// Numbers are given by max + 1 in the change that writes them. What comes often, progress and what jobs of a sweep do to
// it, holds the row of its job meanwhile. Others that give the same number at the same time get in each other's way, and
// the later is run again.
#include "store/postgresql/postgresql.h"

store_status pg_event_remark(pg_connection *c, const char *id, int64_t attempt, const char *level,
                             const char *message) {
  static const char sql[] =
      "INSERT INTO events (job, seq, time_ms, attempt, type, data) SELECT j.seq, coalesce((SELECT max(o.seq) FROM "
      "events "
      "AS o WHERE o.job = j.seq), 0) + 1, now_ms(), j.attempt, 'log', '{\"level\":' || to_json($3::text)::text || "
      "',\"message\":' || to_json($4::text)::text || '}' FROM jobs AS j WHERE j.id = $1 AND ($2::bigint < 0 OR "
      "j.attempt "
      "= $2)";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "titt", id, attempt, level, message);
  if (status != STORE_OK) return status;
  bool added = pg_changed(&rows) == 1;
  pg_end(&rows);
  return added ? STORE_OK : STORE_PRECONDITION;
}

typedef struct remark {
  const char *id, *level, *message;
  int64_t attempt;
} remark;

static store_status add_remark(pg_connection *c, void *context) {
  const remark *r = context;
  return pg_event_remark(c, r->id, r->attempt, r->level, r->message);
}

store_status postgresql_job_remark(store *s, const char *id, int attempt, const char *level, const char *message) {
  pg_progress_flush(s, id);
  return pg_change(s, add_remark, &(remark){.id = id, .level = level, .message = message, .attempt = attempt}, id);
}

// By one statement, which sees one moment: a job that has ended then has all its events.
static store_status list(pg_connection *c, const char *id, int64_t after, int limit, const store_visit *visit,
                         bool *ended) {
  static const char sql[] =
      "SELECT j.state, e.seq, e.time_ms, e.attempt, e.type, e.data FROM jobs AS j LEFT JOIN LATERAL (SELECT * FROM "
      "events AS o WHERE o.job = j.seq AND o.seq > $2 ORDER BY o.seq LIMIT $3) AS e ON true WHERE j.id = $1 ORDER BY "
      "e.seq";
  bool found = false;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tii", id, after, (int64_t)limit);
  while (status == STORE_OK && pg_next(&rows)) {
    found = true;
    *ended = job_state_terminal(job_state_find(pg_text(&rows, 0)));
    if (pg_null(&rows, 1)) continue; // nothing new
    store_event event = {.seq = pg_integer(&rows, 1),
                         .time_ms = pg_integer(&rows, 2),
                         .attempt = (int)pg_integer(&rows, 3),
                         .type = pg_text(&rows, 4),
                         .data = pg_text(&rows, 5)};
    visit->event(visit->context, &event);
  }
  return status == STORE_OK && !found ? STORE_NOT_FOUND : status;
}

store_status postgresql_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                                   bool *ended) {
  pg_connection *c = pg_read(s);
  store_status status = c ? list(c, id, after, limit, visit, ended) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}
