// Sets of neighbours on shelves of SHELF_SETS: lists, as a shelf is short.
#include "service/models/cached_parameters.h"
#include "base/share/budget.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void cached_parameters_key(const parameter_list *list, char key[DIGEST_HEX_SIZE]) {
  digest d;
  digest_init(&d);
  for (size_t i = 0; i < list->count; i++) {
    const parameter_place *place = &list->place[i];
    digest_update(&d, place->path, strlen(place->path) + 1);
    for (size_t k = 0; k < place->also_count; k++) {
      digest_update(&d, "+", 1); // no path begins so
      digest_update(&d, place->also[k], strlen(place->also[k]) + 1);
    }
  }
  digest_hex(&d, key);
}

static td_status create(const void *of, void **ws) {
  return td_parameter_workspace_create(of, (td_parameter_workspace **)ws);
}
static void destroy(void *ws) { td_parameter_workspace_destroy(ws); }

cached_parameters *cached_parameters_make(const char *key, arena *memory, const parameter_set *set,
                                          td_parameters *parameters, uint64_t bytes) {
  cached_parameters *p = calloc(1, sizeof *p);
  if (!p) {
    td_parameters_destroy(parameters);
    arena_destroy(memory);
    return budget_give(BUDGET_MODELS, bytes), NULL;
  }
  memcpy(p->key, key, sizeof p->key);
  p->memory = memory;
  p->set = *set;
  p->parameters = parameters;
  p->bytes = bytes;
  p->refs = 1;
  workspaces_init(&p->workspaces, parameters, td_parameter_workspace_bytes(parameters), create, destroy);
  return p;
}

void cached_parameters_destroy(cached_parameters *p) {
  if (!p) return;
  workspaces_fini(&p->workspaces);
  td_parameters_destroy(p->parameters);
  budget_give(BUDGET_MODELS, p->bytes);
  arena_destroy(p->memory);
  free(p);
}

// Small takes have a reserve to themselves.
uint64_t cached_parameters_room(const cached_parameters *p) {
  uint64_t most = budget_most(BUDGET_MODELS), each = p->workspaces.bytes;
  if (each <= BUDGET_SMALL_BYTES) return UINT64_MAX;
  return p->bytes < most ? (most - p->bytes) / each : 0;
}

td_parameter_workspace *cached_parameters_take(cached_parameters *p) { return workspaces_take(&p->workspaces); }
void cached_parameters_give(cached_parameters *p, td_parameter_workspace *ws) { workspaces_give(&p->workspaces, ws); }

cached_parameters *shelf_find(const parameter_shelf *shelf, const char *key) {
  for (cached_parameters *p = shelf->first; p; p = p->next)
    if (memcmp(p->key, key, DIGEST_HEX_SIZE) == 0) return p;
  return NULL;
}

static void unlink_from(parameter_shelf *shelf, cached_parameters *p) {
  cached_parameters **at = &shelf->first;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  p->next = NULL;
  shelf->count--;
}

cached_parameters *shelf_take_oldest(parameter_shelf *shelf) {
  cached_parameters *oldest = NULL;
  for (cached_parameters *p = shelf->first; p; p = p->next)
    if (p->refs == 0 && (!oldest || p->used < oldest->used)) oldest = p;
  if (oldest) unlink_from(shelf, oldest);
  return oldest;
}

void shelf_put(parameter_shelf *shelf, cached_parameters *p) {
  assert(!p->next && !shelf_has(shelf, p));
  p->next = shelf->first;
  shelf->first = p;
  shelf->count++;
}

bool shelf_has_idle(const parameter_shelf *shelf) {
  for (const cached_parameters *p = shelf->first; p; p = p->next)
    if (p->refs == 0) return true;
  return false;
}

bool shelf_has(const parameter_shelf *shelf, const cached_parameters *p) {
  for (const cached_parameters *at = shelf->first; at; at = at->next)
    if (at == p) return true;
  return false;
}

uint64_t shelf_bytes(const parameter_shelf *shelf) {
  uint64_t bytes = 0;
  for (const cached_parameters *p = shelf->first; p; p = p->next) bytes += p->bytes;
  return bytes;
}
