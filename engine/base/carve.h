// The one place that measures and assigns memory. Carving code runs twice, first with base == NULL to learn the size,
// then with a block of that size to hand out pointers; where all pieces are arrays of doubles, a list of them is enough
// (TD_CARVE). Every piece starts on a cache line.
#ifndef TENDRIL_BASE_CARVE_H
#define TENDRIL_BASE_CARVE_H

#include <stdbool.h>
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

/// An array of doubles: whose pointer is to be set, and how many.
typedef struct td_array {
  double **at;
  size_t count;
} td_array;

/// Allocates one block of zeros for all of them and sets their pointers. The first one's is the block: free() that.
/// False: there is no memory, and no pointer was touched.
bool td_carve_arrays(const td_array *array, size_t count);
/// TD_CARVE({&s->K, n * n}, {&s->x, n}, …)
#define TD_CARVE(...)                                                                                                  \
  td_carve_arrays((const td_array[]){__VA_ARGS__}, sizeof((const td_array[]){__VA_ARGS__}) / sizeof(td_array))

#endif
