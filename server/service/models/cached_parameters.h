// A model frozen around its parameters: kept on the shelf of the cached model that it belongs to, so that a second
// request by the same parameters freezes nothing. The shelf has no lock of its own: it lies under the cache's.
#ifndef SERVER_SERVICE_CACHED_PARAMETERS_H
#define SERVER_SERVICE_CACHED_PARAMETERS_H

#include "base/digest.h"
#include "codec/document/parameters/parameters.h"
#include "service/models/workspaces.h"
#include "tendril/parameters.h"

typedef struct cached_parameters cached_parameters;
struct cached_parameters {
  char key[DIGEST_HEX_SIZE]; ///< of the list of places
  arena *memory;             ///< of the set
  parameter_set set;
  td_parameters *parameters;
  uint64_t bytes; ///< taken of BUDGET_MODELS for neighbours
  workspaces workspaces;
  int refs;      ///< holders
  uint64_t used; ///< by the cache's clock
  cached_parameters *next;
};

/// What a list of places is known by; names make no difference.
void cached_parameters_key(const parameter_list *list, char key[DIGEST_HEX_SIZE]);
/// Held by one; everything is taken over, also when it fails (NULL: not enough memory).
cached_parameters *cached_parameters_make(const char *key, arena *memory, const parameter_set *set,
                                          td_parameters *parameters, uint64_t bytes);
/// NULL is allowed.
void cached_parameters_destroy(cached_parameters *p);
/// How many workspaces there can be at a time if the server keeps nothing else.
uint64_t cached_parameters_room(const cached_parameters *p);
td_parameter_workspace *cached_parameters_take(cached_parameters *p);
void cached_parameters_give(cached_parameters *p, td_parameter_workspace *ws);

typedef struct parameter_shelf {
  cached_parameters *first;
  int count;
} parameter_shelf;
enum { SHELF_SETS = 8 };

/// Those of a key, not held by this; NULL: there are none.
cached_parameters *shelf_find(const parameter_shelf *shelf, const char *key);
/// Takes the one that nobody holds and that was used longest ago off the shelf; NULL: there is none.
cached_parameters *shelf_take_oldest(parameter_shelf *shelf);
void shelf_put(parameter_shelf *shelf, cached_parameters *p);
/// There is one that nobody holds.
bool shelf_has_idle(const parameter_shelf *shelf);
bool shelf_has(const parameter_shelf *shelf, const cached_parameters *p);
/// Bytes of all, workspaces aside.
uint64_t shelf_bytes(const parameter_shelf *shelf);

#endif
