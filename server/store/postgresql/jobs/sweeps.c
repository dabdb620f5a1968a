// Sweeps: one row of kind "sweep" and the jobs that have it as their parent.
//
// A sweep comes, is cancelled and goes in one change, however large it is: nobody sees a part of it, and what others
// write meanwhile waits for none of its rows but those it changes itself. Rows are locked in one order: jobs by their
// names, then the sweep's counts, then its row.
#include "store/postgresql/jobs/jobs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------------------------- submission

typedef struct insertion {
  store_job *sweep;
  store_sweep_job *jobs;
  size_t count;
  const char *model_document, *base;
  const store_room *room;
  const store_request *request;
} insertion;

typedef struct arrays { // of a pg_submission
  store_job **jobs;
  const char **documents, **bases;
  size_t count;
} arrays;

static void take_in(arrays *a, store_job *job, const char *document, const char *base) {
  a->jobs[a->count] = job;
  a->documents[a->count] = document;
  a->bases[a->count++] = base;
}

static void arrays_fini(arrays *a) {
  free(a->jobs);
  free(a->documents);
  free(a->bases);
}

// The sweep, then its new jobs. False without memory.
static bool collect(const insertion *x, arrays *a) {
  size_t most = x->count + 1;
  *a = (arrays){.jobs = malloc(most * sizeof *a->jobs),
                .documents = malloc(most * sizeof *a->documents),
                .bases = malloc(most * sizeof *a->bases)};
  if (!a->jobs || !a->documents || !a->bases) return false;
  take_in(a, x->sweep, x->model_document, NULL);
  for (size_t i = 0; i < x->count; i++)
    if (!x->jobs[i].taken_over) take_in(a, &x->jobs[i].row, x->jobs[i].model_document, x->jobs[i].model_base);
  return true;
}

// The base document is that of any of the new jobs.
static store_status add_base(pg_connection *c, const insertion *x) {
  for (size_t i = 0; x->base && i < x->count; i++)
    if (*x->jobs[i].row.document_base) return pg_document_put(c, x->jobs[i].row.document_base, x->base, NULL);
  return STORE_OK;
}

static store_status check_room(pg_connection *c, const insertion *x, int64_t *place, int64_t *now_ms) {
  int64_t count = 0, bytes = 0;
  for (size_t i = 0; i < x->count; i++) {
    const store_sweep_job *job = &x->jobs[i];
    if (job->taken_over) continue;
    count++;
    bytes += (int64_t)strlen(job->row.document) + (job->model_document ? (int64_t)strlen(job->model_document) : 0);
  }
  return pg_job_room(c, x->room, x->sweep->queue, count, bytes, place, now_ms);
}

// "[[identifier, rows], …]" in the order of the result, to be freed; NULL without memory.
static char *describe_places(const insertion *x) {
  json_t *list = json_array();
  for (size_t i = 0; i < x->count; i++)
    json_array_append_new(list, json_pack("[s, I]", x->jobs[i].row.id, (json_int_t)x->jobs[i].rows));
  char *text = store_json_text(list);
  json_decref(list);
  return text;
}

static store_status add_places(pg_connection *c, const insertion *x) {
  static const char counts[] = "INSERT INTO sweeps VALUES ($1, $2, 0, $3, 0, 0)";
  static const char places[] = "INSERT INTO sweep_jobs SELECT $1, p.position - 1, p.job ->> 0, (p.job ->> 1)::bigint "
                               "FROM json_array_elements($2::json) WITH ORDINALITY AS p (job, position)";
  int64_t done = 0;
  for (size_t i = 0; i < x->count; i++) done += x->jobs[i].taken_over;
  char *list = describe_places(x);
  store_status status = list ? STORE_OK : STORE_FAILED;
  if (status == STORE_OK) status = pg_run(c, NULL, counts, "tii", x->sweep->id, (int64_t)x->count - done, done);
  if (status == STORE_OK) status = pg_run(c, NULL, places, "tt", x->sweep->id, list);
  free(list);
  return status;
}

static store_status add_jobs(pg_connection *c, const insertion *x, int64_t place, int64_t now_ms) {
  arrays a;
  store_status status = collect(x, &a) ? add_base(c, x) : STORE_FAILED;
  pg_submission all = {a.jobs, a.documents, a.bases, a.count, (int64_t)x->count};
  if (status == STORE_OK) status = pg_jobs_add(c, &all, place, now_ms);
  arrays_fini(&a);
  return status == STORE_OK ? add_places(c, x) : status;
}

static store_status insert(pg_connection *c, void *context) {
  const insertion *x = context;
  int64_t place = 0, now_ms = 0;
  store_keep *keep = x->room->keep;
  store_status status = pg_take_time(c);
  if (status == STORE_OK) status = pg_keep_begin(c, x->sweep->owner, keep);
  if (status == STORE_OK) status = check_room(c, x, &place, &now_ms);
  if (status == STORE_OK) status = add_jobs(c, x, place, now_ms);
  if (status == STORE_OK) status = pg_request_keep(c, x->request, x->sweep->id);
  unsigned bounds = 1U << STORE_KEPT_JOBS | 1U << STORE_KEPT_SWEEPS | 1U << STORE_KEPT_BYTES;
  if (x->request->key) bounds |= 1U << STORE_KEPT_KEYS;
  return status == STORE_OK ? pg_keep_check(c, x->sweep->owner, bounds, keep) : status;
}

store_status postgresql_sweep_insert(store *s, store_job *sweep, const char *model_document, const char *base,
                                     store_sweep_job *jobs, size_t count, const store_room *room,
                                     const store_request *request) {
  insertion x = {sweep, jobs, count, model_document, base, room, request};
  store_status status = pg_change(s, insert, &x, NULL);
  if (status == STORE_OK) pg_tell_work(s, true);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- reading

store_status postgresql_sweep_jobs(store *s, const char *id, const store_visit *visit) {
  static const char sql[] =
      "SELECT " JOB_COLUMNS ", p.position, p.row_count FROM sweep_jobs AS p JOIN jobs AS j ON j.id "
      "= p.job WHERE p.sweep = $1 ORDER BY p.position";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "t", id) : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    store_sweep_job job = {.position = pg_integer(&rows, JOB_COLUMN_COUNT),
                           .rows = pg_integer(&rows, JOB_COLUMN_COUNT + 1)};
    pg_read_job(&rows, &job.row);
    visit->sweep_job(visit->context, &job);
    store_job_fini(&job.row);
  }
  pg_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------- cancel and delete

static store_status lock_all(pg_connection *c, const char *id) {
  static const char jobs[] = "SELECT 1 FROM jobs WHERE parent = $1 AND state IN ('queued', 'running') ORDER BY id FOR "
                             "UPDATE";
  static const char counts[] = "SELECT 1 FROM sweeps WHERE id = $1 FOR UPDATE";
  store_status status = pg_take_time(c);
  if (status == STORE_OK) status = pg_run(c, NULL, jobs, "t", id);
  return status == STORE_OK ? pg_run(c, NULL, counts, "t", id) : status;
}

typedef struct sweep_change {
  const char *id;
  char owner[STORE_NAME_SIZE];
  pg_id_list jobs;            // that were cancelled, or are gone
  store_result_name *results; // of those that are gone
  size_t result_count;
} sweep_change;

// The sweep, and those of its jobs that run, whose workers are told.
static store_status mark(pg_connection *c, const char *id) {
  static const char sql[] =
      "UPDATE jobs SET cancel = true WHERE (id = $1 AND state IN ('queued', 'running')) OR (parent "
      "= $1 AND state = 'running')";
  return pg_run(c, NULL, sql, "t", id);
}

static store_status cancel(pg_connection *c, void *context) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = 'cancelled', finished_ms = now_ms() WHERE parent = $1 AND state = 'queued' "
      "RETURNING jobs.*, now_ms() AS at)" TELL_STATES "SELECT j.id FROM j";
  sweep_change *x = context;
  pg_rows rows;
  store_status status = lock_all(c, x->id);
  if (status == STORE_OK) status = mark(c, x->id);
  if (status == STORE_OK) status = pg_ids(&rows, pg_run(c, &rows, sql, "t", x->id), &x->jobs);
  if (status != STORE_OK) return status;
  return pg_sweep_follow(c, x->id, JOB_CANCELLED, (int64_t)x->jobs.count);
}

static void tell_all(store *s, const sweep_change *x) {
  for (size_t i = 0; i < x->jobs.count; i++) store_sweep_changed(s, x->jobs.id[i]);
  pg_tell(s, x->id);
}

store_status postgresql_sweep_cancel(store *s, const char *id, size_t *waiting) {
  sweep_change x = {.id = id};
  store_status status = pg_change(s, cancel, &x, NULL);
  *waiting = status == STORE_OK ? x.jobs.count : 0;
  if (status == STORE_OK) tell_all(s, &x);
  free(x.jobs.id);
  return status;
}

// STORE_PRECONDITION while it runs.
static store_status check_idle(pg_connection *c, sweep_change *x) {
  pg_rows rows;
  store_status status = pg_run(c, &rows, "SELECT state, owner FROM jobs WHERE id = $1 FOR UPDATE", "t", x->id);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  bool running = job_state_find(pg_text(&rows, 0)) == JOB_RUNNING;
  pg_copy(&rows, 1, x->owner, sizeof x->owner);
  pg_end(&rows);
  return running ? STORE_PRECONDITION : STORE_OK;
}

#define OF_SWEEP(columns) "SELECT " columns " FROM jobs WHERE parent = $1 OR id = $1"

// Names of what goes with the jobs.
static store_status read_results(pg_connection *c, sweep_change *x) {
  pg_rows rows;
  store_status status = pg_run(c, &rows, OF_SWEEP("id, attempt, coalesce(result_node, '')"), "t", x->id);
  if (status != STORE_OK) return status;
  free(x->results);
  x->result_count = 0;
  x->results = calloc((size_t)PQntuples(rows.result) + 1, sizeof *x->results);
  while (x->results && pg_next(&rows))
    x->results[x->result_count++] = store_result_named(pg_text(&rows, 0), (int)pg_integer(&rows, 1), pg_text(&rows, 2));
  pg_end(&rows);
  return x->results ? STORE_OK : STORE_FAILED;
}

// Jobs that a retry took over go to that sweep; the others go with this one.
static store_status remove_sweep(pg_connection *c, void *context) {
  static const char hand_over[] =
      "UPDATE jobs SET parent = (SELECT max(o.sweep) FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> $1) "
      "WHERE "
      "parent = $1 AND EXISTS (SELECT 1 FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> $1)";
  sweep_change *x = context;
  pg_rows rows;
  store_status status = lock_all(c, x->id);
  if (status == STORE_OK) status = check_idle(c, x);
  if (status == STORE_OK) status = pg_run(c, NULL, hand_over, "t", x->id);
  if (status == STORE_OK) status = read_results(c, x);
  if (status == STORE_OK) status = pg_ids(&rows, pg_run(c, &rows, OF_SWEEP("id"), "t", x->id), &x->jobs);
  return status == STORE_OK ? pg_jobs_remove(c, &x->jobs) : status;
}

store_status pg_sweep_delete(store *s, const char *id) {
  sweep_change x = {.id = id};
  store_status status = pg_change(s, remove_sweep, &x, NULL);
  for (size_t i = 0; status == STORE_OK && i < x.result_count; i++) store_job_gone(s, &x.results[i], x.owner);
  if (status == STORE_OK) tell_all(s, &x);
  free(x.jobs.id);
  free(x.results);
  return status;
}
