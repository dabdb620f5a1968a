// Who computes: there are more slots than workers may compute, so that one whose job has to make room can keep it.
//
// A slot claims and runs with a permit; there are as many as --workers. One whose job reaches no checkpoint in time
// gives its permit away and stops its worker where it is (SIGSTOP): nothing of the job is lost, and no bit of it
// changes, whatever it is in the midst of. Other slots wait for permits. Before a slot claims, and when it finds
// nothing to claim, it hands its permit to a stopped job whose turn it is: that of an owner for whom fewer compute than
// for the one who would be served next, or who has waited for a slice.
//
// What stopped workers hold is an account of the memory budget, and their number is bounded. Who would go beyond the
// first makes the largest job of the owner who holds most end (its own, maybe): it is queued again, uncounted, and goes
// on from its last checkpoint. Where the places are all taken and somebody else waits, an owner who has several gives
// one back likewise; otherwise it goes on to its next checkpoint.
//
// Invariant: permits + slots that have one = options.workers; a slot whose worker is stopped (parked) has none.
#include "base/clock.h"
#include "base/log/log.h"
#include "base/share/budget.h"
#include "queue/slot.h"

#include <assert.h>
#include <string.h>

bool queue_permits_add_up(const queue *q) {
  int held = 0;
  for (int i = 0; i < q->options.workers + q->options.parked; i++) {
    if (q->slots[i].parked && q->slots[i].permit) return false;
    held += q->slots[i].permit;
  }
  return q->permits >= 0 && q->permits + held == q->options.workers;
}

bool slot_take_permit(slot *s) {
  queue *q = s->q;
  char how[WORKER_WORDS_SIZE];
  pthread_mutex_lock(&q->lock);
  bool waits = !s->permit && q->permits == 0 && !q->stopping;
  pthread_mutex_unlock(&q->lock);
  if (waits) slot_worker_end(s, true, how); // it may be long
  pthread_mutex_lock(&q->lock);
  while (!q->stopping && !s->permit && q->permits == 0) pthread_cond_wait(&q->permitted, &q->lock);
  if (!q->stopping && !s->permit) q->permits--, s->permit = true;
  assert(queue_permits_add_up(q));
  bool taken = !q->stopping;
  pthread_mutex_unlock(&q->lock);
  return taken;
}

void slot_account(slot *s) {
  double now = clock_monotonic_s();
  if (!s->parked) store_queue_used(s->q->store, s->now.queue, now - s->now.began_s);
  s->now.began_s = now;
}

static bool is_kept(const slot *s) { return s->parked && !s->evicted; }

// Places or bytes of the stopped jobs of a queue, and of one that wants to be stopped.
static uint64_t held_by(const queue *q, const char *name, const slot *wants, bool places) {
  uint64_t held = 0;
  for (int i = 0; i < q->slot_count; i++) {
    const slot *s = &q->slots[i];
    if ((is_kept(s) || s == wants) && strcmp(s->now.queue, name) == 0) held += places ? 1 : s->parked_bytes;
  }
  return held;
}

// Of the queue that holds most the largest.
static slot *find_largest(queue *q, slot *wants, bool places, uint64_t *most) {
  slot *best = NULL;
  *most = 0;
  for (int i = 0; i < q->slot_count; i++) {
    slot *s = &q->slots[i];
    if (!is_kept(s) && s != wants) continue;
    uint64_t held = held_by(q, s->now.queue, wants, places);
    if (best && (held < *most || (held == *most && s->parked_bytes <= best->parked_bytes))) continue;
    best = s;
    *most = held;
  }
  return best;
}

static void evict(slot *s) {
  assert(is_kept(s) && s->q->parked > 0);
  s->evicted = true;
  s->q->parked--;
  budget_give(BUDGET_PARKED, s->parked_bytes);
  slot_wake(s);
}

static void stop(slot *s) {
  queue *q = s->q;
  assert(s->permit && !s->parked);
  slot_account(s);
  q->parked++;
  q->permits++;
  s->permit = s->yields = false;
  s->parked = true;
  s->parked_s = clock_monotonic_s();
  assert(queue_permits_add_up(q) && q->parked <= q->options.parked);
  pthread_cond_signal(&q->permitted);
}

// One step towards room for it.
static park_answer make_room(slot *s) {
  queue *q = s->q;
  uint64_t most;
  bool place = q->parked < q->options.parked;
  if (place && budget_try(BUDGET_PARKED, s->parked_bytes)) return stop(s), PARK_STOPS;
  slot *largest = find_largest(q, s, !place, &most);
  if (!place && (q->parked == 0 || !s->for_others || most < 2)) return PARK_GOES_ON;
  if (largest == s) return PARK_ENDS;
  evict(largest);
  return make_room(s);
}

park_answer slot_park(slot *s, uint64_t bytes) {
  queue *q = s->q;
  park_answer answer = PARK_GOES_ON;
  pthread_mutex_lock(&q->lock);
  s->parked_bytes = bytes;
  if (s->yields && s->permit && !s->cancel && !q->stopping) answer = make_room(s);
  if (answer == PARK_GOES_ON) s->keeps = true; // others may be asked to yield meanwhile
  pthread_mutex_unlock(&q->lock);
  return answer;
}

bool slot_is_evicted(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool evicted = s->evicted;
  pthread_mutex_unlock(&s->q->lock);
  return evicted;
}

bool slot_is_parked(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool parked = s->parked;
  pthread_mutex_unlock(&s->q->lock);
  return parked;
}

// Under the lock.
static void unpark(slot *s) {
  assert(s->parked && !s->permit);
  if (!s->evicted) s->q->parked--, budget_give(BUDGET_PARKED, s->parked_bytes);
  s->parked = false;
  s->now.began_s = clock_monotonic_s(); // of its next slice
}

void slot_leave_park(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  if (s->parked) unpark(s);
  pthread_mutex_unlock(&s->q->lock);
}

int slot_running_of(const queue *q, const char *name) {
  int count = 0;
  for (int i = 0; i < q->slot_count; i++) {
    const slot *s = &q->slots[i];
    count += *s->now.id && !s->parked && strcmp(s->now.queue, name) == 0;
  }
  return count;
}

static bool is_before(const queue *q, const slot *a, const slot *b) {
  int of_a = slot_running_of(q, a->now.queue), of_b = slot_running_of(q, b->now.queue);
  return of_a != of_b ? of_a < of_b : a->parked_s < b->parked_s;
}

static slot *first_parked(queue *q) {
  slot *best = NULL;
  for (int i = 0; i < q->slot_count; i++) {
    slot *s = &q->slots[i];
    if (is_kept(s) && (!best || is_before(q, s, best))) best = s;
  }
  return best;
}

// Whether a stopped job goes on before the next one of a queue is claimed.
static bool goes_before(const queue *q, const slot *s, const store_queue *next) {
  bool express = strcmp(next->name, STORE_EXPRESS) == 0;
  if (strcmp(s->now.queue, next->name) == 0) return s->now.key_ms <= next->key_ms;
  if (express) return false;
  int mine = slot_running_of(q, s->now.queue), theirs = slot_running_of(q, next->name);
  return mine != theirs ? mine < theirs : clock_monotonic_s() - s->parked_s >= q->options.slice_s;
}

typedef struct heads {
  store_queue next;
  int count;
} heads;

static void note_next(void *context, const store_queue *head) {
  heads *h = context;
  if (h->count++ == 0) h->next = *head;
}

bool slot_hands_on(slot *s, bool idle) {
  queue *q = s->q;
  heads h = {.count = 0};
  pthread_mutex_lock(&q->lock);
  bool none = q->parked == 0;
  pthread_mutex_unlock(&q->lock);
  if (none) return false;
  if (!idle && store_queue_list(q->store, &(store_visit){.context = &h, .queue = note_next}) != STORE_OK) return false;
  pthread_mutex_lock(&q->lock);
  slot *next = first_parked(q);
  bool hands = next && s->permit && !q->stopping && (h.count == 0 || goes_before(q, next, &h.next));
  if (hands) {
    unpark(next);
    next->permit = true;
    s->permit = false;
    slot_wake(next);
    assert(queue_permits_add_up(q));
  }
  pthread_mutex_unlock(&q->lock);
  return hands;
}
