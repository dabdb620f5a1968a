// Invariant: text is terminated, and what did not fit is remembered in too_long.
#include "lib/http/path.h"

#include <stdio.h>
#include <string.h>

static void append(client_path *path, const char *text, size_t size) {
  if (path->too_long || size >= sizeof path->text - path->length) {
    path->too_long = true;
    return;
  }
  memcpy(path->text + path->length, text, size);
  path->length += size;
  path->text[path->length] = '\0';
}

client_path client_path_of(const char *text) {
  client_path path = {.length = 0};
  append(&path, text, strlen(text));
  return path;
}

void client_path_add(client_path *path, const char *text) { append(path, text, strlen(text)); }

static bool unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

void client_path_escape(client_path *path, const char *text) {
  for (; *text; ++text) {
    char code[4];
    snprintf(code, sizeof code, "%%%02X", (unsigned char)*text);
    unreserved(*text) ? append(path, text, 1) : append(path, code, 3);
  }
}

void client_path_query(client_path *path, const char *key, const char *value) {
  if (!value) return;
  append(path, path->has_query ? "&" : "?", 1);
  path->has_query = true;
  client_path_add(path, key);
  append(path, "=", 1);
  client_path_escape(path, value);
}
