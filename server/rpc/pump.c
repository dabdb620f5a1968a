// Letting the gRPC core work: when it is to be looked at, and its events handed on.
//
// All of it but pump_ring and pump_sends is of the loop's thread. Batches that this thread begins end in the look that
// follows, so it knows when the core can have nothing; of those of other threads it does not.
#include "base/clock.h"
#include "rpc/server_internal.h"

#include <math.h>

enum { EVENTS_OF_A_TURN = 4096 };
static const double NAP_S = 0.02, AGAIN_S = 1e-3;

void pump_doubt(rpc_server *r) {
  r->unsure = true;
  r->empty = r->asked_only = false;
}

void pump_ring(rpc_server *r, bool asks) {
  if (loop_is_mine(r->loop)) {
    bool asked_only = r->asked_only && asks;
    pump_doubt(r);
    r->asked_only = asked_only;
    return;
  }
  atomic_store(&r->rung, true);
  loop_ring(r->loop);
}

void pump_sends(rpc_server *r, int more) { atomic_fetch_add(&r->sending, more); }

// Batches that other threads begin may be ended by threads of the core, somewhat later and without a sign, so after
// them it is looked at twice, and until then nothing is taken for granted.
static void hear_others(rpc_server *r, double now_s) {
  if (atomic_load(&r->rung) && atomic_exchange(&r->rung, false)) pump_doubt(r), r->again_s = now_s + AGAIN_S;
  if (now_s >= r->again_s) pump_doubt(r), r->again_s = INFINITY;
  if (r->again_s < INFINITY) r->empty = r->asked_only = false;
}

// A go costs as much as a quarter of a short call: when all that came is answered there is none to make sure.
static bool may_have_news(rpc_server *r, double now_s) {
  hear_others(r, now_s);
  if (r->unsure && r->asked_only && relay_is_quiet(r->relay, atomic_load(&r->sending) > 0))
    r->unsure = false, r->empty = true;
  return r->owed > 0 || r->unsure || now_s - r->looked_s > NAP_S / 2;
}

// Lets the core work. With each go it notices one socket at most, whether or not an event comes of it; it touches its
// ends of the socket pairs only here, but for what batches of other threads send. So it gets a go for each thing that
// has happened to them.
bool pump_look(rpc_server *r, double now_s) {
  if (r->event.type != GRPC_QUEUE_TIMEOUT) return true;
  r->owed += relay_take_given(r->relay);
  if (!may_have_news(r, now_s)) return false;
  r->looked_s = now_s;
  r->event = grpc_completion_queue_next(r->queue, gpr_inf_past(GPR_CLOCK_MONOTONIC), NULL);
  bool found = r->event.type != GRPC_QUEUE_TIMEOUT;
  if (r->owed > 0 && (!found || r->empty)) // one that lay there already is handed out without a look at the sockets
    r->owed--;
  else if (!found)
    relay_spare_go(r->relay);
  r->asked_only = found && r->empty;
  r->empty = !found;
  r->unsure = found;
  if (!found && r->owed == 0) relay_noticed(r->relay);
  return found || r->owed > 0;
}

void pump_take(rpc_server *r) {
  grpc_event event = r->event;
  r->event.type = GRPC_QUEUE_TIMEOUT; // also when there is none
  if (event.type != GRPC_OP_COMPLETE) return;
  rpc_tag *tag = event.tag;
  RPC_TAG_TAKEN(tag);
  if (tag->call && tag != &tag->call->closed) pump_sends(r, -tag->call->sends);
  if (tag->fire)
    tag->fire(tag->call, event.success != 0);
  else
    atomic_store(&r->is_down, true);
  if (r->relay) relay_take_answer(r->relay);
}

void pump_settle(rpc_server *r, double now_s) {
  int i = 0;
  for (; i < EVENTS_OF_A_TURN && pump_look(r, now_s) && r->event.type != GRPC_QUEUE_TIMEOUT; i++) pump_take(r);
  relay_take_answers(r->relay);
  for (; i < EVENTS_OF_A_TURN && pump_look(r, now_s); i++) pump_take(r);
  relay_settle(r->relay);
}

double pump_nap(const rpc_server *r) { return r->again_s < INFINITY ? AGAIN_S : NAP_S; }
