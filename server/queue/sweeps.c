// Progress of sweeps, counted in jobs: what the row says has ended, and the fractions of the jobs that run now.
#include "queue/slot.h"

#include <math.h>
#include <string.h>

static double fraction_of(const slot_job *r, const char *sweep) {
  return r->reported && !r->settling && strcmp(r->parent, sweep) == 0 ? r->progress.fraction : 0;
}

static double running_fractions(queue *q, const char *id) {
  double sum = 0;
  pthread_mutex_lock(&q->lock);
  for (int i = 0; i < q->slot_count; i++) sum += fraction_of(&q->slots[i].now, id);
  for (int i = 0; i < QUEUE_ENDINGS; i++) sum += fraction_of(&q->endings[i].now, id);
  pthread_mutex_unlock(&q->lock);
  return sum;
}

// The row was read before the slots are: a job that ends meanwhile is counted by one of them or by none, never by both,
// and what was told already is the least that there is.
queue_progress queue_sweep_progress(queue *q, const store_job *sweep) {
  const int64_t *jobs = sweep->jobs;
  double ended = (double)(jobs[JOB_SUCCEEDED] + jobs[JOB_FAILED] + jobs[JOB_CANCELLED]);
  double left = (double)(jobs[JOB_QUEUED] + jobs[JOB_RUNNING]);
  double running = running_fractions(q, sweep->id);
  double fraction = (ended + fmin(running, left)) / (ended + left);
  return (queue_progress){.fraction = fmax(fraction, sweep->fraction), .t = ended, .t_end = ended + left};
}

void queue_tell_sweep(queue *q, const char *id) {
  store_job sweep;
  if (store_job_get(q->store, id, &sweep) != STORE_OK) return;
  queue_progress now = queue_sweep_progress(q, &sweep);
  store_status status =
      store_job_progress(q->store, id, sweep.attempt, &(store_progress){now.fraction, now.t, now.t_end, false});
  (void)status; // news, not state
  store_job_fini(&sweep);
}
