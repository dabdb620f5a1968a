// Threads for handlers that compute or wait: an exchange goes in, is handled, and `done` is called.
#ifndef SERVER_HTTP_POOL_H
#define SERVER_HTTP_POOL_H

#include "http/exchange.h"

typedef struct pool pool;

/// NULL when threads or memory are short. `work` runs in a thread of the pool.
pool *pool_start(int threads, void (*work)(exchange *x));
void pool_submit(pool *p, exchange *x);
/// Handles what was submitted, then ends the threads.
void pool_stop(pool *p);

#endif
