// Filling tendril_error: from here, or from a server's problem document.
#ifndef TENDRIL_CLIENT_LIB_ERROR_H
#define TENDRIL_CLIENT_LIB_ERROR_H

#include "tendril_client.h"

/// Copies text into out[size], cut between characters of UTF-8 where it does not fit. NULL copies "".
void client_copy(char *out, size_t size, const char *text);
/// Returns `status` after writing it and the sentence into *err (may be NULL).
tendril_status client_fail(tendril_error *err, tendril_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tendril_status client_no_memory(tendril_error *err);
/// TENDRIL_REFUSED from the body of a 4xx or 5xx answer; a body that is no problem document (RFC 9457) is said to be
/// none.
tendril_status client_problem(tendril_error *err, int http, const char *body, size_t size);

#endif
