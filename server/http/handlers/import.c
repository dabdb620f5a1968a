// Robots from elsewhere over HTTP.
#include "http/routes.h"
#include "service/models/models.h"

void handle_models_import(exchange *x) {
  fault f;
  model_imported made;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = models_import(x->service, &x->caller, exchange_body(x), &made, &f);
  if (done) {
    import_view view = models_import_view(&made);
    codec_imported_json(&reply, &view);
    models_import_fini(x->service, &made);
  }
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}
