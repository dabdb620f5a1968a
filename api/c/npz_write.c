// Writing NPZ: stored zip members, each an .npy (format 1.0), into a sink.
//
// Method: a member's size follows from its shape, so its local header is written first and only the CRC is patched at
// its end. An alignment field in the local header puts the numbers on multiples of 64 bytes, so that a mapped archive
// can be read in place. Members of 4 GiB and more, and directories behind them, use zip64. Dates are fixed: same
// arrays, same bytes. Invariants: after an error nothing is written; every member in the directory was written whole.
#include "api/c/npz_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ALIGNMENT = 64, ALIGNMENT_FIELD = 0xd935, DOS_DATE = 0x21 };

typedef struct written {
  char name[NPZ_MAX_NAME + 5]; // with ".npy"
  uint64_t header, size;
  uint32_t crc;
} written;

struct npz_writer {
  npz_sink sink;
  uint64_t at; // bytes of the archive so far
  written *members;
  size_t count, capacity;
  uint64_t left; // bytes that the open member still expects
  int error;     // the first errno; 0: none
};

// ------------------------------------------------------------------------------------------------ bytes

static void fail(npz_writer *w, int error) {
  if (w->error == 0) w->error = error;
}

static void put(npz_writer *w, const void *bytes, size_t size) {
  if (w->error == 0) w->error = w->sink.append(w->sink.context, bytes, size);
  w->at += size;
}

static void patch(npz_writer *w, uint64_t at, const void *bytes, size_t size) {
  assert(at + size <= w->at);
  if (w->error == 0) w->error = w->sink.patch(w->sink.context, at, bytes, size);
}

static char *put16(char *p, unsigned x) { return p[0] = (char)x, p[1] = (char)(x >> 8), p + 2; }
static char *put32(char *p, uint32_t x) { return put16(put16(p, x & 0xffff), x >> 16); }
static char *put64(char *p, uint64_t x) { return put32(put32(p, (uint32_t)x), (uint32_t)(x >> 32)); }

// ------------------------------------------------------------------------------------------------ members

npz_writer *npz_writer_to(npz_sink sink) {
  assert(sink.append && sink.patch);
  npz_writer *w = calloc(1, sizeof *w);
  if (w)
    w->sink = sink;
  else if (sink.release)
    sink.release(sink.context);
  return w;
}

static written *add_member(npz_writer *w, const char *name) {
  if (w->error || w->count == NPZ_MAX_MEMBERS || strlen(name) > NPZ_MAX_NAME) return fail(w, EOVERFLOW), NULL;
  if (w->count == w->capacity) {
    size_t capacity = w->capacity ? 2 * w->capacity : 8;
    written *members = realloc(w->members, capacity * sizeof *members);
    if (!members) return fail(w, ENOMEM), NULL;
    w->members = members;
    w->capacity = capacity;
  }
  written *m = &w->members[w->count++];
  *m = (written){.header = w->at};
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  return m;
}

static void local_header(npz_writer *w, const written *m) {
  bool big = m->size >= NPZ_ZIP32;
  char h[30 + 20 + 6 + ALIGNMENT] = {0}, *p = h;
  size_t name = strlen(m->name), fixed = 30 + name + (big ? 20 : 0) + 6;
  size_t pad = (ALIGNMENT - (m->header + fixed) % ALIGNMENT) % ALIGNMENT;
  p = put32(p, 0x04034b50);
  p = put16(p, big ? 45 : 20);
  p = put16(p, 0x0800); // names are UTF-8
  p = put16(p, 0);      // stored
  p = put32(p, DOS_DATE << 16);
  p = put32(p, 0); // CRC, patched
  p = put32(p, big ? NPZ_ZIP32 : (uint32_t)m->size);
  p = put32(p, big ? NPZ_ZIP32 : (uint32_t)m->size);
  p = put16(p, (unsigned)name);
  p = put16(p, (unsigned)(fixed - 30 - name + pad));
  assert(p - h == NPZ_LOCAL_SIZE);
  put(w, h, 30);
  put(w, m->name, name);
  if (big) p = put64(put64(put16(put16(p, 1), 16), m->size), m->size);
  p = put16(put16(put16(p, ALIGNMENT_FIELD), (unsigned)(2 + pad)), ALIGNMENT);
  put(w, h + 30, (size_t)(p - h - 30) + pad);
}

void npz_write_begin(npz_writer *w, const char *name, npz_type type, size_t item, int rank, const size_t *dim) {
  assert(w->left == 0 && rank >= 0 && rank <= NPZ_MAX_RANK && type < NPZ_OTHER);
  written *m = add_member(w, name);
  if (!m) return;
  uint64_t count = 1;
  for (int i = 0; i < rank; i++) count *= dim[i];
  char header[NPZ_HEADER_MAX];
  size_t length = npz_header_write(header, type, item, rank, dim);
  m->size = length + count * item;
  local_header(w, m);
  w->left = m->size;
  npz_write_data(w, header, length);
}

void npz_write_data(npz_writer *w, const void *bytes, size_t size) {
  if (w->error || size == 0) return;
  if (size > w->left) {
    fail(w, EOVERFLOW);
    return;
  }
  written *m = &w->members[w->count - 1];
  m->crc = (uint32_t)crc32_z(m->crc, bytes, size);
  w->left -= size;
  put(w, bytes, size);
}

void npz_write_end(npz_writer *w) {
  if (w->left != 0) fail(w, EINVAL);
  w->left = 0;
  if (w->error) return;
  const written *m = &w->members[w->count - 1];
  char crc[4];
  put32(crc, m->crc);
  patch(w, m->header + 14, crc, sizeof crc);
}

void npz_write_doubles(npz_writer *w, const char *name, const double *values, int rank, const size_t *dim) {
  size_t count = 1;
  for (int i = 0; i < rank; i++) count *= dim[i];
  npz_write_begin(w, name, NPZ_F8, sizeof *values, rank, dim);
  npz_write_data(w, values, count * sizeof *values);
  npz_write_end(w);
}

void npz_write_rows(npz_writer *w, const char *name, const double *values, size_t rows, size_t stride, int rank,
                    const size_t *dim) {
  assert(rank < NPZ_MAX_RANK);
  size_t all[NPZ_MAX_RANK] = {rows}, width = 1;
  for (int i = 0; i < rank && i + 1 < NPZ_MAX_RANK; i++) width *= all[i + 1] = dim[i];
  npz_write_begin(w, name, NPZ_F8, sizeof *values, rank + 1, all);
  if (width == stride) {
    npz_write_data(w, values, rows * width * sizeof *values);
  } else {
    for (size_t i = 0; i < rows; i++) npz_write_data(w, values + i * stride, width * sizeof *values);
  }
  npz_write_end(w);
}

void npz_write_bytes(npz_writer *w, const char *name, const void *bytes, size_t size) {
  npz_write_begin(w, name, NPZ_U1, 1, 1, &size);
  npz_write_data(w, bytes, size);
  npz_write_end(w);
}

// ------------------------------------------------------------------------------------------------ strings

// Code points of a UTF-8 string into out (NULL: only counted). Bytes that are none become U+FFFD.
static size_t code_points(const char *text, uint32_t *out) {
  size_t n = 0;
  for (const unsigned char *p = (const unsigned char *)text; *p; n++) {
    int more = *p < 0x80 ? 0 : *p < 0xc0 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
    uint32_t c = more < 0 ? 0xfffd : more == 0 ? *p : *p & (0x3fu >> more);
    for (p++; more > 0 && (*p & 0xc0) == 0x80; more--) c = c << 6 | (*p++ & 0x3f);
    if (out) out[n] = c;
  }
  return n;
}

void npz_write_strings(npz_writer *w, const char *name, const char *const *strings, size_t count) {
  size_t longest = 1;
  for (size_t i = 0; i < count; i++) {
    size_t n = code_points(strings[i], NULL);
    longest = n > longest ? n : longest;
  }
  uint32_t *row = calloc(longest, sizeof *row);
  if (!row) {
    fail(w, ENOMEM);
    return;
  }
  npz_write_begin(w, name, NPZ_UNICODE, longest * sizeof *row, 1, &count);
  for (size_t i = 0; i < count; i++) {
    memset(row, 0, longest * sizeof *row);
    code_points(strings[i], row);
    npz_write_data(w, row, longest * sizeof *row);
  }
  npz_write_end(w);
  free(row);
}

// ------------------------------------------------------------------------------------------------ directory

static void directory_entry(npz_writer *w, const written *m) {
  bool big = m->size >= NPZ_ZIP32, far = m->header >= NPZ_ZIP32;
  char h[46 + 28] = {0}, *p = h;
  size_t name = strlen(m->name), extra = (big ? 16u : 0u) + (far ? 8u : 0u);
  p = put32(p, 0x02014b50);
  p = put16(p, 3 << 8 | 45); // made on Unix
  p = put16(p, extra ? 45 : 20);
  p = put16(p, 0x0800);
  p = put16(p, 0);
  p = put32(p, DOS_DATE << 16);
  p = put32(p, m->crc);
  p = put32(p, big ? NPZ_ZIP32 : (uint32_t)m->size);
  p = put32(p, big ? NPZ_ZIP32 : (uint32_t)m->size);
  p = put16(p, (unsigned)name);
  p = put16(p, (unsigned)(extra ? extra + 4 : 0));
  p = put64(p, 0);       // comment, disk, internal attributes and half of the external ones
  p = put16(p, 0100644); // a plain file
  p = put32(p, far ? NPZ_ZIP32 : (uint32_t)m->header);
  put(w, h, 46);
  put(w, m->name, name);
  if (extra == 0) return;
  p = put16(put16(h, 1), (unsigned)extra);
  if (big) p = put64(put64(p, m->size), m->size);
  if (far) p = put64(p, m->header);
  put(w, h, extra + 4);
}

static void directory_end(npz_writer *w, uint64_t directory, uint64_t size) {
  char h[56 + 20 + 22] = {0}, *p = h;
  if (directory >= NPZ_ZIP32 || size >= NPZ_ZIP32) {
    uint64_t at = w->at;
    p = put16(put16(put64(put32(p, 0x06064b50), 44), 45), 45);
    p = put64(put64(put64(p, 0), w->count), w->count); // disks; entries here and in all
    p = put64(put64(p, size), directory);
    p = put32(put64(put32(put32(p, 0x07064b50), 0), at), 1);
  }
  p = put32(put32(p, 0x06054b50), 0);
  p = put16(put16(p, (unsigned)w->count), (unsigned)w->count);
  p = put32(p, size >= NPZ_ZIP32 ? NPZ_ZIP32 : (uint32_t)size);
  p = put32(p, directory >= NPZ_ZIP32 ? NPZ_ZIP32 : (uint32_t)directory);
  p = put16(p, 0);
  put(w, h, (size_t)(p - h));
}

bool npz_writer_close(npz_writer *w, uint64_t *size, npz_trouble *trouble) {
  uint64_t directory = w->at;
  for (size_t i = 0; i < w->count; i++) directory_entry(w, &w->members[i]);
  directory_end(w, directory, w->at - directory);
  if (w->error == 0 && w->sink.finish) w->error = w->sink.finish(w->sink.context);
  if (size) *size = w->at;
  int error = w->error;
  npz_writer_abandon(w);
  if (error == 0) return true;
  *trouble = (npz_trouble){.fault = error == ENOMEM      ? NPZ_NO_MEMORY
                                    : error == EOVERFLOW ? NPZ_TOO_LARGE
                                                         : NPZ_UNWRITTEN};
  snprintf(trouble->what, sizeof trouble->what, "writing the archive failed: %s", strerror(error));
  return false;
}

void npz_writer_abandon(npz_writer *w) {
  if (!w) return;
  if (w->sink.release) w->sink.release(w->sink.context);
  free(w->members);
  free(w);
}
