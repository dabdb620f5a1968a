// Where in a model document a check stands, and the small checks of numbers that every rule is made of.
//
// A place is a node on the stack that knows the one above it; its JSON pointer is only written when a check fails.
//     td_place links = td_place_key(root, "links"), link = td_place_at(&links, 3);
#ifndef TENDRIL_SPEC_PLACE_H
#define TENDRIL_SPEC_PLACE_H

#include "tendril/errors.h"
#include "tendril/warnings.h"
#include <stddef.h>

typedef struct td_place {
  const struct td_place *up; ///< NULL for the whole document
  const char *key;           ///< member of an object; NULL: `index` of an array
  size_t index;
  td_error *err;
  td_warnings *warnings; ///< NULL: nobody wants them
  td_errors *all;        ///< NULL: the first error ends the check
} td_place;

/// The whole document. `err` and `warnings` may be NULL.
td_place td_place_root(td_error *err);
td_place td_place_root_of(td_warnings *warnings, td_error *err);
/// Member `key` of the object at `up`.
td_place td_place_key(const td_place *up, const char *key);
/// Entry `index` of the array at `up`.
td_place td_place_at(const td_place *up, size_t index);

/// Fails at this place: fills the error with its pointer and the sentence; returns `status`.
td_status td_place_fail(const td_place *at, td_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Warns at this place: a code of snake_case, a sentence with the value and what to do.
void td_place_warn(const td_place *at, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Whether the check of one entry or section, which has just answered `status`, may be followed by those that do not
/// depend on it: it passed, or its error is kept among all that are wanted.
bool td_place_goes_on(const td_place *at, td_status status);

// Each of these checks member `key` of the object at `at` (key NULL: the place itself).
TD_NODISCARD td_status td_check_finite(const td_place *at, const char *key, double x);
TD_NODISCARD td_status td_check_positive(const td_place *at, const char *key, double x);
TD_NODISCARD td_status td_check_not_negative(const td_place *at, const char *key, double x);
/// low <= x <= high
TD_NODISCARD td_status td_check_within(const td_place *at, const char *key, double x, double low, double high);
/// x [count] finite; a failure points to the entry.
TD_NODISCARD td_status td_check_all_finite(const td_place *at, const char *key, size_t count, const double *x);
/// x [3] finite and not all 0.
TD_NODISCARD td_status td_check_axis(const td_place *at, const char *key, const double x[3]);
/// s [count]: at least two, at most TD_MAX_KNOTS knots rising strictly from 0 to 1.
TD_NODISCARD td_status td_check_knots(const td_place *at, const char *key, size_t count, const double *s);
/// A non-empty name of at most TD_MAX_NAME bytes of UTF-8 without control characters.
TD_NODISCARD td_status td_check_name(const td_place *at, const char *key, const char *name);

#endif
