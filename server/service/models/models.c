// Models by name: documents are kept byte for byte, every change is a revision, frozen models come from the cache.
#include "service/models/models.h"
#include "base/share/budget.h"
#include "base/share/pool.h"
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "service/access/bounds.h"
#include "service/models/meant.h"

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

// ------------------------------------------------------------------------------------------------------------ whose

// The one row that a reference with an owner means. What `who` does not see is not there: false.
static bool may_see(const auth_caller *who, const char *owner) {
  return !*owner || who->sees_all || strcmp(who->space, owner) == 0;
}

static store_whose whose(const auth_caller *who, const model_reference *ref) {
  if (ref->owned) return (store_whose){.owner = ref->owner, .exactly = true};
  return (store_whose){.owner = who->space, .all = who->sees_all};
}

bool models_refer(const char *name, const char *owner, model_reference *ref, fault *f) {
  *ref = (model_reference){.owned = owner != NULL};
  if (owner && strcmp(owner, AUTH_NOBODY) != 0) snprintf(ref->owner, sizeof ref->owner, "%s", owner);
  return codec_model_reference(name, ref->name, &ref->revision) ||
         fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no model \"%.80s\"", name);
}

// The newest revision that a reference means, without its document; `ref` gets whose it is.
static store_status find(service *s, const auth_caller *who, model_reference *ref) {
  store_model m;
  store_whose w = whose(who, ref);
  if (ref->owned && !may_see(who, ref->owner)) return STORE_NOT_FOUND;
  store_status status = store_model_find(s->store, &w, ref->name, &m);
  if (status == STORE_OK) memcpy(ref->owner, m.owner, sizeof ref->owner);
  return status;
}

static bool may_change(const auth_caller *who, const char *owner, const char *name, fault *f) {
  if (who->sees_all || strcmp(who->space, owner) == 0) return true;
  if (*owner) return store_fault(f, STORE_NOT_FOUND, name, 0);
  return fault_set(f, PROBLEM_PERMISSION_DENIED, NULL,
                   "the model \"%.63s\" is shared by all: only admins change it (store your own under its name)", name);
}

// --------------------------------------------------------------------------------------------------- frozen models

static void tell_all(const json_t *document, const char *prefix, fault *f) {
  td_errors all = {0};
  codec_model_errors(document, prefix, &all);
  fault_add(f, &all);
}

static cached_model *freeze(service *s, const char *owner, const json_t *document, const char *prefix,
                            const char *sha256, fault *f) {
  td_error err = {.status = TD_OK};
  td_model *model = NULL;
  model_account account = {.answer = BUDGET_TAKEN};
  const td_memory memory = {model_account_take, &account};
  if (codec_model_build_within(document, prefix, &memory, &model, &err) != TD_OK) {
    budget_give(BUDGET_MODELS, account.bytes);
    model_account_fault(&account, prefix, &err, f);
    if (f->code == PROBLEM_INVALID_ARGUMENT) tell_all(document, prefix, f);
    return NULL;
  }
  cached_model *held = cache_insert(s->cache, owner, sha256, model, account.bytes);
  if (!held) fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model");
  return held;
}

typedef struct freezing {
  service *s;
  const char *owner;
  const json_t *document;
  const char *prefix, *sha256;
  fault *f;
  cached_model *held;
} freezing;

// Somebody may have done it meanwhile.
static void freeze_in_turn(void *context) {
  freezing *x = context;
  x->held = cache_find(x->s->cache, x->owner, x->sha256);
  if (!x->held) x->held = freeze(x->s, x->owner, x->document, x->prefix, x->sha256, x->f);
}

// Freezing a large model takes up to seconds: callers take turns at it.
static cached_model *build(service *s, const auth_caller *who, const char *owner, const json_t *document,
                           const char *prefix, const char *sha256, fault *f) {
  freezing x = {s, owner, document, prefix, sha256, f, NULL};
  pool_call(s->preparing, who->account, freeze_in_turn, &x);
  return x.held;
}

static cached_model *hold_text(service *s, const auth_caller *who, const char *owner, span document, const char *sha256,
                               fault *f) {
  cached_model *held = cache_find(s->cache, owner, sha256);
  if (held) return held;
  td_error err = {.status = TD_OK};
  json_t *json = codec_parse(document.bytes, document.size, &err);
  if (!json) return fault_from_error(f, &err), NULL;
  held = build(s, who, owner, json, "", sha256, f);
  json_decref(json);
  return held;
}

// What a read of the newest revision says of the names that it went through: one's own first, then the shared one.
static void remember(service *s, const char *own, const store_model *m, uint64_t ticket) {
  cached_name newest = {.revision = m->revision};
  memcpy(newest.sha256, m->sha256, sizeof newest.sha256);
  if (strcmp(m->owner, own) != 0) cache_remember(s->cache, own, m->name, &(cached_name){.revision = 0}, ticket);
  if (!*m->owner || strcmp(m->owner, own) == 0) cache_remember(s->cache, m->owner, m->name, &newest, ticket);
}

bool models_recall(service *s, const auth_caller *who, model_reference *ref, cached_name *known, uint64_t *ticket) {
  const char *own = ref->owned ? ref->owner : who->space;
  if (ref->owned && !may_see(who, own)) return *ticket = 0, false;
  bool found = cache_find_name(s->cache, own, ref->name, known, ticket);
  if (!found || known->revision > 0) {
    if (!ref->owned) memcpy(ref->owner, who->space, sizeof ref->owner);
    return found;
  }
  uint64_t later;
  if (!*own || ref->owned || ref->revision > 0) return false; // a number may be one that one's own model had
  *ref->owner = '\0';
  return cache_find_name(s->cache, "", ref->name, known, &later) && known->revision > 0;
}

// A revision, 0: the newest, which is remembered when nothing was known of the name.
static store_status read_revision(service *s, const auth_caller *who, const model_reference *ref, bool known,
                                  uint64_t ticket, store_model *m) {
  store_whose w = whose(who, ref);
  if (ref->owned && !may_see(who, ref->owner)) return STORE_NOT_FOUND;
  int64_t first = known ? ref->revision : 0;
  store_status status = store_model_get(s->store, &w, ref->name, first, m);
  if (status == STORE_OK && first == 0) remember(s, w.owner, m, ticket);
  bool other = ref->revision > 0 && first == 0;
  if (!other || (status != STORE_OK && status != STORE_NOT_FOUND)) return status;
  if (status == STORE_OK && m->revision == ref->revision && strcmp(m->owner, w.owner) == 0) return status;
  if (status == STORE_OK) store_model_fini(m);
  return store_model_get(s->store, &w, ref->name, ref->revision, m);
}

cached_model *models_hold(service *s, const auth_caller *who, model_reference *ref, char **document, fault *f) {
  cached_name newest;
  uint64_t ticket = 0;
  model_reference asked = *ref;
  bool known = models_recall(s, who, ref, &newest, &ticket);
  if (known && !document && (ref->revision == 0 || ref->revision == newest.revision)) {
    cached_model *held = cache_find(s->cache, ref->owner, newest.sha256);
    if (held) {
      ref->revision = newest.revision;
      memcpy(ref->sha256, newest.sha256, sizeof ref->sha256);
      return held;
    }
  }
  store_model m;
  store_status status = read_revision(s, who, &asked, known, ticket, &m);
  if (status != STORE_OK) {
    store_fault(f, status, ref->name, ref->revision);
    return models_add_meant(s, who, ref->name, f), NULL;
  }
  ref->revision = m.revision;
  memcpy(ref->owner, m.owner, sizeof ref->owner);
  memcpy(ref->sha256, m.sha256, sizeof ref->sha256);
  cached_model *held = hold_text(s, who, m.owner, (span){m.document, strlen(m.document)}, m.sha256, f);
  if (document && held)
    *document = m.document;
  else
    store_model_fini(&m);
  return held;
}

cached_model *models_hold_inline(service *s, const auth_caller *who, const json_t *document, const char *prefix,
                                 char sha256[DIGEST_HEX_SIZE], char **canonical, fault *f) {
  char *written = json_memory_text(document, JSON_COMPACT | JSON_ENCODE_ANY);
  if (!written) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the model"), NULL;
  digest_of(written, strlen(written), sha256);
  cached_model *held = cache_find(s->cache, who->space, sha256);
  if (!held) held = build(s, who, who->space, document, prefix, sha256, f);
  if (canonical && held)
    *canonical = written;
  else
    free(written);
  return held;
}

// ------------------------------------------------------------------------------------------------------- put and get

// The name to store under: the path's, else the document's. One that is only checked may do without: a job carries it.
static bool choose_name(const json_t *document, const model_change *change, char name[STORE_NAME_SIZE], fault *f) {
  const char *asked = change->name, *from = asked ? asked : json_string_value(json_object_get(document, "name"));
  if (!asked && change->validate_only && !json_object_get(document, "name")) return true;
  if (!from)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/name", "the document has no name, under which to store it");
  td_error err = {.status = TD_OK};
  if (!asked && codec_model_name_check(document, &err)) return fault_from_error(f, &err);
  if (!codec_name_valid(from))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "\"%.80s\" is not a name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}",
                     from);
  snprintf(name, STORE_NAME_SIZE, "%s", from);
  return true;
}

// Whose model a change is about: the one that is named, else one's own; of somebody who sees all the shared one, where
// it is the one that the name means.
static bool choose_owner(service *s, const auth_caller *who, const model_change *change, const char *name,
                         char owner[STORE_NAME_SIZE], fault *f) {
  model_reference ref = {.revision = 0};
  const char *named = change->owner && strcmp(change->owner, AUTH_NOBODY) == 0 ? "" : change->owner;
  snprintf(owner, STORE_NAME_SIZE, "%s", named ? named : who->space);
  if (named && *named && !codec_name_valid(named))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the owner \"%.80s\" is not a name", named);
  if (named || !who->sees_all || !*who->space) return may_change(who, owner, name, f);
  snprintf(ref.name, sizeof ref.name, "%s", name);
  store_status status = find(s, who, &ref);
  if (status == STORE_OK && !*ref.owner) *owner = '\0';
  return status == STORE_OK || status == STORE_NOT_FOUND || status == STORE_AMBIGUOUS ||
         store_fault(f, status, name, 0);
}

// 3 and 3.0 are one number, and neither blanks nor the order of members mean anything.
static bool says_the_same(span document, const char *stored) {
  json_t *a = json_loadb(document.bytes, document.size, JSON_DECODE_INT_AS_REAL, NULL),
         *b = json_loads(stored, JSON_DECODE_INT_AS_REAL, NULL);
  bool same = a && b && json_equal(a, b);
  json_decref(a);
  json_decref(b);
  return same;
}

// The newest revision's text in place of another that says the same: only what differs as JSON makes a new one. Whoever
// stores one meanwhile is looked at by the store. The text is *kept's, which the caller frees.
static void take_newest(service *s, const char *owner, const char *name, span *document, char sha256[DIGEST_HEX_SIZE],
                        store_model *kept) {
  store_whose whose = {.owner = owner, .exactly = true};
  *kept = (store_model){.document = NULL};
  if (store_model_get(s->store, &whose, name, 0, kept) != STORE_OK) return;
  if (strcmp(kept->sha256, sha256) == 0) return;
  if (!says_the_same(*document, kept->document)) return;
  memcpy(sha256, kept->sha256, sizeof kept->sha256);
  *document = (span){kept->document, strlen(kept->document)};
}

static bool store_change(service *s, const auth_caller *who, span document, const model_change *change,
                         const char *name, char sha256[DIGEST_HEX_SIZE], store_model *m, store_put_effect *effect,
                         fault *f) {
  char owner[STORE_NAME_SIZE];
  store_keep keep;
  store_model kept;
  if (!choose_owner(s, who, change, name, owner, f) || !bounds_disk(s, who->owns, document.size, f)) return false;
  take_newest(s, owner, name, &document, sha256, &kept);
  store_status status = store_model_put(s->store, change->mode, owner, name, document.bytes, sha256, change->if_match,
                                        bounds_of(s, &keep) ? &keep : NULL, m, effect);
  store_model_fini(&kept);
  cache_forget(s->cache, owner, name);
  if (status == STORE_KEPT) return bounds_fault(&keep, owner, f);
  return status == STORE_OK || store_fault(f, status, name, 0);
}

void model_found_fini(service *s, model_found *found) {
  if (found->held) cache_release(s->cache, found->held);
  store_model_fini(&found->view.row);
  *found = (model_found){.held = NULL};
}

static bool put_parsed(service *s, const auth_caller *who, const json_t *json, span document,
                       const model_change *change, model_found *found, fault *f) {
  char name[STORE_NAME_SIZE] = "", sha256[DIGEST_HEX_SIZE];
  digest_of(document.bytes, document.size, sha256);
  if (!choose_name(json, change, name, f)) return false;
  found->held = cache_find(s->cache, who->space, sha256);
  if (!found->held) found->held = build(s, who, who->space, json, "", sha256, f);
  if (!found->held) return false;
  found->view.model = cached_model_get(found->held);
  return change->validate_only ||
         store_change(s, who, document, change, name, sha256, &found->view.row, &found->effect, f);
}

bool models_put(service *s, const auth_caller *who, span document, const model_change *change, model_found *found,
                fault *f) {
  td_error err = {.status = TD_OK};
  *found = (model_found){.effect = STORE_UNCHANGED};
  json_t *json = codec_parse(document.bytes, document.size, &err);
  if (!json) return fault_from_error(f, &err);
  bool done = put_parsed(s, who, json, document, change, found, f);
  if (!done) model_found_fini(s, found);
  json_decref(json);
  return done;
}

bool models_get(service *s, const auth_caller *who, const model_reference *ref, model_found *found, fault *f) {
  *found = (model_found){.effect = STORE_UNCHANGED};
  store_model *m = &found->view.row;
  store_whose w = whose(who, ref);
  store_status status = ref->owned && !may_see(who, ref->owner)
                            ? STORE_NOT_FOUND
                            : store_model_get(s->store, &w, ref->name, ref->revision, m);
  if (status != STORE_OK)
    return store_fault(f, status, ref->name, ref->revision) || models_add_meant(s, who, ref->name, f);
  found->held = hold_text(s, who, m->owner, (span){m->document, strlen(m->document)}, m->sha256, f);
  if (!found->held) return model_found_fini(s, found), false;
  found->view.model = cached_model_get(found->held);
  return true;
}

bool models_find(service *s, const auth_caller *who, model_reference *ref, fault *f) {
  store_status status = find(s, who, ref);
  return status == STORE_OK || store_fault(f, status, ref->name, 0) || models_add_meant(s, who, ref->name, f);
}

bool models_delete(service *s, const auth_caller *who, const model_reference *ref, const char *if_match, fault *f) {
  model_reference found = *ref;
  store_status status = find(s, who, &found);
  if (status == STORE_OK && !may_change(who, found.owner, found.name, f)) return false;
  if (status == STORE_OK) status = store_model_delete(s->store, found.owner, found.name, if_match, &s->keep);
  cache_forget(s->cache, found.owner, found.name);
  return status == STORE_OK || store_fault(f, status, ref->name, 0) || models_add_meant(s, who, ref->name, f);
}

// ------------------------------------------------------------------------------------------------------------- lists

typedef struct page {
  model_visit visit;
  void *context;
  int count, limit;
  bool more;
  model_view last;
} page;

static void visit_model(void *context, const store_model *m) {
  page *p = context;
  p->more = p->count == p->limit; // one row more than the page was asked for
  if (p->more) return;
  p->count++;
  p->last.row = *m;
  p->visit(p->context, &p->last);
}

bool models_list(service *s, const auth_caller *who, const models_query *q, model_visit visit, void *context,
                 char next[MODELS_CURSOR_SIZE], fault *f) {
  page p = {.visit = visit, .context = context, .limit = q->limit};
  store_visit rows = {.context = &p, .model = visit_model};
  char name[STORE_NAME_SIZE] = "";
  const char *slash = q->cursor ? strchr(q->cursor, '/') : NULL;
  if (q->cursor)
    snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - q->cursor) : (int)strlen(q->cursor), q->cursor);
  model_reference of = {.owned = q->owner != NULL};
  if (q->owner && strcmp(q->owner, AUTH_NOBODY) != 0) snprintf(of.owner, sizeof of.owner, "%s", q->owner);
  store_whose w = whose(who, &of);
  store_status status = STORE_OK;
  *next = '\0';
  if (!of.owned || may_see(who, of.owner))
    status = store_model_list(s->store, &w, name, slash ? slash + 1 : "", q->limit + 1, &rows);
  const store_model *last = &p.last.row;
  if (p.more) snprintf(next, MODELS_CURSOR_SIZE, *last->owner ? "%s/%s" : "%s", last->name, last->owner);
  return status == STORE_OK || fault_from_store(f, status, "the list of models");
}

bool models_revisions(service *s, const model_reference *found, int64_t after, int limit, model_visit visit,
                      void *context, char next[MODELS_CURSOR_SIZE], fault *f) {
  page p = {.visit = visit, .context = context, .limit = limit};
  store_visit rows = {.context = &p, .model = visit_model};
  store_status status = store_model_revisions(s->store, found->owner, found->name, after, limit + 1, &rows);
  *next = '\0';
  if (p.more) snprintf(next, MODELS_CURSOR_SIZE, "%lld", (long long)p.last.row.revision);
  if (status == STORE_OK && p.count == 0 && after == 0) status = STORE_NOT_FOUND;
  return status == STORE_OK || store_fault(f, status, found->name, 0);
}
