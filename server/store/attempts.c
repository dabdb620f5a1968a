// What attempts keep of a job, in rows and blobs together: their checkpoints, their end, and what goes with a job.
#include "store/parts.h"

#include <assert.h>

// Of an attempt that does not own the job any more nothing is taken.
store_status store_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state,
                               size_t size) {
  store_standing now;
  store_status status = store_job_standing(s, id, &now);
  if (status != STORE_OK) return status == STORE_NOT_FOUND ? STORE_PRECONDITION : status;
  if (now.state != JOB_RUNNING || now.attempt != attempt) return STORE_PRECONDITION;
  return s->blobs->part_commit(s, id, attempt, part, state, size);
}

// A cancel that was acknowledged holds: what the job came to all the same goes.
store_status store_job_finish(store *s, const char *id, int attempt, store_outcome *outcome) {
  assert(job_transition_allowed(JOB_RUNNING, outcome->state));
  store_status status = s->rows->job_finish(s, id, attempt, outcome);
  if (status == STORE_OK && outcome->ended != outcome->state) {
    store_result_name name = store_result_named(id, attempt, s->node);
    store_result_remove(s, &name);
  }
  assert(status != STORE_OK || job_state_terminal(outcome->ended));
  return status;
}

void store_job_gone(store *s, const store_result_name *result, const char *owner) {
  store_result_remove(s, result);
  store_part_remove(s, result->id, owner);
}
