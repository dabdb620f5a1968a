// Short handlers run in the event loop; those that compute or wait run in a pool (pools.h) while the connection sleeps
// (suspend … resume); then the reply is queued.
//
// Invariant: an exchange belongs to the pool from pool_submit until MHD_resume_connection, and to its event loop
// otherwise.
#include "http/handling.h"
#include "base/clock.h"
#include "base/log/log.h"
#include "base/thread.h"
#include "http/routes.h"
#include "http/server_internal.h"
#include "service/models/model_cache.h"

#include <assert.h>
#include <stdio.h>

enum { SMALL_BODY_BYTES = 64 << 10 };
static const double INLINE_SHARE = 0.7, INLINE_MOST_S = 5e-3;

void handling_drop_body(exchange *x) {
  codec_buffer_fini(&x->body);
  portions_give(x->server->bodies, x->caller.account, x->portion);
  x->portion = 0;
}

// The library takes heads of chunks that others take for something else ("0;" LF alone), so they may differ on where
// such a body ends: nothing behind it is read.
static bool ends_in_doubt(const exchange *x) { return exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL; }

enum MHD_Result handling_reply(exchange *x) {
  if (!x->response) return MHD_NO; // out of memory: closing is all that is left
  if (x->last || ends_in_doubt(x)) reply_header(x, MHD_HTTP_HEADER_CONNECTION, "close");
  connections_enter(x->entry, CONNECTION_REPLY, x->held);
  enum MHD_Result queued = MHD_queue_response(x->connection, x->status, x->response);
  MHD_destroy_response(x->response);
  x->response = NULL;
  return queued;
}

static void handle(exchange *x) {
  log_scope scope = {.job = ""};
  snprintf(scope.request_id, sizeof scope.request_id, "%s", x->request_id);
  log_enter(&scope);
  x->handled = true;
  codec_buffer_append(&x->body, "", 1); // documents are read as text with a NUL behind
  if (x->body.failed)
    fault_set(&x->fault, PROBLEM_UNAVAILABLE, NULL, "not enough memory"), reply_fault(x, &x->fault);
  else {
    x->body.size--;
    x->route->handle(x);
  }
  handling_drop_body(x); // the client may take its time with the reply
  if (x->model) cache_release(x->service->cache, x->model);
  x->model = NULL;
  log_enter(NULL);
}

void handling_compute(pool_task *task) {
  exchange *x = (exchange *)task;
  thread_computes();
  handle(x);
  MHD_resume_connection(x->connection); // x is the event loop's again: not one access after this
}

// Little is computed here: what takes long is done elsewhere (service.preparing).
void handling_write(pool_task *task) {
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
    return has_time && routes_may_run_inline(x) ? NULL : pools->computing;
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

void handling_let_go(void *context) {
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
  handling_drop_body(x);
  fault_set(&x->fault, PROBLEM_RATE_LIMITED, NULL,
            "%d requests of this %s wait already, its share (waiting-per-caller): wait for the answer to one of them",
            x->server->waiting_each, *x->caller.id ? "token" : "address");
  reply_fault(x, &x->fault);
  if (may_answer_at_once(x))
    MHD_resume_connection(x->connection);
  else
    hold_back(x);
}

enum MHD_Result handling_begin(exchange *x) {
  assert(x->route && !x->refused && !x->handled);
  connections_enter(x->entry, CONNECTION_WORK, 0);
  pool *where = pool_of(x);
  if (!where) {
    handle_here(x);
    return handling_reply(x);
  }
  x->suspended = true;
  x->task.owner = x->caller.owner;
  MHD_suspend_connection(x->connection);
  if (!pool_submit(where, &x->task, x->caller.account ? x->server->waiting_each : 0)) refuse_to_wait(x);
  return MHD_YES;
}
