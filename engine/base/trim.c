// Ends of texts that did not fit their place.
#include "base/trim.h"
#include <string.h>

// A cut must not leave half a UTF-8 sequence behind: drop the continuation bytes and their lead byte.
void td_trim_utf8(char *text, size_t capacity, size_t wanted) {
  if (wanted < capacity) return;
  size_t end = strlen(text);
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
  if (end > 0 && ((unsigned char)text[end - 1] & 0x80)) end--;
  text[end] = '\0';
}

// A message that does not fit ends behind a word, where there is one to end behind.
void td_trim_message(char *text, size_t capacity, size_t wanted) {
  static const char MORE[] = " …";
  if (wanted < capacity) return;
  size_t end = capacity - sizeof MORE, least = capacity - 96;
  while (end > least && text[end] != ' ') end--;
  if (end > least)
    memcpy(text + end, MORE, sizeof MORE);
  else
    td_trim_utf8(text, capacity, wanted);
}
