// A bump allocator: everything read from one document lives and dies together.
//
// Memory comes zeroed and 16-aligned; it is freed only as a whole. The limit bounds what one hostile document can take.
// Not thread-safe: one arena belongs to one thread at a time.
#ifndef TENDRIL_BASE_ARENA_H
#define TENDRIL_BASE_ARENA_H

#include "base/share/budget.h"

#include <stddef.h>

typedef struct arena arena;

enum { ARENA_DEFAULT_LIMIT = 1 << 30 };

/// An empty arena that hands out at most ARENA_DEFAULT_LIMIT bytes; NULL when there is not enough memory.
arena *arena_create(void);
/// The same with a limit of one's own.
arena *arena_create_limited(size_t limit);
/// The account that it takes its blocks from, before it has any; otherwise BUDGET_PARSING. A refusal is like memory
/// that is short.
void arena_use(arena *a, budget_account account);
/// `size` zeroed bytes, 16-aligned; NULL when there is not enough memory or the limit is reached. size 0 gives a valid
/// pointer.
void *arena_alloc(arena *a, size_t size);
/// `count` elements of `size` bytes, overflow checked.
void *arena_array(arena *a, size_t count, size_t size);
/// A copy of a NUL-terminated string; NULL as arena_alloc.
char *arena_strdup(arena *a, const char *text);
/// A NUL-terminated copy of `length` bytes.
char *arena_strndup(arena *a, const char *text, size_t length);
/// Frees everything. NULL is allowed.
void arena_destroy(arena *a);

#endif
