// The end of attempts: a job's end, its way back into the queue, and its cancel; and jobs that are deleted.
//
// Every change of a row names the state that it expects and, for writes of workers, the attempt and the node that own
// the job; a row that does not match is left alone and the caller gets STORE_PRECONDITION. That makes the commit of a
// result exactly-once although execution is at-least-once: a worker of a lost attempt, or of a node that was taken for
// dead, can write nothing.
#include "store/postgresql/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>

static const int64_t FIRST_WAIT_MS = 250;
#define OWNS "jobs.id = $1 AND jobs.attempt = $2 AND jobs.node = $3 AND jobs.state = 'running'"
#define MOVED " RETURNING jobs.*, now_ms() AS at)" TELL_STATES "SELECT j.parent, j.state FROM j"

store_status pg_moved(pg_rows *rows, store_status status, char parent[ID_SIZE], job_state *state) {
  if (status != STORE_OK) return status;
  if (!pg_next(rows)) return STORE_PRECONDITION;
  pg_copy(rows, 0, parent, ID_SIZE);
  *state = job_state_find(pg_text(rows, 1));
  pg_end(rows);
  return STORE_OK;
}

// --------------------------------------------------------------------------------------------------- end and requeue

typedef struct finishing {
  pg_item item;
  const char *id, *node;
  int64_t attempt;
  store_outcome *outcome;
  char parent[ID_SIZE];
  store_status status; // STORE_PRECONDITION: not its attempt any more, which is nothing to the others
} finishing;

enum { ENDS_MAX = 16 };
typedef struct endings { // that are written in one change
  finishing *of[ENDS_MAX];
  int count;
} endings;

static int by_id(const void *left, const void *right) {
  return strcmp((*(finishing *const *)left)->id, (*(finishing *const *)right)->id);
}

static int by_parent(const void *left, const void *right) {
  return strcmp((*(finishing *const *)left)->parent, (*(finishing *const *)right)->parent);
}

// A cancel that was acknowledged while the job ran holds, whatever it came to meanwhile: a result is not kept.
static store_status write_end(pg_connection *c, finishing *x) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = CASE WHEN cancel AND $4 = 'succeeded' THEN 'cancelled' ELSE $4 END, error = "
      "$5, finished_ms = now_ms(), node = NULL, result_size = CASE WHEN cancel THEN NULL ELSE nullif($6::bigint, 0) "
      "END, "
      "result_sha256 = CASE WHEN cancel THEN NULL ELSE $7 END, result_node = CASE WHEN cancel OR $7 IS NULL THEN NULL "
      "ELSE $3 END, warnings = CASE WHEN $8 = '' THEN warnings ELSE $8 END, "
      "t_end = CASE WHEN $9::double precision > 0 THEN $9 ELSE t_end END WHERE " OWNS MOVED;
  store_outcome *o = x->outcome;
  pg_rows rows;
  *x->parent = '\0';
  store_status status = pg_run(c, &rows, sql, "titttittd", x->id, x->attempt, x->node, job_state_name(o->state),
                               o->error, o->result_size, o->result_sha256, o->warnings, o->t_end);
  x->status = pg_moved(&rows, status, x->parent, &o->ended);
  return x->status == STORE_PRECONDITION ? STORE_OK : x->status;
}

static bool is_alike(const finishing *a, const finishing *b) {
  return a->status == STORE_OK && b->status == STORE_OK && a->outcome->ended == b->outcome->ended &&
         strcmp(a->parent, b->parent) == 0;
}

// Each sweep once for each state that jobs of it came to.
static store_status follow_ends(pg_connection *c, const endings *e) {
  store_status status = STORE_OK;
  for (int i = 0; status == STORE_OK && i < e->count; i++) {
    const finishing *x = e->of[i];
    int64_t jobs = 0;
    bool counted = x->status != STORE_OK;
    for (int k = 0; k < i; k++) counted = counted || is_alike(e->of[k], x);
    for (int k = i; k < e->count; k++) jobs += is_alike(e->of[k], x);
    if (!counted) status = pg_sweep_follow(c, x->parent, x->outcome->ended, jobs);
  }
  return status;
}

// Jobs in the order of their names, then sweeps likewise, as all who change several do.
static store_status write_ends(pg_connection *c, void *context) {
  endings *e = context;
  store_status status = STORE_OK;
  qsort(e->of, (size_t)e->count, sizeof e->of[0], by_id);
  for (int i = 0; status == STORE_OK && i < e->count; i++) status = write_end(c, e->of[i]);
  qsort(e->of, (size_t)e->count, sizeof e->of[0], by_parent);
  return status == STORE_OK ? follow_ends(c, e) : status;
}

static void finish_all(store *s, endings *e) {
  store_status status = pg_change(s, write_ends, e, NULL);
  if (status == STORE_FAILED && e->count > 1) { // what is wrong with one is nothing to the others
    for (int i = 0; i < e->count; i++) finish_all(s, &(endings){.of = {e->of[i]}, .count = 1});
    return;
  }
  for (int i = 0; i < e->count; i++) {
    if (status != STORE_OK) e->of[i]->status = status;
    if (e->of[i]->status == STORE_OK) pg_tell(s, e->of[i]->id);
  }
}

static void finish_together(store *s, pg_item *list, int count) {
  endings e = {.count = 0};
  assert(count <= ENDS_MAX);
  for (; list; list = list->next) e.of[e.count++] = (finishing *)list;
  assert(e.count == count), (void)count;
  finish_all(s, &e);
}

store_status postgresql_job_finish(store *s, const char *id, int attempt, store_outcome *outcome) {
  pg_progress_flush(s, id);
  finishing x = {.id = id, .node = pg_node_id(s), .attempt = attempt, .outcome = outcome};
  pg_gather(postgresql_of(s)->ends, s, &x.item, ENDS_MAX, finish_together);
  if (x.status == STORE_OK || x.status == STORE_PRECONDITION) pg_held_remove(s, id, attempt);
  return x.status;
}

typedef struct requeue {
  const char *id, *node;
  int64_t attempt, crashed, delay_ms;
  const char *why; // not NULL: what it waits for
} requeue;

// A job that waits for the machine, and whose cancel was asked for before anybody could be told, ends.
static store_status put_back(pg_connection *c, void *context) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = CASE WHEN cancel AND $6::text IS NOT NULL THEN 'cancelled' ELSE 'queued' "
      "END, "
      "finished_ms = CASE WHEN cancel AND $6 IS NOT NULL THEN now_ms() END, node = NULL, crashes = crashes + "
      "$4::integer, not_before_ms = CASE WHEN $5::bigint > 0 THEN now_ms() + $5 ELSE 0 END, waiting = $6, faults = "
      "CASE "
      "WHEN $6 IS NULL THEN 0 ELSE faults + 1 END WHERE " OWNS MOVED;
  const requeue *x = context;
  char parent[ID_SIZE];
  job_state now;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "titiit", x->id, x->attempt, x->node, x->crashed, x->delay_ms, x->why);
  status = pg_moved(&rows, status, parent, &now);
  return status == STORE_OK ? pg_sweep_follow(c, parent, now, 1) : status;
}

// It is work again, from when it is due.
static store_status write_requeue(store *s, requeue *x) {
  pg_progress_flush(s, x->id);
  store_status status = pg_change(s, put_back, x, x->id);
  if (status == STORE_OK || status == STORE_PRECONDITION) pg_held_remove(s, x->id, (int)x->attempt);
  if (status == STORE_OK) pg_tell_work(s, false);
  return status;
}

store_status postgresql_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms) {
  requeue x = {.id = id, .node = pg_node_id(s), .attempt = attempt, .crashed = crashed, .delay_ms = delay_ms};
  return write_requeue(s, &x);
}

store_status postgresql_job_wait(store *s, const store_job *job, const char *why) {
  int64_t delay_ms = job->faults < 8 ? FIRST_WAIT_MS << job->faults : PG_BACKOFF_MS;
  requeue x = {.id = job->id, .node = pg_node_id(s), .attempt = job->attempt, .delay_ms = delay_ms, .why = why};
  if (!job->waiting || strcmp(job->waiting, why) != 0) {
    store_status remarked = postgresql_job_remark(s, job->id, job->attempt, "warning", why);
    (void)remarked; // the remark is for people; the requeue decides
  }
  return write_requeue(s, &x);
}

// ------------------------------------------------------------------------------------------------------------- cancel

typedef struct cancellation {
  const char *id;
  store_job *job;
} cancellation;

static store_status cancel(pg_connection *c, void *context) {
  static const char queued[] =
      "WITH j AS (UPDATE jobs SET state = 'cancelled', finished_ms = now_ms() WHERE id = $1 AND state = 'queued'" MOVED;
  static const char running[] = "UPDATE jobs SET cancel = true WHERE id = $1 AND state = 'running'";
  const cancellation *x = context;
  char parent[ID_SIZE];
  job_state now;
  pg_rows rows;
  store_job_fini(x->job);
  store_status status = pg_moved(&rows, pg_run(c, &rows, queued, "t", x->id), parent, &now);
  if (status == STORE_OK)
    status = pg_sweep_follow(c, parent, JOB_CANCELLED, 1);
  else if (status == STORE_PRECONDITION)
    status = pg_run(c, NULL, running, "t", x->id);
  return status == STORE_OK ? pg_select_job(c, x->id, x->job) : status;
}

store_status postgresql_job_cancel(store *s, const char *id, store_job *job) {
  *job = (store_job){.seq = 0};
  store_status status = pg_change(s, cancel, &(cancellation){.id = id, .job = job}, id);
  if (status != STORE_OK) store_job_fini(job);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- delete

typedef struct removal {
  const char *id;
  char owner[STORE_NAME_SIZE];
  store_result_name result;
  bool sweep; // nothing is removed then
} removal;

static store_status remove_job(pg_connection *c, void *context) {
  static const char sql[] = "SELECT state, kind, owner, attempt, result_node FROM jobs WHERE id = $1 FOR UPDATE";
  removal *x = context;
  pg_rows rows;
  char id[1][ID_SIZE];
  const pg_id_list one = {id, 1};
  store_status status = pg_run(c, &rows, sql, "t", x->id);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  bool running = job_state_find(pg_text(&rows, 0)) == JOB_RUNNING;
  x->sweep = strcmp(pg_text(&rows, 1), "sweep") == 0;
  pg_copy(&rows, 2, x->owner, sizeof x->owner);
  x->result = store_result_named(x->id, (int)pg_integer(&rows, 3), pg_null(&rows, 4) ? "" : pg_text(&rows, 4));
  pg_end(&rows);
  memcpy(id[0], x->id, ID_SIZE);
  if (x->sweep) return STORE_OK;
  return running ? STORE_PRECONDITION : pg_jobs_remove(c, &one);
}

store_status postgresql_job_delete(store *s, const char *id) {
  removal x = {.id = id};
  store_status status = pg_change(s, remove_job, &x, NULL);
  if (status != STORE_OK) return status;
  if (x.sweep) return pg_sweep_delete(s, id);
  store_job_gone(s, &x.result, x.owner);
  pg_tell(s, id);
  return STORE_OK;
}
