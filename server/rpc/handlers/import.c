// Robots from elsewhere over gRPC.
#include "rpc/methods.h"
#include "service/models/models.h"
#include "tendril/v1/models.pb-c.h"

#include <string.h>

void rpc_models_import(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__ImportModelRequest *m = (const void *)message;
  fault f;
  model_imported made;
  Tendril__V1__ImportedModel reply;
  service *s = rpc_service(c); // the call may be gone once it is answered
  bool done = models_import(s, rpc_caller(c), (span){m->request, strlen(m->request)}, &made, &f), told = false;
  if (done) {
    import_view view = models_import_view(&made);
    told = codec_imported_message(&view, made.memory, &reply) || rpc_no_memory(&f);
  }
  rpc_reply_or_fail(c, told, &reply.base, &f);
  if (done) models_import_fini(s, &made);
}
