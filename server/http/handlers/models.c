// Models over HTTP: revisions are ETags (the SHA-256 of the document), If-Match guards changes.
#include "service/models/models.h"
#include "base/limits.h"
#include "codec/json/object.h"
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

enum { TAG_SIZE = DIGEST_HEX_SIZE + 4 };

// If-Match: "*", or one entity tag without its quotes; NULL when there is no such header.
static const char *if_match(const exchange *x, char tag[TAG_SIZE]) {
  const char *value = exchange_header(x, MHD_HTTP_HEADER_IF_MATCH);
  if (!value) return NULL;
  if (*value == '"') value++;
  snprintf(tag, TAG_SIZE, "%s", value);
  tag[strcspn(tag, "\"")] = '\0';
  return tag;
}

static char *etag(const char *sha256, char tag[TAG_SIZE]) {
  snprintf(tag, TAG_SIZE, "\"%s\"", sha256);
  return tag;
}

static void add_etag(exchange *x, const char *sha256) {
  char tag[TAG_SIZE];
  etag(sha256, tag);
  reply_header(x, MHD_HTTP_HEADER_ETAG, tag);
}

// What a PUT may be bound to besides If-Match: «If-None-Match: *» creates and never revises.
static bool read_mode(const exchange *x, store_put_mode *mode, fault *f) {
  const char *none = exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH);
  if (!none) return true;
  *mode = STORE_CREATE;
  return strcmp(none, "*") == 0 || fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                                             "If-None-Match of a change is \"%.80s\"; only * says something", none);
}

static void add_change(exchange *x, const model_found *found) {
  char location[128];
  add_etag(x, found->view.row.sha256);
  snprintf(location, sizeof location, "/v1/models/%s", found->view.row.name);
  if (found->effect == STORE_CREATED) reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
}

static void reply_model(exchange *x, unsigned status, const model_view *view) {
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  codec_model_json(&reply, view);
  reply_written(x, status, &reply);
}

static void put(exchange *x, const char *name, store_put_mode mode) {
  fault f;
  char tag[TAG_SIZE];
  int64_t validate;
  if (!read_mode(x, &mode, &f) || !query_integer("validate", exchange_query(x, "validate"), 0, 1, 0, &validate, &f)) {
    reply_fault(x, &f);
    return;
  }
  model_change change = {.name = name,
                         .owner = exchange_query(x, "owner"),
                         .mode = mode,
                         .if_match = if_match(x, tag),
                         .validate_only = validate == 1};
  model_found found;
  if (!models_put(x->service, &x->caller, exchange_body(x), &change, &found, &f)) {
    if (name && f.code == PROBLEM_ALREADY_EXISTS) f.code = PROBLEM_PRECONDITION_FAILED;
    reply_fault(x, &f);
    return;
  }
  reply_model(x, found.effect == STORE_CREATED ? MHD_HTTP_CREATED : MHD_HTTP_OK, &found.view);
  if (!change.validate_only) add_change(x, &found);
  model_found_fini(x->service, &found);
}

void handle_models_create(exchange *x) { put(x, NULL, STORE_CREATE); }
void handle_models_put(exchange *x) { put(x, x->parameter[0], STORE_UPSERT); }

// Whose model the address is about: the query's owner, else what its name means to the caller. A revision has an
// address of its own.
static void refer(exchange *x, int64_t revision, model_reference *ref) {
  const char *owner = exchange_query(x, "owner");
  *ref = (model_reference){.owned = owner != NULL, .revision = revision};
  snprintf(ref->name, sizeof ref->name, "%.63s", strlen(x->parameter[0]) < STORE_NAME_SIZE ? x->parameter[0] : "");
  if (owner && strcmp(owner, AUTH_NOBODY) != 0) snprintf(ref->owner, sizeof ref->owner, "%.63s", owner);
}

static void get(exchange *x, int64_t revision) {
  fault f;
  model_reference ref;
  model_found found;
  char tag[TAG_SIZE];
  refer(x, revision, &ref);
  if (!models_get(x->service, &x->caller, &ref, &found, &f)) {
    reply_fault(x, &f);
    return;
  }
  if (!reply_if_unchanged(x, etag(found.view.row.sha256, tag))) {
    reply_model(x, MHD_HTTP_OK, &found.view);
    reply_header(x, MHD_HTTP_HEADER_ETAG, tag);
  }
  model_found_fini(x->service, &found);
}

void handle_models_get(exchange *x) { get(x, 0); }

void handle_models_revision(exchange *x) {
  fault f;
  int64_t revision;
  if (query_integer("revision", x->parameter[1], 1, INT64_MAX, 1, &revision, &f)) {
    get(x, revision);
    return;
  }
  fault_set(&f, PROBLEM_NOT_FOUND, NULL, "\"%.40s\" is not the number of a revision", x->parameter[1]);
  reply_fault(x, &f);
}

static void write_model(void *context, const model_view *view) {
  json_next(context);
  codec_model_json(context, view);
}

static bool read_limit(const exchange *x, int *limit, fault *f) {
  int64_t value;
  bool read = query_integer("limit", exchange_query(x, "limit"), 1, LIMIT_LIST, LIMIT_LIST_DEFAULT, &value, f);
  *limit = (int)value;
  return read;
}

void handle_models_list(exchange *x) {
  fault f;
  codec_buffer reply;
  char next[MODELS_CURSOR_SIZE] = "";
  codec_buffer_init(&reply, 0);
  models_query query = {.owner = exchange_query(x, "owner"), .cursor = exchange_query(x, "cursor")};
  json_list_begin(&reply, "models");
  bool done =
      read_limit(x, &query.limit, &f) && models_list(x->service, &x->caller, &query, write_model, &reply, next, &f);
  json_list_end(&reply, *next ? next : NULL);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

static bool write_revisions(exchange *x, const model_reference *found, int64_t after, int limit, codec_buffer *b,
                            fault *f) {
  char next[MODELS_CURSOR_SIZE];
  json_begin(b);
  json_string_member(b, "name", found->name);
  json_string_member(b, "owner", *found->owner ? found->owner : NULL);
  json_key(b, "revisions");
  codec_buffer_text(b, "[");
  bool done = models_revisions(x->service, found, after, limit, write_model, b, next, f);
  json_list_end(b, *next ? next : NULL);
  return done;
}

void handle_models_revisions(exchange *x) {
  fault f;
  codec_buffer reply;
  model_reference ref;
  int64_t after;
  int limit;
  codec_buffer_init(&reply, 0);
  refer(x, 0, &ref);
  bool done = read_limit(x, &limit, &f) &&
              query_integer("cursor", exchange_query(x, "cursor"), 0, INT64_MAX, 0, &after, &f) &&
              models_find(x->service, &x->caller, &ref, &f) && write_revisions(x, &ref, after, limit, &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_models_delete(exchange *x) {
  fault f;
  char tag[TAG_SIZE];
  model_reference ref;
  refer(x, 0, &ref);
  if (models_delete(x->service, &x->caller, &ref, if_match(x, tag), &f))
    reply_empty(x, MHD_HTTP_NO_CONTENT);
  else
    reply_fault(x, &f);
}
