// A first-in first-out list under one mutex; whoever takes from it passes the tasks of owners who have their share already. When
// such an owner's task ends, the thread that had it takes the next one, so nobody needs to be woken for that.
#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS_MOST = 512 };

struct pool {
  void (*work)(pool_task *task);
  int share, starting;
  uint64_t owner[THREADS_MOST]; // of what each thread works on, 0: nobody's
  pthread_mutex_t lock;
  pthread_cond_t filled;
  pool_task *first, **last;
  bool stopping;
  int count;
  pthread_t threads[];
};

static bool may_run(const pool *p, uint64_t owner) {
  int running = 0;
  for (int i = 0; i < p->starting && owner != 0 && p->share > 0; i++) running += p->owner[i] == owner;
  return p->share == 0 || running < p->share;
}

// The first task whose owner has a thread left.
static pool_task *remove_first(pool *p) {
  for (pool_task **at = &p->first; *at; at = &(*at)->next) {
    pool_task *x = *at;
    if (!may_run(p, x->owner)) continue;
    *at = x->next;
    if (p->last == &x->next) p->last = at;
    return x;
  }
  return NULL;
}

static pool_task *take(pool *p, int thread) {
  pool_task *x;
  pthread_mutex_lock(&p->lock);
  p->owner[thread] = 0;
  while (!(x = remove_first(p)) && !(p->stopping && !p->first)) pthread_cond_wait(&p->filled, &p->lock);
  if (x) p->owner[thread] = x->owner;
  pthread_mutex_unlock(&p->lock);
  return x;
}

static void *run(void *context) {
  pool *p = context;
  pthread_mutex_lock(&p->lock);
  int thread = p->starting++;
  pthread_mutex_unlock(&p->lock);
  for (pool_task *x; (x = take(p, thread));) p->work(x);
  pthread_cond_broadcast(&p->filled); // the pool stops: the last tasks of an owner may be free to run now
  return NULL;
}

pool *pool_start(int threads, int share, void (*work)(pool_task *task)) {
  assert(threads <= THREADS_MOST);
  pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->threads[0]);
  if (!p) return NULL;
  p->work = work;
  p->share = share;
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
