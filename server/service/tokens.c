// Tokens over the API: made (the secret is told once), listed, deleted. Their list is short (LIMIT_TOKENS) and told whole.
#include "base/limits.h"
#include "codec/document/token.h"
#include "codec/json/object.h"
#include "codec/json/text.h"
#include "service/service.h"

#include <string.h>

static const char *scope_word(int i) { return auth_scope_name((auth_scope)(AUTH_READ + i)); }

static bool read_request(span document, json_t **json, arena *a, token_document *wanted, fault *f) {
  td_error err = {.status = TD_OK};
  *json = codec_parse(document.bytes, document.size, &err);
  if (!*json) return fault_from_error(f, &err);
  return codec_token_read(*json, scope_word, AUTH_SCOPE_COUNT - AUTH_READ, a, wanted, &err) == TD_OK ||
         fault_from_error(f, &err);
}

static void write_token(codec_buffer *b, const store_token *t, const char *secret) {
  json_begin(b);
  json_string_member(b, "id", t->id);
  json_string_member(b, "name", t->name);
  json_string_member(b, "scope", t->scope);
  json_string_member(b, "owner", *t->owner ? t->owner : NULL);
  json_time_member(b, "created_at", t->created_ms);
  if (secret) json_string_member(b, "token", secret);
  json_end(b);
}

bool tokens_create(service *s, span document, codec_buffer *reply, char id[ID_SIZE], fault *f) {
  json_t *json = NULL;
  token_document wanted;
  store_token made;
  char secret[AUTH_TOKEN_SIZE] = "";
  arena *memory = arena_create();
  bool done =
      (memory || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short")) &&
      read_request(document, &json, memory, &wanted, f) &&
      auth_token_create(s->auth, wanted.name, (auth_scope)(AUTH_READ + wanted.scope), wanted.owner, secret, &made, f);
  if (done) {
    write_token(reply, &made, secret);
    memcpy(id, made.id, ID_SIZE);
  }
  explicit_bzero(secret, sizeof secret);
  arena_destroy(memory);
  json_decref(json);
  return done;
}

typedef struct listing {
  codec_buffer *b;
  const char *wanted; // id or name; NULL: all
  int found;
} listing;

static void visit_token(void *context, const store_token *t) {
  listing *l = context;
  if (l->wanted && l->found > 0) return;
  if (l->wanted && strcmp(l->wanted, t->id) != 0 && strcmp(l->wanted, t->name) != 0) return;
  l->found++;
  if (!l->wanted) json_next(l->b);
  write_token(l->b, t, NULL);
}

static bool list(service *s, listing *l, fault *f) {
  bool ever;
  store_visit visit = {.context = l, .token = visit_token};
  store_status status = store_token_list(s->store, &visit, &ever);
  return status == STORE_OK || fault_from_store(f, status, "the list of tokens");
}

bool tokens_list(service *s, codec_buffer *reply, fault *f) {
  codec_buffer_text(reply, "{\"tokens\":[");
  bool done = list(s, &(listing){.b = reply}, f);
  codec_buffer_text(reply, "],\"next_cursor\":null}");
  return done;
}

bool tokens_get(service *s, const char *id_or_name, codec_buffer *reply, fault *f) {
  listing l = {.b = reply, .wanted = id_or_name};
  return list(s, &l, f) &&
         (l.found > 0 || fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no token \"%.100s\"", id_or_name));
}

bool tokens_delete(service *s, const char *id_or_name, bool force, fault *f) {
  return auth_token_delete(s->auth, id_or_name, force, f);
}
