// A call arrives: its metadata, its method, who calls, and whether he may.
#include "base/clock.h"
#include "base/limits.h"
#include "rpc/server_internal.h"

#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_arrived(rpc_call *c, bool ok);

bool arrival_expect(rpc_server *r) {
  rpc_call *c = calloc(1, sizeof *c);
  if (!c) return false;
  c->server = r;
  c->arrived = (rpc_tag){c, on_arrived};
  c->closed = (rpc_tag){c, step_closed};
  c->stepped = (rpc_tag){c, step_stepped};
  c->finished = (rpc_tag){c, step_finished};
  c->http = 200;
  grpc_metadata_array_init(&c->metadata);
  grpc_call_details_init(&c->details);
  grpc_completion_queue *events = r->queue;
  RPC_TAG_POSTED(&c->arrived);
  if (grpc_server_request_call(r->core, &c->call, &c->details, &c->metadata, events, events, &c->arrived) ==
      GRPC_CALL_OK)
    return true;
  call_destroy(c);
  return false;
}

// A walk: two dozen comparisons are nothing beside a call. NULL: there is none of this name.
static const rpc_method *find_method(const rpc_server *r, grpc_slice path) {
  const void *bytes = GRPC_SLICE_START_PTR(path);
  size_t length = GRPC_SLICE_LENGTH(path);
  for (int i = 0; i < r->method_count; i++) {
    const rpc_method *m = &r->methods[i];
    if (strlen(m->path) == length && memcmp(m->path, bytes, length) == 0) return m;
  }
  return NULL;
}

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
  if (rpc_is_draining(c) && operation_starts_work(c->method->operation))
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the server is stopping");
  c->stranger = !*c->caller.id && auth_required(rpc_service(c)->auth);
  return calls_take_place(c, f);
}

static void find_client(rpc_call *c) {
  char *peer = grpc_call_get_peer(c->call);
  c->client = relay_enter(c->server->relay, peer);
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
  c->method = find_method(c->server, c->details.method);
  choose_request_id(c);
  atomic_store(&c->refs, 2);
  find_client(c);
  calls_enter(c);
  grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &c->cancelled};
  call_start(c, &close, 1, &c->closed);
  bool admitted = admit(c, &f);
  judge(c, admitted, &f);
  if (admitted) // its row stays, for the log; there is no state to free yet
    rpc_next(c);
  else
    rpc_fail(c, &f);
}

static void on_arrived(rpc_call *c, bool ok) {
  if (!ok) { // the server stops
    call_destroy(c);
    return;
  }
  if (!arrival_expect(c->server)) log_write(LOG_LEVEL_ERROR, "call_expect", LOG_S("detail", "not enough memory"));
  begin(c);
}
