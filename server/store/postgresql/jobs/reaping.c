// What becomes of attempts whose node is gone: their jobs wait again, with their attempts counted, or end where their
// cancel was asked for. Nobody is blamed for a crash; nodes lost are counted apart, and each one more makes the next wait
// longer.
#include "store/postgresql/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>

typedef struct reaping {
  const char *node;
  const char *gone; // not NULL: of this one alone
  const char *held; // not NULL: of this process, but not these
  int queued;
  pg_id_list jobs;
} reaping;

typedef struct orphan {
  char id[ID_SIZE], parent[ID_SIZE];
  job_state state;
} orphan;

enum { LOSSES_MAX = 10 }; // of nodes, of one job: it may be what they die of

// Locked in the order of their names, as all who change several jobs do. This node's own that it does not hold, though it
// had time to; those of a node that is gone, and of this one, which has none yet; those of all whose lease is over.
#define ORPHANS                                                                                                        \
  "SELECT o.seq FROM jobs AS o WHERE o.state = 'running' AND o.kind <> 'sweep' AND CASE WHEN $3::text IS NOT NULL "    \
  "THEN o.node = $1 AND o.started_ms < now_ms() - 10000 AND o.id NOT IN (SELECT json_array_elements_text($3::json)) "  \
  "WHEN $2::text IS NOT NULL THEN o.node IN ($1, $2) ELSE o.node <> $1 AND NOT EXISTS (SELECT 1 FROM nodes AS n "      \
  "WHERE n.id = o.node AND n.lease_ms > now_ms()) END ORDER BY o.id FOR UPDATE SKIP LOCKED"
#define LOST "($2 IS NULL AND $3 IS NULL)"
#define IS_OVER LOST " AND node_losses + 1 >= $4::integer"

static store_status follow(pg_connection *c, const orphan *list, int count) {
  store_status status = STORE_OK;
  for (int i = 0; status == STORE_OK && i < count; i++) status = pg_sweep_follow(c, list[i].parent, list[i].state, 1);
  return status;
}

static int by_parent(const void *left, const void *right) {
  return strcmp(((const orphan *)left)->parent, ((const orphan *)right)->parent);
}

static store_status reap(pg_connection *c, void *context) {
  static const char sql[] =
      "WITH j AS (UPDATE jobs SET state = CASE WHEN cancel THEN 'cancelled' WHEN " IS_OVER " THEN 'failed' ELSE "
      "'queued' END, error = CASE WHEN NOT cancel AND " IS_OVER " THEN json_build_object('code', 'nodes_lost', "
      "'detail', 'the nodes that ran it were lost ' || $4 || ' times, the last one was ' || coalesce(ran_on, '') || "
      "': it may be what they ended of')::text ELSE error END, finished_ms = CASE WHEN cancel OR (" IS_OVER
      ") THEN now_ms() END, node_losses = node_losses + " LOST "::integer, not_before_ms = CASE WHEN NOT " LOST
      " OR node_losses = 0 THEN 0 ELSE now_ms() + least(60000, 250 * 2 ^ node_losses)::bigint END, node = NULL "
      "WHERE seq IN (" ORPHANS ") RETURNING jobs.*, now_ms() AS at)" TELL_STATES
      "SELECT j.id, j.parent, j.state, j.attempt FROM j";
  reaping *x = context;
  pg_rows rows;
  x->queued = 0;
  x->jobs.count = 0;
  store_status status = pg_run(c, &rows, sql, "ttti", x->node, x->gone, x->held, (int64_t)LOSSES_MAX);
  if (status != STORE_OK) return status;
  int count = 0, all = PQntuples(rows.result);
  orphan *list = calloc((size_t)all + 1, sizeof *list);
  free(x->jobs.id);
  x->jobs.id = calloc((size_t)all + 1, sizeof *x->jobs.id);
  while (list && x->jobs.id && pg_next(&rows)) {
    orphan *o = &list[count];
    pg_copy(&rows, 0, o->id, sizeof o->id);
    pg_copy(&rows, 1, o->parent, sizeof o->parent);
    o->state = job_state_find(pg_text(&rows, 2));
    x->queued += o->state == JOB_QUEUED;
    memcpy(x->jobs.id[count++], o->id, ID_SIZE);
    log_write(LOG_LEVEL_INFO, "job_interrupted", LOG_S("job", o->id), LOG_I("attempt", pg_integer(&rows, 3)),
              LOG_S("state", job_state_name(o->state)));
  }
  pg_end(&rows);
  x->jobs.count = (size_t)count;
  if (list) qsort(list, (size_t)count, sizeof *list, by_parent);
  status = list && x->jobs.id ? follow(c, list, count) : STORE_FAILED;
  free(list);
  return status;
}

static store_status take_back(store *s, const char *gone, const char *held, int *count) {
  reaping x = {.node = pg_node_id(s), .gone = gone, .held = held};
  store_status status = pg_change(s, reap, &x, NULL);
  for (size_t i = 0; status == STORE_OK && i < x.jobs.count; i++) pg_tell(s, x.jobs.id[i]);
  if (status == STORE_OK && x.queued > 0) pg_tell_work(s, true);
  *count = x.queued;
  free(x.jobs.id);
  return status;
}

store_status pg_reap(store *s, const char *gone, int *count) { return take_back(s, gone, NULL, count); }

store_status pg_reap_lost(store *s, const char *held) {
  int count = 0;
  return take_back(s, NULL, held, &count);
}

// What the folder's last life had; what others have lost is found while this process runs.
store_status postgresql_job_requeue_running(store *s, int *count) {
  return pg_reap(s, postgresql_of(s)->node_before, count);
}
