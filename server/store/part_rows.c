// The rows of a part in its file, whatever keeps it: their checksum, which grows with them.
#include "store/parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

void store_part_forget_digest(store_part *part) {
  digest_init(&part->rows);
  part->digested = 0;
}

// Digests what is in the file up to `size` and was not yet (after a restart: all of it).
static bool digest_up_to(store_part *part, uint64_t size) {
  assert(part->fd >= 0);
  unsigned char block[BLOCK];
  while (part->digested < size) {
    uint64_t left = size - part->digested;
    ssize_t n = pread(part->fd, block, left < BLOCK ? left : BLOCK, (off_t)part->digested);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    digest_update(&part->rows, block, (size_t)n);
    part->digested += (uint64_t)n;
  }
  return true;
}

bool store_part_digest(store_part *part, uint64_t size, char sha256[DIGEST_HEX_SIZE]) {
  if (part->digested > size) store_part_forget_digest(part);
  if (!digest_up_to(part, size)) return false;
  digest so_far = part->rows;
  digest_hex(&so_far, sha256);
  return true;
}

bool store_write_all(int fd, const void *bytes, size_t size) {
  for (const char *from = bytes; size > 0;) {
    ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= (size_t)n;
  }
  return true;
}

void store_part_close(store_part *part) {
  if (part->fd >= 0) close(part->fd);
  free(part->state);
  *part = (store_part){.fd = -1};
}
