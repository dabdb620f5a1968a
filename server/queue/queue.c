// The slots: claim, run, settle, again. Straight-line code per slot; what slots share is under one lock.
//
// A job that was claimed is settled in the store before its slot claims another: finished, failed, cancelled, or queued
// again. Only lost workers and infrastructure count as crashes and are tried again, at most LIMIT_ATTEMPTS times, later
// each time; what the worker reported as a failure would fail again and ends the job. A slot's thread is the parent
// whose end kills its worker (PDEATHSIG), so it lives until its worker is reaped.
#include "queue/queue.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "queue/slot.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

static const int BACKOFF_MS = 200;      // after the first crash, doubled by each further one
static const int STORE_RETRY_MS = 1000; // a store that fails is asked again

// ------------------------------------------------------------------------------------------------------- slot state

bool slot_cancelled(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool cancelled = s->cancel;
  pthread_mutex_unlock(&s->q->lock);
  return cancelled;
}

bool slot_stopping(slot *s) {
  pthread_mutex_lock(&s->q->lock);
  bool stopping = s->q->stopping;
  pthread_mutex_unlock(&s->q->lock);
  return stopping;
}

void slot_set_progress(slot *s, const queue_progress *progress) {
  pthread_mutex_lock(&s->q->lock);
  s->progress = *progress;
  s->reported = true;
  pthread_mutex_unlock(&s->q->lock);
}

static void slot_assign(slot *s, const store_job *job) {
  pthread_mutex_lock(&s->q->lock);
  memcpy(s->id, job ? job->id : "", job ? sizeof s->id : 1);
  s->cancel = job && job->cancel; // asked for while an earlier attempt ran
  s->reported = false;
  s->progress = (queue_progress){.fraction = 0};
  pthread_mutex_unlock(&s->q->lock);
}

static void deadline_after(int64_t ms, struct timespec *when) {
  clock_gettime(CLOCK_MONOTONIC, when);
  int64_t ns = when->tv_nsec + ms % 1000 * 1000000;
  when->tv_sec += ms / 1000 + ns / 1000000000;
  when->tv_nsec = ns % 1000000000;
}

// Waits for a submission newer than `seen`, the end, or `ms` (0: no bound).
static void wait_for_work(queue *q, uint64_t seen, int64_t ms) {
  struct timespec when;
  deadline_after(ms, &when);
  pthread_mutex_lock(&q->lock);
  int error = 0;
  while (!q->stopping && q->submissions == seen && error != ETIMEDOUT)
    error =
        ms > 0 ? pthread_cond_timedwait(&q->submitted, &q->lock, &when) : pthread_cond_wait(&q->submitted, &q->lock);
  pthread_mutex_unlock(&q->lock);
}

// ----------------------------------------------------------------------------------------------------------- settling

static int64_t backoff_ms(int crashes) {
  unsigned char jitter = 0;
  ssize_t n = getrandom(&jitter, 1, GRND_NONBLOCK);
  (void)n;
  return ((int64_t)BACKOFF_MS << crashes) + jitter;
}

static store_status finish(slot *s, const store_job *job, job_state state, const char *error,
                           const attempt_report *report) {
  bool result = state == JOB_SUCCEEDED;
  store_outcome outcome = {.state = state,
                           .error = error,
                           .result_size = result ? report->result_size : 0,
                           .result_sha256 = result ? report->result_sha256 : NULL};
  return store_job_finish(s->q->store, job->id, job->attempt, &outcome);
}

static store_status give_up(slot *s, const store_job *job, const attempt_report *report) {
  char detail[2400];
  snprintf(detail, sizeof detail, "%s; that was attempt %d, the last of %d", report->error, job->crashes + 1,
           LIMIT_ATTEMPTS);
  json_t *error = json_pack("{s:s, s:s}", "code", "worker_crashed", "detail", detail);
  char *text = error ? json_dumps(error, JSON_COMPACT) : NULL;
  json_decref(error);
  store_status status = finish(s, job, JOB_FAILED, text, report);
  free(text);
  return status;
}

static store_status settle(slot *s, const store_job *job, const attempt_report *report) {
  switch (report->end) {
  case ATTEMPT_SUCCEEDED:
    return finish(s, job, JOB_SUCCEEDED, NULL, report);
  case ATTEMPT_FAILED:
    return finish(s, job, JOB_FAILED, report->error, report);
  case ATTEMPT_CANCELLED:
    return finish(s, job, JOB_CANCELLED, NULL, report);
  case ATTEMPT_STOPPED:
    return store_job_requeue(s->q->store, job->id, job->attempt, false, 0);
  case ATTEMPT_CRASHED:
    break;
  }
  if (slot_cancelled(s)) return finish(s, job, JOB_CANCELLED, NULL, report);
  if (job->crashes + 1 >= LIMIT_ATTEMPTS) return give_up(s, job, report);
  store_status remarked = store_job_remark(s->q->store, job->id, job->attempt, "warning", report->error);
  (void)remarked; // the remark is for people; the requeue decides
  return store_job_requeue(s->q->store, job->id, job->attempt, true, backoff_ms(job->crashes));
}

static void log_end(const store_job *job, const attempt_report *report) {
  static const char *const names[] = {"succeeded", "failed", "cancelled", "crashed", "stopped"};
  log_write(report->end == ATTEMPT_CRASHED ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "job_ended", LOG_S("job", job->id),
            LOG_I("attempt", job->attempt), LOG_S("end", names[report->end]), LOG_S("detail", report->error),
            LOG_I("bytes", report->result_size));
}

// A full disk must not lose the outcome: ask again until the store takes it or the server stops (a restart queues it).
static void settle_durably(slot *s, const store_job *job, const attempt_report *report) {
  log_end(job, report);
  store_status status = settle(s, job, report);
  while ((status == STORE_FULL || status == STORE_FAILED) && !slot_stopping(s)) {
    usleep((useconds_t)STORE_RETRY_MS * 1000);
    status = settle(s, job, report);
  }
  if (status == STORE_OK && report->end == ATTEMPT_SUCCEEDED) store_part_remove(s->q->store, job->id);
  if (status != STORE_OK)
    log_write(LOG_LEVEL_WARNING, "job_not_settled", LOG_S("job", job->id), LOG_I("attempt", job->attempt),
              LOG_I("status", status));
}

// A cancel that came between the claim and slot_assign found no slot to tell, but it left its mark in the row.
static void catch_early_cancel(slot *s) {
  store_job row;
  if (store_job_get(s->q->store, s->id, &row) != STORE_OK) return;
  if (row.cancel) queue_cancel(s->q, s->id);
  store_job_fini(&row);
}

static void run_claimed(slot *s, store_job *job, char *model_document) {
  attempt_report report;
  slot_assign(s, job);
  catch_early_cancel(s);
  attempt_run(s, job, model_document, &report);
  settle_durably(s, job, &report);
  slot_assign(s, NULL);
  if (report.end == ATTEMPT_CRASHED) queue_wake(s->q); // some idle slot may have to learn of the new due time
  free(model_document);
  store_job_fini(job);
}

static void *slot_main(void *context) {
  slot *s = context;
  queue *q = s->q;
  while (!slot_stopping(s)) {
    pthread_mutex_lock(&q->lock);
    uint64_t seen = q->submissions;
    pthread_mutex_unlock(&q->lock);
    store_job job;
    char *model_document = NULL;
    int64_t due_ms = 0;
    store_status status = store_job_claim(q->store, &job, &model_document, &due_ms);
    if (status == STORE_OK)
      run_claimed(s, &job, model_document);
    else if (status != STORE_NOT_FOUND)
      wait_for_work(q, seen, STORE_RETRY_MS);
    else {
      int64_t wait_ms = due_ms - clock_now_ms() + 1; // the wall clock may jump: never sleep long on it
      wait_for_work(q, seen, due_ms == 0 ? 0 : wait_ms < 1 ? 1 : wait_ms > 1000 ? 1000 : wait_ms);
    }
  }
  return NULL;
}

// --------------------------------------------------------------------------------------------------- start and stop

static bool start_slots(queue *q) {
  bool made = true;
  for (int i = 0; i < q->options.workers; i++) {
    q->slots[i] = (slot){.q = q, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    made = made && q->slots[i].wake_fd >= 0;
  }
  while (made && q->slot_count < q->options.workers) {
    slot *s = &q->slots[q->slot_count];
    made = pthread_create(&s->thread, NULL, slot_main, s) == 0;
    q->slot_count += made;
  }
  return made;
}

queue *queue_start(store *s, const queue_options *options) {
  queue *q = calloc(1, sizeof *q + (size_t)options->workers * sizeof q->slots[0]);
  if (!q) return NULL;
  q->store = s;
  q->options = *options;
  snprintf(q->program, sizeof q->program, "%s", options->program);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->submitted, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (start_slots(q)) return q;
  queue_stop(q);
  queue_destroy(q);
  return NULL;
}

static void wake_slot(slot *s) {
  ssize_t n = write(s->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
  (void)n; // full means it is awake already
}

void queue_stop(queue *q) {
  if (!q) return;
  pthread_mutex_lock(&q->lock);
  q->stopping = true;
  pthread_cond_broadcast(&q->submitted);
  pthread_mutex_unlock(&q->lock);
  for (int i = 0; i < q->slot_count; i++) wake_slot(&q->slots[i]);
  for (int i = 0; i < q->slot_count; i++) pthread_join(q->slots[i].thread, NULL);
}

void queue_destroy(queue *q) {
  if (!q) return;
  for (int i = 0; i < q->options.workers; i++)
    if (q->slots[i].wake_fd >= 0) close(q->slots[i].wake_fd);
  pthread_mutex_destroy(&q->lock);
  pthread_cond_destroy(&q->submitted);
  free(q);
}

void queue_wake(queue *q) {
  pthread_mutex_lock(&q->lock);
  q->submissions++;
  pthread_cond_signal(&q->submitted);
  pthread_mutex_unlock(&q->lock);
}

// ------------------------------------------------------------------------------------------------ asked from outside

static slot *find(queue *q, const char *id) {
  for (int i = 0; i < q->slot_count; i++)
    if (strcmp(q->slots[i].id, id) == 0) return &q->slots[i];
  return NULL;
}

void queue_cancel(queue *q, const char *id) {
  pthread_mutex_lock(&q->lock);
  slot *s = find(q, id);
  if (s) {
    s->cancel = true;
    wake_slot(s);
  }
  pthread_mutex_unlock(&q->lock);
}

bool queue_find_progress(queue *q, const char *id, queue_progress *progress) {
  pthread_mutex_lock(&q->lock);
  slot *s = find(q, id);
  bool found = s && s->reported;
  if (found) *progress = s->progress;
  pthread_mutex_unlock(&q->lock);
  return found;
}

int queue_running(queue *q) {
  pthread_mutex_lock(&q->lock);
  int count = 0;
  for (int i = 0; i < q->slot_count; i++) count += *q->slots[i].id != '\0';
  pthread_mutex_unlock(&q->lock);
  return count;
}
