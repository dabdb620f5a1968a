// Reading NPZ from a file without loading it: the directory is held, members are told by where their data lies.
//
// Every byte is read by pread: a file that shrinks or a disk that fails is an error here, where a mapping would be a signal.
#include "codec/npz/npz_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { TAIL = 128 << 10, HEADER_HELD = 4 << 10, BLOCK = 64 << 10 };

bool npz_file_read(int fd, uint64_t at, void *bytes, size_t size) {
  for (char *to = bytes; size > 0;) {
    ssize_t n = pread(fd, to, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n, at += (uint64_t)n, size -= (size_t)n;
  }
  return true;
}

static td_status unreadable(td_error *err) {
  return td_fail(err, TD_INVALID_ARGUMENT, "", "not a readable NPZ archive: it cannot be read from the disk");
}

// Bytes [start, start + size) of the file in the arena; NULL with `err`.
static unsigned char *take(int fd, uint64_t start, size_t size, arena *a, td_error *err) {
  unsigned char *bytes = arena_alloc(a, size);
  if (!bytes) return td_fail(err, TD_NO_MEMORY, "", "out of memory"), NULL;
  return npz_file_read(fd, start, bytes, size) ? bytes : (unreadable(err), NULL);
}

td_status npz_file_open(int fd, arena *a, npz_archive *archive, td_error *err) {
  struct stat st;
  npz_directory d;
  if (fstat(fd, &st) != 0) return unreadable(err);
  *archive = (npz_archive){.size = (size_t)st.st_size};
  size_t held = archive->size < TAIL ? archive->size : TAIL;
  uint64_t start = archive->size - held;
  unsigned char *tail = take(fd, start, held, a, err);
  if (!tail) return err->status;
  td_status status = npz_directory_find(tail, held, start, &d, err);
  if (status != TD_OK) return status;
  unsigned char *entries = d.at >= start ? tail + (d.at - start) : take(fd, d.at, (size_t)d.size, a, err);
  return entries ? npz_directory_read(entries, &d, a, archive, err) : err->status;
}

// Where the bytes of a stored member begin, its .npy header included.
static td_status begin_of(int fd, const npz_archive *archive, const npz_member *m, uint64_t *at, td_error *err) {
  unsigned char local[NPZ_LOCAL_SIZE];
  size_t size = archive->size;
  if (m->method != 0 || m->packed != m->unpacked) return npz_broken_member(err, m->name, "is not stored as it is");
  if (m->header_offset > size || size - m->header_offset < sizeof local)
    return npz_broken_member(err, m->name, "is cut off");
  if (!npz_file_read(fd, m->header_offset, local, sizeof local)) return unreadable(err);
  if (get32(local) != 0x04034b50) return npz_broken_member(err, m->name, "has no local header");
  *at = m->header_offset + sizeof local + get16(local + 26) + get16(local + 28);
  return *at <= size && m->packed <= size - *at ? TD_OK : npz_broken_member(err, m->name, "is cut off");
}

bool npz_file_check(int fd, const npz_archive *archive, const npz_member *m) {
  unsigned char block[BLOCK];
  uint64_t at = 0;
  unsigned long crc = 0;
  if (begin_of(fd, archive, m, &at, NULL) != TD_OK) return false;
  for (uint64_t left = m->packed; left > 0;) {
    size_t n = left < sizeof block ? (size_t)left : sizeof block;
    if (!npz_file_read(fd, at, block, n)) return false;
    crc = crc32_z(crc, block, n);
    at += n, left -= n;
  }
  return crc == m->crc;
}

td_status npz_file_locate(int fd, const npz_archive *archive, const npz_member *m, npz_array *array, uint64_t *data,
                          td_error *err) {
  unsigned char head[HEADER_HELD];
  uint64_t at = 0;
  size_t begins = 0, held = m->unpacked < sizeof head ? (size_t)m->unpacked : sizeof head;
  td_status status = begin_of(fd, archive, m, &at, err);
  if (status != TD_OK) return status;
  if (!npz_file_read(fd, at, head, held)) return unreadable(err);
  const char *wrong = npz_header_read(head, held, m->unpacked, array, &begins);
  *data = at + begins;
  return wrong ? npz_broken_member(err, m->name, wrong) : TD_OK;
}
