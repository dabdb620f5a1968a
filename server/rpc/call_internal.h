// What server.c and call.c know of a call. Internal to rpc/.
#ifndef SERVER_RPC_CALL_INTERNAL_H
#define SERVER_RPC_CALL_INTERNAL_H

#include "base/log.h"
#include "rpc/call.h"
#include "rpc/front/relay.h"
#include "service/access/auth.h"

#include <grpc/grpc.h>
#include <stdatomic.h>

/// One event that the completion queue hands back.
typedef struct rpc_tag {
  rpc_call *call;
  void (*fire)(rpc_call *c, bool ok);
} rpc_tag;

// A tag goes through the core from the thread that posts it to the loop's. The thread sanitizer is told, because the core is a
// library that is built without it.
#ifdef __SANITIZE_THREAD__
void __tsan_release(void *tag);
void __tsan_acquire(void *tag);
#define RPC_TAG_POSTED(tag) __tsan_release(tag)
#define RPC_TAG_TAKEN(tag) __tsan_acquire(tag)
#else
#define RPC_TAG_POSTED(tag) ((void)(tag))
#define RPC_TAG_TAKEN(tag) ((void)(tag))
#endif

struct rpc_call {
  pool_task task; ///< first: the pool hands it back
  rpc_server *server;
  relay_connection *client; ///< NULL: gone before the call began
  const rpc_method *method; ///< NULL: there is none of this name

  grpc_call *call;
  grpc_call_details details;
  grpc_metadata_array metadata;
  rpc_tag arrived, closed, stepped, finished;
  grpc_byte_buffer *received, *sent;
  ProtobufCMessage *message;          ///< unpacked, for the next step
  uint64_t message_taken, sent_taken; ///< of BUDGET_CALLS, for it and for what is on its way to the client
  int cancelled;

  _Atomic int refs;   ///< one for the chain of steps, one for the end of the call (closed)
  _Atomic int waking; ///< of call_waking
  _Atomic bool stop;
  bool opened;                ///< initial metadata were sent
  bool counted;               ///< its first message came
  bool sends;                 ///< the batch under way ends when what it sends has left
  _Atomic int64_t take_by_ms; ///< until then the client takes what was sent; 0: nothing was
  bool stranger;              ///< without a token where others need one
  void *state;

  auth_caller caller;
  seats *seat;  ///< one of them is held; NULL: none
  seats *place; ///< among the calls; NULL: it was refused
  char request_id[LOG_REQUEST_ID_SIZE];
  double started_s;
  size_t bytes_in;
  int status, http; ///< of gRPC and of the problem table
  char detail[TD_MESSAGE_SIZE];
  rpc_call *next, *previous; ///< among the server's calls, under its lock
};

typedef enum call_waking { CALL_AWAKE, CALL_WOKEN, CALL_ASLEEP } call_waking;

/// Waits for the next call. False when memory is short or the server stops.
bool call_expect(rpc_server *r);

// The server's side (server.c).
service *server_service(const rpc_server *r);
grpc_server *server_core(const rpc_server *r);
grpc_completion_queue *server_queue(const rpc_server *r);
relay *server_relay(const rpc_server *r);
/// After a batch was begun: the loop's thread looks for what came of it.
/// `asks`: it has not ended before the call's next message came.
void server_ring(rpc_server *r, bool asks);
/// So many calls more (or fewer) go on when what they send has left, without a message.
void server_sends(rpc_server *r, int more);
/// A call sends something: in the loop's thread that is taken to the client at once.
void server_answered(rpc_call *c);
bool server_is_draining(const rpc_server *r);
bool server_is_stopping(const rpc_server *r);
void server_enter(rpc_call *c);
void server_leave(rpc_call *c);
/// Runs the next step of a call: at once when it is short, in one of the pools otherwise.
void server_schedule(rpc_call *c, bool may_run_here);
/// Takes a place for the call. False, with a fault, when there is none, or the caller has his share.
bool server_take_place(rpc_server *r, rpc_call *c, fault *f);

/// Runs the next step in the calling thread.
void call_run(rpc_call *c);

#endif
