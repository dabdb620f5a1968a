// Status names, error details and lists of warnings: plain values, nothing here allocates or keeps state.
#include "tendril/warnings.h"
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const NAMES[TD_STATUS_COUNT] = {
    [TD_OK] = "ok",
    [TD_INVALID_ARGUMENT] = "invalid_argument",
    [TD_UNSUPPORTED] = "unsupported",
    [TD_NO_MEMORY] = "no_memory",
    [TD_NONFINITE] = "nonfinite",
    [TD_SINGULAR] = "singular",
    [TD_NOT_CONVERGED] = "not_converged",
    [TD_STEP_TOO_SMALL] = "step_too_small",
    [TD_CANCELLED] = "cancelled",
    [TD_LIMIT] = "limit",
    [TD_UNCONVERGED] = "unconverged",
    [TD_INCONSISTENT] = "inconsistent",
    [TD_INTERNAL] = "internal",
};

const char *td_status_name(td_status status) { return (unsigned)status < TD_STATUS_COUNT ? NAMES[status] : "internal"; }

// A cut must not leave half a UTF-8 sequence behind: drop the continuation bytes and their lead byte.
static void trim_utf8(char *text, size_t capacity, size_t wanted) {
  if (wanted < capacity) return;
  size_t end = strlen(text);
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
  if (end > 0 && ((unsigned char)text[end - 1] & 0x80)) end--;
  text[end] = '\0';
}

// A message that does not fit ends behind a word, where there is one to end behind.
static void trim_message(char *text, size_t capacity, size_t wanted) {
  static const char MORE[] = " …";
  if (wanted < capacity) return;
  size_t end = capacity - sizeof MORE, least = capacity - 96;
  while (end > least && text[end] != ' ') end--;
  if (end > least)
    memcpy(text + end, MORE, sizeof MORE);
  else
    trim_utf8(text, capacity, wanted);
}

td_status td_fail(td_error *err, td_status status, const char *pointer, const char *format, ...) {
  if (!err) return status;
  err->status = status;
  int wanted = snprintf(err->pointer, sizeof err->pointer, "%s", pointer ? pointer : "");
  trim_utf8(err->pointer, sizeof err->pointer, (size_t)wanted);
  va_list args;
  va_start(args, format);
  wanted = vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  trim_message(err->message, sizeof err->message, wanted < 0 ? 0 : (size_t)wanted);
  return status;
}

static bool is_said(const td_warnings *w, const char *code, const char *pointer) {
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, code) && !strcmp(w->list[i].pointer, pointer)) return true;
  return false;
}

// The place of a new warning; NULL when it is said already or there is no place.
static td_warning *add(td_warnings *w, const char *code, const char *pointer) {
  if (!w || is_said(w, code, pointer)) return NULL;
  assert(strlen(code) < TD_WARNING_CODE_SIZE && w->count >= 0 && w->count <= TD_MAX_WARNINGS);
  if (w->count == TD_MAX_WARNINGS) return w->dropped++, NULL;
  td_warning *new = &w->list[w->count++];
  snprintf(new->code, sizeof new->code, "%s", code);
  int wanted = snprintf(new->pointer, sizeof new->pointer, "%s", pointer);
  trim_utf8(new->pointer, sizeof new->pointer, (size_t)wanted);
  return new;
}

void td_warn(td_warnings *warnings, const char *code, const char *pointer, const char *format, ...) {
  td_warning *new = add(warnings, code, pointer ? pointer : "");
  if (!new) return;
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(new->detail, sizeof new->detail, format, args);
  va_end(args);
  trim_message(new->detail, sizeof new->detail, wanted < 0 ? 0 : (size_t)wanted);
}

void td_warnings_append(td_warnings *warnings, const char *prefix, const td_warnings *from) {
  char pointer[2 * TD_POINTER_SIZE];
  for (int i = 0; from && i < from->count; i++) {
    snprintf(pointer, sizeof pointer, "%s%s", prefix, from->list[i].pointer);
    td_warn(warnings, from->list[i].code, pointer, "%s", from->list[i].detail);
  }
  if (warnings && from) warnings->dropped += from->dropped;
}
