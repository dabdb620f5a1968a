// The dashboard's files as the binary carries them. Made at build time from clients/dashboard (clients/CMakeLists.txt);
// without npm the table is empty.
#ifndef SERVER_HTTP_DASHBOARD_H
#define SERVER_HTTP_DASHBOARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dashboard_file {
  const char *path;                    ///< "/", "/assets/index-5f3a.js"; NULL ends the table
  const char *type;                    ///< media type
  const char *tag;                     ///< ETag with quotes, by content
  bool forever;                        ///< the name changes with the content
  const unsigned char *plain, *packed; ///< as it is; compressed by gzip
  size_t plain_size, packed_size;
} dashboard_file;

extern const dashboard_file dashboard_files[];

#endif
