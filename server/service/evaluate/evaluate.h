// Quantities of a model at given states.
#ifndef SERVER_SERVICE_EVALUATE_H
#define SERVER_SERVICE_EVALUATE_H

#include "codec/evaluate/evaluate.h"
#include "service/models/models.h"

/// Whether anybody still waits for an answer: asked now and then. Every member may be NULL.
typedef struct evaluate_audience {
  const _Atomic bool *stop; ///< set: nobody does
  bool (*left)(void *context);
  void *context;
} evaluate_audience;

typedef struct evaluate_call {
  const auth_caller *who;
  const model_reference *model; ///< NULL: inline
  span body;
  media in, out;
  evaluate_audience audience;
  cached_model *held; ///< the model, where evaluate_is_short has found it; NULL: it is looked for
} evaluate_call;
bool evaluate(service *s, const evaluate_call *call, codec_buffer *reply, fault *f);
/// Maps of a request that takes steps: one for each thread that works on it, made when it begins to.
typedef struct evaluate_steps evaluate_steps;
/// What an evaluation is about, held until evaluate_release.
typedef struct evaluate_held {
  cached_model *model;
  evaluate_steps *steps; ///< NULL: none is wanted
  cached_parameters *by; ///< NULL: the request is by no parameters and asks for no products
} evaluate_held;
/// A stored model by name, else the request's inline document (errors point below `prefix`), and its neighbours where
/// the request needs them. `audience` may be NULL.
/// @param held  in: a model that was found and is held already, NULL members: nothing; out: all of it
bool evaluate_hold(service *s, const auth_caller *who, const model_reference *model, const codec_evaluate *request,
                   const char *prefix, const evaluate_audience *audience, evaluate_held *held, fault *f);
void evaluate_release(service *s, evaluate_held *held);
/// Bound to it: what the reply's columns are by.
codec_by evaluate_by(const evaluate_held *held, const codec_evaluate *request);
/// How many parameters there are.
size_t evaluate_np(const evaluate_held *held);
/// The same for states that are arrays already: checks them against the model, lays out `reply` in the request's memory
/// and fills it. When nobody waits any more the rest is left out and it fails.
bool evaluate_states(const service *s, const evaluate_held *held, const codec_evaluate *request,
                     const evaluate_audience *audience, codec_reply *reply, fault *f);
/// Other states, bound already, into a reply that was laid out for as many.
bool evaluate_again(const service *s, const evaluate_held *held, const codec_evaluate *request, codec_reply *reply,
                    fault *f);
/// So many states of such a model take no longer than an event loop may be held up.
bool evaluate_costs_little(const td_model *model, const td_parameters *by, const int *want, int want_count,
                           size_t states);
/// The model of a call when it is in the cache, held; NULL: not, or another revision is wanted.
cached_model *evaluate_find(service *s, const auth_caller *who, const model_reference *model);
/// True when such a call is sure to be short (a small body that asks for little of a model that is in the cache); then
/// the call holds the model, and whoever asked gives it back (cache_release): it does not leave the cache before it is
/// evaluated.
bool evaluate_is_short(service *s, evaluate_call *call);

#endif
