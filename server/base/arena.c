// Bump allocation in blocks that double up to 1 MiB; a request larger than a block gets one of its own.
//
// Invariants: every block's `used` <= `capacity`; handed-out memory is zeroed (blocks come from calloc, which for large
// ones is untouched pages) and never moves; the sum of what was handed out stays at or below `limit`.
#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGNMENT = 16, LEAST_COUNTED = 32 << 10 };

typedef struct block {
  struct block *next;
  size_t used, capacity;
  size_t pad; // keeps data 16-aligned
  unsigned char data[];
} block;

struct arena {
  block *blocks; // the one that is filled first
  size_t block_size, total, limit;
  budget_account account;
  size_t taken; // from it
};

arena *arena_create(void) { return arena_create_limited(ARENA_DEFAULT_LIMIT); }

arena *arena_create_limited(size_t limit) {
  arena *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->block_size = FIRST_BLOCK;
  a->limit = limit;
  a->account = BUDGET_PARSING;
  return a;
}

void arena_use(arena *a, budget_account account) {
  assert(!a->blocks);
  a->account = account;
}

// Small blocks are not counted: most documents have no others.
static size_t counted(size_t capacity) { return capacity >= LEAST_COUNTED ? capacity : 0; }

static block *block_create(arena *a, size_t capacity) {
  size_t bytes = counted(capacity);
  if (bytes > 0 && budget_take(a->account, bytes) != BUDGET_TAKEN) return NULL;
  block *b = calloc(1, sizeof *b + capacity);
  if (!b && bytes > 0) budget_give(a->account, bytes);
  if (!b) return NULL;
  b->capacity = capacity;
  a->taken += bytes;
  return b;
}

// A block of its own goes second in the list, so that the room left in the first is still used.
static void *alloc_large(arena *a, size_t size) {
  block *b = block_create(a, size);
  if (!b) return NULL;
  b->used = size;
  if (a->blocks) {
    b->next = a->blocks->next;
    a->blocks->next = b;
  } else {
    a->blocks = b;
  }
  return b->data;
}

void *arena_alloc(arena *a, size_t size) {
  if (size > a->limit) return NULL;
  size = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (size > a->limit || a->total > a->limit - size) return NULL;
  a->total += size;
  block *b = a->blocks;
  if (!b || b->capacity - b->used < size) {
    if (size > a->block_size / 4) return alloc_large(a, size);
    b = block_create(a, a->block_size);
    if (!b) return NULL;
    b->next = a->blocks;
    a->blocks = b;
    if (a->block_size < LARGEST_BLOCK) a->block_size *= 2;
  }
  void *p = b->data + b->used;
  b->used += size;
  return p;
}

void *arena_array(arena *a, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  return arena_alloc(a, count * size);
}

char *arena_strndup(arena *a, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? arena_alloc(a, length + 1) : NULL;
  if (copy && length > 0) memcpy(copy, text, length);
  return copy;
}

char *arena_strdup(arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

void arena_destroy(arena *a) {
  if (!a) return;
  if (a->taken > 0) budget_give(a->account, a->taken);
  for (block *b = a->blocks; b;) {
    block *next = b->next;
    free(b);
    b = next;
  }
  free(a);
}
