// One range, or none: what is not understood is ignored (RFC 9110, 14.2), what lies outside is 416.
#include "http/range.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Digits only, -1 when there are none; saturates.
static int64_t read_number(const char **text) {
  if (!isdigit((unsigned char)**text)) return -1;
  char *end;
  errno = 0;
  long long value = strtoll(*text, &end, 10);
  *text = end;
  return value;
}

range_kind range_read(const char *header, int64_t size, int64_t *first, int64_t *count) {
  if (!header || strncmp(header, "bytes=", 6) != 0) return RANGE_WHOLE;
  const char *text = header + 6;
  int64_t from = read_number(&text);
  if (*text++ != '-') return RANGE_WHOLE;
  int64_t to = read_number(&text);
  if (*text != '\0' || (from < 0 && to < 0) || (to >= 0 && to < from)) return RANGE_WHOLE;
  bool tail = from < 0; // the last `to` bytes
  if (to < 0 || to > size) to = tail ? size : size - 1;
  int64_t start = tail ? size - to : from, end = tail || to >= size ? size : to + 1;
  *first = start;
  *count = end - start;
  return start < end ? RANGE_PART : RANGE_OUTSIDE;
}
