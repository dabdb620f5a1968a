// What somebody may have meant by a key that is not known: a word of another format, or one letter off.
#ifndef TENDRIL_CODEC_JSON_HINT_H
#define TENDRIL_CODEC_JSON_HINT_H

#include <stdbool.h>
#include <stddef.h>

/// Among the keys (keys(context, 0) … keys(context, count - 1); NULL: none to be offered) that are known here.
typedef const char *(*hint_keys)(const void *context, size_t i);
/// Writes a sentence that ends in a blank, "did you mean "young"? ", or "". Returns whether there is one.
bool codec_hint(const char *key, hint_keys keys, const void *context, size_t count, char *text, size_t size);

/// Of a text that is a number with or without a unit writes a clause on how it is written here, "; numbers have neither
/// quotes nor units, they are in SI units: 0.15", else "".
void codec_hint_number(const char *word, char *text, size_t size);

#endif
