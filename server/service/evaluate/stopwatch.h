// Evaluations that take long are looked at from outside while they compute: their time may be over, or nobody waits any
// more.
#ifndef SERVER_SERVICE_STOPWATCH_H
#define SERVER_SERVICE_STOPWATCH_H

#include "service/evaluate/evaluate.h"
#include "service/service.h"

typedef struct stopwatch_entry {
  const _Atomic double *end_s;       ///< on the monotonic clock
  const evaluate_audience *audience; ///< may be NULL
  _Atomic bool *stop, *late;         ///< set: the work shall end; because its time is over
  struct stopwatch_entry *next, *previous;
} stopwatch_entry;

/// NULL when memory or threads are short.
stopwatch *stopwatch_start(void);
/// Nothing is watched any more. NULL is allowed.
void stopwatch_stop(stopwatch *watch);
/// The entry is the caller's, and stands until stopwatch_remove. A watch that is NULL watches nothing.
void stopwatch_add(stopwatch *watch, stopwatch_entry *entry);
void stopwatch_remove(stopwatch *watch, stopwatch_entry *entry);

#endif
