// The clock, and the pauses between tries.
#include "lib/http/client.h"

#include <sys/random.h>
#include <time.h>

double client_now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool client_stopped(const tendril_client *c) { return c->options.stop && c->options.stop(c->options.context); }

// A server that answers "try later", or a connection that broke after the server had been seen there.
bool client_may_heal(const tendril_client *c, const tendril_error *err) {
  if (err->status == TENDRIL_REFUSED) return err->http == 503 || err->http == 429;
  return err->status == TENDRIL_UNREACHABLE && c->reached;
}

static double random_share(void) {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) return 0.5;
  return bits / 4294967296.0;
}

bool client_pause(tendril_client *c, double *since_s, int attempt, double least_s) {
  double now = client_now_s(), step = attempt < 5 ? 0.1 * (1 << attempt) : 2;
  if (*since_s <= 0) *since_s = now;
  double until = now + step * (0.5 + 0.5 * random_share());
  if (until < now + least_s) until = now + least_s;
  if (until - *since_s > c->options.patience_s) return false;
  for (; now < until; now = client_now_s()) {
    if (client_stopped(c)) return false;
    double left = until - now < 0.05 ? until - now : 0.05;
    nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
  }
  return !client_stopped(c);
}
