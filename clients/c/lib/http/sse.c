// One line is collected at a time; CR, LF and CRLF end it. An empty line dispatches what the fields before it said;
// an event without data is none. An incomplete event at the end of a stream is lost on purpose: it comes again after
// the resumption.
#include "lib/http/sse.h"

#include <assert.h>
#include <string.h>

static bool dispatch(client_sse *s) {
  bool on = true;
  if (s->has_data) {
    client_sse_event event = {s->type, s->id, s->data.at ? s->data.at : "", s->data.at ? s->data.size : 0};
    on = s->on_event(s->context, &event);
  }
  s->data.size = 0;
  s->has_data = false;
  s->type[0] = '\0';
  return on;
}

static bool add_data(client_sse *s, const char *value, size_t size) {
  if (s->data.size + size + 1 > CLIENT_SSE_LIMIT) return false;
  bool good = (!s->has_data || client_append(&s->data, "\n", 1)) && client_append(&s->data, value, size);
  s->has_data = true;
  return good;
}

static void set_word(char out[CLIENT_SSE_WORD], const char *value, size_t size) {
  if (size >= CLIENT_SSE_WORD || memchr(value, '\0', size)) return; // what is no word of ours is not kept
  memcpy(out, value, size);
  out[size] = '\0';
}

static bool take_field(client_sse *s, const char *name, size_t length, const char *value, size_t size) {
  if (length == 4 && memcmp(name, "data", 4) == 0) return add_data(s, value, size);
  if (length == 5 && memcmp(name, "event", 5) == 0) set_word(s->type, value, size);
  if (length == 2 && memcmp(name, "id", 2) == 0) set_word(s->id, value, size);
  return true;
}

static bool end_line(client_sse *s) {
  assert(s->line.size <= CLIENT_SSE_LIMIT && s->data.size <= CLIENT_SSE_LIMIT);
  const char *line = s->line.at ? s->line.at : "";
  size_t size = s->line.at ? s->line.size : 0;
  if (!s->begun && size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) line += 3, size -= 3;
  s->begun = true;
  s->line.size = 0;
  if (size == 0) return dispatch(s);
  const char *colon = memchr(line, ':', size);
  if (colon == line) return true; // a comment: the server lives
  size_t length = colon ? (size_t)(colon - line) : size, start = colon ? length + 1 : size;
  if (start < size && line[start] == ' ') ++start;
  return take_field(s, line, length, line + start, size - start);
}

bool client_sse_feed(client_sse *s, const char *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    if (s->after_return && bytes[at] == '\n') ++at; // the second half of CRLF
    s->after_return = false;
    size_t end = at;
    while (end < size && bytes[end] != '\n' && bytes[end] != '\r') ++end;
    if (s->line.size + (end - at) > CLIENT_SSE_LIMIT || !client_append(&s->line, bytes + at, end - at)) return false;
    if (end < size) {
      s->after_return = bytes[end] == '\r';
      if (!end_line(s)) return false;
      ++end;
    }
    at = end;
  }
  return true;
}

void client_sse_free(client_sse *s) {
  client_buffer_free(&s->line);
  client_buffer_free(&s->data);
}
