// The life of a call:
//
//   arrived  -> metadata, method, admission; from here on RECV_CLOSE waits for its end (cancel, deadline, lost connection)
//   stepped  -> a message was received or sent: it is checked and unpacked here, then the handler's step runs (server_schedule)
//   finished -> the status was sent; the chain of steps is over
//   closed   -> the call is over on the wire; `stop` says so to whoever still computes for it, and a sleeper is woken
//
// Invariants: at most one batch of the chain is under way; a call is freed when chain and wire are both done with it (refs).
#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log_kind.h"
#include "base/metrics.h"
#include "codec/wire/message.h"
#include "rpc/call_internal.h"
#include "rpc/methods.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_arrived(rpc_call *c, bool ok);
static void on_closed(rpc_call *c, bool ok);
static void on_stepped(rpc_call *c, bool ok);
static void on_finished(rpc_call *c, bool ok);
static bool may_go_on(rpc_call *c, fault *f);

// -------------------------------------------------------------------------------------------------------- birth, death

static void count(const rpc_call *c) {
  int series = methods_series(c->method), class = c->http / 100 - 1;
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

// Of messages. While it is unpacked one is there as it came, in one piece, and in parts.
enum { LEAST_COUNTED = 32 << 10, COPIES = 3, UNTAKEN_S = 600 }; // of a stream, whose reader may take his time

static void drop_message(rpc_call *c) {
  if (c->message) protobuf_c_message_free_unpacked(c->message, NULL);
  c->message = NULL;
  if (c->message_taken > 0) budget_give(BUDGET_CALLS, c->message_taken);
  c->message_taken = 0;
}

// What was sent has been taken by the client, or never will be.
static void give_sent(rpc_call *c) {
  if (c->sent_taken > 0) budget_give(BUDGET_CALLS, c->sent_taken);
  c->sent_taken = 0;
}

static void destroy(rpc_call *c) {
  drop_message(c);
  give_sent(c);
  if (c->received) grpc_byte_buffer_destroy(c->received);
  if (c->sent) grpc_byte_buffer_destroy(c->sent);
  grpc_metadata_array_destroy(&c->metadata);
  grpc_call_details_destroy(&c->details);
  if (c->call) grpc_call_unref(c->call);
  free(c);
}

static void unref(rpc_call *c) {
  if (atomic_fetch_sub(&c->refs, 1) > 1) return;
  write_log(c);
  count(c);
  relay_leave(c->client);
  server_leave(c);
  seats_give(c->seat, c->caller.account);
  seats_give(c->place, c->caller.account);
  destroy(c);
}

bool call_expect(rpc_server *r) {
  rpc_call *c = calloc(1, sizeof *c);
  if (!c) return false;
  c->server = r;
  c->arrived = (rpc_tag){c, on_arrived};
  c->closed = (rpc_tag){c, on_closed};
  c->stepped = (rpc_tag){c, on_stepped};
  c->finished = (rpc_tag){c, on_finished};
  c->http = 200;
  grpc_metadata_array_init(&c->metadata);
  grpc_call_details_init(&c->details);
  grpc_completion_queue *events = server_queue(r);
  RPC_TAG_POSTED(&c->arrived);
  if (grpc_server_request_call(server_core(r), &c->call, &c->details, &c->metadata, events, events, &c->arrived) ==
      GRPC_CALL_OK)
    return true;
  destroy(c);
  return false;
}

// ------------------------------------------------------------------------------------------------------------- batches

static void start(rpc_call *c, const grpc_op *ops, size_t op_count, rpc_tag *tag) {
  grpc_call *call = c->call;
  rpc_server *server = c->server;
  if (tag != &c->closed && ops[0].op != GRPC_OP_RECV_MESSAGE) server_answered(c);
  bool asks = ops[op_count - 1].op == GRPC_OP_RECV_MESSAGE;
  server_sends(server, c->sends = !asks && tag != &c->closed);
  RPC_TAG_POSTED(tag); // the last that is read of the call here
  grpc_call_error error = grpc_call_start_batch(call, ops, op_count, tag, NULL);
  server_ring(server, asks); // the call may be gone
  if (error == GRPC_CALL_OK) return;
  server_sends(server, -c->sends);
  log_write(LOG_LEVEL_ERROR, "call_batch", LOG_S("detail", grpc_call_error_to_string(error))); // a defect of ours
  grpc_call_cancel_with_status(c->call, GRPC_STATUS_INTERNAL, "the server could not answer", NULL);
  unref(c);
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
  give_sent(c);
  if (size >= LEAST_COUNTED) {
    if (budget_take(BUDGET_CALLS, size) != BUDGET_TAKEN) return false;
    c->sent_taken = size;
  }
  grpc_slice slice = grpc_slice_malloc(size);
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
  return grpc_slice_from_copied_buffer(out, n);
}

// For the log and the metrics. Of a cancelled call the client has another status, whatever is said here.
static void remember(rpc_call *c, const fault *f, const problem_row *row) {
  bool cancelled = atomic_load(&c->stop) && !server_is_stopping(c->server);
  c->status = cancelled ? (int)GRPC_STATUS_CANCELLED : row->grpc;
  c->http = cancelled ? 408 : row->http;
  snprintf(c->detail, sizeof c->detail, "%s", f->detail);
}

// The last batch of a call. `f` NULL: OK.
static void send_status(rpc_call *c, grpc_op *ops, size_t used, const fault *f) {
  grpc_metadata trailers[3];
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
  grpc_slice detail = grpc_slice_from_copied_string(f ? f->detail : "");
  if (f) remember(c, f, row);
  ops[used++] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
                          .data.send_status_from_server = {.trailing_metadata_count = n,
                                                           .trailing_metadata = trailers,
                                                           .status = (grpc_status_code)(row ? row->grpc : 0),
                                                           .status_details = &detail}};
  if (c->method && c->method->end) c->method->end(c);
  start(c, ops, used, &c->finished);
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
  start(c, ops, used, &c->stepped);
}

void rpc_next(rpc_call *c) {
  grpc_op op = receive(c);
  start(c, &op, 1, &c->stepped);
}

// ------------------------------------------------------------------------------------------------------ sleep and wake

void rpc_sleep(rpc_call *c) {
  int awake = CALL_AWAKE;
  if (atomic_compare_exchange_strong(&c->waking, &awake, CALL_ASLEEP)) return;
  atomic_store(&c->waking, CALL_AWAKE);
  server_schedule(c, false);
}

void rpc_wake(rpc_call *c) {
  for (int now = atomic_load(&c->waking); now != CALL_WOKEN;) {
    int then = now == CALL_ASLEEP ? CALL_AWAKE : CALL_WOKEN;
    if (!atomic_compare_exchange_weak(&c->waking, &now, then)) continue;
    if (now == CALL_ASLEEP) server_schedule(c, false);
    return;
  }
}

// ---------------------------------------------------------------------------------------------------------------- steps

static void end_stopped(rpc_call *c) {
  fault f;
  fault_set(&f, PROBLEM_UNAVAILABLE, NULL,
            server_is_stopping(c->server) ? "the server is stopping" : "the call was cancelled");
  rpc_fail(c, &f);
}

void call_run(rpc_call *c) {
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

static bool take_message(rpc_call *c, size_t size, fault *f) {
  if (size < LEAST_COUNTED) return true;
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

static void on_stepped(rpc_call *c, bool ok) {
  fault f;
  if (ok && (c->sent || c->received)) relay_message(c->client);
  if (c->sent) grpc_byte_buffer_destroy(c->sent);
  c->sent = NULL;
  atomic_store(&c->take_by_ms, 0);
  give_sent(c);
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
    server_schedule(c, true);
  else
    rpc_fail(c, &f);
}

static void on_finished(rpc_call *c, bool ok) {
  if (ok && c->status == 0) relay_message(c->client);
  unref(c);
}

static void on_closed(rpc_call *c, bool ok) {
  (void)ok;
  if (c->cancelled) atomic_store(&c->stop, true);
  if (c->cancelled) rpc_wake(c);
  unref(c);
}

// -------------------------------------------------------------------------------------------------------------- arrival

static void choose_request_id(rpc_call *c) {
  for (size_t i = 0; i < c->metadata.count; i++) {
    const grpc_metadata *m = &c->metadata.metadata[i];
    size_t size = GRPC_SLICE_LENGTH(m->value), good = 0;
    const uint8_t *text = GRPC_SLICE_START_PTR(m->value);
    if (grpc_slice_str_cmp(m->key, "tendril-request-id") != 0 || size == 0 || size >= sizeof c->request_id) continue;
    while (good < size && text[good] > ' ' && text[good] < 127) good++;
    if (good == size) memcpy(c->request_id, text, size);
  }
  if (!*c->request_id) id_make(c->request_id);
}

enum { AUTHORIZATION_SIZE = 256, HOST_SIZE = 300 };

// The text of a slice; longer than `size`: cut, which no token and no host of ours survives.
static char *slice_text(grpc_slice slice, char *text, size_t size) {
  size_t length = GRPC_SLICE_LENGTH(slice) < size - 1 ? GRPC_SLICE_LENGTH(slice) : size - 1;
  memcpy(text, GRPC_SLICE_START_PTR(slice), length);
  text[length] = '\0';
  return text;
}

static const char *authorization_of(const rpc_call *c, char text[AUTHORIZATION_SIZE]) {
  for (size_t i = 0; i < c->metadata.count; i++)
    if (grpc_slice_str_cmp(c->metadata.metadata[i].key, "authorization") == 0)
      return slice_text(c->metadata.metadata[i].value, text, AUTHORIZATION_SIZE);
  return NULL;
}

// Who may call: the same gate as HTTP's (http/guard.c).
static bool may_call(rpc_call *c, fault *f) {
  auth *a = rpc_service(c)->auth;
  char authorization[AUTHORIZATION_SIZE], host[HOST_SIZE];
  return auth_check_host(a, slice_text(c->details.host, host, sizeof host), f) &&
         auth_check(a, relay_peer(c->client), authorization_of(c, authorization), c->method->operation->scope,
                    &c->caller, f);
}

// A stream whose token was deleted ends with its next message.
static bool may_go_on(rpc_call *c, fault *f) {
  if (!c->method || !(c->method->flags & (RPC_READS | RPC_SENDS))) return true;
  if (c->method->operation->scope == AUTH_PUBLIC) return true;
  return auth_holds(rpc_service(c)->auth, &c->caller) ||
         fault_set(f, PROBLEM_UNAUTHENTICATED, NULL, "the token was deleted");
}

// As RFC 9113, 6.5.2, counts them.
static size_t metadata_bytes(const rpc_call *c) {
  size_t bytes = 0;
  for (size_t i = 0; i < c->metadata.count; i++)
    bytes += GRPC_SLICE_LENGTH(c->metadata.metadata[i].key) + GRPC_SLICE_LENGTH(c->metadata.metadata[i].value) + 32;
  return bytes;
}

static bool admit(rpc_call *c, fault *f) {
  if (metadata_bytes(c) > LIMIT_REQUEST_HEADER_BYTES)
    return fault_set(f, PROBLEM_TOO_LARGE, NULL, "the metadata have more than %d bytes", LIMIT_REQUEST_HEADER_BYTES);
  if (!c->method)
    return fault_set(f, PROBLEM_METHOD_NOT_ALLOWED, NULL, "there is no method %.*s",
                     (int)(GRPC_SLICE_LENGTH(c->details.method) < 120 ? GRPC_SLICE_LENGTH(c->details.method) : 120),
                     (const char *)GRPC_SLICE_START_PTR(c->details.method));
  if (!may_call(c, f)) return false;
  if (server_is_draining(c->server) && operation_starts_work(c->method->operation))
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the server is stopping");
  c->stranger = !*c->caller.id && auth_required(rpc_service(c)->auth);
  return server_take_place(c->server, c, f);
}

static void find_client(rpc_call *c) {
  char *peer = grpc_call_get_peer(c->call);
  c->client = relay_enter(server_relay(c->server), peer);
  gpr_free(peer);
}

// What the call says of its client. Who is only too fast is told so, and costs nothing more.
static void judge(rpc_call *c, bool admitted, const fault *f) {
  if (admitted && !c->stranger)
    relay_trust(c->client);
  else if (!admitted && f->code == PROBLEM_RATE_LIMITED)
    relay_message(c->client);
  else if (!*c->caller.id)
    relay_stranger(c->client);
}

static void begin(rpc_call *c) {
  fault f;
  c->started_s = clock_monotonic_s();
  c->method = methods_find((const char *)GRPC_SLICE_START_PTR(c->details.method), GRPC_SLICE_LENGTH(c->details.method));
  choose_request_id(c);
  atomic_store(&c->refs, 2);
  find_client(c);
  server_enter(c);
  grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &c->cancelled};
  start(c, &close, 1, &c->closed);
  bool admitted = admit(c, &f);
  judge(c, admitted, &f);
  if (admitted) // its row stays, for the log; there is no state to free yet
    rpc_next(c);
  else
    rpc_fail(c, &f);
}

static void on_arrived(rpc_call *c, bool ok) {
  if (!ok) { // the server stops
    destroy(c);
    return;
  }
  if (!call_expect(c->server)) log_write(LOG_LEVEL_ERROR, "call_expect", LOG_S("detail", "memory is short"));
  begin(c);
}

// -------------------------------------------------------------------------------------------------- what handlers need

service *rpc_service(const rpc_call *c) { return server_service(c->server); }
const auth_caller *rpc_caller(const rpc_call *c) { return &c->caller; }

bool rpc_seat(rpc_call *c, seats *from, const char *words, const char *option, fault *f) {
  if (!seat_take(from, &c->caller, words, option, f)) return false;
  c->seat = from;
  return true;
}

void *rpc_state(const rpc_call *c) { return c->state; }
void rpc_set_state(rpc_call *c, void *state) { c->state = state; }
const _Atomic bool *rpc_stop_flag(const rpc_call *c) { return &c->stop; }
bool rpc_is_draining(const rpc_call *c) { return server_is_draining(c->server); }
bool rpc_is_stopping(const rpc_call *c) { return server_is_stopping(c->server); }
rpc_server *rpc_server_of(const rpc_call *c) { return c->server; }
