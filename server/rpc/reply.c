// Replies of use cases (JSON of the service) as messages.
#include "codec/json/text.h"
#include "codec/wire/message.h"
#include "rpc/call.h"

const char *rpc_text(const char *text) { return *text ? text : NULL; }

static void reply_filled(rpc_call *c, const codec_buffer *json, const ProtobufCMessageDescriptor *type, arena *a) {
  fault f;
  json_t *object = json_loadb(json->data, json->size, JSON_ALLOW_NUL, NULL);
  ProtobufCMessage *message = arena_alloc(a, type->sizeof_message);
  if (message) type->message_init(message);
  if (object && message && codec_message_fill(object, a, message))
    rpc_reply(c, message);
  else
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "memory is short"), rpc_fail(c, &f);
  json_decref(object);
}

void rpc_reply_use_case(rpc_call *c, bool done, codec_buffer *json, const ProtobufCMessageDescriptor *type, fault *f) {
  arena *a = arena_create();
  if (done && (json->failed || !a)) done = fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short");
  if (done)
    reply_filled(c, json, type, a);
  else
    rpc_fail(c, f);
  codec_buffer_fini(json);
  arena_destroy(a);
}
