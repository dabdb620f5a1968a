// What a call sends, and its end.
//
// Its life:
//
//   arrived  -> metadata, method, admission (arrival.c); from here on RECV_CLOSE waits for its end (cancel, deadline,
//   lost
//               connection)
//   stepped  -> a message was received or sent: it is checked and unpacked, then the handler's step runs (steps.c)
//   finished -> the status was sent; the chain of steps is over
//   closed   -> the call is over on the wire; `stop` says so to whoever still computes for it, and a sleeper is woken
//
// Invariants: at most one batch of the chain is under way; a call is freed when chain and wire are both done with it
// (refs).
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log_kind.h"
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "rpc/server_internal.h"
#include "service/access/seat.h"

#include <assert.h>
#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTAKEN_S = 600 }; // of a stream, whose reader may take his time

// ------------------------------------------------------------------------------------------------------------- the end

static void count(const rpc_call *c) {
  const operation *o = c->method ? c->method->operation : NULL;
  int series = operation_series(OPERATION_OVER_GRPC, o), class = c->http / 100 - 1;
  assert(class >= 0 && class < METRIC_CLASSES);
  metrics_add(METRIC_REQUESTS, series * METRIC_CLASSES + class, 1);
  bool stream = c->method && (c->method->flags & (RPC_READS | RPC_SENDS)) != 0; // their time is the client's
  if (!stream) metrics_observe(METRIC_REQUEST_DURATION, series, clock_monotonic_s() - c->started_s);
}

static void write_log(const rpc_call *c) {
  bool quiet = c->status == 0 && c->method && operation_is_quiet(c->method->operation);
  log_level level = c->http >= 500 ? LOG_LEVEL_ERROR : quiet ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
  bool refused = c->http >= 400 && c->http < 500;
  if (level == LOG_LEVEL_INFO && !log_kind_allows(refused ? LOG_KIND_REFUSED_CALL : LOG_KIND_CALL)) return;
  log_write(level, "call", LOG_S("request_id", c->request_id), LOG_S("method", c->method ? c->method->path : ""),
            LOG_I("status", c->status), LOG_S("peer", relay_peer(c->client)), LOG_S("token", c->caller.name),
            LOG_I("bytes_in", c->bytes_in), LOG_F("ms", 1e3 * (clock_monotonic_s() - c->started_s)),
            LOG_S("detail", c->detail));
}

void call_drop_message(rpc_call *c) {
  if (c->message) protobuf_c_message_free_unpacked(c->message, NULL);
  c->message = NULL;
  if (c->message_taken > 0) budget_give(BUDGET_CALLS, c->message_taken);
  c->message_taken = 0;
}

void call_give_sent(rpc_call *c) {
  if (c->sent_taken > 0) budget_give(BUDGET_CALLS, c->sent_taken);
  c->sent_taken = 0;
}

void call_destroy(rpc_call *c) {
  call_drop_message(c);
  call_give_sent(c);
  if (c->received) grpc_byte_buffer_destroy(c->received);
  if (c->sent) grpc_byte_buffer_destroy(c->sent);
  grpc_metadata_array_destroy(&c->metadata);
  grpc_call_details_destroy(&c->details);
  if (c->call) grpc_call_unref(c->call);
  free(c);
}

void call_unref(rpc_call *c) {
  if (atomic_fetch_sub(&c->refs, 1) > 1) return;
  write_log(c);
  count(c);
  relay_leave(c->client);
  calls_leave(c);
  seats_give(c->seat, c->caller.account);
  seats_give(c->place, c->caller.account);
  call_destroy(c);
}

// ------------------------------------------------------------------------------------------------------------- batches

// In the loop's thread what a call sends is taken to the client at once.
static void answer_now(rpc_call *c) {
  if (loop_is_mine(c->server->loop)) relay_answered(c->client);
}

void call_start(rpc_call *c, const grpc_op *ops, size_t op_count, rpc_tag *tag) {
  assert(op_count > 0);
  grpc_call *call = c->call;
  rpc_server *server = c->server;
  if (tag != &c->closed && ops[0].op != GRPC_OP_RECV_MESSAGE) answer_now(c);
  bool asks = ops[op_count - 1].op == GRPC_OP_RECV_MESSAGE;
  pump_sends(server, c->sends = !asks && tag != &c->closed);
  RPC_TAG_POSTED(tag); // the last that is read of the call here
  grpc_call_error error = grpc_call_start_batch(call, ops, op_count, tag, NULL);
  pump_ring(server, asks); // the call may be gone
  if (error == GRPC_CALL_OK) return;
  pump_sends(server, -c->sends);
  log_write(LOG_LEVEL_ERROR, "call_batch", LOG_S("detail", grpc_call_error_to_string(error))); // a defect of ours
  grpc_call_cancel_with_status(c->call, GRPC_STATUS_INTERNAL, "the server could not answer", NULL);
  call_unref(c);
}

static grpc_op receive(rpc_call *c) {
  return (grpc_op){.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &c->received};
}

static size_t add_open(rpc_call *c, grpc_op *ops) {
  if (c->opened) return 0;
  c->opened = true;
  ops[0] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
  return 1;
}

static bool add_message(rpc_call *c, const ProtobufCMessage *message, grpc_op *op) {
  size_t size = protobuf_c_message_get_packed_size(message);
  if (size > LIMIT_REPLY_BYTES) return false;
  call_give_sent(c);
  if (size >= CALL_LEAST_COUNTED) {
    if (budget_take(BUDGET_CALLS, size) != BUDGET_TAKEN) return false;
    c->sent_taken = size;
  }
  grpc_slice slice = grpc_slice_malloc(size);
  assert(GRPC_SLICE_LENGTH(slice) == size);
  protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
  if (c->sent) grpc_byte_buffer_destroy(c->sent);
  c->sent = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  bool stream = (c->method->flags & (RPC_READS | RPC_SENDS)) != 0;
  double patience_s = stream ? UNTAKEN_S : LIMIT_REPLY_WINDOW_S + (double)size / LIMIT_REPLY_HELD_RATE;
  atomic_store(&c->take_by_ms, (int64_t)(1e3 * (clock_monotonic_s() + patience_s)));
  *op = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = c->sent};
  return true;
}

// Values of trailers are visible ASCII: everything else is percent-encoded.
static grpc_slice header_text(const char *text) {
  char out[3 * TD_POINTER_SIZE + 1];
  size_t n = 0;
  for (; *text && n + 4 < sizeof out; text++) {
    unsigned char byte = (unsigned char)*text;
    bool plain = byte > ' ' && byte < 127 && byte != '%';
    n += (size_t)snprintf(out + n, sizeof out - n, plain ? "%c" : "%%%02X", byte);
  }
  assert(n < sizeof out);
  return grpc_slice_from_copied_buffer(out, n);
}

// For the log and the metrics. Of a cancelled call the client has another status, whatever is said here.
static void remember(rpc_call *c, const fault *f, const problem_row *row) {
  bool cancelled = atomic_load(&c->stop) && !rpc_is_stopping(c);
  c->status = cancelled ? (int)GRPC_STATUS_CANCELLED : row->grpc;
  c->http = cancelled ? 408 : row->http;
  snprintf(c->detail, sizeof c->detail, "%s", f->detail);
}

// Clients take 8 KiB of trailers: there must be room for the others, and for base64.
enum { ERRORS_BYTES = 3000 };

static bool add_errors(const fault *f, grpc_metadata *trailer) {
  size_t size = 0;
  char *text = f->all.count > 1 ? codec_problem_errors(&f->all, ERRORS_BYTES, &size) : NULL;
  if (!text) return false;
  *trailer = (grpc_metadata){.key = grpc_slice_from_static_string("tendril-errors-bin"),
                             .value = grpc_slice_from_copied_buffer(text, size)};
  free(text);
  return true;
}

// The last batch of a call. `f` NULL: OK.
static void send_status(rpc_call *c, grpc_op *ops, size_t used, const fault *f) {
  grpc_metadata trailers[4];
  size_t n = 0;
  const problem_row *row = f ? codec_problem_row(f->code) : NULL;
  trailers[n++] =
      (grpc_metadata){.key = grpc_slice_from_static_string("tendril-request-id"), .value = header_text(c->request_id)};
  if (f)
    trailers[n++] =
        (grpc_metadata){.key = grpc_slice_from_static_string("tendril-code"), .value = header_text(row->code)};
  if (f && f->has_pointer)
    trailers[n++] =
        (grpc_metadata){.key = grpc_slice_from_static_string("tendril-pointer"), .value = header_text(f->pointer)};
  if (f && add_errors(f, &trailers[n])) n++;
  grpc_slice detail = grpc_slice_from_copied_string(f ? f->detail : "");
  if (f) remember(c, f, row);
  ops[used++] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
                          .data.send_status_from_server = {.trailing_metadata_count = n,
                                                           .trailing_metadata = trailers,
                                                           .status = (grpc_status_code)(row ? row->grpc : 0),
                                                           .status_details = &detail}};
  assert(n <= sizeof trailers / sizeof *trailers);
  if (c->method && c->method->end) c->method->end(c);
  call_start(c, ops, used, &c->finished);
  grpc_slice_unref(detail);
  for (size_t i = 0; i < n; i++) grpc_slice_unref(trailers[i].value);
}

void rpc_fail(rpc_call *c, const fault *f) {
  grpc_op ops[2];
  send_status(c, ops, add_open(c, ops), f);
}

void rpc_finish(rpc_call *c) {
  grpc_op ops[2];
  send_status(c, ops, add_open(c, ops), NULL);
}

static void fail_to_send(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  uint64_t most = budget_most(BUDGET_CALLS) < LIMIT_REPLY_BYTES ? budget_most(BUDGET_CALLS) : LIMIT_REPLY_BYTES;
  if (protobuf_c_message_get_packed_size(message) > most)
    fault_set(&f, PROBLEM_TOO_LARGE, NULL, "the reply would be larger than %llu bytes", (unsigned long long)most);
  else
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the reply now: try again later");
  rpc_fail(c, &f);
}

void rpc_reply(rpc_call *c, const ProtobufCMessage *message) {
  grpc_op ops[3], send;
  if (!add_message(c, message, &send)) {
    fail_to_send(c, message);
    return;
  }
  size_t used = add_open(c, ops);
  ops[used++] = send;
  send_status(c, ops, used, NULL);
}

void rpc_send(rpc_call *c, const ProtobufCMessage *message) {
  grpc_op ops[3], send;
  if (!add_message(c, message, &send)) {
    fail_to_send(c, message);
    return;
  }
  size_t used = add_open(c, ops);
  ops[used++] = send;
  if (c->method->flags & RPC_READS) ops[used++] = receive(c); // the next message, once this one was taken
  call_start(c, ops, used, &c->stepped);
}

void rpc_next(rpc_call *c) {
  grpc_op op = receive(c);
  call_start(c, &op, 1, &c->stepped);
}

// -------------------------------------------------------------------------------------------------- what handlers need

service *rpc_service(const rpc_call *c) { return c->server->service; }
const auth_caller *rpc_caller(const rpc_call *c) { return &c->caller; }

bool rpc_seat(rpc_call *c, seats *from, const char *words, const char *option, fault *f) {
  assert(!c->seat); // a call has one at the most
  if (!seat_take(from, &c->caller, words, option, f)) return false;
  c->seat = from;
  return true;
}

void *rpc_room(rpc_call *c) { return c->room; }
void *rpc_state(const rpc_call *c) { return c->state; }
void rpc_set_state(rpc_call *c, void *state) { c->state = state; }
const _Atomic bool *rpc_stop_flag(const rpc_call *c) { return &c->stop; }
bool rpc_is_draining(const rpc_call *c) { return atomic_load(&c->server->draining); }
bool rpc_is_stopping(const rpc_call *c) { return atomic_load(&c->server->stopping); }
