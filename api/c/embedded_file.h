// A file of the source tree that a program carries.
#ifndef TENDRIL_API_EMBEDDED_FILE_H
#define TENDRIL_API_EMBEDDED_FILE_H

#include <stddef.h>

typedef struct embedded_file {
  const char *name; ///< file name without folder; NULL ends a list
  const char *data; ///< `size` bytes, then a NUL
  size_t size;
} embedded_file;

#endif
