// Models over gRPC.
#include "base/limits.h"
#include "codec/document/job/job.h"
#include "codec/wire/message.h"
#include "rpc/methods.h"
#include "tendril/v1/models.pb-c.h"

#include <stdlib.h>
#include <string.h>

static span text_span(const char *text) { return (span){text, strlen(text)}; }

static void put(rpc_call *c, const char *document, const model_change *change) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  model_reference stored = {.revision = 0};
  store_put_effect effect;
  bool done = models_put(rpc_service(c), rpc_caller(c), text_span(document), change, &reply, &stored, &effect, &f);
  rpc_reply_use_case(c, done, &reply, &tendril__v1__model__descriptor, &f);
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

void rpc_models_list(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__ListModelsRequest *m = (const void *)message;
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  int limit = m->limit == 0 ? LIMIT_LIST_DEFAULT : (int)m->limit;
  bool done =
      (limit > 0 && limit <= LIMIT_LIST) || fault_set(&f, PROBLEM_INVALID_ARGUMENT, "/limit",
                                                      "limit is %u, not an integer from 1 to %d", m->limit, LIMIT_LIST);
  done = done && models_list(rpc_service(c), rpc_caller(c), rpc_text(m->owner), rpc_text(m->cursor), limit, &reply, &f);
  rpc_reply_use_case(c, done, &reply, &tendril__v1__list_models_reply__descriptor, &f);
}

// "name" with a revision beside it, or "name@3".
static bool read_reference(const Tendril__V1__GetModelRequest *m, model_reference *ref, fault *f) {
  if (!models_refer(m->name, rpc_text(m->owner), ref, f)) return false;
  if (m->revision < 0 || (m->revision > 0 && ref->revision > 0 && m->revision != ref->revision))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/revision", "revision is %lld beside the name \"%.80s\"",
                     (long long)m->revision, m->name);
  if (m->revision > 0) ref->revision = m->revision;
  return true;
}

// The document goes beside the rest, byte for byte.
static bool get(const rpc_call *c, model_reference *ref, codec_buffer *json, char **document, fault *f) {
  service *s = rpc_service(c);
  if (!models_get(s, rpc_caller(c), ref, json, f)) return false;
  cached_model *held = models_hold(s, rpc_caller(c), ref, document, f);
  if (held) cache_release(s->cache, held);
  return held != NULL;
}

static void reply_model(rpc_call *c, const codec_buffer *json, char *document) {
  fault f;
  arena *a = arena_create();
  json_t *object = json_loadb(json->data, json->size, 0, NULL);
  Tendril__V1__Model model = TENDRIL__V1__MODEL__INIT;
  json_object_del(object, "document");
  if (a && object && codec_message_fill(object, a, &model.base)) {
    model.document = document;
    rpc_reply(c, &model.base);
  } else
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "memory is short"), rpc_fail(c, &f);
  json_decref(object);
  arena_destroy(a);
}

void rpc_models_get(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  codec_buffer json;
  codec_buffer_init(&json, 0);
  model_reference ref = {.revision = 0};
  char *document = NULL;
  if (read_reference((const void *)message, &ref, &f) && get(c, &ref, &json, &document, &f))
    reply_model(c, &json, document);
  else
    rpc_fail(c, &f);
  free(document);
  codec_buffer_fini(&json);
}

void rpc_models_delete(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__DeleteModelRequest *m = (const void *)message;
  fault f;
  Tendril__V1__DeleteModelReply reply = TENDRIL__V1__DELETE_MODEL_REPLY__INIT;
  model_reference ref;
  if (models_refer(m->name, rpc_text(m->owner), &ref, &f) &&
      ((ref.revision == 0) || fault_set(&f, PROBLEM_NOT_FOUND, NULL, "there is no model \"%.80s\"", m->name)) &&
      models_delete(rpc_service(c), rpc_caller(c), &ref, rpc_text(m->if_match), &f))
    rpc_reply(c, &reply.base);
  else
    rpc_fail(c, &f);
}
