// One attempt: the conversation with a worker process, and the file its result goes to.
//
// The thread waits on three descriptors: the socket (frames), the pidfd (death), the slot's eventfd (cancel, stop). The
// conversation ends with Done, Failed or Cancelled, or with the end of the stream, which is a crash whatever was sent
// before. The worker writes its archive to a file whose descriptor it gets with the job; it counts only when nobody can
// write to it any more, which the kernel says or the end of the worker makes sure, the size is the one it announced,
// and the file is durable. Every frame names its turn, so one that is late changes nothing but its sender's life.
//
// The worker holds a lease, renewed by every frame and, because one step may be long, by processor time that it used. A
// worker that is stopped or stuck loses it, is killed (SIGKILL reaches stopped processes) and its socket closed before
// the job is queued again, so its late frames are read by nobody; what it could still commit is fenced by (job,
// attempt).
#include "queue/attempt.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "codec/result/result.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double CANCEL_GRACE_S = 5;     // then the worker is killed, if it had time to compute meanwhile:
static const double CANCEL_PROCESSOR_S = 2; // so much, on a busy machine
static const double YIELD_GRACE_S = 2;      // for a checkpoint to come; then the worker is stopped where it is
static const double LEASE_RENEWAL_S = 0.05; // processor time that counts as progress

// What the machine lacks and the job has not caused.
static void not_begun(attempt *a, const char *what, int error) {
  snprintf(a->report->error, sizeof a->report->error, "%s: %s", what, strerror(error));
  attempt_end_as(a, ATTEMPT_NOT_BEGUN);
}

static double processor_s(const attempt *a) {
  clockid_t id;
  struct timespec used;
  if (clock_getcpuclockid(a->worker->process.pid, &id) != 0 || clock_gettime(id, &used) != 0) return 0;
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void renew_from(attempt *a, bool anew) {
  slot_moment now = {clock_monotonic_s(), processor_s(a)};
  a->lease_s = now.at_s + LIMIT_LEASE_S;
  a->processor_s = now.processor_s;
  slot_note_processor(a->slot, now, anew);
}

static void renew(attempt *a) { renew_from(a, false); }

static void on_socket(attempt *a) {
  bool open = channel_fill(&a->worker->in, false);
  renew(a);
  for (Tendril__Worker__Frame *f; !a->over && (f = channel_next(&a->worker->in));) {
    attempt_hear(a, f);
    tendril__worker__frame__free_unpacked(f, NULL);
  }
  if (!a->over && a->worker->in.broken) attempt_crash(a, "the worker's messages could not be read");
  if (!a->over && !open) attempt_crash(a, "");
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
  attempt_end_as(a, ATTEMPT_STOPPED);
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
  assert(a->parked_s > 0);
  double away_s = clock_monotonic_s() - a->parked_s;
  slot_leave_park(a->slot);
  a->parked_s = 0;
  if (!a->over) attempt_send_resumed(a, away_s); // whoever has had the last word has nothing to hear
  worker_kill(&a->worker->process, SIGCONT);
  renew_from(a, true);
  log_write(LOG_LEVEL_INFO, "job_goes_on", LOG_S("job", a->job->id), LOG_F("away_s", away_s));
}

static void on_wake(attempt *a) {
  uint64_t ignored;
  ssize_t n = read(a->slot->wake_fd, &ignored, sizeof ignored);
  (void)n;
  bool stops = queue_stopping(a->slot->q), cancelled = slot_cancelled(a->slot);
  if (slot_lost(a->slot)) {
    attempt_end_as(a, ATTEMPT_STOPPED);
    return;
  }
  if (a->parked_s > 0 && (stops || cancelled || !slot_is_parked(a->slot)))
    go_on(a);
  else if (a->parked_s > 0 && slot_is_evicted(a->slot))
    put_back(a, "that of another job");
  if (stops && a->drain_s == 0) attempt_send_drain(a), a->drain_s = clock_monotonic_s();
  if (cancelled && a->cancel_s == 0) {
    attempt_send_cancel(a);
    a->cancel_s = clock_monotonic_s();
    a->cancel_processor_s = processor_s(a);
  }
  if (!slot_yields(a->slot) || a->park_s > 0) return;
  if (!a->yields) attempt_send_drain(a), a->yields = true;
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
  attempt_crash(a, "the worker made no progress and lost its lease");
}

// Out of patience: the worker is killed by reap, unless it was computing all the time.
static void on_deadline(attempt *a) {
  attempt_end means;
  double now = clock_monotonic_s();
  if (a->park_s > 0 && now >= a->park_s) park(a);
  if (now < deadline(a, &means)) return;
  if (means == ATTEMPT_CANCELLED && processor_s(a) < a->cancel_processor_s + CANCEL_PROCESSOR_S && now < a->lease_s)
    a->cancel_s = now - CANCEL_GRACE_S + 1; // it waits for a processor: it is asked again in a second
  else if (means != ATTEMPT_CRASHED)
    attempt_end_as(a, means);
  else if (processor_s(a) > a->processor_s + LEASE_RENEWAL_S)
    renew(a);
  else
    lose_lease(a);
}

static void converse(attempt *a) {
  struct pollfd fds[] = {{.fd = a->worker->process.fd, .events = POLLIN},
                         {.fd = a->slot->wake_fd, .events = POLLIN},
                         {.fd = a->worker->process.pidfd, .events = POLLIN}};
  renew_from(a, true);
  if (queue_stopping(a->slot->q)) attempt_end_as(a, ATTEMPT_STOPPED); // before the worker had begun
  on_wake(a);                                                         // a cancel that came before the worker did
  while (!a->over) {
    int ready = poll(fds, 3, patience_ms(a));
    if (ready == 0) on_deadline(a);
    if (ready <= 0) continue;
    // Frames before death: a worker that finished and left has its last words in the socket.
    if (fds[0].revents)
      on_socket(a);
    else if (fds[2].revents)
      attempt_crash(a, "");
    if (!a->over && fds[1].revents) on_wake(a);
  }
  assert(a->over);
}

// Nobody else has the file open for writing: the kernel grants a lease on reading only then. False also where it knows
// no leases. Our own descriptor is one to read from now on. (A lease that is broken in between would send a signal.)
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
    attempt_crash(a, "the result is not as large as the worker said");
  else if (!is_result(a->file))
    attempt_crash(a, "the worker wrote something else than a result");
}

// The kernel ended it in the midst of a step that lasted longer than max_wall_s and what it allows besides: it would
// again.
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
  if (attempt_send_job(a, model_document))
    converse(a);
  else
    on_socket(a); // it may have said what it is before it was lost
  dismiss(a);
  if (a->report->end == ATTEMPT_CRASHED && !a->worker->greeted) not_the_worker(a);
}

// What a job has shown is kept when it ends for good without a word of its own: cancelled or out of time in the midst of
// a step.
static void keep_glance(attempt *a) {
  store *st = a->slot->q->store;
  const slot_glance *g = &a->slot->glance; // only this thread changes it
  bool over = a->report->end == ATTEMPT_CANCELLED || a->report->end == ATTEMPT_FAILED || slot_cancelled(a->slot);
  bool kept = over && g->state && g->rows > a->part.committed &&
              store_part_write(st, a->job->id, &a->part, g->rows, "", 0) == STORE_OK &&
              store_part_commit(st, a->job->id, a->job->attempt, &a->part, g->state, g->size) == STORE_OK;
  if (over && g->state && !kept) log_write(LOG_LEVEL_WARNING, "rows_not_kept", LOG_S("job", a->job->id));
  slot_end_glance(a->slot);
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
    attempt_crash_of_disk(&a, "no files for the result could be made");
  keep_glance(&a);
  report->parts = a.part.fd >= 0;
  if (report->parts && a.part.committed == 0)
    store_part_remove(st, job->id, job->owner); // rows without a checkpoint are of no use
  store_part_leave(st, &a.part);
  store_part_close(&a.part);
  if (report->end == ATTEMPT_SUCCEEDED) {
    report->file = a.file;
    return;
  }
  if (a.file >= 0) close(a.file);
  store_result_discard(st, job->id, job->attempt);
}
