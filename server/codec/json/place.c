// Walks down documents by JSON pointers. Nothing recurses; a pointer that is none leads nowhere.
#include "codec/json/place.h"
#include "codec/json/hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *json_place_token(const char *p, char token[JSON_TOKEN_SIZE]) {
  size_t n = 0;
  for (p++; *p && *p != '/'; p++) {
    if (n + 1 == JSON_TOKEN_SIZE) return NULL;
    bool escape = *p == '~' && (p[1] == '0' || p[1] == '1');
    token[n++] = !escape ? *p : p[1] == '0' ? '~' : '/';
    p += escape;
  }
  token[n] = '\0';
  return p;
}

bool json_place_index(const char *token, size_t *index) {
  size_t digits = strspn(token, "0123456789");
  if (digits == 0 || digits > 9 || token[digits] || (digits > 1 && *token == '0')) return false;
  *index = strtoul(token, NULL, 10);
  return true;
}

json_t *json_place_member(const json_t *value, const char *token) {
  size_t index;
  if (json_is_object(value)) return json_object_get(value, token);
  return json_is_array(value) && json_place_index(token, &index) ? json_array_get(value, index) : NULL;
}

json_t *json_place_holder(json_t *document, const char *pointer, char token[JSON_TOKEN_SIZE]) {
  for (const char *p = pointer; *p == '/';) {
    p = json_place_token(p, token);
    json_t *next = p ? json_place_member(document, token) : NULL;
    if (!next) return NULL;
    if (*p == '\0') return document;
    document = next;
  }
  return NULL;
}

json_t *json_place_find(json_t *document, const char *pointer) {
  char token[JSON_TOKEN_SIZE];
  if (!*pointer) return document;
  json_t *holder = json_place_holder(document, pointer, token);
  return holder ? json_place_member(holder, token) : NULL;
}

bool json_place_put(json_t *document, const char *pointer, json_t *value) {
  char token[JSON_TOKEN_SIZE];
  size_t index = 0;
  json_t *at = json_place_holder(document, pointer, token);
  if (json_is_object(at)) return json_object_set(at, token, value) == 0;
  return json_is_array(at) && json_place_index(token, &index) && json_array_set(at, index, value) == 0;
}

enum { MOST_KEYS = 64 };

static const char *key_of(const void *context, size_t i) { return ((const char *const *)context)[i]; }

// What is not there may have a default.
static bool list_keys(const char *const *keys, size_t count, char *text, size_t size) {
  enum { SHOWN = 8, LEAST = 120 };
  size_t n = 0;
  for (size_t i = 0; i < count && i < SHOWN && n + LEAST < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s\"%.40s\"", i ? ", " : "there is ", keys[i]);
  snprintf(text + n, size - n, "%swhat it leaves to a default has to be written into it",
           count > SHOWN ? ", …; "
           : n           ? "; "
                         : "");
  return true;
}

static bool explain_object(const json_t *value, const char *token, char *text, size_t size) {
  const char *keys[MOST_KEYS], *key;
  size_t count = 0;
  json_t *member;
  json_object_foreach((json_t *)value, key, member) if (count < MOST_KEYS) keys[count++] = key;
  if (!codec_hint(token, key_of, keys, count, text, size)) return list_keys(keys, count, text, size);
  for (size_t n = strlen(text); n > 0 && strchr("; ", text[n - 1]); n--) text[n - 1] = '\0'; // it is not followed
  return true;
}

bool json_place_explain(const json_t *value, const char *token, char *text, size_t size) {
  const json_t *member;
  size_t i;
  if (json_is_object(value)) return explain_object(value, token, text, size);
  if (!json_is_array(value)) return false;
  json_array_foreach(value, i, member) {
    const char *name = json_string_value(json_object_get(member, "name"));
    if (!name || strcmp(name, token) != 0) continue;
    snprintf(text, size, "a list is asked by numbers: \"%.60s\" is number %zu here", token, i);
    return true;
  }
  snprintf(text, size, "the list there has %zu entries, from 0 on", json_array_size(value));
  return true;
}
