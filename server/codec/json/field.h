// Reading JSON objects by tables: each key is declared once, with its type, its place in a C structure and whether it
// must be there. Defaults are what the structure holds before reading.
#ifndef TENDRIL_CODEC_JSON_FIELD_H
#define TENDRIL_CODEC_JSON_FIELD_H

#include "base/arena.h"
#include "codec/json/pointer.h"
#include "tendril/errors.h"
#include "tendril/warnings.h"
#include <jansson.h>
#include <stdbool.h>

/// Where a walk through a document stands. One per document.
typedef struct reader {
  codec_pointer at;
  arena *memory;
  td_error *err;
  int depth;             ///< nesting of sums and products
  td_warnings *warnings; ///< NULL: nobody wants them; their pointers start behind `prefix`
  size_t prefix;         ///< length of the pointer of the whole document
  td_errors *all; ///< NULL: the first error ends the walk; else it goes on behind members and entries that failed
} reader;

/// Reads `value` into `out`; r->at is its pointer.
typedef td_status (*field_reader)(reader *r, const json_t *value, void *out);

typedef struct field {
  const char *key;
  field_reader read; ///< NULL: known, skipped (another pass reads it)
  size_t offset;
  bool required;
  const char *unsupported; ///< not NULL: a word of the format this version refuses, with this sentence
} field;

#define FIELD(type, member, key, reader)                                                                               \
  { key, reader, offsetof(type, member), false, NULL }
#define REQUIRED_FIELD(type, member, key, reader)                                                                      \
  { key, reader, offsetof(type, member), true, NULL }
#define SKIPPED_FIELD(key)                                                                                             \
  { key, NULL, 0, false, NULL }
#define UNSUPPORTED_FIELD(key, why)                                                                                    \
  { key, NULL, 0, false, why }
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/// Reads every key of an object by `table`: wrong type of `object`, unknown and missing keys are errors. The status is
/// that of the first error; what is missing is not told of an object with a key that is unknown, which may be meant.
TD_NODISCARD td_status read_object(reader *r, const json_t *object, const field *table, size_t count, void *out);
/// Where a reader stands before a member or an entry is read.
typedef struct reader_mark {
  size_t length, lost;
  int depth;
} reader_mark;
reader_mark reader_here(const reader *r);
/// Behind a member or entry that was read with `status`: stands where the mark was taken. Returns whether the walk goes on
/// with the next: it was read, or its error is kept among all that are wanted.
bool reader_goes_on(reader *r, const reader_mark *mark, td_status status);
/// Fails at the present place, or at `key` below it. `format` as printf.
td_status fail_here(reader *r, td_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
td_status fail_key(reader *r, const char *key, td_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Warns of member `key` below the present place.
void warn_key(reader *r, const char *key, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// "expected a number, got a string".
td_status fail_type(reader *r, const char *expected, const json_t *got);
/// The value short enough for a message: "\"abc\"", "-3", "an array of 5".
const char *show(const json_t *value, char text[64]);

// Readers of single values; `out` is what the name says.
td_status read_number(reader *r, const json_t *value, void *out_double);
td_status read_integer(reader *r, const json_t *value, void *out_int);
td_status read_bool(reader *r, const json_t *value, void *out_bool);
td_status read_text(reader *r, const json_t *value, void *out_const_char_pointer);
/// 1 to TD_MAX_NAME printable bytes.
td_status read_name(reader *r, const json_t *value, void *out_const_char_pointer);
td_status read_vector2(reader *r, const json_t *value, void *out_double2);
td_status read_vector3(reader *r, const json_t *value, void *out_double3);
td_status read_vector4(reader *r, const json_t *value, void *out_double4);
td_status read_vector6(reader *r, const json_t *value, void *out_double6);
td_status read_vector(reader *r, const json_t *value, double *out, size_t width);

/// Numbers of any count into the arena.
td_status read_numbers(reader *r, const json_t *value, size_t limit, const double **numbers, size_t *count);
/// An array of arrays of `width` numbers, flattened.
td_status read_rows(reader *r, const json_t *value, size_t width, size_t limit, const double **numbers, size_t *count);
/// An array whose elements `read` fills one by one; `prototype` [size] holds the defaults of each.
td_status read_list(reader *r, const json_t *value, size_t limit, size_t size, const void *prototype, field_reader read,
                    void **list, size_t *count);

/// Index of a word among names(0), names(1), … names(count - 1).
typedef const char *(*word_table)(int i);
td_status read_word(reader *r, const json_t *value, word_table names, int count, int *word);
/// The same for a key of an object, which must be there.
td_status read_key_word(reader *r, const json_t *object, const char *key, word_table names, int count, int *word);

#endif
