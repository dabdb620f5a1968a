// Dynamics.Evaluate: a batch of states.
#include "codec/evaluate/message.h"
#include "rpc/handlers/evaluate_source.h"
#include "rpc/methods.h"

#include <stdio.h>

enum { SHORT_STATES = 4 };

static bool compute(rpc_call *c, const evaluate_source *source, const codec_evaluate *request, codec_reply *reply,
                    fault *f) {
  service *s = rpc_service(c);
  cached_model *held = rpc_state(c); // from when it was found to be short
  rpc_set_state(c, NULL);
  if (!held) held = evaluate_source_hold(c, source, request, f);
  if (!held) return false;
  bool done = evaluate_states(s, held, request, &(evaluate_audience){.stop = rpc_stop_flag(c)}, reply, f);
  Tendril__V1__EvaluateReply message = TENDRIL__V1__EVALUATE_REPLY__INIT;
  if (done) message.states = codec_reply_messages(reply);
  if (done && !message.states) done = fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the reply");
  if (done) {
    message.ndof = (uint32_t)td_model_ndof(reply->model);
    message.n_states = reply->state_count;
    message.warnings = codec_reply_warnings(reply, &message.n_warnings);
    rpc_reply(c, &message.base); // packed before it returns
  }
  cache_release(s->cache, held);
  return done;
}

void rpc_evaluate(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__EvaluateRequest *m = (const void *)message;
  fault f;
  codec_evaluate request;
  codec_reply reply;
  td_error err = {.status = TD_OK};
  evaluate_source source = {.name = m->source_case == TENDRIL__V1__EVALUATE_REQUEST__SOURCE_MODEL ? m->model : NULL,
                            .owner = m->owner,
                            .given = m->source_case != TENDRIL__V1__EVALUATE_REQUEST__SOURCE__NOT_SET};
  bool done = codec_evaluate_read_request(m, &request, &err) == TD_OK || fault_from_error(&f, &err);
  if (!done || !compute(c, &source, &request, &reply, &f)) rpc_fail(c, &f);
  codec_evaluate_fini(&request);
}

static int read_want(const Tendril__V1__EvaluateRequest *m, int want[TD_QUANTITY_LIMIT]) {
  int count = 0;
  for (size_t i = 0; i < m->n_want && count < TD_QUANTITY_LIMIT; i++)
    if ((want[count] = td_quantity_find(m->want[i])) >= 0) count++;
  return count;
}

// A few states that cost little of a model that is in the cache.
bool rpc_evaluate_is_short(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__EvaluateRequest *m = (const void *)message;
  fault f;
  model_reference ref;
  int want[TD_QUANTITY_LIMIT];
  if (!m || m->source_case != TENDRIL__V1__EVALUATE_REQUEST__SOURCE_MODEL || m->n_states > SHORT_STATES) return false;
  if (!models_refer(m->model, rpc_text(m->owner), &ref, &f)) return false;
  service *s = rpc_service(c);
  cached_model *held = evaluate_find(s, rpc_caller(c), &ref);
  if (!held) return false;
  bool is_short = evaluate_costs_little(cached_model_get(held), want, read_want(m, want), m->n_states);
  if (is_short)
    rpc_set_state(c, held); // it does not leave the cache before it is evaluated
  else
    cache_release(s->cache, held);
  return is_short;
}

void rpc_evaluate_end(rpc_call *c) {
  if (rpc_state(c)) cache_release(rpc_service(c)->cache, rpc_state(c));
  rpc_set_state(c, NULL);
}
