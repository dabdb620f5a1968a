// Rows of jobs as they are read: one, their counts, and pages of them.
//
// Pages come newest first, along the index of the most telling filter; the rest of a filter is checked row by row.
// SQLite plans a statement before it knows its parameters, so each way to walk is a statement of its own. Bounds in
// time become bounds in order of submission first: clocks may be set back, so they are checked on each row all the
// same.
#include "store/sqlite/sqlite.h"

#include <math.h>
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

void sqlite_read_job(sqlite3_stmt *stmt, store_job *job) {
  *job = (store_job){.seq = sqlite3_column_int64(stmt, 0)};
  sql_text(stmt, 1, job->id, sizeof job->id);
  sql_text(stmt, 2, job->kind, sizeof job->kind);
  job->state = job_state_find((const char *)sqlite3_column_text(stmt, 3));
  job->attempt = sqlite3_column_int(stmt, 4);
  job->crashes = sqlite3_column_int(stmt, 5);
  job->priority = sqlite3_column_int(stmt, 6);
  job->cancel = sqlite3_column_int(stmt, 7) != 0;
  sql_text(stmt, 8, job->model_name, sizeof job->model_name);
  job->model_revision = sqlite3_column_int64(stmt, 9);
  sql_text(stmt, 10, job->model_sha256, sizeof job->model_sha256);
  job->document = sql_text_copy(stmt, 11);
  job->labels = sql_text_copy(stmt, 12);
  job->error = sql_text_copy(stmt, 13);
  job->t_end = sqlite3_column_type(stmt, 14) == SQLITE_NULL ? NAN : sqlite3_column_double(stmt, 14);
  job->created_ms = sqlite3_column_int64(stmt, 15);
  job->started_ms = sqlite3_column_int64(stmt, 16);
  job->finished_ms = sqlite3_column_int64(stmt, 17);
  job->result_size = sqlite3_column_int64(stmt, 18);
  sql_text(stmt, 19, job->result_sha256, sizeof job->result_sha256);
  sql_text(stmt, 20, job->retry_of, sizeof job->retry_of);
  sql_text(stmt, 21, job->parent, sizeof job->parent);
  read_counts((const char *)sqlite3_column_text(stmt, 22), job->jobs);
  read_reached((const char *)sqlite3_column_text(stmt, 23), job);
  job->warnings = sql_text_copy(stmt, 24);
  sql_text(stmt, 25, job->owner, sizeof job->owner);
  sql_text(stmt, 26, job->queue, sizeof job->queue);
  sql_text(stmt, 27, job->document_base, sizeof job->document_base);
  job->waiting = sql_text_copy(stmt, 28);
  job->faults = sqlite3_column_int(stmt, 29);
  job->damaged = sqlite3_column_int(stmt, 30) == 0;
  if (job->model_revision > 0) sql_text(stmt, 31, job->model_owner, sizeof job->model_owner);
}

store_status sqlite_one_job(connection *c, sqlite3_stmt *stmt, store_job *job) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sqlite_read_job(stmt, job);
  sql_done(stmt);
  return STORE_OK;
}

store_status sqlite_select_job(connection *c, const char *id, store_job *job) {
  static const char sql[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1";
  return sqlite_one_job(c, sql_bind(sql_prepare(c, sql), "t", id), job);
}

store_status sqlite_job_get(store *s, const char *id, store_job *job) {
  connection *c = sqlite_read(s);
  store_status status = sqlite_select_job(c, id, job);
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_find(store *s, const char *owner, const char *id, store_job *job) {
  static const char sql[] =
      "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1 AND incoming = 0 AND (?2 IS NULL OR owner = ?2)";
  connection *c = sqlite_read(s);
  store_status status = sqlite_one_job(c, sql_bind(sql_prepare(c, sql), "tt", id, owner), job);
  sqlite_read_end(s, c);
  return status;
}

static store_status read_counts_of(store *s, connection *c, sqlite3_stmt *stmt, int64_t counts[JOB_STATE_COUNT]) {
  store_status status;
  memset(counts, 0, JOB_STATE_COUNT * sizeof *counts);
  while (sql_row(c, stmt, &status)) {
    job_state state = job_state_find((const char *)sqlite3_column_text(stmt, 0));
    if (state < JOB_STATE_COUNT) counts[state] = sqlite3_column_int64(stmt, 1);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] = "SELECT state, count FROM job_counts";
  connection *c = sqlite_read(s);
  return read_counts_of(s, c, sql_prepare(c, sql), counts);
}

store_status sqlite_job_counts_of(store *s, const char *owner, int64_t counts[JOB_STATE_COUNT]) {
  static const char sql[] =
      "SELECT state, count(*) FROM jobs INDEXED BY jobs_owner_state WHERE owner = ?1 GROUP BY state";
  connection *c = sqlite_read_many(s);
  return read_counts_of(s, c, sql_bind(sql_prepare(c, sql), "t", owner), counts);
}

// ------------------------------------------------------------------------------------------------------------- pages

// Parameters: 1 upper bound of seq (exclusive), 2 lower bound (inclusive), 3 state, 4 kind, 5 model, 6 parent ("":
// none), 7 and 8 label, 9 since, 10 until, 11 limit, 12 owner ("": nobody). The unary + keeps an index from being used
// for a condition.
#define REST                                                                                                           \
  " AND jobs.seq < ?1 AND jobs.seq >= ?2 AND (?3 IS NULL OR +state = ?3) AND (?4 IS NULL OR +kind = ?4) "              \
  "AND (?5 IS NULL OR +model_name = ?5) AND (?6 IS NULL OR coalesce(parent, '') = ?6) AND (?7 IS NULL OR EXISTS "      \
  "(SELECT 1 FROM "                                                                                                    \
  "job_labels AS l WHERE l.key = ?7 AND l.value = ?8 AND l.job = jobs.seq)) AND (?9 = 0 OR +created_ms >= ?9) "        \
  "AND (?10 = 0 OR +created_ms < ?10) AND (?12 IS NULL OR coalesce(owner, '') = ?12) AND +incoming = 0 ORDER BY "      \
  "jobs.seq DESC LIMIT ?11"

static const char all[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE 1" REST;
static const char by_state[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_state WHERE state = ?3" REST;
static const char by_kind[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_kind WHERE kind = ?4" REST;
static const char by_model[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_model_name WHERE model_name = ?5" REST;
static const char by_parent[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_parent WHERE parent = ?6" REST;
static const char top_level[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_top_level WHERE parent IS NULL" REST;
static const char by_label[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE jobs.seq IN (SELECT p.job FROM job_labels AS p "
                               "WHERE p.key = ?7 AND p.value = ?8 AND p.job < ?1)" REST;
static const char by_owner[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner WHERE owner = ?12" REST;
static const char top_of_owner[] =
    "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner_top_level WHERE owner = ?12 AND parent IS NULL" REST;
static const char state_of_owner[] =
    "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner_state WHERE owner = ?12 AND state = ?3" REST;

// What others have is not walked along: how long a list takes tells nothing of them.
static const char *way_of_owner(const store_job_filter *f) {
  return f->state ? state_of_owner : f->parent ? top_of_owner : by_owner;
}

static const char *way_to_walk(const store_job_filter *f) {
  return f->parent && *f->parent ? by_parent
         : f->label_key          ? by_label
         : f->owner && *f->owner ? way_of_owner(f)
         : f->model              ? by_model
         : f->state              ? by_state
         : f->kind               ? by_kind
         : f->parent             ? top_level
                                 : all;
}

// Order of submission of the first job created at or after `since_ms`: 1 past the end when there is none.
static store_status lower_bound(connection *c, int64_t since_ms, int64_t *seq) {
  static const char sql[] =
      "SELECT coalesce((SELECT min(seq) FROM jobs INDEXED BY jobs_created WHERE created_ms >= ?1), "
      "9223372036854775807)";
  *seq = 0;
  return since_ms > 0 ? sql_integer(c, sql_bind(sql_prepare(c, sql), "i", since_ms), seq) : STORE_OK;
}

// One past that of the last job created before `until_ms`, where that is lower than the cursor.
static store_status upper_bound(connection *c, int64_t until_ms, int64_t *seq) {
  static const char sql[] = "SELECT coalesce((SELECT max(seq) + 1 FROM jobs INDEXED BY jobs_created WHERE "
                            "created_ms < ?1), 0)";
  int64_t bound = 0;
  if (until_ms <= 0) return STORE_OK;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "i", until_ms), &bound);
  if (bound < *seq) *seq = bound;
  return status;
}

static store_status walk(connection *c, const store_job_filter *f, int64_t low, int64_t high,
                         const store_visit *visit) {
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, way_to_walk(f)), "iittttttiiit", high, low, f->state, f->kind, f->model, f->parent,
               f->label_key, f->label_value, f->since_ms, f->until_ms, (int64_t)f->limit, f->owner);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_job job;
    sqlite_read_job(stmt, &job);
    visit->job(visit->context, &job);
    store_job_fini(&job);
  }
  return status;
}

store_status sqlite_job_list(store *s, const store_job_filter *f, const store_visit *visit) {
  connection *c = sqlite_read_many(s);
  int64_t low, high = f->before_seq > 0 ? f->before_seq : INT64_MAX;
  store_status status = lower_bound(c, f->since_ms, &low);
  if (status == STORE_OK) status = upper_bound(c, f->until_ms, &high);
  if (status == STORE_OK) status = walk(c, f, low, high, visit);
  sqlite_read_end(s, c);
  return status;
}
