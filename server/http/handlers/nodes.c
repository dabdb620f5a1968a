// Nodes over HTTP.
#include "codec/json/object.h"
#include "codec/view/node.h"
#include "http/routes.h"
#include "service/about/about.h"

static void write_node(void *context, const store_node *row) {
  json_next(context);
  codec_node_json(context, row);
}

void handle_nodes_list(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  json_list_begin(&reply, "nodes");
  bool done = nodes_list(x->service, &x->caller, write_node, &reply, &f);
  json_list_end(&reply, NULL); // they are few: one page
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_nodes_drain(exchange *x) {
  fault f;
  store_node node;
  int64_t undo;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = query_integer("undo", exchange_query(x, "undo"), 0, 1, 0, &undo, &f) &&
              nodes_drain(x->service, &x->caller, x->parameter[0], undo == 0, &node, &f);
  if (done) codec_node_json(&reply, &node);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}
