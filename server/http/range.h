// The Range header (RFC 9110, 14.2).
#ifndef SERVER_HTTP_RANGE_H
#define SERVER_HTTP_RANGE_H

#include <stdint.h>

typedef enum range_kind {
  RANGE_WHOLE,   ///< no header, or one to be ignored: other units, several ranges, bad syntax
  RANGE_PART,    ///< these bytes
  RANGE_OUTSIDE, ///< nothing of it lies in the file
} range_kind;

/// One range of bytes of a file: "bytes=0-99", "bytes=100-", "bytes=-100".
range_kind range_read(const char *header, int64_t size, int64_t *first, int64_t *count);

#endif
