// Remarks by what they say, in the order in which they came; there are few of these, with many places.
#include "codec/import/remark.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static import_remark *group_of(remark_list *list, const char *detail) {
  for (import_remark *r = list->first; r; r = r->next)
    if (strcmp(r->detail, detail) == 0) return r;
  import_remark *r = arena_alloc(list->memory, sizeof *r);
  if (!r) return NULL;
  r->detail = detail;
  if (list->last) list->last->next = r;
  if (!list->first) list->first = r;
  return list->last = r;
}

void remark_trim(char text[REMARK_TEXT_SIZE], int wanted) {
  size_t n = wanted < 0 ? 0 : (size_t)wanted;
  if (n < REMARK_TEXT_SIZE) return;
  n = REMARK_TEXT_SIZE - 4;
  while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
  memcpy(text + n, "...", 4);
}

void remark_add(remark_list *list, const char *detail, int line, const char *format, ...) {
  char text[REMARK_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  remark_trim(text, vsnprintf(text, sizeof text, format, arguments));
  va_end(arguments);
  import_remark *r = group_of(list, detail);
  remark_place *place = r ? arena_alloc(list->memory, sizeof *place) : NULL;
  if (place) *place = (remark_place){.line = line, .what = arena_strdup(list->memory, text)};
  if (!place || !place->what) {
    list->failed = true;
    return;
  }
  if (r->last) r->last->next = place;
  if (!r->places) r->places = place;
  r->last = place;
  r->count++;
}

size_t remark_count(const remark_list *list) {
  size_t n = 0;
  for (const import_remark *r = list->first; r; r = r->next) n++;
  return n;
}
