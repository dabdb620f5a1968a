// Memory that lives as long as a model (block.h). The header of a block takes one cache line before the piece handed out.
#include "model/block.h"
#include "base/carve.h"
#include <stdlib.h>
#include <string.h>

struct td_block {
  td_block *next;
};

void *td_block_alloc(td_block **list, size_t count, size_t size) {
  if (size && count > ((size_t)1 << 40) / size) return NULL;
  size_t bytes = (count * size + 2 * TD_CACHE_LINE) / TD_CACHE_LINE * TD_CACHE_LINE + TD_CACHE_LINE;
  td_block *block = aligned_alloc(TD_CACHE_LINE, bytes);
  if (!block) return NULL;
  memset(block, 0, bytes);
  block->next = *list;
  *list = block;
  return (char *)block + TD_CACHE_LINE;
}

void td_block_free_all(td_block **list) {
  while (*list) {
    td_block *next = (*list)->next;
    free(*list);
    *list = next;
  }
}
