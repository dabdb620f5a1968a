// libmicrohttpd on one side, exchanges on the other: the life of a request.
//
//   headers  -> checks (guard.c), route (routes.c); a refusal is kept until the body is read away, so that simple
//   clients
//               see it; only bodies beyond LIMIT_DRAIN_BYTES are answered at once and cut off
//   body     -> collected up to LIMIT_BODY_BYTES, by count, whatever Content-Length said
//   complete -> handled (handling.c)
#include "http/request.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/log_kind.h"
#include "base/log/metrics.h"
#include "base/share/seats.h"
#include "http/guard.h"
#include "http/handling.h"
#include "http/routes.h"
#include "http/server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static exchange *begin(http_server *h, struct MHD_Connection *connection) {
  exchange *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->server = h;
  x->service = h->service;
  x->connection = connection;
  x->hurrying = &h->hurrying;
  x->entry = connections_entry(connection);
  x->encrypted = h->encrypted;
  x->started_s = clock_monotonic_s();
  codec_buffer_init(&x->body, LIMIT_BODY_BYTES + 1);
  codec_buffer_use(&x->body, BUDGET_BODIES);
  return x;
}

// The address as it came, before the library takes it apart. Each parameter costs memory of the connection, and without
// any left there is no answer: those beyond the limit are cut off here, and the request is refused for it.
void *request_begin(void *context, const char *address_text, struct MHD_Connection *connection) {
  exchange *x = begin(context, connection);
  char *at = x ? strchr(address_text, '?') : NULL;
  for (; at && *at; at = strchr(at + 1, '&'))
    if (++x->parameters == LIMIT_PARAMETERS + 1) *at = '\0';
  return x;
}

// The last places, when all others are taken by clients who are not slow.
static bool has_place(exchange *x) {
  bool anybody = x->route->operation->scope == AUTH_PUBLIC;
  x->last = !anybody && !connections_carry(x->entry, x->caller.account);
  if (x->last)
    return fault_set(&x->fault, PROBLEM_RATE_LIMITED, NULL,
                     "requests of this %s come over %d connections already, its share (connections-per-caller): ask "
                     "over those",
                     *x->caller.id ? "token" : "address", x->server->connections_each);
  if (!anybody) connections_trust(x->entry);
  x->last = !anybody && x->caller.scope != AUTH_ADMIN && connections_is_surplus(x->server->connections, x->entry);
  return !x->last || fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "all connections of the server are in use");
}

static void check(exchange *x, const char *method, const char *path) {
  atomic_fetch_add(&x->server->active, 1);
  connections_enter(x->entry, CONNECTION_BODY, 0);
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

static enum MHD_Result refuse(exchange *x) {
  x->handled = true;
  reply_fault(x, &x->fault);
  return handling_reply(x);
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
  handling_drop_body(x);
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
  handling_drop_body(x);
}

static enum MHD_Result collect(exchange *x, const char *bytes, size_t *size) {
  x->received += *size;
  connections_count(x->entry, *size);
  if (!x->refused && x->received > LIMIT_BODY_BYTES) {
    x->refused = true;
    fault_set(&x->fault, PROBLEM_TOO_LARGE, NULL, "the body has more than %d bytes", LIMIT_BODY_BYTES);
    handling_drop_body(x);
  }
  count_portion(x);
  if (!x->refused) codec_buffer_append(&x->body, bytes, *size);
  if (!x->refused && x->body.failed) refuse_body(x);
  *size = 0;
  return x->received <= drain_limit(x) ? MHD_YES : MHD_NO;
}

enum MHD_Result request_go_on(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *size, void **kept) {
  (void)version;
  exchange *x = *kept;
  (void)context, (void)connection;
  if (!x) return MHD_NO; // memory was short at the address
  if (!x->begun) {
    check(x, method, path);
    return too_much_to_drain(x) ? refuse(x) : MHD_YES;
  }
  if (*size > 0) return collect(x, bytes, size);
  if (x->handled) return handling_reply(x);
  return x->refused ? refuse(x) : handling_begin(x);
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

void request_end(void *context, struct MHD_Connection *connection, void **kept, enum MHD_RequestTerminationCode how) {
  (void)connection, (void)how;
  http_server *h = context;
  exchange *x = *kept;
  if (!x) return;
  connections_enter(x->entry, CONNECTION_HEAD, 0);
  if (x->begun) { // the library refused it otherwise
    write_log(x);
    count(x);
    atomic_fetch_sub(&h->active, 1);
  }
  if (x->response) MHD_destroy_response(x->response); // handled, but the client went away before it was queued
  handling_drop_body(x);
  seats_give(x->seat, x->caller.account);
  free(x);
  *kept = NULL;
}
