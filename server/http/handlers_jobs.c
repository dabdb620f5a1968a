// Jobs over HTTP.
#include "http/routes.h"

#include <stdio.h>

static void start_reply(codec_buffer *reply) { codec_buffer_init(reply, 0); }

static void add_location(exchange *x, const char *id) {
  char location[64];
  snprintf(location, sizeof location, "/v1/jobs/%s", id);
  reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
}

void handle_jobs_submit(exchange *x) {
  fault f;
  char id[ID_SIZE];
  codec_buffer reply;
  start_reply(&reply);
  const char *key = exchange_header(x, "Idempotency-Key");
  bool done = jobs_submit(x->service, &x->caller, exchange_body(x), key, &reply, id, &f);
  reply_use_case(x, MHD_HTTP_ACCEPTED, done, &reply, &f);
  if (done) add_location(x, id);
}

void handle_jobs_list(exchange *x) {
  fault f;
  codec_buffer reply;
  start_reply(&reply);
  jobs_query query = {.state = exchange_query(x, "state"),
                      .kind = exchange_query(x, "kind"),
                      .model = exchange_query(x, "model"),
                      .label = exchange_query(x, "label"),
                      .since = exchange_query(x, "since"),
                      .until = exchange_query(x, "until"),
                      .parent = exchange_query(x, "parent"),
                      .owner = exchange_query(x, "owner"),
                      .limit = exchange_query(x, "limit"),
                      .cursor = exchange_query(x, "cursor")};
  bool done = jobs_list(x->service, &x->caller, &query, &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_jobs_get(exchange *x) {
  fault f;
  codec_buffer reply;
  start_reply(&reply);
  bool done = jobs_get(x->service, &x->caller, x->parameter[0], &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_jobs_document(exchange *x) {
  fault f;
  codec_buffer reply;
  start_reply(&reply);
  bool done = jobs_document(x->service, &x->caller, x->parameter[0], &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_jobs_cancel(exchange *x) {
  fault f;
  bool finished = false;
  codec_buffer reply;
  start_reply(&reply);
  bool done = jobs_cancel(x->service, &x->caller, x->parameter[0], &reply, &finished, &f);
  reply_use_case(x, finished ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, done, &reply, &f);
}

void handle_jobs_retry(exchange *x) {
  fault f;
  char id[ID_SIZE];
  codec_buffer reply;
  start_reply(&reply);
  bool done = jobs_retry(x->service, &x->caller, x->parameter[0], &reply, id, &f);
  reply_use_case(x, MHD_HTTP_ACCEPTED, done, &reply, &f);
  if (done) add_location(x, id);
}

void handle_jobs_delete(exchange *x) {
  fault f;
  if (jobs_delete(x->service, &x->caller, x->parameter[0], &f))
    reply_empty(x, MHD_HTTP_NO_CONTENT);
  else
    reply_fault(x, &f);
}
