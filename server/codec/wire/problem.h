// Problem documents (RFC 9457): the one table of error codes with their HTTP and gRPC status.
#ifndef TENDRIL_CODEC_WIRE_PROBLEM_H
#define TENDRIL_CODEC_WIRE_PROBLEM_H

#include "tendril/errors.h"
#include <stddef.h>

typedef enum problem_code {
  PROBLEM_INVALID_ARGUMENT,      // 400
  PROBLEM_UNAUTHENTICATED,       // 401
  PROBLEM_PERMISSION_DENIED,     // 403
  PROBLEM_NOT_FOUND,             // 404
  PROBLEM_METHOD_NOT_ALLOWED,    // 405
  PROBLEM_NOT_ACCEPTABLE,        // 406
  PROBLEM_TIMED_OUT,             // 408: the request does not come
  PROBLEM_ALREADY_EXISTS,        // 409
  PROBLEM_FAILED_PRECONDITION,   // 409
  PROBLEM_NOT_READY,             // 409
  PROBLEM_PRECONDITION_FAILED,   // 412, code failed_precondition: If-Match
  PROBLEM_RESULT_LOST,           // 410
  PROBLEM_TOO_LARGE,             // 413
  PROBLEM_UNSUPPORTED_MEDIA,     // 415
  PROBLEM_RANGE_NOT_SATISFIABLE, // 416
  PROBLEM_IDEMPOTENCY_MISMATCH,  // 422
  PROBLEM_RATE_LIMITED,          // 429
  PROBLEM_INTERNAL,              // 500
  PROBLEM_UNAVAILABLE,           // 503
  PROBLEM_QUOTA_EXCEEDED,        // 507
  PROBLEM_CODE_COUNT
} problem_code;

typedef struct problem_row {
  const char *code;  ///< "invalid_argument"
  int http;          ///< 400
  int grpc;          ///< 3, INVALID_ARGUMENT in the numbers of gRPC
  const char *title; ///< "Invalid argument"
} problem_row;

const problem_row *codec_problem_row(problem_code code);
/// The problem an engine or codec status becomes when it answers a whole request.
problem_code codec_problem_from_status(td_status status);
/// The document as JSON text (free), or NULL when there is not enough memory. pointer, request_id may be NULL (left
/// out), `all` too: those of several errors. Text that is not UTF-8 is written with U+FFFD.
char *codec_problem_write(problem_code code, const char *detail, const char *pointer, const char *request_id,
                          const td_errors *all, size_t *size);
/// The member `errors` of it alone, [{"pointer": …, "detail": …}, …], of at most `most` bytes: the last ones are left out.
/// NULL: no memory.
char *codec_problem_errors(const td_errors *all, size_t most, size_t *size);

#endif
