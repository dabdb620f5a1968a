// A worker under a server: one job in, one result out, over the socket it was born with, again until that closes.
//
// The archive is written to a file whose descriptor comes with the job, so the worker knows no name inside the data
// folder; it is closed before Done is said, and the server looks whether it is. Nothing of a job remains for the next
// one. The worker dies with its server (PDEATHSIG, checked again after it is set, because the server may have died
// before), and it stops when the socket closes. Cancel is looked for at the progress interval: what the server says of
// a job may come after its end, and is then ignored.
#include "worker/served.h"
#include "api/c/nameless_file.h"
#include "base/clock.h"
#include "base/limits.h"
#include "codec/wire/warnings.h"
#include "worker/channel.h"
#include "worker/confine.h"
#include "worker/execute/execute.h"
#include "worker/spawn.h"

#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_LIMIT_MEMORY = 0 }; // shadow memory takes terabytes of address space
#else
enum { CAN_LIMIT_MEMORY = 1 };
#endif

enum { EXIT_NO_JOB = 3, EXIT_NO_SERVER = 4 };
// A process that had as many jobs, or grew by more bytes than OpenBLAS takes once (128 MiB) and a heap that is kept,
// takes no other job.
enum { JOBS_MAX = 1000, GROWTH_MAX = 256 << 20 };
enum { PROCESSOR_SLACK_S = 5 };
enum { HEAP_CHUNK = 4 << 20, HEAP_KEPT = 32 << 20 };
static const double KEEP_INTERVAL_S = 1;
static const double SHOWN_LEAST_S = 1, SHOWN_MOST_S = 30, SHOWN_SHARE = 0.1; // between two glances

typedef Tendril__Worker__Frame frame;

typedef struct server_link {
  channel in;
  int memory_mb;      // that a job may take, 0: any
  int64_t born_bytes; // address space before the first job
  int64_t held_bytes; // by how much it has grown since
  uint64_t turn;      // jobs before this one
  bool cancelled, gone, draining, drained, disk_failed;
  td_run_statistics statistics;
  char *warnings;          // JSON text, NULL: none
  double away_s;           // that the process was stopped while others had their turn
  double kept_s;           // when the last checkpoint was sent, or the job began
  double began_s, shown_s; // when the job began, and its rows were shown last
} server_link;

// Slurm, and whoever stops a whole group of processes, sends its signal to workers, too: what becomes of their jobs is for
// the server to say, which got it as well. A worker that ended by it would count as one that crashed.
static void leave_signals_to_the_server(void) {
  static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], SIG_IGN);
}

static bool bind_to_parent(int parent_pid) { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent_pid; }

// Bytes of address space; 0 when it cannot be told. The file stays open: a confined worker opens no other.
static int64_t address_space(void) {
  static int fd = -1;
  char text[64] = "";
  if (fd < 0) fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : 0;
  return n > 0 ? strtoll(text, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
}

static int64_t growth(const server_link *l) {
  int64_t bytes = CAN_LIMIT_MEMORY ? address_space() - l->born_bytes : 0;
  return bytes > 0 ? bytes : 0;
}

// What the process has of itself and holds from earlier jobs is not counted, so every job may take as much as the first
// one.
static void limit_memory(const server_link *l) {
  if (!CAN_LIMIT_MEMORY || l->memory_mb <= 0) return;
  rlim_t bytes = (rlim_t)l->memory_mb << 20;
  bytes += (rlim_t)l->born_bytes;
  struct rlimit limit = {.rlim_cur = bytes + (rlim_t)l->held_bytes, .rlim_max = bytes + GROWTH_MAX};
  setrlimit(RLIMIT_AS, &limit); // best effort: the server survives without it
}

// One step or problem may be so long that the job is never asked whether its time is up: then the kernel ends the
// process. A bound that was none before can be given: only the soft limit moves.
static void limit_processor(double wall_s) {
  struct rlimit limit;
  double cores = (double)sysconf(_SC_NPROCESSORS_ONLN), used = (double)clock() / CLOCKS_PER_SEC;
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = wall_s > 0 ? (rlim_t)(used + wall_s * cores + PROCESSOR_SLACK_S) : limit.rlim_max;
  setrlimit(RLIMIT_CPU, &limit);
}

static void on_bounded(void *context, double wall_s) {
  (void)context;
  limit_processor(wall_s);
}

static bool worn(server_link *l) {
  l->held_bytes = growth(l);
  if (l->held_bytes > GROWTH_MAX) {
    malloc_trim(0);
    l->held_bytes = growth(l);
  }
  return l->held_bytes > GROWTH_MAX || l->turn + 1 >= JOBS_MAX;
}

// It speaks of a job that had ended when it came: the server could not know.
static bool is_late(const server_link *l, const frame *f) {
  return f->turn < l->turn && f->body_case != TENDRIL__WORKER__FRAME__BODY_JOB;
}

// NULL at the end of the stream, and when it broke.
static frame *receive(server_link *l) {
  frame *f = NULL;
  while (!(f = channel_next(&l->in)))
    if (l->in.broken || !channel_fill(&l->in, true)) return NULL;
  return f;
}

// The next job with its file. NULL at the end of the stream, and when something else comes (*nonsense).
static frame *receive_job(server_link *l, bool *nonsense) {
  frame *f = receive(l);
  for (; f && is_late(l, f); f = receive(l)) tendril__worker__frame__free_unpacked(f, NULL);
  *nonsense = f || l->in.broken;
  if (!f) return NULL;
  bool is_job = f->body_case == TENDRIL__WORKER__FRAME__BODY_JOB && f->turn == l->turn;
  if (is_job && l->in.file_count == (f->job->resume.len ? 2 : 1)) return *nonsense = false, f;
  tendril__worker__frame__free_unpacked(f, NULL);
  return NULL;
}

static bool say(const server_link *l, frame *f) {
  f->turn = l->turn;
  return channel_send(l->in.fd, f);
}

static void look_for_cancel(server_link *l) {
  l->gone = l->gone || !channel_fill(&l->in, false);
  for (frame *f; (f = channel_next(&l->in));) {
    bool now = f->turn == l->turn;
    l->cancelled = l->cancelled || (now && f->body_case == TENDRIL__WORKER__FRAME__BODY_CANCEL);
    l->draining = l->draining || (now && f->body_case == TENDRIL__WORKER__FRAME__BODY_DRAIN);
    if (now && f->body_case == TENDRIL__WORKER__FRAME__BODY_RESUMED) l->away_s += f->resumed->away_s;
    tendril__worker__frame__free_unpacked(f, NULL);
  }
}

static bool on_progress(void *context, const execute_progress *now) {
  server_link *l = context;
  Tendril__Worker__Progress progress = TENDRIL__WORKER__PROGRESS__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  progress.fraction = now->fraction;
  progress.t = now->t;
  progress.t_end = now->t_end;
  progress.checking = now->checking;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_PROGRESS;
  f.progress = &progress;
  l->gone = l->gone || !say(l, &f);
  look_for_cancel(l);
  return !l->cancelled && !l->gone;
}

static void on_finished(void *context, const td_run_statistics *statistics, const td_warnings *warnings) {
  server_link *l = context;
  l->statistics = *statistics;
  l->warnings = codec_warnings_text(warnings);
}

static double away_s(void *context) { return ((server_link *)context)->away_s; }

static void on_disk_failed(void *context) { ((server_link *)context)->disk_failed = true; }

// Durability costs the server some fsyncs: not more than one checkpoint a second is kept, and the one to stop at.
static bool wants_checkpoint(void *context) {
  server_link *l = context;
  return l->draining || clock_monotonic_s() - l->kept_s >= KEEP_INTERVAL_S;
}

// Soon after the beginning, when nobody knows anything yet; then ever more rarely, as curves grow slower to the eye.
static bool wants_glance(void *context) {
  const server_link *l = context;
  double now = clock_monotonic_s();
  return now - l->shown_s >= fmin(fmax(SHOWN_SHARE * (now - l->began_s), SHOWN_LEAST_S), SHOWN_MOST_S);
}

// Not where another attempt goes on from the last checkpoint, or nobody hears.
static bool wants_rest(void *context) {
  const server_link *l = context;
  return !l->gone && !l->drained;
}

static bool on_rows(void *context, uint64_t offset, const void *bytes, size_t size) {
  server_link *l = context;
  Tendril__Worker__Rows rows = TENDRIL__WORKER__ROWS__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  rows.offset = offset;
  rows.data = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)bytes};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_ROWS;
  f.rows = &rows;
  l->gone = l->gone || !say(l, &f);
  return !l->gone;
}

static bool on_checkpoint(void *context, uint64_t samples, uint64_t covered, const void *state, size_t size) {
  server_link *l = context;
  Tendril__Worker__Checkpoint checkpoint = TENDRIL__WORKER__CHECKPOINT__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  checkpoint.samples = samples;
  checkpoint.rows = covered;
  checkpoint.state = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)state};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CHECKPOINT;
  f.checkpoint = &checkpoint;
  l->gone = l->gone || !say(l, &f);
  l->kept_s = clock_monotonic_s();
  l->drained = l->draining;
  return !l->gone && !l->drained;
}

static bool on_glance(void *context, uint64_t samples, uint64_t covered, const void *state, size_t size) {
  server_link *l = context;
  Tendril__Worker__Glance glance = TENDRIL__WORKER__GLANCE__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  glance.samples = samples;
  glance.rows = covered;
  glance.state = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)state};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_GLANCE;
  f.glance = &glance;
  l->gone = l->gone || !say(l, &f);
  l->shown_s = clock_monotonic_s();
  return !l->gone;
}

// The first word, before any job: what goes wrong until then has nothing to do with one.
static bool say_hello(const server_link *l) {
  Tendril__Worker__Hello hello = TENDRIL__WORKER__HELLO__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  hello.protocol = WORKER_PROTOCOL;
  hello.version = (char *)td_version();
  f.body_case = TENDRIL__WORKER__FRAME__BODY_HELLO;
  f.hello = &hello;
  return say(l, &f);
}

// The last word about a job, with what its solver did and what was odd.
static bool say_last(const server_link *l, frame *f) {
  const td_run_statistics *s = &l->statistics;
  Tendril__Worker__Statistics statistics = TENDRIL__WORKER__STATISTICS__INIT;
  statistics.steps = s->steps;
  statistics.rejected = s->rejected;
  statistics.evaluations = s->evaluations;
  statistics.jacobians = s->jacobians;
  statistics.factorisations = s->factorisations;
  statistics.newton_iterations = s->newton_iterations;
  statistics.nonlinear_failures = s->nonlinear_failures;
  f->statistics = &statistics;
  if (l->warnings) f->warnings = l->warnings;
  return say(l, f);
}

static bool send_done(server_link *l, uint64_t size) {
  Tendril__Worker__Done done = TENDRIL__WORKER__DONE__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  done.size = size;
  done.last = worn(l);
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DONE;
  f.done = &done;
  return say_last(l, &f);
}

static bool send_failed(const server_link *l, td_error *err, bool disk) {
  Tendril__Worker__Failed failed = TENDRIL__WORKER__FAILED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  failed.code = (char *)td_status_name(err->status);
  failed.detail = err->message;
  failed.pointer = err->pointer;
  failed.disk = disk;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_FAILED;
  f.failed = &failed;
  return say_last(l, &f);
}

static bool send_cancelled(const server_link *l) {
  Tendril__Worker__Cancelled cancelled = TENDRIL__WORKER__CANCELLED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCELLED;
  f.cancelled = &cancelled;
  return say_last(l, &f);
}

static bool send_drained(const server_link *l) {
  Tendril__Worker__Drained drained = TENDRIL__WORKER__DRAINED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DRAINED;
  f.drained = &drained;
  return say_last(l, &f);
}

static bool send_end(server_link *l, td_status status, uint64_t size, td_error *err) {
  if (status == TD_OK) return send_done(l, size);
  if (status != TD_CANCELLED) return send_failed(l, err, l->disk_failed);
  return l->drained ? send_drained(l) : send_cancelled(l);
}

static td_status execute(server_link *l, const Tendril__Worker__Job *job, uint64_t *size, td_error *err) {
  execute_request request = {.model = (const char *)job->model.data,
                             .model_size = job->model.len,
                             .job = (const char *)job->job.data,
                             .job_size = job->job.len,
                             .model_name = job->model_name,
                             .model_revision = job->model_revision,
                             .model_sha256 = job->model_sha256,
                             .attempt = (int)job->attempt,
                             .resume = job->resume.len ? job->resume.data : NULL,
                             .resume_size = job->resume.len,
                             .resume_fd = job->resume.len ? l->in.files[1] : -1,
                             .resume_rows = job->resume_rows,
                             .wall_s = job->wall_s};
  execute_observer observer = {.context = l,
                               .progress = on_progress,
                               .finished = on_finished,
                               .away_s = away_s,
                               .bounded = on_bounded,
                               .disk_failed = on_disk_failed,
                               .wants_checkpoint = wants_checkpoint,
                               .wants_rest = wants_rest,
                               .rows = on_rows,
                               .checkpoint = on_checkpoint,
                               .wants_glance = wants_glance,
                               .glance = on_glance};
  return execute_job(&request, &observer, l->in.files[0], size, err);
}

static void name_the_limit(const server_link *l, td_error *err) {
  size_t length = strlen(err->message);
  if (CAN_LIMIT_MEMORY && l->memory_mb > 0)
    snprintf(err->message + length, sizeof err->message - length, " (a job may take %d MiB: worker-memory)",
             l->memory_mb);
}

// Takes the job's frame; everything that the job held is given back before its end is said.
static bool work(server_link *l, frame *f) {
  td_error err = {.status = TD_OK};
  uint64_t size = 0;
  l->cancelled = l->gone = l->draining = l->drained = l->disk_failed = false;
  l->kept_s = l->began_s = l->shown_s = clock_monotonic_s();
  l->away_s = 0;
  limit_memory(l);
  limit_processor(0);
  td_status status = execute(l, f->job, &size, &err);
  if (status == TD_NO_MEMORY) name_the_limit(l, &err);
  tendril__worker__frame__free_unpacked(f, NULL);
  channel_close_files(&l->in);
  bool sent = send_end(l, status, size, &err);
  free(l->warnings);
  l->warnings = NULL;
  l->turn++;
  return sent;
}

int worker_serve(int parent_pid, int memory_mb, int nice) {
  if (!bind_to_parent(parent_pid)) return EXIT_NO_SERVER;
  leave_signals_to_the_server();
  mallopt(M_MMAP_THRESHOLD, HEAP_CHUNK); // what one job gives back is there for the next one
  mallopt(M_TRIM_THRESHOLD, HEAP_KEPT);
  td_prepare();
  server_link l = {.memory_mb = memory_mb, .born_bytes = address_space()};
  bool nonsense = false, sent;
  json_object_seed(0); // reads the random device
  tzset();
  worker_confine(nameless_folder(), nice);
  channel_init(&l.in, WORKER_SOCKET, LIMIT_FRAME_BYTES);
  l.in.takes_files = true;
  sent = say_hello(&l);
  for (frame *f; sent && (f = receive_job(&l, &nonsense));) sent = work(&l, f);
  channel_fini(&l.in);
  return nonsense ? EXIT_NO_JOB : sent ? 0 : EXIT_NO_SERVER;
}
