// A tree of JSON as text. Without recursion: a stack of the containers that are open.
#include "codec/json/tree.h"
#include "codec/json/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct level {
  const json_t *container;
  void *member; // of an object: where it stands; NULL: at its end
  size_t next;  // of an array
  size_t written;
  bool lines; // each entry has one
} level;

static void write_scalar(codec_buffer *b, const json_t *value) {
  char number[24];
  switch (json_typeof(value)) {
  case JSON_STRING:
    codec_buffer_string(b, json_string_value(value));
    return;
  case JSON_REAL:
    codec_buffer_double(b, json_real_value(value));
    return;
  case JSON_TRUE:
    codec_buffer_text(b, "true");
    return;
  case JSON_FALSE:
    codec_buffer_text(b, "false");
    return;
  case JSON_INTEGER:
    snprintf(number, sizeof number, "%" PRId64, (int64_t)json_integer_value(value));
    codec_buffer_text(b, number);
    return;
  default:
    codec_buffer_text(b, "null");
    return;
  }
}

static void write_line(codec_buffer *b, int depth) {
  codec_buffer_text(b, "\n");
  for (int i = 0; i < depth; i++) codec_buffer_text(b, "  ");
}

static level open_container(codec_buffer *b, const json_t *value, int depth) {
  const json_t *first = json_is_array(value) ? json_array_get(value, 0) : NULL;
  codec_buffer_text(b, json_is_object(value) ? "{" : "[");
  return (level){.container = value,
                 .member = json_is_object(value) ? json_object_iter((json_t *)value) : NULL,
                 .lines = depth == 0 ? json_is_object(value) : depth == 1 && json_is_object(first)};
}

// The next entry, with its comma, line and key; NULL: there is none left.
static const json_t *next_entry(codec_buffer *b, level *l, int depth) {
  bool object = json_is_object(l->container);
  if (object ? !l->member : l->next >= json_array_size(l->container)) return NULL;
  if (l->written++) codec_buffer_text(b, l->lines ? "," : ", ");
  if (l->lines) write_line(b, depth);
  if (!object) return json_array_get(l->container, l->next++);
  const json_t *value = json_object_iter_value(l->member);
  codec_buffer_string(b, json_object_iter_key(l->member));
  codec_buffer_text(b, ": ");
  l->member = json_object_iter_next((json_t *)l->container, l->member);
  return value;
}

void codec_buffer_tree(codec_buffer *b, const json_t *value) {
  level stack[CODEC_MAX_DEPTH + 1];
  int depth = 0;
  if (!json_is_object(value) && !json_is_array(value)) {
    write_scalar(b, value);
    return;
  }
  stack[depth++] = open_container(b, value, 0);
  while (depth > 0) {
    level *top = &stack[depth - 1];
    const json_t *entry = next_entry(b, top, depth);
    if (!entry) {
      depth--;
      if (top->lines && top->written) write_line(b, depth);
      codec_buffer_text(b, json_is_object(top->container) ? "}" : "]");
    } else if (json_is_object(entry) || json_is_array(entry)) {
      assert(depth <= CODEC_MAX_DEPTH);
      stack[depth] = open_container(b, entry, depth);
      depth++;
    } else {
      write_scalar(b, entry);
    }
  }
}
