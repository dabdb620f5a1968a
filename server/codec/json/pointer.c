// JSON pointers (RFC 6901): a stack of tokens in one fixed buffer.
//
// Invariant: text is NUL-terminated and a valid pointer. A token that would not fit is left out whole and so are those
// below it (length stays, `pop` restores marks), so an over-long place is named by its nearest ancestor that fits.
#include "codec/json/pointer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void codec_pointer_init(codec_pointer *p, const char *prefix) {
  size_t n = strlen(prefix);
  p->lost = 0;
  p->length = n < sizeof p->text ? n : 0;
  memcpy(p->text, prefix, p->length);
  p->text[p->length] = '\0';
}

// Escapes one token into out; returns its length, or 0 when it does not fit.
static size_t escape(const char *key, char *out, size_t room) {
  size_t n = 0;
  for (; *key; key++) {
    bool special = *key == '~' || *key == '/';
    if (n + (special ? 2 : 1) >= room) return 0;
    if (special) out[n++] = '~';
    out[n++] = *key == '~' ? '0' : *key == '/' ? '1' : *key;
  }
  out[n] = '\0';
  return n;
}

enum { LOST = TD_POINTER_SIZE }; // the mark of a token that was left out

size_t codec_pointer_key(codec_pointer *p, const char *key) {
  size_t mark = p->length, room = sizeof p->text - mark;
  size_t n = p->lost == 0 && room > 2 ? escape(key, p->text + mark + 1, room - 1) : 0;
  if (p->lost > 0 || room <= 2 || (n == 0 && *key != '\0')) {
    p->text[mark] = '\0';
    p->lost++;
    return LOST;
  }
  p->text[mark] = '/';
  p->length = mark + 1 + n;
  p->text[p->length] = '\0';
  return mark;
}

size_t codec_pointer_index(codec_pointer *p, size_t index) {
  char token[24];
  snprintf(token, sizeof token, "%zu", index);
  return codec_pointer_key(p, token);
}

void codec_pointer_pop(codec_pointer *p, size_t mark) {
  if (mark == LOST) {
    p->lost--;
    return;
  }
  p->length = mark;
  p->text[mark] = '\0';
}

void codec_error_prefix(td_error *err, const char *prefix) {
  if (!err || *prefix == '\0') return;
  char joined[2 * TD_POINTER_SIZE];
  int n = snprintf(joined, sizeof joined, "%.*s%s", TD_POINTER_SIZE - 1, prefix, err->pointer);
  if (n < TD_POINTER_SIZE) memcpy(err->pointer, joined, (size_t)n + 1);
}
