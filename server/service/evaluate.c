// Evaluate: read a request, find or build its model, ask the engine state by state in the calling thread, write the reply.
//
// A state that fails is an entry of the reply, not a fault. One thread serves one request: requests are what runs in
// parallel, and a state's bits cannot depend on how a batch was cut.
#include "codec/evaluate.h"
#include "base/limits.h"
#include "service/service.h"

#include <string.h>

enum { SHORT_BODY_BYTES = 16 << 10, SHORT_NDOF = 100 };

static cached_model *hold_model(service *s, const evaluate_call *call, const codec_evaluate *request, fault *f) {
  if (!call->name) {
    char sha256[DIGEST_HEX_SIZE];
    return models_hold_inline(s, request->model, "/model", sha256, NULL, f);
  }
  model_reference ref = {.revision = call->revision};
  strncpy(ref.name, call->name, sizeof ref.name - 1);
  return models_hold(s, &ref, NULL, f);
}

static bool compute(cached_model *held, const codec_evaluate *request, codec_reply *reply, fault *f) {
  td_workspace *ws = cached_model_take(held);
  if (!ws) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model's workspace");
  for (size_t i = 0; i < request->state_count; i++) {
    double *out[TD_QUANTITY_LIMIT];
    td_error err = {.status = TD_OK};
    codec_reply_blocks(reply, i, out);
    td_status status =
        td_evaluate(reply->model, ws, &request->states[i], request->want, request->want_count, out, &err);
    if (status != TD_OK && err.status == TD_OK) err.status = status;
    if (status != TD_OK) codec_reply_fail(reply, i, &err);
  }
  cached_model_give(held, ws);
  return true;
}

static bool write_reply(const codec_reply *reply, media out, codec_buffer *buffer, fault *f) {
  td_error err = {.status = TD_OK};
  if (out == MEDIA_JSON)
    codec_reply_write_json(reply, buffer);
  else if (codec_reply_write_npz(reply, buffer, &err) != TD_OK)
    return fault_from_error(f, &err);
  return !buffer->failed || fault_set(f, PROBLEM_TOO_LARGE, NULL, "the reply would be larger than %llu bytes",
                                      (unsigned long long)LIMIT_REPLY_BYTES);
}

static bool evaluate_bound(cached_model *held, const codec_evaluate *request, media out, codec_buffer *buffer,
                           fault *f) {
  td_error err = {.status = TD_OK};
  codec_reply reply;
  if (codec_evaluate_bind(request, cached_model_get(held), &err) != TD_OK) return fault_from_error(f, &err);
  if (codec_reply_init(&reply, cached_model_get(held), request->want, request->want_count, request->state_count,
                       request->memory, (size_t)LIMIT_REPLY_BYTES, &err) != TD_OK)
    return fault_from_error(f, &err);
  return compute(held, request, &reply, f) && write_reply(&reply, out, buffer, f);
}

static bool evaluate_parsed(service *s, const evaluate_call *call, const codec_evaluate *request, codec_buffer *buffer,
                            fault *f) {
  cached_model *held = hold_model(s, call, request, f);
  if (!held) return false;
  bool done = evaluate_bound(held, request, call->out, buffer, f);
  cache_release(s->cache, held);
  return done;
}

bool evaluate(service *s, const evaluate_call *call, codec_buffer *buffer, fault *f) {
  codec_evaluate request;
  td_error err = {.status = TD_OK};
  td_status status = call->in == MEDIA_JSON
                         ? codec_evaluate_parse_json(call->body.bytes, call->body.size, !call->name, &request, &err)
                         : codec_evaluate_parse_npz(call->body.bytes, call->body.size, !call->name, &request, &err);
  bool done = status == TD_OK ? evaluate_parsed(s, call, &request, buffer, f) : fault_from_error(f, &err);
  codec_evaluate_fini(&request);
  return done;
}

bool evaluate_is_short(service *s, const evaluate_call *call) {
  cached_name known;
  uint64_t ticket;
  if (!call->name || call->revision != 0 || call->body.size > SHORT_BODY_BYTES) return false;
  if (!cache_find_name(s->cache, call->name, &known, &ticket)) return false;
  cached_model *held = cache_find(s->cache, known.sha256);
  bool small = held && td_model_ndof(cached_model_get(held)) <= SHORT_NDOF;
  if (held) cache_release(s->cache, held);
  return small;
}
