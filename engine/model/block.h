// Memory that lives as long as a model: a list of zeroed, cache-line-aligned blocks, freed together.
#ifndef TENDRIL_MODEL_BLOCK_H
#define TENDRIL_MODEL_BLOCK_H

#include <stddef.h>

typedef struct td_block td_block;

/// count * size zeroed bytes owned by the list, 64-byte aligned; NULL when memory is short. A count of 0 gives a valid pointer.
void *td_block_alloc(td_block **list, size_t count, size_t size);
void td_block_free_all(td_block **list);

#endif
