// A job from its document to its arrays.
#include "lib/base/error.h"

#include <string.h>

static bool kept_its_work(const tendril_job *job) {
  return strcmp(job->error_code, "unconverged") == 0 || strcmp(job->error_code, "inconsistent") == 0;
}

static tendril_status failed(const tendril_job *job, tendril_error *err) {
  client_fail(err, TENDRIL_REFUSED, "job %s %s: %.900s", job->id, tendril_state_name(job->state), job->error_detail);
  if (err) {
    client_copy(err->code, sizeof err->code, job->error_code);
    client_copy(err->pointer, sizeof err->pointer, job->error_pointer);
  }
  return TENDRIL_REFUSED;
}

tendril_status tendril_run(tendril_client *client, const char *document, size_t size, tendril_job *job,
                           tendril_arrays **result, tendril_error *err) {
  tendril_job own, *now = job ? job : &own;
  *result = NULL;
  tendril_status status = tendril_job_submit(client, document, size, NULL, now, err);
  if (status == TENDRIL_OK) status = tendril_job_wait(client, now->id, 0, now, err);
  if (status != TENDRIL_OK) return status;
  bool whole = now->state == TENDRIL_SUCCEEDED;
  if (whole || kept_its_work(now))
    status = tendril_result_arrays(client, now->id, &(tendril_result_query){.partial = !whole}, result, err);
  return whole ? status : failed(now, err);
}
