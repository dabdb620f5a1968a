// SHA-256, the name of every document and the checksum of every result.
#ifndef SERVER_BASE_DIGEST_H
#define SERVER_BASE_DIGEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_HEX_SIZE = 65 };

typedef struct sha256_ctx digest;

void digest_init(digest *d);
void digest_update(digest *d, const void *bytes, size_t size);
/// Lower-case hexadecimal, NUL-terminated.
void digest_hex(digest *d, char hex[DIGEST_HEX_SIZE]);
/// All three at once.
void digest_of(const void *bytes, size_t size, char hex[DIGEST_HEX_SIZE]);
/// Of a whole file, in constant memory. False when it cannot be read.
bool digest_of_file(int fd, char hex[DIGEST_HEX_SIZE]);

#endif
