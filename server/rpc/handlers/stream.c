// Dynamics.EvaluateStream: model and quantities once, then one state in, one answer out.
//
// Everything is laid out with the setup: a state costs its unpacking, the engine, and one packing. The next message is
// asked for together with the sending of an answer, so a client that does not read stops being read.
#include "base/limits.h"
#include "codec/evaluate/message.h"
#include "rpc/handlers/evaluate_source.h"
#include "rpc/methods.h"
#include "service/evaluate/evaluate.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct stream {
  evaluate_held held;
  codec_evaluate request; // of one state
  arena *memory;          // of the reply
  codec_reply reply;
  Tendril__V1__StateReply *message; // in `memory`
  bool begun;                       // the first answer told what is odd in the model, and of parameters
} stream;

static bool no_memory(fault *f) { return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the stream"); }

// A fresh reply. Also after a state that failed: what is said about it lives in the reply's memory.
static bool lay_out(stream *s, fault *f) {
  td_error err = {.status = TD_OK};
  codec_by by = evaluate_by(&s->held, &s->request);
  arena_destroy(s->memory);
  s->memory = arena_create();
  if (!s->memory) return no_memory(f);
  if (codec_reply_init(&s->reply, cached_model_get(s->held.model), &by, s->request.want, s->request.want_count, 1,
                       s->memory, (size_t)LIMIT_REPLY_BYTES, &err) != TD_OK)
    return fault_from_error(f, &err);
  s->reply.alone = true;
  Tendril__V1__StateReply **messages = codec_reply_messages(&s->reply);
  if (messages) s->message = messages[0];
  return messages || no_memory(f);
}

static bool set_up(rpc_call *c, stream *s, const Tendril__V1__EvaluateSetup *m, fault *f) {
  td_error err = {.status = TD_OK};
  evaluate_source source = {.name = m->source_case == TENDRIL__V1__EVALUATE_SETUP__SOURCE_MODEL ? m->model : NULL,
                            .owner = m->owner,
                            .given = m->source_case != TENDRIL__V1__EVALUATE_SETUP__SOURCE__NOT_SET};
  if (codec_evaluate_read_setup(m, &s->request, &err) != TD_OK) return fault_from_error(f, &err);
  return evaluate_source_hold(c, &source, NULL, &s->request, &s->held, f) && lay_out(s, f);
}

// Pointers of faults in the setup lie below "/setup".
static bool below_setup(fault *f) {
  char pointer[TD_POINTER_SIZE];
  if (f->has_pointer) {
    snprintf(pointer, sizeof pointer, "/setup%.*s", TD_POINTER_SIZE - 8, f->pointer);
    snprintf(f->pointer, sizeof f->pointer, "%s", pointer);
  }
  return false;
}

static void begin(rpc_call *c, const Tendril__V1__EvaluateStreamRequest *m) {
  fault f;
  if (m->body_case != TENDRIL__V1__EVALUATE_STREAM_REQUEST__BODY_SETUP) {
    fault_set(&f, PROBLEM_INVALID_ARGUMENT, "/setup", "required: a stream begins with its setup");
    rpc_fail(c, &f);
    return;
  }
  stream *s = calloc(1, sizeof *s);
  rpc_set_state(c, s);
  if (!s)
    no_memory(&f), rpc_fail(c, &f);
  else if (set_up(c, s, m->setup, &f) || below_setup(&f))
    rpc_next(c);
  else
    rpc_fail(c, &f);
}

// The answer with what is odd about it. Their memory is the reply's, which is made anew after an answer that has some.
static void attach(stream *s) {
  s->message->warnings = codec_reply_warnings(&s->reply, &s->message->n_warnings);
  if (!s->begun) s->message->parameters = codec_reply_parameters(&s->reply, &s->message->n_parameters);
  if (!s->begun) s->message->touches = (char **)codec_reply_touches(&s->reply, &s->message->n_touches);
  s->begun = true;
}

// A state that cannot be evaluated at all is answered like one that failed.
static void refuse(rpc_call *c, const td_error *err) {
  Tendril__V1__StateReply reply = TENDRIL__V1__STATE_REPLY__INIT;
  Tendril__V1__StateError error = TENDRIL__V1__STATE_ERROR__INIT;
  error.code = (char *)td_status_name(err->status);
  error.detail = (char *)err->message;
  error.pointer = (char *)err->pointer;
  reply.error = &error;
  rpc_send(c, &reply.base);
}

static void answer(rpc_call *c, stream *s, const Tendril__V1__State *state) {
  fault f;
  td_error err = {.status = TD_OK};
  if (codec_evaluate_read_state(state, &s->request, &err) != TD_OK ||
      codec_evaluate_bind(&s->request, cached_model_get(s->held.model), evaluate_np(&s->held), &err) != TD_OK) {
    refuse(c, &err);
    return;
  }
  bool used = s->reply.failures[0].status != TD_OK || s->message->n_warnings > 0 || s->message->n_parameters > 0 ||
              s->message->n_touches > 0 || s->reply.want_count != s->request.want_count;
  bool ready = !used || lay_out(s, &f);
  if (ready && s->begun) codec_reply_forget(&s->reply);
  if (!ready || !evaluate_again(rpc_service(c), &s->held, &s->request, &s->reply, &f)) {
    rpc_fail(c, &f);
    return;
  }
  codec_reply_refresh(&s->reply, 0, s->message);
  attach(s);
  rpc_send(c, &s->message->base);
}

void rpc_stream(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__EvaluateStreamRequest *m = (const void *)message;
  stream *s = rpc_state(c);
  fault f;
  if (!m)
    rpc_finish(c);
  else if (!s)
    begin(c, m);
  else if (m->body_case == TENDRIL__V1__EVALUATE_STREAM_REQUEST__BODY_STATE)
    answer(c, s, m->state);
  else {
    fault_set(&f, PROBLEM_INVALID_ARGUMENT, "", "only states come after the setup");
    rpc_fail(c, &f);
  }
}

bool rpc_stream_is_short(rpc_call *c, const ProtobufCMessage *message) {
  const stream *s = rpc_state(c);
  return !message || (s && s->held.model &&
                      evaluate_costs_little(cached_model_get(s->held.model), s->held.by ? s->held.by->parameters : NULL,
                                            s->request.want, s->request.want_count, 1));
}

void rpc_stream_end(rpc_call *c) {
  stream *s = rpc_state(c);
  if (!s) return;
  evaluate_release(rpc_service(c), &s->held);
  codec_evaluate_fini(&s->request);
  arena_destroy(s->memory);
  free(s);
  rpc_set_state(c, NULL);
}
