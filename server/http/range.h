// The Range header (RFC 9110, 14.2).
#ifndef SERVER_HTTP_RANGE_H
#define SERVER_HTTP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/// One range of bytes of a file: "bytes=0-99", "bytes=100-", "bytes=-100". False when the header is to be ignored and the
/// whole file sent: other units, several ranges, bad syntax, nothing in the file.
bool range_read(const char *header, int64_t size, int64_t *first, int64_t *count);

#endif
