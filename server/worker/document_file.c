#include "worker/document_file.h"
#include "base/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *document_file_read(const char *path, size_t *size) {
  bool is_stdin = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rbe");
  char *bytes = file ? malloc(LIMIT_BODY_BYTES + 1) : NULL;
  *size = bytes ? fread(bytes, 1, LIMIT_BODY_BYTES + 1, file) : 0;
  bool whole = bytes && !ferror(file) && *size <= LIMIT_BODY_BYTES;
  if (!whole) {
    const char *reason = bytes && *size > LIMIT_BODY_BYTES ? "larger than 64 MiB" : strerror(errno);
    fprintf(stderr, "tendril: cannot read %s: %s\n", path, reason);
    free(bytes);
    bytes = NULL;
  }
  if (file && file != stdin) fclose(file);
  if (bytes && *size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) memmove(bytes, bytes + 3, *size -= 3);
  return bytes;
}
