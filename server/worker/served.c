// A worker under a server: one job in, one result out, over the socket it was born with.
//
// The archive is made in an unlinked temporary file and sent in chunks, so the worker knows no name inside the data
// folder. It dies with its server (PDEATHSIG, checked again after it is set, because the server may have died before),
// and it stops when the socket closes. Cancel is looked for at the progress interval.
#include "worker/served.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/limits.h"
#include "worker/channel.h"
#include "worker/run.h"
#include "worker/spawn.h"
#include "worker/spool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_LIMIT_MEMORY = 0 }; // shadow memory takes terabytes of address space
#else
enum { CAN_LIMIT_MEMORY = 1 };
#endif

enum { EXIT_NO_JOB = 3, EXIT_NO_SERVER = 4 };
static const double KEEP_INTERVAL_S = 1;

typedef Tendril__Worker__Frame frame;

typedef struct server_link {
  channel in;
  bool cancelled, gone, draining, drained;
  double kept_s; // when the last checkpoint was sent, or the job began
} server_link;

static bool bind_to_parent(int parent_pid) { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent_pid; }

static void limit_memory(int memory_mb) {
  if (!CAN_LIMIT_MEMORY || memory_mb <= 0) return;
  struct rlimit limit = {.rlim_cur = (rlim_t)memory_mb << 20, .rlim_max = (rlim_t)memory_mb << 20};
  setrlimit(RLIMIT_AS, &limit); // best effort: the server survives without it
}

static frame *receive_job(channel *in) {
  frame *f = NULL;
  while (!(f = channel_next(in)))
    if (in->broken || !channel_fill(in, true)) return NULL;
  if (f->body_case == TENDRIL__WORKER__FRAME__BODY_JOB) return f;
  tendril__worker__frame__free_unpacked(f, NULL);
  return NULL;
}

static void look_for_cancel(server_link *l) {
  l->gone = l->gone || !channel_fill(&l->in, false);
  for (frame *f; (f = channel_next(&l->in));) {
    l->cancelled = l->cancelled || f->body_case == TENDRIL__WORKER__FRAME__BODY_CANCEL;
    l->draining = l->draining || f->body_case == TENDRIL__WORKER__FRAME__BODY_DRAIN;
    tendril__worker__frame__free_unpacked(f, NULL);
  }
}

static bool on_progress(void *context, double fraction, double t, double t_end) {
  server_link *l = context;
  Tendril__Worker__Progress progress = TENDRIL__WORKER__PROGRESS__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  progress.fraction = fraction;
  progress.t = t;
  progress.t_end = t_end;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_PROGRESS;
  f.progress = &progress;
  l->gone = l->gone || !channel_send(l->in.fd, &f);
  look_for_cancel(l);
  return !l->cancelled && !l->gone;
}

// Durability costs the server some fsyncs: not more than one checkpoint a second is kept, and the one to stop at.
static bool wants_checkpoint(void *context) {
  server_link *l = context;
  return l->draining || clock_monotonic_s() - l->kept_s >= KEEP_INTERVAL_S;
}

static bool on_rows(void *context, uint64_t offset, const void *bytes, size_t size) {
  server_link *l = context;
  Tendril__Worker__Rows rows = TENDRIL__WORKER__ROWS__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  rows.offset = offset;
  rows.data = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)bytes};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_ROWS;
  f.rows = &rows;
  l->gone = l->gone || !channel_send(l->in.fd, &f);
  return !l->gone;
}

static bool on_checkpoint(void *context, uint64_t covered, const void *state, size_t size) {
  server_link *l = context;
  Tendril__Worker__Checkpoint checkpoint = TENDRIL__WORKER__CHECKPOINT__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  checkpoint.rows = covered;
  checkpoint.state = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)state};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CHECKPOINT;
  f.checkpoint = &checkpoint;
  l->gone = l->gone || !channel_send(l->in.fd, &f);
  l->kept_s = clock_monotonic_s();
  l->drained = l->draining;
  return !l->gone && !l->drained;
}

static bool send_chunk(int fd, void *bytes, size_t size) {
  Tendril__Worker__Chunk chunk = TENDRIL__WORKER__CHUNK__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  chunk.data = (ProtobufCBinaryData){.len = size, .data = bytes};
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CHUNK;
  f.chunk = &chunk;
  return channel_send(fd, &f);
}

static bool send_done(int fd, uint64_t size, char *sha256) {
  Tendril__Worker__Done done = TENDRIL__WORKER__DONE__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  done.size = size;
  done.sha256 = sha256;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DONE;
  f.done = &done;
  return channel_send(fd, &f);
}

static bool send_failed(int fd, td_error *err) {
  Tendril__Worker__Failed failed = TENDRIL__WORKER__FAILED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  failed.code = (char *)td_status_name(err->status);
  failed.detail = err->message;
  failed.pointer = err->pointer;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_FAILED;
  f.failed = &failed;
  return channel_send(fd, &f);
}

static bool send_cancelled(int fd) {
  Tendril__Worker__Cancelled cancelled = TENDRIL__WORKER__CANCELLED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCELLED;
  f.cancelled = &cancelled;
  return channel_send(fd, &f);
}

static bool send_drained(int fd) {
  Tendril__Worker__Drained drained = TENDRIL__WORKER__DRAINED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DRAINED;
  f.drained = &drained;
  return channel_send(fd, &f);
}

static bool send_archive(int socket, int archive, uint64_t size) {
  unsigned char *bytes = malloc(LIMIT_RESULT_CHUNK);
  digest d;
  digest_init(&d);
  bool sent = bytes != NULL;
  for (uint64_t offset = 0; sent && offset < size;) {
    ssize_t n = pread(archive, bytes, LIMIT_RESULT_CHUNK, (off_t)offset);
    sent = n > 0 && send_chunk(socket, bytes, (size_t)n);
    if (!sent) break;
    digest_update(&d, bytes, (size_t)n);
    offset += (uint64_t)n;
  }
  free(bytes);
  char sha256[DIGEST_HEX_SIZE];
  digest_hex(&d, sha256);
  return sent && send_done(socket, size, sha256);
}

static bool send_end(server_link *l, td_status status, int archive, uint64_t size, td_error *err) {
  if (status == TD_OK) return send_archive(l->in.fd, archive, size);
  if (status != TD_CANCELLED) return send_failed(l->in.fd, err);
  return l->drained ? send_drained(l->in.fd) : send_cancelled(l->in.fd);
}

static bool work(server_link *l, const Tendril__Worker__Job *job) {
  run_request request = {.model = (const char *)job->model.data,
                         .model_size = job->model.len,
                         .job = (const char *)job->job.data,
                         .job_size = job->job.len,
                         .model_name = job->model_name,
                         .model_revision = job->model_revision,
                         .model_sha256 = job->model_sha256,
                         .attempt = (int)job->attempt,
                         .resume = job->resume.len ? job->resume.data : NULL,
                         .resume_size = job->resume.len,
                         .resume_fd = WORKER_ROWS,
                         .resume_rows = job->resume_rows};
  run_observer observer = {.context = l,
                           .progress = on_progress,
                           .wants_checkpoint = wants_checkpoint,
                           .rows = on_rows,
                           .checkpoint = on_checkpoint};
  td_error err = {.status = TD_OK};
  uint64_t size = 0;
  int archive = spool_file();
  td_status status = archive < 0 ? td_fail(&err, TD_LIMIT, "", "no temporary file can be made in the data folder")
                                 : run_job(&request, &observer, archive, &size, &err);
  bool sent = send_end(l, status, archive, size, &err);
  if (archive >= 0) close(archive);
  return sent;
}

int worker_serve(int parent_pid, int memory_mb) {
  if (!bind_to_parent(parent_pid)) return EXIT_NO_SERVER;
  limit_memory(memory_mb);
  server_link l = {.kept_s = clock_monotonic_s()};
  channel_init(&l.in, WORKER_SOCKET, LIMIT_FRAME_BYTES);
  frame *f = receive_job(&l.in);
  bool sent = f && work(&l, f->job);
  int code = !f ? EXIT_NO_JOB : sent ? 0 : EXIT_NO_SERVER;
  if (f) tendril__worker__frame__free_unpacked(f, NULL);
  channel_fini(&l.in);
  return code;
}
