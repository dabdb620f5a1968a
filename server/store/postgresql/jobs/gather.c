// What several threads want at the same time, in one change: whoever comes first does it for all who came while the one
// before was under way, so that a node has one such change at a time, and they share its commit and the locks that it
// waits for (of a sweep that all of them are of).
#include "store/postgresql/jobs/jobs.h"

#include <stdlib.h>

struct pg_gathering {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pg_item *first;
  bool busy; // somebody does it for all
};

pg_gathering *pg_gathering_make(void) {
  pg_gathering *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  pthread_mutex_init(&g->lock, NULL);
  pthread_cond_init(&g->changed, NULL);
  return g;
}

void pg_gathering_free(pg_gathering *g) {
  if (!g) return;
  assert(!g->first && !g->busy);
  pthread_mutex_destroy(&g->lock);
  pthread_cond_destroy(&g->changed);
  free(g);
}

// The first of those who wait, in the order in which they came; under the lock.
static pg_item *take_waiting(pg_gathering *g, int most, int *count) {
  pg_item *list = g->first, **end = &g->first;
  for (*count = 0; *end && *count < most; ++*count) end = &(*end)->next;
  g->first = *end;
  *end = NULL;
  return list;
}

static void enter(pg_gathering *g, pg_item *mine) {
  pg_item **end = &g->first;
  *mine = (pg_item){.done = false};
  while (*end) end = &(*end)->next;
  *end = mine;
}

void pg_gather(pg_gathering *g, store *s, pg_item *mine, int most, void (*all)(store *s, pg_item *list, int count)) {
  int count;
  pthread_mutex_lock(&g->lock);
  enter(g, mine);
  while (!mine->done) {
    if (g->busy) {
      pthread_cond_wait(&g->changed, &g->lock);
      continue;
    }
    g->busy = true;
    pg_item *list = take_waiting(g, most, &count);
    pthread_mutex_unlock(&g->lock);
    all(s, list, count);
    pthread_mutex_lock(&g->lock);
    for (pg_item *next; list; list = next) next = list->next, list->done = true;
    g->busy = false;
    pthread_cond_broadcast(&g->changed);
  }
  pthread_mutex_unlock(&g->lock);
}
