// Workspaces of one frozen thing: lent to threads one by one, kept while they are idle, counted in BUDGET_MODELS.
#ifndef SERVER_SERVICE_WORKSPACES_H
#define SERVER_SERVICE_WORKSPACES_H

#include "tendril/status.h"

#include <pthread.h>
#include <stdint.h>

enum { WORKSPACES_IDLE = 16 };

typedef struct workspaces {
  pthread_mutex_t lock;
  const void *of;
  uint64_t bytes; ///< of each
  td_status (*create)(const void *of, void **ws);
  void (*destroy)(void *ws);
  int idle_count;
  void *idle[WORKSPACES_IDLE];
} workspaces;

/// `of` stays until workspaces_fini.
void workspaces_init(workspaces *w, const void *of, uint64_t bytes, td_status (*create)(const void *of, void **ws),
                     void (*destroy)(void *ws));
/// None may be lent.
void workspaces_fini(workspaces *w);
/// NULL when there is not enough memory.
void *workspaces_take(workspaces *w);
void workspaces_give(workspaces *w, void *ws);

#endif
