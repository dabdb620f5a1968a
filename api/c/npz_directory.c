// The directory of a zip archive: where it lies, and its entries.
//
// Method: it is found from the end of the archive (zip64 records honoured) and trusted only as far as every offset
// and size lies inside the archive. Only the end of the archive and the directory need to be at hand.
#include "api/c/npz_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { END_SIZE = 22, ENTRY_SIZE = 46, COMMENT_MAX = 65535 };

bool npz_bad_archive(npz_trouble *trouble, const char *what) {
  *trouble = (npz_trouble){.fault = NPZ_BAD_ARCHIVE};
  snprintf(trouble->what, sizeof trouble->what, "%s", what);
  return false;
}

bool npz_bad_member(npz_trouble *trouble, const char *member, const char *what) {
  *trouble = (npz_trouble){.fault = NPZ_BAD_MEMBER};
  snprintf(trouble->member, sizeof trouble->member, "%s", member);
  snprintf(trouble->what, sizeof trouble->what, "%s", what);
  return false;
}

bool npz_no_memory(npz_trouble *trouble) {
  *trouble = (npz_trouble){.fault = NPZ_NO_MEMORY, .what = "out of memory"};
  return false;
}

static bool find_end(const unsigned char *bytes, size_t size, size_t *end) {
  if (size < END_SIZE) return false;
  size_t lowest = size > END_SIZE + COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
  for (size_t at = size - END_SIZE + 1; at-- > lowest;)
    if (get32(bytes + at) == 0x06054b50) return *end = at, true;
  return false;
}

// The zip64 record that a locator in front of the end record points to.
static void find_zip64(const unsigned char *bytes, size_t end, uint64_t start, npz_directory *d) {
  if (end < 20 || get32(bytes + end - 20) != 0x07064b50) return;
  uint64_t at = get64(bytes + end - 20 + 8);
  if (at < start || at - start > end || end - (at - start) < 56 || get32(bytes + (at - start)) != 0x06064b50) return;
  const unsigned char *p = bytes + (at - start);
  *d = (npz_directory){.at = get64(p + 48), .size = get64(p + 40), .count = get64(p + 32)};
}

bool npz_directory_find(const unsigned char *bytes, size_t size, uint64_t start, npz_directory *d,
                        npz_trouble *trouble) {
  size_t end;
  if (!find_end(bytes, size, &end))
    return npz_bad_archive(trouble, "it has no zip directory (cut off, or not a zip file)");
  const unsigned char *p = bytes + end;
  *d = (npz_directory){.at = get32(p + 16), .size = get32(p + 12), .count = get16(p + 10)};
  find_zip64(bytes, end, start, d);
  if (d->at > start + end || d->size > start + end - d->at)
    return npz_bad_archive(trouble, "its directory is outside of it");
  return d->count <= NPZ_MAX_MEMBERS || npz_bad_archive(trouble, "it has too many members");
}

// Sizes and offset that did not fit 32 bits stand, in this order, in extra field 1.
static bool zip64_entry(const unsigned char *extra, size_t size, npz_member *m) {
  uint64_t *wanted[3] = {&m->unpacked, &m->packed, &m->header_offset};
  for (size_t i = 0; i + 4 <= size;) {
    size_t length = get16(extra + i + 2), at = i + 4;
    if (length > size - at) return false;
    for (int k = 0; get16(extra + i) == 1 && k < 3; k++) {
      if (*wanted[k] != NPZ_ZIP32) continue;
      if (at + 8 > i + 4 + length) return false;
      *wanted[k] = get64(extra + at);
      at += 8;
    }
    i += 4 + length;
  }
  return true;
}

static bool take_name(const unsigned char *text, size_t length, npz_member *m, npz_trouble *trouble) {
  if (length < 4 || memcmp(text + length - 4, ".npy", 4) != 0)
    return npz_bad_archive(trouble, "a member is not an .npy file");
  length -= 4;
  if (length == 0 || length > NPZ_MAX_NAME || memchr(text, 0, length))
    return npz_bad_archive(trouble, "a member's name is unusable");
  memcpy(m->name, text, length);
  return true;
}

static bool read_entry(const unsigned char *p, size_t room, npz_member *m, size_t *used, npz_trouble *trouble) {
  static const char damaged[] = "its directory is damaged";
  if (room < ENTRY_SIZE || get32(p) != 0x02014b50) return npz_bad_archive(trouble, damaged);
  size_t name = get16(p + 28), extra = get16(p + 30), comment = get16(p + 32);
  *used = ENTRY_SIZE + name + extra + comment;
  if (*used > room) return npz_bad_archive(trouble, damaged);
  if (get16(p + 8) & 1) return npz_bad_archive(trouble, "a member is encrypted");
  m->method = get16(p + 10);
  m->crc = get32(p + 16);
  m->packed = get32(p + 20);
  m->unpacked = get32(p + 24);
  m->header_offset = get32(p + 42);
  if (!zip64_entry(p + ENTRY_SIZE + name, extra, m)) return npz_bad_archive(trouble, damaged);
  return take_name(p + ENTRY_SIZE, name, m, trouble);
}

bool npz_directory_read(const unsigned char *bytes, const npz_directory *d, npz_memory memory, npz_archive *archive,
                        npz_trouble *trouble) {
  assert(archive->count == 0 && d->count <= NPZ_MAX_MEMBERS);
  archive->members = memory.take(memory.context, (size_t)d->count * sizeof *archive->members);
  if (!archive->members) return npz_no_memory(trouble);
  for (size_t at = 0, used = 0; archive->count < d->count; archive->count++, at += used) {
    assert(at <= d->size);
    npz_member *m = &archive->members[archive->count];
    if (!read_entry(bytes + at, (size_t)d->size - at, m, &used, trouble)) return false;
    if (npz_find(archive, m->name)) return npz_bad_member(trouble, m->name, "is in the archive twice");
  }
  return true;
}

const npz_member *npz_find(const npz_archive *archive, const char *name) {
  for (size_t i = 0; i < archive->count; i++)
    if (strcmp(archive->members[i].name, name) == 0) return &archive->members[i];
  return NULL;
}
