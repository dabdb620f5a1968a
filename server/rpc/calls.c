// The calls of a server: a list under one lock, and the places that they hold.
#include "base/limits.h"
#include "rpc/server_internal.h"
#include "service/access/seat.h"

#include <assert.h>

// Until the first message: of a stream, of a stranger's. A stream that waits holds a place of its caller's, no more.
static const double SILENT_S = 600, SILENT_STRANGER_S = 20;

void calls_enter(rpc_call *c) {
  rpc_server *r = c->server;
  pthread_mutex_lock(&r->lock);
  c->next = r->calls;
  if (c->next) c->next->previous = c;
  r->calls = c;
  r->count++;
  pthread_mutex_unlock(&r->lock);
}

void calls_leave(rpc_call *c) {
  rpc_server *r = c->server;
  pthread_mutex_lock(&r->lock);
  assert(c->previous || r->calls == c); // it has entered
  *(c->previous ? &c->previous->next : &r->calls) = c->next;
  if (c->next) c->next->previous = c->previous;
  r->count--;
  assert(r->count >= 0 && (r->count > 0) == (r->calls != NULL));
  pthread_mutex_unlock(&r->lock);
}

int calls_count(const rpc_server *r) { return atomic_load(&r->count); }

// Calls that need no token do not take all places from those who have one.
bool calls_take_place(rpc_call *c, fault *f) {
  rpc_server *r = c->server;
  seats *from = c->stranger ? r->strangers : r->places;
  if (!seat_take(from, &c->caller, c->stranger ? "calls without a token" : "calls",
                 c->stranger ? "of 128 for all" : "calls-per-caller", f))
    return false;
  c->place = from;
  return true;
}

// A stream of messages may begin with none.
static bool may_wait(const rpc_call *c) { return c->method && (c->method->flags & RPC_READS) != 0; }

// The message of a call that is no stream is on its way when the call begins: it comes within a time, and at a rate
// from then on.
static bool is_late(const rpc_call *c, double now_s) {
  double age = now_s - c->started_s, most = c->stranger ? SILENT_STRANGER_S : SILENT_S;
  if (c->counted) return false;
  if (may_wait(c)) return age > most;
  return age > LIMIT_BODY_S ||
         (age > LIMIT_MESSAGE_S && !relay_brings(c->client, LIMIT_BODY_RATE * (age - LIMIT_MESSAGE_S)));
}

static bool is_untaken(const rpc_call *c, double now_s) {
  int64_t by_ms = atomic_load(&c->take_by_ms);
  return by_ms > 0 && 1e3 * now_s > (double)by_ms;
}

void calls_end_stuck(rpc_server *r, double now_s) {
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next)
    if (!c->counted && !may_wait(c) && now_s - c->started_s > LIMIT_MESSAGE_S) relay_awaits(c->client, now_s);
  for (rpc_call *c = r->calls; c; c = c->next) {
    bool late = is_late(c, now_s);
    if (late || is_untaken(c, now_s))
      grpc_call_cancel_with_status(c->call, GRPC_STATUS_DEADLINE_EXCEEDED,
                                   late ? "no message came" : "the reply is not taken", NULL);
  }
  pthread_mutex_unlock(&r->lock);
}

// Of unary calls those without their message, of streams all: which of them has the half of one, only the core knows.
void calls_end_of(rpc_server *r, const relay_connection *client) {
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next)
    if (c->client == client && (!c->counted || (c->method && c->method->flags & RPC_READS)))
      grpc_call_cancel_with_status(c->call, GRPC_STATUS_UNAVAILABLE, "no memory for a message of this size now", NULL);
  pthread_mutex_unlock(&r->lock);
}

void calls_end_streams(rpc_server *r) {
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next)
    if (may_wait(c)) grpc_call_cancel_with_status(c->call, GRPC_STATUS_UNAVAILABLE, "the server is stopping", NULL);
  pthread_mutex_unlock(&r->lock);
}

void calls_each(rpc_server *r, void (*tell)(rpc_call *c)) {
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next) tell(c);
  pthread_mutex_unlock(&r->lock);
}
