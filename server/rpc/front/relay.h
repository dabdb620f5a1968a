// Bytes between clients and the gRPC core: what comes is looked at frame by frame before the core sees any of it, TLS
// ends here.
//
// All of it belongs to one loop's thread, which is also the one that lets the core work: a connection crosses no other
// thread, and the core gets no more before it is done with what it has. The core has one end of a socket pair for each
// client that has shown itself to speak HTTP/2; whoever only holds a connection costs a descriptor and a few hundred
// bytes.
#ifndef SERVER_RPC_RELAY_H
#define SERVER_RPC_RELAY_H

#include "rpc/front/loop.h"
#include "rpc/front/wire.h"

typedef struct relay relay;
typedef struct relay_connection relay_connection;

typedef struct relay_events {
  void *context;
  /// The core's end of a new client, not blocking. Takes the descriptor.
  void (*serve)(void *context, int fd);
  /// There is no memory for what this client's messages have grown to: those that are not whole are to be given up.
  void (*full)(void *context, const relay_connection *c);
  /// A connection has ended; `abused`: it was thrown out.
  void (*gone)(void *context, void *ticket, bool abused);
} relay_events;

/// NULL when there is not enough memory. Its loop calls relay_settle and relay_tick.
relay *relay_create(const relay_events *events);
void relay_set_loop(relay *r, rpc_loop *loop);
/// When no connection is left (relay_close). NULL is allowed.
void relay_destroy(relay *r);
/// Closes every connection.
void relay_close(relay *r);
void relay_settle(relay *r);
double relay_tick(relay *r, double now_s);
/// Short calls are answered when the core has had its goes: their answers go out without another look at epoll.
void relay_take_answers(relay *r);
/// That of the call that has just sent something (relay_answered), if one has.
void relay_take_answer(relay *r);
/// How many goes the core needs for what happened to its sockets since this was last asked: bytes, room, ends.
int relay_take_given(relay *r);
/// The core had a go for which nothing was given.
void relay_spare_go(relay *r);
/// The core has no byte of a message that was not taken, and nothing else came of which a call may begin, go on or end,
/// since relay_noticed. `sends`: some call goes on when what it sends has left.
bool relay_is_quiet(const relay *r, bool sends);
/// The core has had all its goes.
void relay_noticed(relay *r);
/// Some connection is closed for another: one without calls, the longest idle of the address that has most. False:
/// there is none.
bool relay_drop_idlest(relay *r);

/// Takes a connection whose handshake is done. False when it cannot be served: then it was closed, and `gone` is not
/// called.
/// @param allowance  points of its police
/// @param ticket  handed back by `gone`; `crowd` tells how many connections its address has
bool relay_adopt(relay *r, wire *w, const char *peer, double allowance, void *ticket, int (*crowd)(void *ticket));

// What calls tell of their connection. In the loop's thread.

/// The connection of a call by its peer as the core names it ("fd:17"), which counts one call more. NULL: it is gone
/// already.
relay_connection *relay_enter(relay *r, const char *core_peer);
/// NULL is allowed.
void relay_leave(relay_connection *c);
/// "192.0.2.7:51234"; NULL for NULL.
const char *relay_peer(const relay_connection *c);
/// A call of it sends something. NULL is allowed.
void relay_answered(relay_connection *c);
/// A message was exchanged.
void relay_message(relay_connection *c);
/// A message of so many bytes was taken from the core, which had kept it until it was whole.
void relay_received(relay_connection *c, size_t bytes);
/// A call of it waits for its message. All who do are told at one time before relay_brings is asked.
void relay_awaits(relay_connection *c, double now_s);
/// Whether what has come for each of them so far is so much.
bool relay_brings(const relay_connection *c, double bytes);
/// A call was refused to somebody without a good token, or is open to everybody.
void relay_stranger(relay_connection *c);
/// A call was admitted of somebody who may call.
void relay_trust(relay_connection *c);

#endif
