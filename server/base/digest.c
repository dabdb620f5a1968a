// SHA-256 by nettle, printed in hexadecimal.
#include "base/digest.h"

#include <errno.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

void digest_init(digest *d) { sha256_init(d); }

void digest_update(digest *d, const void *bytes, size_t size) { sha256_update(d, size, bytes); }

void digest_hex(digest *d, char hex[DIGEST_HEX_SIZE]) {
  unsigned char raw[SHA256_DIGEST_SIZE];
  sha256_digest(d, sizeof raw, raw);
  for (size_t i = 0; i < sizeof raw; i++) {
    hex[2 * i] = "0123456789abcdef"[raw[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[raw[i] & 15];
  }
  hex[DIGEST_HEX_SIZE - 1] = '\0';
}

void digest_of(const void *bytes, size_t size, char hex[DIGEST_HEX_SIZE]) {
  digest d;
  digest_init(&d);
  digest_update(&d, bytes, size);
  digest_hex(&d, hex);
}

bool digest_of_file(int fd, char hex[DIGEST_HEX_SIZE]) {
  unsigned char block[BLOCK];
  digest d;
  ssize_t n = 0;
  digest_init(&d);
  for (off_t at = 0; (n = pread(fd, block, sizeof block, at)) != 0; at += n > 0 ? n : 0) {
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) digest_update(&d, block, (size_t)n);
  }
  digest_hex(&d, hex);
  return true;
}
