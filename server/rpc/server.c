// The gRPC C core and what stands around it: the door (front.c), the relay that looks at every frame before the core
// does (relay.h), calls and the pools they run in; start and stop.
//
// One thread passes bytes on and lets the core work, by turns; a second costs more in handovers than it brings. Short
// steps run there; those that compute or wait run in one of two pools, like the handlers of HTTP. Stopping: no new
// connections and calls -> streams are told -> what is being handled ends, or is cancelled after a grace -> the core
// says that it is down -> connections, loop, queue, pools.
#include "rpc/server.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "rpc/call_internal.h"
#include "rpc/front/front.h"
#include "rpc/methods.h"

#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WAITING_THREADS = 16,
  SPARE_THREADS = 32,
  STOP_GRACE_MS = 5000,
  STRANGERS = 128,
  STRANGERS_EACH = 32,
  EVENTS_OF_A_TURN = 4096
};

static const double LINGER_S = 1e-4, NAP_S = 0.02, AGAIN_S = 1e-3;
// Until the first message: of a stream, of a stranger's. A stream that waits holds a place of its caller's, no more.
static const double SILENT_S = 600, SILENT_STRANGER_S = 20;

struct rpc_server {
  service *service;
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

// --------------------------------------------------------------------------------------------------------------- calls

service *server_service(const rpc_server *r) { return r->service; }
grpc_server *server_core(const rpc_server *r) { return r->core; }
grpc_completion_queue *server_queue(const rpc_server *r) { return r->queue; }
relay *server_relay(const rpc_server *r) { return r->relay; }
bool server_is_draining(const rpc_server *r) { return atomic_load(&r->draining); }
bool server_is_stopping(const rpc_server *r) { return atomic_load(&r->stopping); }

void server_enter(rpc_call *c) {
  rpc_server *r = c->server;
  pthread_mutex_lock(&r->lock);
  c->next = r->calls;
  if (c->next) c->next->previous = c;
  r->calls = c;
  r->count++;
  pthread_mutex_unlock(&r->lock);
}

void server_leave(rpc_call *c) {
  rpc_server *r = c->server;
  pthread_mutex_lock(&r->lock);
  *(c->previous ? &c->previous->next : &r->calls) = c->next;
  if (c->next) c->next->previous = c->previous;
  r->count--;
  pthread_mutex_unlock(&r->lock);
}

static int count_calls(rpc_server *r) { return atomic_load(&r->count); }

// Calls that need no token do not take all places from those who have one.
bool server_take_place(rpc_server *r, rpc_call *c, fault *f) {
  seats *from = c->stranger ? r->strangers : r->places;
  if (!seat_take(from, &c->caller, c->stranger ? "calls without a token" : "calls",
                 c->stranger ? "of 128 for all" : "calls-per-caller", f))
    return false;
  c->place = from;
  return true;
}

static void run_in_pool(pool_task *task) {
  thread_computes();
  call_run((rpc_call *)task);
}

static void write_in_pool(pool_task *task) {
  thread_answers();
  call_run((rpc_call *)task);
}

// Where the next step runs; NULL: here, if it may. Of what writes, only small messages are for the many threads that
// share commits.
static pool *pool_of(rpc_call *c, bool may_run_here) {
  const rpc_method *m = c->method;
  rpc_server *r = c->server;
  bool has_time = !(may_run_here && loop_is_crowded(r->loop));
  switch (m->operation->pool) {
  case OPERATION_WRITES:
    return c->message_taken == 0 ? r->writing : r->waiting;
  case OPERATION_READS:
  case OPERATION_WAITS:
    return r->waiting;
  case OPERATION_COMPUTES:
    return has_time && m->short_enough && m->short_enough(c, c->message) ? NULL : r->pool;
  case OPERATION_HERE:
    break;
  }
  return NULL;
}

void server_schedule(rpc_call *c, bool may_run_here) {
  c->task.owner = c->caller.owner;
  pool *where = pool_of(c, may_run_here);
  if (where || !may_run_here)
    (void)pool_submit(where ? where : c->server->waiting, &c->task, 0);
  else
    call_run(c);
}

// ---------------------------------------------------------------------------------------------------------------- loop

static void doubt(rpc_server *r) {
  r->unsure = true;
  r->empty = r->asked_only = false;
}

void server_ring(rpc_server *r, bool asks) {
  if (loop_is_mine(r->loop)) {
    bool asked_only = r->asked_only && asks;
    doubt(r);
    r->asked_only = asked_only;
    return;
  }
  atomic_store(&r->rung, true);
  loop_ring(r->loop);
}

void server_sends(rpc_server *r, int more) { atomic_fetch_add(&r->sending, more); }

void server_answered(rpc_call *c) {
  if (loop_is_mine(c->server->loop)) relay_answered(c->client);
}

// Batches that other threads begin may be ended by threads of the core, somewhat later and without a sign, so after
// them it is looked at twice, and until then nothing is taken for granted.
static void hear_others(rpc_server *r, double now_s) {
  if (atomic_load(&r->rung) && atomic_exchange(&r->rung, false)) doubt(r), r->again_s = now_s + AGAIN_S;
  if (now_s >= r->again_s) doubt(r), r->again_s = INFINITY;
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
static bool look(void *context, double now_s) {
  rpc_server *r = context;
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

static void take_event(rpc_server *r) {
  grpc_event event = r->event;
  r->event.type = GRPC_QUEUE_TIMEOUT; // also when there is none
  if (event.type != GRPC_OP_COMPLETE) return;
  rpc_tag *tag = event.tag;
  RPC_TAG_TAKEN(tag);
  if (tag->call && tag != &tag->call->closed) server_sends(r, -tag->call->sends);
  if (tag->fire)
    tag->fire(tag->call, event.success != 0);
  else
    atomic_store(&r->is_down, true);
  if (r->relay) relay_take_answer(r->relay);
}

// The core is done with what it got before it gets more, so nothing piles up in it.
static void settle(void *context, double now_s) {
  rpc_server *r = context;
  int i = 0;
  for (; i < EVENTS_OF_A_TURN && look(r, now_s) && r->event.type != GRPC_QUEUE_TIMEOUT; i++) take_event(r);
  relay_take_answers(r->relay);
  for (; i < EVENTS_OF_A_TURN && look(r, now_s); i++) take_event(r);
  relay_settle(r->relay);
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

// Calls whose message does not come, and those whose reply is not taken, hold a place, and what there is of either.
static void end_stuck_calls(rpc_server *r, double now_s) {
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
  doubt(r); // of what was cancelled
}

static double tick(void *context, double now_s) {
  rpc_server *r = context;
  if (count_calls(r) > 0) end_stuck_calls(r, now_s);
  return relay_tick(r->relay, now_s);
}

// Deadlines and the like happen in threads of the core; mostly they send something, which wakes the loop, too.
static double nap(void *context) {
  rpc_server *r = context;
  if (count_calls(r) == 0 && !server_is_stopping(r)) return INFINITY;
  return r->again_s < INFINITY ? AGAIN_S : NAP_S;
}

static void serve(void *context, int fd) {
  rpc_server *r = context;
  grpc_server_add_channel_from_fd(r->core, fd, r->plain);
}

// Of unary calls those without their message, of streams all: which of them has the half of one, only the core knows.
static void on_full(void *context, const relay_connection *client) {
  rpc_server *r = context;
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next)
    if (c->client == client && (!c->counted || (c->method && c->method->flags & RPC_READS)))
      grpc_call_cancel_with_status(c->call, GRPC_STATUS_UNAVAILABLE, "no memory for a message of this size now", NULL);
  pthread_mutex_unlock(&r->lock);
  doubt(r);
}

static void on_gone(void *context, void *ticket, bool abused) {
  front_release(((rpc_server *)context)->front, ticket, abused);
}

// --------------------------------------------------------------------------------------------------------------- start

static void on_library_message(gpr_log_func_args *args) {
  log_write(LOG_LEVEL_DEBUG, "grpc_library", LOG_S("detail", args->message));
}

#define COUNT_ARG(name, number)                                                                                        \
  { .type = GRPC_ARG_INTEGER, .key = (char *)(name), .value.integer = (number) }

// One port belongs to one server; messages and metadata are bounded; dead clients are found by pings. No compression:
// the core inflates a message before anybody looks at it, a thousandfold, and bounds it only then.
static grpc_server *create_core(void) {
  grpc_arg args[] = {
      COUNT_ARG(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE),
      COUNT_ARG(GRPC_ARG_ALLOW_REUSEPORT, 0),
      COUNT_ARG(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, LIMIT_BODY_BYTES),
      COUNT_ARG(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
      COUNT_ARG(GRPC_ARG_MAX_METADATA_SIZE, LIMIT_REQUEST_HEADER_BYTES),
      COUNT_ARG(GRPC_ARG_MAX_CONCURRENT_STREAMS, LIMIT_CONNECTION_CALLS),
      COUNT_ARG(GRPC_ARG_KEEPALIVE_TIME_MS, 1000 * LIMIT_IDLE_S),
      COUNT_ARG(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 1000 * LIMIT_IDLE_S / 3),
      COUNT_ARG(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
      COUNT_ARG(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000),
  };
  return grpc_server_create(&(grpc_channel_args){.num_args = sizeof args / sizeof *args, .args = args}, NULL);
}

static bool start_core(rpc_server *r) {
  grpc_init();
  r->core = create_core();
  r->queue = grpc_completion_queue_create_for_next(NULL);
  r->plain = grpc_insecure_server_credentials_create();
  r->relay = relay_create(&(relay_events){.context = r, .serve = serve, .full = on_full, .gone = on_gone});
  if (!r->relay) return false;
  grpc_server_register_completion_queue(r->core, r->queue, NULL);
  grpc_server_start(r->core);
  return true;
}

static bool start_threads(rpc_server *r, int threads, int calls_each) {
  r->pool = pool_start(&(pool_options){.threads = threads + 1, .spare = SPARE_THREADS, .share = threads}, run_in_pool);
  r->writing = pool_start(&(pool_options){.threads = WAITING_THREADS, .share = 3 * WAITING_THREADS / 4}, write_in_pool);
  r->waiting = pool_start(&(pool_options){.threads = WAITING_THREADS, .share = 3 * WAITING_THREADS / 4}, run_in_pool);
  r->places = seats_create(LIMIT_CALLS, calls_each);
  r->strangers = seats_create(STRANGERS, STRANGERS_EACH);
  if (!r->places || !r->strangers) return false;
  if (!r->pool || !r->writing || !r->waiting || !start_core(r) || !call_expect(r)) return false;
  r->loop = loop_start(
      &(loop_hooks){.context = r, .settle = settle, .look = look, .nap = nap, .tick = tick, .linger_s = LINGER_S});
  if (!r->loop) return false;
  relay_set_loop(r->relay, r->loop);
  return front_start(r->front, r->relay, r->loop);
}

rpc_server *rpc_start(service *s, const rpc_options *options, char message[RPC_MESSAGE_SIZE]) {
  rpc_server *r = calloc(1, sizeof *r);
  if (!r) return snprintf(message, RPC_MESSAGE_SIZE, "memory is short"), NULL;
  r->service = s;
  r->event.type = GRPC_QUEUE_TIMEOUT;
  r->again_s = INFINITY;
  pthread_mutex_init(&r->lock, NULL);
  gpr_set_log_function(on_library_message);
  methods_name_metrics();
  r->front = front_open(&(front_options){.listen = options->listen,
                                         .connections = options->connections,
                                         .per_address = options->connections_per_address,
                                         .handshakes = options->handshakes,
                                         .handshakes_loopback_too = options->handshakes_loopback_too,
                                         .loopback_too = options->loopback_too,
                                         .tls = options->tls},
                        message);
  if (r->front && start_threads(r, options->threads, options->calls_each)) return r;
  if (r->front) snprintf(message, RPC_MESSAGE_SIZE, "the gRPC server cannot be started: threads or memory are short");
  rpc_stop(r);
  return NULL;
}

bool rpc_renew_certificate(rpc_server *r, const tls_files *files) { return front_renew_certificate(r->front, files); }

const char *rpc_address(const rpc_server *r) { return front_address(r->front); }

// ---------------------------------------------------------------------------------------------------------------- stop

// Sleepers take a step in which they see it. Streams from clients end with UNAVAILABLE, whatever they wait for.
static void tell_calls(rpc_server *r) {
  pthread_mutex_lock(&r->lock);
  for (rpc_call *c = r->calls; c; c = c->next) {
    rpc_wake(c);
    if (c->method && (c->method->flags & RPC_READS) && server_is_stopping(r))
      grpc_call_cancel_with_status(c->call, GRPC_STATUS_UNAVAILABLE, "the server is stopping", NULL);
  }
  pthread_mutex_unlock(&r->lock);
}

void rpc_drain(rpc_server *r) {
  atomic_store(&r->draining, true);
  tell_calls(r);
  if (r->loop) server_ring(r, false);
}

static void on_closing(loop_post *post) {
  rpc_server *r = (rpc_server *)((char *)post - offsetof(rpc_server, closing));
  relay_close(r->relay);
  atomic_store(&r->closed, true);
}

static void stop_pools(rpc_server *r) {
  pool_stop(r->pool);
  pool_stop(r->writing);
  pool_stop(r->waiting);
  r->pool = r->writing = r->waiting = NULL;
}

static void stop_core(rpc_server *r) {
  grpc_server_shutdown_and_notify(r->core, r->queue, &r->down);
  server_ring(r, false);
  for (int waited = 0; count_calls(r) > 0 && waited < STOP_GRACE_MS; waited += 10) usleep(10000);
  grpc_server_cancel_all_calls(r->core); // closes connections, too: idle clients are not waited for
  server_ring(r, false);
  while (!atomic_load(&r->is_down) || count_calls(r) > 0) usleep(1000);
  stop_pools(r); // a thread whose call is gone may still be about to ring the loop
  r->closing.run = on_closing;
  loop_run_soon(r->loop, &r->closing);
  while (!atomic_load(&r->closed)) usleep(1000);
  loop_stop(r->loop);
}

// Never served: nobody takes the tags but this.
static void stop_idle_core(rpc_server *r) {
  grpc_server_shutdown_and_notify(r->core, r->queue, &r->down);
  while (!atomic_load(&r->is_down)) {
    r->event = grpc_completion_queue_next(r->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    take_event(r);
  }
}

static void destroy_core(rpc_server *r) {
  grpc_completion_queue_shutdown(r->queue);
  while (grpc_completion_queue_next(r->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_server_destroy(r->core);
  grpc_completion_queue_destroy(r->queue);
  grpc_server_credentials_release(r->plain);
  grpc_shutdown_blocking();
}

void rpc_stop(rpc_server *r) {
  if (!r) return;
  atomic_store(&r->stopping, true);
  rpc_drain(r);
  if (r->front) front_stop(r->front);
  if (r->loop)
    stop_core(r);
  else if (r->core)
    stop_idle_core(r);
  if (r->core) destroy_core(r);
  stop_pools(r);
  seats_destroy(r->places);
  seats_destroy(r->strangers);
  relay_destroy(r->relay);
  front_close(r->front);
  pthread_mutex_destroy(&r->lock);
  free(r);
}
