// `tendril-worker --local MODEL JOB -o OUT`: one job without a server, with the same code and the same archive.
//
// MODEL "-" takes the job's inline model. What OUT may be: api/c/output_file.h. Progress goes to stderr when that is a
// terminal. What is odd (warnings) goes to stderr. A job that fails although its result is whole (inconsistent,
// unconverged) has its archive. Exit: 0 done, 1 the job failed or OUT cannot be written, 2 usage or documents.
#include "api/c/output_file.h"
#include "base/digest.h"
#include "base/limits.h"
#include "worker/document_file.h"
#include "worker/execute/execute.h"
#include "worker/served.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, BAD_USAGE = 2 };

typedef struct watcher {
  bool terminal;
  td_warnings warnings;
} watcher;

static bool on_progress(void *context, const execute_progress *now) {
  if (((const watcher *)context)->terminal)
    fprintf(stderr, "\r%5.1f %%  %g of %g %s", 100 * now->fraction, now->t, now->t_end,
            now->checking ? "(checking) " : "");
  return true;
}

static void on_finished(void *context, const td_run_statistics *statistics, const td_warnings *warnings) {
  (void)statistics;
  ((watcher *)context)->warnings = *warnings;
}

static void say_warnings(const td_warnings *w) {
  for (int i = 0; i < w->count; i++) {
    char text[TD_WARNING_TEXT_SIZE];
    td_warning_text(&w->list[i], text);
    fprintf(stderr, "tendril: warning: %s%s%s: %s\n", w->list[i].code, *w->list[i].pointer ? " at " : "",
            w->list[i].pointer, text);
  }
  if (w->dropped > 0) fprintf(stderr, "tendril: warning: and %d more\n", w->dropped);
}

static int report(const td_error *err) {
  fprintf(stderr, "tendril: %s%s%s: %s\n", td_status_name(err->status), *err->pointer ? " at " : "", err->pointer,
          err->message);
  return err->status == TD_INVALID_ARGUMENT || err->status == TD_UNSUPPORTED ? BAD_USAGE : FAILED;
}

static int report_output(const output_error *err) {
  if (err->trouble != OUTPUT_CLOSED) fprintf(stderr, "tendril: %s\n", err->text);
  return err->trouble == OUTPUT_TERMINAL ? BAD_USAGE : FAILED;
}

static int run_to(const execute_request *request, const char *out_path) {
  output_file out;
  output_error trouble;
  if (!output_file_open(&out, out_path, true, &trouble)) return report_output(&trouble);
  watcher w = {.terminal = isatty(STDERR_FILENO)};
  execute_observer observer = {.context = &w, .progress = on_progress, .finished = on_finished};
  td_error err = {.status = TD_OK};
  uint64_t size = 0;
  td_status status = execute_job(request, &observer, out.fd, &size, &err);
  if (w.terminal) fprintf(stderr, "\r%40s\r", "");
  say_warnings(&w.warnings);
  bool whole = status == TD_OK || size > 0, written = whole && output_file_commit(&out, &trouble);
  output_file_discard(&out);
  if (whole && !written) return report_output(&trouble);
  return status == TD_OK ? DONE : report(&err);
}

int worker_local(const char *model_path, const char *job_path, const char *out_path) {
  execute_request request = {.attempt = 1};
  char sha256[DIGEST_HEX_SIZE], *model = NULL, *job = NULL;
  if (strcmp(model_path, "-") != 0) {
    model = document_file_read(model_path, &request.model_size);
    if (!model) return BAD_USAGE;
    digest_of(model, request.model_size, sha256);
    request.model_sha256 = sha256;
  }
  job = document_file_read(job_path, &request.job_size);
  request.model = model;
  request.job = job;
  int code = job ? run_to(&request, out_path) : BAD_USAGE;
  free(model);
  free(job);
  return code;
}
