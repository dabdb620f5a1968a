// Claims: which job is taken next, by the turns of queues and, within one, by priority and age.
//
// A queue's turn rises by the time of workers that its jobs used and by one for each that is taken; of two queues of
// which as many jobs run the one that used less is next. A job whose worker is done computes no more, though its row
// says so until its end is written.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static store_status next_due(connection *c, int64_t *due) {
  static const char sql[] =
      "SELECT coalesce(min(not_before_ms), 0) FROM jobs INDEXED BY jobs_queued WHERE state = 'queued' AND kind <> "
      "'sweep' AND incoming = 0";
  store_status status = sql_integer(c, sql_prepare(c, sql), due);
  return status == STORE_OK ? STORE_NOT_FOUND : status;
}

typedef struct claim {
  const store *s;
  store_job *job;
  int64_t next_due_ms;
} claim;

#define HEAD                                                                                                           \
  " FROM jobs INDEXED BY jobs_queued WHERE queue = q.name AND state = 'queued' AND kind <> 'sweep' AND incoming = 0 "  \
  "AND not_before_ms NOT BETWEEN ?1 + 1 AND ?1 + ?2 ORDER BY created_ms - 60000 * priority, seq LIMIT 1"
#define TURNS                                                                                                          \
  "WHERE q.queued > 0 ORDER BY q.name = '" STORE_EXPRESS "' DESC, max(q.running - ending(q.name), 0), q.turn, q.name"

// A queue's turn is the time of workers that it used, ms, and one for each job; one that waits is served when it has
// the least. What it did not use while it had no jobs it has no claim to, but for ten seconds.
static const int64_t CREDIT_MS = 10000;

// The job to take: the head of the first queue that has one which is due. The index has the order already; without
// being told, SQLite sorts all that are waiting.
static store_status find_next(connection *c, int64_t now_ms, int64_t *seq) {
  static const char sql[] = "SELECT coalesce((SELECT seq" HEAD "), 0) FROM queues AS q " TURNS;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ii", now_ms, (int64_t)SQLITE_BACKOFF_MS);
  store_status status;
  *seq = 0;
  while (*seq == 0 && sql_row(c, stmt, &status)) *seq = sqlite3_column_int64(stmt, 0);
  if (*seq == 0) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_done(stmt);
  return STORE_OK;
}

static store_status take_job(connection *c, void *context) {
  static const char take[] = "UPDATE jobs SET state = 'running', attempt = attempt + 1, started_ms = ?1 WHERE seq = ?2 "
                             "RETURNING " JOB_COLUMNS;
  static const char turn[] = "UPDATE queues SET turn = 1 + max(turn, coalesce((SELECT min(turn) FROM queues WHERE "
                             "name <> ?1 AND queued + running > 0), turn) - ?2) WHERE name = ?1";
  assert(job_transition_allowed(JOB_QUEUED, JOB_RUNNING));
  claim *x = context;
  int64_t seq, now_ms = clock_now_ms();
  store_job_fini(x->job);
  if (x->s->draining) return STORE_NOT_FOUND;
  store_status status = find_next(c, now_ms, &seq);
  if (status == STORE_NOT_FOUND) return next_due(c, &x->next_due_ms);
  if (status == STORE_OK) status = sqlite_one_job(c, sql_bind(sql_prepare(c, take), "ii", now_ms, seq), x->job);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, turn), "ti", x->job->queue, CREDIT_MS));
  if (status == STORE_OK) status = sqlite_sweep_follow(c, x->job->parent, JOB_QUEUED, JOB_RUNNING, now_ms);
  return sqlite_event_state(c, x->job->id, status);
}

store_status sqlite_queue_list(store *s, const store_visit *visit) {
  static const char sql[] = "SELECT q.name, q.queued, q.running, j.priority, j.created_ms - 60000 * j.priority "
                            "FROM queues AS q JOIN jobs AS j ON j.seq = (SELECT seq" HEAD ") " TURNS;
  connection *c = sqlite_read(s);
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ii", clock_now_ms(), (int64_t)SQLITE_BACKOFF_MS);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_queue q = {.queued = sqlite3_column_int64(stmt, 1),
                     .running = sqlite3_column_int64(stmt, 2),
                     .priority = sqlite3_column_int(stmt, 3),
                     .key_ms = sqlite3_column_int64(stmt, 4)};
    sql_text(stmt, 0, q.name, sizeof q.name);
    visit->queue(visit->context, &q);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_before(store *s, const store_job *job, int most, int64_t *before) {
  static const char sql[] =
      "SELECT count(*) FROM (SELECT 1 FROM jobs INDEXED BY jobs_queued WHERE queue = ?1 AND state "
      "= 'queued' AND kind <> 'sweep' AND incoming = 0 AND (created_ms - 60000 * priority, seq) < "
      "(?2, ?3) LIMIT ?4)";
  connection *c = sqlite_read(s);
  int64_t key_ms = job->created_ms - (int64_t)60000 * job->priority;
  store_status status =
      sql_integer(c, sql_bind(sql_prepare(c, sql), "tiii", job->queue, key_ms, job->seq, (int64_t)most), before);
  sqlite_read_end(s, c);
  return status;
}

// The documents are read, and made whole, by a reader: the writer has others to serve. Without them the job is put
// back.
store_status sqlite_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char unreadable[] = "its documents cannot be read as they were written: the log says why";
  *job = (store_job){.seq = 0};
  *model_document = NULL;
  claim x = {.s = s, .job = job};
  store_status status = sqlite_write_unsynced(s, take_job, &x, job->id);
  *next_due_ms = x.next_due_ms;
  if (status != STORE_OK) return store_job_fini(job), status;
  if (job->damaged) store_row_damaged(s, "jobs", job->id), status = STORE_FAILED;
  if (status == STORE_OK) status = sqlite_document_get(s, job->model_sha256, model_document);
  if (status == STORE_OK) status = store_job_whole(s, job);
  if (status == STORE_OK) return STORE_OK;
  store_status back = sqlite_job_wait(s, job, unreadable);
  free(*model_document);
  store_job_fini(job);
  *model_document = NULL;
  return back == STORE_OK ? status : back;
}

// -------------------------------------------------------------------------------------------------------------- turns

typedef struct usage {
  char queue[STORE_NAME_SIZE];
  int64_t ms;
} usage;

static store_status add_usage(connection *c, void *context) {
  static const char sql[] = "UPDATE queues SET turn = turn + ?2 WHERE name = ?1";
  const usage *x = context;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "ti", x->queue, x->ms));
}

void sqlite_queue_used(store *s, const char *queue, double used_s) {
  usage *x = malloc(sizeof *x);
  if (!x) return; // it is served somewhat earlier
  snprintf(x->queue, sizeof x->queue, "%s", queue);
  x->ms = (int64_t)(1e3 * used_s);
  (void)sqlite_write_later_unsynced(s, add_usage, x);
}

void sqlite_queue_ends(store *s, const char *queue, bool begins) {
  ending_queues *e = &sqlite_of(s)->ending;
  const char *sought = begins ? "" : queue;
  pthread_mutex_lock(&e->lock);
  int i = 0;
  while (i < SQLITE_ENDINGS && strcmp(e->queue[i], sought) != 0) i++;
  if (i < SQLITE_ENDINGS) snprintf(e->queue[i], sizeof e->queue[i], "%s", begins ? queue : "");
  pthread_mutex_unlock(&e->lock);
}

static void count_endings(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  ending_queues *e = sqlite3_user_data(context);
  const char *name = (const char *)sqlite3_value_text(values[0]);
  int found = 0;
  pthread_mutex_lock(&e->lock);
  for (int i = 0; name && i < SQLITE_ENDINGS; i++) found += *e->queue[i] && strcmp(e->queue[i], name) == 0;
  pthread_mutex_unlock(&e->lock);
  sqlite3_result_int(context, found);
}

bool sqlite_register_ending(store *s, sqlite3 *db) {
  return sqlite3_create_function(db, "ending", 1, SQLITE_UTF8, &sqlite_of(s)->ending, count_endings, NULL, NULL) ==
         SQLITE_OK;
}
