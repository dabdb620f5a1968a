// Addresses of requests, put together from fixed text and escaped parts.
#ifndef TENDRIL_CLIENT_LIB_PATH_H
#define TENDRIL_CLIENT_LIB_PATH_H

#include "lib/http/operations.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct client_path {
  const char *method; ///< of the request
  char text[6000];
  size_t length;
  bool too_long, has_query;
} client_path;

/// A GET of `text` as it is.
client_path client_path_of(const char *text);
/// An operation of the contract. Names stand where its path has braces, in their order, and are escaped so that none
/// can leave its place; NULL where it has no more.
client_path client_path_to(client_operation operation, const char *first, const char *second);
/// "?key=value" or "&key=value"; a value of NULL adds nothing.
void client_path_query(client_path *path, const char *key, const char *value);

#endif
