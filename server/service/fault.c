// The two translations into faults: statuses of the engine and codec (by the table in codec/problem), and of the store.
#include "service/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fault_set(fault *f, problem_code code, const char *pointer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(f->detail, sizeof f->detail, format, values);
  va_end(values);
  f->code = code;
  f->retry_after_s = 0;
  f->all.count = 0;
  f->has_pointer = pointer != NULL;
  snprintf(f->pointer, sizeof f->pointer, "%s", pointer ? pointer : "");
  return false;
}

bool fault_from_error(fault *f, const td_error *err) {
  return fault_set(f, codec_problem_from_status(err->status), err->pointer, "%s", err->message);
}

void fault_add(fault *f, const td_errors *found) {
  td_error *own = &f->all.list[0];
  own->status = TD_INVALID_ARGUMENT;
  memcpy(own->pointer, f->pointer, sizeof own->pointer);
  memcpy(own->message, f->detail, sizeof own->message);
  f->all.count = 1;
  td_errors_join(&f->all, found);
  if (f->all.count == 1) f->all.count = 0;
}

bool fault_from_store(fault *f, store_status status, const char *what) {
  static const struct {
    problem_code code;
    const char *format;
  } rows[] = {
      [STORE_OK] = {PROBLEM_INTERNAL, "%s: no error"},
      [STORE_NOT_FOUND] = {PROBLEM_NOT_FOUND, "there is no %s"},
      [STORE_EXISTS] = {PROBLEM_ALREADY_EXISTS, "%s exists already"},
      [STORE_AMBIGUOUS] = {PROBLEM_FAILED_PRECONDITION, "several owners have a %s: say whose is meant (owner)"},
      [STORE_SHARE] = {PROBLEM_RATE_LIMITED, "%s is more than one owner may have"},
      [STORE_KEPT] = {PROBLEM_QUOTA_EXCEEDED, "%s is more than one owner may keep"},
      [STORE_PRECONDITION] = {PROBLEM_PRECONDITION_FAILED, "%s is not in the state that the request expects"},
      [STORE_FULL] = {PROBLEM_UNAVAILABLE, "%s cannot be stored: the disk is full or fails"},
      [STORE_SLOW] = {PROBLEM_UNAVAILABLE, "%s could not be read in time: ask for less"},
      [STORE_AWAY] = {PROBLEM_UNAVAILABLE, "%s: the database cannot be reached now"},
      [STORE_FAILED] = {PROBLEM_INTERNAL, "the store failed on %s; the log says why"},
      [STORE_STOPPED] =
          {PROBLEM_UNAVAILABLE,
           "%s cannot be stored: the disk failed, and nothing is written until the server is started again"},
  };
  char text[TD_MESSAGE_SIZE];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // the formats are the table above
  snprintf(text, sizeof text, rows[status].format, what);
#pragma GCC diagnostic pop
  return fault_set(f, rows[status].code, NULL, "%s", text);
}
