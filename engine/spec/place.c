// Places in a document and checks of single numbers, lists and names.
//
// A pointer is built by collecting the chain from the place up to the root (its depth is that of the document's
// grammar, bounded by PLACE_DEPTH) and printing it downwards. Keys are our own words, so nothing needs escaping.
#include "spec/place.h"
#include "tendril/spec.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PLACE_DEPTH = 48 };

td_place td_place_root_of(td_warnings *warnings, td_error *err) { return (td_place){.err = err, .warnings = warnings}; }
td_place td_place_root(td_error *err) { return td_place_root_of(NULL, err); }
td_place td_place_key(const td_place *up, const char *key) {
  return (td_place){.up = up, .key = key, .err = up->err, .warnings = up->warnings, .all = up->all};
}
td_place td_place_at(const td_place *up, size_t index) {
  return (td_place){.up = up, .index = index, .err = up->err, .warnings = up->warnings, .all = up->all};
}

static void write_pointer(const td_place *at, char *out, size_t size) {
  const td_place *chain[PLACE_DEPTH];
  size_t depth = 0, used = 0;
  for (; at->up; at = at->up) {
    assert(depth < PLACE_DEPTH);
    chain[depth++] = at;
  }
  out[0] = 0;
  while (depth-- > 0 && used < size) {
    const td_place *step = chain[depth];
    int wrote = step->key ? snprintf(out + used, size - used, "/%s", step->key)
                          : snprintf(out + used, size - used, "/%zu", step->index);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}

td_status td_place_fail(const td_place *at, td_status status, const char *format, ...) {
  char pointer[TD_POINTER_SIZE], message[TD_MESSAGE_SIZE + 8]; // longer than td_fail keeps, so that it does the cutting
  write_pointer(at, pointer, sizeof pointer);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return td_fail(at->err, status, pointer, "%s", message);
}

bool td_place_goes_on(const td_place *at, td_status status) {
  return status == TD_OK || td_errors_add(at->all, at->err);
}

void td_place_warn(const td_place *at, const char *code, const char *format, ...) {
  char pointer[TD_POINTER_SIZE], detail[TD_MESSAGE_SIZE + 8];
  if (!at->warnings) return;
  write_pointer(at, pointer, sizeof pointer);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  td_warn(at->warnings, code, pointer, "%s", detail);
}

// The place a check of member `key` speaks about.
static td_place member(const td_place *at, const char *key) { return key ? td_place_key(at, key) : *at; }

td_status td_check_finite(const td_place *at, const char *key, double x) {
  if (isfinite(x)) return TD_OK;
  td_place place = member(at, key);
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be a finite number, is %g", x);
}

td_status td_check_positive(const td_place *at, const char *key, double x) {
  if (isfinite(x) && x > 0) return TD_OK;
  td_place place = member(at, key);
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be a finite number greater than 0, is %.15g", x);
}

td_status td_check_not_negative(const td_place *at, const char *key, double x) {
  if (isfinite(x) && x >= 0) return TD_OK;
  td_place place = member(at, key);
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be a finite number that is not negative, is %.15g", x);
}

td_status td_check_within(const td_place *at, const char *key, double x, double low, double high) {
  if (x >= low && x <= high) return TD_OK;
  td_place place = member(at, key);
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must lie in [%g, %g], is %.15g", low, high, x);
}

td_status td_check_all_finite(const td_place *at, const char *key, size_t count, const double *x) {
  td_place list = member(at, key);
  for (size_t i = 0; i < count; i++) {
    td_place entry = td_place_at(&list, i);
    td_status status = td_check_finite(&entry, NULL, x[i]);
    if (status) return status;
  }
  return TD_OK;
}

td_status td_check_axis(const td_place *at, const char *key, const double x[3]) {
  td_status status = td_check_all_finite(at, key, 3, x);
  if (status) return status;
  double norm = hypot(hypot(x[0], x[1]), x[2]);
  if (norm > 0 && isfinite(norm)) return TD_OK;
  td_place place = member(at, key);
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be a vector with a direction, is [%g, %g, %g]", x[0], x[1],
                       x[2]);
}

static td_status check_rising(const td_place *list, size_t count, const double *s) {
  for (size_t i = 1; i < count; i++) {
    if (s[i] > s[i - 1]) continue;
    td_place entry = td_place_at(list, i);
    return td_place_fail(&entry, TD_INVALID_ARGUMENT, "knots must rise strictly: %.15g follows %.15g", s[i], s[i - 1]);
  }
  return TD_OK;
}

td_status td_check_knots(const td_place *at, const char *key, size_t count, const double *s) {
  td_place list = member(at, key);
  if (count < 2 || count > TD_MAX_KNOTS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "must have 2 to %d knots, has %zu", (int)TD_MAX_KNOTS, count);
  td_status status = td_check_all_finite(at, key, count, s);
  if (!status) status = check_rising(&list, count, s);
  if (status) return status;
  size_t wrong = s[0] != 0 ? 0 : count - 1;
  if (s[0] == 0 && s[count - 1] == 1) return TD_OK;
  td_place entry = td_place_at(&list, wrong);
  return td_place_fail(&entry, TD_INVALID_ARGUMENT, "knots must run from 0 to 1, this end is %.15g", s[wrong]);
}

// Length of the well-formed UTF-8 sequence at `s`, 0 when it is malformed, and its code point. RFC 3629.
static size_t utf8_step(const unsigned char *s, unsigned *point) {
  static const unsigned lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  if (!length) return 0;
  *point = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) {
    if (s[i] >> 6 != 2) return 0;
    *point = *point << 6 | (s[i] & 0x3Fu);
  }
  bool surrogate = *point >= 0xD800 && *point <= 0xDFFF;
  return *point < lowest[length] || *point > 0x10FFFF || surrogate ? 0 : length;
}

static bool printable(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  unsigned point = 0;
  for (size_t step; *s; s += step) {
    step = utf8_step(s, &point);
    if (!step || point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
  }
  return true;
}

td_status td_check_name(const td_place *at, const char *key, const char *name) {
  td_place place = member(at, key);
  if (!name || !name[0]) return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be a name, is empty");
  if (strlen(name) > TD_MAX_NAME)
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "must have at most %d bytes, has %zu", (int)TD_MAX_NAME,
                         strlen(name));
  if (!printable(name))
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be UTF-8 text without control characters");
  return TD_OK;
}
