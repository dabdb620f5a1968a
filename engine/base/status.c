// Status names and error details: plain values, nothing here allocates or keeps state.
#include "tendril/status.h"
#include "base/trim.h"
#include "tendril/errors.h"
#include <stdarg.h>
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

td_status td_fail(td_error *err, td_status status, const char *pointer, const char *format, ...) {
  if (!err) return status;
  err->status = status;
  int wanted = snprintf(err->pointer, sizeof err->pointer, "%s", pointer ? pointer : "");
  td_trim_utf8(err->pointer, sizeof err->pointer, (size_t)wanted);
  va_list args;
  va_start(args, format);
  wanted = vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  td_trim_message(err->message, sizeof err->message, wanted < 0 ? 0 : (size_t)wanted);
  return status;
}

static bool same(const td_error *a, const td_error *b) {
  return strcmp(a->pointer, b->pointer) == 0 && strcmp(a->message, b->message) == 0;
}

static bool has(const td_errors *all, const td_error *err) {
  for (int i = 0; i < all->count; i++)
    if (same(&all->list[i], err)) return true;
  return false;
}

bool td_errors_add(td_errors *all, const td_error *err) {
  if (!all || !err || err->status == TD_NO_MEMORY) return false;
  if (all->count < TD_MAX_ERRORS && !has(all, err)) all->list[all->count++] = *err;
  return all->count < TD_MAX_ERRORS;
}

void td_errors_join(td_errors *all, const td_errors *more) {
  for (int i = 0; i < more->count; i++)
    if (!td_errors_add(all, &more->list[i])) return;
}
