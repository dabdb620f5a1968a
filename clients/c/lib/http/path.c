// Invariant: text is terminated, and what did not fit is remembered in too_long.
#include "lib/http/path.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void append(client_path *path, const char *text, size_t size) {
  if (path->too_long || size >= sizeof path->text - path->length) {
    path->too_long = true;
    return;
  }
  memcpy(path->text + path->length, text, size);
  path->length += size;
  assert(path->length < sizeof path->text);
  path->text[path->length] = '\0';
}

client_path client_path_of(const char *text) {
  client_path path = {.method = "GET"};
  append(&path, text, strlen(text));
  return path;
}

static bool unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

// Percent-escapes everything but unreserved characters (RFC 3986), so that no name can leave its place.
static void escape(client_path *path, const char *text) {
  for (; *text; ++text) {
    char code[4];
    snprintf(code, sizeof code, "%%%02X", (unsigned char)*text);
    unreserved(*text) ? append(path, text, 1) : append(path, code, 3);
  }
}

client_path client_path_to(client_operation operation, const char *first, const char *second) {
  client_path path = {.method = operation.method};
  const char *const names[] = {first, second};
  const char *at = operation.path;
  for (size_t i = 0; i < 2 && names[i]; ++i) {
    size_t fixed = strcspn(at, "{");
    assert(at[fixed]); // a name without a place
    append(&path, at, fixed);
    escape(&path, names[i]);
    at = strchr(at, '}') + 1;
  }
  assert(!strchr(at, '{')); // a place without a name
  append(&path, at, strlen(at));
  return path;
}

void client_path_query(client_path *path, const char *key, const char *value) {
  if (!value) return;
  append(path, path->has_query ? "&" : "?", 1);
  path->has_query = true;
  append(path, key, strlen(key));
  append(path, "=", 1);
  escape(path, value);
}
