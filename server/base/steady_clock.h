// The wall clock for what must not be undone: it follows small corrections at once, and a jump only when it has lasted
// a day.
//
// What ages by it (retention) is deleted for good, and a clock that is set a year ahead by mistake makes everything
// old. The clock since boot, which nobody sets, tells how much time has really passed.
#ifndef SERVER_BASE_STEADY_CLOCK_H
#define SERVER_BASE_STEADY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { STEADY_JUMP_MS = 60000, STEADY_TRUST_MS = 86400000 };

typedef struct steady_clock {
  bool started;
  int64_t offset_ms;    ///< wall - boot as it is believed
  int64_t candidate_ms; ///< wall - boot since a jump
  int64_t since_ms;     ///< when that began, on the clock since boot
} steady_clock;

/// Milliseconds since the epoch as they are believed, from both clocks' present values. *jump_ms: by how much the wall
/// clock has just jumped, 0: it has not.
int64_t steady_clock_read(steady_clock *c, int64_t wall_ms, int64_t boot_ms, int64_t *jump_ms);

#endif
