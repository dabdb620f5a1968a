// Rows of jobs as they are read: one, their counts, and pages of them.
//
// Pages come newest first. A list's statement says only what its filter does, so that the database plans it by the
// values themselves. Places in the order of submission are times, so bounds in time bound the walk.
#include "store/postgresql/postgresql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "queued running succeeded failed cancelled", as JOB_COLUMNS has them for sweeps.
static void read_counts(const char *text, int64_t counts[JOB_STATE_COUNT]) {
  char *rest = (char *)text;
  for (int i = 0; text && i < JOB_STATE_COUNT; i++) counts[i] = strtoll(rest, &rest, 10);
}

// "fraction t", the last progress of a sweep, or of a job that ended without success.
static void read_reached(const char *text, store_job *job) {
  char *rest = (char *)text;
  if (!text) return;
  job->fraction = strtod(rest, &rest);
  job->t = strtod(rest, NULL);
}

void pg_read_job(const pg_rows *rows, store_job *job) {
  *job = (store_job){.seq = pg_integer(rows, 0)};
  pg_copy(rows, 1, job->id, sizeof job->id);
  pg_copy(rows, 2, job->kind, sizeof job->kind);
  job->state = job_state_find(pg_text(rows, 3));
  job->attempt = (int)pg_integer(rows, 4);
  job->crashes = (int)pg_integer(rows, 5);
  job->priority = (int)pg_integer(rows, 6);
  job->cancel = pg_true(rows, 7);
  pg_copy(rows, 8, job->model_name, sizeof job->model_name);
  job->model_revision = pg_integer(rows, 9);
  pg_copy(rows, 10, job->model_sha256, sizeof job->model_sha256);
  job->document = pg_text_copy(rows, 11);
  job->labels = pg_text_copy(rows, 12);
  job->error = pg_text_copy(rows, 13);
  job->t_end = pg_real(rows, 14);
  job->created_ms = pg_integer(rows, 15);
  job->started_ms = pg_integer(rows, 16);
  job->finished_ms = pg_integer(rows, 17);
  job->result_size = pg_integer(rows, 18);
  pg_copy(rows, 19, job->result_sha256, sizeof job->result_sha256);
  pg_copy(rows, 20, job->retry_of, sizeof job->retry_of);
  pg_copy(rows, 21, job->parent, sizeof job->parent);
  read_counts(pg_text(rows, 22), job->jobs);
  read_reached(pg_text(rows, 23), job);
  job->warnings = pg_text_copy(rows, 24);
  pg_copy(rows, 25, job->owner, sizeof job->owner);
  pg_copy(rows, 26, job->queue, sizeof job->queue);
  pg_copy(rows, 27, job->document_base, sizeof job->document_base);
  job->waiting = pg_text_copy(rows, 28);
  job->faults = (int)pg_integer(rows, 29);
  pg_copy(rows, 30, job->model_owner, sizeof job->model_owner);
  pg_copy(rows, 31, job->result_node, sizeof job->result_node);
  pg_copy(rows, 32, job->node, sizeof job->node);
}

store_status pg_one_job(pg_rows *rows, store_status status, store_job *job) {
  if (status != STORE_OK) return status;
  if (!pg_next(rows)) return STORE_NOT_FOUND;
  pg_read_job(rows, job);
  pg_end(rows);
  return STORE_OK;
}

store_status pg_select_job(pg_connection *c, const char *id, store_job *job) {
  static const char sql[] = "SELECT " JOB_COLUMNS " FROM jobs AS j WHERE j.id = $1";
  pg_rows rows;
  return pg_one_job(&rows, pg_run(c, &rows, sql, "t", id), job);
}

store_status postgresql_job_get(store *s, const char *id, store_job *job) {
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_select_job(c, id, job) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

store_status postgresql_job_find(store *s, const char *owner, const char *id, store_job *job) {
  static const char sql[] =
      "SELECT " JOB_COLUMNS " FROM jobs AS j WHERE j.id = $1 AND ($2::text IS NULL OR j.owner = $2)";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_one_job(&rows, pg_run(c, &rows, sql, "tt", id, owner), job) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

store_status postgresql_job_standing(store *s, const char *id, store_standing *now) {
  static const char sql[] =
      "SELECT state, attempt, result_size IS NOT NULL, owner, result_node FROM jobs WHERE id = $1";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "t", id) : STORE_AWAY;
  bool found = status == STORE_OK && pg_next(&rows);
  if (found) {
    *now = (store_standing){
        .state = job_state_find(pg_text(&rows, 0)), .attempt = (int)pg_integer(&rows, 1), .result = pg_true(&rows, 2)};
    pg_copy(&rows, 3, now->owner, sizeof now->owner);
    pg_copy(&rows, 4, now->result_node, sizeof now->result_node);
    pg_end(&rows);
  }
  pg_read_end(s, c);
  return found || status != STORE_OK ? status : STORE_NOT_FOUND;
}

// ------------------------------------------------------------------------------------------------------------ counts

store_status postgresql_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] = "SELECT coalesce(sum(queued), 0), coalesce(sum(running), 0), coalesce(sum(succeeded), 0), "
                            "coalesce(sum(failed), 0), coalesce(sum(cancelled), 0) FROM job_counts";
  pg_rows rows;
  memset(counts, 0, JOB_STATE_COUNT * sizeof *counts);
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows))
    for (int i = 0; i < JOB_STATE_COUNT; i++) counts[i] = pg_integer(&rows, i);
  pg_read_end(s, c);
  return status;
}

store_status postgresql_job_counts_of(store *s, const char *owner, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] = "SELECT state, count(*) FROM jobs WHERE owner = $1 GROUP BY state";
  pg_rows rows;
  memset(counts, 0, JOB_STATE_COUNT * sizeof *counts);
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "t", owner) : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    job_state state = job_state_find(pg_text(&rows, 0));
    if (state < JOB_STATE_COUNT) counts[state] = pg_integer(&rows, 1);
  }
  pg_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- pages

// Where in the order of submission a time begins (next_place).
static int64_t place_of(int64_t ms) {
  static const int64_t BEGIN_MS = 1577836800000, WIDTH = 4096;
  return ms <= BEGIN_MS ? 0 : ms - BEGIN_MS > INT64_MAX / 1000 / WIDTH ? INT64_MAX : (ms - BEGIN_MS) * 1000 * WIDTH;
}

typedef struct condition {
  bool wanted;
  const char *text;
} condition;

// Parameters, whichever are used: 1 upper bound of places (exclusive), 2 lower bound, 3 state, 4 kind, 5 model, 6
// parent, 7 and 8 label, 9 owner, 10 limit, 11 and 12 times of creation.
static void write_statement(const store_job_filter *f, char *sql, size_t size) {
  const condition conditions[] = {
      {f->state, " AND j.state = $3"},
      {f->kind, " AND j.kind = $4"},
      {f->model, " AND j.model_name = $5"},
      {f->parent && *f->parent, " AND j.parent = $6"},
      {f->parent && !*f->parent, " AND j.parent IS NULL"},
      {f->label_key, " AND EXISTS (SELECT 1 FROM job_labels AS l WHERE l.key = $7 AND l.value = $8 AND l.job = j.seq)"},
      {f->owner, " AND j.owner = $9"},
      {f->since_ms > 0, " AND j.created_ms >= $11"},
      {f->until_ms > 0, " AND j.created_ms < $12"},
  };
  int used =
      snprintf(sql, size,
               "SELECT " JOB_COLUMNS " FROM (SELECT $1::bigint, $2::bigint, $3::text, $4::text, $5::text, "
               "$6::text, $7::text, $8::text, $9::text, $10::bigint, $11::bigint, $12::bigint) AS given, jobs AS "
               "j WHERE j.seq < $1 AND j.seq >= $2");
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
    if (conditions[i].wanted) used += snprintf(sql + used, size - (size_t)used, "%s", conditions[i].text);
  snprintf(sql + used, size - (size_t)used, " ORDER BY j.seq DESC LIMIT $10");
}

static store_status walk(pg_connection *c, const store_job_filter *f, const store_visit *visit) {
  char sql[4096];
  pg_rows rows;
  int64_t high = f->before_seq > 0 ? f->before_seq : INT64_MAX, low = place_of(f->since_ms);
  if (f->until_ms > 0 && place_of(f->until_ms) < high) high = place_of(f->until_ms);
  write_statement(f, sql, sizeof sql);
  store_status status =
      pg_run_once(c, &rows, sql, "iitttttttiii", high, low, f->state, f->kind, f->model, f->parent, f->label_key,
                  f->label_value, f->owner, (int64_t)f->limit, f->since_ms, f->until_ms);
  while (status == STORE_OK && pg_next(&rows)) {
    store_job job;
    pg_read_job(&rows, &job);
    visit->job(visit->context, &job);
    store_job_fini(&job);
  }
  return status;
}

store_status postgresql_job_list(store *s, const store_job_filter *f, const store_visit *visit) {
  pg_connection *c = pg_read(s);
  store_status status = c ? walk(c, f, visit) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}
