// What a body can ask for at most, from a look at its bytes: which quantities it names, how many states fit into it.
//
// JSON: a name stands between quotes, and every state is an object; a backslash may hide both, so nothing is guessed
// then. NPZ: names are ASCII or UTF-32 without quotes, so some are found inside of others, and a state has at least
// four bytes a coordinate; compressed members hide everything.
#include "codec/evaluate/evaluate.h"

#include <stdint.h>
#include <string.h>

enum { NAME_SIZE = 32, COMPRESSION_AT = 8, LEAST_NUMBER_BYTES = 4 };

static bool names(const char *bytes, size_t size, const char *name, bool npz) {
  char pattern[4 * NAME_SIZE] = "\"";
  size_t length = strlen(name);
  if (!npz) {
    memcpy(pattern + 1, name, length);
    pattern[length + 1] = '"';
    return memmem(bytes, size, pattern, length + 2) != NULL;
  }
  if (memmem(bytes, size, name, length)) return true;
  memset(pattern, 0, sizeof pattern);
  for (size_t i = 0; i < length; i++) pattern[4 * i] = name[i];
  return memmem(bytes, size, pattern, 4 * length - 3) != NULL;
}

static bool is_compressed(const char *bytes, size_t size) {
  static const char local[4] = "PK\3\4";
  for (const char *at = bytes, *end = bytes + size; (at = memmem(at, (size_t)(end - at), local, sizeof local)); at++)
    if (end - at < COMPRESSION_AT + 2 || at[COMPRESSION_AT] != 0 || at[COMPRESSION_AT + 1] != 0) return true;
  return false;
}

static size_t count_objects(const char *bytes, size_t size) {
  size_t count = 0;
  for (const char *at = bytes, *end = bytes + size; (at = memchr(at, '{', (size_t)(end - at))); at++) count++;
  return count;
}

bool codec_evaluate_guess(const char *bytes, size_t size, bool npz, int ndof, codec_guess *guess) {
  static const char *const unknown[] = {"parameters", "jvp", "vjp",
                                        "step"}; // by how many, how far they are from being ready
  guess->want_count = 0;
  if (npz ? is_compressed(bytes, size) : memchr(bytes, '\\', size) != NULL) return false;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (memmem(bytes, size, unknown[i], strlen(unknown[i]))) return false;
  guess->states = npz ? size / (LEAST_NUMBER_BYTES * (size_t)(ndof > 0 ? ndof : 1)) : count_objects(bytes, size);
  for (int q = 0; q < td_quantity_count(); q++)
    if (names(bytes, size, td_quantity_name(q), npz)) guess->want[guess->want_count++] = q;
  return true;
}
