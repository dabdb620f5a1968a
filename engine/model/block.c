// Memory that lives as long as a model (block.h). The header of a block takes one cache line before the piece handed
// out.
#include "model/block.h"
#include "base/carve.h"
#include <stdlib.h>
#include <string.h>

struct td_block {
  td_block *next;
  const td_memory *memory; // NULL: nobody has to be asked
};

void *td_block_alloc(td_block **list, size_t count, size_t size) {
  if (size && count > ((size_t)1 << 40) / size) return NULL;
  size_t bytes = (count * size + 2 * TD_CACHE_LINE) / TD_CACHE_LINE * TD_CACHE_LINE + TD_CACHE_LINE;
  const td_memory *memory = *list ? (*list)->memory : NULL;
  if (memory && !memory->take(memory->context, bytes)) return NULL;
  td_block *block = aligned_alloc(TD_CACHE_LINE, bytes);
  if (!block) return NULL;
  memset(block, 0, bytes);
  block->next = *list;
  block->memory = memory;
  *list = block;
  return (char *)block + TD_CACHE_LINE;
}

bool td_block_begin(td_block **list, const td_memory *memory) {
  if (!td_block_alloc(list, 0, 1)) return false;
  (*list)->memory = memory;
  return true;
}

void td_block_free_all(td_block **list) {
  while (*list) {
    td_block *next = (*list)->next;
    free(*list);
    *list = next;
  }
}
