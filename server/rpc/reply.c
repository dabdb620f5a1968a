// What handlers of unary calls have in common: the view of a use case becomes a message in an arena, which goes when it
// is packed.
#include "rpc/call.h"

const char *rpc_text(const char *text) { return *text ? text : NULL; }

bool rpc_no_memory(fault *f) {
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "there is not enough memory for the reply");
}

void rpc_reply_or_fail(rpc_call *c, bool done, const ProtobufCMessage *message, const fault *f) {
  if (done)
    rpc_reply(c, message);
  else
    rpc_fail(c, f);
}
