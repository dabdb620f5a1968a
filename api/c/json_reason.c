// A table of the beginnings of Jansson's sentences; what stands behind "near" is put into the plain ones.
#include "api/c/json_reason.h"

#include <stdio.h>
#include <string.h>

typedef struct sentence {
  const char *begins, *before, *after; // around the place; no place: before alone
} sentence;

static const sentence sentences[] = {
    {"'}' expected near ", "a comma is missing before ", ", or a } that ends the object"},
    {"']' expected near ", "a comma is missing before ", ", or a ] that ends the list"},
    {"':' expected near ", "a colon is missing before ", " (behind a key)"},
    {"string or '}' expected near ", "a key in double quotes should stand in the place of ",
     " (no comma follows the last one)"},
    {"unexpected token near ", "a value is missing before ", " (no comma follows the last one)"},
    {"invalid token near ", "", " is neither a text in double quotes nor a number, true, false or null"},
};

const char *json_reason(const char *said, char out[JSON_REASON_SIZE]) {
  snprintf(out, JSON_REASON_SIZE, "%s", said);
  for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
    const sentence *s = &sentences[i];
    size_t length = strlen(s->begins);
    if (strncmp(said, s->begins, length) != 0) continue;
    snprintf(out, JSON_REASON_SIZE, "%s%.*s%s", s->before, 160, said + length, s->after);
  }
  return out;
}
