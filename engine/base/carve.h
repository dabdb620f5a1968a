// The one place that measures and assigns memory: the same carving code runs twice, first with base == NULL to learn the
// size, then with a block of that size to hand out pointers. Every piece starts on a cache line.
#ifndef TENDRIL_BASE_CARVE_H
#define TENDRIL_BASE_CARVE_H

#include <stddef.h>

enum { TD_CACHE_LINE = 64 };

typedef struct td_carver {
  char *base; ///< NULL: only measure
  size_t used;
} td_carver;

static inline void *td_carve(td_carver *c, size_t count, size_t size) {
  char *piece = c->base ? c->base + c->used : NULL;
  c->used += (count * size + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
  return piece;
}

#endif
