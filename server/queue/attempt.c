// One attempt: the conversation with a worker process, and the file its result goes to.
//
// The thread waits on three descriptors: the socket (frames), the pidfd (death), the slot's eventfd (cancel, stop). The
// conversation ends with Done, Failed or Cancelled, or with the end of the stream, which is a crash whatever was sent
// before. The worker writes its archive to a file whose descriptor it gets with the job; it counts only when nobody can write
// to it any more, which the kernel says or the end of the worker makes sure, the size is the one it announced, and the
// file is durable. Every frame names its turn, so one that is late changes nothing but its sender's life.
//
// The worker holds a lease, renewed by every frame and, because one step may be long, by processor time that it used. A
// worker that is stopped or stuck loses it, is killed (SIGKILL reaches stopped processes) and its socket closed before the
// job is queued again, so its late frames are read by nobody; what it could still commit is fenced by (job, attempt).
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "codec/json/text.h"
#include "codec/result/result.h"
#include "queue/slot.h"
#include "tendril/dynamics.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double CANCEL_GRACE_S = 5;     // then the worker is killed
static const double YIELD_GRACE_S = 2;      // for a checkpoint to come; then the worker is stopped where it is
static const double PROGRESS_MIN_S = 0.095; // between two events: ten a second
static const double SWEEP_SHARE_S = 0.5;    // two a second for sweeps, besides those at the end of each job
static const double LEASE_RENEWAL_S = 0.05; // processor time that counts as progress

typedef Tendril__Worker__Frame frame;

typedef struct attempt {
  slot *slot;
  const store_job *job;
  slot_worker *worker;
  int file;            // for the result, written by the worker
  bool over, last;     // last: the worker takes no other job
  store_part part;     // rows and checkpoint
  double cancel_s;     // when Cancel was sent, 0: not
  double next_event_s; // before it, progress makes no event
  double next_sweep_s; // the same for the job's sweep
  double drain_s;      // when Drain was sent because the server stops, 0: not
  bool yields;         // it was sent because others wait: there is no hurry
  double park_s;       // when the worker is stopped if it has not yielded before; 0: it is not asked to
  double parked_s;     // since when it is stopped; 0: it is not
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

// What the machine lacks and the job has not caused.
static void not_begun(attempt *a, const char *what, int error) {
  snprintf(a->report->error, sizeof a->report->error, "%s: %s", what, strerror(error));
  end(a, ATTEMPT_NOT_BEGUN);
}

static void crash_of_disk(attempt *a, const char *what) {
  snprintf(a->report->error, sizeof a->report->error, "%s: the disk is full or fails", what);
  a->report->disk = true;
  end(a, ATTEMPT_CRASHED);
}

// -------------------------------------------------------------------------------------------------- frames, one each

static void on_progress(attempt *a, const frame *f) {
  queue_progress told = {f->progress->fraction, f->progress->t, f->progress->t_end, f->progress->checking};
  if (!isfinite(told.fraction) || !isfinite(told.t) || !isfinite(told.t_end)) {
    crash(a, "the worker sent progress that is no number");
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
  end(a, ATTEMPT_FAILED);
}

static void on_rows(attempt *a, const frame *f) {
  const ProtobufCBinaryData *data = &f->rows->data;
  bool fits = f->rows->offset <= LIMIT_RESULT_BYTES && data->len <= LIMIT_RESULT_BYTES - f->rows->offset;
  store_status status =
      fits ? store_part_write(a->slot->q->store, a->job->id, &a->part, f->rows->offset, data->data, data->len)
           : STORE_PRECONDITION;
  if (status == STORE_PRECONDITION)
    crash(a, "the worker sent rows that do not follow each other");
  else if (status == STORE_SHARE)
    stop_at_quota(a);
  else if (status != STORE_OK)
    crash_of_disk(a, "the samples could not be written");
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
  else if (status == STORE_OK)
    status = store_job_samples(a->slot->q->store, a->job->id, a->job->attempt, c->samples); // news, like progress
  else // the run goes on without it
    log_write(LOG_LEVEL_WARNING, "checkpoint_not_kept", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt));
}

static void on_drained(attempt *a, const frame *f) {
  (void)f;
  if (a->drain_s > 0 || a->yields)
    end(a, ATTEMPT_STOPPED);
  else
    crash(a, "the worker stopped without being asked to");
}

static void on_done(attempt *a, const frame *f) {
  a->report->result_size = (int64_t)f->done->size;
  a->last = f->done->last;
  end(a, ATTEMPT_SUCCEEDED); // if the file is what it says: check_result, attempt_keep_result
}

static void on_failed(attempt *a, const frame *f) {
  if (f->failed->disk && codec_utf8_valid(f->failed->detail, strlen(f->failed->detail))) {
    crash(a, f->failed->detail);
    a->report->disk = true;
    return;
  }
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
  if (a->cancel_s > 0)
    end(a, ATTEMPT_CANCELLED);
  else
    crash(a, "the worker stopped without being asked to");
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
      {TENDRIL__WORKER__FRAME__BODY_DRAINED, on_drained},
  };
  if (f->turn != a->worker->turn) {
    crash(a, "the worker spoke of another job");
    return;
  }
  if (f->statistics) note_statistics(a, f->statistics);
  if (f->statistics && !note_warnings(a, f->warnings)) {
    crash(a, "the worker's warnings could not be read");
    return;
  }
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
    if (handlers[i].body == f->body_case) {
      handlers[i].handle(a, f);
      return;
    }
  crash(a, "the worker sent a message of an unknown kind");
}

// The first word. Whatever comes in its place has nothing to do with the job: it is not counted.
static void on_hello(attempt *a, const frame *f) {
  const Tendril__Worker__Hello *hello = f->body_case == TENDRIL__WORKER__FRAME__BODY_HELLO ? f->hello : NULL;
  bool same = hello && hello->protocol == WORKER_PROTOCOL && strcmp(hello->version, td_version()) == 0;
  a->worker->greeted = same;
  if (same) return;
  snprintf(a->report->error, sizeof a->report->error, "the worker program is of another version than the server (%s)",
           td_version());
  end(a, ATTEMPT_NOT_BEGUN);
}

// ------------------------------------------------------------------------------------------------------ conversation

// The file for the result, and the rows of earlier attempts, which are only to be read.
static int open_files(const attempt *a, int files[CHANNEL_FILES]) {
  char path[32];
  files[0] = a->file;
  if (a->part.state_size == 0) return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", a->part.fd);
  files[1] = open(path, O_RDONLY | O_CLOEXEC);
  return files[1] >= 0 ? 2 : 0;
}

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
  job.wall_s = a->slot->q->options.wall_s;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_JOB;
  f.job = &job;
  int files[CHANNEL_FILES], count = open_files(a, files);
  f.turn = a->worker->turn;
  bool sent = count > 0 && channel_send_files(a->worker->process.fd, &f, files, count);
  if (count == 2) close(files[1]);
  return sent;
}

// It may have ended its job already, so it is told which one is meant. A dead one shows as the end of its stream.
static void tell(attempt *a, frame *f) {
  f->turn = a->worker->turn;
  (void)!channel_send(a->worker->process.fd, f);
}

static void send_cancel(attempt *a) {
  Tendril__Worker__Cancel cancel = TENDRIL__WORKER__CANCEL__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCEL;
  f.cancel = &cancel;
  tell(a, &f);
  a->cancel_s = clock_monotonic_s();
}

static void send_drain(attempt *a) {
  Tendril__Worker__Drain drain = TENDRIL__WORKER__DRAIN__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DRAIN;
  f.drain = &drain;
  tell(a, &f);
}

static void send_resumed(attempt *a, double away_s) {
  Tendril__Worker__Resumed resumed = TENDRIL__WORKER__RESUMED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  resumed.away_s = away_s;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_RESUMED;
  f.resumed = &resumed;
  tell(a, &f);
}

static double processor_s(const attempt *a) {
  clockid_t id;
  struct timespec used;
  if (clock_getcpuclockid(a->worker->process.pid, &id) != 0 || clock_gettime(id, &used) != 0) return 0;
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void renew(attempt *a) {
  a->lease_s = clock_monotonic_s() + LIMIT_LEASE_S;
  a->processor_s = processor_s(a);
}

static void on_socket(attempt *a) {
  bool open = channel_fill(&a->worker->in, false);
  renew(a);
  for (frame *f; !a->over && (f = channel_next(&a->worker->in));) {
    (a->worker->greeted ? on_frame : on_hello)(a, f);
    tendril__worker__frame__free_unpacked(f, NULL);
  }
  if (!a->over && a->worker->in.broken) crash(a, "the worker's messages could not be read");
  if (!a->over && !open) crash(a, "");
}

// There is no memory, or no place, to keep it in while others have their turn.
static void put_back(attempt *a, const char *wanted) {
  enum { REMARKS = 8 };
  static const char why[] = "stopped for jobs of others and ended, as stopped jobs had more than their share of the "
                            "server's memory or places: "
                            "it goes on from its last checkpoint";
  log_write(LOG_LEVEL_WARNING, "job_put_back", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt),
            LOG_S("for", wanted), LOG_I("bytes", (int64_t)a->slot->parked_bytes));
  if (a->job->attempt <= REMARKS)
    (void)store_job_remark(a->slot->q->store, a->job->id, a->job->attempt, "warning", why);
  end(a, ATTEMPT_STOPPED);
}

// Its worker stops wherever it is, if there is a place for it, and goes on when a slot hands its permit on.
static void park(attempt *a) {
  uint64_t bytes = worker_memory(&a->worker->process);
  a->park_s = 0;
  park_answer answer = slot_park(a->slot, bytes);
  if (answer == PARK_ENDS) put_back(a, "its own memory");
  if (answer != PARK_STOPS) return;
  worker_kill(&a->worker->process, SIGSTOP);
  a->parked_s = clock_monotonic_s();
  log_write(LOG_LEVEL_INFO, "job_parked", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt));
}

static void go_on(attempt *a) {
  double away_s = clock_monotonic_s() - a->parked_s;
  slot_leave_park(a->slot);
  a->parked_s = 0;
  if (!a->over) send_resumed(a, away_s); // whoever has had the last word has nothing to hear
  worker_kill(&a->worker->process, SIGCONT);
  renew(a);
  log_write(LOG_LEVEL_INFO, "job_goes_on", LOG_S("job", a->job->id), LOG_F("away_s", away_s));
}

static void on_wake(attempt *a) {
  uint64_t ignored;
  ssize_t n = read(a->slot->wake_fd, &ignored, sizeof ignored);
  (void)n;
  bool stops = queue_stopping(a->slot->q), cancelled = slot_cancelled(a->slot);
  if (a->parked_s > 0 && (stops || cancelled || !slot_is_parked(a->slot)))
    go_on(a);
  else if (a->parked_s > 0 && slot_is_evicted(a->slot))
    put_back(a, "that of another job");
  if (stops && a->drain_s == 0) send_drain(a), a->drain_s = clock_monotonic_s();
  if (cancelled && a->cancel_s == 0) send_cancel(a);
  if (!slot_yields(a->slot) || a->park_s > 0) return;
  if (!a->yields) send_drain(a), a->yields = true;
  a->park_s = clock_monotonic_s() + YIELD_GRACE_S;
}

// When the worker's patience with us, or ours with it, ends first, and what that means.
static double deadline(const attempt *a, attempt_end *means) {
  double at = a->parked_s > 0 ? INFINITY : a->lease_s;
  *means = ATTEMPT_CRASHED;
  if (a->drain_s > 0 && a->drain_s + LIMIT_DRAIN_S < at) at = a->drain_s + LIMIT_DRAIN_S, *means = ATTEMPT_STOPPED;
  if (a->cancel_s > 0 && a->cancel_s + CANCEL_GRACE_S < at)
    at = a->cancel_s + CANCEL_GRACE_S, *means = ATTEMPT_CANCELLED;
  return at;
}

static int patience_ms(const attempt *a) {
  attempt_end means;
  double at = deadline(a, &means), left = (a->park_s > 0 ? fmin(at, a->park_s) : at) - clock_monotonic_s();
  return left > LIMIT_LEASE_S ? 1000 * LIMIT_LEASE_S : left > 0 ? (int)(1000 * left) + 1 : 0;
}

static void lose_lease(attempt *a) {
  metrics_add(METRIC_LEASES_LOST, 0, 1);
  crash(a, "the worker made no progress and lost its lease");
}

// Out of patience: the worker is killed by reap, unless it was computing all the time.
static void on_deadline(attempt *a) {
  attempt_end means;
  double now = clock_monotonic_s();
  if (a->park_s > 0 && now >= a->park_s) park(a);
  if (now < deadline(a, &means)) return;
  if (means != ATTEMPT_CRASHED)
    end(a, means);
  else if (processor_s(a) > a->processor_s + LEASE_RENEWAL_S)
    renew(a);
  else
    lose_lease(a);
}

static void converse(attempt *a) {
  struct pollfd fds[] = {{.fd = a->worker->process.fd, .events = POLLIN},
                         {.fd = a->slot->wake_fd, .events = POLLIN},
                         {.fd = a->worker->process.pidfd, .events = POLLIN}};
  renew(a);
  if (queue_stopping(a->slot->q)) end(a, ATTEMPT_STOPPED); // before the worker had begun
  on_wake(a);                                              // a cancel that came before the worker did
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

// Nobody else has the file open for writing: the kernel grants a lease on reading only then. False also where it knows no
// leases. Our own descriptor is one to read from now on. (A lease that is broken in between would send a signal.)
static bool is_closed_by_others(attempt *a) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", a->file);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  close(a->file);
  a->file = fd;
  fcntl(fd, F_SETSIG, SIGURG); // which is ignored, unlike the usual one
  return fcntl(fd, F_SETLEASE, F_RDLCK) == 0 && fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}

static bool is_result(int fd) {
  td_error err;
  codec_result *result = codec_result_open(fd, NULL, &err);
  codec_result_close(result);
  return result != NULL;
}

static void check_result(attempt *a) {
  struct stat st;
  if (fstat(a->file, &st) != 0 || st.st_size != a->report->result_size || st.st_size > (int64_t)LIMIT_RESULT_BYTES)
    crash(a, "the result is not as large as the worker said");
  else if (!is_result(a->file))
    crash(a, "the worker wrote something else than a result");
}

// The kernel ended it in the midst of a step that lasted longer than max_wall_s and what it allows besides: it would again.
static void fail_for_time(attempt_report *r) {
  snprintf(
      r->error, sizeof r->error,
      "{\"code\":\"limit\",\"detail\":\"the job's time was up in the midst of a step\",\"pointer\":\"/max_wall_s\"}");
  r->end = ATTEMPT_FAILED;
}

// A worker that ended its job well stays for the next one; any other has time to leave if it said its last word.
static void dismiss(attempt *a) {
  char how[WORKER_WORDS_SIZE] = "";
  attempt_report *r = a->report;
  bool spoke = r->end == ATTEMPT_SUCCEEDED || (r->end == ATTEMPT_FAILED && r->told);
  bool well = r->end == ATTEMPT_SUCCEEDED && !a->last && a->cancel_s == 0 && a->drain_s == 0;
  if (spoke && a->parked_s > 0) go_on(a); // it was stopped while its last word was on the way
  if (!well || !is_closed_by_others(a)) slot_worker_end(a->slot, spoke, how);
  if (r->end == ATTEMPT_SUCCEEDED) check_result(a);
  if (r->end == ATTEMPT_CRASHED) slot_worker_end(a->slot, false, how);
  if (r->end == ATTEMPT_CRASHED && a->worker->out_of_time) fail_for_time(r);
  if (r->end == ATTEMPT_CRASHED && !*r->error) snprintf(r->error, sizeof r->error, "the worker was lost: %s", how);
}

// It ended, spoke nonsense or was silent before its first word.
static void not_the_worker(attempt *a) {
  char how[sizeof a->report->error];
  memcpy(how, a->report->error, sizeof how);
  snprintf(a->report->error, sizeof a->report->error, "the worker program %.200s cannot be used: %.300s",
           a->slot->q->program, how);
  a->report->end = ATTEMPT_NOT_BEGUN;
}

static void run_worker(attempt *a, const char *model_document) {
  int error = model_document && a->job->document ? slot_worker_get(a->slot) : ENOMEM;
  if (error) {
    not_begun(a, "the worker could not be started", error);
    return;
  }
  metrics_add(METRIC_WORKER_RESTARTS, 0, a->job->attempt > 1);
  log_write(LOG_LEVEL_INFO, "job_started", LOG_S("job", a->job->id), LOG_I("attempt", a->job->attempt),
            LOG_I("pid", a->worker->process.pid), LOG_I("resumed_bytes", (int64_t)a->part.committed));
  if (send_job(a, model_document))
    converse(a);
  else
    on_socket(a); // it may have said what it is before it was lost
  dismiss(a);
  if (a->report->end == ATTEMPT_CRASHED && !a->worker->greeted) not_the_worker(a);
}

static bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN; }

void attempt_run(slot *s, const store_job *job, const char *model_document, attempt_report *report) {
  *report = (attempt_report){.end = ATTEMPT_CRASHED, .file = -1};
  attempt a = {.slot = s, .job = job, .worker = &s->worker, .report = report, .part = {.fd = -1}};
  store *st = s->q->store;
  errno = 0;
  a.file = store_result_create(st, job->id, job->attempt);
  if (a.file >= 0 && store_part_open(st, job->id, job->owner, &a.part) == STORE_OK)
    run_worker(&a, model_document);
  else if (is_shortage(errno))
    not_begun(&a, "no files for the result could be made", errno);
  else
    crash_of_disk(&a, "no files for the result could be made");
  report->parts = a.part.fd >= 0;
  if (report->parts && a.part.committed == 0)
    store_part_remove(st, job->id, job->owner); // rows without a checkpoint are of no use
  store_part_close(&a.part);
  if (report->end == ATTEMPT_SUCCEEDED) {
    report->file = a.file;
    return;
  }
  if (a.file >= 0) close(a.file);
  store_result_discard(st, job->id, job->attempt);
}
