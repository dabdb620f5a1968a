// npz reader: end record -> central directory -> members; zip64 understood. Everything is read from one private mapping,
// through bounded little-endian loads. Invariant: an npz_array's data lies inside the mapping or its own inflated block.
#include "plot/npz.h"

#include "base/say.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MEMBER_LIMIT = 4096, HEADER_LIMIT = 1 << 16, DEFLATE_RATIO = 1100 };
#define SIZE_CAP ((uint64_t)1 << 40)

struct npz {
  const unsigned char *map;
  size_t size;
  npz_array *arrays;
  int count;
};

typedef struct entry { // one row of the central directory
  char name[NPZ_NAME];
  unsigned method;
  uint32_t crc;
  uint64_t packed, unpacked, offset;
} entry;

static uint64_t load(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | at[i];
  return value;
}

static bool inside(const npz *file, uint64_t offset, uint64_t length) {
  return offset <= file->size && length <= file->size - offset;
}

// ------------------------------------------------------------------------------------------------ the directory

// The end record lies within the last 64 KiB + 22 bytes.
static bool find_end(const npz *file, size_t *end) {
  size_t lowest = file->size > 65557 ? file->size - 65557 : 0;
  for (size_t at = file->size; at >= lowest + 22; --at) {
    if (memcmp(file->map + at - 22, "PK\5\6", 4) != 0) continue;
    *end = at - 22;
    return true;
  }
  return false;
}

static bool find_directory(const npz *file, uint64_t *offset, uint64_t *entries) {
  size_t end;
  if (!find_end(file, &end)) return false;
  const unsigned char *record = file->map + end;
  *entries = load(record + 10, 2);
  *offset = load(record + 16, 4);
  if (end < 20 || memcmp(record - 20, "PK\6\7", 4) != 0) return true;
  uint64_t at = load(record - 12, 8);
  if (!inside(file, at, 56) || memcmp(file->map + at, "PK\6\6", 4) != 0) return false;
  *entries = load(file->map + at + 32, 8);
  *offset = load(file->map + at + 48, 8);
  return true;
}

// Sizes of 0xffffffff stand in the zip64 extra field, in this order, only those that are needed.
static void read_zip64(const unsigned char *extra, size_t length, entry *e) {
  while (length >= 4) {
    size_t id = load(extra, 2), size = load(extra + 2, 2);
    if (size > length - 4) return;
    const unsigned char *at = extra + 4, *stop = at + size;
    uint64_t *wide[] = {&e->unpacked, &e->packed, &e->offset};
    for (int i = 0; id == 1 && i < 3; ++i) {
      if (*wide[i] != UINT32_MAX || stop - at < 8) continue;
      *wide[i] = load(at, 8);
      at += 8;
    }
    extra += 4 + size;
    length -= 4 + size;
  }
}

static bool read_entry(const npz *file, uint64_t *at, entry *e) {
  if (!inside(file, *at, 46) || memcmp(file->map + *at, "PK\1\2", 4) != 0) return false;
  const unsigned char *row = file->map + *at;
  size_t name = load(row + 28, 2), extra = load(row + 30, 2), comment = load(row + 32, 2);
  if (!inside(file, *at, 46 + name + extra + comment)) return false;
  *e = (entry){.method = (unsigned)load(row + 10, 2),
               .crc = (uint32_t)load(row + 16, 4),
               .packed = load(row + 20, 4),
               .unpacked = load(row + 24, 4),
               .offset = load(row + 42, 4)};
  size_t kept = name > 4 && memcmp(row + 46 + name - 4, ".npy", 4) == 0 ? name - 4 : name;
  if (kept >= NPZ_NAME) kept = NPZ_NAME - 1;
  memcpy(e->name, row + 46, kept);
  read_zip64(row + 46 + name, extra, e);
  *at += 46 + name + extra + comment;
  return true;
}

// ------------------------------------------------------------------------------------------------ a member's bytes

static unsigned char *inflate_block(const unsigned char *packed, const entry *e) {
  if (e->unpacked > SIZE_CAP || e->unpacked / DEFLATE_RATIO > e->packed + 1 || e->packed > UINT32_MAX) return NULL;
  unsigned char *out = malloc(e->unpacked + 1);
  z_stream z = {.next_in = (unsigned char *)packed, .avail_in = (uInt)e->packed};
  if (!out || inflateInit2(&z, -MAX_WBITS) != Z_OK) return free(out), NULL;
  int code = Z_OK;
  while (code == Z_OK && z.total_out < e->unpacked) {
    uint64_t left = e->unpacked - z.total_out;
    z.next_out = out + z.total_out;
    z.avail_out = left > (1u << 30) ? 1u << 30 : (uInt)left;
    code = inflate(&z, Z_NO_FLUSH);
  }
  bool good = z.total_out == e->unpacked;
  inflateEnd(&z);
  if (good) return out;
  free(out);
  return NULL;
}

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
  uLong crc = crc32(0, NULL, 0);
  for (uint64_t done = 0; done < size;) {
    uInt part = size - done > (1u << 30) ? 1u << 30 : (uInt)(size - done);
    crc = crc32(crc, bytes + done, part);
    done += part;
  }
  return (uint32_t)crc;
}

// Points `bytes` at the member's content.
static bool unpack(const npz *file, const entry *e, npz_array *array, const unsigned char **bytes) {
  if (!inside(file, e->offset, 30) || memcmp(file->map + e->offset, "PK\3\4", 4) != 0) return false;
  const unsigned char *local = file->map + e->offset;
  uint64_t start = e->offset + 30 + load(local + 26, 2) + load(local + 28, 2);
  if (!inside(file, start, e->packed)) return false;
  *bytes = file->map + start;
  if (e->method == 0) return e->packed == e->unpacked;
  if (e->method != 8) return false;
  array->inflated = inflate_block(*bytes, e);
  *bytes = array->inflated;
  return array->inflated != NULL;
}

// ------------------------------------------------------------------------------------------------ the npy header

// The text after 'key': in the header's Python dictionary.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  at = at ? strchr(at, ':') : NULL;
  if (at) ++at;
  while (at && *at == ' ') ++at;
  return at;
}

static bool read_shape(const char *at, npz_array *array) {
  array->count = 1;
  if (*at++ != '(') return false;
  while (*at && *at != ')') {
    char *end;
    unsigned long long n = strtoull(at, &end, 10);
    if (end == at || array->rank == NPZ_RANK || n > SIZE_CAP || (n && array->count > SIZE_CAP / n)) return false;
    array->shape[array->rank++] = (size_t)n;
    array->count *= (size_t)n;
    at = end + strspn(end, ", ");
  }
  return *at == ')';
}

static size_t element_size(const char *type) {
  static const char *const known[] = {"<f8", "<f4", "<i8", "<i4", "|u1", "|b1", "|i1"};
  static const size_t sizes[] = {8, 4, 8, 4, 1, 1, 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (strcmp(type, known[i]) == 0) return sizes[i];
  return 0;
}

static bool read_header(const char *header, npz_array *array) {
  const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
             *shape = value_of(header, "'shape'");
  if (!type || !order || !shape || (*type != '\'' && *type != '"')) return false;
  size_t length = strcspn(type + 1, "'\"");
  if (length >= sizeof array->type || !read_shape(shape, array)) return false;
  memcpy(array->type, type + 1, length);
  return strncmp(order, "False", 5) == 0 || array->rank < 2;
}

static bool read_npy(const unsigned char *bytes, uint64_t size, npz_array *array) {
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return false;
  size_t head = bytes[6] == 1 ? 10 : 12, length = load(bytes + 8, bytes[6] == 1 ? 2 : 4);
  if (length > HEADER_LIMIT || length > size - head) return false;
  char *header = must_alloc(length + 1);
  memcpy(header, bytes + head, length);
  bool good = read_header(header, array);
  free(header);
  array->data = bytes + head + length;
  array->bytes = (size_t)size - head - length;
  size_t each = element_size(array->type);
  return good && (each == 0 || array->bytes / each >= array->count); // strings are kept, but not as numbers
}

// ------------------------------------------------------------------------------------------------ the file

static bool read_members(npz *file, char *why, size_t size) {
  uint64_t at, entries;
  if (!find_directory(file, &at, &entries) || entries > MEMBER_LIMIT)
    return snprintf(why, size, "it is not an .npz file"), false;
  file->arrays = must_alloc((size_t)entries * sizeof *file->arrays);
  for (uint64_t i = 0; i < entries; ++i) {
    entry e;
    if (!read_entry(file, &at, &e)) return snprintf(why, size, "its directory is damaged"), false;
    npz_array *array = &file->arrays[file->count++];
    memcpy(array->name, e.name, sizeof array->name);
    const unsigned char *bytes;
    if (!unpack(file, &e, array, &bytes)) return snprintf(why, size, "member %s cannot be unpacked", e.name), false;
    if (checksum(bytes, e.unpacked) != e.crc)
      return snprintf(why, size, "member %s is damaged (checksum)", e.name), false;
    if (!read_npy(bytes, e.unpacked, array))
      return snprintf(why, size, "member %s is not an array in C order", e.name), false;
  }
  return true;
}

static bool map_file(npz *file, const char *path, char *why, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info = {0};
  bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  void *map = good ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (map == MAP_FAILED) snprintf(why, size, "%s", good || fd < 0 ? strerror(errno) : "it is empty or no regular file");
  if (fd >= 0) close(fd);
  if (map == MAP_FAILED) return false;
  file->map = map;
  file->size = (size_t)info.st_size;
  return true;
}

npz *npz_open(const char *path, char *why, size_t size) {
  npz *file = must_alloc(sizeof *file);
  if (map_file(file, path, why, size) && read_members(file, why, size)) return file;
  npz_close(file);
  return NULL;
}

void npz_close(npz *file) {
  if (!file) return;
  for (int i = 0; i < file->count; ++i) free(file->arrays[i].inflated);
  free(file->arrays);
  if (file->map) munmap((void *)file->map, file->size);
  free(file);
}

int npz_count(const npz *file) { return file->count; }

const npz_array *npz_at(const npz *file, int i) { return &file->arrays[i]; }

const npz_array *npz_find(const npz *file, const char *name) {
  for (int i = 0; i < file->count; ++i)
    if (strcmp(file->arrays[i].name, name) == 0) return &file->arrays[i];
  return NULL;
}

static double element(const npz_array *array, size_t i, size_t each) {
  const unsigned char *at = array->data + i * each;
  uint64_t raw = load(at, (int)each);
  double wide;
  float narrow;
  uint32_t half = (uint32_t)raw;
  memcpy(&wide, &raw, 8);
  memcpy(&narrow, &half, 4);
  if (array->type[1] == 'f') return each == 8 ? wide : (double)narrow;
  if (array->type[1] == 'i')
    return each == 8 ? (double)(int64_t)raw : each == 4 ? (double)(int32_t)half : (double)(int8_t)raw;
  return (double)raw;
}

double *npz_doubles(const npz_array *array) {
  size_t each = element_size(array->type);
  if (each == 0) return NULL;
  double *values = must_alloc(array->count * sizeof *values);
  for (size_t i = 0; i < array->count; ++i) values[i] = element(array, i, each);
  return values;
}
