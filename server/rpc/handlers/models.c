// Models over gRPC.
#include "service/models/models.h"
#include "base/limits.h"
#include "rpc/methods.h"
#include "tendril/v1/models.pb-c.h"

#include <string.h>

static span text_span(const char *text) { return (span){text, strlen(text)}; }

// Takes the model over.
static void reply_model(rpc_call *c, bool done, model_found *found, fault *f) {
  service *s = rpc_service(c); // the call may be gone once it is answered
  Tendril__V1__Model reply;
  arena *a = arena_create();
  bool made = done && a && codec_model_message(&found->view, a, &reply);
  if (done && !made) rpc_no_memory(f);
  rpc_reply_or_fail(c, made, &reply.base, f);
  arena_destroy(a);
  if (done) model_found_fini(s, found);
}

static void put(rpc_call *c, const char *document, const model_change *change) {
  fault f;
  model_found found;
  reply_model(c, models_put(rpc_service(c), rpc_caller(c), text_span(document), change, &found, &f), &found, &f);
}

void rpc_models_create(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__CreateModelRequest *m = (const void *)message;
  put(c, m->document,
      &(model_change){.owner = rpc_text(m->owner), .mode = STORE_CREATE, .validate_only = m->validate_only});
}

void rpc_models_update(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__UpdateModelRequest *m = (const void *)message;
  put(c, m->document,
      &(model_change){.name = m->name,
                      .owner = rpc_text(m->owner),
                      .mode = STORE_UPSERT,
                      .if_match = rpc_text(m->if_match),
                      .validate_only = m->validate_only});
}

static void add_model(void *context, const model_view *view) {
  message_list *models = context;
  Tendril__V1__Model *model = (Tendril__V1__Model *)message_list_add(models, &tendril__v1__model__descriptor);
  models->failed = !model || !codec_model_message(view, models->memory, model);
}

static bool list_models(rpc_call *c, const Tendril__V1__ListModelsRequest *m, message_list *models,
                        char next[MODELS_CURSOR_SIZE], fault *f) {
  if (m->limit > LIMIT_LIST)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/limit", "limit is %u, not an integer from 1 to %d", m->limit,
                     LIMIT_LIST);
  models_query query = {.owner = rpc_text(m->owner),
                        .cursor = rpc_text(m->cursor),
                        .limit = m->limit == 0 ? LIMIT_LIST_DEFAULT : (int)m->limit};
  models->memory = arena_create();
  if (!models->memory) return rpc_no_memory(f);
  return models_list(rpc_service(c), rpc_caller(c), &query, add_model, models, next, f) &&
         (!models->failed || rpc_no_memory(f));
}

void rpc_models_list(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  char next[MODELS_CURSOR_SIZE] = "";
  message_list models = {.memory = NULL};
  Tendril__V1__ListModelsReply reply = TENDRIL__V1__LIST_MODELS_REPLY__INIT;
  bool done = list_models(c, (const void *)message, &models, next, &f);
  reply.n_models = models.count;
  reply.models = (Tendril__V1__Model **)models.items;
  reply.next_cursor = next;
  rpc_reply_or_fail(c, done, &reply.base, &f);
  arena_destroy(models.memory);
}

// "name" with a revision beside it, or "name@3".
static bool read_reference(const Tendril__V1__GetModelRequest *m, model_reference *ref, fault *f) {
  if (!models_refer(m->name, rpc_text(m->owner), ref, f)) return false;
  if (m->revision < 0 || (m->revision > 0 && ref->revision > 0 && m->revision != ref->revision))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/revision", "revision is %lld, but the name is \"%.80s\"",
                     (long long)m->revision, m->name);
  if (m->revision > 0) ref->revision = m->revision;
  return true;
}

void rpc_models_get(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  model_reference ref;
  model_found found;
  bool done =
      read_reference((const void *)message, &ref, &f) && models_get(rpc_service(c), rpc_caller(c), &ref, &found, &f);
  reply_model(c, done, &found, &f);
}

void rpc_models_delete(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__DeleteModelRequest *m = (const void *)message;
  fault f;
  Tendril__V1__DeleteModelReply reply = TENDRIL__V1__DELETE_MODEL_REPLY__INIT;
  model_reference ref;
  bool done = models_refer(m->name, rpc_text(m->owner), &ref, &f) &&
              (ref.revision == 0 || fault_set(&f, PROBLEM_NOT_FOUND, NULL, "there is no model \"%.80s\"", m->name)) &&
              models_delete(rpc_service(c), rpc_caller(c), &ref, rpc_text(m->if_match), &f);
  rpc_reply_or_fail(c, done, &reply.base, &f);
}
