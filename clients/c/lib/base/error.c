// Problem documents are read leniently: every member may be missing or of another type, the HTTP status always counts.
#include "lib/base/error.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PROBLEM_BYTES = 1 << 20 };

const char *tendril_status_name(tendril_status status) {
  static const char *const names[] = {"ok",   "refused", "unreachable", "invalid",   "bad reply",
                                      "file", "stopped", "timeout",     "no memory", "closed"};
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

void client_copy(char *out, size_t size, const char *text) {
  size_t length = text ? strlen(text) : 0;
  if (length >= size) length = size - 1;
  while (text && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
  if (length > 0) memcpy(out, text, length);
  out[length] = '\0';
}

tendril_status client_fail(tendril_error *err, tendril_status status, const char *format, ...) {
  if (!err) return status;
  char text[sizeof err->detail];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  *err = (tendril_error){.status = status};
  client_copy(err->detail, sizeof err->detail, text);
  return status;
}

tendril_status client_no_memory(tendril_error *err) { return client_fail(err, TENDRIL_NO_MEMORY, "out of memory"); }

static const char *member(const json_t *problem, const char *key) {
  const char *text = json_string_value(json_object_get(problem, key));
  return text ? text : "";
}

static void read_mistakes(tendril_error *err, const json_t *list) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    if (i == TENDRIL_MISTAKES) break;
    tendril_mistake *m = &err->mistake[err->mistake_count++];
    client_copy(m->pointer, sizeof m->pointer, member(one, "pointer"));
    client_copy(m->detail, sizeof m->detail, member(one, "detail"));
  }
}

tendril_status client_problem(tendril_error *err, int http, const char *body, size_t size) {
  if (!err) return TENDRIL_REFUSED;
  json_t *problem = body && size <= PROBLEM_BYTES ? json_loadb(body, size, 0, NULL) : NULL;
  const char *detail = member(problem, "detail"), *title = member(problem, "title");
  const char *what = *detail  ? detail
                     : *title ? title
                              : "the answer is not a problem document; is this a Tendril server?";
  *err = (tendril_error){.status = TENDRIL_REFUSED, .http = http};
  client_copy(err->detail, sizeof err->detail, what);
  client_copy(err->code, sizeof err->code, member(problem, "code"));
  client_copy(err->pointer, sizeof err->pointer, member(problem, "pointer"));
  client_copy(err->request_id, sizeof err->request_id, member(problem, "request_id"));
  read_mistakes(err, json_object_get(problem, "errors"));
  json_decref(problem);
  return TENDRIL_REFUSED;
}
