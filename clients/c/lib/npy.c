// The header is a Python dictionary as text; only its three keys are looked at. Numbers: little-endian floats of 4 and 8 bytes,
// integers of 1, 4 and 8. Strings: <U (UTF-32) and |S (bytes), both padded with zeros.
#include "lib/npy.h"

#include "lib/zip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LIMIT = 1 << 16, STRING_LIMIT = 1 << 20 };
#define SIZE_CAP ((uint64_t)1 << 40)

// The text after 'key': in the header's dictionary.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  at = at ? strchr(at, ':') : NULL;
  if (at) ++at;
  while (at && *at == ' ') ++at;
  return at;
}

static bool read_shape(const char *at, tendril_array *array) {
  array->count = 1;
  if (*at++ != '(') return false;
  while (*at && *at != ')') {
    if (*at < '0' || *at > '9' || array->rank == TENDRIL_RANK) return false;
    char *end;
    unsigned long long n = strtoull(at, &end, 10);
    if (n > SIZE_CAP || (n && array->count > SIZE_CAP / n)) return false;
    array->shape[array->rank++] = (size_t)n;
    array->count *= (size_t)n;
    at = end + strspn(end, ", ");
  }
  return *at == ')';
}

static size_t number_size(const char *type) {
  static const char *const known[] = {"<f8", "<f4", "<i8", "<i4", "|u1", "|b1", "|i1"};
  static const size_t sizes[] = {8, 4, 8, 4, 1, 1, 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (strcmp(type, known[i]) == 0) return sizes[i];
  return 0;
}

// Bytes of one string, 0 when the type is none.
static size_t string_size(const char *type) {
  bool wide = strncmp(type, "<U", 2) == 0;
  if (!wide && strncmp(type, "|S", 2) != 0) return 0;
  unsigned long length = strtoul(type + 2, NULL, 10);
  return length > STRING_LIMIT ? 0 : wide ? 4 * length : length;
}

static bool read_header(const char *header, tendril_array *array, char type[CLIENT_NPY_TYPE]) {
  const char *descr = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
             *shape = value_of(header, "'shape'");
  if (!descr || !order || !shape || (*descr != '\'' && *descr != '"')) return false;
  size_t length = strcspn(descr + 1, "'\"");
  if (length >= CLIENT_NPY_TYPE || !read_shape(shape, array)) return false;
  memcpy(type, descr + 1, length);
  type[length] = '\0';
  return strncmp(order, "False", 5) == 0 || array->rank < 2;
}

bool client_npy_read(const unsigned char *content, uint64_t size, tendril_array *array, char type[CLIENT_NPY_TYPE]) {
  if (size < 12 || memcmp(content, "\x93NUMPY", 6) != 0) return false;
  size_t head = content[6] == 1 ? 10 : 12, length = client_load(content + 8, content[6] == 1 ? 2 : 4);
  if (length > HEADER_LIMIT || length > size - head) return false;
  char *header = malloc(length + 1);
  if (!header) return false;
  memcpy(header, content + head, length);
  header[length] = '\0';
  bool good = read_header(header, array, type);
  free(header);
  array->data = content + head + length;
  array->size = (size_t)size - head - length;
  size_t each = number_size(type) + string_size(type);
  return good && (each == 0 || array->size / each >= array->count);
}

// ------------------------------------------------------------------------------------------------ elements

static double number_at(const tendril_array *array, size_t i, size_t each) {
  uint64_t raw = client_load((const unsigned char *)array->data + i * each, (int)each);
  uint32_t half = (uint32_t)raw;
  double wide;
  float narrow;
  memcpy(&wide, &raw, 8);
  memcpy(&narrow, &half, 4);
  if (array->type[1] == 'f') return each == 8 ? wide : (double)narrow;
  if (array->type[1] == 'i')
    return each == 8 ? (double)(int64_t)raw : each == 4 ? (double)(int32_t)half : (double)(int8_t)raw;
  return (double)raw;
}

const double *client_npy_doubles(const tendril_array *array, double **converted) {
  const uint16_t one = 1;
  size_t each = number_size(array->type);
  if (each == 0) return NULL;
  bool little = *(const unsigned char *)&one == 1;
  if (little && strcmp(array->type, "<f8") == 0 && (uintptr_t)array->data % sizeof(double) == 0) return array->data;
  *converted = malloc((array->count + 1) * sizeof **converted);
  for (size_t i = 0; *converted && i < array->count; ++i) (*converted)[i] = number_at(array, i, each);
  return *converted;
}

// Appends one code point as UTF-8; false when it does not fit.
static bool put_point(uint32_t point, char *out, size_t size, size_t *used) {
  unsigned char code[4];
  size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return put_point('?', out, size, used);
  if (*used + n >= size) return false;
  static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n; i-- > 1; point >>= 6) code[i] = (unsigned char)(0x80 | (point & 0x3f));
  code[0] = (unsigned char)(lead[n] | point);
  memcpy(out + *used, code, n);
  *used += n;
  return true;
}

bool client_npy_string(const tendril_array *array, size_t i, char *out, size_t size) {
  size_t each = string_size(array->type), unit = array->type[1] == 'U' ? 4 : 1, used = 0;
  if (size > 0) out[0] = '\0';
  bool strings = array->type[1] == 'U' || array->type[1] == 'S';
  if (!strings || i >= array->count || size == 0) return false;
  const unsigned char *at = (const unsigned char *)array->data + i * each;
  for (size_t k = 0; k < each; k += unit) {
    uint32_t point = (uint32_t)client_load(at + k, (int)unit);
    if (point == 0) break;
    if (unit == 1 && used + 1 < size)
      out[used++] = (char)point;
    else if (unit == 1 || !put_point(point, out, size, &used))
      break;
  }
  out[used] = '\0';
  return true;
}
