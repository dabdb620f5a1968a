// Memory that lives as long as a model: a list of zeroed, cache-line-aligned blocks, freed together.
#ifndef TENDRIL_MODEL_BLOCK_H
#define TENDRIL_MODEL_BLOCK_H

#include "tendril/model.h"
#include <stddef.h>

typedef struct td_block td_block;

/// The first block of a list, which asks `memory` from now on; it outlives the last td_block_alloc. False: memory is
/// short.
bool td_block_begin(td_block **list, const td_memory *memory);
/// count * size zeroed bytes owned by the list, 64-byte aligned; NULL when there is not enough memory or refused. A
/// count of 0 gives a valid pointer.
void *td_block_alloc(td_block **list, size_t count, size_t size);
void td_block_free_all(td_block **list);

#endif
