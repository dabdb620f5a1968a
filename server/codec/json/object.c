// A comma is due unless the last byte opens an object or array, so no state is kept beside the buffer.
#include "codec/json/object.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

void json_next(codec_buffer *b) {
  char last = b->size > 0 ? b->data[b->size - 1] : '[';
  if (last != '{' && last != '[') codec_buffer_append(b, ",", 1);
}

void json_begin(codec_buffer *b) { codec_buffer_append(b, "{", 1); }

void json_end(codec_buffer *b) { codec_buffer_append(b, "}", 1); }

void json_key(codec_buffer *b, const char *key) {
  json_next(b);
  codec_buffer_string(b, key);
  codec_buffer_append(b, ":", 1);
}

void json_raw_member(codec_buffer *b, const char *key, const char *text) {
  json_key(b, key);
  codec_buffer_text(b, text ? text : "null");
}

void json_string_member(codec_buffer *b, const char *key, const char *value) {
  json_key(b, key);
  if (value)
    codec_buffer_string(b, value);
  else
    codec_buffer_text(b, "null");
}

void json_integer_member(codec_buffer *b, const char *key, int64_t value) {
  char number[24];
  snprintf(number, sizeof number, "%" PRId64, value);
  json_raw_member(b, key, number);
}

void json_list_begin(codec_buffer *b, const char *key) {
  json_begin(b);
  json_key(b, key);
  codec_buffer_append(b, "[", 1);
}

void json_list_end(codec_buffer *b, const char *next_cursor) {
  codec_buffer_append(b, "]", 1);
  json_string_member(b, "next_cursor", next_cursor);
  json_end(b);
}

void json_number_member(codec_buffer *b, const char *key, double value) {
  json_key(b, key);
  codec_buffer_double(b, value);
}

void json_time_member(codec_buffer *b, const char *key, int64_t ms) {
  char time[CLOCK_TEXT_SIZE];
  if (ms != 0) clock_format(ms, time);
  json_string_member(b, key, ms != 0 ? time : NULL);
}
