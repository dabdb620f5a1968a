// Claims: which job is taken next, by the turns of queues and, within one, by priority and age.
//
// Queues are found by steps along the index of jobs that wait; where there is more than one, their running jobs are
// counted, which are as few as there are workers. Then the head of the first queue is taken with SKIP LOCKED, so that nodes that claim at the same
// time take different jobs and none waits for another. A claim is durable like any change: its attempt's number never
// comes again.
#include "base/clock.h"
#include "store/postgresql/jobs/jobs.h"

#include <stdio.h>
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

enum { PG_CLAIMS_MAX = 32 };
typedef struct pg_claimed {
  int wanted, count;
  store_job jobs[PG_CLAIMS_MAX]; // [count] to be freed
  int64_t next_due_ms;           // when there are fewer than wanted; by this process's clock, 0: none waits
} pg_claimed;

// Up to `most` of a queue, in their order, behind those that are there. Only a node whose lease lasts has attempts.
static store_status take_heads(pg_connection *c, const char *queue, const store *s, pg_claimed *x, int most) {
  static const char sql[] =
      "WITH n AS (SELECT now_ms() AS now), next AS (SELECT j.seq FROM jobs AS j, n WHERE j.queue = $1 AND " WAITS
      " AND " DUE " AND EXISTS (SELECT 1 FROM nodes AS o WHERE o.id = $3 AND o.lease_ms > n.now) ORDER BY " ORDER
      " LIMIT $5 FOR UPDATE OF j SKIP LOCKED), j AS (UPDATE jobs SET state = 'running', attempt = attempt + 1, node = "
      "$3, ran_on = $4, started_ms = now_ms() FROM next WHERE jobs.seq = next.seq RETURNING jobs.*, now_ms() AS "
      "at)" TELL_STATES "SELECT " JOB_COLUMNS " FROM j ORDER BY " ORDER;
  pg_rows rows;
  assert(job_transition_allowed(JOB_QUEUED, JOB_RUNNING) && x->count + most <= PG_CLAIMS_MAX);
  store_status status =
      pg_run(c, &rows, sql, "titti", queue, (int64_t)PG_BACKOFF_MS, pg_node_id(s), s->node_name, (int64_t)most);
  while (status == STORE_OK && pg_next(&rows)) pg_read_job(&rows, &x->jobs[x->count++]);
  return status;
}

// One of the first queue that has one; where there is one queue, as many as are wanted.
static store_status take_next(pg_connection *c, store *s, pg_claimed *x) {
  pg_queue *queues;
  int count, before = x->count, most = x->wanted - x->count;
  store_status status = read_queues(c, &queues, &count);
  if (status == STORE_OK) pg_turns_order(s, queues, count);
  for (int i = 0; status == STORE_OK && x->count == before && i < count; i++)
    status = take_heads(c, queues[i].name, s, x, count == 1 ? most : 1);
  for (int i = before; i < x->count; i++) pg_turn_taken(s, x->jobs[i].queue, queues, count);
  free(queues);
  return status;
}

// Sweeps in the order of their names, as all who change several do.
static store_status follow(pg_connection *c, const pg_claimed *x) {
  char last[ID_SIZE] = "";
  for (store_status status;;) {
    const char *next = NULL;
    int64_t jobs = 0;
    for (int i = 0; i < x->count; i++)
      if (strcmp(x->jobs[i].parent, last) > 0 && (!next || strcmp(x->jobs[i].parent, next) < 0))
        next = x->jobs[i].parent;
    if (!next) return STORE_OK;
    snprintf(last, sizeof last, "%s", next);
    for (int i = 0; i < x->count; i++) jobs += strcmp(x->jobs[i].parent, last) == 0;
    status = pg_sweep_follow(c, last, JOB_QUEUED, JOB_RUNNING, jobs);
    if (status != STORE_OK) return status;
  }
}

typedef struct claim {
  store *s;
  pg_claimed *claimed;
} claim;

static store_status take_jobs(pg_connection *c, void *context) {
  const claim *x = context;
  pg_claimed *now = x->claimed;
  store_status status = STORE_OK;
  for (int i = 0; i < now->count; i++) store_job_fini(&now->jobs[i]);
  now->count = 0;
  for (int before = -1; status == STORE_OK && now->count < now->wanted && now->count > before;) {
    before = now->count;
    status = take_next(c, x->s, now);
  }
  if (status == STORE_OK && now->count < now->wanted) {
    status = next_due(c, &now->next_due_ms);
    if (status == STORE_NOT_FOUND && now->count > 0) status = STORE_OK;
  }
  return status == STORE_OK ? follow(c, now) : status;
}

static store_status claim_all(store *s, pg_claimed *claimed) {
  claimed->count = 0;
  store_status status = pg_change(s, take_jobs, &(claim){s, claimed}, NULL);
  if (status == STORE_AWAY) pg_held_doubt(s);
  for (int i = 0; i < claimed->count && status != STORE_OK; i++) store_job_fini(&claimed->jobs[i]);
  if (status != STORE_OK) claimed->count = 0;
  for (int i = 0; i < claimed->count; i++) {
    if (!pg_held_add(s, claimed->jobs[i].id, claimed->jobs[i].attempt)) pg_held_doubt(s); // it will be put back
    pg_tell(s, claimed->jobs[i].id);
  }
  return status;
}

typedef struct asking {
  pg_item item;
  store_job job;
  store_status status;
  int64_t next_due_ms;
} asking;

static void claim_for(store *s, pg_item *list, int count) {
  pg_claimed claimed = {.wanted = count};
  store_status status = claim_all(s, &claimed);
  for (int i = 0; list; i++, list = list->next) {
    asking *one = (asking *)list;
    bool got = i < claimed.count;
    one->status = got ? STORE_OK : status == STORE_OK ? STORE_NOT_FOUND : status;
    if (got) one->job = claimed.jobs[i];
    one->next_due_ms = claimed.next_due_ms;
  }
}

// Without its documents the job is put back.
store_status postgresql_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char unreadable[] = "its documents cannot be read as they were written: the log says why";
  asking mine = {.status = STORE_NOT_FOUND};
  *model_document = NULL;
  pg_gather(postgresql_of(s)->claims, s, &mine.item, PG_CLAIMS_MAX, claim_for);
  *job = mine.job;
  *next_due_ms = mine.next_due_ms;
  if (mine.status != STORE_OK) return mine.status;
  store_status status = postgresql_document_get(s, job->model_sha256, model_document);
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
