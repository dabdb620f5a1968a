// offset = wall - boot drifts by less than STEADY_JUMP_MS between two looks, or the wall clock was set.
#include "base/steady_clock.h"

static bool is_near(int64_t a, int64_t b) { return (a > b ? a - b : b - a) <= STEADY_JUMP_MS; }

int64_t steady_clock_read(steady_clock *c, int64_t wall_ms, int64_t boot_ms, int64_t *jump_ms) {
  int64_t offset = wall_ms - boot_ms;
  *jump_ms = 0;
  if (!c->started) *c = (steady_clock){.started = true, .offset_ms = offset, .candidate_ms = offset};
  if (is_near(offset, c->offset_ms)) {
    c->offset_ms = c->candidate_ms = offset;
  } else if (!is_near(offset, c->candidate_ms)) {
    *jump_ms = offset - c->candidate_ms;
    c->candidate_ms = offset;
    c->since_ms = boot_ms;
  } else if (boot_ms - c->since_ms >= STEADY_TRUST_MS) {
    c->offset_ms = c->candidate_ms = offset;
  }
  return boot_ms + c->offset_ms;
}
