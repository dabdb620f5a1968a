// A first-in first-out list under one mutex.
#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct pool {
  void (*work)(pool_task *task);
  pthread_mutex_t lock;
  pthread_cond_t filled;
  pool_task *first, **last;
  bool stopping;
  int count;
  pthread_t threads[];
};

static pool_task *take(pool *p) {
  pthread_mutex_lock(&p->lock);
  while (!p->first && !p->stopping) pthread_cond_wait(&p->filled, &p->lock);
  pool_task *x = p->first;
  if (x) p->first = x->next;
  if (!p->first) p->last = &p->first;
  pthread_mutex_unlock(&p->lock);
  return x;
}

static void *run(void *context) {
  pool *p = context;
  for (pool_task *x; (x = take(p));) p->work(x);
  return NULL;
}

pool *pool_start(int threads, void (*work)(pool_task *task)) {
  pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->threads[0]);
  if (!p) return NULL;
  p->work = work;
  p->last = &p->first;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->filled, NULL);
  while (p->count < threads && pthread_create(&p->threads[p->count], NULL, run, p) == 0) p->count++;
  if (p->count > 0) return p;
  pool_stop(p);
  return NULL;
}

void pool_submit(pool *p, pool_task *x) {
  x->next = NULL;
  pthread_mutex_lock(&p->lock);
  *p->last = x;
  p->last = &x->next;
  pthread_cond_signal(&p->filled);
  pthread_mutex_unlock(&p->lock);
}

void pool_stop(pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stopping = true;
  pthread_cond_broadcast(&p->filled);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->count; i++) pthread_join(p->threads[i], NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->filled);
  free(p);
}
