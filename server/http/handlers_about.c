// Health, readiness, version, limits, examples.
#include "http/routes.h"

static void answer(exchange *x, bool (*use_case)(service *, codec_buffer *, fault *)) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = use_case(x->service, &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

static bool alive(service *s, codec_buffer *reply, fault *f) {
  (void)s, (void)f;
  codec_buffer_text(reply, "{\"status\":\"ok\"}");
  return true;
}

static bool list_examples(service *s, codec_buffer *reply, fault *f) {
  (void)s;
  return examples_list(reply, f);
}

void handle_health(exchange *x) { answer(x, alive); }
void handle_ready(exchange *x) { answer(x, about_ready); }
void handle_version(exchange *x) { answer(x, about_version); }
void handle_contract(exchange *x) { answer(x, about_contract); }
void handle_limits(exchange *x) { answer(x, about_limits); }
void handle_examples_list(exchange *x) { answer(x, list_examples); }

void handle_metrics(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = about_metrics(x->service, &x->caller, &reply, &f);
  if (done && !reply.failed)
    reply_buffer(x, MHD_HTTP_OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", &reply);
  else
    reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_examples_get(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = examples_get(x->parameter[0], &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}
