// Replies are JSON objects written member by member into a buffer.
//
//   json_begin(b); json_string_member(b, "name", name); …; json_end(b);
//
// A member with raw text must be valid JSON already (a document that was checked when it came in).
#ifndef TENDRIL_CODEC_OBJECT_H
#define TENDRIL_CODEC_OBJECT_H

#include "codec/json/number.h"

#include <stdint.h>

void json_begin(codec_buffer *b);
void json_end(codec_buffer *b);
/// The comma where one is needed, and "key":
void json_key(codec_buffer *b, const char *key);
/// The comma where one is needed before an element of an array.
void json_next(codec_buffer *b);
void json_string_member(codec_buffer *b, const char *key, const char *value); ///< NULL: null
void json_integer_member(codec_buffer *b, const char *key, int64_t value);
void json_number_member(codec_buffer *b, const char *key, double value);  ///< not finite: null
void json_time_member(codec_buffer *b, const char *key, int64_t ms);      ///< 0: null
void json_raw_member(codec_buffer *b, const char *key, const char *text); ///< NULL: null

// A list of which there may be more: {"key": […], "next_cursor": …}. Each element begins with json_next.
void json_list_begin(codec_buffer *b, const char *key);
void json_list_end(codec_buffer *b, const char *next_cursor); ///< NULL: there is no more

#endif
