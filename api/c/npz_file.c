// Reading NPZ from a file without loading it: the directory is held, members are told by where their data lies.
//
// Every byte is read by pread: a file that shrinks or a disk that fails is an error here, where a mapping would be a
// signal. Bytes that are elsewhere are brought before they are read.
#include "api/c/npz_parts.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { TAIL = 128 << 10, HEADER_HELD = 4 << 10, BLOCK = 64 << 10 };

static const char unreadable[] = "it cannot be read from the disk";

bool npz_file_read(const npz_file *file, uint64_t at, void *bytes, size_t size) {
  if (file->bring && !file->bring(file->context, at, size)) return false;
  for (char *to = bytes; size > 0;) {
    ssize_t n = pread(file->fd, to, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n, at += (uint64_t)n, size -= (size_t)n;
  }
  return true;
}

// Bytes [start, start + size) of the file; NULL with `trouble`.
static unsigned char *take(const npz_file *file, uint64_t start, size_t size, npz_memory memory, npz_trouble *trouble) {
  unsigned char *bytes = memory.take(memory.context, size);
  if (!bytes) return npz_no_memory(trouble), NULL;
  return npz_file_read(file, start, bytes, size) ? bytes : (npz_bad_archive(trouble, unreadable), NULL);
}

bool npz_file_open(const npz_file *file, npz_memory memory, npz_archive *archive, npz_trouble *trouble) {
  struct stat st;
  npz_directory d;
  if (fstat(file->fd, &st) != 0) return npz_bad_archive(trouble, unreadable);
  *archive = (npz_archive){.size = (size_t)st.st_size};
  size_t held = archive->size < TAIL ? archive->size : TAIL;
  uint64_t start = archive->size - held;
  unsigned char *tail = take(file, start, held, memory, trouble);
  if (!tail || !npz_directory_find(tail, held, start, &d, trouble)) return false;
  unsigned char *entries = d.at >= start ? tail + (d.at - start) : take(file, d.at, (size_t)d.size, memory, trouble);
  return entries && npz_directory_read(entries, &d, memory, archive, trouble);
}

// Where the bytes of a stored member begin, its .npy header included.
static bool begin_of(const npz_file *file, const npz_archive *archive, const npz_member *m, uint64_t *at,
                     npz_trouble *trouble) {
  unsigned char local[NPZ_LOCAL_SIZE];
  size_t size = archive->size;
  if (m->method != 0 || m->packed != m->unpacked) return npz_bad_member(trouble, m->name, "is not stored as it is");
  if (m->header_offset > size || size - m->header_offset < sizeof local)
    return npz_bad_member(trouble, m->name, "is cut off");
  if (!npz_file_read(file, m->header_offset, local, sizeof local)) return npz_bad_archive(trouble, unreadable);
  if (get32(local) != 0x04034b50) return npz_bad_member(trouble, m->name, "has no local header");
  *at = m->header_offset + sizeof local + get16(local + 26) + get16(local + 28);
  return (*at <= size && m->packed <= size - *at) || npz_bad_member(trouble, m->name, "is cut off");
}

bool npz_file_check(const npz_file *file, const npz_archive *archive, const npz_member *m) {
  unsigned char block[BLOCK];
  uint64_t at = 0;
  unsigned long crc = 0;
  npz_trouble ignored;
  if (!begin_of(file, archive, m, &at, &ignored)) return false;
  for (uint64_t left = m->packed; left > 0;) {
    size_t n = left < sizeof block ? (size_t)left : sizeof block;
    if (!npz_file_read(file, at, block, n)) return false;
    crc = crc32_z(crc, block, n);
    at += n, left -= n;
  }
  return crc == m->crc;
}

bool npz_file_locate(const npz_file *file, const npz_archive *archive, const npz_member *m, npz_array *array,
                     uint64_t *data, npz_trouble *trouble) {
  unsigned char head[HEADER_HELD];
  uint64_t at = 0;
  size_t begins = 0, held = m->unpacked < sizeof head ? (size_t)m->unpacked : sizeof head;
  if (!begin_of(file, archive, m, &at, trouble)) return false;
  if (!npz_file_read(file, at, head, held)) return npz_bad_archive(trouble, unreadable);
  bool good = npz_header_read(head, held, m->unpacked, array, &begins, trouble);
  *data = at + begins;
  if (!good) snprintf(trouble->member, sizeof trouble->member, "%s", m->name);
  return good;
}
