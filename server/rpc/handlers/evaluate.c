// Dynamics.Evaluate: a batch of states.
#include "service/evaluate/evaluate.h"
#include "codec/evaluate/message.h"
#include "rpc/handlers/evaluate_source.h"
#include "rpc/methods.h"

#include <stdio.h>

enum { SHORT_STATES = 4 };

typedef struct evaluation { ///< what was found out when it was asked whether the call is short
  model_reference ref;      ///< what the message's name refers to
  bool referred;            ///< it does
  cached_model *held;       ///< it is: the model does not leave the cache before it is evaluated
} evaluation;
_Static_assert(sizeof(evaluation) <= RPC_ROOM, "it lies in the call");

static bool compute(rpc_call *c, const evaluate_source *source, const codec_evaluate *request, codec_reply *reply,
                    fault *f) {
  service *s = rpc_service(c);
  evaluation *e = rpc_room(c);
  evaluate_held held = {.model = e->held};
  e->held = NULL;
  if (!evaluate_source_hold(c, source, e->referred ? &e->ref : NULL, request, &held, f)) return false;
  bool done = evaluate_states(s, &held, request, &(evaluate_audience){.stop = rpc_stop_flag(c)}, reply, f);
  Tendril__V1__EvaluateReply message = TENDRIL__V1__EVALUATE_REPLY__INIT;
  if (done) message.states = codec_reply_messages(reply);
  if (done && !message.states) done = fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the reply");
  if (done) {
    message.ndof = (uint32_t)td_model_ndof(reply->model);
    message.n_states = reply->state_count;
    message.warnings = codec_reply_warnings(reply, &message.n_warnings);
    message.parameters = codec_reply_parameters(reply, &message.n_parameters);
    message.touches = (char **)codec_reply_touches(reply, &message.n_touches);
    rpc_reply(c, &message.base); // packed before it returns
  }
  evaluate_release(s, &held);
  return done;
}

static evaluate_source source_of(const Tendril__V1__EvaluateRequest *m) {
  return (evaluate_source){.name = m->source_case == TENDRIL__V1__EVALUATE_REQUEST__SOURCE_MODEL ? m->model : NULL,
                           .owner = m->owner,
                           .given = m->source_case != TENDRIL__V1__EVALUATE_REQUEST__SOURCE__NOT_SET};
}

void rpc_evaluate(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__EvaluateRequest *m = (const void *)message;
  fault f;
  codec_evaluate request;
  codec_reply reply;
  td_error err = {.status = TD_OK};
  evaluate_source source = source_of(m);
  bool done = codec_evaluate_read_request(m, &request, &err) == TD_OK || fault_from_error(&f, &err);
  if (!done || !compute(c, &source, &request, &reply, &f)) rpc_fail(c, &f);
  codec_evaluate_fini(&request);
}

static int read_want(const Tendril__V1__EvaluateRequest *m, int want[TD_QUANTITY_LIMIT]) {
  int count = 0;
  for (size_t i = 0; i < m->n_want && count < TD_QUANTITY_LIMIT; i++)
    if ((want[count] = codec_quantity_find(m->want[i])) >= 0) count++;
  return count;
}

// By parameters, or with products: whether there is much to do first is not known here.
static bool is_by(const Tendril__V1__EvaluateRequest *m) {
  bool by = m->n_parameters > 0;
  for (size_t i = 0; i < m->n_states && !by; i++) by = m->states[i]->jvp || m->states[i]->vjp;
  return by;
}

// A few states that cost little of a model that is in the cache.
bool rpc_evaluate_is_short(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__EvaluateRequest *m = (const void *)message;
  fault f;
  int want[TD_QUANTITY_LIMIT];
  service *s = rpc_service(c);
  evaluation *e = rpc_room(c);
  if (!m || m->source_case != TENDRIL__V1__EVALUATE_REQUEST__SOURCE_MODEL || m->n_states > SHORT_STATES || is_by(m))
    return false;
  evaluate_source source = source_of(m);
  e->referred = evaluate_source_refer(&source, &e->ref, &f);
  cached_model *held = e->referred ? evaluate_find(s, rpc_caller(c), &e->ref) : NULL;
  if (!held) return false;
  if (evaluate_costs_little(cached_model_get(held), NULL, want, read_want(m, want), m->n_states))
    e->held = held;
  else
    cache_release(s->cache, held);
  return e->held != NULL;
}

void rpc_evaluate_end(rpc_call *c) {
  evaluation *e = rpc_room(c);
  if (e->held) cache_release(rpc_service(c)->cache, e->held);
  e->held = NULL;
}
