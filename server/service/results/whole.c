// The result of a job that succeeded, as a file: checked, and fetched as it is read where it is elsewhere.
//
// A file is checked (size, SHA-256) when it is opened for the first time since it was written or changed, what is
// fetched when it comes; what fails is lost: the job gets the error `result_lost` and a remark in its log, and says so
// until the file is there again as it was.
#include "service/jobs/jobs.h"
#include "service/results/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A result that is fetched as it is read.
typedef struct result_source {
  service *s;
  store_job job;
  store_missing *missing;
} result_source;

static bool tell_condition(service *s, const store_job *job, store_result_condition found, fault *f) {
  if (found == STORE_RESULT_UNREADABLE)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the result of job \"%s\" cannot be read now: the disk fails",
                     job->id);
  store_result_report(s->store, job, found);
  return found == STORE_RESULT_GOOD || fault_set(f, PROBLEM_RESULT_LOST, NULL, "the result of job \"%s\" is lost: %s",
                                                 job->id, store_result_words(found));
}

bool results_open_whole(service *s, store_job *job, result_file *file, fault *f) {
  file->size = job->result_size;
  memcpy(file->sha256, job->result_sha256, sizeof file->sha256);
  store_missing *missing = NULL;
  store_result_condition found = store_result_begin(s->store, job, &file->fd, &missing);
  if (!tell_condition(s, job, found, f) || !missing) return found == STORE_RESULT_GOOD;
  file->source = calloc(1, sizeof *file->source);
  if (!file->source) {
    free(missing);
    results_close(file);
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  }
  *file->source = (result_source){.s = s, .job = *job, .missing = missing};
  *job = (store_job){.seq = 0};
  return true;
}

bool results_bring(result_file *file, int64_t first, int64_t count, fault *f) {
  result_source *from = file->source;
  if (!from || count <= 0) return true;
  store_result_condition found = store_result_bring(from->s->store, from->missing, file->fd, first, count);
  return found == STORE_RESULT_GOOD || tell_condition(from->s, &from->job, found, f);
}

static void drop_source(result_file *file) {
  if (!file->source) return;
  store_job_fini(&file->source->job);
  free(file->source->missing);
  free(file->source);
  file->source = NULL;
}

int results_hand_over(result_file *file) {
  int fd = file->fd;
  drop_source(file);
  file->fd = -1;
  return fd;
}

void results_close(result_file *file) {
  int fd = results_hand_over(file);
  if (fd >= 0) close(fd);
}
