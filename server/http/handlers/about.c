// Health, readiness, version, limits, contract, metrics, examples.
#include "service/about/about.h"
#include "codec/json/object.h"
#include "http/routes.h"

static codec_buffer begin(void) {
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  return reply;
}

static void say_status(exchange *x, const char *word) {
  codec_buffer reply = begin();
  json_begin(&reply);
  json_string_member(&reply, "status", word);
  json_end(&reply);
  reply_written(x, MHD_HTTP_OK, &reply);
}

void handle_health(exchange *x) { say_status(x, "ok"); }

void handle_ready(exchange *x) {
  fault f;
  if (about_ready(x->service, &f))
    say_status(x, "ready");
  else
    reply_fault(x, &f);
}

void handle_version(exchange *x) {
  codec_buffer reply = begin();
  server_version version = about_version();
  codec_version_json(&reply, &version);
  reply_written(x, MHD_HTTP_OK, &reply);
}

void handle_limits(exchange *x) {
  codec_buffer reply = begin();
  limit_row rows[ABOUT_LIMITS];
  codec_limits_json(&reply, rows, about_limits(x->service, rows));
  reply_written(x, MHD_HTTP_OK, &reply);
}

void handle_contract(exchange *x) {
  span contract = about_contract();
  reply_constant(x, MHD_HTTP_OK, "application/json", contract.bytes, contract.size);
}

void handle_metrics(exchange *x) {
  fault f;
  codec_buffer reply = begin();
  bool done = about_metrics(x->service, &x->caller, &reply, &f);
  if (done && !reply.failed)
    reply_buffer(x, MHD_HTTP_OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", &reply);
  else
    reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

static void write_entry(void *context, const example_view *example) {
  json_next(context);
  codec_example_entry_json(context, example);
}

void handle_examples_list(exchange *x) {
  codec_buffer reply = begin();
  json_begin(&reply);
  json_key(&reply, "examples");
  codec_buffer_text(&reply, "[");
  examples_list(write_entry, &reply);
  codec_buffer_text(&reply, "]");
  json_end(&reply);
  reply_written(x, MHD_HTTP_OK, &reply);
}

void handle_examples_get(exchange *x) {
  fault f;
  example_view example;
  codec_buffer reply = begin();
  bool done = examples_get(x->parameter[0], &example, &f);
  if (done) codec_example_json(&reply, &example);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}
