// Jansson's allocations go through here. Each thread sums up its own and adds them to the account now and then; while
// it parses, they are drawn from what was taken for the document beforehand.
#include "codec/json/memory.h"
#include "base/share/budget.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

// Measured of Jansson 2.14 with the allocator of glibc; tests/unit/codec/test_codec_text.c holds them to it.
enum { ARRAY_BYTES = 128, OBJECT_BYTES = 224, KEY_BYTES = 96, STRING_BYTES = 80, OTHER_BYTES = 32, POINTER_BYTES = 16 };
enum { BLOCK_OVERHEAD = 8, FLUSH_BYTES = 64 << 10, MIB = 1 << 20 };

static _Thread_local int64_t pending; // allocated less freed, and not in the account yet
static _Thread_local bool parsing;
static bool watched;

static void count(int64_t bytes) {
  pending += bytes;
  if (parsing || (pending < FLUSH_BYTES && pending > -FLUSH_BYTES)) return;
  budget_count(BUDGET_PARSING, pending);
  pending = 0;
}

static void *allocate(size_t size) {
  void *p = malloc(size);
  if (p) count((int64_t)malloc_usable_size(p) + BLOCK_OVERHEAD);
  return p;
}

static void release(void *p) {
  if (!p) return;
  count(-(int64_t)malloc_usable_size(p) - BLOCK_OVERHEAD);
  free(p);
}

void json_memory_watch(void) {
  json_set_alloc_funcs(allocate, release);
  watched = true;
}

char *json_memory_text(const json_t *json, size_t flags) {
  char *text = json_dumps(json, flags);
  if (text && watched) count(-(int64_t)malloc_usable_size(text) - BLOCK_OVERHEAD);
  return text;
}

size_t json_memory_estimate(const json_count *c) {
  size_t texts = c->strings > c->keys ? c->strings - c->keys : 0, others = c->arrays + c->objects + texts;
  others = c->values > others ? c->values - others : 0;
  return ARRAY_BYTES * c->arrays + OBJECT_BYTES * c->objects + KEY_BYTES * c->keys + STRING_BYTES * texts +
         OTHER_BYTES * others + POINTER_BYTES * c->values + c->text;
}

static td_status take(size_t size, size_t bytes, td_error *err) {
  size_t most = (size_t)CODEC_TREE_BASE + (size_t)CODEC_TREE_FACTOR * size;
  if (bytes > most)
    return td_fail(err, TD_LIMIT, "",
                   "the document of %zu bytes would take %zu MiB of memory, more than %zu MiB (%d MiB and %d times its "
                   "size): it is mostly brackets",
                   size, bytes / MIB, most / MIB, CODEC_TREE_BASE / MIB, CODEC_TREE_FACTOR);
  budget_answer answer = budget_take(BUDGET_PARSING, bytes);
  if (answer == BUDGET_NEVER)
    return td_fail(err, TD_LIMIT, "",
                   "the document would take %zu MiB of memory, and this server gives %llu MiB to one", bytes / MIB,
                   (unsigned long long)budget_most(BUDGET_PARSING) / MIB);
  if (answer == BUDGET_FULL)
    return td_fail(err, TD_NO_MEMORY, "", "the server has no memory for the document now (%zu MiB): try again later",
                   bytes / MIB);
  return TD_OK;
}

td_status json_memory_load(const char *bytes, size_t size, const json_count *c, size_t flags, json_t **tree,
                           json_error_t *e, td_error *err) {
  size_t estimate = json_memory_estimate(c);
  td_status status = take(size, estimate, err);
  *tree = NULL;
  if (status != TD_OK) return status;
  int64_t before = pending;
  parsing = true;
  *tree = json_loadb(bytes, size, flags, e);
  parsing = false;
  int64_t drawn = pending - before;
  pending = before;
  budget_count(BUDGET_PARSING, drawn - (int64_t)estimate);
  return TD_OK;
}
