// What is left of a job when its worker is done: the result is made durable, then the row says how the job ended.
//
// A result waits for the disk three times (data, name, row), and a worker has better things to do meanwhile. So a few
// threads do it, while the slot claims the next job: their syncs and commits share the disk's work, as the file system
// and the store's writer put them together. There are so many and no more; a slot waits for one of them to be free.
// Everything but a success is settled by the slot itself.
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "codec/json/memory.h"
#include "queue/slot.h"

#include <assert.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const int BACKOFF_MS = 200;      // after the first crash, doubled by each further one
enum { LARGE = 1 << 20 };               // of results
static const int STORE_RETRY_MS = 1000; // a store that fails is asked again

// ----------------------------------------------------------------------------------------------------------- outcome

static int64_t backoff_ms(int crashes) {
  assert(crashes >= 0 && crashes < 32);
  unsigned char jitter = 0;
  ssize_t n = getrandom(&jitter, 1, GRND_NONBLOCK);
  (void)n;
  return ((int64_t)BACKOFF_MS << crashes) + jitter;
}

// The row is asked: whoever cancels marks it first.
static bool is_cancelled(queue *q, const store_job *job) {
  store_job row;
  if (store_job_get(q->store, job->id, &row) != STORE_OK) return false;
  store_job_fini(&row);
  return row.cancel;
}

static store_status finish(queue *q, const store_job *job, job_state state, const char *error,
                           const attempt_report *report, job_state *now) {
  bool result = state == JOB_SUCCEEDED;
  store_outcome outcome = {.state = state,
                           .error = error,
                           .warnings = report->told ? report->warnings : "",
                           .result_size = result ? report->result_size : 0,
                           .result_sha256 = result ? report->result_sha256 : NULL,
                           .t_end = report->t_end};
  store_status status = store_job_finish(q->store, job->id, job->attempt, &outcome);
  *now = status == STORE_OK ? outcome.ended : state;
  return status;
}

static store_status give_up(queue *q, const store_job *job, const attempt_report *report, job_state *now) {
  char detail[2400];
  snprintf(detail, sizeof detail, "%s; that was attempt %d, the last of %d", report->error, job->crashes + 1,
           LIMIT_ATTEMPTS);
  json_t *error = json_pack("{s:s, s:s}", "code", "worker_crashed", "detail", detail);
  char *text = error ? json_memory_text(error, JSON_COMPACT) : NULL;
  json_decref(error);
  store_status status = finish(q, job, JOB_FAILED, text, report, now);
  free(text);
  return status;
}

// *now: the state that the row has then.
static store_status settle(queue *q, const store_job *job, const attempt_report *report, job_state *now) {
  *now = JOB_QUEUED;
  switch (report->end) {
  case ATTEMPT_SUCCEEDED:
    return finish(q, job, JOB_SUCCEEDED, NULL, report, now);
  case ATTEMPT_FAILED:
    return finish(q, job, JOB_FAILED, report->error, report, now);
  case ATTEMPT_CANCELLED:
    return finish(q, job, JOB_CANCELLED, NULL, report, now);
  case ATTEMPT_STOPPED:
    return store_job_requeue(q->store, job->id, job->attempt, false, 0);
  case ATTEMPT_NOT_BEGUN:
  case ATTEMPT_CRASHED:
    break;
  }
  if (is_cancelled(q, job)) return finish(q, job, JOB_CANCELLED, NULL, report, now);
  if (report->end == ATTEMPT_NOT_BEGUN || report->disk) return store_job_wait(q->store, job, report->error);
  if (job->crashes + 1 >= LIMIT_ATTEMPTS) return give_up(q, job, report, now);
  store_status remarked = store_job_remark(q->store, job->id, job->attempt, "warning", report->error);
  (void)remarked; // the remark is for people; the requeue decides
  return store_job_requeue(q->store, job->id, job->attempt, true, backoff_ms(job->crashes));
}

static void log_end(const store_job *job, const attempt_report *report) {
  static const char *const names[] = {"succeeded", "failed", "cancelled", "crashed", "stopped", "not_begun"};
  log_write(report->end == ATTEMPT_CRASHED || report->end == ATTEMPT_NOT_BEGUN ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO,
            "job_ended", LOG_S("job", job->id), LOG_I("attempt", job->attempt), LOG_S("end", names[report->end]),
            LOG_S("detail", report->error), LOG_I("bytes", report->result_size));
}

_Static_assert(ATTEMPT_SUCCEEDED == 0 && ATTEMPT_FAILED == 1 && ATTEMPT_CANCELLED == 2 && ATTEMPT_CRASHED == 3 &&
                   ATTEMPT_STOPPED == 4 && ATTEMPT_NOT_BEGUN == 5,
               "series of METRIC_ATTEMPTS are numbered like this");

// What a job's solver did is told, as a total over its attempts, by the attempt that ends it.
static void count_end(job_state state, const attempt_report *report) {
  metrics_add(METRIC_ATTEMPTS, (int)report->end, 1);
  if (!job_state_terminal(state)) return;
  metrics_add(METRIC_JOBS_ENDED, (int)state, 1);
  for (int i = 0; i < ATTEMPT_SOLVER_COUNTS; i++)
    metrics_add((metric)(METRIC_SOLVER_STEPS + i), 0, (int64_t)report->solver[i]);
}

static void mark(slot_job *now, const char *id, bool no_room) {
  if (strcmp(now->id, id) != 0) return;
  now->settling = true;
  now->no_room = now->no_room || no_room;
}

// Where there is not even room to say so in the row (`no_room`), whoever asks hears it nonetheless.
static void tell_settling(queue *q, const char *id, bool no_room) {
  pthread_mutex_lock(&q->lock);
  for (int i = 0; i < q->slot_count; i++) mark(&q->slots[i].now, id, no_room);
  for (int i = 0; i < QUEUE_ENDINGS; i++) mark(&q->endings[i].now, id, no_room);
  pthread_mutex_unlock(&q->lock);
}

// A full disk must not lose the outcome: ask again until the store takes it or the server stops (a restart queues it).
void queue_settle(queue *q, const store_job *job, attempt_report *report) {
  job_state state = JOB_RUNNING;
  log_end(job, report);
  tell_settling(q, job->id, false);
  store_status status = settle(q, job, report, &state);
  while ((status == STORE_FULL || status == STORE_FAILED || status == STORE_AWAY || status == STORE_STOPPED) &&
         !queue_stopping(q)) {
    tell_settling(q, job->id, true);
    usleep((useconds_t)STORE_RETRY_MS * 1000);
    status = settle(q, job, report, &state);
  }
  if (status == STORE_OK) count_end(state, report);
  if (status == STORE_OK && state == JOB_SUCCEEDED && report->parts) store_part_remove(q->store, job->id, job->owner);
  if (status != STORE_OK)
    log_write(LOG_LEVEL_WARNING, "job_not_settled", LOG_S("job", job->id), LOG_I("attempt", job->attempt),
              LOG_I("status", status));
  free(report->warnings);
  report->warnings = NULL;
}

// ------------------------------------------------------------------------------------------------------------ results

static void release(ending *e) {
  pthread_mutex_lock(&e->q->lock);
  e->now = (slot_job){.reported = false};
  pthread_cond_signal(&e->q->ended);
  pthread_mutex_unlock(&e->q->lock);
}

// A large one, which nobody wants any more, is not read and synced first.
static bool is_unwanted(queue *q, const store_job *job, const attempt_report *r) {
  return r->result_size > LARGE && is_cancelled(q, job);
}

static void drop_result(queue *q, const store_job *job, attempt_report *r) {
  close(r->file);
  r->file = -1;
  r->end = ATTEMPT_CANCELLED;
  store_result_discard(q->store, job->id, job->attempt);
}

// A result that lies in a database is kept until that is back: to compute it again would cost more.
static store_status commit(queue *q, const store_job *job, const attempt_report *r) {
  store_status status;
  while ((status = store_result_commit(q->store, job->id, job->attempt, r->file, r->result_sha256)) == STORE_AWAY &&
         !queue_stopping(q))
    usleep((useconds_t)STORE_RETRY_MS * 1000);
  return status;
}

// The disk works on a large file while its checksum is taken.
static void keep_result(queue *q, const store_job *job, attempt_report *r) {
  store *s = q->store;
  const char *trouble = NULL;
  if (r->result_size > LARGE) sync_file_range(r->file, 0, 0, SYNC_FILE_RANGE_WRITE);
  if (!digest_of_file(r->file, r->result_sha256))
    trouble = "the result could not be read back";
  else if (commit(q, job, r) != STORE_OK)
    trouble = "the result could not be made durable";
  close(r->file);
  r->file = -1;
  if (!trouble) return;
  snprintf(r->error, sizeof r->error, "%s: the disk is full or fails", trouble);
  r->end = ATTEMPT_CRASHED;
  r->disk = true;
  store_result_discard(s, job->id, job->attempt);
}

static void keep_and_settle(pool_task *task) {
  ending *e = (ending *)task;
  char parent[ID_SIZE];
  log_scope scope = {.job = ""};
  memcpy(scope.job, e->job.id, sizeof scope.job);
  memcpy(parent, e->job.parent, sizeof parent);
  log_enter(&scope);
  (is_unwanted(e->q, &e->job, &e->report) ? drop_result : keep_result)(e->q, &e->job, &e->report);
  queue_settle(e->q, &e->job, &e->report);
  store_queue_ends(e->q->store, e->now.queue, false);
  store_job_fini(&e->job);
  store *st = e->q->store;
  release(e);
  if (*parent) store_sweep_changed(st, parent);
  log_enter(NULL);
}

static ending *take_free(queue *q) {
  for (;;) {
    for (int i = 0; i < QUEUE_ENDINGS; i++)
      if (!*q->endings[i].now.id) return &q->endings[i];
    pthread_cond_wait(&q->ended, &q->lock);
  }
}

void queue_end_later(slot *s, store_job *job, const attempt_report *report) {
  queue *q = s->q;
  pthread_mutex_lock(&q->lock);
  ending *e = take_free(q);
  e->now = s->now;
  s->now = (slot_job){.reported = false};
  pthread_mutex_unlock(&q->lock);
  e->q = q;
  e->job = *job;
  e->report = *report;
  store_queue_ends(q->store, e->now.queue, true);
  job->document = job->labels = job->error = job->warnings = job->waiting = NULL; // they are the ending's
  (void)pool_submit(q->pool, &e->task, 0);
}

bool queue_start_endings(queue *q) {
  q->pool = pool_start(&(pool_options){.threads = QUEUE_ENDINGS}, keep_and_settle);
  return q->pool != NULL;
}
