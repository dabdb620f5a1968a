#include "base/carve.h"
#include <stdlib.h>
#include <string.h>

static size_t carve(const td_array *array, size_t count, char *base) {
  td_carver c = {.base = base};
  for (size_t i = 0; i < count; i++) {
    double *piece = td_carve(&c, array[i].count, sizeof(double));
    if (base) *array[i].at = piece;
  }
  return c.used;
}

bool td_carve_arrays(const td_array *array, size_t count) {
  size_t size = carve(array, count, NULL) + TD_CACHE_LINE; // of arrays that are all empty there is a block, too
  char *block = aligned_alloc(TD_CACHE_LINE, size);
  if (!block) return false;
  memset(block, 0, size);
  carve(array, count, block);
  return true;
}
