// Evaluate over HTTP: JSON or NPZ in, JSON or NPZ out, in any combination (Content-Type, Accept).
#include "service/evaluate/evaluate.h"
#include "base/limits.h"
#include "http/routes.h"

static void run(exchange *x, const evaluate_call *call) {
  static const char *const types[MEDIA_COUNT] = {"application/json", "application/x-npz"};
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, (size_t)LIMIT_REPLY_BYTES);
  if (evaluate(x->service, call, &reply, &f)) {
    reply_buffer(x, MHD_HTTP_OK, types[call->out], &reply);
    return;
  }
  codec_buffer_fini(&reply);
  reply_fault(x, &f);
}

// NPZ in and no word on what should come back: NPZ.
static media reply_media(const exchange *x) {
  const char *accept = exchange_header(x, MHD_HTTP_HEADER_ACCEPT);
  bool open = !accept || !*accept || (accept[0] == '*' && accept[1] == '/');
  return open && x->in == MEDIA_NPZ ? MEDIA_NPZ : x->out;
}

static bool has_left(void *context) { return exchange_is_left(context); }

static evaluate_call call_of(exchange *x) {
  return (evaluate_call){.who = &x->caller,
                         .body = exchange_body(x),
                         .in = x->in,
                         .out = reply_media(x),
                         .audience = {.left = has_left, .context = x},
                         .held = x->model};
}

void handle_evaluate_inline(exchange *x) {
  evaluate_call call = call_of(x);
  run(x, &call);
}

// The name in the address is taken apart once, by whoever needs it first.
static bool refer(exchange *x, fault *f) {
  if (!x->referred) x->referred = models_refer(x->parameter[0], exchange_query(x, "owner"), &x->reference, f);
  return x->referred;
}

void handle_evaluate(exchange *x) {
  fault f;
  if (!refer(x, &f)) {
    reply_fault(x, &f);
    return;
  }
  evaluate_call call = call_of(x);
  call.model = &x->reference;
  run(x, &call);
}

bool evaluate_may_run_inline(exchange *x) {
  fault f;
  if (!refer(x, &f)) return false;
  evaluate_call call = call_of(x);
  call.model = &x->reference;
  bool is_short = evaluate_is_short(x->service, &call);
  x->model = call.held;
  return is_short;
}
