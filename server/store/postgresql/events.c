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

// The state is read before the events: a job seen as ended has all its events in the log already.
static store_status read_state(pg_connection *c, const char *id, int64_t *job, bool *ended) {
  pg_rows rows;
  store_status status = pg_run(c, &rows, "SELECT seq, state FROM jobs WHERE id = $1", "t", id);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  *job = pg_integer(&rows, 0);
  *ended = job_state_terminal(job_state_find(pg_text(&rows, 1)));
  pg_end(&rows);
  return STORE_OK;
}

static store_status list(pg_connection *c, const char *id, int64_t after, int limit, const store_visit *visit,
                         bool *ended) {
  static const char sql[] = "SELECT seq, time_ms, attempt, type, data FROM events WHERE job = $1 AND seq > $2 ORDER BY "
                            "seq LIMIT $3";
  int64_t job = 0;
  pg_rows rows;
  store_status status = read_state(c, id, &job, ended);
  if (status == STORE_OK) status = pg_run(c, &rows, sql, "iii", job, after, (int64_t)limit);
  while (status == STORE_OK && pg_next(&rows)) {
    store_event event = {.seq = pg_integer(&rows, 0),
                         .time_ms = pg_integer(&rows, 1),
                         .attempt = (int)pg_integer(&rows, 2),
                         .type = pg_text(&rows, 3),
                         .data = pg_text(&rows, 4)};
    visit->event(visit->context, &event);
  }
  return status;
}

store_status postgresql_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                                   bool *ended) {
  pg_connection *c = pg_read(s);
  store_status status = c ? list(c, id, after, limit, visit, ended) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}
