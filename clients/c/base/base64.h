// Bytes as text (RFC 4648).
#ifndef TENDRIL_CLIENT_BASE64_H
#define TENDRIL_CLIENT_BASE64_H

#include <stddef.h>

/// Writes 4 characters for each 3 bytes, the last padded with '=', without an end; returns how many.
size_t base64_encode(const unsigned char *bytes, size_t size, char *text);

#endif
