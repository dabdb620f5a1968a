// Models over HTTP: revisions are ETags (the SHA-256 of the document), If-Match guards changes.
#include "base/limits.h"
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

static void put(exchange *x, const char *name, store_put_mode mode) {
  fault f;
  char tag[TAG_SIZE], location[128];
  codec_buffer reply;
  int64_t validate;
  if (!read_mode(x, &mode, &f) || !query_integer("validate", exchange_query(x, "validate"), 0, 1, 0, &validate, &f)) {
    reply_fault(x, &f);
    return;
  }
  codec_buffer_init(&reply, 0);
  model_change change = {.name = name,
                         .owner = exchange_query(x, "owner"),
                         .mode = mode,
                         .if_match = if_match(x, tag),
                         .validate_only = validate == 1};
  model_reference stored = {.revision = 0};
  store_put_effect effect;
  bool done = models_put(x->service, &x->caller, exchange_body(x), &change, &reply, &stored, &effect, &f);
  if (!done && name && f.code == PROBLEM_ALREADY_EXISTS) f.code = PROBLEM_PRECONDITION_FAILED;
  bool created = done && effect == STORE_CREATED;
  reply_use_case(x, created ? MHD_HTTP_CREATED : MHD_HTTP_OK, done, &reply, &f);
  if (!done || change.validate_only) return;
  add_etag(x, stored.sha256);
  snprintf(location, sizeof location, "/v1/models/%s", stored.name);
  if (created) reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
}

void handle_models_create(exchange *x) { put(x, NULL, STORE_CREATE); }
void handle_models_put(exchange *x) { put(x, x->parameter[0], STORE_UPSERT); }

// Whose model the address is about: the query's owner, else what its name means to the caller. A revision has an address of its own.
static void refer(exchange *x, int64_t revision, model_reference *ref) {
  const char *owner = exchange_query(x, "owner");
  *ref = (model_reference){.owned = owner != NULL, .revision = revision};
  snprintf(ref->name, sizeof ref->name, "%.63s", strlen(x->parameter[0]) < STORE_NAME_SIZE ? x->parameter[0] : "");
  if (owner && strcmp(owner, AUTH_NOBODY) != 0) snprintf(ref->owner, sizeof ref->owner, "%.63s", owner);
}

static void get(exchange *x, int64_t revision) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  model_reference ref;
  char tag[TAG_SIZE];
  refer(x, revision, &ref);
  bool done = models_get(x->service, &x->caller, &ref, &reply, &f);
  if (done && reply_if_unchanged(x, etag(ref.sha256, tag))) {
    codec_buffer_fini(&reply);
    return;
  }
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
  if (done) add_etag(x, ref.sha256);
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

void handle_models_list(exchange *x) {
  fault f;
  int64_t limit;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  bool done = query_integer("limit", exchange_query(x, "limit"), 1, LIMIT_LIST, LIMIT_LIST_DEFAULT, &limit, &f) &&
              models_list(x->service, &x->caller, exchange_query(x, "owner"), exchange_query(x, "cursor"), (int)limit,
                          &reply, &f);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_models_revisions(exchange *x) {
  fault f;
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  model_reference ref;
  refer(x, 0, &ref);
  int64_t limit, after;
  bool done = query_integer("limit", exchange_query(x, "limit"), 1, LIMIT_LIST, LIMIT_LIST_DEFAULT, &limit, &f) &&
              query_integer("cursor", exchange_query(x, "cursor"), 0, INT64_MAX, 0, &after, &f) &&
              models_revisions(x->service, &x->caller, &ref, after, (int)limit, &reply, &f);
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
