// The steps of a call: a message is checked and unpacked, then the handler's step runs, in the loop's thread when it is
// short, in one of the pools otherwise, like the handlers of HTTP; or the call sleeps until it is woken.
#include "base/share/budget.h"
#include "base/thread.h"
#include "codec/wire/message.h"
#include "rpc/server_internal.h"

#include <assert.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <stdio.h>

enum { COPIES = 3 }; // of a message: while it is unpacked one is there as it came, in one piece, and in parts

// ------------------------------------------------------------------------------------------------------- where and
// when

static void end_stopped(rpc_call *c) {
  fault f;
  fault_set(&f, PROBLEM_UNAVAILABLE, NULL, rpc_is_stopping(c) ? "the server is stopping" : "the call was cancelled");
  rpc_fail(c, &f);
}

static void run(rpc_call *c) {
  log_scope scope = {.job = ""};
  snprintf(scope.request_id, sizeof scope.request_id, "%s", c->request_id);
  log_enter(&scope);
  if (atomic_load(&c->stop))
    end_stopped(c);
  else {
    ProtobufCMessage *message = c->message;
    uint64_t taken = c->message_taken;
    c->message = NULL; // the handler may be in its next step before this one returns
    c->message_taken = 0;
    c->method->step(c, message);
    if (message) protobuf_c_message_free_unpacked(message, NULL);
    if (taken > 0) budget_give(BUDGET_CALLS, taken);
  }
  log_enter(NULL);
}

void step_compute(pool_task *task) {
  thread_computes();
  run((rpc_call *)task);
}

void step_write(pool_task *task) {
  thread_answers();
  run((rpc_call *)task);
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

static void schedule(rpc_call *c, bool may_run_here) {
  c->task.owner = c->caller.owner;
  pool *where = pool_of(c, may_run_here);
  if (where || !may_run_here)
    (void)pool_submit(where ? where : c->server->waiting, &c->task, 0);
  else
    run(c);
}

// ------------------------------------------------------------------------------------------------------ sleep and wake

void rpc_sleep(rpc_call *c) {
  int awake = CALL_AWAKE;
  if (atomic_compare_exchange_strong(&c->waking, &awake, CALL_ASLEEP)) return;
  atomic_store(&c->waking, CALL_AWAKE);
  schedule(c, false);
}

void rpc_wake(rpc_call *c) {
  for (int now = atomic_load(&c->waking); now != CALL_WOKEN;) {
    int then = now == CALL_ASLEEP ? CALL_AWAKE : CALL_WOKEN;
    if (!atomic_compare_exchange_weak(&c->waking, &now, then)) continue;
    if (now == CALL_ASLEEP) schedule(c, false);
    return;
  }
}

// ------------------------------------------------------------------------------------------------------- ends of
// batches

static bool take_message(rpc_call *c, size_t size, fault *f) {
  if (size < CALL_LEAST_COUNTED) return true;
  budget_answer answer = budget_take(BUDGET_CALLS, COPIES * (uint64_t)size);
  if (answer == BUDGET_NEVER)
    return fault_set(f, PROBLEM_TOO_LARGE, NULL,
                     "the message of %zu bytes is larger than this server can hold (memory)", size);
  if (answer == BUDGET_FULL)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the message now: try again later");
  c->message_taken = COPIES * (uint64_t)size;
  return true;
}

static bool unpack(rpc_call *c, fault *f) {
  grpc_byte_buffer_reader reader;
  td_error err = {.status = TD_OK};
  assert(!c->message && c->message_taken == 0); // the step before has had its own
  if (!grpc_byte_buffer_reader_init(&reader, c->received))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the message cannot be decompressed");
  grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
  grpc_byte_buffer_reader_destroy(&reader);
  size_t size = GRPC_SLICE_LENGTH(bytes);
  c->bytes_in += size;
  relay_received(c->client, size);
  if (!take_message(c, size, f)) {
    grpc_slice_unref(bytes);
    return false;
  }
  if (codec_message_check(c->method->request, GRPC_SLICE_START_PTR(bytes), size, &err) != TD_OK)
    fault_from_error(f, &err);
  else {
    c->message = protobuf_c_message_unpack(c->method->request, NULL, size, GRPC_SLICE_START_PTR(bytes));
    if (!c->message) fault_set(f, PROBLEM_INVALID_ARGUMENT, "", "the message is not a %s", c->method->request->name);
  }
  grpc_slice_unref(bytes);
  return c->message != NULL;
}

// A stream whose token was deleted ends with its next message.
static bool may_go_on(rpc_call *c, fault *f) {
  if (!c->method || !(c->method->flags & (RPC_READS | RPC_SENDS))) return true;
  if (c->method->operation->scope == AUTH_PUBLIC) return true;
  return auth_holds(rpc_service(c)->auth, &c->caller) ||
         fault_set(f, PROBLEM_UNAUTHENTICATED, NULL, "the token was deleted");
}

void step_stepped(rpc_call *c, bool ok) {
  fault f;
  if (ok && (c->sent || c->received)) relay_message(c->client);
  if (c->sent) grpc_byte_buffer_destroy(c->sent);
  c->sent = NULL;
  atomic_store(&c->take_by_ms, 0);
  call_give_sent(c);
  if (ok && !c->received && grpc_call_failed_before_recv_message(c->call)) ok = false; // too large, or cut off
  if (!ok) atomic_store(&c->stop, true);
  bool good = !ok || !c->received || unpack(c, &f);
  bool empty = !c->received && !c->counted && !(c->method->flags & RPC_READS);
  if (c->received) grpc_byte_buffer_destroy(c->received);
  c->received = NULL;
  if (good && ok && empty) good = fault_set(&f, PROBLEM_INVALID_ARGUMENT, NULL, "the call has no message");
  c->counted = true; // the first message is there
  if (good && ok) good = may_go_on(c, &f);
  if (good)
    schedule(c, true);
  else
    rpc_fail(c, &f);
}

void step_finished(rpc_call *c, bool ok) {
  if (ok && c->status == 0) relay_message(c->client);
  call_unref(c);
}

void step_closed(rpc_call *c, bool ok) {
  (void)ok;
  if (c->cancelled) atomic_store(&c->stop, true);
  if (c->cancelled) rpc_wake(c);
  call_unref(c);
}
