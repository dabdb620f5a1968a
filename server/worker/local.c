// `tendril-worker --local MODEL JOB -o OUT`: one job without a server, with the same code and the same archive.
//
// MODEL "-" takes the job's inline model. The archive is written beside OUT and renamed, so OUT is whole or absent.
// Progress goes to stderr when that is a terminal. Exit: 0 done, 1 the job failed, 2 usage or documents.
#include "base/digest.h"
#include "base/limits.h"
#include "worker/run.h"
#include "worker/served.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, JOB_DID_FAIL = 1, BAD_USAGE = 2, PATH_SIZE = 4096 };

static char *read_file(const char *path, size_t *size) {
  FILE *file = strcmp(path, "/dev/stdin") == 0 ? stdin : fopen(path, "rbe");
  char *bytes = file ? malloc(LIMIT_BODY_BYTES + 1) : NULL;
  *size = bytes ? fread(bytes, 1, LIMIT_BODY_BYTES + 1, file) : 0;
  bool whole = bytes && !ferror(file) && *size <= LIMIT_BODY_BYTES;
  if (!whole) {
    const char *reason = bytes && *size > LIMIT_BODY_BYTES ? "larger than 64 MiB" : strerror(errno);
    fprintf(stderr, "tendril-worker: cannot read %s: %s\n", path, reason);
    free(bytes);
    bytes = NULL;
  }
  if (file && file != stdin) fclose(file);
  return bytes;
}

static bool on_progress(void *context, double fraction, double t, double t_end) {
  if (*(const bool *)context) fprintf(stderr, "\r%5.1f %%  %g of %g ", 100 * fraction, t, t_end);
  return true;
}

static int report(const td_error *err) {
  fprintf(stderr, "tendril-worker: %s: %s%s%s\n", td_status_name(err->status), err->message,
          *err->pointer ? " at " : "", err->pointer);
  return err->status == TD_INVALID_ARGUMENT || err->status == TD_UNSUPPORTED ? BAD_USAGE : JOB_DID_FAIL;
}

static int run_to(const run_request *request, const char *out_path) {
  char path[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s.part-%d", out_path, getpid()) >= (int)sizeof path) return BAD_USAGE;
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fprintf(stderr, "tendril-worker: cannot write %s: %s\n", path, strerror(errno)), BAD_USAGE;
  bool terminal = isatty(STDERR_FILENO);
  run_observer observer = {.context = &terminal, .progress = on_progress};
  td_error err = {.status = TD_OK};
  uint64_t size = 0;
  td_status status = run_job(request, &observer, fd, &size, &err);
  if (terminal) fprintf(stderr, "\r%40s\r", "");
  if (status == TD_OK && (fdatasync(fd) != 0 || rename(path, out_path) != 0))
    status = td_fail(&err, TD_LIMIT, "", "cannot write %s: %s", out_path, strerror(errno));
  close(fd);
  if (status == TD_OK) return DONE;
  unlink(path);
  return report(&err);
}

int worker_local(const char *model_path, const char *job_path, const char *out_path) {
  run_request request = {.attempt = 1};
  char sha256[DIGEST_HEX_SIZE], *model = NULL, *job = NULL;
  if (strcmp(model_path, "-") != 0) {
    model = read_file(model_path, &request.model_size);
    if (!model) return BAD_USAGE;
    digest_of(model, request.model_size, sha256);
    request.model_sha256 = sha256;
  }
  job = read_file(job_path, &request.job_size);
  request.model = model;
  request.job = job;
  int code = job ? run_to(&request, out_path) : BAD_USAGE;
  free(model);
  free(job);
  return code;
}
