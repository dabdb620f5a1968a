// Messages to the user, and memory that is there or the program says so and ends.
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_line(const char *head, const char *format, va_list arguments) {
  char raw[4096], safe[4096];
  vsnprintf(raw, sizeof raw, format, arguments);
  fprintf(stderr, "%s%s\n", head, say_safe(safe, sizeof safe, raw));
}

void say_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("tendril: ", format, arguments);
  va_end(arguments);
}

void say_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("", format, arguments);
  va_end(arguments);
}

const char *say_safe(char *out, size_t size, const char *text) {
  size_t n = 0;
  for (; text[n] && n + 1 < size; ++n) {
    unsigned char c = (unsigned char)text[n];
    out[n] = (c < 0x20 && c != '\n') || c == 0x7f ? '?' : (char)c;
  }
  out[n] = '\0';
  return out;
}

void *must_realloc(void *block, size_t size) {
  void *grown = realloc(block, size ? size : 1);
  if (!grown) {
    fprintf(stderr, "tendril: out of memory (%zu bytes asked for)\n", size);
    exit(EXIT_FAILURE);
  }
  return grown;
}

void *must_alloc(size_t size) {
  void *block = must_realloc(NULL, size);
  memset(block, 0, size ? size : 1);
  return block;
}

char *must_copy(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(must_alloc(size), text, size);
}

char *must_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) text = NULL;
  va_end(arguments);
  return text ? text : must_copy("");
}
