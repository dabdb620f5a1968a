// One thread, which sleeps while there is nothing to look at, and looks every LOOK_S otherwise.
#include "service/evaluate/stopwatch.h"
#include "base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const double LOOK_S = 0.02;

struct stopwatch {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  stopwatch_entry *first;
  bool stopping;
};

static void look(stopwatch_entry *e) {
  const evaluate_audience *a = e->audience;
  bool late = clock_monotonic_s() > atomic_load(e->end_s);
  if (late) atomic_store(e->late, true);
  if (late || (a && a->stop && atomic_load(a->stop)) || (a && a->left && a->left(a->context)))
    atomic_store(e->stop, true);
}

static void *run(void *context) {
  stopwatch *w = context;
  pthread_mutex_lock(&w->lock);
  while (!w->stopping) {
    struct timespec next = clock_monotonic_after(LOOK_S);
    if (w->first)
      pthread_cond_timedwait(&w->changed, &w->lock, &next);
    else
      pthread_cond_wait(&w->changed, &w->lock);
    for (stopwatch_entry *e = w->first; e; e = e->next) look(e);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

stopwatch *stopwatch_start(void) {
  stopwatch *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (pthread_create(&w->thread, NULL, run, w) == 0) return w;
  free(w);
  return NULL;
}

void stopwatch_stop(stopwatch *w) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->stopping = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

void stopwatch_add(stopwatch *w, stopwatch_entry *e) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  assert(e->end_s && e->stop && e->late);
  e->previous = NULL;
  e->next = w->first;
  if (e->next) e->next->previous = e;
  w->first = e;
  if (!e->next) pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

void stopwatch_remove(stopwatch *w, stopwatch_entry *e) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  assert(e->previous || w->first == e); // it was added
  *(e->previous ? &e->previous->next : &w->first) = e->next;
  if (e->next) e->next->previous = e->previous;
  pthread_mutex_unlock(&w->lock);
}
