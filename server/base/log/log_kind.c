// A token bucket per kind: `rate` lines a second, `burst` at once. One lock for all: it is held for arithmetic only.
#include "base/log/log_kind.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct {
  const char *name;
  double rate, burst;
} kinds[LOG_KIND_COUNT] = {
    [LOG_KIND_REQUEST] = {"request", 1000, 5000},     [LOG_KIND_REFUSED_REQUEST] = {"refused_request", 20, 500},
    [LOG_KIND_CALL] = {"call", 1000, 5000},           [LOG_KIND_REFUSED_CALL] = {"refused_call", 20, 500},
    [LOG_KIND_SLOW_CLIENT] = {"slow_client", 5, 100}, [LOG_KIND_THROWN_OUT] = {"thrown_out", 2, 100}};

static const double REPORT_S = 1;

typedef struct bucket {
  double used, at_s, told_s; // lines above the rate, when that was so, when they were told
  uint64_t left_out;
} bucket;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bucket buckets[LOG_KIND_COUNT];
static _Atomic uint64_t pending; // lines left out and not told

bool log_kind_allows(log_kind kind) {
  bucket *b = &buckets[kind];
  double now = clock_monotonic_s();
  pthread_mutex_lock(&lock);
  double drained = b->used - (now - b->at_s) * kinds[kind].rate;
  b->used = drained > 0 ? drained : 0;
  b->at_s = now;
  bool allowed = b->used + 1 <= kinds[kind].burst;
  if (allowed)
    b->used++;
  else
    b->left_out++, atomic_fetch_add(&pending, 1);
  pthread_mutex_unlock(&lock);
  return allowed;
}

bool log_kind_take(log_left_out *out) {
  if (atomic_load(&pending) == 0) return false;
  double now = clock_monotonic_s();
  bool taken = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < LOG_KIND_COUNT && !taken; i++) {
    bucket *b = &buckets[i];
    taken = b->left_out > 0 && now >= b->told_s + REPORT_S;
    if (!taken) continue;
    *out = (log_left_out){kinds[i].name, b->left_out};
    atomic_fetch_sub(&pending, b->left_out);
    b->left_out = 0;
    b->told_s = now;
  }
  pthread_mutex_unlock(&lock);
  return taken;
}
