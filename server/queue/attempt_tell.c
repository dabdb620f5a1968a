// What a worker is told: its job, and then that it is to stop, to make room, or for how long it was stopped.
#include "queue/attempt.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef Tendril__Worker__Frame frame;

// The file for the result, and the rows of earlier attempts, which are only to be read.
static int open_files(const attempt *a, int files[CHANNEL_FILES]) {
  char path[32];
  files[0] = a->file;
  if (a->part.state_size == 0) return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", a->part.fd);
  files[1] = open(path, O_RDONLY | O_CLOEXEC);
  return files[1] >= 0 ? 2 : 0;
}

bool attempt_send_job(attempt *a, const char *model_document) {
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

void attempt_send_cancel(attempt *a) {
  Tendril__Worker__Cancel cancel = TENDRIL__WORKER__CANCEL__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCEL;
  f.cancel = &cancel;
  tell(a, &f);
}

void attempt_send_drain(attempt *a) {
  Tendril__Worker__Drain drain = TENDRIL__WORKER__DRAIN__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_DRAIN;
  f.drain = &drain;
  tell(a, &f);
}

void attempt_send_resumed(attempt *a, double away_s) {
  Tendril__Worker__Resumed resumed = TENDRIL__WORKER__RESUMED__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  resumed.away_s = away_s;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_RESUMED;
  f.resumed = &resumed;
  tell(a, &f);
}
