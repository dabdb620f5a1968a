// Reading NPZ from memory: the bytes of one member, stored or deflated, and the array in them.
//
// Method: deflated members are inflated into exactly the size that the directory declares; a size that deflate cannot
// reach from so few bytes takes no memory. CRCs are checked.
#include "api/c/npz_parts.h"

#include <assert.h>
#include <stdio.h>
#include <zlib.h>

enum { DEFLATE_RATIO = 1100 }; // deflate packs 1032 bytes into one at the most

bool npz_open(const void *bytes, size_t size, npz_memory memory, npz_archive *archive, npz_trouble *trouble) {
  *archive = (npz_archive){.bytes = bytes, .size = size};
  npz_directory d;
  return npz_directory_find(bytes, size, 0, &d, trouble) &&
         npz_directory_read(archive->bytes + d.at, &d, memory, archive, trouble);
}

static bool inflate_all(const unsigned char *in, uint64_t packed, unsigned char *out, uint64_t unpacked) {
  z_stream z = {0};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
  int status = Z_OK;
  uint64_t fed = 0, made = 0;
  const uint64_t piece = 1u << 30;
  while (status == Z_OK) {
    uint64_t give = packed - fed < piece ? packed - fed : piece,
             room = unpacked - made < piece ? unpacked - made : piece;
    z.next_in = (unsigned char *)in + fed;
    z.avail_in = (unsigned)give;
    z.next_out = out + made;
    z.avail_out = (unsigned)room;
    status = inflate(&z, Z_NO_FLUSH);
    uint64_t ate = give - z.avail_in, wrote = room - z.avail_out;
    fed += ate;
    made += wrote;
    if (ate == 0 && wrote == 0 && status == Z_OK) status = Z_BUF_ERROR;
  }
  inflateEnd(&z);
  return status == Z_STREAM_END && made == unpacked;
}

// NULL, or what is wrong.
static const char *unpack(const npz_archive *archive, const npz_member *m, npz_memory memory,
                          const unsigned char **bytes) {
  size_t size = archive->size;
  if (m->header_offset > size || size - m->header_offset < NPZ_LOCAL_SIZE) return "is cut off";
  const unsigned char *local = archive->bytes + m->header_offset;
  if (get32(local) != 0x04034b50) return "has no local header";
  uint64_t at = m->header_offset + NPZ_LOCAL_SIZE + get16(local + 26) + get16(local + 28);
  if (at > size || m->packed > size - at) return "is cut off";
  *bytes = archive->bytes + at;
  if (m->method == 0) return m->packed == m->unpacked ? NULL : "has two sizes";
  if (m->method != 8) return "is neither stored nor deflated";
  bool possible = m->unpacked / DEFLATE_RATIO <= m->packed;
  unsigned char *out = possible ? memory.take(memory.context, (size_t)m->unpacked) : NULL;
  if (!out) return "is too large when unpacked";
  if (!inflate_all(*bytes, m->packed, out, m->unpacked)) return "does not inflate";
  *bytes = out;
  return NULL;
}

static bool read_member(const npz_archive *archive, const npz_member *m, npz_memory memory, bool check,
                        npz_array *array, npz_trouble *trouble) {
  assert(archive->bytes); // those of a file are located
  const unsigned char *bytes = NULL;
  size_t data = 0, size = (size_t)m->unpacked;
  const char *wrong = unpack(archive, m, memory, &bytes);
  if (!wrong && check && crc32_z(0, bytes, size) != m->crc) wrong = "fails its CRC";
  if (wrong) return npz_bad_member(trouble, m->name, wrong);
  bool good = npz_header_read(bytes, size, m->unpacked, array, &data, trouble);
  array->data = bytes + data;
  if (!good) snprintf(trouble->member, sizeof trouble->member, "%s", m->name);
  return good;
}

bool npz_read(const npz_archive *archive, const npz_member *m, npz_memory memory, npz_array *array,
              npz_trouble *trouble) {
  return read_member(archive, m, memory, true, array, trouble);
}

bool npz_peek(const npz_archive *archive, const npz_member *m, npz_memory memory, npz_array *array,
              npz_trouble *trouble) {
  return read_member(archive, m, memory, false, array, trouble);
}
