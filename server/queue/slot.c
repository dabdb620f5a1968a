// What is asked of a slot and said to it, by whichever thread: its flags under the queue's lock, and its wake-up.
#include "queue/slot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool slot_cancelled(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool cancelled = s->cancel;
  pthread_mutex_unlock(&s->q->lock);
  return cancelled;
}

bool slot_lost(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool lost = s->lost;
  pthread_mutex_unlock(&s->q->lock);
  return lost;
}

bool queue_draining(queue *q) {
  pthread_mutex_lock(&q->lock);
  bool draining = q->draining;
  pthread_mutex_unlock(&q->lock);
  return draining;
}

bool queue_stopping(queue *q) {
  pthread_mutex_lock(&q->lock);
  bool stopping = q->stopping;
  pthread_mutex_unlock(&q->lock);
  return stopping;
}

bool slot_yields(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool yields = s->yields;
  pthread_mutex_unlock(&s->q->lock);
  return yields;
}

void slot_set_progress(slot *s, const queue_progress *progress) {
  pthread_mutex_lock(&s->q->lock);
  s->now.progress = *progress;
  s->now.reported = true;
  pthread_mutex_unlock(&s->q->lock);
}

void slot_note_processor(slot *s, slot_moment now, bool anew) {
  static const double window_s = 20;
  pthread_mutex_lock(&s->q->lock);
  slot_use *u = &s->now.use;
  if (anew) u->from = u->mid = now;
  if (now.at_s - u->mid.at_s > window_s) u->from = u->mid, u->mid = now;
  u->last = now;
  pthread_mutex_unlock(&s->q->lock);
}

void slot_set_glance(slot *s, int fd, uint64_t rows, const void *state, size_t size) {
  void *copy = malloc(size);
  if (!copy) return; // the next one may find memory
  memcpy(copy, state, size);
  pthread_mutex_lock(&s->q->lock);
  free(s->glance.state);
  s->glance = (slot_glance){.state = copy, .size = size, .rows = rows, .fd = fd};
  pthread_mutex_unlock(&s->q->lock);
}

void slot_end_glance(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  free(s->glance.state);
  s->glance = (slot_glance){.state = NULL};
  pthread_mutex_unlock(&s->q->lock);
}

void slot_wake(slot *s) {
  ssize_t n = write(s->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
  (void)n; // full means it is awake already
}
