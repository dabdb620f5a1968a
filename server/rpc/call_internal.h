// What the files that carry calls through their life know of one. Internal to rpc/: call.c (what is sent, the end),
// steps.c, arrival.c.
#ifndef SERVER_RPC_CALL_INTERNAL_H
#define SERVER_RPC_CALL_INTERNAL_H

#include "base/log/log.h"
#include "rpc/call.h"
#include "rpc/front/relay.h"
#include "service/access/auth.h"

#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stddef.h>

/// One event that the completion queue hands back.
typedef struct rpc_tag {
  rpc_call *call;
  void (*fire)(rpc_call *c, bool ok);
} rpc_tag;

// A tag goes through the core from the thread that posts it to the loop's. The thread sanitizer is told, because the
// core is a library that is built without it.
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
  _Alignas(max_align_t) unsigned char room[RPC_ROOM]; ///< of its handler

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

// call.c
/// The call has one holder less; the last one counts it, writes its line and frees it.
void call_unref(rpc_call *c);
/// Frees a call that never began.
void call_destroy(rpc_call *c);
/// Begins a batch that ends with this tag.
void call_start(rpc_call *c, const grpc_op *ops, size_t op_count, rpc_tag *tag);
void call_drop_message(rpc_call *c);
/// What was sent has been taken by the client, or never will be.
void call_give_sent(rpc_call *c);
enum { CALL_LEAST_COUNTED = 32 << 10 }; ///< bytes of a message from which on it is counted

// steps.c
/// The ends of batches: a message came or was sent, the status was sent, the call is over on the wire.
void step_stepped(rpc_call *c, bool ok);
void step_finished(rpc_call *c, bool ok);
void step_closed(rpc_call *c, bool ok);
/// Tasks of the pools: the next step of a call.
void step_compute(pool_task *task);
void step_write(pool_task *task);

// arrival.c
/// Waits for the next call. False when there is not enough memory or the server stops.
bool arrival_expect(rpc_server *r);

#endif
