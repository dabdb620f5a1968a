// Threads for what computes or waits: a task goes in and is worked on. Owners take turns: the next task is of the owner
// for whom the fewest threads work, of two the one who was served longer ago; the tasks of one go first in, first out.
// No owner has all threads.
//
// What takes long looks up now and then (pool_yield): when it is somebody else's turn it waits, in the middle of its
// work, until it is its own again. So an owner with little to do waits for a moment, not for the ends of what others
// have begun. What does not look up for long is not waited for either: an owner for whom nothing is done gets a thread
// of the spare ones.
//
// A task is the first member of what is to be worked on, so queueing allocates nothing. Whoever submits has one task
// per connection or call, and those are limited.
#ifndef SERVER_BASE_SHARE_POOL_H
#define SERVER_BASE_SHARE_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pool pool;

typedef struct pool_task {
  struct pool_task *next; ///< while it waits
  uint64_t owner;         ///< for whom; 0: nobody in particular, who has no share
} pool_task;

typedef struct pool_options {
  int threads; ///< that work at a time
  int spare;   ///< more, for those who begin while others rest or do not look up
  int share;   ///< threads that one owner may have at a time; 0: all
} pool_options;

/// NULL when threads or memory are short. `work` runs in a thread of the pool; NULL: there are only calls (pool_call).
pool *pool_start(const pool_options *options, void (*work)(pool_task *task));
/// @param most  tasks of one owner that wait; 0: any number
/// @return false when so many of its owner wait already: it was not taken
/// Cost: a walk over the owners who have tasks.
bool pool_submit(pool *p, pool_task *task, int most);
/// Works on what was submitted, then ends the threads. NULL is allowed.
void pool_stop(pool *p);

/// Runs work(context) in a thread of a pool of calls when it is this owner's turn, and returns when it is done. At
/// once, and here, within another call of the pool, and where p is NULL. Its threads stand behind those that answer
/// (base/thread.h).
void pool_call(pool *p, uint64_t owner, void (*work)(void *context), void *context);

/// True when somebody waits and this thread has worked for a while: it is to call pool_yield soon. False outside of
/// pools. Costs nothing while nobody waits.
bool pool_is_wanted(void);
/// Waits while it is the turn of others. Returns the seconds that took.
double pool_yield(void);

#endif
