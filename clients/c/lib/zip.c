// End record -> central directory -> members; zip64 understood. Everything is read through bounded little-endian loads; a
// member claims memory only in proportion to the bytes that stand for it.
#include "lib/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DEFLATE_RATIO = 1100, BLOCK = 1 << 30 };
#define SIZE_CAP ((uint64_t)1 << 40)

uint64_t client_load(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | at[i];
  return value;
}

static bool inside(size_t size, uint64_t offset, uint64_t length) { return offset <= size && length <= size - offset; }

// ------------------------------------------------------------------------------------------------ the directory

// The end record lies within the last 64 KiB + 22 bytes.
static bool find_end(const unsigned char *bytes, size_t size, size_t *end) {
  size_t lowest = size > 65557 ? size - 65557 : 0;
  for (size_t at = size; at >= lowest + 22; --at) {
    if (memcmp(bytes + at - 22, "PK\5\6", 4) != 0) continue;
    *end = at - 22;
    return true;
  }
  return false;
}

bool client_zip_directory(const unsigned char *bytes, size_t size, uint64_t *offset, uint64_t *entries) {
  size_t end;
  if (!find_end(bytes, size, &end)) return false;
  const unsigned char *record = bytes + end;
  *entries = client_load(record + 10, 2);
  *offset = client_load(record + 16, 4);
  if (end < 20 || memcmp(record - 20, "PK\6\7", 4) != 0) return true;
  uint64_t at = client_load(record - 12, 8);
  if (!inside(size, at, 56) || memcmp(bytes + at, "PK\6\6", 4) != 0) return false;
  *entries = client_load(bytes + at + 32, 8);
  *offset = client_load(bytes + at + 48, 8);
  return true;
}

// Sizes of 0xffffffff stand in the zip64 extra field, in this order, only those that are needed.
static void read_zip64(const unsigned char *extra, size_t length, client_zip_entry *e) {
  while (length >= 4) {
    size_t id = client_load(extra, 2), size = client_load(extra + 2, 2);
    if (size > length - 4) return;
    const unsigned char *at = extra + 4, *stop = at + size;
    uint64_t *wide[] = {&e->unpacked, &e->packed, &e->offset};
    for (int i = 0; id == 1 && i < 3; ++i) {
      if (*wide[i] != UINT32_MAX || stop - at < 8) continue;
      *wide[i] = client_load(at, 8);
      at += 8;
    }
    extra += 4 + size;
    length -= 4 + size;
  }
}

bool client_zip_entry_read(const unsigned char *bytes, size_t size, uint64_t *at, client_zip_entry *e) {
  if (!inside(size, *at, 46) || memcmp(bytes + *at, "PK\1\2", 4) != 0) return false;
  const unsigned char *row = bytes + *at;
  size_t name = client_load(row + 28, 2), extra = client_load(row + 30, 2), comment = client_load(row + 32, 2);
  if (!inside(size, *at, 46 + name + extra + comment)) return false;
  *e = (client_zip_entry){.method = (unsigned)client_load(row + 10, 2),
                          .crc = (uint32_t)client_load(row + 16, 4),
                          .packed = client_load(row + 20, 4),
                          .unpacked = client_load(row + 24, 4),
                          .offset = client_load(row + 42, 4)};
  memcpy(e->name, row + 46, name < CLIENT_ZIP_NAME ? name : CLIENT_ZIP_NAME - 1);
  read_zip64(row + 46 + name, extra, e);
  *at += 46 + name + extra + comment;
  return true;
}

// ------------------------------------------------------------------------------------------------ a member's bytes

static unsigned char *inflate_block(const unsigned char *packed, const client_zip_entry *e) {
  if (e->unpacked > SIZE_CAP || e->unpacked / DEFLATE_RATIO > e->packed + 1 || e->packed > UINT32_MAX) return NULL;
  unsigned char *out = malloc(e->unpacked + 1);
  z_stream z = {.next_in = (unsigned char *)packed, .avail_in = (uInt)e->packed};
  if (!out || inflateInit2(&z, -MAX_WBITS) != Z_OK) return free(out), NULL;
  int code = Z_OK;
  while (code == Z_OK && z.total_out < e->unpacked) {
    uint64_t left = e->unpacked - z.total_out;
    z.next_out = out + z.total_out;
    z.avail_out = left > BLOCK ? BLOCK : (uInt)left;
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
    uInt part = size - done > BLOCK ? BLOCK : (uInt)(size - done);
    crc = crc32(crc, bytes + done, part);
    done += part;
  }
  return (uint32_t)crc;
}

const char *client_zip_unpack(const unsigned char *bytes, size_t size, const client_zip_entry *e,
                              const unsigned char **content, unsigned char **inflated) {
  static const char lost[] = "cannot be unpacked";
  *inflated = NULL;
  if (!inside(size, e->offset, 30) || memcmp(bytes + e->offset, "PK\3\4", 4) != 0) return lost;
  const unsigned char *local = bytes + e->offset;
  uint64_t start = e->offset + 30 + client_load(local + 26, 2) + client_load(local + 28, 2);
  if (!inside(size, start, e->packed)) return lost;
  *content = bytes + start;
  if (e->method == 0 && e->packed != e->unpacked) return lost;
  if (e->method != 0) {
    *content = *inflated = e->method == 8 ? inflate_block(bytes + start, e) : NULL;
    if (!*inflated) return lost;
  }
  return checksum(*content, e->unpacked) == e->crc ? NULL : "is damaged (checksum)";
}
