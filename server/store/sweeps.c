// Sweeps: one row of kind "sweep" and the jobs that have it as their parent.
//
// Counts, state and events of a sweep follow those of its jobs by triggers (migrations/sqlite/0005), in the same
// transaction, so that neither a lost worker nor a killed server leaves them apart. Here: what moves many jobs at once.
// Invariant: a sweep has at least one job; every position of its result names one that exists.
#include "base/clock.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void store_sweep_changed(store *s, const char *id) { store_notify(s, id); }

// ------------------------------------------------------------------------------------------------------ identifiers

// Identifiers of jobs, to be told of or removed after the commit.
typedef struct id_list {
  char (*id)[ID_SIZE];
  size_t count, capacity;
} id_list;

static bool add_id(id_list *list, const char *id) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    void *more = realloc(list->id, capacity * sizeof *list->id);
    if (!more) return false;
    list->id = more;
    list->capacity = capacity;
  }
  snprintf(list->id[list->count++], ID_SIZE, "%s", id);
  return true;
}

static store_status list_ids(connection *c, sqlite3_stmt *stmt, id_list *list) {
  store_status status;
  list->count = 0; // a transaction may be run again
  while (sql_row(c, stmt, &status)) {
    if (add_id(list, (const char *)sqlite3_column_text(stmt, 0))) continue;
    sql_done(stmt);
    return STORE_FAILED;
  }
  return status;
}

// -------------------------------------------------------------------------------------------------------- submission

typedef struct insertion {
  store_job *sweep;
  store_sweep_job *jobs;
  size_t count;
  const char *model_document;
  const store_room *room;
  const store_request *request;
} insertion;

static store_status add_counts(connection *c, const insertion *x) {
  static const char sql[] = "INSERT INTO sweeps VALUES (?1, ?2, 0, ?3, 0, 0)";
  int64_t done = 0;
  for (size_t i = 0; i < x->count; i++) done += x->jobs[i].taken_over;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "tii", x->sweep->id, (int64_t)x->count - done, done));
}

static store_status add_job(connection *c, const insertion *x, size_t i) {
  static const char sql[] = "INSERT INTO sweep_jobs VALUES (?1, ?2, ?3, ?4)";
  store_sweep_job *job = &x->jobs[i];
  store_status status = STORE_OK;
  if (!job->taken_over) {
    job->row.created_ms = x->sweep->created_ms;
    status = store_job_add(c, &job->row, job->model_document);
  }
  if (status != STORE_OK) return status;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "titi", x->sweep->id, (int64_t)i, job->row.id, job->rows));
}

static int64_t new_bytes(const store_sweep_job *job) {
  return job->taken_over ? 0 : store_job_bytes(&job->row, job->model_document);
}

static store_status insert(connection *c, void *context) {
  const insertion *x = context;
  int64_t count = 0, bytes = 0;
  for (size_t i = 0; i < x->count; i++) count += !x->jobs[i].taken_over, bytes += new_bytes(&x->jobs[i]);
  store_status status = store_job_room(c, x->room, x->sweep->queue, count, bytes);
  x->sweep->created_ms = clock_now_ms();
  if (status == STORE_OK) status = store_request_free(c, x->request);
  if (status == STORE_OK) status = store_job_add(c, x->sweep, x->model_document);
  if (status == STORE_OK) status = store_request_keep(c, x->request, x->sweep->id);
  if (status == STORE_OK) status = add_counts(c, x);
  for (size_t i = 0; status == STORE_OK && i < x->count; i++) status = add_job(c, x, i);
  return status;
}

store_status store_sweep_insert(store *s, store_job *sweep, const char *model_document, store_sweep_job *jobs,
                                size_t count, const store_room *room, const store_request *request) {
  insertion x = {sweep, jobs, count, model_document, room, request};
  return store_write(s, insert, &x, NULL);
}

// ----------------------------------------------------------------------------------------------------------- reading

store_status store_sweep_jobs(store *s, const char *id, const store_visit *visit) {
  static const char sql[] = "SELECT " JOB_COLUMNS ", position, row_count FROM sweep_jobs JOIN jobs ON jobs.id = "
                            "sweep_jobs.job WHERE sweep = ?1 ORDER BY position";
  connection *c = store_read_many(s);
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_sweep_job job = {.position = sqlite3_column_int64(stmt, JOB_COLUMN_COUNT),
                           .rows = sqlite3_column_int64(stmt, JOB_COLUMN_COUNT + 1)};
    store_read_job(stmt, &job.row);
    visit->sweep_job(visit->context, &job);
    store_job_fini(&job.row);
  }
  store_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------- cancel and delete

typedef struct cancellation {
  const char *id;
  id_list cancelled;
} cancellation;

static store_status cancel(connection *c, void *context) {
  static const char mark[] = "UPDATE jobs SET cancel = 1 WHERE id = ?1 AND state IN ('queued', 'running')";
  static const char mark_running[] = "UPDATE jobs SET cancel = 1 WHERE parent = ?1 AND state = 'running'";
  static const char waiting[] = "SELECT id FROM jobs WHERE parent = ?1 AND state = 'queued' ORDER BY seq";
  static const char end[] = "UPDATE jobs SET state = 'cancelled', finished_ms = ?2 WHERE id = ?1";
  cancellation *x = context;
  store_status status = sql_run(c, sql_bind(sql_prepare(c, mark), "t", x->id));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, mark_running), "t", x->id));
  if (status == STORE_OK) status = list_ids(c, sql_bind(sql_prepare(c, waiting), "t", x->id), &x->cancelled);
  int64_t now = clock_now_ms();
  for (size_t i = 0; status == STORE_OK && i < x->cancelled.count; i++) {
    status = sql_run(c, sql_bind(sql_prepare(c, end), "ti", x->cancelled.id[i], now));
    status = store_event_state(c, x->cancelled.id[i], status);
  }
  return status;
}

static void tell_all(store *s, const char *id, const id_list *list) {
  for (size_t i = 0; i < list->count; i++) store_sweep_changed(s, list->id[i]);
  store_sweep_changed(s, id);
}

store_status store_sweep_cancel(store *s, const char *id, size_t *waiting) {
  cancellation x = {.id = id};
  store_status status = store_write(s, cancel, &x, NULL);
  if (status == STORE_OK) tell_all(s, id, &x.cancelled);
  *waiting = status == STORE_OK ? x.cancelled.count : 0;
  free(x.cancelled.id);
  return status;
}

typedef struct deletion {
  const char *id;
  id_list removed;
} deletion;

// Jobs that a retry took over go to that sweep.
static store_status hand_over(connection *c, const char *id) {
  static const char sql[] =
      "UPDATE jobs SET parent = (SELECT max(o.sweep) FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> ?1) "
      "WHERE parent = ?1 AND EXISTS (SELECT 1 FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> ?1)";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "t", id));
}

static store_status delete (connection *c, void *context) {
  static const char busy[] = "SELECT state = 'running' FROM jobs WHERE id = ?1";
  static const char rest[] = "SELECT id FROM jobs WHERE parent = ?1";
  static const char jobs[] = "DELETE FROM jobs WHERE parent = ?1";
  static const char sweep[] = "DELETE FROM jobs WHERE id = ?1";
  deletion *x = context;
  int64_t running = 0;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, busy), "t", x->id), &running);
  if (status == STORE_OK && running > 0) status = STORE_PRECONDITION;
  if (status == STORE_OK) status = hand_over(c, x->id);
  if (status == STORE_OK) status = list_ids(c, sql_bind(sql_prepare(c, rest), "t", x->id), &x->removed);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, jobs), "t", x->id));
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sweep), "t", x->id)) : status;
}

store_status store_sweep_delete(store *s, const char *id) {
  deletion x = {.id = id};
  store_status status = store_write(s, delete, &x, NULL);
  for (size_t i = 0; status == STORE_OK && i < x.removed.count; i++) {
    store_result_remove(s, x.removed.id[i]);
    store_part_remove(s, x.removed.id[i]);
  }
  if (status == STORE_OK) tell_all(s, id, &x.removed);
  free(x.removed.id);
  return status;
}
