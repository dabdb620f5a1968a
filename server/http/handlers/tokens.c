// Tokens over HTTP. Replies that hold a secret are not to be kept by anyone on the way.
#include "service/access/tokens.h"
#include "codec/json/object.h"
#include "codec/view/token.h"
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

static void reply_token(exchange *x, unsigned status, const store_token *row, const char *secret) {
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  codec_token_json(&reply, row, secret);
  reply_written(x, status, &reply);
}

void handle_tokens_create(exchange *x) {
  fault f;
  token_made made;
  char location[64];
  if (!tokens_create(x->service, exchange_body(x), &made, &f)) {
    reply_fault(x, &f);
    return;
  }
  reply_token(x, MHD_HTTP_CREATED, &made.row, made.secret);
  snprintf(location, sizeof location, "/v1/tokens/%s", made.row.id);
  reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
  reply_header(x, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  explicit_bzero(made.secret, sizeof made.secret);
}

static void write_token(void *context, const store_token *row) {
  json_next(context);
  codec_token_json(context, row, NULL);
}

void handle_tokens_list(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  json_list_begin(&reply, "tokens");
  bool done = tokens_list(x->service, write_token, &reply, &f);
  json_list_end(&reply, NULL); // they are few: one page
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_tokens_get(exchange *x) {
  fault f;
  store_token row;
  if (tokens_get(x->service, x->parameter[0], &row, &f))
    reply_token(x, MHD_HTTP_OK, &row, NULL);
  else
    reply_fault(x, &f);
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
