// The slots: claim, run, settle, again. Straight-line code per slot; what slots share is under one lock.
//
// A job that was claimed is settled in the store before its slot claims another: finished, failed, cancelled, or queued
// again. Only lost workers and infrastructure count as crashes and are tried again, at most LIMIT_ATTEMPTS times, later
// each time; what the worker reported as a failure would fail again and ends the job. A slot's thread is the parent
// whose end kills its worker (PDEATHSIG), so it lives until its worker is reaped.
#include "queue/queue.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "queue/slot.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int STORE_RETRY_MS = 1000; // a store that fails is asked again
static const double REST_S = 0.1, REST_MOST_S = 10;
static const int64_t PRIORITY_MS = 60000; // as in the store's index
static const int IDLE_MS = 10000;         // a worker without work leaves

// ------------------------------------------------------------------------------------------------------- slot state

static void slot_assign(slot *s, const store_job *job) {
  pthread_mutex_lock(&s->q->lock);
  assert(!s->parked && (!job || !*s->now.id)); // a slot has one job at a time
  s->now = (slot_job){.reported = false};
  if (job) {
    memcpy(s->now.id, job->id, sizeof s->now.id);
    memcpy(s->now.parent, job->parent, sizeof s->now.parent);
    memcpy(s->now.queue, job->queue, sizeof s->now.queue);
    s->now.attempt = job->attempt;
    s->now.priority = job->priority;
    s->now.key_ms = job->created_ms - PRIORITY_MS * job->priority;
    s->now.began_s = clock_monotonic_s();
  }
  s->yields = s->keeps = s->for_others = s->evicted = s->lost = false;
  s->q->busy_s = clock_monotonic_s();
  s->cancel = job && job->cancel; // asked for while an earlier attempt ran
  pthread_mutex_unlock(&s->q->lock);
}

// Waits until the store has told of work after `seen`, the end, or `ms` (0: no bound). False when the time was up.
static bool wait_for_work(queue *q, uint64_t seen, int64_t ms) {
  struct timespec when = clock_monotonic_after((double)ms / 1e3);
  pthread_mutex_lock(&q->lock);
  int error = 0;
  while (!q->stopping && q->told == seen && error != ETIMEDOUT)
    error = ms > 0 ? pthread_cond_timedwait(&q->work, &q->lock, &when) : pthread_cond_wait(&q->work, &q->lock);
  pthread_mutex_unlock(&q->lock);
  return error != ETIMEDOUT;
}

// The same; a worker that had nothing to do for a while is not kept.
static void wait_with_worker(slot *s, uint64_t seen, int64_t ms) {
  char how[WORKER_WORDS_SIZE];
  if (s->worker.process.pid != 0 && (ms == 0 || ms > IDLE_MS)) {
    if (wait_for_work(s->q, seen, IDLE_MS)) return;
    slot_worker_end(s, true, how);
  }
  wait_for_work(s->q, seen, ms);
}

// ----------------------------------------------------------------------------------------------------------- running

// A cancel that came between the claim and slot_assign found no slot to tell, but it left its mark in the row.
static void catch_early_cancel(slot *s, uint64_t cancels) {
  store_job row;
  pthread_mutex_lock(&s->q->lock);
  bool none = s->q->cancels == cancels;
  pthread_mutex_unlock(&s->q->lock);
  if (none) return;
  if (store_job_get(s->q->store, s->now.id, &row) != STORE_OK) return;
  if (row.cancel) queue_cancel(s->q, s->now.id);
  store_job_fini(&row);
}

// `cancels`: how many there were before the claim.
static void run_claimed(slot *s, store_job *job, char *model_document, uint64_t cancels) {
  attempt_report report;
  log_scope scope = {.job = ""}; // of all that is logged about it, by the store too
  memcpy(scope.job, job->id, sizeof scope.job);
  log_enter(&scope);
  slot_assign(s, job);
  if (*job->parent) store_sweep_changed(s->q->store, job->parent);
  catch_early_cancel(s, cancels);
  attempt_run(s, job, model_document, &report);
  slot_leave_park(s);
  pthread_mutex_lock(&s->q->lock);
  slot_account(s);
  pthread_mutex_unlock(&s->q->lock);
  s->faults = report.end == ATTEMPT_NOT_BEGUN ? s->faults + 1 : 0;
  if (report.end == ATTEMPT_SUCCEEDED)
    queue_end_later(s, job, &report);
  else
    queue_settle(s->q, job, &report);
  slot_assign(s, NULL);
  if (*job->parent) store_sweep_changed(s->q->store, job->parent);
  log_enter(NULL);
  free(model_document);
  store_job_fini(job);
}

// A slot whose attempts cannot begin leaves the machine time to recover, twice as much after each, and wakes for the
// end alone.
static void rest(slot *s) {
  double left_s = fmin(REST_S * exp2(s->faults), REST_MOST_S);
  for (; left_s > 0 && !queue_stopping(s->q); left_s -= REST_S) usleep((useconds_t)(1e6 * REST_S));
}

static void *slot_main(void *context) {
  slot *s = context;
  queue *q = s->q;
  char how[WORKER_WORDS_SIZE];
  while (slot_take_permit(s)) {
    pthread_mutex_lock(&q->lock);
    uint64_t seen = q->told, cancels = q->cancels;
    pthread_mutex_unlock(&q->lock);
    store_job job;
    char *model_document = NULL;
    int64_t due_ms = 0;
    if (slot_hands_on(s, false)) continue;
    if (!store_seems_to_have_room(q->store)) { // what it would compute could not be kept
      wait_for_work(q, seen, STORE_RETRY_MS);
      continue;
    }
    store_status status = STORE_NOT_FOUND;
    if (!queue_draining(q)) status = store_job_claim(q->store, &job, &model_document, &due_ms);
    if (status == STORE_OK) {
      run_claimed(s, &job, model_document, cancels);
      if (s->faults > 0) rest(s);
    } else if (status != STORE_NOT_FOUND)
      wait_for_work(q, seen, STORE_RETRY_MS);
    else if (!slot_hands_on(s, true)) {
      int64_t wait_ms = due_ms - clock_now_ms() + 1; // the wall clock may jump: never sleep long on it
      wait_with_worker(s, seen, due_ms == 0 ? 0 : wait_ms < 1 ? 1 : wait_ms > 1000 ? 1000 : wait_ms);
    }
  }
  slot_worker_end(s, true, how);
  return NULL;
}

// --------------------------------------------------------------------------------------------------- start and stop

// Those of stopped jobs besides those that compute.
static int slots_of(const queue_options *o) { return o->workers + o->parked; }

static bool start_slots(queue *q) {
  bool made = true;
  q->permits = q->options.workers;
  for (int i = 0; i < slots_of(&q->options); i++) {
    q->slots[i] = (slot){.q = q, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    made = made && q->slots[i].wake_fd >= 0;
  }
  while (made && q->slot_count < slots_of(&q->options)) {
    slot *s = &q->slots[q->slot_count];
    made = pthread_create(&s->thread, NULL, slot_main, s) == 0;
    q->slot_count += made;
  }
  return made;
}

// One job: an idle slot looks for it; many: all of them do. Also when a job is put back: its due time is news.
static void on_work(void *context, bool many) {
  queue *q = context;
  pthread_mutex_lock(&q->lock);
  q->told++;
  (many ? pthread_cond_broadcast : pthread_cond_signal)(&q->work);
  pthread_mutex_unlock(&q->lock);
}

// Slots that run one of the job's attempts, or (NULL) any: all of them.
static void leave(queue *q, const char *id, int attempt) {
  for (int i = 0; i < q->slot_count; i++) {
    slot *s = &q->slots[i];
    if (!*s->now.id || s->lost || s->now.settling) continue;
    if (id && (strcmp(s->now.id, id) != 0 || s->now.attempt != attempt)) continue;
    log_write(LOG_LEVEL_WARNING, "job_lost", LOG_S("job", s->now.id), LOG_I("attempt", s->now.attempt),
              LOG_S("detail", id ? "another node has it" : "another node may have it soon"));
    s->lost = true;
    slot_wake(s);
  }
}

static void on_order(void *context, store_order what, const char *id, int attempt) {
  queue *q = context;
  pthread_mutex_lock(&q->lock);
  if (what == STORE_ORDER_LEAVE) leave(q, id, attempt);
  if (what == STORE_ORDER_DRAIN || what == STORE_ORDER_RESUME) {
    q->draining = what == STORE_ORDER_DRAIN;
    q->told++;
    pthread_cond_broadcast(&q->work);
    log_write(LOG_LEVEL_INFO, "node_draining", LOG_S("drains", q->draining ? "yes" : "no"));
  }
  pthread_mutex_unlock(&q->lock);
  if (what == STORE_ORDER_CANCEL) queue_cancel(q, id);
}

queue *queue_start(store *s, const queue_options *options) {
  queue *q = calloc(1, sizeof *q + (size_t)slots_of(options) * sizeof q->slots[0]);
  if (!q) return NULL;
  q->store = s;
  q->options = *options;
  snprintf(q->program, sizeof q->program, "%s", options->program);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->work, &monotonic);
  pthread_cond_init(&q->stops, &monotonic);
  pthread_cond_init(&q->permitted, &monotonic);
  pthread_cond_init(&q->ended, NULL);
  pthread_condattr_destroy(&monotonic);
  q->busy_s = clock_monotonic_s();
  bool listens = store_listen_for_work(s, on_work, q) &&
                 store_listen_for_orders(s, on_order, q); // before the first claim, so that nothing is missed after it
  if (listens && queue_start_endings(q) && start_slots(q) && queue_start_slices(q)) return q;
  queue_stop(q);
  queue_destroy(q);
  return NULL;
}

void queue_stop(queue *q) {
  if (!q) return;
  pthread_mutex_lock(&q->lock);
  q->stopping = true;
  pthread_cond_broadcast(&q->work);
  pthread_cond_signal(&q->stops);
  pthread_cond_broadcast(&q->permitted);
  pthread_mutex_unlock(&q->lock);
  if (q->sliced) pthread_join(q->slicer, NULL);
  q->sliced = false;
  for (int i = 0; i < q->slot_count; i++) slot_wake(&q->slots[i]);
  for (int i = 0; i < q->slot_count; i++) pthread_join(q->slots[i].thread, NULL);
  store_unlisten(q->store, q);
  pool_stop(q->pool); // every result that a worker was done with is kept
  q->pool = NULL;
}

void queue_destroy(queue *q) {
  if (!q) return;
  for (int i = 0; i < slots_of(&q->options); i++)
    if (q->slots[i].wake_fd >= 0) close(q->slots[i].wake_fd);
  pthread_mutex_destroy(&q->lock);
  pthread_cond_destroy(&q->work);
  pthread_cond_destroy(&q->ended);
  pthread_cond_destroy(&q->stops);
  pthread_cond_destroy(&q->permitted);
  free(q);
}

// ------------------------------------------------------------------------------------------------ asked from outside

static slot *find(queue *q, const char *id) {
  for (int i = 0; i < q->slot_count; i++)
    if (strcmp(q->slots[i].now.id, id) == 0) return &q->slots[i];
  return NULL;
}

void queue_cancel(queue *q, const char *id) {
  pthread_mutex_lock(&q->lock);
  slot *s = find(q, id);
  q->cancels++;
  if (s) {
    s->cancel = true;
    slot_wake(s);
  }
  pthread_mutex_unlock(&q->lock);
}

// Under the lock; NULL when no slot runs it and no result of it is being kept.
static const slot_job *find_attempt(queue *q, const char *id) {
  const slot *s = find(q, id);
  const slot_job *r = s ? &s->now : NULL;
  for (int i = 0; !r && i < QUEUE_ENDINGS; i++)
    if (strcmp(q->endings[i].now.id, id) == 0) r = &q->endings[i].now;
  return r;
}

bool queue_waits_for_room(queue *q, const char *id) {
  pthread_mutex_lock(&q->lock);
  const slot_job *r = find_attempt(q, id);
  bool waits = r && r->no_room;
  pthread_mutex_unlock(&q->lock);
  return waits;
}

bool queue_find_processor(queue *q, const char *id, double *computed_s, double *of_s) {
  pthread_mutex_lock(&q->lock);
  const slot *s = find(q, id);
  const slot_use *u = s ? &s->now.use : NULL;
  bool found = u && u->last.at_s > u->from.at_s;
  if (found) *computed_s = u->last.processor_s - u->from.processor_s, *of_s = u->last.at_s - u->from.at_s;
  pthread_mutex_unlock(&q->lock);
  return found;
}

bool queue_is_parked(queue *q, const char *id) {
  pthread_mutex_lock(&q->lock);
  const slot *s = find(q, id);
  bool parked = s && s->parked;
  pthread_mutex_unlock(&q->lock);
  return parked;
}

bool queue_find_progress(queue *q, const char *id, queue_progress *progress) {
  pthread_mutex_lock(&q->lock);
  const slot_job *r = find_attempt(q, id);
  bool found = r && r->reported;
  if (found) *progress = r->progress;
  pthread_mutex_unlock(&q->lock);
  return found;
}

// A descriptor of its own: the attempt writes on, and closes its one when it ends.
bool queue_open_glance(queue *q, const char *id, store_part *part) {
  char path[32];
  *part = (store_part){.fd = -1};
  pthread_mutex_lock(&q->lock);
  const slot *s = find(q, id);
  const slot_glance *g = s && s->glance.state ? &s->glance : NULL;
  if (g && (part->state = malloc(g->size))) {
    memcpy(part->state, g->state, g->size);
    part->state_size = g->size;
    part->committed = part->size = g->rows;
    snprintf(path, sizeof path, "/proc/self/fd/%d", g->fd);
    part->fd = open(path, O_RDONLY | O_CLOEXEC);
  }
  pthread_mutex_unlock(&q->lock);
  if (part->fd >= 0) return true;
  store_part_close(part);
  return false;
}

// Endings, too: what they keep is not in the rows yet.
double queue_idle_s(queue *q) {
  double now_s = clock_monotonic_s();
  pthread_mutex_lock(&q->lock);
  for (int i = 0; i < q->slot_count; i++)
    if (*q->slots[i].now.id) q->busy_s = now_s;
  for (int i = 0; i < QUEUE_ENDINGS; i++)
    if (*q->endings[i].now.id) q->busy_s = now_s;
  double idle_s = now_s - q->busy_s;
  pthread_mutex_unlock(&q->lock);
  return idle_s;
}

int queue_slots(const queue *q) { return q->options.workers; }

int queue_running(queue *q) {
  pthread_mutex_lock(&q->lock);
  int count = 0;
  for (int i = 0; i < q->slot_count; i++) count += *q->slots[i].now.id && !q->slots[i].parked;
  pthread_mutex_unlock(&q->lock);
  return count;
}
