// Threads for what computes or waits: a task goes in and is worked on. Owners take turns: the next task is of the owner for whom the
// fewest threads work, of two the one who was served longer ago; the tasks of one go first in, first out. No owner has all threads.
//
// A task is the first member of what is to be worked on, so queueing allocates nothing. Whoever submits has one task per connection
// or call, and those are limited.
#ifndef SERVER_BASE_POOL_H
#define SERVER_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pool pool;

typedef struct pool_task {
  struct pool_task *next; ///< while it waits
  uint64_t owner;         ///< for whom; 0: nobody in particular, who has no share
} pool_task;

/// @param share  threads that one owner may have at a time; 0: all
/// NULL when threads or memory are short. `work` runs in a thread of the pool.
pool *pool_start(int threads, int share, void (*work)(pool_task *task));
/// @param most  tasks of one owner that wait; 0: any number
/// @return false when so many of its owner wait already: it was not taken
/// Cost: a walk over the owners who have tasks.
bool pool_submit(pool *p, pool_task *task, int most);
/// Works on what was submitted, then ends the threads. NULL is allowed.
void pool_stop(pool *p);

#endif
