// Lines that a caller can cause without end are counted instead of written beyond a rate, kind by kind.
//
// A kind is a row of the table in log_kind.c. What was left out is told by one line, `lines_left_out` {kind, count}, at
// most once a second and kind, as long as anything is logged at all.
#ifndef SERVER_BASE_LOG_LOG_KIND_H
#define SERVER_BASE_LOG_LOG_KIND_H

#include <stdbool.h>
#include <stdint.h>

typedef enum log_kind {
  LOG_KIND_REQUEST,         ///< answered with what was asked for
  LOG_KIND_REFUSED_REQUEST, ///< answered with an error of the caller's
  LOG_KIND_CALL,
  LOG_KIND_REFUSED_CALL,
  LOG_KIND_SLOW_CLIENT, ///< closed for it
  LOG_KIND_THROWN_OUT,  ///< a connection of gRPC that asked for too much
  LOG_KIND_COUNT
} log_kind;

/// Whether a line of this kind may be written now; otherwise it is counted. Any thread.
bool log_kind_allows(log_kind kind);

typedef struct log_left_out {
  const char *kind;
  uint64_t count;
} log_left_out;
/// Takes the count of a kind that has left out lines and whose last report is a second ago; false when there is none.
bool log_kind_take(log_left_out *out);

#endif
