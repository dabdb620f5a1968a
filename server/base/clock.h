// Wall clock for what people read, monotonic clock for what the program waits on.
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/// Milliseconds since the epoch, UTC.
int64_t clock_now_ms(void);
/// Milliseconds since the machine started, sleep included.
int64_t clock_boot_ms(void);
/// Seconds on a clock that never jumps.
double clock_monotonic_s(void);
/// That clock in so many seconds, as waits with a deadline want it.
struct timespec clock_monotonic_after(double seconds);

enum { CLOCK_TEXT_SIZE = 32 };
/// RFC 3339 with milliseconds: 2026-01-31T12:00:00.123Z
void clock_format(int64_t ms, char text[CLOCK_TEXT_SIZE]);

#endif
