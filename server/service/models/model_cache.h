// Frozen models by the SHA-256 of their document, shared by all threads, each with a pool of workspaces.
//
// A cached model is immutable; what a thread writes is the workspace it takes and gives back. A model that nobody holds
// makes room, for another one or for whatever the budget has no memory for (cache_create asks to be told): the least
// recently used of the owner who has most, so nobody's are driven out by the storm of another. A small memo maps names
// of an owner to what their newest revision is, or that there is none; every write of a model forgets its name (the
// server is the only writer).
#ifndef SERVER_SERVICE_MODEL_CACHE_H
#define SERVER_SERVICE_MODEL_CACHE_H

#include "base/digest.h"
#include "base/share/budget.h"
#include "service/fault.h"
#include "service/models/cached_parameters.h"
#include "tendril/model.h"

#include <stdint.h>

typedef struct model_cache model_cache;
typedef struct cached_model cached_model;

model_cache *cache_create(void);
void cache_destroy(model_cache *cache);

/// Holds the model of an owner's document until cache_release; NULL when it is not cached. Nobody finds what others
/// have: how long an answer takes would tell that they have it. A model that all share has the owner "".
cached_model *cache_find(model_cache *cache, const char *owner, const char *sha256);
/// Adds a model (taking it over, with what was taken of BUDGET_MODELS for it) and holds it. When another thread was
/// first, its model is used. NULL: not enough memory.
cached_model *cache_insert(model_cache *cache, const char *owner, const char *sha256, td_model *model, uint64_t bytes);
/// Holds what is held already once more.
void cache_retain(model_cache *cache, cached_model *held);
void cache_release(model_cache *cache, cached_model *held);
const td_model *cached_model_get(const cached_model *held);

/// Holds the model frozen around the parameters of a key (cached_parameters_key) until cache_release_parameters; NULL:
/// it has to be made. Whoever holds it holds the model.
cached_parameters *cache_find_parameters(model_cache *cache, cached_model *held, const char *key);
/// Adds what was made (taking it over) and holds it. When another thread was first, its own is used.
cached_parameters *cache_insert_parameters(model_cache *cache, cached_model *held, cached_parameters *made);
void cache_release_parameters(model_cache *cache, cached_model *held, cached_parameters *parameters);

/// How many workspaces there can be at a time beside the model if the server keeps no other: 0 when it is too large to
/// be evaluated.
uint64_t cached_model_room(const cached_model *held);
/// A workspace of the model for the calling thread, NULL when there is not enough memory; give it back before
/// cache_release.
td_workspace *cached_model_take(cached_model *held);
void cached_model_give(cached_model *held, td_workspace *ws);

/// What is taken for a model that is being built: the context of a td_memory.
typedef struct model_account {
  uint64_t bytes;
  budget_answer answer; ///< of the last take
} model_account;
bool model_account_take(void *account, size_t bytes);
/// Why the model could not be built: too large for this server, no memory now, or what *err says.
void model_account_fault(const model_account *account, const char *prefix, const td_error *err, fault *f);

typedef struct cached_name {
  int64_t revision; ///< 0: the owner has no model of this name
  char sha256[DIGEST_HEX_SIZE];
} cached_name;
/// What the model `name` of an owner was last known to be. When unknown, *ticket is for cache_remember.
bool cache_find_name(model_cache *cache, const char *owner, const char *name, cached_name *found, uint64_t *ticket);
/// Remembers what was read from the store after the ticket was drawn; ignored when a model was written since.
void cache_remember(model_cache *cache, const char *owner, const char *name, const cached_name *found, uint64_t ticket);
/// To be called after every committed change of a name.
void cache_forget(model_cache *cache, const char *owner, const char *name);

#endif
