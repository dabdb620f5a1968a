// Problem documents: the table of codes (name, HTTP status, gRPC status), and their text.
//
// One row per kind of answer; two rows share the code failed_precondition because its HTTP status depends on what
// failed.
#include "codec/wire/problem.h"

#include "codec/json/number.h"
#include "codec/json/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const problem_row rows[PROBLEM_CODE_COUNT] = {
    [PROBLEM_INVALID_ARGUMENT] = {"invalid_argument", 400, 3, "Invalid argument"},
    [PROBLEM_UNAUTHENTICATED] = {"unauthenticated", 401, 16, "Unauthenticated"},
    [PROBLEM_PERMISSION_DENIED] = {"permission_denied", 403, 7, "Permission denied"},
    [PROBLEM_NOT_FOUND] = {"not_found", 404, 5, "Not found"},
    [PROBLEM_METHOD_NOT_ALLOWED] = {"method_not_allowed", 405, 12, "Method not allowed"},
    [PROBLEM_NOT_ACCEPTABLE] = {"not_acceptable", 406, 3, "Not acceptable"},
    [PROBLEM_TIMED_OUT] = {"timed_out", 408, 4, "Timed out"},
    [PROBLEM_ALREADY_EXISTS] = {"already_exists", 409, 6, "Already exists"},
    [PROBLEM_FAILED_PRECONDITION] = {"failed_precondition", 409, 9, "Failed precondition"},
    [PROBLEM_NOT_READY] = {"not_ready", 409, 9, "Not ready"},
    [PROBLEM_PRECONDITION_FAILED] = {"failed_precondition", 412, 9, "Failed precondition"},
    [PROBLEM_RESULT_LOST] = {"result_lost", 410, 15, "Result lost"},
    [PROBLEM_TOO_LARGE] = {"too_large", 413, 8, "Too large"},
    [PROBLEM_UNSUPPORTED_MEDIA] = {"unsupported_media", 415, 3, "Unsupported media type"},
    [PROBLEM_RANGE_NOT_SATISFIABLE] = {"range_not_satisfiable", 416, 11, "Range not satisfiable"},
    [PROBLEM_IDEMPOTENCY_MISMATCH] = {"idempotency_mismatch", 422, 9, "Idempotency mismatch"},
    [PROBLEM_RATE_LIMITED] = {"rate_limited", 429, 8, "Rate limited"},
    [PROBLEM_INTERNAL] = {"internal", 500, 13, "Internal error"},
    [PROBLEM_UNAVAILABLE] = {"unavailable", 503, 14, "Unavailable"},
    [PROBLEM_QUOTA_EXCEEDED] = {"quota_exceeded", 507, 8, "Quota exceeded"},
};

const problem_row *codec_problem_row(problem_code code) {
  return &rows[(unsigned)code < PROBLEM_CODE_COUNT ? code : PROBLEM_INTERNAL];
}

problem_code codec_problem_from_status(td_status status) {
  switch (status) {
  case TD_INVALID_ARGUMENT:
  case TD_UNSUPPORTED:
    return PROBLEM_INVALID_ARGUMENT;
  case TD_LIMIT:
    return PROBLEM_TOO_LARGE;
  case TD_NO_MEMORY:
  case TD_CANCELLED:
    return PROBLEM_UNAVAILABLE;
  default:
    return PROBLEM_INTERNAL;
  }
}

// Every byte that does not continue a well-formed sequence becomes U+FFFD.
static void append_repaired(codec_buffer *b, const char *text) {
  codec_buffer clean;
  codec_buffer_init(&clean, 0);
  for (size_t size = strlen(text), i = 0, n; i < size; i += n) {
    for (n = 1; n < 4 && i + n <= size && !codec_utf8_valid(text + i, n); n++) continue;
    if (i + n <= size && codec_utf8_valid(text + i, n)) {
      codec_buffer_append(&clean, text + i, n);
    } else {
      codec_buffer_text(&clean, "\xef\xbf\xbd");
      n = 1;
    }
  }
  codec_buffer_append(&clean, "", 1);
  codec_buffer_string(b, clean.failed ? "" : clean.data);
  codec_buffer_fini(&clean);
}

static void append_member(codec_buffer *b, const char *key, const char *text) {
  if (!text) return;
  codec_buffer_text(b, ",\"");
  codec_buffer_text(b, key);
  codec_buffer_text(b, "\":");
  append_repaired(b, text);
}

// Of the first `count`.
static void append_errors(codec_buffer *b, const td_errors *all, int count) {
  codec_buffer_text(b, "[");
  for (int i = 0; i < count; i++) {
    codec_buffer_text(b, i ? ",{\"pointer\":" : "{\"pointer\":");
    append_repaired(b, all->list[i].pointer);
    append_member(b, "detail", all->list[i].message);
    codec_buffer_text(b, "}");
  }
  codec_buffer_text(b, "]");
}

char *codec_problem_errors(const td_errors *all, size_t most, size_t *size) {
  for (int count = all->count; count >= 0; count--) {
    codec_buffer b;
    codec_buffer_init(&b, 0);
    append_errors(&b, all, count);
    char *text = codec_buffer_take(&b, size);
    if (!text || *size <= most || count == 0) return text;
    free(text);
  }
  return NULL;
}

char *codec_problem_write(problem_code code, const char *detail, const char *pointer, const char *request_id,
                          const td_errors *all, size_t *size) {
  const problem_row *row = codec_problem_row(code);
  codec_buffer b;
  codec_buffer_init(&b, 0);
  char head[200];
  snprintf(head, sizeof head, "{\"type\":\"urn:tendril:problem:%s\",\"title\":\"%s\",\"status\":%d", row->code,
           row->title, row->http);
  codec_buffer_text(&b, head);
  append_member(&b, "detail", detail);
  append_member(&b, "code", row->code);
  append_member(&b, "pointer", pointer);
  if (all && all->count > 1) {
    codec_buffer_text(&b, ",\"errors\":");
    append_errors(&b, all, all->count);
  }
  append_member(&b, "request_id", request_id);
  codec_buffer_text(&b, "}");
  return codec_buffer_take(&b, size);
}
