// One pass over JSON: strings are skipped as units, brackets counted. A member of the outer object is a string at
// depth one that a colon follows; its value ends at the next comma or bracket at that depth. Text that is no JSON
// gives some part of itself or nothing, never a place outside it.
#include "lib/reply/raw.h"

#include <string.h>

// One past the string that starts at text[at].
static size_t skip_string(const char *text, size_t size, size_t at) {
  for (++at; at < size && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at < size ? at + 1 : size;
}

static size_t skip_space(const char *text, size_t size, size_t at) {
  while (at < size && strchr(" \t\r\n", text[at])) ++at;
  return at;
}

static size_t skip_value(const char *text, size_t size, size_t at) {
  for (int depth = 0; at < size; ++at) {
    char c = text[at];
    if (c == '"') at = skip_string(text, size, at) - 1;
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return size;
}

const char *client_raw_member(const char *text, size_t size, const char *key, size_t *length) {
  size_t at = skip_space(text, size, 0), n = strlen(key);
  if (at >= size || text[at] != '{') return NULL;
  for (++at; (at = skip_space(text, size, at)) < size && text[at] == '"';) {
    size_t end = skip_string(text, size, at), colon = skip_space(text, size, end);
    size_t value = skip_space(text, size, colon + 1);
    if (value >= size) return NULL;
    size_t stop = skip_value(text, size, value);
    if (end - at == n + 2 && memcmp(text + at + 1, key, n) == 0) {
      while (stop > value && strchr(" \t\r\n", text[stop - 1])) --stop;
      *length = stop - value;
      return text + value;
    }
    at = stop < size && text[stop] == ',' ? stop + 1 : size;
  }
  return NULL;
}
