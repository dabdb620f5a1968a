// One mutex over an array of entries: with CACHE_MODELS entries a linear search is shorter than any cleverness.
//
// Invariants: refs counts holders; an entry with refs == 0 may be evicted; a workspace outside its pool implies refs >
// 0.
#include "service/models/model_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_MODELS = 64, CACHE_NAMES = 512, NAME_SIZE = 64, LARGE_MODEL = 1 << 20 };

struct cached_model {
  char owner[NAME_SIZE], sha256[DIGEST_HEX_SIZE];
  td_model *model;
  uint64_t bytes; // taken of BUDGET_MODELS for the model; workspaces take theirs
  int refs;
  uint64_t used; // by the cache's clock, for eviction
  workspaces workspaces;
  parameter_shelf shelf;
};

struct model_cache {
  pthread_mutex_t lock;
  cached_model *entries[CACHE_MODELS];
  uint64_t clock;
  struct {
    char owner[NAME_SIZE], name[NAME_SIZE]; // name "": free
    cached_name value;
  } names[CACHE_NAMES]; // direct-mapped: a collision just forgets
  uint64_t writes;      // changes of any name: stale reads are told by it
};

// ------------------------------------------------------------------------------------------------------------- memory

static td_status create_workspace(const void *of, void **ws) { return td_workspace_create(of, (td_workspace **)ws); }
static void destroy_workspace(void *ws) { td_workspace_destroy(ws); }

static void destroy_entry(cached_model *m) {
  if (!m) return;
  for (cached_parameters *p; (p = shelf_take_oldest(&m->shelf));) cached_parameters_destroy(p);
  workspaces_fini(&m->workspaces);
  td_model_destroy(m->model);
  budget_give(BUDGET_MODELS, m->bytes);
  free(m);
}

// What an owner's models take: bytes (each with a workspace), or places.
static uint64_t load_of(const model_cache *cache, const char *owner, bool in_bytes) {
  uint64_t load = 0;
  for (int i = 0; i < CACHE_MODELS; i++) {
    const cached_model *m = cache->entries[i];
    if (m && strcmp(m->owner, owner) == 0)
      load += in_bytes ? m->bytes + m->workspaces.bytes + shelf_bytes(&m->shelf) : 1;
  }
  return load;
}

// A storm of one owner's models costs himself: of those that nobody holds one of the owner who has most goes, a large
// one where bytes are wanted (to build a small one again costs more than it brings), the least recently used.
// `newcomer`: whose the next one is.
static int find_victim(const model_cache *cache, const char *newcomer, bool in_bytes) {
  int best = -1;
  uint64_t most = 0;
  for (int i = 0; i < CACHE_MODELS; i++) {
    const cached_model *m = cache->entries[i], *b = best < 0 ? NULL : cache->entries[best];
    if (!m || m->refs > 0) continue;
    uint64_t load = load_of(cache, m->owner, in_bytes) + (newcomer && strcmp(m->owner, newcomer) == 0);
    bool larger = in_bytes && b && (m->bytes >= LARGE_MODEL) != (b->bytes >= LARGE_MODEL);
    bool before = !b || (load != most ? load > most : larger ? m->bytes >= LARGE_MODEL : m->used < b->used);
    if (before) best = i, most = load;
  }
  return best;
}

static cached_model *remove_one(model_cache *cache) {
  pthread_mutex_lock(&cache->lock);
  int victim = find_victim(cache, NULL, true);
  cached_model *removed = victim < 0 ? NULL : cache->entries[victim];
  assert(!removed || removed->refs == 0);
  if (removed) cache->entries[victim] = NULL;
  pthread_mutex_unlock(&cache->lock);
  return removed;
}

// Of the owner who has most the set that was used longest ago among those of one of his models.
static cached_parameters *remove_parameters(model_cache *cache) {
  cached_parameters *removed = NULL;
  uint64_t most = 0;
  pthread_mutex_lock(&cache->lock);
  cached_model *victim = NULL;
  for (int i = 0; i < CACHE_MODELS; i++) {
    cached_model *m = cache->entries[i];
    uint64_t load = m && shelf_has_idle(&m->shelf) ? load_of(cache, m->owner, true) : 0;
    if (load > most) most = load, victim = m;
  }
  if (victim) removed = shelf_take_oldest(&victim->shelf);
  pthread_mutex_unlock(&cache->lock);
  return removed;
}

// What was frozen around models goes first: they are still there to be frozen around again.
static void reclaim(void *context, uint64_t bytes) {
  uint64_t freed = 0;
  for (cached_parameters *p; freed < bytes && (p = remove_parameters(context));) {
    freed += p->bytes + (uint64_t)p->workspaces.idle_count * p->workspaces.bytes;
    cached_parameters_destroy(p);
  }
  for (cached_model *m; freed < bytes && (m = remove_one(context));) {
    freed += m->bytes + shelf_bytes(&m->shelf) + (uint64_t)m->workspaces.idle_count * m->workspaces.bytes;
    destroy_entry(m);
  }
}

bool model_account_take(void *context, size_t bytes) {
  model_account *a = context;
  if (a->answer != BUDGET_TAKEN) return false; // a model that lacks a piece is given up
  bool never = bytes > budget_most(BUDGET_MODELS) || a->bytes > budget_most(BUDGET_MODELS) - bytes;
  a->answer = never ? BUDGET_NEVER : budget_take(BUDGET_MODELS, bytes);
  if (a->answer == BUDGET_TAKEN) a->bytes += bytes;
  return a->answer == BUDGET_TAKEN;
}

void model_account_fault(const model_account *a, const char *prefix, const td_error *err, fault *f) {
  enum { MIB_SHIFT = 20 };
  if (a->answer == BUDGET_NEVER)
    fault_set(f, PROBLEM_TOO_LARGE, prefix,
              "the model takes more memory than this server gives to one (%llu MiB): fewer points, modes or links",
              (unsigned long long)budget_most(BUDGET_MODELS) >> MIB_SHIFT);
  else if (a->answer == BUDGET_FULL)
    fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the server has no memory for the model now: try again later");
  else
    fault_from_error(f, err);
}

model_cache *cache_create(void) {
  model_cache *cache = calloc(1, sizeof *cache);
  if (!cache) return NULL;
  pthread_mutex_init(&cache->lock, NULL);
  budget_on_full(reclaim, cache);
  return cache;
}

void cache_destroy(model_cache *cache) {
  if (!cache) return;
  budget_on_full(NULL, NULL);
  for (int i = 0; i < CACHE_MODELS; i++) destroy_entry(cache->entries[i]);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

// --------------------------------------------------------------------------------------------- under cache->lock

static cached_model *hold(model_cache *cache, const char *owner, const char *sha256) {
  for (int i = 0; i < CACHE_MODELS; i++) {
    cached_model *m = cache->entries[i];
    if (!m || memcmp(m->sha256, sha256, DIGEST_HEX_SIZE) != 0 || strcmp(m->owner, owner) != 0) continue;
    m->refs++;
    m->used = ++cache->clock;
    return m;
  }
  return NULL;
}

// Index to put a new entry at: an empty one, else that of one that nobody holds, else -1.
static int make_room(const model_cache *cache, const char *owner) {
  for (int i = 0; i < CACHE_MODELS; i++)
    if (!cache->entries[i]) return i;
  return find_victim(cache, owner, false);
}

// ------------------------------------------------------------------------------------------------------ the interface

cached_model *cache_find(model_cache *cache, const char *owner, const char *sha256) {
  pthread_mutex_lock(&cache->lock);
  cached_model *m = hold(cache, owner, sha256);
  pthread_mutex_unlock(&cache->lock);
  return m;
}

static cached_model *make_entry(const char *owner, const char *sha256, td_model *model, uint64_t bytes) {
  cached_model *m = calloc(1, sizeof *m);
  if (!m) return td_model_destroy(model), budget_give(BUDGET_MODELS, bytes), NULL;
  m->bytes = bytes;
  memcpy(m->sha256, sha256, DIGEST_HEX_SIZE);
  snprintf(m->owner, sizeof m->owner, "%s", owner);
  m->model = model;
  m->refs = 1;
  workspaces_init(&m->workspaces, model, td_workspace_bytes(model), create_workspace, destroy_workspace);
  return m;
}

cached_model *cache_insert(model_cache *cache, const char *owner, const char *sha256, td_model *model, uint64_t bytes) {
  cached_model *made = make_entry(owner, sha256, model, bytes), *evicted = NULL;
  if (!made) return NULL;
  pthread_mutex_lock(&cache->lock);
  cached_model *first = hold(cache, owner, sha256);
  int place = first ? -1 : make_room(cache, owner);
  if (place >= 0) {
    evicted = cache->entries[place];
    assert(!evicted || evicted->refs == 0);
    made->used = ++cache->clock;
    cache->entries[place] = made;
  }
  pthread_mutex_unlock(&cache->lock);
  destroy_entry(evicted);
  if (first) destroy_entry(made);
  return first ? first : made; // place < 0: every entry is held; this one lives outside and dies on release
}

void cache_retain(model_cache *cache, cached_model *held) {
  pthread_mutex_lock(&cache->lock);
  assert(held->refs > 0); // by who asks
  held->refs++;
  pthread_mutex_unlock(&cache->lock);
}

void cache_release(model_cache *cache, cached_model *held) {
  pthread_mutex_lock(&cache->lock);
  assert(held->refs > 0);
  bool outside = --held->refs == 0;
  for (int i = 0; outside && i < CACHE_MODELS; i++) outside = cache->entries[i] != held;
  pthread_mutex_unlock(&cache->lock);
  if (outside) destroy_entry(held);
}

const td_model *cached_model_get(const cached_model *held) { return held->model; }

// Small takes have a reserve to themselves.
uint64_t cached_model_room(const cached_model *held) {
  uint64_t most = budget_most(BUDGET_MODELS), each = held->workspaces.bytes;
  if (each <= BUDGET_SMALL_BYTES) return UINT64_MAX;
  return held->bytes < most ? (most - held->bytes) / each : 0;
}

td_workspace *cached_model_take(cached_model *held) { return workspaces_take(&held->workspaces); }
void cached_model_give(cached_model *held, td_workspace *ws) { workspaces_give(&held->workspaces, ws); }

// --------------------------------------------------------------------------------------------------------- parameters

static cached_parameters *hold_parameters(model_cache *cache, cached_model *held, const char *key) {
  cached_parameters *p = shelf_find(&held->shelf, key);
  if (!p) return NULL;
  p->refs++;
  p->used = ++cache->clock;
  return p;
}

cached_parameters *cache_find_parameters(model_cache *cache, cached_model *held, const char *key) {
  pthread_mutex_lock(&cache->lock);
  cached_parameters *p = hold_parameters(cache, held, key);
  pthread_mutex_unlock(&cache->lock);
  return p;
}

cached_parameters *cache_insert_parameters(model_cache *cache, cached_model *held, cached_parameters *made) {
  cached_parameters *evicted = NULL;
  pthread_mutex_lock(&cache->lock);
  cached_parameters *first = hold_parameters(cache, held, made->key);
  if (!first && held->shelf.count >= SHELF_SETS) evicted = shelf_take_oldest(&held->shelf);
  if (!first && held->shelf.count < SHELF_SETS) {
    made->used = ++cache->clock;
    shelf_put(&held->shelf, made);
  }
  pthread_mutex_unlock(&cache->lock);
  cached_parameters_destroy(evicted);
  if (first) cached_parameters_destroy(made);
  return first ? first : made; // a shelf of which all are held: this one lies beside it and dies on release
}

void cache_release_parameters(model_cache *cache, cached_model *held, cached_parameters *p) {
  pthread_mutex_lock(&cache->lock);
  bool beside = --p->refs == 0 && !shelf_has(&held->shelf, p);
  pthread_mutex_unlock(&cache->lock);
  if (beside) cached_parameters_destroy(p);
}

// -------------------------------------------------------------------------------------------------------------- names

static unsigned add_to_hash(unsigned hash, const char *text) { // FNV-1a, the end of the text included
  do hash = (hash ^ (unsigned char)*text) * 16777619u;
  while (*text++);
  return hash;
}

static unsigned place_of(const char *owner, const char *name) {
  return add_to_hash(add_to_hash(2166136261u, owner), name) % CACHE_NAMES;
}

static bool is_at(const model_cache *cache, unsigned i, const char *owner, const char *name) {
  return *name && strcmp(cache->names[i].name, name) == 0 && strcmp(cache->names[i].owner, owner) == 0;
}

bool cache_find_name(model_cache *cache, const char *owner, const char *name, cached_name *found, uint64_t *ticket) {
  unsigned i = place_of(owner, name);
  pthread_mutex_lock(&cache->lock);
  bool known = is_at(cache, i, owner, name);
  if (known) *found = cache->names[i].value;
  *ticket = cache->writes;
  pthread_mutex_unlock(&cache->lock);
  return known;
}

void cache_remember(model_cache *cache, const char *owner, const char *name, const cached_name *found,
                    uint64_t ticket) {
  unsigned i = place_of(owner, name);
  pthread_mutex_lock(&cache->lock);
  if (cache->writes == ticket) {
    snprintf(cache->names[i].owner, NAME_SIZE, "%s", owner);
    snprintf(cache->names[i].name, NAME_SIZE, "%s", name);
    cache->names[i].value = *found;
  }
  pthread_mutex_unlock(&cache->lock);
}

void cache_forget(model_cache *cache, const char *owner, const char *name) {
  unsigned i = place_of(owner, name);
  pthread_mutex_lock(&cache->lock);
  cache->writes++;
  if (is_at(cache, i, owner, name)) cache->names[i].name[0] = '\0';
  pthread_mutex_unlock(&cache->lock);
}
