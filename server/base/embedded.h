// Files of the source tree that the binary carries: migrations/*/*.sql, api/examples/*.json, and
// api/openapi.yaml as JSON, and api/**/*.proto as descriptors (see embed.cmake).
#ifndef SERVER_BASE_EMBEDDED_H
#define SERVER_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
  const char *name; ///< file name without folder; NULL ends a list
  const char *data; ///< `size` bytes, then a NUL
  size_t size;
} embedded_file;

extern const embedded_file embedded_sqlite_migrations[]; ///< rising names
extern const embedded_file embedded_postgresql_migrations[];
extern const embedded_file embedded_examples[];
extern const embedded_file embedded_contract[];    ///< openapi.json
extern const embedded_file embedded_descriptors[]; ///< api/**/*.proto as a FileDescriptorSet

#endif
