// Threads for what computes or waits: a task goes in and is worked on, first in, first out, but no owner has all threads: those
// beyond its share wait for it, and others pass them.
//
// A task is the first member of what is to be worked on, so queueing allocates nothing. A queue has no bound of its own: whoever
// submits has one task per connection or call, and those are limited.
#ifndef SERVER_BASE_POOL_H
#define SERVER_BASE_POOL_H

#include <stdint.h>

typedef struct pool pool;

typedef struct pool_task {
  struct pool_task *next; ///< while it waits
  uint64_t owner;         ///< for whom; 0: nobody in particular, who has no share
} pool_task;

/// @param share  threads that one owner may have at a time; 0: all
/// NULL when threads or memory are short. `work` runs in a thread of the pool.
pool *pool_start(int threads, int share, void (*work)(pool_task *task));
void pool_submit(pool *p, pool_task *task);
/// Works on what was submitted, then ends the threads. NULL is allowed.
void pool_stop(pool *p);

#endif
