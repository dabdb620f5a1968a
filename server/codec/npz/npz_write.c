// Writing NPZ: stored zip members, each an .npy (format 1.0), into a buffer or a file.
//
// Method: a member's size follows from its shape, so its local header is written first and only the CRC is patched at its
// end. An alignment field in the local header puts the numbers on multiples of 64 bytes, so that a mapped archive can be
// read in place. Members of 4 GiB and more, and directories behind them, use zip64. Dates are fixed: same arrays, same bytes.
// Invariants: after `failed` nothing is written; every member in the directory was written whole.
#include "codec/npz/npz.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { STAGE = 1 << 18, ALIGNMENT = 64, ALIGNMENT_FIELD = 0xd935, DOS_DATE = 0x21, HEADER_MAX = 1024 };
#define ZIP32 0xffffffffu

typedef struct written {
  char name[NPZ_MAX_NAME + 5]; // with ".npy"
  uint64_t header, size;
  uint32_t crc;
} written;

struct npz_writer {
  codec_buffer *buffer; // or, when NULL, the file:
  int fd;
  char *stage;
  size_t staged;
  uint64_t start, at; // at: bytes of the archive so far; start: what the buffer held before
  written *members;
  size_t count, capacity;
  uint64_t left; // bytes the open member still expects
  bool failed;
  int error; // errno
};

// ------------------------------------------------------------------------------------------------ bytes

static void fail_io(npz_writer *w, int error) {
  if (!w->failed) w->error = error;
  w->failed = true;
}

static void write_at(npz_writer *w, const char *bytes, size_t size, uint64_t at) {
  while (size > 0 && !w->failed) {
    ssize_t n = pwrite(w->fd, bytes, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fail_io(w, n < 0 ? errno : EIO);
      return;
    }
    bytes += n, size -= (size_t)n, at += (uint64_t)n;
  }
}

static void flush(npz_writer *w) {
  write_at(w, w->stage, w->staged, w->at - w->staged);
  w->staged = 0;
}

static void put(npz_writer *w, const void *bytes, size_t size) {
  if (w->failed) return;
  if (w->buffer) {
    codec_buffer_append(w->buffer, bytes, size);
    if (w->buffer->failed) fail_io(w, ENOMEM);
  } else if (size >= STAGE) {
    flush(w);
    write_at(w, bytes, size, w->at);
  } else {
    if (w->staged + size > STAGE) flush(w);
    memcpy(w->stage + w->staged, bytes, size);
    w->staged += size;
  }
  w->at += size;
}

static void patch(npz_writer *w, uint64_t at, const void *bytes, size_t size) {
  if (w->failed) return;
  if (w->buffer) {
    memcpy(w->buffer->data + w->start + at, bytes, size);
    return;
  }
  flush(w);
  write_at(w, bytes, size, at);
}

static char *put16(char *p, unsigned x) { return p[0] = (char)x, p[1] = (char)(x >> 8), p + 2; }
static char *put32(char *p, uint32_t x) { return put16(put16(p, x & 0xffff), x >> 16); }
static char *put64(char *p, uint64_t x) { return put32(put32(p, (uint32_t)x), (uint32_t)(x >> 32)); }

// ------------------------------------------------------------------------------------------------ .npy

static const char *descr(npz_type type, size_t item, char text[24]) {
  switch (type) {
  case NPZ_F8:
    return "<f8";
  case NPZ_F4:
    return "<f4";
  case NPZ_I4:
    return "<i4";
  case NPZ_I8:
    return "<i8";
  case NPZ_U1:
    return "|u1";
  case NPZ_I1:
    return "|i1";
  case NPZ_BOOL:
    return "|b1";
  case NPZ_UNICODE:
    snprintf(text, 24, "<U%zu", item / 4);
    return text;
  case NPZ_BYTES:
    snprintf(text, 24, "|S%zu", item);
    return text;
  }
  return "";
}

// The .npy header; returns its length, a multiple of 64.
static size_t npy_header(char out[HEADER_MAX], npz_type type, size_t item, int rank, const size_t *dim) {
  char text[24], shape[NPZ_MAX_RANK * 22 + 4] = "";
  size_t n = 0;
  for (int i = 0; i < rank; i++) n += (size_t)snprintf(shape + n, sizeof shape - n, i ? ", %zu" : "%zu", dim[i]);
  if (rank == 1) snprintf(shape + n, sizeof shape - n, ",");
  memset(out, ' ', HEADER_MAX);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  int used = snprintf(out + 10, HEADER_MAX - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                      descr(type, item, text), shape);
  size_t length = (10 + (size_t)used + 1 + 63) / 64 * 64;
  out[10 + used] = ' ';
  out[length - 1] = '\n';
  put16(out + 8, (unsigned)(length - 10));
  return length;
}

// ------------------------------------------------------------------------------------------------ members

npz_writer *npz_writer_to_buffer(codec_buffer *buffer) {
  npz_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->buffer = buffer;
  w->start = buffer->size;
  return w;
}

npz_writer *npz_writer_to_fd(int fd) {
  npz_writer *w = calloc(1, sizeof *w);
  if (w) w->stage = malloc(STAGE);
  if (!w || !w->stage) return free(w), NULL;
  w->fd = fd;
  return w;
}

static written *add_member(npz_writer *w, const char *name) {
  if (w->failed || w->count == NPZ_MAX_MEMBERS || strlen(name) > NPZ_MAX_NAME) return fail_io(w, EOVERFLOW), NULL;
  if (w->count == w->capacity) {
    size_t capacity = w->capacity ? 2 * w->capacity : 8;
    written *members = realloc(w->members, capacity * sizeof *members);
    if (!members) return fail_io(w, ENOMEM), NULL;
    w->members = members;
    w->capacity = capacity;
  }
  written *m = &w->members[w->count++];
  *m = (written){.header = w->at};
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  return m;
}

static void local_header(npz_writer *w, const written *m) {
  bool big = m->size >= ZIP32;
  char h[30 + 20 + 6 + ALIGNMENT] = {0}, *p = h;
  size_t name = strlen(m->name), fixed = 30 + name + (big ? 20 : 0) + 6;
  size_t pad = (ALIGNMENT - (m->header + fixed) % ALIGNMENT) % ALIGNMENT;
  p = put32(p, 0x04034b50);
  p = put16(p, big ? 45 : 20);
  p = put16(p, 0x0800); // names are UTF-8
  p = put16(p, 0);      // stored
  p = put32(p, DOS_DATE << 16);
  p = put32(p, 0); // CRC, patched
  p = put32(p, big ? ZIP32 : (uint32_t)m->size);
  p = put32(p, big ? ZIP32 : (uint32_t)m->size);
  p = put16(p, (unsigned)name);
  p = put16(p, (unsigned)(fixed - 30 - name + pad));
  put(w, h, 30);
  put(w, m->name, name);
  if (big) p = put64(put64(put16(put16(p, 1), 16), m->size), m->size);
  p = put16(put16(put16(p, ALIGNMENT_FIELD), (unsigned)(2 + pad)), ALIGNMENT);
  put(w, h + 30, (size_t)(p - h - 30) + pad);
}

void npz_write_begin(npz_writer *w, const char *name, npz_type type, size_t item, int rank, const size_t *dim) {
  assert(w->left == 0 && rank >= 0 && rank <= NPZ_MAX_RANK);
  written *m = add_member(w, name);
  if (!m) return;
  uint64_t count = 1;
  for (int i = 0; i < rank; i++) count *= dim[i];
  char header[HEADER_MAX];
  size_t length = npy_header(header, type, item, rank, dim);
  m->size = length + count * item;
  local_header(w, m);
  w->left = m->size;
  npz_write_data(w, header, length);
}

void npz_write_data(npz_writer *w, const void *bytes, size_t size) {
  if (w->failed || size == 0) return;
  if (size > w->left) {
    fail_io(w, EOVERFLOW);
    return;
  }
  written *m = &w->members[w->count - 1];
  m->crc = (uint32_t)crc32_z(m->crc, bytes, size);
  w->left -= size;
  put(w, bytes, size);
}

void npz_write_end(npz_writer *w) {
  if (w->left != 0) fail_io(w, EINVAL);
  w->left = 0;
  if (w->failed) return;
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
    fail_io(w, ENOMEM);
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
  bool big = m->size >= ZIP32, far = m->header >= ZIP32;
  char h[46 + 28] = {0}, *p = h;
  size_t name = strlen(m->name), extra = (big ? 16u : 0u) + (far ? 8u : 0u);
  p = put32(p, 0x02014b50);
  p = put16(p, 3 << 8 | 45); // made on Unix
  p = put16(p, extra ? 45 : 20);
  p = put16(p, 0x0800);
  p = put16(p, 0);
  p = put32(p, DOS_DATE << 16);
  p = put32(p, m->crc);
  p = put32(p, big ? ZIP32 : (uint32_t)m->size);
  p = put32(p, big ? ZIP32 : (uint32_t)m->size);
  p = put16(p, (unsigned)name);
  p = put16(p, (unsigned)(extra ? extra + 4 : 0));
  p = put64(p, 0);       // comment, disk, internal attributes and half of the external ones
  p = put16(p, 0100644); // a plain file
  p = put32(p, far ? ZIP32 : (uint32_t)m->header);
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
  if (directory >= ZIP32 || size >= ZIP32) {
    uint64_t at = w->at;
    p = put16(put16(put64(put32(p, 0x06064b50), 44), 45), 45);
    p = put64(put64(put64(p, 0), w->count), w->count); // disks; entries here and in all
    p = put64(put64(p, size), directory);
    p = put32(put64(put32(put32(p, 0x07064b50), 0), at), 1);
  }
  p = put32(put32(p, 0x06054b50), 0);
  p = put16(put16(p, (unsigned)w->count), (unsigned)w->count);
  p = put32(p, size >= ZIP32 ? ZIP32 : (uint32_t)size);
  p = put32(p, directory >= ZIP32 ? ZIP32 : (uint32_t)directory);
  p = put16(p, 0);
  put(w, h, (size_t)(p - h));
}

td_status npz_writer_close(npz_writer *w, uint64_t *size, td_error *err) {
  uint64_t directory = w->at;
  for (size_t i = 0; i < w->count; i++) directory_entry(w, &w->members[i]);
  directory_end(w, directory, w->at - directory);
  if (!w->buffer) flush(w);
  if (size) *size = w->at;
  bool failed = w->failed;
  int error = w->error;
  npz_writer_abandon(w);
  if (!failed) return TD_OK;
  td_status status = error == ENOMEM ? TD_NO_MEMORY : error == EOVERFLOW ? TD_LIMIT : TD_INTERNAL;
  return td_fail(err, status, "", "writing the archive failed: %s", strerror(error));
}

void npz_writer_abandon(npz_writer *w) {
  if (!w) return;
  free(w->members);
  free(w->stage);
  free(w);
}
