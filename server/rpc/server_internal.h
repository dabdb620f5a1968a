// What the files of a server know of it. Internal to rpc/: server.c (start and stop), pump.c (the core's events),
// calls.c (the list of its calls).
#ifndef SERVER_RPC_SERVER_INTERNAL_H
#define SERVER_RPC_SERVER_INTERNAL_H

#include "rpc/call_internal.h"
#include "rpc/front/front.h"

#include <pthread.h>

struct rpc_server {
  service *service;
  const rpc_method *methods; // the table
  int method_count;
  grpc_server *core;
  grpc_completion_queue *queue;
  grpc_server_credentials *plain; // TLS has ended before the core
  grpc_event event;               // found by look, not yet taken
  int owed;                       // goes that the core is to get
  bool unsure;                    // it may have more events; of the loop's thread
  bool empty;                     // it has none; of the loop's thread
  bool asked_only;                // nor would it have, but for messages: calls have only asked for their next ones
  double looked_s, again_s;       // when it had its last go, when it gets one in any case; of the loop's thread
  _Atomic bool rung;              // a batch was begun elsewhere
  _Atomic int sending;            // calls that go on when what they send has left
  rpc_loop *loop;
  relay *relay;
  front *front;
  pool *pool;    // computes: about a thread per core
  pool *writing; // waits for the disk
  pool *waiting; // the same for what reads much of it, or comes with a large message
  rpc_tag down;  // the core has stopped
  _Atomic bool is_down, draining, stopping, closed;
  loop_post closing;
  pthread_mutex_t lock; // of the list of calls
  rpc_call *calls;
  _Atomic int count;
  seats *places, *strangers; // for calls; those of callers without a token where others need one are few
};

// calls.c
void calls_enter(rpc_call *c);
void calls_leave(rpc_call *c);
int calls_count(const rpc_server *r);
/// Takes a place for the call. False, with a fault, when there is none, or the caller has his share.
bool calls_take_place(rpc_call *c, fault *f);
/// Ends those whose message does not come, and those whose reply is not taken: they hold a place, and what there is of
/// either.
void calls_end_stuck(rpc_server *r, double now_s);
/// There is no room for messages of this client: ends his calls that bring one.
void calls_end_of(rpc_server *r, const relay_connection *client);
/// The server stops: streams from clients end with UNAVAILABLE, whatever they wait for.
void calls_end_streams(rpc_server *r);
/// Each call, under the lock of the list.
void calls_each(rpc_server *r, void (*tell)(rpc_call *c));

// pump.c
/// After a batch was begun: the loop's thread looks for what came of it.
/// `asks`: it has not ended before the call's next message came.
void pump_ring(rpc_server *r, bool asks);
/// So many calls more (or fewer) go on when what they send has left, without a message.
void pump_sends(rpc_server *r, int more);
/// Something has happened that the core was not seen to notice.
void pump_doubt(rpc_server *r);
/// Lets the core work once; true when there is an event, or it is to be let work again.
bool pump_look(rpc_server *r, double now_s);
/// Hands on the event that was found, if there is one.
void pump_take(rpc_server *r);
/// The core is done with what it got before it gets more, so nothing piles up in it.
void pump_settle(rpc_server *r, double now_s);
/// Seconds until the core is to be looked at though nothing is heard of it.
double pump_nap(const rpc_server *r);

#endif
