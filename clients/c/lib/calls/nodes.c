// Nodes: the servers that run the jobs of one database.
#include "lib/http/client.h"

#include "lib/reply/documents.h"
#include "lib/reply/lists.h"

typedef struct node_rows {
  bool (*row)(void *context, const tendril_node *node, const char *json);
  void *context;
} node_rows;

static bool on_row(void *context, const json_t *json, const char *text) {
  const node_rows *rows = context;
  tendril_node node;
  client_read_node(json, &node);
  return rows->row(rows->context, &node, text);
}

tendril_status tendril_node_list(tendril_client *c,
                                 bool (*row)(void *context, const tendril_node *node, const char *json), void *context,
                                 tendril_error *err) {
  node_rows rows = {row, context};
  client_path path = client_path_to(CLIENT_NODES_LIST, NULL, NULL);
  return client_list(c, &path, "nodes", on_row, &rows, err);
}

tendril_status tendril_node_drain(tendril_client *c, const char *id_or_name, bool drains, tendril_node *node,
                                  tendril_error *err) {
  if (!*id_or_name) return client_fail(err, TENDRIL_INVALID, "the node's name is empty");
  json_t *json;
  tendril_node ignored;
  client_path path = client_path_to(CLIENT_NODES_DRAIN, id_or_name, NULL);
  if (!drains) client_path_query(&path, "undo", "1");
  client_request r = {.path = &path, .body = "", .size = 0};
  tendril_status status = client_json(c, &r, &json, err);
  if (status == TENDRIL_OK && !client_read_node(json, node ? node : &ignored))
    status = client_fail(err, TENDRIL_BAD_REPLY, "the reply is not a node");
  json_decref(json);
  return status;
}
