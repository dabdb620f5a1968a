// One attempt: a worker process, the conversation with it, and the file its result goes to.
//
// The thread waits on three descriptors: the socket (frames), the pidfd (death), the slot's eventfd (cancel, stop). The
// conversation ends with Done, Failed or Cancelled, or with the end of the stream, which is a crash whatever was sent
// before. A result counts only when its size and SHA-256 are those that the worker announced and the file is durable.
//
// The worker holds a lease, renewed by every frame and, because one step may be long, by processor time that it used. A
// worker that is stopped or stuck loses it, is killed (SIGKILL reaches stopped processes) and its socket closed before the
// job is queued again, so its late frames are read by nobody; what it could still commit is fenced by (job, attempt).
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "queue/slot.h"
#include "worker/channel.h"
#include "worker/spawn.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double CANCEL_GRACE_S = 5; // then the worker is killed
// Every progress event is a commit: ten a second for a job, forty for all of them.
static const double PROGRESS_MIN_S = 0.095, PROGRESS_SHARE_S = 0.025;
enum { LEAVE_GRACE_MS = 10000 }; // for a worker that said Done or Failed

static const double LEASE_RENEWAL_S = 0.05; // processor time that counts as progress

typedef Tendril__Worker__Frame frame;

typedef struct attempt {
  slot *slot;
  const store_job *job;
  worker_process worker;
  channel in;
  int file;          // the result so far
  uint64_t received; // its bytes
  digest sum;
  bool over;
  store_part part;     // rows and checkpoint
  double cancel_s;     // when Cancel was sent, 0: not
  double next_event_s; // before it, progress makes no event
  double drain_s;      // when Drain was sent, 0: not
  double lease_s;      // when the lease ends
  double processor_s;  // used by the worker when the lease was renewed last
  attempt_report *report;
} attempt;

static void end(attempt *a, attempt_end how) {
  a->report->end = how;
  a->over = true;
}

static void crash(attempt *a, const char *detail) {
  snprintf(a->report->error, sizeof a->report->error, "%s", detail);
  end(a, ATTEMPT_CRASHED);
}

// -------------------------------------------------------------------------------------------------- frames, one each

static void on_progress(attempt *a, const frame *f) {
  slot_set_progress(a->slot, &(queue_progress){f->progress->fraction, f->progress->t, f->progress->t_end});
  double now = clock_monotonic_s();
  if (now < a->next_event_s) return;
  a->next_event_s = now + fmax(PROGRESS_MIN_S, PROGRESS_SHARE_S * a->slot->q->options.workers);
  store_status status = store_job_progress(a->slot->q->store, a->job->id, a->job->attempt, f->progress->fraction,
                                           f->progress->t, f->progress->t_end);
  (void)status; // progress is news, not state: what cannot be written now is said by the next one
}

static void on_rows(attempt *a, const frame *f) {
  const ProtobufCBinaryData *data = &f->rows->data;
  bool fits = f->rows->offset <= LIMIT_RESULT_BYTES && data->len <= LIMIT_RESULT_BYTES - f->rows->offset;
  store_status status =
      fits ? store_part_write(a->slot->q->store, a->job->id, &a->part, f->rows->offset, data->data, data->len)
           : STORE_PRECONDITION;
  if (status == STORE_PRECONDITION)
    crash(a, "the worker sent rows that do not follow each other");
  else if (status != STORE_OK)
    crash(a, "the samples could not be written: the disk is full or fails");
}

static void on_checkpoint(attempt *a, const frame *f) {
  const Tendril__Worker__Checkpoint *c = f->checkpoint;
  if (c->rows != a->part.size) {
    crash(a, "the worker sent a checkpoint of other rows");
    return;
  }
  store_status status =
      store_part_commit(a->slot->q->store, a->job->id, a->job->attempt, &a->part, c->state.data, c->state.len);
  if (status == STORE_PRECONDITION)
    crash(a, "the attempt does not own the job any more");
  else if (status != STORE_OK) // the run goes on without it
    log_write(LOG_LEVEL_WARNING, "checkpoint_not_kept", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt));
}

static void on_drained(attempt *a, const frame *f) {
  (void)f;
  end(a, ATTEMPT_STOPPED);
}

static void on_chunk(attempt *a, const frame *f) {
  const unsigned char *bytes = f->chunk->data.data;
  size_t size = f->chunk->data.len;
  if (a->received + size > LIMIT_RESULT_BYTES) {
    crash(a, "the worker sent more than a result may hold");
    return;
  }
  digest_update(&a->sum, bytes, size);
  a->received += size;
  while (size > 0) {
    ssize_t n = write(a->file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      crash(a, "the result could not be written: the disk is full or fails");
      return;
    }
    bytes += n;
    size -= (size_t)n;
  }
}

static void on_done(attempt *a, const frame *f) {
  digest_hex(&a->sum, a->report->result_sha256);
  a->report->result_size = (int64_t)a->received;
  bool whole = f->done->size == a->received && strcmp(f->done->sha256, a->report->result_sha256) == 0;
  if (!whole) {
    crash(a, "the result arrived damaged");
    return;
  }
  if (store_result_commit(a->slot->q->store, a->job->id, a->job->attempt, a->file) == STORE_OK)
    end(a, ATTEMPT_SUCCEEDED);
  else
    crash(a, "the result could not be made durable: the disk is full or fails");
}

static void on_failed(attempt *a, const frame *f) {
  json_t *error =
      json_pack("{s:s, s:s, s:s}", "code", f->failed->code, "detail", f->failed->detail, "pointer", f->failed->pointer);
  size_t size = error ? json_dumpb(error, a->report->error, sizeof a->report->error - 1, JSON_COMPACT) : 0;
  json_decref(error);
  if (size == 0 || size >= sizeof a->report->error) {
    crash(a, "the worker's error could not be read");
    return;
  }
  a->report->error[size] = '\0';
  end(a, ATTEMPT_FAILED);
}

static void on_cancelled(attempt *a, const frame *f) {
  (void)f;
  end(a, ATTEMPT_CANCELLED);
}

static void on_frame(attempt *a, const frame *f) {
  static const struct {
    Tendril__Worker__Frame__BodyCase body;
    void (*handle)(attempt *, const frame *);
  } handlers[] = {
      {TENDRIL__WORKER__FRAME__BODY_PROGRESS, on_progress},
      {TENDRIL__WORKER__FRAME__BODY_CHUNK, on_chunk},
      {TENDRIL__WORKER__FRAME__BODY_DONE, on_done},
      {TENDRIL__WORKER__FRAME__BODY_FAILED, on_failed},
      {TENDRIL__WORKER__FRAME__BODY_CANCELLED, on_cancelled},
      {TENDRIL__WORKER__FRAME__BODY_ROWS, on_rows},
      {TENDRIL__WORKER__FRAME__BODY_CHECKPOINT, on_checkpoint},
      {TENDRIL__WORKER__FRAME__BODY_DRAINED, on_drained},
  };
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
    if (handlers[i].body == f->body_case) {
      handlers[i].handle(a, f);
      return;
    }
  crash(a, "the worker sent a message of an unknown kind");
}

// ------------------------------------------------------------------------------------------------------ conversation

static bool send_job(attempt *a, const char *model_document) {
  Tendril__Worker__Job job = TENDRIL__WORKER__JOB__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  job.id = (char *)a->job->id;
  job.attempt = (uint32_t)a->job->attempt;
  job.model = (ProtobufCBinaryData){.len = strlen(model_document), .data = (uint8_t *)model_document};
  job.job = (ProtobufCBinaryData){.len = strlen(a->job->document), .data = (uint8_t *)a->job->document};
  job.model_name = (char *)a->job->model_name;
  job.model_revision = a->job->model_revision;
  job.model_sha256 = (char *)a->job->model_sha256;
  job.resume = (ProtobufCBinaryData){.len = a->part.state_size, .data = a->part.state};
  job.resume_rows = a->part.committed;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_JOB;
  f.job = &job;
  return channel_send(a->worker.fd, &f);
}

static void send_cancel(attempt *a) {
  Tendril__Worker__Cancel cancel = TENDRIL__WORKER__CANCEL__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCEL;
  f.cancel = &cancel;
  bool sent = channel_send(a->worker.fd, &f); // a dead worker shows as the end of its stream
  (void)sent;
  a->cancel_s = clock_monotonic_s();
}

static void send_drain(attempt *a) {
  Tendril__Worker__Drain drain = TENDRIL__WORKER__DRAIN__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DRAIN;
  f.drain = &drain;
  bool sent = channel_send(a->worker.fd, &f);
  (void)sent;
  a->drain_s = clock_monotonic_s();
}

static double processor_s(const attempt *a) {
  clockid_t id;
  struct timespec used;
  if (clock_getcpuclockid(a->worker.pid, &id) != 0 || clock_gettime(id, &used) != 0) return 0;
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void renew(attempt *a) {
  a->lease_s = clock_monotonic_s() + LIMIT_LEASE_S;
  a->processor_s = processor_s(a);
}

static void on_socket(attempt *a) {
  bool open = channel_fill(&a->in, false);
  renew(a);
  for (frame *f; !a->over && (f = channel_next(&a->in));) {
    on_frame(a, f);
    tendril__worker__frame__free_unpacked(f, NULL);
  }
  if (!a->over && a->in.broken) crash(a, "the worker's messages could not be read");
  if (!a->over && !open) crash(a, "");
}

static void on_wake(attempt *a) {
  uint64_t ignored;
  ssize_t n = read(a->slot->wake_fd, &ignored, sizeof ignored);
  (void)n;
  if (slot_stopping(a->slot) && a->drain_s == 0) send_drain(a);
  if (slot_cancelled(a->slot) && a->cancel_s == 0) send_cancel(a);
}

// When the worker's patience with us, or ours with it, ends first, and what that means.
static double deadline(const attempt *a, attempt_end *means) {
  double at = a->lease_s;
  *means = ATTEMPT_CRASHED;
  if (a->drain_s > 0 && a->drain_s + LIMIT_DRAIN_S < at) at = a->drain_s + LIMIT_DRAIN_S, *means = ATTEMPT_STOPPED;
  if (a->cancel_s > 0 && a->cancel_s + CANCEL_GRACE_S < at)
    at = a->cancel_s + CANCEL_GRACE_S, *means = ATTEMPT_CANCELLED;
  return at;
}

static int patience_ms(const attempt *a) {
  attempt_end means;
  double left = deadline(a, &means) - clock_monotonic_s();
  return left > 0 ? (int)(1000 * left) + 1 : 0;
}

// Out of patience: the worker is killed by reap, unless it was computing all the time.
static void on_deadline(attempt *a) {
  attempt_end means;
  if (clock_monotonic_s() < deadline(a, &means)) return;
  if (means != ATTEMPT_CRASHED)
    end(a, means);
  else if (processor_s(a) > a->processor_s + LEASE_RENEWAL_S)
    renew(a);
  else
    crash(a, "the worker made no progress and lost its lease");
}

static void converse(attempt *a) {
  struct pollfd fds[] = {{.fd = a->worker.fd, .events = POLLIN},
                         {.fd = a->slot->wake_fd, .events = POLLIN},
                         {.fd = a->worker.pidfd, .events = POLLIN}};
  renew(a);
  if (slot_stopping(a->slot)) end(a, ATTEMPT_STOPPED); // before the worker had begun
  on_wake(a);                                          // a cancel that came before the worker did
  while (!a->over) {
    int ready = poll(fds, 3, patience_ms(a));
    if (ready == 0) on_deadline(a);
    if (ready <= 0) continue;
    // Frames before death: a worker that finished and left has its last words in the socket.
    if (fds[0].revents)
      on_socket(a);
    else if (fds[2].revents)
      crash(a, "");
    if (!a->over && fds[1].revents) on_wake(a);
  }
}

// A worker that said its last word may take a moment to leave; any other is killed. Killing one that crashed by itself
// changes nothing: waitpid reports the first cause of death.
static void reap(attempt *a) {
  char how[128];
  struct pollfd leaving = {.fd = a->worker.pidfd, .events = POLLIN};
  if (a->report->end == ATTEMPT_SUCCEEDED || a->report->end == ATTEMPT_FAILED) poll(&leaving, 1, LEAVE_GRACE_MS);
  worker_kill(&a->worker, SIGKILL);
  worker_describe(worker_reap(&a->worker), how, sizeof how);
  if (a->report->end == ATTEMPT_CRASHED && !*a->report->error)
    snprintf(a->report->error, sizeof a->report->error, "the worker was lost: %s", how);
}

static void run_worker(attempt *a, const char *model_document) {
  store *st = a->slot->q->store;
  const queue_options *options = &a->slot->q->options;
  int error = worker_spawn(a->slot->q->program, store_tmp_folder(st), options->memory_mb, a->part.fd, &a->worker);
  if (error) {
    snprintf(a->report->error, sizeof a->report->error, "the worker could not be started: %s", strerror(error));
    return;
  }
  log_write(LOG_LEVEL_INFO, "job_started", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt),
            LOG_I("pid", a->worker.pid), LOG_I("resumed_bytes", (int64_t)a->part.committed));
  digest_init(&a->sum);
  channel_init(&a->in, a->worker.fd, LIMIT_FRAME_BYTES);
  if (send_job(a, model_document)) converse(a);
  reap(a);
  channel_fini(&a->in);
}

void attempt_run(slot *s, const store_job *job, const char *model_document, attempt_report *report) {
  *report = (attempt_report){.end = ATTEMPT_CRASHED};
  attempt a = {.slot = s, .job = job, .report = report, .part = {.fd = -1}};
  store *st = s->q->store;
  a.file = store_result_create(st, job->id, job->attempt);
  if (a.file >= 0 && store_part_open(st, job->id, &a.part) == STORE_OK)
    run_worker(&a, model_document);
  else
    crash(&a, "no files for the result could be made: the disk is full or fails");
  if (a.part.committed == 0) store_part_remove(st, job->id); // rows without a checkpoint are of no use
  store_part_close(&a.part);
  if (a.file >= 0) close(a.file);
  if (report->end != ATTEMPT_SUCCEEDED) store_result_discard(st, job->id, job->attempt);
}
