// Time slices: a job that has run for a while goes back into its queue at its next checkpoint when somebody waits who
// is served less.
//
// Claims are fair (store_job_claim), but a job may run for days. A thread looks every second whether all slots are busy
// and a queue waits of which fewer run than of the queue of some slot, or in which a job of higher priority is next.
// One slot at a time is then asked to yield; its worker stops at a checkpoint of the job (as at the end of the server:
// the result has the same bits), and the job is queued again in its old place, without an attempt counted as lost. When
// no checkpoint comes soon it is stopped where it is, and waits for its next turn in memory (turns.c). A slot that runs
// a job of the express queue yields to none but its own.
#include "base/clock.h"
#include "base/log/log.h"
#include "queue/slot.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { QUEUES_MOST = 64 }; // that are looked at: those that are served first

typedef struct waiting {
  store_queue queue[QUEUES_MOST];
  int count;
} waiting;

static void note_queue(void *context, const store_queue *q) {
  waiting *w = context;
  if (w->count < QUEUES_MOST) w->queue[w->count++] = *q;
}

// One that was asked before, and could not, may again when there is a place for stopped ones, or somebody else may want
// one.
static bool may_yield(const queue *q, const slot *s) {
  return !s->yields || (s->keeps && (q->parked < q->options.parked || !s->for_others));
}

// Under q->lock: nobody is idle or on the way out already, and some job has had its slice.
static bool may_slice(const queue *q, double before_s) {
  bool old = false;
  int busy = 0;
  for (int i = 0; i < q->slot_count; i++) {
    const slot *s = &q->slots[i];
    if (!*s->now.id || s->parked) continue;
    if (s->yields && !s->keeps) return false;
    busy++;
    old = old || (may_yield(q, s) && s->now.began_s < before_s);
  }
  return old && busy >= q->options.workers;
}

// Stopped jobs wait, too.
static void add_parked(const queue *q, waiting *w) {
  for (int i = 0; i < q->slot_count && w->count < QUEUES_MOST; i++) {
    const slot *s = &q->slots[i];
    if (!s->parked || s->evicted) continue;
    store_queue *head = &w->queue[w->count++];
    *head = (store_queue){.priority = s->now.priority, .key_ms = s->now.key_ms};
    memcpy(head->name, s->now.queue, sizeof head->name);
  }
}

static bool is_express(const char *name) { return strcmp(name, STORE_EXPRESS) == 0; }

// Whether the job of a slot is to make room for the next one of a queue, which would then be claimed before it.
static bool yields_to(const queue *q, const slot *s, const store_queue *w) {
  if (strcmp(s->now.queue, w->name) == 0) return w->priority > s->now.priority && w->key_ms < s->now.key_ms;
  if (is_express(s->now.queue)) return false;
  return is_express(w->name) || slot_running_of(q, s->now.queue) > slot_running_of(q, w->name);
}

// Of the queue that has the most slots the one that has run longest.
static slot *choose(queue *q, const store_queue *w, double before_s) {
  slot *best = NULL;
  for (int i = 0; i < q->slot_count; i++) {
    slot *s = &q->slots[i];
    if (!*s->now.id || s->parked || !may_yield(q, s) || s->now.began_s >= before_s || !yields_to(q, s, w)) continue;
    bool same = strcmp(s->now.queue, w->name) == 0;
    if (s->keeps && same && q->parked >= q->options.parked) continue; // asked already
    int more = best ? slot_running_of(q, s->now.queue) - slot_running_of(q, best->now.queue) : 1;
    if (more > 0 || (more == 0 && s->now.began_s < best->now.began_s)) best = s;
  }
  return best;
}

static void slice(queue *q) {
  double before_s = clock_monotonic_s() - q->options.slice_s;
  waiting w = {.count = 0};
  slot *chosen = NULL;
  if (!may_slice(q, before_s)) return;
  pthread_mutex_unlock(&q->lock);
  store_status status = store_queue_list(q->store, &(store_visit){.context = &w, .queue = note_queue});
  pthread_mutex_lock(&q->lock);
  if (status != STORE_OK || !may_slice(q, before_s)) return;
  add_parked(q, &w);
  const store_queue *to = w.queue;
  for (int i = 0; i < w.count && !chosen; i++) chosen = choose(q, to = &w.queue[i], before_s);
  if (!chosen) return;
  assert(*chosen->now.id && !chosen->parked);
  chosen->for_others = strcmp(chosen->now.queue, to->name) != 0;
  chosen->yields = true;
  chosen->keeps = false;
  log_write(LOG_LEVEL_INFO, "job_yields", LOG_S("job", chosen->now.id), LOG_S("queue", chosen->now.queue));
  slot_wake(chosen);
}

static void *look(void *context) {
  queue *q = context;
  pthread_mutex_lock(&q->lock);
  while (!q->stopping) {
    struct timespec when = clock_monotonic_after(1);
    int error = 0;
    while (!q->stopping && error != ETIMEDOUT) error = pthread_cond_timedwait(&q->stops, &q->lock, &when);
    if (!q->stopping) slice(q);
  }
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

bool queue_start_slices(queue *q) {
  if (q->options.slice_s <= 0) return true;
  q->sliced = pthread_create(&q->slicer, NULL, look, q) == 0;
  return q->sliced;
}
