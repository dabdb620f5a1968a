// The elements of an array: numbers as doubles in C order, strings as UTF-8.
#include "api/c/npz_parts.h"

#include <assert.h>
#include <string.h>

static double number_at(const npz_array *array, size_t i) {
  const unsigned char *p = array->data + i * array->item;
  double d;
  float f;
  switch (array->type) {
  case NPZ_F8:
    return memcpy(&d, p, sizeof d), d;
  case NPZ_F4:
    return memcpy(&f, p, sizeof f), (double)f;
  case NPZ_I4:
    return (int32_t)get32(p);
  case NPZ_I8:
    return (double)(int64_t)get64(p);
  case NPZ_I1:
    return (int8_t)*p;
  default:
    return *p;
  }
}

// Where element i (C order) stands in column-major data.
static size_t fortran_index(const npz_array *array, size_t i) {
  size_t at = 0;
  for (int k = array->rank - 1; k >= 0; k--) {
    size_t stride = 1;
    for (int j = 0; j < k; j++) stride *= array->dim[j];
    at += i % array->dim[k] * stride;
    i /= array->dim[k];
  }
  return at;
}

const double *npz_doubles(const npz_array *array, npz_memory memory) {
  size_t bytes;
  if (array->type > NPZ_BOOL || __builtin_mul_overflow(array->count, sizeof(double), &bytes)) return NULL;
  if (array->type == NPZ_F8 && !array->fortran && (uintptr_t)array->data % sizeof(double) == 0)
    return (const double *)(const void *)array->data;
  double *copy = memory.take(memory.context, bytes);
  for (size_t i = 0; copy && i < array->count; i++)
    copy[i] = number_at(array, array->fortran ? fortran_index(array, i) : i);
  return copy;
}

// ------------------------------------------------------------------------------------------------ strings

// One code point as UTF-8; returns the bytes.
static size_t utf8(uint32_t c, char out[4]) {
  if (c < 0x80) return out[0] = (char)c, 1;
  size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(lead[more] | c >> (6 * more));
  for (size_t i = 1; i <= more; i++) out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
  return more + 1;
}

static size_t copy_bytes(const npz_array *array, const unsigned char *p, char *out, size_t size) {
  size_t length = strnlen((const char *)p, array->item);
  if (length >= size) length = size - 1;
  memcpy(out, p, length);
  return length;
}

size_t npz_string(const npz_array *array, size_t i, char *out, size_t size, bool *strange) {
  assert((array->type == NPZ_UNICODE || array->type == NPZ_BYTES) && i < array->count && size > 0);
  const unsigned char *p = array->data + i * array->item;
  size_t used = 0;
  *strange = false;
  if (array->type == NPZ_BYTES) used = copy_bytes(array, p, out, size);
  for (size_t k = 0; array->type == NPZ_UNICODE && k < array->item / 4 && get32(p + 4 * k) != 0; k++) {
    char code[4];
    uint32_t c = get32(p + 4 * k);
    bool none = c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff);
    size_t n = utf8(none ? '?' : c, code);
    *strange = *strange || none;
    if (used + n >= size) break;
    memcpy(out + used, code, n);
    used += n;
  }
  out[used] = '\0';
  return used;
}
