// The .npy header (formats 1 to 3): a Python dict literal of three keys in front of an array, read by a small scanner.
#include "api/c/npz_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRING_MAX = 1 << 20 }; // characters of one element

static const struct {
  const char *descr;
  size_t item;
} numbers[] = {[NPZ_F8] = {"<f8", 8}, [NPZ_F4] = {"<f4", 4}, [NPZ_I4] = {"<i4", 4},  [NPZ_I8] = {"<i8", 8},
               [NPZ_U1] = {"|u1", 1}, [NPZ_I1] = {"|i1", 1}, [NPZ_BOOL] = {"|b1", 1}};

enum { NUMBER_COUNT = sizeof numbers / sizeof *numbers };
_Static_assert(NUMBER_COUNT == (int)NPZ_UNICODE, "every type before the strings has a row");

npz_type npz_type_read(const char *descr, size_t *item) {
  for (int i = 0; i < NUMBER_COUNT; i++)
    if (strcmp(numbers[i].descr, descr) == 0) return *item = numbers[i].item, (npz_type)i;
  bool unicode = strncmp(descr, "<U", 2) == 0;
  *item = 0;
  if (!unicode && strncmp(descr, "|S", 2) != 0) return NPZ_OTHER;
  char *end;
  unsigned long n = strtoul(descr + 2, &end, 10);
  if (*end != '\0' || end == descr + 2 || n > STRING_MAX) return NPZ_OTHER;
  *item = unicode ? 4 * n : n;
  return unicode ? NPZ_UNICODE : NPZ_BYTES;
}

const char *npz_type_write(npz_type type, size_t item, char descr[NPZ_TYPE_SIZE]) {
  assert(type < NPZ_OTHER && (type > NPZ_BOOL || item == numbers[type].item));
  if (type == NPZ_UNICODE)
    snprintf(descr, NPZ_TYPE_SIZE, "<U%zu", item / 4);
  else if (type == NPZ_BYTES)
    snprintf(descr, NPZ_TYPE_SIZE, "|S%zu", item);
  else
    snprintf(descr, NPZ_TYPE_SIZE, "%s", numbers[type].descr);
  return descr;
}

// ------------------------------------------------------------------------------------------------ reading

typedef struct scanner {
  const char *p, *end;
} scanner;

static void skip_space(scanner *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t')) s->p++;
}

static bool take(scanner *s, char c) {
  skip_space(s);
  if (s->p == s->end || *s->p != c) return false;
  s->p++;
  return true;
}

static bool take_quoted(scanner *s, char *out, size_t room) {
  skip_space(s);
  if (s->p == s->end || (*s->p != '\'' && *s->p != '"')) return false;
  char quote = *s->p++;
  size_t n = 0;
  while (s->p < s->end && *s->p != quote && n + 1 < room) out[n++] = *s->p++;
  out[n] = '\0';
  return take(s, quote);
}

static bool take_integer(scanner *s, uint64_t *x) {
  skip_space(s);
  const char *first = s->p;
  for (*x = 0; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
    if (*x > UINT64_MAX / 100) return false;
    *x = 10 * *x + (uint64_t)(*s->p - '0');
  }
  return s->p > first;
}

static bool take_shape(scanner *s, npz_array *array) {
  if (!take(s, '(')) return false;
  bool more = true; // a comma stood in front
  for (array->rank = 0; !take(s, ')'); array->rank++) {
    uint64_t n;
    if (array->rank == NPZ_MAX_RANK || !more || !take_integer(s, &n)) return false;
    array->dim[array->rank] = (size_t)n;
    more = take(s, ',');
  }
  return true;
}

static bool take_bool(scanner *s, bool *x) {
  skip_space(s);
  *x = s->end - s->p >= 4 && memcmp(s->p, "True", 4) == 0;
  if (!*x && (s->end - s->p < 5 || memcmp(s->p, "False", 5) != 0)) return false;
  s->p += *x ? 4 : 5;
  return true;
}

// {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }: NULL, or what is wrong with it.
static const char *read_dict(scanner s, npz_array *array) {
  unsigned seen = 0;
  if (!take(&s, '{')) return "its header is not a dictionary";
  while (!take(&s, '}')) {
    char key[24];
    if (!take_quoted(&s, key, sizeof key) || !take(&s, ':')) return "its header is damaged";
    if (strcmp(key, "descr") == 0) {
      if (!take_quoted(&s, array->descr, sizeof array->descr)) return "only plain arrays are read, not structured ones";
      array->type = npz_type_read(array->descr, &array->item);
      seen |= 1;
    } else if (strcmp(key, "fortran_order") == 0) {
      if (!take_bool(&s, &array->fortran)) return "its header is damaged";
      seen |= 2;
    } else if (strcmp(key, "shape") == 0) {
      if (!take_shape(&s, array)) return "its shape is damaged or of more than 8 dimensions";
      seen |= 4;
    } else {
      return "its header has an unknown key";
    }
    if (!take(&s, ',') && (skip_space(&s), s.p == s.end || *s.p != '}')) return "its header is damaged";
  }
  return seen == 7 ? NULL : "its header lacks a key";
}

// Fills array->count and size from the shape, `size` bytes being there.
static const char *measure(npz_array *array, uint64_t size) {
  array->count = 1;
  for (int i = 0; i < array->rank; i++)
    if (__builtin_mul_overflow(array->count, array->dim[i], &array->count)) return "its shape is too large";
  bool fits = !__builtin_mul_overflow(array->count, array->item, &array->size) && array->size == size;
  if (array->type == NPZ_OTHER) array->size = (size_t)size;
  return fits || array->type == NPZ_OTHER ? NULL : "its data does not fit its shape";
}

bool npz_header_read(const unsigned char *bytes, size_t held, uint64_t size, npz_array *array, size_t *data,
                     npz_trouble *trouble) {
  assert(held <= size);
  *array = (npz_array){0};
  if (held < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return npz_bad_member(trouble, "", "is not an .npy file");
  if (bytes[6] < 1 || bytes[6] > 3) return npz_bad_member(trouble, "", "has an unknown .npy version");
  size_t start = bytes[6] == 1 ? 10 : 12, length = bytes[6] == 1 ? get16(bytes + 8) : get32(bytes + 8);
  if (length > held - start) return npz_bad_member(trouble, "", "is cut off");
  const char *text = (const char *)bytes + start;
  *data = start + length;
  const char *wrong = read_dict((scanner){text, text + length}, array);
  if (!wrong) wrong = measure(array, size - *data);
  if (wrong) return npz_bad_member(trouble, "", wrong);
  if (array->type != NPZ_OTHER) return true;
  npz_bad_member(trouble, "", "has a type that is not read (use <f8, <f4, <i8, <i4, or strings)");
  trouble->fault = NPZ_UNKNOWN_TYPE;
  return false;
}

// ------------------------------------------------------------------------------------------------ writing

size_t npz_header_write(char out[NPZ_HEADER_MAX], npz_type type, size_t item, int rank, const size_t *dim) {
  assert(rank >= 0 && rank <= NPZ_MAX_RANK);
  char descr[NPZ_TYPE_SIZE], shape[NPZ_MAX_RANK * 22 + 4] = "";
  size_t n = 0;
  for (int i = 0; i < rank; i++) n += (size_t)snprintf(shape + n, sizeof shape - n, i ? ", %zu" : "%zu", dim[i]);
  if (rank == 1) snprintf(shape + n, sizeof shape - n, ",");
  memset(out, ' ', NPZ_HEADER_MAX);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  int used = snprintf(out + 10, NPZ_HEADER_MAX - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                      npz_type_write(type, item, descr), shape);
  size_t length = (10 + (size_t)used + 1 + 63) / 64 * 64, words = length - 10;
  assert(length <= NPZ_HEADER_MAX);
  out[10 + used] = ' ';
  out[length - 1] = '\n';
  out[8] = (char)words;
  out[9] = (char)(words >> 8);
  return length;
}
