// Nodes as their rows tell of them, and who is to take no more jobs.
#include "store/postgresql/postgresql.h"

#include <string.h>

#define COLUMNS                                                                                                        \
  "n.id, n.name, n.host, n.version, n.cpu_level, n.slots, n.started_ms, n.heartbeat_ms, n.draining, n.lease_ms > "     \
  "now_ms(), (SELECT count(*) FROM jobs AS j WHERE j.node = n.id AND j.state = 'running' AND j.kind <> 'sweep')"

static void read_node(const store *s, const pg_rows *rows, store_node *node) {
  *node = (store_node){.slots = (int)pg_integer(rows, 5),
                       .started_ms = pg_integer(rows, 6),
                       .heartbeat_ms = pg_integer(rows, 7),
                       .draining = pg_true(rows, 8),
                       .alive = pg_true(rows, 9),
                       .running = pg_integer(rows, 10)};
  pg_copy(rows, 0, node->id, sizeof node->id);
  pg_copy(rows, 1, node->name, sizeof node->name);
  pg_copy(rows, 2, node->host, sizeof node->host);
  pg_copy(rows, 3, node->version, sizeof node->version);
  pg_copy(rows, 4, node->cpu_level, sizeof node->cpu_level);
  node->self = strcmp(node->id, pg_node_id(s)) == 0;
}

store_status postgresql_node_list(store *s, const store_visit *visit) {
  static const char sql[] = "SELECT " COLUMNS " FROM nodes AS n WHERE n.slots > 0 ORDER BY n.name, n.started_ms, n.id";
  pg_rows rows;
  store_node node;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    read_node(s, &rows, &node);
    visit->node(visit->context, &node);
  }
  pg_read_end(s, c);
  return status;
}

typedef struct draining {
  const store *s;
  const char *wanted;
  int drains;
  store_node *node;
} draining;

// A claim that is under way may have seen that the node takes jobs: its end is waited for, and the next ones wait for
// that of this change, behind which they see what it says.
static store_status wait_for_claims(pg_connection *c, const char *id) {
  static const char sql[] = "SELECT pg_advisory_xact_lock(" PG_CLAIMS_OF("$1") ")";
  return pg_run(c, NULL, sql, "t", id);
}

static store_status drain(pg_connection *c, void *context) {
  // A name is that of who lives; where nobody of that name does, of who is gone.
  static const char find[] = "SELECT n.id FROM nodes AS n WHERE n.slots > 0 AND (n.id = $1 OR (n.name = $1 AND "
                             "(n.lease_ms > now_ms() OR NOT EXISTS (SELECT 1 FROM nodes AS o WHERE o.name = $1 AND "
                             "o.slots > 0 AND o.lease_ms > now_ms())))) LIMIT 2";
  static const char sql[] = "UPDATE nodes AS n SET draining = $2 WHERE n.id = $1 RETURNING " COLUMNS;
  const draining *x = context;
  char id[ID_SIZE] = "";
  int found = 0;
  pg_rows rows;
  store_status status = pg_run(c, &rows, find, "t", x->wanted);
  for (; status == STORE_OK && pg_next(&rows); found++) pg_copy(&rows, 0, id, sizeof id);
  if (status != STORE_OK || found != 1)
    return status != STORE_OK ? status : found == 0 ? STORE_NOT_FOUND : STORE_AMBIGUOUS;
  status = x->drains ? wait_for_claims(c, id) : STORE_OK;
  if (status == STORE_OK) status = pg_run(c, &rows, sql, "tb", id, x->drains);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  read_node(x->s, &rows, x->node);
  pg_end(&rows);
  return STORE_OK;
}

store_status postgresql_node_drain(store *s, const char *id_or_name, bool drains, store_node *node) {
  return pg_change(s, drain, &(draining){s, id_or_name, drains, node}, NULL);
}
