// Tokens of a server: for those who have an admin token.
#include "lib/http/client.h"

#include "lib/reply/documents.h"
#include "lib/reply/lists.h"
#include <stdlib.h>
#include <string.h>

static tendril_status one_token(tendril_client *c, const client_request *r, tendril_token *token, tendril_error *err) {
  json_t *json;
  tendril_token ignored;
  tendril_status status = client_json(c, r, &json, err);
  if (status == TENDRIL_OK && !client_read_token(json, token ? token : &ignored))
    status = client_fail(err, TENDRIL_BAD_REPLY, "the reply is not a token");
  json_decref(json);
  return status;
}

tendril_status tendril_token_create(tendril_client *c, const char *name, const char *scope, tendril_token *token,
                                    tendril_error *err) {
  return tendril_token_create_for(c, name, scope, NULL, token, err);
}

tendril_status tendril_token_create_for(tendril_client *c, const char *name, const char *scope, const char *owner,
                                        tendril_token *token, tendril_error *err) {
  json_t *wanted = json_pack("{s:s, s:s, s:s*}", "name", name, "scope", scope, "owner", owner);
  char *text = wanted ? json_dumps(wanted, JSON_COMPACT) : NULL;
  json_decref(wanted);
  if (!text) return client_fail(err, TENDRIL_INVALID, "the token's name or scope is not text");
  client_path path = client_path_to(CLIENT_TOKENS_CREATE, NULL, NULL);
  client_request r = {.path = &path, .body = text, .size = strlen(text), .once = true};
  tendril_status status = one_token(c, &r, token, err);
  free(text);
  return status;
}

static tendril_status delete_token(tendril_client *c, const char *id_or_name, bool force, tendril_error *err) {
  if (!*id_or_name) return client_fail(err, TENDRIL_INVALID, "the token's name is empty");
  client_path path = client_path_to(CLIENT_TOKENS_DELETE, id_or_name, NULL);
  if (force) client_path_query(&path, "force", "1");
  return client_delete(c, &path, err);
}

tendril_status tendril_token_delete(tendril_client *c, const char *id_or_name, tendril_error *err) {
  return delete_token(c, id_or_name, false, err);
}

tendril_status tendril_token_delete_by_force(tendril_client *c, const char *id_or_name, tendril_error *err) {
  return delete_token(c, id_or_name, true, err);
}

typedef struct token_rows {
  bool (*row)(void *context, const tendril_token *token, const char *json);
  void *context;
} token_rows;

static bool on_row(void *context, const json_t *json, const char *text) {
  const token_rows *rows = context;
  tendril_token token;
  client_read_token(json, &token);
  return rows->row(rows->context, &token, text);
}

tendril_status tendril_token_list(tendril_client *c,
                                  bool (*row)(void *context, const tendril_token *token, const char *json),
                                  void *context, tendril_error *err) {
  token_rows rows = {row, context};
  client_path path = client_path_to(CLIENT_TOKENS_LIST, NULL, NULL);
  return client_list(c, &path, "tokens", on_row, &rows, err);
}
