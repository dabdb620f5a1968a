// Evaluate: read a request, find or build its model, ask the engine state by state, write the reply.
//
// A state that fails is an entry of the reply, not a fault. A small request runs in the calling thread; a large one is cut into
// ranges, one per core, each evaluated and (JSON) printed by its own thread. A state's bits do not depend on the cut.
#include "codec/evaluate.h"
#include "base/limits.h"
#include "base/metrics.h"
#include "service/batch.h"
#include "service/service.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SHORT_BODY_BYTES = 16 << 10, SHORT_NDOF = 100, STATES_PER_PART = 50 };

cached_model *evaluate_hold(service *s, const char *name, int64_t revision, const json_t *document, const char *prefix,
                            fault *f) {
  if (!name) {
    char sha256[DIGEST_HEX_SIZE];
    return models_hold_inline(s, document, prefix, sha256, NULL, f);
  }
  model_reference ref = {.revision = revision};
  strncpy(ref.name, name, sizeof ref.name - 1);
  return models_hold(s, &ref, NULL, f);
}

// One request at work: what its parts share, and the text each of them prints.
typedef struct work {
  cached_model *held;
  const codec_evaluate *request;
  codec_reply *reply;
  media out;
  const _Atomic bool *stop;           ///< set: nobody waits for the answer any more; may be NULL
  pthread_mutex_t failing;            ///< the reply's memory is not for several threads
  codec_buffer text[BATCH_MAX_PARTS]; ///< JSON of the states of each part but the first, which prints into `first`
  codec_buffer *first;
} work;

static void compute_state(work *w, td_workspace *ws, size_t i) {
  double *out[TD_QUANTITY_LIMIT];
  td_error err = {.status = TD_OK};
  codec_reply_blocks(w->reply, i, out);
  td_status status =
      td_evaluate(w->reply->model, ws, &w->request->states[i], w->request->want, w->request->want_count, out, &err);
  if (status == TD_OK) return;
  if (err.status == TD_OK) err.status = status;
  pthread_mutex_lock(&w->failing);
  codec_reply_fail(w->reply, i, &err);
  pthread_mutex_unlock(&w->failing);
}

static bool compute_part(void *context, int part, size_t first, size_t last) {
  work *w = context;
  td_workspace *ws = cached_model_take(w->held);
  if (!ws) return false;
  bool stopped = false;
  for (size_t i = first; i < last && !stopped; i++) {
    compute_state(w, ws, i);
    stopped = w->stop && atomic_load_explicit(w->stop, memory_order_relaxed);
  }
  cached_model_give(w->held, ws);
  if (stopped) return false;
  if (w->out == MEDIA_JSON) codec_reply_write_states(w->reply, first, last, part == 0 ? w->first : &w->text[part]);
  return true;
}

// Appends the parts in order; with one part there is nothing to copy.
static void join_text(work *w, int parts) {
  for (int p = 1; p < parts; p++) {
    codec_buffer *text = &w->text[p];
    if (text->failed) w->first->failed = true;
    if (text->size > 0) codec_buffer_append(w->first, text->data, text->size);
    codec_buffer_fini(text);
  }
}

static bool compute(work *w, fault *f) {
  int parts = batch_parts(w->request->state_count, STATES_PER_PART);
  bool json = w->out == MEDIA_JSON;
  if (json) codec_reply_begin_json(w->reply, w->first);
  for (int p = 1; p < parts; p++) codec_buffer_init(&w->text[p], (size_t)LIMIT_REPLY_BYTES);
  pthread_mutex_init(&w->failing, NULL);
  bool done = batch_run(w->request->state_count, parts, compute_part, w);
  pthread_mutex_destroy(&w->failing);
  join_text(w, parts);
  if (json) codec_reply_end_json(w->first);
  bool stopped = !done && w->stop && atomic_load(w->stop);
  return done || fault_set(f, PROBLEM_UNAVAILABLE, NULL,
                           stopped ? "nobody waits for the answer any more" : "no memory for the model's workspace");
}

static bool finish_reply(const codec_reply *reply, media out, codec_buffer *buffer, fault *f) {
  td_error err = {.status = TD_OK};
  if (out != MEDIA_JSON && codec_reply_write_npz(reply, buffer, &err) != TD_OK) return fault_from_error(f, &err);
  return !buffer->failed || fault_set(f, PROBLEM_TOO_LARGE, NULL, "the reply would be larger than %llu bytes",
                                      (unsigned long long)LIMIT_REPLY_BYTES);
}

// Checks the request against its model, lays out the reply and fills it; JSON is printed to `buffer` on the way.
static bool evaluate_bound(work *w, codec_buffer *buffer, fault *f) {
  td_error err = {.status = TD_OK};
  const codec_evaluate *request = w->request;
  const td_model *model = cached_model_get(w->held);
  if (codec_evaluate_bind(request, model, &err) != TD_OK) return fault_from_error(f, &err);
  if (codec_reply_init(w->reply, model, request->want, request->want_count, request->state_count, request->memory,
                       (size_t)LIMIT_REPLY_BYTES, &err) != TD_OK)
    return fault_from_error(f, &err);
  w->first = buffer;
  if (!compute(w, f)) return false;
  metrics_add(METRIC_EVALUATED_STATES, 0, (int64_t)request->state_count);
  return true;
}

bool evaluate_states(cached_model *held, const codec_evaluate *request, const _Atomic bool *stop, codec_reply *reply,
                     fault *f) {
  work w = {.held = held, .request = request, .reply = reply, .out = MEDIA_NPZ, .stop = stop};
  return evaluate_bound(&w, NULL, f);
}

bool evaluate_again(cached_model *held, const codec_evaluate *request, codec_reply *reply, fault *f) {
  work w = {.held = held, .request = request, .reply = reply, .out = MEDIA_NPZ};
  if (!compute(&w, f)) return false;
  metrics_add(METRIC_EVALUATED_STATES, 0, (int64_t)request->state_count);
  return true;
}

static bool evaluate_parsed(service *s, const evaluate_call *call, const codec_evaluate *request, codec_buffer *buffer,
                            fault *f) {
  cached_model *held = evaluate_hold(s, call->name, call->revision, request->model, "/model", f);
  if (!held) return false;
  codec_reply reply;
  work w = {.held = held, .request = request, .reply = &reply, .out = call->out};
  bool done = evaluate_bound(&w, buffer, f) && finish_reply(&reply, call->out, buffer, f);
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

bool evaluate_model_is_small(const td_model *model) { return td_model_ndof(model) <= SHORT_NDOF; }

bool evaluate_is_short(service *s, const evaluate_call *call) {
  cached_name known;
  uint64_t ticket;
  if (!call->name || call->body.size > SHORT_BODY_BYTES) return false;
  if (!cache_find_name(s->cache, call->name, &known, &ticket)) return false;
  if (call->revision != 0 && call->revision != known.revision) return false;
  cached_model *held = cache_find(s->cache, known.sha256);
  bool small = held && evaluate_model_is_small(cached_model_get(held));
  if (held) cache_release(s->cache, held);
  return small;
}
