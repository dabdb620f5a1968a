// Claims: which job is taken next, by the turns of queues and, within one, by priority and age.
//
// Queues are found by steps along the index of jobs that wait; where there is more than one, their running jobs are
// counted, which are as few as there are workers. Then the head of the first queue is taken with SKIP LOCKED, so that nodes that claim at the same
// time take different jobs and none waits for another. A claim is durable like any change: its attempt's number never
// comes again.
#include "base/clock.h"
#include "store/postgresql/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUES_MAX = 4096, SOON_MS = 50 };

#define DUE "(j.not_before_ms <= n.now OR j.not_before_ms > n.now + $2::bigint)"
#define WAITS "j.state = 'queued' AND j.kind <> 'sweep'"
#define ORDER "j.created_ms - 60000 * j.priority, j.seq"

static store_status read_waiting(pg_connection *c, pg_queue **queues, int *count) {
  static const char sql[] =
      "WITH RECURSIVE q (name) AS ((SELECT queue FROM jobs WHERE state = 'queued' AND kind <> 'sweep' ORDER BY queue "
      "LIMIT 1) UNION ALL SELECT (SELECT j.queue FROM jobs AS j WHERE j.state = 'queued' AND j.kind <> 'sweep' AND "
      "j.queue > q.name ORDER BY j.queue LIMIT 1) FROM q WHERE q.name IS NOT NULL) SELECT name FROM q WHERE name IS "
      "NOT "
      "NULL LIMIT $1";
  pg_rows rows;
  *count = 0;
  *queues = NULL;
  store_status status = pg_run(c, &rows, sql, "i", (int64_t)QUEUES_MAX);
  if (status != STORE_OK) return status;
  *queues = calloc((size_t)PQntuples(rows.result) + 1, sizeof **queues);
  while (*queues && pg_next(&rows)) pg_copy(&rows, 0, (*queues)[(*count)++].name, STORE_NAME_SIZE);
  pg_end(&rows);
  return *queues ? STORE_OK : STORE_FAILED;
}

static store_status read_running(pg_connection *c, pg_queue *queues, int count) {
  static const char sql[] =
      "SELECT queue, count(*) FROM jobs WHERE state = 'running' AND kind <> 'sweep' GROUP BY queue";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "");
  while (status == STORE_OK && pg_next(&rows))
    for (int i = 0; i < count; i++)
      if (strcmp(queues[i].name, pg_text(&rows, 0)) == 0) queues[i].running = pg_integer(&rows, 1);
  return status;
}

// Those in which jobs wait, due or not; where there are several, with how many of each run, anywhere.
static store_status read_queues(pg_connection *c, pg_queue **queues, int *count) {
  store_status status = read_waiting(c, queues, count);
  return status == STORE_OK && *count > 1 ? read_running(c, *queues, *count) : status;
}

typedef struct claim {
  store *s;
  store_job *job;
  int64_t next_due_ms; // by this process's clock
} claim;

// STORE_NOT_FOUND, and when the next is due. One that is due now is being taken by others, who may fail, or has come
// meanwhile: soon.
static store_status next_due(pg_connection *c, int64_t *due_ms) {
  static const char sql[] = "SELECT CASE WHEN count(*) > 0 THEN greatest(min(j.not_before_ms) - now_ms(), $1::bigint) "
                            "END FROM jobs AS j WHERE " WAITS;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "i", (int64_t)SOON_MS);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  *due_ms = pg_null(&rows, 0) ? 0 : clock_now_ms() + pg_integer(&rows, 0) + 1;
  pg_end(&rows);
  return STORE_NOT_FOUND;
}

// Only a node whose lease lasts has attempts.
static store_status take_head(pg_connection *c, const char *queue, const char *node, const char *name, store_job *job) {
  static const char sql[] =
      "WITH n AS (SELECT now_ms() AS now), next AS (SELECT j.seq FROM jobs AS j, n WHERE j.queue = $1 AND " WAITS
      " AND " DUE " AND EXISTS (SELECT 1 FROM nodes AS o WHERE o.id = $3 AND o.lease_ms > n.now) ORDER BY " ORDER
      " LIMIT 1 FOR UPDATE OF j SKIP LOCKED), j AS (UPDATE jobs SET state = 'running', attempt = attempt + 1, node = "
      "$3, ran_on = $4, "
      "started_ms = now_ms() FROM next WHERE jobs.seq = next.seq RETURNING jobs.*, now_ms() AS at)" TELL_STATES
      "SELECT " JOB_COLUMNS " FROM j";
  pg_rows rows;
  assert(job_transition_allowed(JOB_QUEUED, JOB_RUNNING));
  return pg_one_job(&rows, pg_run(c, &rows, sql, "titt", queue, (int64_t)PG_BACKOFF_MS, node, name), job);
}

static store_status take_job(pg_connection *c, void *context) {
  claim *x = context;
  pg_queue *queues;
  int count;
  store_job_fini(x->job);
  store_status status = read_queues(c, &queues, &count);
  if (status == STORE_OK) pg_turns_order(x->s, queues, count), status = STORE_NOT_FOUND;
  for (int i = 0; status == STORE_NOT_FOUND && i < count; i++)
    status = take_head(c, queues[i].name, pg_node_id(x->s), x->s->node_name, x->job);
  if (status == STORE_OK) pg_turn_taken(x->s, x->job->queue, queues, count);
  free(queues);
  if (status == STORE_NOT_FOUND) return next_due(c, &x->next_due_ms);
  return status == STORE_OK ? pg_sweep_follow(c, x->job->parent, JOB_QUEUED, JOB_RUNNING, 1) : status;
}

// Without its documents the job is put back.
store_status postgresql_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char unreadable[] = "its documents cannot be read as they were written: the log says why";
  *job = (store_job){.seq = 0};
  *model_document = NULL;
  claim x = {.s = s, .job = job};
  store_status status = pg_change(s, take_job, &x, job->id);
  *next_due_ms = x.next_due_ms;
  if (status == STORE_AWAY) pg_held_doubt(s);
  if (status != STORE_OK) return store_job_fini(job), status;
  if (!pg_held_add(s, job->id, job->attempt)) pg_held_doubt(s); // it will be put back
  status = postgresql_document_get(s, job->model_sha256, model_document);
  if (status == STORE_OK) status = store_job_whole(s, job);
  if (status == STORE_OK) return STORE_OK;
  store_status back = postgresql_job_wait(s, job, unreadable);
  free(*model_document);
  store_job_fini(job);
  *model_document = NULL;
  return back == STORE_OK ? status : back;
}

static store_status visit_head(pg_connection *c, const pg_queue *q, const store_visit *visit) {
  static const char sql[] =
      "SELECT j.priority, j.created_ms - 60000 * j.priority, (SELECT coalesce(sum(k.queued), 0) FROM queue_counts AS k "
      "WHERE k.name = $1), (SELECT count(*) FROM jobs AS r WHERE r.state = 'running' AND r.kind <> 'sweep' AND r.queue "
      "= "
      "$1) FROM jobs AS j, (SELECT now_ms() AS now) AS n WHERE j.queue = $1 AND " WAITS " AND " DUE " ORDER BY " ORDER
      " LIMIT 1";
  pg_rows rows;
  store_queue head = {.queued = 0};
  store_status status = pg_run(c, &rows, sql, "ti", q->name, (int64_t)PG_BACKOFF_MS);
  memcpy(head.name, q->name, sizeof head.name);
  while (status == STORE_OK && pg_next(&rows)) {
    head.priority = (int)pg_integer(&rows, 0);
    head.key_ms = pg_integer(&rows, 1);
    head.queued = pg_integer(&rows, 2);
    head.running = pg_integer(&rows, 3);
    visit->queue(visit->context, &head);
  }
  return status;
}

store_status postgresql_queue_list(store *s, const store_visit *visit) {
  pg_queue *queues = NULL;
  int count = 0;
  pg_connection *c = pg_read(s);
  store_status status = c ? read_queues(c, &queues, &count) : STORE_AWAY;
  if (status == STORE_OK) pg_turns_order(s, queues, count);
  for (int i = 0; status == STORE_OK && i < count; i++) status = visit_head(c, &queues[i], visit);
  pg_read_end(s, c);
  free(queues);
  return status;
}
