// The prefix of a result: rows up to the last checkpoint of a job, or those that it has shown since where it runs here,
// assembled into an archive like a whole one.
//
// The worker's own code does it, without running anything; the prefix on the disk stays as it is while an attempt
// appends to it. The archive goes to an unlinked temporary file.
#include "queue/queue.h"
#include "service/results/temporary.h"
#include "worker/execute/execute.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool no_prefix(fault *f, const store_job *job, bool damaged) {
  bool waits = job->state == JOB_QUEUED || job->state == JOB_RUNNING;
  if (waits)
    return fault_set(f, PROBLEM_NOT_READY, NULL, "job \"%s\" is %s and has recorded nothing yet", job->id,
                     job_state_name(job->state));
  if (damaged)
    return fault_set(f, PROBLEM_RESULT_LOST, NULL,
                     "what was kept of job \"%s\" is lost: its file has another checksum than was written", job->id);
  return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%s\" is %s, and nothing of it was kept", job->id,
                   job_state_name(job->state));
}

static bool assemble(service *s, const store_job *job, const char *model, const store_part *part, result_file *file,
                     fault *f) {
  execute_request request = {.model = model,
                             .model_size = strlen(model),
                             .job = job->document,
                             .job_size = strlen(job->document),
                             .model_name = job->model_name,
                             .model_revision = job->model_revision,
                             .model_sha256 = job->model_sha256,
                             .attempt = job->attempt,
                             .resume = part->state,
                             .resume_size = part->state_size,
                             .resume_fd = part->fd,
                             .resume_rows = part->committed};
  td_error err = {.status = TD_OK};
  uint64_t bytes = 0;
  if (!results_tmp_room(s, part->committed, f)) return false;
  file->fd = store_tmp_file(s->store);
  if (file->fd < 0)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no temporary file can be made: the disk is full or fails");
  if (execute_assemble(&request, file->fd, &bytes, &err) == TD_OK) return file->size = (int64_t)bytes, true;
  results_close(file);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the partial result could not be put together: %.300s", err.message);
}

bool results_open_prefix(service *s, const store_job *job, result_file *file, fault *f) {
  store_part part;
  char *model = NULL;
  store_status status = STORE_OK;
  if (!queue_open_glance(s->queue, job->id, &part)) status = store_part_read(s->store, job->id, &part);
  if (status != STORE_OK) return no_prefix(f, job, part.damaged);
  status = store_document_get(s->store, job->model_sha256, &model);
  bool done = status == STORE_OK ? assemble(s, job, model, &part, file, f) : fault_from_store(f, status, "the model");
  free(model);
  store_part_close(&part);
  if (!done || digest_of_file(file->fd, file->sha256)) return done;
  results_close(file);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the partial result could not be read back from the disk");
}
