// Tokens over HTTP. Replies that hold a secret are not to be kept by anyone on the way.
#include "http/routes.h"

#include <stdio.h>

void handle_tokens_create(exchange *x) {
  fault f;
  char id[ID_SIZE], location[64];
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = tokens_create(x->service, exchange_body(x), &reply, id, &f);
  reply_use_case(x, MHD_HTTP_CREATED, done, &reply, &f);
  if (!done) return;
  snprintf(location, sizeof location, "/v1/tokens/%s", id);
  reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
  reply_header(x, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

void handle_tokens_list(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = tokens_list(x->service, &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_tokens_get(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = tokens_get(x->service, x->parameter[0], &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_tokens_delete(exchange *x) {
  fault f;
  int64_t force;
  if (query_integer("force", exchange_query(x, "force"), 0, 1, 0, &force, &f) &&
      tokens_delete(x->service, x->parameter[0], force == 1, &f))
    reply_empty(x, MHD_HTTP_NO_CONTENT);
  else
    reply_fault(x, &f);
}
