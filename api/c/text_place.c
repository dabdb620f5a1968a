// One walk over the text for each step of the pointer; values that lie before are skipped by counting brackets.
// Invariant: at <= end, whatever the text is.
#include "api/c/text_place.h"

#include <stdlib.h>
#include <string.h>

typedef struct scanner {
  const char *at, *end;
} scanner;

static char look(const scanner *s) { return s->at < s->end ? *s->at : '\0'; }

static void skip_blank(scanner *s) {
  while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
}

// From the opening quote to behind the closing one.
static void skip_string(scanner *s) {
  for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
    if (*s->at == '\\') s->at++;
  s->at = s->at < s->end ? s->at + 1 : s->end;
}

static void skip_value(scanner *s) {
  long depth = 0;
  do {
    char c = look(s);
    if (c == '"') {
      skip_string(s);
    } else if (depth == 0 && c != '{' && c != '[') {
      while (s->at < s->end && !strchr(",]} \t\r\n", *s->at)) s->at++;
    } else {
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      s->at++;
    }
  } while (depth > 0 && s->at < s->end);
}

// Behind a comma, if one comes.
static bool next(scanner *s) {
  skip_blank(s);
  bool more = look(s) == ',';
  if (more) s->at++;
  skip_blank(s);
  return more;
}

// Whether [key, end) is the reference token: "~1" is a slash in it, "~0" a tilde.
static bool is_token(const char *key, const char *end, const char *token, size_t length) {
  for (const char *last = token + length; token < last; token++, key++) {
    char c = *token;
    if (c == '~' && token + 1 < last) c = *++token == '1' ? '/' : '~';
    if (key >= end || *key != c || c == '\\') return false;
  }
  return key == end;
}

// From the bracket of an object to the member's value; false when it has none.
static bool enter_object(scanner *s, const char *token, size_t length) {
  s->at++;
  skip_blank(s);
  while (look(s) == '"') {
    const char *key = s->at + 1;
    skip_string(s);
    bool found = is_token(key, s->at - 1, token, length);
    skip_blank(s);
    if (look(s) != ':') return false;
    s->at++;
    skip_blank(s);
    if (found) return s->at < s->end;
    skip_value(s);
    if (!next(s)) return false;
  }
  return false;
}

static bool enter_array(scanner *s, const char *token, size_t length) {
  if (length == 0 || length > 9 || strspn(token, "0123456789") < length) return false;
  long index = strtol(token, NULL, 10);
  s->at++;
  skip_blank(s);
  if (look(s) == ']') return false;
  for (; index > 0; index--) {
    skip_value(s);
    if (!next(s)) return false;
  }
  return s->at < s->end;
}

static bool enter(scanner *s, const char *token, size_t length) {
  if (look(s) == '{') return enter_object(s, token, length);
  return look(s) == '[' && enter_array(s, token, length);
}

static void count(const char *text, const char *at, text_place *place) {
  place->line = place->column = 1;
  for (; text < at; text++) {
    bool begins = ((unsigned char)*text & 0xc0) != 0x80; // of UTF-8, a character
    place->column = *text == '\n' ? 1 : place->column + begins;
    place->line += *text == '\n';
  }
}

bool text_place_find(const char *text, size_t size, const char *pointer, text_place *place) {
  scanner s = {text, text + size};
  *place = (text_place){.exact = true};
  if (*pointer != '/') return false;
  skip_blank(&s);
  const char *found = s.at;
  while (place->exact && *pointer == '/') {
    size_t length = strcspn(++pointer, "/");
    place->exact = enter(&s, pointer, length);
    if (place->exact) found = s.at;
    pointer += length;
  }
  count(text, found, place);
  return true;
}
