// Doubles as text, shortest digits that read back as the same double; and the growing buffer that replies are written
// to.
#ifndef TENDRIL_CODEC_JSON_NUMBER_H
#define TENDRIL_CODEC_JSON_NUMBER_H

#include "base/share/budget.h"

#include <stdbool.h>
#include <stddef.h>

/// Longest text of codec_double, "-2.2250738585072014e-308", and some room for wide stores.
enum { CODEC_DOUBLE_SIZE = 32 };

/// Writes the shortest decimal that reads back as `x` (the nearest of the shortest); returns its length, no NUL.
/// "0.1", "3", "-0.0", "1e22", "5e-324". x must be finite: a NaN or an infinity is written as null.
size_t codec_double(char out[CODEC_DOUBLE_SIZE], double x);

/// Reads a JSON number at `text` (`end` one past the last byte that may be looked at) correctly rounded.
/// @return bytes used, 0 when there is no JSON number; `*x` is infinite when it overflows
size_t codec_number_read(const char *text, const char *end, double *x);

/// A byte buffer that grows up to a limit. After a failure (memory, limit) it stays failed and ignores writes: check
/// once.
typedef struct codec_buffer {
  char *data;
  size_t size, capacity, limit;
  bool failed;
  budget_answer refusal;    ///< of its account, when that is why it failed
  budget_account account;   ///< that capacities beyond CODEC_BUFFER_COUNTED are taken from
  size_t taken;             ///< from it
  const _Atomic bool *stop; ///< set by another thread: what is being written is not wanted any more; NULL: it always is
  bool stopped;             ///< it failed for that
} codec_buffer;

/// limit 0: none. Its account is BUDGET_REPLIES unless told otherwise before anything is written.
void codec_buffer_init(codec_buffer *b, size_t limit);
void codec_buffer_use(codec_buffer *b, budget_account account);
enum { CODEC_BUFFER_COUNTED = 32 << 10 };
void codec_buffer_fini(codec_buffer *b);
/// Room for `size` more bytes: pointer to write to, then codec_buffer_commit; NULL when failed.
char *codec_buffer_reserve(codec_buffer *b, size_t size);
void codec_buffer_commit(codec_buffer *b, size_t size);
void codec_buffer_append(codec_buffer *b, const void *bytes, size_t size);
void codec_buffer_text(codec_buffer *b, const char *text);
/// JSON string with quotes and escapes; `text` must be UTF-8.
void codec_buffer_string(codec_buffer *b, const char *text);
void codec_buffer_double(codec_buffer *b, double x);
/// Nested JSON arrays of shape dim[0..rank); rank 0 is the bare number.
void codec_buffer_array(codec_buffer *b, const double *values, int rank, const size_t *dim);
/// Hands the memory to the caller (free); the buffer is empty again. NULL when failed. What was taken for it is given
/// back: whoever keeps it counts it.
char *codec_buffer_take(codec_buffer *b, size_t *size);

#endif
