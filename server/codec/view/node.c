// The members and their order are those of the contract.
#include "codec/view/node.h"
#include "codec/json/object.h"

void codec_node_json(codec_buffer *b, const store_node *row) {
  json_begin(b);
  json_string_member(b, "id", row->id);
  json_string_member(b, "name", row->name);
  json_string_member(b, "host", row->host);
  json_string_member(b, "state", !row->alive ? "lost" : row->draining ? "draining" : "ready");
  json_integer_member(b, "slots", row->slots);
  json_integer_member(b, "running", row->running);
  json_string_member(b, "version", row->version);
  json_string_member(b, "cpu_level", row->cpu_level);
  json_time_member(b, "started_at", row->started_ms);
  json_time_member(b, "heartbeat_at", row->heartbeat_ms);
  json_raw_member(b, "self", row->self ? "true" : "false");
  json_end(b);
}
