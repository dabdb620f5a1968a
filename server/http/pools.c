// No caller has all threads of any of them.
#include "http/pools.h"

enum { WRITING_THREADS = 64, WAITING_THREADS = 24, SPARE_THREADS = 32 };

bool http_pools_start(http_pools *p, int threads, void (*compute)(pool_task *task), void (*write)(pool_task *task)) {
  const pool_options computing = {.threads = threads + 1, .spare = SPARE_THREADS, .share = threads};
  const pool_options writing = {.threads = WRITING_THREADS, .share = 3 * WRITING_THREADS / 4};
  const pool_options waiting = {.threads = WAITING_THREADS, .share = 3 * WAITING_THREADS / 4};
  p->computing = pool_start(&computing, compute);
  p->writing = pool_start(&writing, write);
  p->waiting = pool_start(&waiting, compute);
  return p->computing && p->writing && p->waiting;
}

void http_pools_stop(http_pools *p) {
  pool_stop(p->computing);
  pool_stop(p->writing);
  pool_stop(p->waiting);
}
