// The gRPC C core on one side, calls on the other: completion queues, pools, start and stop.
//
// A loop is a completion queue with one thread; there is one, since a second costs more in handovers than it brings. Short steps
// run there; those that compute or wait run in one of two pools, like the handlers of HTTP. Stopping: no new calls -> streams are
// told -> what is being handled ends, or is cancelled after a grace -> the core says that it is down -> queues, threads, pools.
#include "rpc/server.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "rpc/call_internal.h"
#include "rpc/methods.h"
#include "rpc/watch.h"

#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_LOOPS = 1, WAITING_THREADS = 16, STOP_GRACE_MS = 5000 };

static const double ACCOUNT_S = 2e-3, WAITING_SHARE = 0.1, LINGER_S = 1e-4;

struct rpc_server {
  service *service;
  grpc_server *core;
  rpc_loop loops[EVENT_LOOPS];
  pool *pool;    // computes: about a thread per core
  pool *waiting; // waits for the disk
  watch_list *watchers;
  rpc_tag down; // the core has stopped
  _Atomic bool is_down, draining, stopping;
  char address[RPC_ADDRESS_SIZE];
  pthread_mutex_t lock; // of the list of calls
  rpc_call *calls;
  _Atomic int count;
};

// --------------------------------------------------------------------------------------------------------------- calls

service *server_service(const rpc_server *r) { return r->service; }
grpc_server *server_core(const rpc_server *r) { return r->core; }
watch_list *server_watchers(const rpc_server *r) { return r->watchers; }
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

bool server_has_room(rpc_server *r, fault *f) {
  return count_calls(r) <= LIMIT_CALLS ||
         fault_set(f, PROBLEM_RATE_LIMITED, NULL, "%d calls are served already, the limit", LIMIT_CALLS);
}

static void run_in_pool(pool_task *task) { call_run((rpc_call *)task); }

void server_schedule(rpc_call *c, bool may_run_here) {
  const rpc_method *m = c->method;
  c->task.owner = c->caller.owner;
  bool is_short = !(may_run_here && c->loop->crowded) && m->short_enough && m->short_enough(c, c->message);
  if (m->flags & RPC_WAITS)
    pool_submit(c->server->waiting, &c->task);
  else if ((m->flags & RPC_BLOCKS) && !is_short)
    pool_submit(c->server->pool, &c->task);
  else if (may_run_here)
    call_run(c);
  else
    pool_submit(c->server->waiting, &c->task);
}

// --------------------------------------------------------------------------------------------------------------- loops

// A control loop asks again soon, and waking a thread that sleeps costs more than an answer: the loop looks for LINGER_S before
// it sleeps.
static grpc_event wait_for_event(rpc_loop *loop, double since_s) {
  grpc_event event;
  do event = grpc_completion_queue_next(loop->queue, gpr_inf_past(GPR_CLOCK_MONOTONIC), NULL);
  while (event.type == GRPC_QUEUE_TIMEOUT && clock_monotonic_s() - since_s < LINGER_S);
  if (event.type != GRPC_QUEUE_TIMEOUT) return event;
  return grpc_completion_queue_next(loop->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
}

// Waits for the next event, and keeps account of how much of its time the thread waits. One that hardly waits leaves even
// short steps to the pool, so that several cores compute; one client alone does not make it do that.
static grpc_event next_event(rpc_loop *loop) {
  double before = clock_monotonic_s();
  grpc_event event = wait_for_event(loop, before);
  double after = clock_monotonic_s(), period = after - loop->since_s;
  loop->waited_s += after - before;
  if (period < ACCOUNT_S) return event;
  loop->crowded = loop->waited_s < WAITING_SHARE * period;
  loop->since_s = after;
  loop->waited_s = 0;
  return event;
}

static void *run_loop(void *context) {
  rpc_loop *loop = context;
  for (;;) {
    grpc_event event = next_event(loop);
    if (event.type == GRPC_QUEUE_SHUTDOWN) return NULL;
    rpc_tag *tag = event.tag;
    if (event.type != GRPC_OP_COMPLETE) continue;
    RPC_TAG_TAKEN(tag);
    if (tag->fire)
      tag->fire(tag->call, event.success != 0);
    else
      atomic_store(&loop->server->is_down, true);
  }
}

static bool start_loop(rpc_server *r, rpc_loop *loop) {
  loop->server = r;
  loop->running = pthread_create(&loop->thread, NULL, run_loop, loop) == 0;
  return loop->running && call_expect(loop);
}

// --------------------------------------------------------------------------------------------------------------- start

static bool say(char message[RPC_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[RPC_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, RPC_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static void on_library_message(gpr_log_func_args *args) {
  log_write(LOG_LEVEL_DEBUG, "grpc_library", LOG_S("detail", args->message));
}

#define COUNT_ARG(name, number)                                                                                        \
  { .type = GRPC_ARG_INTEGER, .key = (char *)(name), .value.integer = (number) }

// One port belongs to one server; messages and metadata are bounded; dead clients are found by pings. No compression: the core
// inflates a message before anybody looks at it, a thousandfold, and bounds it only then.
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

// TLS where a certificate is configured, plain text otherwise (the application has checked that this address may have that).
static grpc_server_credentials *credentials_of(const tls_files *tls) {
  if (!tls || !tls->certificate) return grpc_insecure_server_credentials_create();
  grpc_ssl_pem_key_cert_pair pair = {.private_key = tls->key, .cert_chain = tls->certificate};
  return grpc_ssl_server_credentials_create_ex(NULL, &pair, 1, GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE, NULL);
}

static bool bind_port(rpc_server *r, const rpc_options *options, char message[RPC_MESSAGE_SIZE]) {
  const char *listen = options->listen;
  const char *colon = strrchr(listen, ':');
  bool by_name = colon && strncmp(listen, "localhost:", 10) == 0; // would be two addresses
  char host[RPC_ADDRESS_SIZE - 8], address[RPC_ADDRESS_SIZE];
  if (!colon || (size_t)(colon - listen) >= sizeof host) return say(message, "\"%.80s\" is not ADDR:PORT", listen);
  snprintf(host, sizeof host, "%.*s", by_name ? 9 : (int)(colon - listen), by_name ? "127.0.0.1" : listen);
  snprintf(address, sizeof address, "%s%.6s", host, colon);
  grpc_server_credentials *credentials = credentials_of(options->tls);
  if (!credentials) return say(message, "the certificate is not taken for gRPC");
  int port = grpc_server_add_http2_port(r->core, address, credentials);
  grpc_server_credentials_release(credentials);
  if (port <= 0) return say(message, "cannot listen on %.80s for gRPC: the port is taken or not ours to take", listen);
  snprintf(r->address, sizeof r->address, "%.64s:%d", host, port);
  return true;
}

static bool start_core(rpc_server *r, const rpc_options *options, char message[RPC_MESSAGE_SIZE]) {
  r->core = create_core();
  for (int i = 0; i < EVENT_LOOPS; i++) {
    r->loops[i].queue = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(r->core, r->loops[i].queue, NULL);
  }
  return bind_port(r, options, message);
}

static bool start_threads(rpc_server *r, int threads) {
  r->pool = pool_start(threads + 1, threads, run_in_pool);
  r->waiting = pool_start(WAITING_THREADS, 3 * WAITING_THREADS / 4, run_in_pool);
  r->watchers = watch_list_create(r->service->store);
  if (!r->pool || !r->waiting || !r->watchers) return false;
  grpc_server_start(r->core);
  bool started = true;
  for (int i = 0; i < EVENT_LOOPS && started; i++) started = start_loop(r, &r->loops[i]);
  return started;
}

rpc_server *rpc_start(service *s, const rpc_options *options, char message[RPC_MESSAGE_SIZE]) {
  rpc_server *r = calloc(1, sizeof *r);
  if (!r) return say(message, "memory is short"), NULL;
  r->service = s;
  pthread_mutex_init(&r->lock, NULL);
  gpr_set_log_function(on_library_message);
  grpc_init();
  methods_name_metrics();
  bool bound = start_core(r, options, message);
  if (bound && start_threads(r, options->threads)) return r;
  if (bound) say(message, "the gRPC server cannot be started: threads or memory are short");
  rpc_stop(r);
  return NULL;
}

const char *rpc_address(const rpc_server *r) { return r->address; }

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
}

static void stop_core(rpc_server *r) {
  if (!r->loops[0].running) { // never served: nobody hands out the tag
    grpc_server_shutdown_and_notify(r->core, r->loops[0].queue, &r->down);
    grpc_completion_queue_next(r->loops[0].queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    return;
  }
  grpc_server_shutdown_and_notify(r->core, r->loops[0].queue, &r->down);
  for (int waited = 0; count_calls(r) > 0 && waited < STOP_GRACE_MS; waited += 10) usleep(10000);
  grpc_server_cancel_all_calls(r->core); // closes connections, too: idle clients are not waited for
  while (!atomic_load(&r->is_down) || count_calls(r) > 0) usleep(1000);
}

void rpc_stop(rpc_server *r) {
  if (!r) return;
  atomic_store(&r->stopping, true);
  rpc_drain(r);
  stop_core(r);
  for (int i = 0; i < EVENT_LOOPS; i++) grpc_completion_queue_shutdown(r->loops[i].queue);
  for (int i = 0; i < EVENT_LOOPS; i++) {
    if (r->loops[i].running)
      pthread_join(r->loops[i].thread, NULL);
    else
      run_loop(&r->loops[i]);
    grpc_completion_queue_destroy(r->loops[i].queue);
  }
  pool_stop(r->pool);
  pool_stop(r->waiting);
  watch_list_destroy(r->watchers);
  grpc_server_destroy(r->core);
  grpc_shutdown_blocking();
  pthread_mutex_destroy(&r->lock);
  free(r);
}
