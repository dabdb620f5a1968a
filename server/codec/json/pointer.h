// RFC 6901 JSON pointers built while walking a document, prefix first ("/model" + "/links/3/body").
//
// A token that does not fit is left out with all below it (the pointer then names the nearest ancestor that fits);
// push and pop stay balanced, nothing overflows.
#ifndef TENDRIL_CODEC_JSON_POINTER_H
#define TENDRIL_CODEC_JSON_POINTER_H

#include "tendril/status.h"
#include <stddef.h>

typedef struct codec_pointer {
  char text[TD_POINTER_SIZE];
  size_t length;
  size_t lost; ///< tokens left out at the end
} codec_pointer;

/// Starts at `prefix` (already a pointer, "" for the whole document).
void codec_pointer_init(codec_pointer *p, const char *prefix);
/// Appends "/key" with ~ and / escaped. Returns the mark that codec_pointer_pop takes back.
size_t codec_pointer_key(codec_pointer *p, const char *key);
/// Appends "/index".
size_t codec_pointer_index(codec_pointer *p, size_t index);
void codec_pointer_pop(codec_pointer *p, size_t mark);
/// Puts `prefix` in front of the pointer of an error that the engine reported relative to its own document.
void codec_error_prefix(td_error *err, const char *prefix);

#endif
