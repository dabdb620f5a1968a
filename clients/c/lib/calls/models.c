// Models by name and revision.
#include "lib/http/client.h"

#include "lib/reply/documents.h"
#include "lib/reply/lists.h"
#include <string.h>

// Of "name", and of "name@n".
static client_path path_of(client_operation one, const char *name) {
  char head[TENDRIL_NAME_SIZE + 1];
  const char *at = strchr(name, '@');
  if (!at || (size_t)(at - name) >= sizeof head) return client_path_to(one, name, NULL);
  client_copy(head, (size_t)(at - name) + 1, name);
  client_operation revision = CLIENT_MODELS_REVISION;
  revision.method = one.method; // the server says what cannot be done to one
  return client_path_to(revision, head, at + 1);
}

tendril_status tendril_model_owner(tendril_client *c, const char *owner, tendril_error *err) {
  if (owner && (!*owner || strlen(owner) >= sizeof c->owner))
    return client_fail(err, TENDRIL_INVALID, "an owner has 1 to %zu characters", sizeof c->owner - 1);
  client_copy(c->owner, sizeof c->owner, owner ? owner : "");
  return TENDRIL_OK;
}

static void add_owner(const tendril_client *c, client_path *path) {
  client_path_query(path, "owner", *c->owner ? c->owner : NULL);
}

static tendril_status need_name(const char *name, tendril_error *err) {
  return *name ? TENDRIL_OK : client_fail(err, TENDRIL_INVALID, "the name is empty");
}

static tendril_status one_model(tendril_client *c, const client_request *r, tendril_model *model, tendril_error *err) {
  json_t *json;
  tendril_model ignored;
  tendril_status status = client_json(c, r, &json, err);
  if (status == TENDRIL_OK && !client_read_model(json, model ? model : &ignored))
    status = client_fail(err, TENDRIL_BAD_REPLY, "the reply is not a model");
  json_decref(json);
  return status;
}

tendril_status tendril_model_put(tendril_client *c, const char *name, const char *document, size_t size,
                                 tendril_model *model, tendril_error *err) {
  client_path path = path_of(CLIENT_MODELS_PUT, name);
  add_owner(c, &path);
  client_request r = {.path = &path, .body = document, .size = size};
  tendril_status status = need_name(name, err);
  return status ? status : one_model(c, &r, model, err);
}

tendril_status tendril_model_get(tendril_client *c, const char *name, tendril_model *model, tendril_error *err) {
  client_path path = path_of(CLIENT_MODELS_GET, name);
  add_owner(c, &path);
  tendril_status status = need_name(name, err);
  return status ? status : one_model(c, &(client_request){.path = &path}, model, err);
}

tendril_status tendril_model_import(tendril_client *c, const char *request, size_t size, tendril_model *model,
                                    tendril_error *err) {
  client_path path = client_path_to(CLIENT_MODELS_IMPORT, NULL, NULL);
  client_request r = {.path = &path, .body = request, .size = size};
  return one_model(c, &r, model, err);
}

tendril_status tendril_model_delete(tendril_client *c, const char *name, tendril_error *err) {
  client_path path = path_of(CLIENT_MODELS_DELETE, name);
  add_owner(c, &path);
  tendril_status status = need_name(name, err);
  return status ? status : client_delete(c, &path, err);
}

typedef struct model_rows {
  bool (*row)(void *context, const tendril_model *model, const char *json);
  void *context;
} model_rows;

static bool on_row(void *context, const json_t *json, const char *text) {
  const model_rows *rows = context;
  tendril_model model;
  client_read_model(json, &model);
  return rows->row(rows->context, &model, text);
}

tendril_status tendril_model_list(tendril_client *c,
                                  bool (*row)(void *context, const tendril_model *model, const char *json),
                                  void *context, tendril_error *err) {
  model_rows rows = {row, context};
  client_path path = client_path_to(CLIENT_MODELS_LIST, NULL, NULL);
  add_owner(c, &path);
  return client_list(c, &path, "models", on_row, &rows, err);
}

tendril_status tendril_model_revisions(tendril_client *c, const char *name,
                                       bool (*row)(void *context, const tendril_model *revision, const char *json),
                                       void *context, tendril_error *err) {
  model_rows rows = {row, context};
  client_path path = client_path_to(CLIENT_MODELS_REVISIONS, name, NULL);
  add_owner(c, &path);
  tendril_status status = need_name(name, err);
  return status ? status : client_list(c, &path, "revisions", on_row, &rows, err);
}
