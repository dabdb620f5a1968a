// Evaluate: read a request, find or build its model, ask the engine state by state, write the reply.
//
// A state that fails is an entry of the reply, not a fault. A small request runs in the calling thread; a large one is
// cut into ranges, one per core, each evaluated and (JSON) printed by its own thread. A state's bits do not depend on
// the cut.
//
// What a request will cost is estimated from its model (td_evaluate_cost): little is computed in the event loop,
// hopelessly much is refused, and what lies between has a time (--evaluate-seconds), looked at between states like
// whether somebody still waits for the answer. In a thread of a pool it lets others go first where it is their turn:
// between states it rests, all parts of it, and the time that takes is not counted.
#include "service/evaluate/evaluate.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/metrics.h"
#include "base/share/pool.h"
#include "service/evaluate/batch.h"
#include "service/evaluate/neighbours.h"
#include "service/evaluate/steps.h"
#include "service/evaluate/stopwatch.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SHORT_BODY_BYTES = 16 << 10, STATES_PER_PART = 50, HOPELESS = 20 };
// Of computing in an event loop; between two looks at who waits; from when on they are had while a state is computed,
// too.
static const double SHORT_S = 6e-4, LOOK_S = 0.02, WATCHED_S = 2e-3;

static cached_model *hold_model(service *s, const auth_caller *who, const model_reference *model,
                                const json_t *document, const char *prefix, fault *f) {
  if (!model) {
    char sha256[DIGEST_HEX_SIZE];
    return models_hold_inline(s, who, document, prefix, sha256, NULL, f);
  }
  model_reference ref = *model;
  return models_hold(s, who, &ref, NULL, f);
}

bool evaluate_hold(service *s, const auth_caller *who, const model_reference *model, const codec_evaluate *request,
                   const char *prefix, const evaluate_audience *audience, evaluate_held *held, fault *f) {
  held->by = NULL;
  held->steps = NULL;
  if (!held->model) held->model = hold_model(s, who, model, request->model, prefix, f);
  if (!held->model) return false;
  if (request->step_count > 0 && !(held->steps = evaluate_steps_create(&request->step))) {
    evaluate_release(s, held);
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  }
  if (!codec_evaluate_is_by(request)) return true;
  held->by = evaluate_neighbours(s, who, model, request->model, &request->parameters, audience, &held->model, f);
  if (!held->by) evaluate_release(s, held);
  return held->by != NULL;
}

void evaluate_release(service *s, evaluate_held *held) {
  evaluate_steps_destroy(held->steps);
  if (held->by) cache_release_parameters(s->cache, held->model, held->by);
  if (held->model) cache_release(s->cache, held->model);
  *held = (evaluate_held){.model = NULL};
}

codec_by evaluate_by(const evaluate_held *held, const codec_evaluate *request) {
  if (!held->by) return (codec_by){.list = NULL};
  return (codec_by){.list = &request->parameters, .set = &held->by->set, .parameters = held->by->parameters};
}

size_t evaluate_np(const evaluate_held *held) { return held->by ? held->by->set.count : 0; }

// One request at work: what its parts share, and the text each of them prints.
typedef struct work {
  const evaluate_held *held;
  const codec_evaluate *request;
  codec_reply *reply;
  media out;
  const evaluate_audience *audience; ///< may be NULL
  double budget_s;                   ///< seconds for all
  _Atomic double end_s;              ///< when they are over
  _Atomic bool late, stopped;        ///< they were; some states were left out
  stopwatch *stopwatch;              ///< looks at `audience` and the time while a state is computed, NULL: nobody does
  _Atomic bool stop;                 ///< told by it
  _Atomic bool resting;              ///< others go first
  pthread_mutex_t resting_lock;
  pthread_cond_t rested;
  pthread_mutex_t failing;            ///< the reply's memory is not for several threads
  codec_buffer text[BATCH_MAX_PARTS]; ///< JSON of the states of each part but the first, which prints into `first`
  codec_buffer *first;
} work;

// What a part writes besides the reply; `by` and `step` NULL where the request needs none.
typedef struct scratch {
  td_workspace *ws;
  td_parameter_workspace *by;
  evaluate_step *step;
} scratch;

// What is odd about a state's answer.
static void remark(work *w, const scratch *own, size_t i) {
  const codec_evaluate *r = w->request;
  td_warnings found; // large, and mostly empty
  found.count = found.dropped = 0;
  td_evaluate_tell(w->reply->model, own->ws, &r->states[i], r->want, r->engine_count, "/q", &found);
  if (own->step) td_step_tell(own->step->map, "/q", &found);
  if (found.count == 0) return;
  pthread_mutex_lock(&w->failing);
  codec_reply_warn(w->reply, i, &found);
  pthread_mutex_unlock(&w->failing);
}

static void compute_state(work *w, const scratch *own, size_t i) {
  double *out[TD_QUANTITY_LIMIT];
  td_error err = {.status = TD_OK};
  const codec_evaluate *r = w->request;
  const td_state *state = &r->states[i];
  codec_reply_blocks(w->reply, i, out);
  const int first_step = r->engine_count, first_by = first_step + r->step_count;
  td_status status = td_evaluate(w->reply->model, own->ws, state, r->want, r->engine_count, out, &err);
  if (status == TD_OK && own->step)
    status = codec_quantity_step(own->step->map, td_model_ndof(w->reply->model), state, r->want + first_step,
                                 r->step_count, own->step->x, out + first_step, &err);
  if (status == TD_OK && own->by)
    status = codec_quantity_evaluate(w->reply->model, w->reply->by.parameters, own->by, state,
                                     r->products ? &r->products[i] : NULL, r->want + first_by, r->want_count - first_by,
                                     out + first_by, &err);
  if (status == TD_OK) remark(w, own, i);
  if (status == TD_OK || status == TD_CANCELLED) return;
  if (err.status == TD_OK) err.status = status;
  pthread_mutex_lock(&w->failing);
  codec_reply_fail(w->reply, i, &err);
  pthread_mutex_unlock(&w->failing);
}

static bool is_told_to_stop(const work *w) {
  const evaluate_audience *a = w->audience;
  return atomic_load_explicit(&w->stop, memory_order_relaxed) || atomic_load_explicit(&w->late, memory_order_relaxed) ||
         (a && a->stop && atomic_load_explicit(a->stop, memory_order_relaxed));
}

// Time is over, or nobody waits. A look costs a call of the system: *next_s says when the next one is due.
static bool should_end(work *w, double *next_s) {
  if (is_told_to_stop(w)) return true;
  double now = clock_monotonic_s();
  if (now < *next_s) return false;
  *next_s = now + LOOK_S;
  bool late = now > atomic_load(&w->end_s);
  if (late) atomic_store(&w->late, true);
  return late || (w->audience && w->audience->left && w->audience->left(w->audience->context));
}

static void set_resting(work *w, bool resting) {
  pthread_mutex_lock(&w->resting_lock);
  atomic_store(&w->resting, resting);
  if (!resting) pthread_cond_broadcast(&w->rested);
  pthread_mutex_unlock(&w->resting_lock);
}

// The first part computes in the thread of the pool, if it is one; the others do as it does.
static void let_others(work *w, int part) {
  if (part == 0 && pool_is_wanted()) {
    double end_s = atomic_load(&w->end_s);
    atomic_store(&w->end_s, INFINITY);
    set_resting(w, true);
    atomic_store(&w->end_s, end_s + pool_yield());
    set_resting(w, false);
  } else if (part > 0 && atomic_load_explicit(&w->resting, memory_order_relaxed)) {
    pthread_mutex_lock(&w->resting_lock);
    while (atomic_load(&w->resting)) pthread_cond_wait(&w->rested, &w->resting_lock);
    pthread_mutex_unlock(&w->resting_lock);
  }
}

static void give_scratch(const work *w, scratch *s) {
  if (s->by) {
    td_parameter_workspace_watch(s->by, NULL);
    cached_parameters_give(w->held->by, s->by);
  }
  if (s->step) td_step_watch(s->step->map, NULL);
  if (!s->ws) return;
  td_workspace_watch(s->ws, NULL);
  cached_model_give(w->held->model, s->ws);
}

static bool take_scratch(work *w, int part, scratch *s) {
  *s = (scratch){.ws = cached_model_take(w->held->model)};
  if (s->ws && w->held->by) s->by = cached_parameters_take(w->held->by);
  if (s->ws && w->held->steps)
    s->step = evaluate_steps_take(w->held->steps, part, w->reply->model, w->reply->by.parameters);
  if (!s->ws || (w->held->by && !s->by) || (w->held->steps && !s->step)) return give_scratch(w, s), false;
  if (s->step) td_step_watch(s->step->map, &w->stop);
  td_workspace_watch(s->ws, &w->stop);
  if (s->by) td_parameter_workspace_watch(s->by, &w->stop);
  return true;
}

static bool compute_part(void *context, int part, size_t first, size_t last) {
  assert(first <= last && part < BATCH_MAX_PARTS);
  work *w = context;
  scratch s;
  if (!take_scratch(w, part, &s)) return false;
  bool stopped = false;
  double next_s = clock_monotonic_s() + LOOK_S;
  for (size_t i = first; i < last && !stopped; i++) {
    let_others(w, part);
    compute_state(w, &s, i);
    stopped = i + 1 < last ? should_end(w, &next_s) : is_told_to_stop(w);
  }
  if (stopped) atomic_store(&w->stopped, true);
  give_scratch(w, &s);
  if (stopped) return false;
  codec_buffer *text = part == 0 ? w->first : &w->text[part];
  if (w->out == MEDIA_JSON) codec_reply_write_states(w->reply, first, last, text);
  if (w->out == MEDIA_JSON && text->stopped) atomic_store(&w->stopped, true);
  return !atomic_load(&w->stopped);
}

// Appends the parts in order; with one part there is nothing to copy.
static void join_text(work *w, int parts) {
  assert(parts >= 1 && parts <= BATCH_MAX_PARTS);
  for (int p = 1; p < parts; p++) {
    codec_buffer *text = &w->text[p];
    if (text->failed) w->first->failed = true, w->first->refusal = text->refusal;
    if (text->size > 0) codec_buffer_append(w->first, text->data, text->size);
    codec_buffer_fini(text);
  }
}

// Of one state.
static double cost_of(const work *w) {
  assert(w->request->engine_count + w->request->step_count <= w->request->want_count);
  const td_parameters *by = w->held->by ? w->held->by->parameters : NULL;
  return codec_quantity_cost(cached_model_get(w->held->model), by, w->request->step.substeps, w->request->want,
                             w->request->want_count);
}

// What takes no longer than between two looks is not looked at.
static bool run_parts(work *w, int parts) {
  const codec_evaluate *r = w->request;
  double estimate_s = cost_of(w) * (double)r->state_count;
  bool watched = w->stopwatch && estimate_s > WATCHED_S;
  stopwatch_entry entry = {.end_s = &w->end_s, .audience = w->audience, .stop = &w->stop, .late = &w->late};
  if (watched) stopwatch_add(w->stopwatch, &entry);
  bool done = batch_run(r->state_count, parts, compute_part, w);
  if (watched) stopwatch_remove(w->stopwatch, &entry);
  return done;
}

static uint64_t room_of(const work *w) {
  uint64_t room = cached_model_room(w->held->model), by = w->held->by ? cached_parameters_room(w->held->by) : room;
  return by < room ? by : room;
}

// Each takes a workspace: not more of them than there can ever be.
static int most_parts(const work *w) {
  int parts = batch_parts(w->request->state_count, STATES_PER_PART);
  uint64_t room = room_of(w);
  return (uint64_t)parts <= room ? parts : room > 0 ? (int)room : 1;
}

// Now, or for ever: who asks again should have a chance.
static bool lacks_workspace(const work *w, fault *f) {
  if (room_of(w) > 0) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory for the model's workspace");
  return fault_set(f, PROBLEM_TOO_LARGE, NULL,
                   "the model takes, with a workspace to evaluate it, more memory than this server gives to models "
                   "(%llu MiB): fewer points, modes or links, or a larger memory; jobs have memory of their own",
                   (unsigned long long)budget_most(BUDGET_MODELS) >> 20);
}

static bool compute(work *w, fault *f) {
  int parts = most_parts(w);
  bool json = w->out == MEDIA_JSON;
  if (json) codec_reply_begin_json(w->reply, w->first);
  for (int p = 1; p < parts; p++) codec_buffer_init(&w->text[p], (size_t)LIMIT_REPLY_BYTES), w->text[p].stop = &w->stop;
  if (json) w->first->stop = &w->stop;
  pthread_mutex_init(&w->failing, NULL);
  pthread_mutex_init(&w->resting_lock, NULL);
  pthread_cond_init(&w->rested, NULL);
  bool done = run_parts(w, parts);
  if (json) w->first->stop = NULL;
  pthread_mutex_destroy(&w->failing);
  pthread_mutex_destroy(&w->resting_lock);
  pthread_cond_destroy(&w->rested);
  join_text(w, parts);
  if (json) codec_reply_end_json(w->reply, w->first);
  if (done) return true;
  if (atomic_load(&w->late))
    return fault_set(f, PROBLEM_TOO_LARGE, NULL,
                     "the evaluation takes more than %g s (evaluate-seconds): send fewer states at a time",
                     w->budget_s);
  if (!atomic_load(&w->stopped)) return lacks_workspace(w, f);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "nobody waits for the answer any more");
}

// What would take the budget many times over is not begun. The estimate is good within a factor of a few.
static bool is_hopeless(const work *w, fault *f) {
  double estimate_s = cost_of(w) * (double)w->request->state_count;
  if (estimate_s <= HOPELESS * w->budget_s) return false;
  fault_set(
      f, PROBLEM_TOO_LARGE, NULL,
      "the evaluation would take about %.0f s, and %g s are allowed (evaluate-seconds): send fewer states at a time",
      estimate_s, w->budget_s);
  return true;
}

static void set_budget(work *w, const service *s) {
  w->budget_s = s->limits.evaluate_s;
  w->stopwatch = s->stopwatch;
  w->end_s = clock_monotonic_s() + w->budget_s;
}

static bool finish_reply(const codec_reply *reply, media out, codec_buffer *buffer, fault *f) {
  td_error err = {.status = TD_OK};
  if (out != MEDIA_JSON && codec_reply_write_npz(reply, buffer, &err) != TD_OK) return fault_from_error(f, &err);
  if (buffer->failed && buffer->refusal == BUDGET_FULL)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the reply now: try again later");
  return !buffer->failed || fault_set(f, PROBLEM_TOO_LARGE, NULL, "the reply would be larger than %llu bytes",
                                      (unsigned long long)LIMIT_REPLY_BYTES);
}

// Checks the request against its model, lays out the reply and fills it; JSON is printed to `buffer` on the way.
static bool evaluate_bound(work *w, codec_buffer *buffer, fault *f) {
  td_error err = {.status = TD_OK};
  const codec_evaluate *request = w->request;
  const td_model *model = cached_model_get(w->held->model);
  codec_by by = evaluate_by(w->held, request);
  if (codec_evaluate_bind(request, model, evaluate_np(w->held), &err) != TD_OK) return fault_from_error(f, &err);
  if (is_hopeless(w, f)) return false;
  if (codec_reply_init(w->reply, model, &by, request->want, request->want_count, request->state_count, request->memory,
                       (size_t)LIMIT_REPLY_BYTES, &err) != TD_OK)
    return fault_from_error(f, &err);
  w->first = buffer;
  if (!compute(w, f)) return false;
  metrics_add(METRIC_EVALUATED_STATES, 0, (int64_t)request->state_count);
  return true;
}

bool evaluate_states(const service *s, const evaluate_held *held, const codec_evaluate *request,
                     const evaluate_audience *audience, codec_reply *reply, fault *f) {
  work w = {.held = held, .request = request, .reply = reply, .out = MEDIA_NPZ, .audience = audience};
  set_budget(&w, s);
  return evaluate_bound(&w, NULL, f);
}

bool evaluate_again(const service *s, const evaluate_held *held, const codec_evaluate *request, codec_reply *reply,
                    fault *f) {
  work w = {.held = held, .request = request, .reply = reply, .out = MEDIA_NPZ};
  set_budget(&w, s);
  if (!compute(&w, f)) return false;
  metrics_add(METRIC_EVALUATED_STATES, 0, (int64_t)request->state_count);
  return true;
}

static bool evaluate_parsed(service *s, const evaluate_call *call, const codec_evaluate *request, codec_buffer *buffer,
                            fault *f) {
  evaluate_held held = {.model = call->held};
  if (held.model) cache_retain(s->cache, held.model);
  if (!evaluate_hold(s, call->who, call->model, request, "/model", &call->audience, &held, f)) return false;
  codec_reply reply;
  work w = {.held = &held, .request = request, .reply = &reply, .out = call->out, .audience = &call->audience};
  set_budget(&w, s);
  bool done = evaluate_bound(&w, buffer, f) && finish_reply(&reply, call->out, buffer, f);
  evaluate_release(s, &held);
  return done;
}

bool evaluate(service *s, const evaluate_call *call, codec_buffer *buffer, fault *f) {
  codec_evaluate request;
  td_error err = {.status = TD_OK};
  td_status status = call->in == MEDIA_JSON
                         ? codec_evaluate_parse_json(call->body.bytes, call->body.size, !call->model, &request, &err)
                         : codec_evaluate_parse_npz(call->body.bytes, call->body.size, !call->model, &request, &err);
  bool done = status == TD_OK ? evaluate_parsed(s, call, &request, buffer, f) : fault_from_error(f, &err);
  codec_evaluate_fini(&request);
  return done;
}

// Steps may take far more than their estimate where Newton's method has a hard time.
bool evaluate_costs_little(const td_model *model, const td_parameters *by, const int *want, int want_count,
                           size_t states) {
  for (int i = 0; i < want_count; i++)
    if (codec_quantity_family(want[i]) == CODEC_OF_STEP) return false;
  return codec_quantity_cost(model, by, 1, want, want_count) * (double)states <= SHORT_S;
}

cached_model *evaluate_find(service *s, const auth_caller *who, const model_reference *model) {
  cached_name known;
  model_reference ref = *model;
  uint64_t ticket;
  if (!models_recall(s, who, &ref, &known, &ticket)) return NULL;
  return ref.revision == 0 || ref.revision == known.revision ? cache_find(s->cache, ref.owner, known.sha256) : NULL;
}

bool evaluate_is_short(service *s, evaluate_call *call) {
  codec_guess guess;
  if (!call->model || call->body.size > SHORT_BODY_BYTES) return false;
  cached_model *held = evaluate_find(s, call->who, call->model);
  if (!held) return false;
  const td_model *model = cached_model_get(held);
  bool is_short =
      codec_evaluate_guess(call->body.bytes, call->body.size, call->in == MEDIA_NPZ, td_model_ndof(model), &guess) &&
      evaluate_costs_little(model, NULL, guess.want, guess.want_count, guess.states);
  if (is_short)
    call->held = held;
  else
    cache_release(s->cache, held);
  return is_short;
}
