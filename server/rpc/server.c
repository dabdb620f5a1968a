// Start and stop of the gRPC C core and of what stands around it: the door (front/front.c), the relay that looks at
// every frame before the core does (front/relay.h), calls and the pools they run in.
//
// One thread passes bytes on and lets the core work, by turns (pump.c); a second costs more in handovers than it
// brings. Stopping: no new connections and calls -> streams are told -> what is being handled ends, or is cancelled
// after a grace
// -> the core says that it is down -> connections, loop, queue, pools.
#include "rpc/server.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/metrics.h"
#include "base/share/seats.h"
#include "rpc/server_internal.h"

#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAITING_THREADS = 16, SPARE_THREADS = 32, STOP_GRACE_MS = 5000, STRANGERS = 128, STRANGERS_EACH = 32 };
static const double LINGER_S = 1e-4;

// ---------------------------------------------------------------------------------------------------------- the loop

static bool look(void *context, double now_s) { return pump_look(context, now_s); }

static void settle(void *context, double now_s) { pump_settle(context, now_s); }

static double tick(void *context, double now_s) {
  rpc_server *r = context;
  if (calls_count(r) > 0) {
    calls_end_stuck(r, now_s);
    pump_doubt(r); // of what was cancelled
  }
  return relay_tick(r->relay, now_s);
}

// Deadlines and the like happen in threads of the core; mostly they send something, which wakes the loop, too.
static double nap(void *context) {
  rpc_server *r = context;
  if (calls_count(r) == 0 && !atomic_load(&r->stopping)) return INFINITY;
  return pump_nap(r);
}

static void serve(void *context, int fd) {
  rpc_server *r = context;
  grpc_server_add_channel_from_fd(r->core, fd, r->plain);
}

static void on_full(void *context, const relay_connection *client) {
  calls_end_of(context, client);
  pump_doubt(context);
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
  r->pool = pool_start(&(pool_options){.threads = threads + 1, .spare = SPARE_THREADS, .share = threads}, step_compute);
  r->writing = pool_start(&(pool_options){.threads = WAITING_THREADS, .share = 3 * WAITING_THREADS / 4}, step_write);
  r->waiting = pool_start(&(pool_options){.threads = WAITING_THREADS, .share = 3 * WAITING_THREADS / 4}, step_compute);
  r->places = seats_create(LIMIT_CALLS, calls_each);
  r->strangers = seats_create(STRANGERS, STRANGERS_EACH);
  if (!r->places || !r->strangers) return false;
  if (!r->pool || !r->writing || !r->waiting || !start_core(r) || !arrival_expect(r)) return false;
  r->loop = loop_start(
      &(loop_hooks){.context = r, .settle = settle, .look = look, .nap = nap, .tick = tick, .linger_s = LINGER_S});
  if (!r->loop) return false;
  relay_set_loop(r->relay, r->loop);
  return front_start(r->front, r->relay, r->loop);
}

static void name_metrics(const rpc_options *o) {
  for (int i = 0; i < o->method_count; i++)
    metrics_name_route(operation_series(OPERATION_OVER_GRPC, o->methods[i].operation), "gRPC", o->methods[i].path);
  metrics_name_route(operation_series(OPERATION_OVER_GRPC, NULL), "gRPC", "");
}

rpc_server *rpc_start(service *s, const rpc_options *options, char message[RPC_MESSAGE_SIZE]) {
  rpc_server *r = calloc(1, sizeof *r);
  if (!r) return snprintf(message, RPC_MESSAGE_SIZE, "not enough memory"), NULL;
  r->service = s;
  r->methods = options->methods;
  r->method_count = options->method_count;
  r->event.type = GRPC_QUEUE_TIMEOUT;
  r->again_s = INFINITY;
  pthread_mutex_init(&r->lock, NULL);
  gpr_set_log_function(on_library_message);
  name_metrics(options);
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

void rpc_drain(rpc_server *r) {
  atomic_store(&r->draining, true);
  calls_each(r, rpc_wake); // sleepers take a step in which they see it
  if (atomic_load(&r->stopping)) calls_end_streams(r);
  if (r->loop) pump_ring(r, false);
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
  pump_ring(r, false);
  for (int waited = 0; calls_count(r) > 0 && waited < STOP_GRACE_MS; waited += 10) usleep(10000);
  grpc_server_cancel_all_calls(r->core); // closes connections, too: idle clients are not waited for
  pump_ring(r, false);
  while (!atomic_load(&r->is_down) || calls_count(r) > 0) usleep(1000);
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
    pump_take(r);
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
