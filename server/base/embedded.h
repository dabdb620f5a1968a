// Files of the source tree that the server carries: migrations/*/*.sql, api/openapi.yaml as JSON, and api/**/*.proto as
// descriptors (see embed.cmake). The shipped robots are in api/c/examples.
#ifndef SERVER_BASE_EMBEDDED_H
#define SERVER_BASE_EMBEDDED_H

#include "api/c/embedded_file.h"

extern const embedded_file embedded_sqlite_migrations[]; ///< rising names
extern const embedded_file embedded_postgresql_migrations[];
extern const embedded_file embedded_contract[];    ///< openapi.json
extern const embedded_file embedded_descriptors[]; ///< api/**/*.proto as a FileDescriptorSet

#endif
