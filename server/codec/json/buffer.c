// The growing byte buffer of replies.
//
// Invariants: size <= capacity; after `failed` nothing is written and size stays, so that a writer checks once at its
// end.
#include "codec/json/number.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

void codec_buffer_init(codec_buffer *b, size_t limit) {
  *b = (codec_buffer){.limit = limit ? limit : SIZE_MAX / 4, .account = BUDGET_REPLIES};
}

void codec_buffer_use(codec_buffer *b, budget_account account) { b->account = account; }

static void give_back(codec_buffer *b) {
  if (b->taken > 0) budget_give(b->account, b->taken);
  b->taken = 0;
}

// Room for `capacity` bytes in the account.
static bool take(codec_buffer *b, size_t capacity) {
  assert(b->size <= capacity);
  if (capacity <= CODEC_BUFFER_COUNTED || capacity <= b->taken) return true;
  b->refusal = budget_take(b->account, capacity - b->taken);
  if (b->refusal != BUDGET_TAKEN) return false;
  b->taken = capacity;
  return true;
}

void codec_buffer_fini(codec_buffer *b) {
  free(b->data);
  give_back(b);
  *b = (codec_buffer){0};
}

static bool grow(codec_buffer *b, size_t needed) {
  size_t capacity = b->capacity ? b->capacity : FIRST_CAPACITY;
  while (capacity < needed) capacity *= 2;
  if (capacity > b->limit) capacity = b->limit;
  char *data = take(b, capacity) ? realloc(b->data, capacity) : NULL;
  if (!data) return false;
  b->data = data;
  b->capacity = capacity;
  return true;
}

char *codec_buffer_reserve(codec_buffer *b, size_t size) {
  if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) b->failed = b->stopped = true;
  if (b->failed) return NULL;
  if (b->size > b->limit || size > b->limit - b->size) return b->failed = true, NULL;
  if (b->capacity - b->size < size && !grow(b, b->size + size)) return b->failed = true, NULL;
  return b->data + b->size;
}

void codec_buffer_commit(codec_buffer *b, size_t size) { b->size += size; }

void codec_buffer_append(codec_buffer *b, const void *bytes, size_t size) {
  char *p = codec_buffer_reserve(b, size);
  if (!p || size == 0) return;
  memcpy(p, bytes, size);
  b->size += size;
}

void codec_buffer_text(codec_buffer *b, const char *text) { codec_buffer_append(b, text, strlen(text)); }

void codec_buffer_string(codec_buffer *b, const char *text) {
  static const char names[] = "btn?fr"; // of 8, 9, 10, 12, 13
  codec_buffer_text(b, "\"");
  for (const char *plain = text;; text++) {
    unsigned char c = (unsigned char)*text;
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    codec_buffer_append(b, plain, (size_t)(text - plain));
    if (c == '\0') break;
    char escape[8];
    if (c == '"' || c == '\\')
      snprintf(escape, sizeof escape, "\\%c", c);
    else if (c >= 8 && c <= 13 && c != 11)
      snprintf(escape, sizeof escape, "\\%c", names[c - 8]);
    else
      snprintf(escape, sizeof escape, "\\u%04x", c);
    codec_buffer_text(b, escape);
    plain = text + 1;
  }
  codec_buffer_text(b, "\"");
}

void codec_buffer_double(codec_buffer *b, double x) {
  char *p = codec_buffer_reserve(b, CODEC_DOUBLE_SIZE);
  if (p) b->size += codec_double(p, x);
}

static void row(codec_buffer *b, const double *values, size_t count) {
  char *p = codec_buffer_reserve(b, count * (CODEC_DOUBLE_SIZE + 1) + 2);
  if (!p) return;
  char *start = p;
  *p++ = '[';
  for (size_t i = 0; i < count; i++) {
    if (i > 0) *p++ = ',';
    p += codec_double(p, values[i]);
  }
  *p++ = ']';
  b->size += (size_t)(p - start);
}

// Depth is the rank of an array (at most 3 in a quantity): the recursion is bounded by our own tables.
void codec_buffer_array(codec_buffer *b, const double *values, int rank, const size_t *dim) {
  if (rank == 0) {
    codec_buffer_double(b, *values);
    return;
  }
  if (rank == 1) {
    row(b, values, dim[0]);
    return;
  }
  size_t stride = 1;
  for (int i = 1; i < rank; i++) stride *= dim[i];
  codec_buffer_text(b, "[");
  for (size_t i = 0; i < dim[0]; i++) {
    if (i > 0) codec_buffer_text(b, ",");
    codec_buffer_array(b, values + i * stride, rank - 1, dim + 1);
  }
  codec_buffer_text(b, "]");
}

char *codec_buffer_take(codec_buffer *b, size_t *size) {
  if (b->failed) return codec_buffer_fini(b), NULL;
  char *data = b->data ? b->data : malloc(1);
  *size = b->size;
  give_back(b);
  *b = (codec_buffer){.limit = b->limit, .account = b->account};
  return data;
}
