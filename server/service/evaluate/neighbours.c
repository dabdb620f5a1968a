// Freezes models around parameters: the document with one number moved goes the way that every document goes, through
// the codec and the engine's checks, as often as the engine's stencils need it.
//
// It is work like evaluating: it rests while it is the turn of others, ends when nobody waits, has the time of an
// evaluation, and is given up early when the first neighbours tell that it would take much longer. Memory is counted
// piece by piece as for any model.
#include "service/evaluate/neighbours.h"
#include "base/clock.h"
#include "base/share/pool.h"
#include "codec/document/model/model.h"
#include "codec/json/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOPELESS = 2 };               // times the time that is allowed
static const double TELLING_S = 0.2; // of freezing, from when on its rate tells how long it will take

typedef struct freezing {
  service *s;
  const auth_caller *who;
  const evaluate_audience *audience;
  const parameter_list *list;
  const char *key;
  json_t *document; // ours, to be moved about
  cached_model *held;
  parameter_set set;
  model_account account;
  size_t done, total;        // neighbours
  double begun_s, rested_s;  // on the monotonic clock; seconds that were left to others
  bool late, left;           // why it was given up
  double needed_s;           // how long it would have taken
  cached_parameters *result; // NULL: there is a fault
  fault *f;
} freezing;

// ------------------------------------------------------------------------------------------------ one neighbour

static bool has_left(const freezing *x) {
  const evaluate_audience *a = x->audience;
  return a && ((a->stop && atomic_load_explicit(a->stop, memory_order_relaxed)) || (a->left && a->left(a->context)));
}

static bool should_end(freezing *x) {
  if (pool_is_wanted()) x->rested_s += pool_yield();
  double spent_s = clock_monotonic_s() - x->begun_s - x->rested_s, allowed_s = x->s->limits.evaluate_s;
  x->needed_s = x->done > 0 ? spent_s / (double)x->done * (double)x->total : 0;
  x->late = spent_s > allowed_s || (spent_s > TELLING_S && x->needed_s > HOPELESS * allowed_s);
  x->left = !x->late && has_left(x);
  return x->late || x->left;
}

// A neighbour keeps no workspace: the one that its checks had is given back.
static void settle(freezing *x, const td_model *model) {
  uint64_t checks = td_workspace_bytes(model);
  budget_give(BUDGET_MODELS, checks);
  x->account.bytes -= checks;
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  freezing *x = context;
  const td_memory memory = {model_account_take, &x->account};
  td_error why = {.status = TD_OK};
  if (should_end(x)) return TD_CANCELLED;
  uint64_t before = x->account.bytes;
  bool moved = codec_parameters_move(&x->set, x->document, index, value);
  td_status status = moved ? codec_model_build_moved(x->document, &memory, model, &why)
                           : td_fail(&why, TD_NO_MEMORY, "", "out of memory");
  if (!codec_parameters_restore(&x->set, x->document, index) && status == TD_OK) {
    td_model_destroy(*model);
    *model = NULL;
    status = td_fail(&why, TD_NO_MEMORY, "", "out of memory");
  }
  x->done++;
  if (status == TD_OK) settle(x, *model);
  if (status != TD_OK) budget_give(BUDGET_MODELS, x->account.bytes - before), x->account.bytes = before;
  if (status == TD_OK || status == TD_NO_MEMORY) return status;
  return td_fail(err, status, x->set.number[index].name, "with %.9g, close to which it is asked about, %s %.300s",
                 value, why.pointer, why.message);
}

// ------------------------------------------------------------------------------------------------ why not

// What the engine says of a number it calls by its place.
static bool fault_of_number(const freezing *x, const td_error *err) {
  char pointer[48] = "/parameters";
  for (size_t i = 0; i < x->set.count; i++)
    if (strcmp(x->set.number[i].name, err->pointer) == 0)
      snprintf(pointer, sizeof pointer, "/parameters/%zu", x->set.place[i]);
  return fault_set(x->f, PROBLEM_INVALID_ARGUMENT, pointer, "%.200s: %.300s", err->pointer, err->message);
}

static bool explain(const freezing *x, td_status status, const td_error *err) {
  int allowed_s = x->s->limits.evaluate_s;
  if (x->late)
    return fault_set(x->f, PROBLEM_TOO_LARGE, "/parameters",
                     "%zu parameters need %zu models like this one, which takes about %.0f s, and %d s are allowed "
                     "(evaluate-seconds): fewer parameters at a time",
                     x->set.count, x->total, x->needed_s, allowed_s);
  if (x->left) return fault_set(x->f, PROBLEM_UNAVAILABLE, NULL, "nobody waits for the answer any more");
  if (x->account.answer == BUDGET_NEVER)
    return fault_set(x->f, PROBLEM_TOO_LARGE, "/parameters",
                     "%zu parameters need %zu models like this one, more than this server has memory for: fewer "
                     "parameters at a time",
                     x->set.count, x->total);
  if (x->account.answer == BUDGET_FULL || status == TD_NO_MEMORY)
    return fault_set(x->f, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the model now: try again later");
  return status == TD_INVALID_ARGUMENT || status == TD_UNSUPPORTED ? fault_of_number(x, err)
                                                                   : fault_from_error(x->f, err);
}

// ------------------------------------------------------------------------------------------------ all of them

static bool resolve(freezing *x, arena *memory) {
  td_error err = {.status = TD_OK};
  if (codec_parameters_resolve(x->list, x->document, NULL, memory, &x->set, &err) != TD_OK)
    return fault_from_error(x->f, &err);
  for (size_t i = 0; i < x->set.count; i++) x->total += td_parameter_neighbours(&x->set.number[i]);
  return true;
}

static cached_parameters *make(freezing *x) {
  arena *memory = arena_create();
  td_parameters *made = NULL;
  td_error err = {.status = TD_OK};
  if (!memory) return explain(x, TD_NO_MEMORY, NULL), NULL;
  arena_use(memory, BUDGET_MODELS);
  if (!resolve(x, memory)) return arena_destroy(memory), NULL;
  td_status status =
      td_parameters_create(cached_model_get(x->held), x->set.number, x->set.count, freeze, x, &made, &err);
  if (status != TD_OK) {
    budget_give(BUDGET_MODELS, x->account.bytes);
    explain(x, status, &err); // while the names are there
    arena_destroy(memory);
    return NULL;
  }
  cached_parameters *p = cached_parameters_make(x->key, memory, &x->set, made, x->account.bytes);
  return p ? cache_insert_parameters(x->s->cache, x->held, p) : (explain(x, TD_NO_MEMORY, NULL), NULL);
}

// Somebody may have done it meanwhile.
static void make_in_turn(void *context) {
  freezing *x = context;
  x->begun_s = clock_monotonic_s();
  x->result = cache_find_parameters(x->s->cache, x->held, x->key);
  if (!x->result) x->result = make(x);
}

// The document of what is held: an inline one as a copy to write into, a stored one from the store, with the model that
// it is now.
static json_t *take_document(service *s, const auth_caller *who, const model_reference *model, const json_t *document,
                             cached_model **held, fault *f) {
  if (!model) {
    json_t *copy = json_deep_copy(document);
    if (!copy) fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model");
    return copy;
  }
  model_reference ref = *model;
  char *text = NULL;
  td_error err = {.status = TD_OK};
  cached_model *now = models_hold(s, who, &ref, &text, f);
  if (!now) return NULL;
  cache_release(s->cache, *held);
  *held = now;
  json_t *parsed = codec_parse(text, strlen(text), &err);
  if (!parsed) fault_from_error(f, &err);
  free(text);
  return parsed;
}

cached_parameters *evaluate_neighbours(service *s, const auth_caller *who, const model_reference *model,
                                       const json_t *document, const parameter_list *list,
                                       const evaluate_audience *audience, cached_model **held, fault *f) {
  char key[DIGEST_HEX_SIZE];
  cached_parameters_key(list, key);
  cached_parameters *found = cache_find_parameters(s->cache, *held, key);
  if (found) return found;
  json_t *copy = list->count > 0 ? take_document(s, who, model, document, held, f) : NULL;
  if (!copy && list->count > 0) return NULL;
  freezing x = {.s = s,
                .who = who,
                .audience = audience,
                .list = list,
                .key = key,
                .document = copy,
                .held = *held,
                .account = {.answer = BUDGET_TAKEN},
                .f = f};
  pool_call(s->preparing, who->account, make_in_turn, &x);
  json_decref(copy);
  return x.result;
}
