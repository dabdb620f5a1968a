// A line of tasks for each owner who has some, under one mutex. When the task of an owner who has his share ends, the thread that had it
// takes the next one, so nobody needs to be woken for that.
#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS_MOST = 512, LINES_MOST = 8192 }; // lines: more than there are connections, or calls

typedef struct line { // of one owner; it is there while he has tasks
  uint64_t owner;
  pool_task *first, *last; // those that wait
  int waiting, running;
  uint64_t served; // the turn in which a task of it was taken last
} line;

struct pool {
  void (*work)(pool_task *task);
  int share, starting;
  uint64_t owner[THREADS_MOST]; // of what each thread works on
  bool busy[THREADS_MOST];
  pthread_mutex_t lock;
  pthread_cond_t filled;
  line *lines; // [LINES_MOST]
  int line_count;
  uint64_t turn;
  int waiting; // tasks
  bool stopping;
  int count;
  pthread_t threads[];
};

static line *find_line(pool *p, uint64_t owner) {
  for (int i = 0; i < p->line_count; i++)
    if (p->lines[i].owner == owner) return &p->lines[i];
  return NULL;
}

static bool may_run(const pool *p, const line *l) {
  return l->waiting > 0 && (p->share == 0 || l->owner == 0 || l->running < p->share);
}

static bool is_before(const line *a, const line *b) {
  return a->running != b->running ? a->running < b->running : a->served < b->served;
}

static pool_task *remove_next(pool *p, int thread) {
  line *next = NULL;
  for (int i = 0; i < p->line_count; i++) {
    line *l = &p->lines[i];
    if (may_run(p, l) && (!next || is_before(l, next))) next = l;
  }
  if (!next) return NULL;
  pool_task *x = next->first;
  next->first = x->next;
  next->waiting--;
  next->running++;
  next->served = ++p->turn;
  p->waiting--;
  p->owner[thread] = next->owner;
  p->busy[thread] = true;
  return x;
}

static void put_down(pool *p, int thread) {
  if (!p->busy[thread]) return;
  p->busy[thread] = false;
  line *l = find_line(p, p->owner[thread]);
  assert(l && l->running > 0);
  l->running--;
  if (l->waiting == 0 && l->running == 0) *l = p->lines[--p->line_count];
}

static pool_task *take(pool *p, int thread) {
  pool_task *x;
  pthread_mutex_lock(&p->lock);
  put_down(p, thread);
  while (!(x = remove_next(p, thread)) && !(p->stopping && p->waiting == 0)) pthread_cond_wait(&p->filled, &p->lock);
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
  if (p) p->lines = calloc(LINES_MOST, sizeof p->lines[0]); // pages that are never used are none
  if (!p || !p->lines) return free(p), NULL;
  p->work = work;
  p->share = share;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->filled, NULL);
  while (p->count < threads && pthread_create(&p->threads[p->count], NULL, run, p) == 0) p->count++;
  if (p->count > 0) return p;
  pool_stop(p);
  return NULL;
}

bool pool_submit(pool *p, pool_task *x, int most) {
  x->next = NULL;
  pthread_mutex_lock(&p->lock);
  line *l = find_line(p, x->owner);
  bool taken = !l || most == 0 || l->waiting < most;
  if (taken) {
    assert(l || p->line_count < LINES_MOST);
    if (!l) l = &p->lines[p->line_count++], *l = (line){.owner = x->owner};
    *(l->waiting > 0 ? &l->last->next : &l->first) = x;
    l->last = x;
    l->waiting++;
    p->waiting++;
    pthread_cond_signal(&p->filled);
  }
  pthread_mutex_unlock(&p->lock);
  return taken;
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
  free(p->lines);
  free(p);
}
