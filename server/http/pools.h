// The threads of handlers that do not run in an event loop.
#ifndef SERVER_HTTP_POOLS_H
#define SERVER_HTTP_POOLS_H

#include "base/share/pool.h"

typedef struct http_pools {
  pool *computing; ///< about a thread per core
  pool *writing;   ///< waits for the disk: many, so that what they write shares a commit
  pool *waiting;   ///< the same for what reads much of it, or comes with a large body
} http_pools;

/// `compute` works on tasks of the pools for computing and waiting, `write` on those of the one for writing. False when
/// threads or memory are short; http_pools_stop in any case.
bool http_pools_start(http_pools *p, int threads, void (*compute)(pool_task *task), void (*write)(pool_task *task));
/// Works on what was submitted.
void http_pools_stop(http_pools *p);

#endif
