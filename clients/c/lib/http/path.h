// Addresses of requests, put together from fixed text and escaped parts.
#ifndef TENDRIL_CLIENT_LIB_PATH_H
#define TENDRIL_CLIENT_LIB_PATH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct client_path {
  char text[6000];
  size_t length;
  bool too_long, has_query;
} client_path;

/// Starts with `text` as it is.
client_path client_path_of(const char *text);
void client_path_add(client_path *path, const char *text);
/// Percent-escapes everything but unreserved characters (RFC 3986), so that no name can leave its place.
void client_path_escape(client_path *path, const char *text);
/// "?key=value" or "&key=value"; a value of NULL adds nothing.
void client_path_query(client_path *path, const char *key, const char *value);

#endif
