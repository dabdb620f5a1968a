// Nodes: there is one, the process that has the folder.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"
#include "tendril/dynamics.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static store_status describe(store *s, store_node *node) {
  static const char sql[] = "SELECT count(*) FROM jobs WHERE state = 'running' AND kind <> 'sweep'";
  *node = (store_node){.slots = s->slots,
                       .started_ms = s->opened_ms,
                       .heartbeat_ms = clock_now_ms(),
                       .alive = true,
                       .draining = s->draining,
                       .self = true};
  memcpy(node->id, s->only_id, sizeof node->id);
  memcpy(node->name, s->node_name, sizeof node->name);
  gethostname(node->host, sizeof node->host - 1);
  snprintf(node->version, sizeof node->version, "%s", td_version());
  snprintf(node->cpu_level, sizeof node->cpu_level, "%s", td_cpu_level());
  connection *c = sqlite_read(s);
  store_status status = sql_integer(c, sql_prepare(c, sql), &node->running);
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_node_list(store *s, const store_visit *visit) {
  store_node node;
  store_status status = describe(s, &node);
  if (status == STORE_OK) visit->node(visit->context, &node);
  return status;
}

// Claims look at it in the writer's thread: behind this change none is under way that saw it otherwise.
static store_status set(connection *c, void *context) {
  (void)c, (void)context;
  return STORE_OK;
}

store_status sqlite_node_drain(store *s, const char *id_or_name, bool drains, store_node *node) {
  if (strcmp(id_or_name, s->only_id) != 0 && strcmp(id_or_name, s->node_name) != 0) return STORE_NOT_FOUND;
  s->draining = drains;
  s->takers = drains ? STORE_TAKERS_DRAINED : STORE_TAKERS_SOME;
  store_status status = drains ? sqlite_write_unsynced(s, set, NULL, NULL) : STORE_OK;
  if (status != STORE_OK) return status;
  store_order_given(s, drains ? STORE_ORDER_DRAIN : STORE_ORDER_RESUME, NULL, 0);
  return describe(s, node);
}
