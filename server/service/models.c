// Models by name: documents are kept byte for byte, every change is a revision, frozen models come from the cache.
#include "codec/job.h"
#include "codec/model.h"
#include "codec/text.h"
#include "codec/warnings.h"
#include "service/json_text.h"
#include "service/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool query_integer(const char *key, const char *value, int64_t low, int64_t high, int64_t fallback, int64_t *out,
                   fault *f) {
  *out = fallback;
  if (!value) return true;
  char *end = NULL;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  bool good = *value && *end == '\0' && errno == 0 && number >= low && number <= high;
  *out = number;
  return good ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's %s is \"%.40s\", not an integer from %lld to %lld",
                   key, value, (long long)low, (long long)high);
}

static void describe(const char *name, int64_t revision, char out[128]) {
  if (revision > 0)
    snprintf(out, 128, "model \"%.63s\" of revision %lld", name, (long long)revision);
  else
    snprintf(out, 128, "model \"%.63s\"", name);
}

static bool store_fault(fault *f, store_status status, const char *name, int64_t revision) {
  char what[128];
  describe(name, revision, what);
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_PRECONDITION_FAILED, NULL, "%s is not the one that If-Match names", what);
  return fault_from_store(f, status, what);
}

// --------------------------------------------------------------------------------------------------- frozen models

static cached_model *build(service *s, const json_t *document, const char *prefix, const char *sha256, fault *f) {
  td_error err = {.status = TD_OK};
  td_model *model = NULL;
  if (codec_model_build(document, prefix, &model, &err) != TD_OK) return fault_from_error(f, &err), NULL;
  cached_model *held = cache_insert(s->cache, sha256, model);
  if (!held) fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model");
  return held;
}

static cached_model *hold_text(service *s, span document, const char *sha256, fault *f) {
  cached_model *held = cache_find(s->cache, sha256);
  if (held) return held;
  td_error err = {.status = TD_OK};
  json_t *json = codec_parse(document.bytes, document.size, &err);
  if (!json) return fault_from_error(f, &err), NULL;
  held = build(s, json, "", sha256, f);
  json_decref(json);
  return held;
}

// A revision, 0: the newest, which is remembered when nothing was known of the name.
static store_status read_revision(service *s, const char *name, int64_t revision, bool known, uint64_t ticket,
                                  store_model *m) {
  store_status status = store_model_get(s->store, name, known ? revision : 0, m);
  if (status != STORE_OK || known) return status;
  cached_name newest = {.revision = m->revision};
  memcpy(newest.sha256, m->sha256, sizeof newest.sha256);
  cache_remember(s->cache, name, &newest, ticket);
  if (revision == 0 || revision == m->revision) return STORE_OK;
  store_model_fini(m);
  return store_model_get(s->store, name, revision, m);
}

cached_model *models_hold(service *s, model_reference *ref, char **document, fault *f) {
  cached_name newest;
  uint64_t ticket = 0;
  bool known = cache_find_name(s->cache, ref->name, &newest, &ticket);
  if (known && !document && (ref->revision == 0 || ref->revision == newest.revision)) {
    cached_model *held = cache_find(s->cache, newest.sha256);
    if (held) {
      ref->revision = newest.revision;
      memcpy(ref->sha256, newest.sha256, sizeof ref->sha256);
      return held;
    }
  }
  store_model m;
  store_status status = read_revision(s, ref->name, ref->revision, known, ticket, &m);
  if (status != STORE_OK) return store_fault(f, status, ref->name, ref->revision), NULL;
  ref->revision = m.revision;
  memcpy(ref->sha256, m.sha256, sizeof ref->sha256);
  cached_model *held = hold_text(s, (span){m.document, strlen(m.document)}, m.sha256, f);
  if (document && held)
    *document = m.document;
  else
    store_model_fini(&m);
  return held;
}

cached_model *models_hold_inline(service *s, const json_t *document, const char *prefix, char sha256[DIGEST_HEX_SIZE],
                                 char **canonical, fault *f) {
  char *written = json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY);
  if (!written) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model"), NULL;
  digest_of(written, strlen(written), sha256);
  cached_model *held = cache_find(s->cache, sha256);
  if (!held) held = build(s, document, prefix, sha256, f);
  if (canonical && held)
    *canonical = written;
  else
    free(written);
  return held;
}

// ------------------------------------------------------------------------------------------------------------ reply

static void write_names(codec_buffer *b, const char *key, const td_model *model, int count,
                        const char *(*name)(const td_model *, int)) {
  json_key(b, key);
  codec_buffer_text(b, "[");
  for (int i = 0; i < count; i++) {
    json_next(b);
    codec_buffer_string(b, name(model, i));
  }
  codec_buffer_text(b, "]");
}

static void write_reference(codec_buffer *b, const store_model *m) {
  json_string_member(b, "name", m->name);
  json_integer_member(b, "revision", m->revision);
  json_string_member(b, "sha256", m->sha256);
  json_time_member(b, "created_at", m->created_ms);
}

static void write_shape(codec_buffer *b, const td_model *model) {
  json_integer_member(b, "ndof", td_model_ndof(model));
  write_names(b, "coordinates", model, td_model_ndof(model), td_model_coordinate_name);
  write_names(b, "channels", model, td_model_channel_count(model), td_model_channel_name);
}

static void write_warnings(codec_buffer *b, const td_model *model) {
  char *text = codec_warnings_text(td_model_warnings(model));
  json_raw_member(b, "warnings", text ? text : "[]");
  free(text);
}

static void write_model(codec_buffer *b, const store_model *m, const td_model *model, const char *document) {
  json_begin(b);
  if (m) write_reference(b, m);
  write_shape(b, model);
  write_warnings(b, model);
  if (document) json_raw_member(b, "document", document);
  json_end(b);
}

// ------------------------------------------------------------------------------------------------------- put and get

// The name to store under: the path's, else the document's. One that is only checked may do without: a job carries it.
static bool choose_name(const json_t *document, const model_change *change, char name[STORE_NAME_SIZE], fault *f) {
  const char *asked = change->name, *from = asked ? asked : json_string_value(json_object_get(document, "name"));
  if (!asked && change->validate_only && !json_object_get(document, "name")) return true;
  if (!from)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/name", "the document has no name, under which to store it");
  if (!codec_name_valid(from))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, asked ? NULL : "/name",
                     "\"%.80s\" is not a name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}", from);
  snprintf(name, STORE_NAME_SIZE, "%s", from);
  return true;
}

static bool store_change(service *s, span document, const model_change *change, const char *name, const char *sha256,
                         store_model *m, store_put_effect *effect, fault *f) {
  store_status status =
      store_model_put(s->store, change->mode, name, document.bytes, sha256, change->if_match, m, effect);
  cache_forget(s->cache, name);
  return status == STORE_OK || store_fault(f, status, name, 0);
}

static bool put_parsed(service *s, const json_t *json, span document, const model_change *change, codec_buffer *reply,
                       model_reference *stored, store_put_effect *effect, fault *f) {
  char name[STORE_NAME_SIZE] = "";
  digest_of(document.bytes, document.size, stored->sha256);
  if (!choose_name(json, change, name, f)) return false;
  cached_model *held = cache_find(s->cache, stored->sha256);
  if (!held) held = build(s, json, "", stored->sha256, f);
  if (!held) return false;
  store_model m = {.revision = 0};
  bool done = change->validate_only || store_change(s, document, change, name, stored->sha256, &m, effect, f);
  if (done) write_model(reply, change->validate_only ? NULL : &m, cached_model_get(held), NULL);
  memcpy(stored->name, m.name, sizeof stored->name);
  stored->revision = m.revision;
  cache_release(s->cache, held);
  return done;
}

bool models_put(service *s, span document, const model_change *change, codec_buffer *reply, model_reference *stored,
                store_put_effect *effect, fault *f) {
  td_error err = {.status = TD_OK};
  *effect = STORE_UNCHANGED;
  json_t *json = codec_parse(document.bytes, document.size, &err);
  if (!json) return fault_from_error(f, &err);
  bool done = put_parsed(s, json, document, change, reply, stored, effect, f);
  json_decref(json);
  return done;
}

bool models_get(service *s, const char *name, int64_t revision, codec_buffer *reply, model_reference *found, fault *f) {
  store_model m;
  store_status status = store_model_get(s->store, name, revision, &m);
  if (status != STORE_OK) return store_fault(f, status, name, revision);
  cached_model *held = hold_text(s, (span){m.document, strlen(m.document)}, m.sha256, f);
  if (held) {
    write_model(reply, &m, cached_model_get(held), m.document);
    memcpy(found->sha256, m.sha256, sizeof found->sha256);
    found->revision = m.revision;
    cache_release(s->cache, held);
  }
  store_model_fini(&m);
  return held != NULL;
}

bool models_delete(service *s, const char *name, const char *if_match, fault *f) {
  store_status status = store_model_delete(s->store, name, if_match);
  cache_forget(s->cache, name);
  return status == STORE_OK || store_fault(f, status, name, 0);
}

// ------------------------------------------------------------------------------------------------------------- lists

typedef struct page {
  codec_buffer *b;
  int count, limit;
  char last[STORE_NAME_SIZE];
  bool more;
} page;

static void visit_model(void *context, const store_model *m) {
  page *p = context;
  p->more = p->count == p->limit; // one row more than the page was asked for
  if (p->more) return;
  p->count++;
  memcpy(p->last, m->name, sizeof p->last);
  json_next(p->b);
  json_begin(p->b);
  write_reference(p->b, m);
  json_end(p->b);
}

bool models_list(service *s, const char *cursor, int limit, codec_buffer *reply, fault *f) {
  page p = {.b = reply, .limit = limit};
  store_visit visit = {.context = &p, .model = visit_model};
  codec_buffer_text(reply, "{\"models\":[");
  store_status status = store_model_list(s->store, cursor, limit + 1, &visit);
  codec_buffer_text(reply, "]");
  json_string_member(reply, "next_cursor", p.more ? p.last : NULL);
  json_end(reply);
  return status == STORE_OK || fault_from_store(f, status, "the list of models");
}

bool models_revisions(service *s, const char *name, codec_buffer *reply, fault *f) {
  page p = {.b = reply, .limit = INT32_MAX};
  store_visit visit = {.context = &p, .model = visit_model};
  json_begin(reply);
  json_string_member(reply, "name", name);
  codec_buffer_text(reply, ",\"revisions\":[");
  store_status status = store_model_revisions(s->store, name, &visit);
  codec_buffer_text(reply, "]}");
  if (status == STORE_OK && p.count == 0) status = STORE_NOT_FOUND;
  return status == STORE_OK || store_fault(f, status, name, 0);
}
