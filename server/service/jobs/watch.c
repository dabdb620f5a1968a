// A list under one mutex, walked after each commit about a job and once a second.
//
// No wake-up is lost: a watcher is entered before it first reads its log, and each face takes note of a wake-up that
// comes while it reads.
#include "service/jobs/watch.h"
#include "base/clock.h"
#include "base/log/metrics.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct watch {
  store *store;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  _Atomic bool ending;
  bool stopping; // the thread's; under the lock
  watch_entry *first;
};

static void on_event(void *context, const char *id) {
  watch *all = context;
  pthread_mutex_lock(&all->lock);
  for (watch_entry *w = all->first; w; w = w->next)
    if (!id || strcmp(w->job, id) == 0) w->wake(w);
  pthread_mutex_unlock(&all->lock);
}

static void wait_a_second(watch *all) {
  struct timespec when = clock_monotonic_after(1);
  if (all->first)
    pthread_cond_timedwait(&all->changed, &all->lock, &when);
  else
    pthread_cond_wait(&all->changed, &all->lock);
}

static void *keep_time(void *context) {
  watch *all = context;
  pthread_mutex_lock(&all->lock);
  while (!all->stopping) {
    wait_a_second(all);
    double now = clock_monotonic_s();
    for (watch_entry *w = all->first; w; w = w->next)
      if (now >= atomic_load(&w->due_s)) w->wake(w);
  }
  pthread_mutex_unlock(&all->lock);
  return NULL;
}

void watch_enter(watch *all, watch_entry *w) {
  assert(w->wake);
  pthread_mutex_lock(&all->lock);
  w->previous = NULL;
  w->next = all->first;
  if (w->next) w->next->previous = w;
  all->first = w;
  metrics_add(METRIC_WATCHERS, 0, 1);
  pthread_cond_signal(&all->changed);
  pthread_mutex_unlock(&all->lock);
}

void watch_leave(watch *all, watch_entry *w) {
  pthread_mutex_lock(&all->lock);
  assert(w->previous || all->first == w);
  *(w->previous ? &w->previous->next : &all->first) = w->next;
  if (w->next) w->next->previous = w->previous;
  metrics_add(METRIC_WATCHERS, 0, -1);
  pthread_mutex_unlock(&all->lock);
}

watch *watch_start(store *s) {
  watch *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->store = s;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&all->lock, NULL);
  pthread_cond_init(&all->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (store_listen(s, on_event, all)) {
    if (pthread_create(&all->thread, NULL, keep_time, all) == 0) return all;
    store_unlisten(s, all);
  }
  pthread_cond_destroy(&all->changed);
  pthread_mutex_destroy(&all->lock);
  free(all);
  return NULL;
}

void watch_end(watch *all) {
  atomic_store(&all->ending, true);
  pthread_mutex_lock(&all->lock);
  for (watch_entry *w = all->first; w; w = w->next) w->wake(w);
  pthread_mutex_unlock(&all->lock);
}

bool watch_is_ending(const watch *all) { return atomic_load(&all->ending); }

static void stop_thread(watch *all) {
  pthread_mutex_lock(&all->lock);
  all->stopping = true;
  pthread_cond_signal(&all->changed);
  pthread_mutex_unlock(&all->lock);
  pthread_join(all->thread, NULL);
}

void watch_destroy(watch *all) {
  if (!all) return;
  assert(!all->first);
  store_unlisten(all->store, all);
  stop_thread(all);
  pthread_cond_destroy(&all->changed);
  pthread_mutex_destroy(&all->lock);
  free(all);
}
