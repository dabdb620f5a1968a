// JSON text to a Jansson document, refusing what Tendril never accepts.
#ifndef TENDRIL_CODEC_JSON_TEXT_H
#define TENDRIL_CODEC_JSON_TEXT_H

#include "codec/json/memory.h"
#include "tendril/status.h"
#include <jansson.h>
#include <stddef.h>

/// Deepest nesting of arrays and objects of any document; /v1/limits reports it as `depth`.
enum { CODEC_MAX_DEPTH = 64 };

/// Parses a whole document: UTF-8, one value, at most CODEC_MAX_DEPTH deep, no NUL, no duplicate keys, numbers
/// finite; as a tree it takes no more memory than codec/json/memory.h allows it.
/// @return a new reference (json_decref), or NULL with `err`: pointer "", line and column in the message
json_t *codec_parse(const char *bytes, size_t size, td_error *err);

/// The checks that need no tree, in one pass without recursion: UTF-8, depth, NUL and other raw control characters; and
/// how much there is of everything.
TD_NODISCARD td_status codec_text_count(const char *bytes, size_t size, json_count *count, td_error *err);

/// True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms, nothing above U+10FFFF).
int codec_utf8_valid(const char *bytes, size_t size);

#endif
