// Tokens over the API: made (the secret is told once), listed, deleted. Their list is short (LIMIT_TOKENS) and told
// whole.
#include "service/access/tokens.h"
#include "base/limits.h"
#include "codec/document/token.h"
#include "codec/json/text.h"

#include <string.h>

static const char *scope_word(int i) { return auth_scope_name((auth_scope)(AUTH_READ + i)); }

static bool read_request(span document, json_t **json, arena *a, token_document *wanted, fault *f) {
  td_error err = {.status = TD_OK};
  *json = codec_parse(document.bytes, document.size, &err);
  if (!*json) return fault_from_error(f, &err);
  return codec_token_read(*json, scope_word, AUTH_SCOPE_COUNT - AUTH_READ, a, wanted, &err) == TD_OK ||
         fault_from_error(f, &err);
}

bool tokens_create(service *s, span document, token_made *made, fault *f) {
  json_t *json = NULL;
  token_document wanted;
  arena *memory = arena_create();
  bool done = (memory || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory")) &&
              read_request(document, &json, memory, &wanted, f) &&
              auth_token_create(s->auth, wanted.name, (auth_scope)(AUTH_READ + wanted.scope), wanted.owner,
                                made->secret, &made->row, f);
  arena_destroy(memory);
  json_decref(json);
  return done;
}

bool tokens_list(service *s, void (*visit)(void *context, const store_token *row), void *context, fault *f) {
  bool ever;
  store_status status = store_token_list(s->store, &(store_visit){.context = context, .token = visit}, &ever);
  return status == STORE_OK || fault_from_store(f, status, "the list of tokens");
}

typedef struct search {
  const char *id_or_name;
  store_token *row;
  bool found;
} search;

static void compare_token(void *context, const store_token *row) {
  search *look = context;
  if (look->found || (strcmp(look->id_or_name, row->id) != 0 && strcmp(look->id_or_name, row->name) != 0)) return;
  *look->row = *row;
  look->found = true;
}

bool tokens_get(service *s, const char *id_or_name, store_token *row, fault *f) {
  search look = {.id_or_name = id_or_name, .row = row};
  return tokens_list(s, compare_token, &look, f) &&
         (look.found || fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no token \"%.100s\"", id_or_name));
}

bool tokens_delete(service *s, const char *id_or_name, bool force, fault *f) {
  return auth_token_delete(s->auth, id_or_name, force, f);
}
