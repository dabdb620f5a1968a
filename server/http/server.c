// libmicrohttpd on one side, exchanges on the other: the life of a request.
//
//   headers  -> checks (guard.c), route (routes.c); a refusal is kept until the body is read away, so that simple
//   clients
//               see it; only bodies beyond LIMIT_DRAIN_BYTES are answered at once and cut off
//   body     -> collected up to LIMIT_BODY_BYTES, by count, whatever Content-Length said
//   complete -> short handlers run in the event loop; those that compute or wait run in a pool (pools.h) while the
//               connection sleeps (suspend … resume); then the reply is queued
//
// Event loops: one per MHD thread (epoll). Invariant: an exchange belongs to the pool from pool_submit until
// MHD_resume_connection, and to its event loop otherwise.
#include "http/server.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/log_kind.h"
#include "base/metrics.h"
#include "base/portions.h"
#include "base/thread.h"
#include "http/connections.h"
#include "http/guard.h"
#include "http/own_errors.h"
#include "http/pools.h"
#include "http/routes.h"
#include "service/access/rate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REFUSALS_PER_S = 50 }; // of one caller
enum { SMALL_BODY_BYTES = 64 << 10 };
static const double INLINE_SHARE = 0.7, INLINE_MOST_S = 5e-3;
enum { EVENT_LOOPS = 2, STOP_GRACE_MS = 5000 };
// No RSA key exchange (nothing recorded is read later with a stolen key) and no CBC.
static const char tls_versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-AES-256-CBC:-AES-128-CBC";

struct http_server {
  service *service;
  struct MHD_Daemon *daemon;
  http_pools pools;
  connections *connections;
  int listen_fd;
  bool encrypted;
  int connections_each, waiting_each; // of one caller; 0: any number
  char address[ADDRESS_SIZE];
  rate_limit *refusals; // that are answered at once
  pthread_mutex_t lock;
  portions *bodies;                // of one caller
  pool_task *held;                 // refused exchanges whose answers wait; under the lock
  _Atomic int active;              // exchanges between their first byte and their last
  bool unheld;                     // no answer waits any more; under the lock
  _Atomic bool draining, hurrying; // no new work is taken; what is under way is left
};

// ------------------------------------------------------------------------------------------------- life of an exchange

static exchange *begin(http_server *h, struct MHD_Connection *connection) {
  exchange *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->server = h;
  x->service = h->service;
  x->connection = connection;
  x->slot = connections_slot(connection);
  x->encrypted = h->encrypted;
  x->started_s = clock_monotonic_s();
  codec_buffer_init(&x->body, LIMIT_BODY_BYTES + 1);
  codec_buffer_use(&x->body, BUDGET_BODIES);
  return x;
}

static void drop_body(exchange *x) {
  codec_buffer_fini(&x->body);
  portions_give(x->server->bodies, x->caller.account, x->portion);
  x->portion = 0;
}

// The address as it came, before the library takes it apart. Each parameter costs memory of the connection, and without
// any left there is no answer: those beyond the limit are cut off here, and the request is refused for it.
static void *on_address(void *context, const char *address_text, struct MHD_Connection *connection) {
  exchange *x = begin(context, connection);
  char *at = x ? strchr(address_text, '?') : NULL;
  for (; at && *at; at = strchr(at + 1, '&'))
    if (++x->parameters == LIMIT_PARAMETERS + 1) *at = '\0';
  return x;
}

// The last places, when all others are taken by clients who are not slow.
static bool has_place(exchange *x) {
  bool anybody = x->route->operation->scope == AUTH_PUBLIC;
  x->last = !anybody && !connections_carry(x->slot, x->caller.account);
  if (x->last)
    return fault_set(&x->fault, PROBLEM_RATE_LIMITED, NULL,
                     "requests of this %s come over %d connections already, its share (connections-per-caller): ask "
                     "over those",
                     *x->caller.id ? "token" : "address", x->server->connections_each);
  if (!anybody) connections_trust(x->slot);
  x->last = !anybody && x->caller.scope != AUTH_ADMIN && connections_is_surplus(x->server->connections, x->slot);
  return !x->last || fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "all connections of the server are in use");
}

static void check(exchange *x, const char *method, const char *path) {
  atomic_fetch_add(&x->server->active, 1);
  connections_enter(x->slot, CONNECTION_BODY, 0);
  x->begun = true;
  snprintf(x->method, sizeof x->method, "%s", method);
  snprintf(x->path, sizeof x->path, "%s", path);
  guard_request_id(x);
  x->refused = true;
  if (!guard_headers(x) || !guard_target(x, &path) || !guard_origin(x)) return;
  snprintf(x->path, sizeof x->path, "%s", path);
  x->route = routes_find(x, method, path);
  if (!x->route || !guard_caller(x) || !has_place(x) || !routes_check_query(x) || !guard_accept(x) || !guard_body(x))
    return;
  x->refused = atomic_load(&x->server->draining) && operation_starts_work(x->route->operation);
  if (x->refused) fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "the server is stopping");
}

// A refused body is read away up to a bound, a small one for callers who may not send any. Beyond it the answer goes
// out at once and the connection ends.
static uint64_t drain_limit(const exchange *x) {
  problem_code code = x->fault.code;
  bool stranger =
      x->refused && !x->crowded &&
      (code == PROBLEM_UNAUTHENTICATED || code == PROBLEM_PERMISSION_DENIED || code == PROBLEM_RATE_LIMITED);
  return stranger ? LIMIT_DRAIN_STRANGER_BYTES : LIMIT_DRAIN_BYTES;
}

static bool too_much_to_drain(const exchange *x) {
  const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
  const char *expect = exchange_header(x, MHD_HTTP_HEADER_EXPECT);
  return x->refused && (x->last || expect || (length && strtoull(length, NULL, 10) > drain_limit(x)));
}

bool exchange_is_left(const exchange *x) {
  if (atomic_load(&x->server->hurrying)) return true;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct pollfd end = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
  return poll(&end, 1, 0) == 1 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// The library takes heads of chunks that others take for something else ("0;" LF alone), so they may differ on where
// such a body ends: nothing behind it is read.
static bool ends_in_doubt(const exchange *x) { return exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL; }

static enum MHD_Result send_reply(exchange *x) {
  if (!x->response) return MHD_NO; // out of memory: closing is all that is left
  if (x->last || ends_in_doubt(x)) reply_header(x, MHD_HTTP_HEADER_CONNECTION, "close");
  connections_enter(x->slot, CONNECTION_REPLY, x->held);
  enum MHD_Result queued = MHD_queue_response(x->connection, x->status, x->response);
  MHD_destroy_response(x->response);
  x->response = NULL;
  return queued;
}

static enum MHD_Result refuse(exchange *x) {
  x->handled = true;
  reply_fault(x, &x->fault);
  return send_reply(x);
}

// Those who send slowly what they have begun make room for the next.
static void refuse_body(exchange *x) {
  enum { MIB_SHIFT = 20 };
  x->refused = true;
  if (x->body.refusal == BUDGET_NEVER)
    fault_set(&x->fault, PROBLEM_TOO_LARGE, NULL, "the body is larger than this server can hold (%llu MiB of memory)",
              (unsigned long long)budget_most(BUDGET_BODIES) >> MIB_SHIFT);
  else
    fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the body now: try again later");
  drop_body(x);
  connections_drop_bodies(x->server->connections);
}

// Bodies of one caller leave room to those of others; small ones are not asked.
static void count_portion(exchange *x) {
  enum { MIB_SHIFT = 20 };
  if (x->refused || x->received <= BUDGET_SMALL_BYTES) return;
  if (portions_take(x->server->bodies, x->caller.account, x->portion, x->received - x->portion)) {
    if (x->caller.account) x->portion = x->received;
    return;
  }
  x->refused = x->crowded = true;
  fault_set(&x->fault, PROBLEM_RATE_LIMITED, NULL,
            "bodies of this %s take %llu MiB of memory already, its share: wait for the answer to one of them",
            *x->caller.id ? "token" : "address", (unsigned long long)portions_each(x->server->bodies) >> MIB_SHIFT);
  drop_body(x);
}

static enum MHD_Result collect(exchange *x, const char *bytes, size_t *size) {
  x->received += *size;
  connections_count(x->slot, *size);
  if (!x->refused && x->received > LIMIT_BODY_BYTES) {
    x->refused = true;
    fault_set(&x->fault, PROBLEM_TOO_LARGE, NULL, "the body has more than %d bytes", LIMIT_BODY_BYTES);
    drop_body(x);
  }
  count_portion(x);
  if (!x->refused) codec_buffer_append(&x->body, bytes, *size);
  if (!x->refused && x->body.failed) refuse_body(x);
  *size = 0;
  return x->received <= drain_limit(x) ? MHD_YES : MHD_NO;
}

static void handle(exchange *x) {
  log_scope scope = {.job = ""};
  snprintf(scope.request_id, sizeof scope.request_id, "%s", x->request_id);
  log_enter(&scope);
  x->handled = true;
  codec_buffer_append(&x->body, "", 1); // documents are read as text with a NUL behind
  if (x->body.failed)
    fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "memory is short"), reply_fault(x, &x->fault);
  else {
    x->body.size--;
    x->route->handle(x);
  }
  drop_body(x); // the client may take its time with the reply
  if (x->model) cache_release(x->service->cache, x->model);
  x->model = NULL;
  log_enter(NULL);
}

static void handle_in_pool(pool_task *task) {
  exchange *x = (exchange *)task;
  thread_computes();
  handle(x);
  MHD_resume_connection(x->connection); // x is the event loop's again: not one access after this
}

// Little is computed here: what takes long is done elsewhere (service.preparing).
static void write_in_pool(pool_task *task) {
  exchange *x = (exchange *)task;
  thread_answers();
  handle(x);
  MHD_resume_connection(x->connection);
}

// What an event loop has computed lately by itself, s: it drains at INLINE_SHARE. Beyond INLINE_MOST short handlers are
// left to the pool, too, so that a flood of them never keeps a loop from those who ask for something else.
static _Thread_local struct { double used_s, at_s; } inline_account;

static bool loop_has_time(void) {
  double now = clock_monotonic_s(), left = inline_account.used_s - INLINE_SHARE * (now - inline_account.at_s);
  inline_account.used_s = left > 0 ? left : 0;
  inline_account.at_s = now;
  return inline_account.used_s < INLINE_MOST_S;
}

static void handle_here(exchange *x) {
  handle(x);
  inline_account.used_s += clock_monotonic_s() - inline_account.at_s;
}

// Where the handler runs; NULL: here.
static pool *pool_of(exchange *x) {
  const route *r = x->route;
  const http_pools *pools = &x->server->pools;
  bool has_time = loop_has_time();
  switch (r->operation->pool) {
  case OPERATION_WRITES:
    return x->body.size <= SMALL_BODY_BYTES ? pools->writing : pools->waiting;
  case OPERATION_WAITS:
    return pools->waiting;
  case OPERATION_COMPUTES:
    return has_time && r->short_enough && r->short_enough(x) ? NULL : pools->computing;
  case OPERATION_HERE:
  case OPERATION_READS:
    break;
  }
  return NULL;
}

// Whoever asks again and again without waiting would keep the event loops from everybody else: his refusals wait for
// the next look at the connections, half a second at most.
static bool may_answer_at_once(const exchange *x) {
  char key[RATE_KEY_SIZE];
  snprintf(key, sizeof key, "%llx", (unsigned long long)x->caller.owner);
  return !x->server->refusals || rate_take(x->server->refusals, key, clock_monotonic_s()) == 0;
}

static void hold_back(exchange *x) {
  http_server *h = x->server;
  pthread_mutex_lock(&h->lock);
  bool held = !h->unheld;
  if (held) x->task.next = h->held, h->held = &x->task;
  pthread_mutex_unlock(&h->lock);
  if (!held) MHD_resume_connection(x->connection);
}

static void let_go(void *context) {
  http_server *h = context;
  pthread_mutex_lock(&h->lock);
  pool_task *held = h->held;
  h->held = NULL;
  pthread_mutex_unlock(&h->lock);
  for (pool_task *next; held; held = next) {
    next = held->next; // after the resume it is the event loop's
    MHD_resume_connection(((exchange *)held)->connection);
  }
}

// So many of the caller's wait that this one would only hold a place.
static void refuse_to_wait(exchange *x) {
  x->handled = true;
  drop_body(x);
  fault_set(&x->fault, PROBLEM_RATE_LIMITED, NULL,
            "%d requests of this %s wait already, its share (waiting-per-caller): wait for the answer to one of them",
            x->server->waiting_each, *x->caller.id ? "token" : "address");
  reply_fault(x, &x->fault);
  if (may_answer_at_once(x))
    MHD_resume_connection(x->connection);
  else
    hold_back(x);
}

static enum MHD_Result complete(exchange *x) {
  if (x->refused) return refuse(x);
  connections_enter(x->slot, CONNECTION_WORK, 0);
  pool *where = pool_of(x);
  if (!where) {
    handle_here(x);
    return send_reply(x);
  }
  x->suspended = true;
  x->task.owner = x->caller.owner;
  MHD_suspend_connection(x->connection);
  if (!pool_submit(where, &x->task, x->caller.account ? x->server->waiting_each : 0)) refuse_to_wait(x);
  return MHD_YES;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *bytes, size_t *size,
                                  void **exchange_slot) {
  (void)version;
  exchange *x = *exchange_slot;
  (void)context, (void)connection;
  if (!x) return MHD_NO; // memory was short at the address
  if (!x->begun) {
    check(x, method, path);
    return too_much_to_drain(x) ? refuse(x) : MHD_YES;
  }
  if (*size > 0) return collect(x, bytes, size);
  return x->handled ? send_reply(x) : complete(x);
}

// Watchers wait for events, not for us: their time says nothing.
static void count(const exchange *x) {
  int series = routes_series(x->route), class = (int)(x->status / 100) - 1;
  if (class < 0 || class >= METRIC_CLASSES) return; // the client left before there was a reply
  metrics_add(METRIC_REQUESTS, series * METRIC_CLASSES + class, 1);
  if (!x->route || !(x->route->flags & ROUTE_EVENTS))
    metrics_observe(METRIC_REQUEST_DURATION, series, clock_monotonic_s() - x->started_s);
}

static void write_log(const exchange *x) {
  bool quiet = x->status < 400 && x->route && operation_is_quiet(x->route->operation);
  log_level level = x->status >= 500 ? LOG_LEVEL_ERROR : quiet ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
  bool refused = x->status >= 400 && x->status < 500;
  if (level == LOG_LEVEL_INFO && !log_kind_allows(refused ? LOG_KIND_REFUSED_REQUEST : LOG_KIND_REQUEST)) return;
  char peer[ADDRESS_SIZE];
  log_write(level, "request", LOG_S("request_id", x->request_id), LOG_S("method", x->method), LOG_S("path", x->path),
            LOG_I("status", x->status), LOG_S("peer", exchange_peer(x, peer)), LOG_S("token", x->caller.name),
            LOG_I("bytes_in", x->received), LOG_F("ms", 1e3 * (clock_monotonic_s() - x->started_s)),
            LOG_S("detail", x->status >= 400 ? x->fault.detail : ""));
}

static void on_completed(void *context, struct MHD_Connection *connection, void **exchange_slot,
                         enum MHD_RequestTerminationCode how) {
  (void)connection, (void)how;
  http_server *h = context;
  exchange *x = *exchange_slot;
  if (!x) return;
  connections_enter(x->slot, CONNECTION_HEAD, 0);
  if (x->begun) { // the library refused it otherwise
    write_log(x);
    count(x);
    atomic_fetch_sub(&h->active, 1);
  }
  if (x->response) MHD_destroy_response(x->response); // handled, but the client went away before it was queued
  drop_body(x);
  seats_give(x->seat, x->caller.account);
  free(x);
  *exchange_slot = NULL;
}

static void on_library_message(void *context, const char *format, va_list values) __attribute__((format(printf, 2, 0)));
static void on_library_message(void *context, const char *format, va_list values) {
  (void)context;
  char message[512];
  vsnprintf(message, sizeof message, format, values);
  message[strcspn(message, "\n")] = '\0';
  log_write(LOG_LEVEL_DEBUG, "http_library", LOG_S("detail", message));
}

static size_t unescape(void *context, struct MHD_Connection *connection, char *address_text) {
  (void)context, (void)connection;
  return routes_unescape(address_text);
}

// ------------------------------------------------------------------------------------------------------ start and stop

static bool say(char message[HTTP_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[HTTP_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, HTTP_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool open_socket(http_server *h, const char *listen_at, char message[HTTP_MESSAGE_SIZE]) {
  address a;
  socklen_t size;
  if (!address_read(listen_at, &a, &size, message)) return false;
  h->listen_fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int yes = 1;
  if (h->listen_fd < 0 || setsockopt(h->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(h->listen_fd, &a.any, size) != 0 || listen(h->listen_fd, SOMAXCONN) != 0 ||
      getsockname(h->listen_fd, &a.any, &size) != 0)
    return say(message, "cannot listen on %.80s: %s", listen_at, strerror(errno));
  address_write(&a, h->address);
  return true;
}

// libmicrohttpd hands no context on: there is one server in a process.
static tls_holder *certificates;

static int give_certificate(gnutls_session_t session, const gnutls_datum_t *roots, int root_count,
                            const gnutls_pk_algorithm_t *kinds, int kind_count, gnutls_pcert_st **chain,
                            unsigned *length, gnutls_privkey_t *key) {
  (void)session, (void)roots, (void)root_count, (void)kinds, (void)kind_count;
  tls_holder_current(certificates, chain, length, key);
  return 0;
}

bool http_renew_certificate(http_server *h, const tls_files *files) {
  return h->encrypted && tls_holder_renew(certificates, files);
}

static struct MHD_Daemon *start_daemon(http_server *h, const http_options *options) {
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(intptr_t)give_certificate},
                                 {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls_versions},
                                 {MHD_OPTION_END, 0, NULL}};
  bool encrypted = h->encrypted = options->tls->certificate != NULL;
  return MHD_start_daemon(encrypted ? flags | MHD_USE_TLS : flags, 0, connections_admit, h->connections, on_request, h,
                          MHD_OPTION_EXTERNAL_LOGGER, on_library_message, NULL, MHD_OPTION_LISTEN_SOCKET, h->listen_fd,
                          MHD_OPTION_THREAD_POOL_SIZE, (unsigned)EVENT_LOOPS, MHD_OPTION_CONNECTION_LIMIT,
                          (unsigned)connections_with_reserve(options->connections), MHD_OPTION_NOTIFY_CONNECTION,
                          connections_notify, h->connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_IDLE_S,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)2 * LIMIT_REQUEST_HEADER_BYTES,
                          MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_URI_LOG_CALLBACK, on_address, h,
                          MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_ARRAY,
                          encrypted ? tls : tls + sizeof tls / sizeof *tls - 1, MHD_OPTION_END);
}

static void release(http_server *h) {
  rate_destroy(h->refusals);
  portions_destroy(h->bodies);
  pthread_mutex_destroy(&h->lock);
  free(h);
}

http_server *http_start(service *s, const http_options *options, char message[HTTP_MESSAGE_SIZE]) {
  http_server *h = calloc(1, sizeof *h);
  if (!h) return say(message, "memory is short"), NULL;
  h->service = s;
  h->listen_fd = -1;
  h->connections_each = options->connections_per_caller;
  h->waiting_each = options->waiting_per_caller;
  h->refusals = rate_create(REFUSALS_PER_S, REFUSALS_PER_S);
  h->bodies = portions_create(budget_most(BUDGET_BODIES) / 2);
  pthread_mutex_init(&h->lock, NULL);
  routes_name_metrics();
  bool started = open_socket(h, options->listen, message);
  if (started) {
    bool threads = http_pools_start(&h->pools, options->threads, handle_in_pool, write_in_pool);
    connection_limits limits = {.most = options->connections,
                                .per_address = options->connections_per_address,
                                .per_caller = options->connections_per_caller,
                                .handshakes = options->tls->certificate ? options->handshakes : 0,
                                .handshakes_loopback = options->handshakes_loopback_too,
                                .look = let_go,
                                .context = h,
                                .loopback = options->loopback_too,
                                .encrypted = options->tls->certificate != NULL};
    h->connections = connections_start(&limits);
    certificates = options->tls->certificate ? tls_holder_create(options->tls) : NULL;
    h->daemon = h->connections && h->bodies && threads ? start_daemon(h, options) : NULL;
    started = h->daemon || say(message, "the HTTP server cannot be started: threads or memory are short");
  }
  if (started) return h;
  connections_stop(h->connections);
  http_pools_stop(&h->pools);
  if (h->listen_fd >= 0) close(h->listen_fd);
  release(h);
  return NULL;
}

const char *http_address(const http_server *h) { return h->address; }

void http_drain(http_server *h) { atomic_store(&h->draining, true); }

void http_stop(http_server *h) {
  if (!h) return;
  http_drain(h);
  watch_end(h->service->watch);
  MHD_socket fd = MHD_quiesce_daemon(h->daemon);
  for (int waited = 0; atomic_load(&h->active) > 0 && waited < STOP_GRACE_MS; waited += 10) usleep(10000);
  atomic_store(&h->hurrying, true);
  http_pools_stop(&h->pools); // these resume every connection that still sleeps, as stopping the daemon demands
  pthread_mutex_lock(&h->lock);
  h->unheld = true;
  pthread_mutex_unlock(&h->lock);
  let_go(h);
  MHD_stop_daemon(h->daemon);
  tls_holder_destroy(certificates);
  certificates = NULL;
  connections_stop(h->connections);
  if (fd != MHD_INVALID_SOCKET) close(fd);
  release(h);
}
