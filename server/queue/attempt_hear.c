// What a worker says of its job, a function for each kind of frame, and what that makes of the attempt.
//
// Nothing of it is believed before it is looked at: the worker computes with a stranger's document.
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "codec/json/memory.h"
#include "codec/json/text.h"
#include "queue/attempt.h"
#include "tendril/dynamics.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PROGRESS_MIN_S = 0.095; // between two events: ten a second
static const double SWEEP_SHARE_S = 0.5;    // two a second for sweeps, besides those at the end of each job

typedef Tendril__Worker__Frame frame;

void attempt_end_as(attempt *a, attempt_end how) {
  a->report->end = how;
  a->over = true;
}

void attempt_crash(attempt *a, const char *detail) {
  snprintf(a->report->error, sizeof a->report->error, "%s", detail);
  attempt_end_as(a, ATTEMPT_CRASHED);
}

void attempt_crash_of_disk(attempt *a, const char *what) {
  snprintf(a->report->error, sizeof a->report->error, "%s: the disk is full or fails", what);
  a->report->disk = true;
  attempt_end_as(a, ATTEMPT_CRASHED);
}

static void on_progress(attempt *a, const frame *f) {
  queue_progress told = {f->progress->fraction, f->progress->t, f->progress->t_end, f->progress->checking};
  if (!isfinite(told.fraction) || !isfinite(told.t) || !isfinite(told.t_end)) {
    attempt_crash(a, "the worker sent progress that is not a number");
    return;
  }
  told.fraction = fmin(fmax(told.fraction, 0), 1);
  a->report->t_end = told.t_end;
  slot_set_progress(a->slot, &told);
  double now = clock_monotonic_s();
  if (now < a->next_event_s) return;
  a->next_event_s = now + PROGRESS_MIN_S;
  store_status status = store_job_progress(a->slot->q->store, a->job->id, a->job->attempt,
                                           &(store_progress){told.fraction, told.t, told.t_end, told.checking});
  (void)status; // progress is news, not state: what cannot be written now is said by the next one
  if (!*a->job->parent || now < a->next_sweep_s) return;
  a->next_sweep_s = now + SWEEP_SHARE_S * a->slot->q->options.workers;
  queue_tell_sweep(a->slot->q, a->job->parent);
}

// The job's own doing: to run it again would end the same way.
static void stop_at_quota(attempt *a) {
  static const char error[] = "{\"code\":\"quota_exceeded\",\"detail\":\"the rows of this job and of others of its "
                              "owner that run would take more than "
                              "results-quota (results-quota-per-owner) allows (%lld MiB are kept): ask for fewer "
                              "samples or fields, or for a larger quota\"}";
  snprintf(a->report->error, sizeof a->report->error, error,
           (long long)(store_part_bytes_of(a->slot->q->store, a->job->owner) >> 20));
  attempt_end_as(a, ATTEMPT_FAILED);
}

static void on_rows(attempt *a, const frame *f) {
  const ProtobufCBinaryData *data = &f->rows->data;
  if (a->cancel_s > 0) a->cancel_s = clock_monotonic_s(); // it hands in what it has
  bool fits = f->rows->offset <= LIMIT_RESULT_BYTES && data->len <= LIMIT_RESULT_BYTES - f->rows->offset;
  store_status status =
      fits ? store_part_write(a->slot->q->store, a->job->id, &a->part, f->rows->offset, data->data, data->len)
           : STORE_PRECONDITION;
  if (status == STORE_PRECONDITION)
    attempt_crash(a, "the worker sent rows that do not follow each other");
  else if (status == STORE_SHARE && a->cancel_s > 0)
    attempt_end_as(a, ATTEMPT_CANCELLED);
  else if (status == STORE_SHARE)
    stop_at_quota(a);
  else if (status != STORE_OK)
    attempt_crash_of_disk(a, "the samples could not be written");
}

static void on_checkpoint(attempt *a, const frame *f) {
  const Tendril__Worker__Checkpoint *c = f->checkpoint;
  if (c->rows != a->part.size) {
    attempt_crash(a, "the worker sent a checkpoint of other rows");
    return;
  }
  slot_end_glance(a->slot); // the checkpoint has more
  store_status status =
      store_part_commit(a->slot->q->store, a->job->id, a->job->attempt, &a->part, c->state.data, c->state.len);
  if (status == STORE_PRECONDITION)
    attempt_crash(a, "the attempt does not own the job any more");
  else if (status == STORE_OK)
    status = store_job_samples(a->slot->q->store, a->job->id, a->job->attempt, c->samples); // news, like progress
  else // the run goes on without it
    log_write(LOG_LEVEL_WARNING, "checkpoint_not_kept", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt));
}

// To be read meanwhile: nothing is synced, as another attempt goes on from the checkpoint before.
static void on_glance(attempt *a, const frame *f) {
  const Tendril__Worker__Glance *g = f->glance;
  if (g->rows != a->part.size || g->state.len == 0 || a->part.fd < 0) {
    attempt_crash(a, "the worker showed other rows");
    return;
  }
  slot_set_glance(a->slot, a->part.fd, g->rows, g->state.data, g->state.len);
  store_status status = store_job_samples(a->slot->q->store, a->job->id, a->job->attempt, g->samples);
  (void)status; // news, like progress
}

static void on_drained(attempt *a, const frame *f) {
  (void)f;
  if (a->drain_s > 0 || a->yields)
    attempt_end_as(a, ATTEMPT_STOPPED);
  else
    attempt_crash(a, "the worker stopped without being asked to");
}

static void on_done(attempt *a, const frame *f) {
  a->report->result_size = (int64_t)f->done->size;
  a->last = f->done->last;
  attempt_end_as(a, ATTEMPT_SUCCEEDED); // if the file is what it says: check_result, attempt_keep_result
}

static void on_failed(attempt *a, const frame *f) {
  if (f->failed->disk && codec_utf8_valid(f->failed->detail, strlen(f->failed->detail))) {
    attempt_crash(a, f->failed->detail);
    a->report->disk = true;
    return;
  }
  json_t *error =
      json_pack("{s:s, s:s, s:s}", "code", f->failed->code, "detail", f->failed->detail, "pointer", f->failed->pointer);
  size_t size = error ? json_dumpb(error, a->report->error, sizeof a->report->error - 1, JSON_COMPACT) : 0;
  json_decref(error);
  if (size == 0 || size >= sizeof a->report->error) {
    attempt_crash(a, "the worker's error could not be read");
    return;
  }
  a->report->error[size] = '\0';
  attempt_end_as(a, ATTEMPT_FAILED);
}

static void on_cancelled(attempt *a, const frame *f) {
  (void)f;
  if (a->cancel_s > 0)
    attempt_end_as(a, ATTEMPT_CANCELLED);
  else
    attempt_crash(a, "the worker stopped without being asked to");
}

static void note_statistics(attempt *a, const Tendril__Worker__Statistics *s) {
  const uint64_t counts[ATTEMPT_SOLVER_COUNTS] = {
      s->steps,          s->rejected,          s->evaluations,       s->jacobians,
      s->factorisations, s->newton_iterations, s->nonlinear_failures};
  memcpy(a->report->solver, counts, sizeof counts);
}

// Only what is a list of objects is kept, written anew: a reader of the row trusts it.
static bool note_warnings(attempt *a, const char *text) {
  json_t *list = *text ? json_loads(text, 0, NULL) : json_array(), *entry;
  bool good = json_is_array(list);
  size_t i;
  json_array_foreach(list, i, entry) good = good && json_is_string(json_object_get(entry, "code")) &&
                                            json_is_string(json_object_get(entry, "detail")) &&
                                            json_is_string(json_object_get(entry, "pointer"));
  free(a->report->warnings);
  a->report->warnings = good && json_array_size(list) > 0 ? json_memory_text(list, JSON_COMPACT) : NULL;
  a->report->told = good;
  json_decref(list);
  return good;
}

static void on_frame(attempt *a, const frame *f) {
  static const struct {
    Tendril__Worker__Frame__BodyCase body;
    void (*handle)(attempt *, const frame *);
  } handlers[] = {
      {TENDRIL__WORKER__FRAME__BODY_PROGRESS, on_progress}, {TENDRIL__WORKER__FRAME__BODY_DONE, on_done},
      {TENDRIL__WORKER__FRAME__BODY_FAILED, on_failed},     {TENDRIL__WORKER__FRAME__BODY_CANCELLED, on_cancelled},
      {TENDRIL__WORKER__FRAME__BODY_ROWS, on_rows},         {TENDRIL__WORKER__FRAME__BODY_CHECKPOINT, on_checkpoint},
      {TENDRIL__WORKER__FRAME__BODY_DRAINED, on_drained},   {TENDRIL__WORKER__FRAME__BODY_GLANCE, on_glance},
  };
  if (f->turn != a->worker->turn) {
    attempt_crash(a, "the worker spoke of another job");
    return;
  }
  if (f->statistics) note_statistics(a, f->statistics);
  if (f->statistics && !note_warnings(a, f->warnings)) {
    attempt_crash(a, "the worker's warnings could not be read");
    return;
  }
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
    if (handlers[i].body == f->body_case) {
      handlers[i].handle(a, f);
      return;
    }
  attempt_crash(a, "the worker sent a message of an unknown kind");
}

// The first word. Whatever comes in its place has nothing to do with the job: it is not counted.
static void on_hello(attempt *a, const frame *f) {
  const Tendril__Worker__Hello *hello = f->body_case == TENDRIL__WORKER__FRAME__BODY_HELLO ? f->hello : NULL;
  bool same = hello && hello->protocol == WORKER_PROTOCOL && strcmp(hello->version, td_version()) == 0;
  a->worker->greeted = same;
  if (same) return;
  snprintf(a->report->error, sizeof a->report->error, "the worker program is of another version than the server (%s)",
           td_version());
  attempt_end_as(a, ATTEMPT_NOT_BEGUN);
}

void attempt_hear(attempt *a, const frame *f) {
  assert(!a->over);
  (a->worker->greeted ? on_frame : on_hello)(a, f);
}
