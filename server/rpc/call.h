// One call, as handlers see it. Between them and the gRPC core stand call.c, steps.c and server.c
// only.
//
// A call is a chain of steps, never two at a time: a message arrives or a message was sent -> step -> the handler does
// exactly one thing (reply, send, fail, finish, sleep) -> …
#ifndef SERVER_RPC_CALL_H
#define SERVER_RPC_CALL_H

#include "base/share/pool.h"
#include "rpc/server.h"
#include "service/operations.h"

#include <protobuf-c/protobuf-c.h>

typedef struct rpc_call rpc_call;

typedef enum rpc_flag {
  RPC_READS = 1, ///< the client sends a stream: a step per message, and one with NULL when it has ended
  RPC_SENDS = 2, ///< the server sends a stream: a step (with NULL, unless RPC_READS) after each message that was sent
} rpc_flag;

typedef struct rpc_method {
  const char *path; ///< "/tendril.v1.Models/Create"
  const operation *operation;
  const ProtobufCMessageDescriptor *request;
  void (*step)(rpc_call *c, const ProtobufCMessage *message);
  unsigned flags; ///< of rpc_flag
  /// Of what computes: true when this very step is sure to be short and may run in the event loop. NULL: never.
  bool (*short_enough)(rpc_call *c, const ProtobufCMessage *message);
  /// Frees the state of a call (rpc_state) at its end. NULL: there is none.
  void (*end)(rpc_call *c);
} rpc_method;

service *rpc_service(const rpc_call *c);
/// Who calls.
const auth_caller *rpc_caller(const rpc_call *c);
/// A place held until the call ends, as seat_take; false with a fault.
bool rpc_seat(rpc_call *c, seats *from, const char *words, const char *option, fault *f);
/// The handler's own, NULL at first.
void *rpc_state(const rpc_call *c);
/// So many bytes of the call, zeros at first, for a handler's state that need not be allocated.
enum { RPC_ROOM = 256 };
void *rpc_room(rpc_call *c);
void rpc_set_state(rpc_call *c, void *state);
/// Becomes true when nobody waits for an answer any more: cancelled, past its deadline, connection lost, server
/// stopping.
const _Atomic bool *rpc_stop_flag(const rpc_call *c);
bool rpc_is_draining(const rpc_call *c);
/// The server is stopping: streams end.
bool rpc_is_stopping(const rpc_call *c);

// Each step does exactly one of these, as the last thing.

/// The one message of a unary call, and OK.
void rpc_reply(rpc_call *c, const ProtobufCMessage *message);
/// One message of a stream.
void rpc_send(rpc_call *c, const ProtobufCMessage *message);
/// OK, without a message (more).
void rpc_finish(rpc_call *c);
/// Nothing to say to this message: the next one, please (RPC_READS).
void rpc_next(rpc_call *c);
void rpc_fail(rpc_call *c, const fault *f);
/// Nothing now: the next step comes with rpc_wake, or when the call is cancelled.
void rpc_sleep(rpc_call *c);

/// Makes a sleeping call take a step, or one that is about to sleep take another; from any thread, as long as the call
/// lives (its `end` was not called).
void rpc_wake(rpc_call *c);

/// The reply when everything is done, else the fault.
void rpc_reply_or_fail(rpc_call *c, bool done, const ProtobufCMessage *message, const fault *f);
/// False, with a fault: the reply did not find room.
bool rpc_no_memory(fault *f);
/// NULL for an empty text: absent, as in a query string.
const char *rpc_text(const char *text);

#endif
