// Claims: which job is taken next, by the turns of queues and, within one, by priority and age.
//
// Queues are found by steps along the index of jobs that wait; where there is more than one, their running jobs are
// counted, which are as few as there are workers. How many of each have their turn is worked out here, and the heads of
// each queue are taken by one statement, with SKIP LOCKED, so that nodes that claim at the same time take different
// jobs and none waits for another. A claim is durable like any change: its attempt's number never comes again.
#include "base/clock.h"
#include "store/postgresql/jobs/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MAX = 4096, SOON_MS = 50 };

#define DUE "(j.not_before_ms <= n.now OR j.not_before_ms > n.now + $2::bigint)"
#define WAITS "j.state = 'queued' AND j.kind <> 'sweep'"
#define ORDER "j.created_ms - 60000 * j.priority, j.seq"

// The first statement of a claim. Until its end nobody drains this node, so that what the next statements see of that
// still holds when the claim is committed (nodes/list.c). And they go along indexes, by plans that are made once for a
// connection: one that was made while few jobs waited would sort all that wait later, and to plan each claim anew takes
// longer than the claim.
static store_status begin_claim(pg_connection *c, const char *node) {
  static const char sql[] = "SELECT pg_advisory_xact_lock_shared(" PG_CLAIMS_OF(
      "$1") "), set_config('enable_seqscan', 'off', true), "
            "set_config('enable_sort', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)";
  return pg_run(c, NULL, sql, "t", node);
}

static store_status read_waiting(pg_connection *c, pg_queue **queues, int *count) {
  static const char sql[] =
      "WITH RECURSIVE q (name) AS ((SELECT queue FROM jobs WHERE state = 'queued' AND kind <> 'sweep' ORDER BY queue "
      "LIMIT 1) UNION ALL SELECT (SELECT j.queue FROM jobs AS j WHERE j.state = 'queued' AND j.kind <> 'sweep' AND "
      "j.queue > q.name ORDER BY j.queue LIMIT 1) FROM q WHERE q.name IS NOT NULL) SELECT name FROM q WHERE name IS "
      "NOT NULL LIMIT $1";
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
  static const char sql[] = "SELECT CASE WHEN EXISTS (SELECT 1 FROM jobs AS j WHERE " WAITS
                            " AND j.not_before_ms = 0) THEN $1::bigint ELSE (SELECT greatest(min(j.not_before_ms) - "
                            "now_ms(), $1) FROM jobs AS j WHERE " WAITS " HAVING count(*) > 0) END";
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

// Up to `most` of a queue, in their order, behind those that are there. Only a node whose lease lasts has attempts, and
// one that is drained begins none.
static store_status take_heads(pg_connection *c, const char *queue, const store *s, pg_claimed *x, int most) {
  static const char sql[] =
      "WITH n AS (SELECT now_ms() AS now), next AS (SELECT j.seq FROM jobs AS j, n WHERE j.queue = $1 AND " WAITS
      " AND " DUE
      " AND EXISTS (SELECT 1 FROM nodes AS o WHERE o.id = $3 AND o.lease_ms > n.now AND NOT o.draining) ORDER BY " ORDER
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

// How many of each queue have their turn, of so many more; those that are dry have none.
static void plan(pg_queue *queues, int count, int more) {
  for (int i = 0; i < count; i++) queues[i].planned = 0;
  for (; more > 0; more--) {
    pg_queue *next = pg_turns_first(queues, count);
    if (!next) return;
    next->planned++;
    next->running++;
    next->turn++;
  }
}

static store_status take_planned(pg_connection *c, store *s, pg_claimed *x, pg_queue *queues, int count) {
  store_status status = STORE_OK;
  for (int i = 0; status == STORE_OK && i < count; i++) {
    int before = x->count, planned = queues[i].planned;
    if (planned == 0) continue;
    status = take_heads(c, queues[i].name, s, x, planned);
    queues[i].dry = x->count - before < planned;
    for (int k = before; k < x->count; k++) pg_turn_taken(s, queues[i].name, queues, count);
  }
  return status;
}

// As many as are wanted, or there are; what a queue does not have the others have.
static store_status take_all(pg_connection *c, store *s, pg_claimed *x) {
  pg_queue *queues = NULL;
  int count = 0;
  store_status status = begin_claim(c, pg_node_id(s));
  if (status == STORE_OK) status = read_queues(c, &queues, &count);
  if (status == STORE_OK) pg_turns_of(s, queues, count);
  for (bool some = true; status == STORE_OK && some && x->count < x->wanted;) {
    plan(queues, count, x->wanted - x->count);
    some = false;
    for (int i = 0; i < count; i++) some = some || queues[i].planned > 0;
    status = take_planned(c, s, x, queues, count);
  }
  free(queues);
  return status;
}

// Sweeps in the order of their names, as all who change several do.
static store_status follow(pg_connection *c, const pg_claimed *x) {
  char last[ID_SIZE] = "";
  for (store_status status;;) {
    const char *next = NULL;
    for (int i = 0; i < x->count; i++)
      if (strcmp(x->jobs[i].parent, last) > 0 && (!next || strcmp(x->jobs[i].parent, next) < 0))
        next = x->jobs[i].parent;
    if (!next) return STORE_OK;
    snprintf(last, sizeof last, "%s", next);
    status = pg_sweep_begins(c, last);
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
  for (int i = 0; i < now->count; i++) store_job_fini(&now->jobs[i]);
  now->count = 0;
  store_status status = take_all(c, x->s, now);
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
  char *model_document;
  store_status status, read; // of the claim; of its documents
  int64_t next_due_ms;
} asking;

typedef struct needed { // documents, each once
  pg_document list[2 * PG_CLAIMS_MAX];
  int count;
} needed;

static int find_needed(const needed *n, const char *sha256) {
  int i = 0;
  while (i < n->count && strcmp(n->list[i].sha256, sha256) != 0) i++;
  return i;
}

static void need(needed *n, const char *sha256) {
  int i = find_needed(n, sha256);
  if (!*sha256 || i < n->count) return;
  snprintf(n->list[n->count++].sha256, DIGEST_HEX_SIZE, "%s", sha256);
}

// A copy of its own for each job, and its document put together with its base.
static store_status give_documents(const needed *n, asking *to) {
  const char *model = n->list[find_needed(n, to->job.model_sha256)].body, *base = NULL;
  bool based = *to->job.document_base != '\0';
  if (based) base = n->list[find_needed(n, to->job.document_base)].body;
  to->model_document = model ? strdup(model) : NULL;
  if (!to->model_document || (based && !base)) return STORE_FAILED;
  return based ? store_job_whole_from(&to->job, base) : STORE_OK;
}

// Of all that were claimed at once, as most are of one sweep, or of one model.
static void read_documents(store *s, pg_item *list, const pg_claimed *claimed) {
  needed n = {.count = 0};
  for (int i = 0; i < claimed->count; i++) {
    need(&n, claimed->jobs[i].model_sha256);
    need(&n, claimed->jobs[i].document_base);
  }
  store_status status = n.count > 0 ? pg_documents_get(s, n.list, n.count) : STORE_OK;
  for (int i = 0; i < claimed->count; i++, list = list->next) {
    asking *one = (asking *)list;
    one->read = status == STORE_OK ? give_documents(&n, one) : status;
  }
  for (int i = 0; i < n.count; i++) free(n.list[i].body);
}

static void claim_for(store *s, pg_item *list, int count) {
  pg_claimed claimed = {.wanted = count};
  store_status status = claim_all(s, &claimed);
  pg_item *item = list;
  for (int i = 0; item; i++, item = item->next) {
    asking *one = (asking *)item;
    bool got = i < claimed.count;
    one->status = got ? STORE_OK : status == STORE_OK ? STORE_NOT_FOUND : status;
    if (got) one->job = claimed.jobs[i];
    one->next_due_ms = claimed.next_due_ms;
  }
  read_documents(s, list, &claimed);
}

// Without its documents the job is put back.
store_status postgresql_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char unreadable[] = "its documents cannot be read as they were written: the log says why";
  asking mine = {.status = STORE_NOT_FOUND};
  pg_gather(postgresql_of(s)->claims, s, &mine.item, PG_CLAIMS_MAX, claim_for);
  *job = mine.job;
  *model_document = mine.model_document;
  *next_due_ms = mine.next_due_ms;
  if (mine.status != STORE_OK || mine.read == STORE_OK) return mine.status;
  store_status back = postgresql_job_wait(s, job, unreadable);
  free(*model_document);
  store_job_fini(job);
  *model_document = NULL;
  return back == STORE_OK ? mine.read : back;
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
  if (status == STORE_OK) pg_turns_of(s, queues, count), pg_turns_order(queues, count);
  for (int i = 0; status == STORE_OK && i < count; i++) status = visit_head(c, &queues[i], visit);
  pg_read_end(s, c);
  free(queues);
  return status;
}

store_status postgresql_job_before(store *s, const store_job *job, int most, int64_t *before) {
  static const char sql[] = "SELECT count(*) FROM (SELECT 1 FROM jobs AS j WHERE j.queue = $1 AND " WAITS
                            " AND (j.created_ms - 60000 * j.priority, j.seq) < ($2::bigint, $3::bigint) LIMIT $4) AS b";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  int64_t key_ms = job->created_ms - (int64_t)60000 * job->priority;
  store_status status = c ? pg_run(c, &rows, sql, "tiii", job->queue, key_ms, job->seq, (int64_t)most) : STORE_AWAY;
  if (status == STORE_OK) {
    *before = pg_next(&rows) ? pg_integer(&rows, 0) : 0;
    pg_end(&rows);
  }
  pg_read_end(s, c);
  return status;
}
