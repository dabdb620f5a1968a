// The rules of sweeps: state, progress, error and warnings from the states of their jobs. Nothing is read or written
// here.
#include "store/sweep_rules.h"
#include "store/parts.h"

#include <assert.h>
#include <jansson.h>

static int64_t ended(const int64_t jobs[JOB_STATE_COUNT]) {
  return jobs[JOB_SUCCEEDED] + jobs[JOB_FAILED] + jobs[JOB_CANCELLED];
}

static int64_t left(const int64_t jobs[JOB_STATE_COUNT]) { return jobs[JOB_QUEUED] + jobs[JOB_RUNNING]; }

job_state sweep_next_state(const sweep_now *now) {
  const int64_t *jobs = now->jobs;
  assert(jobs[JOB_QUEUED] >= 0 && jobs[JOB_RUNNING] >= 0 && ended(jobs) + left(jobs) > 0);
  if (job_state_terminal(now->state)) return now->state;
  if (left(jobs) > 0) return now->state == JOB_QUEUED && jobs[JOB_RUNNING] == 0 ? JOB_QUEUED : JOB_RUNNING;
  if (jobs[JOB_FAILED] + jobs[JOB_CANCELLED] == 0) return JOB_SUCCEEDED;
  return jobs[JOB_FAILED] == 0 || (now->cancel && jobs[JOB_CANCELLED] > 0) ? JOB_CANCELLED : JOB_FAILED;
}

store_progress sweep_progress(const int64_t jobs[JOB_STATE_COUNT]) {
  double all = (double)(ended(jobs) + left(jobs));
  assert(all > 0);
  return (store_progress){.fraction = 1 - (double)left(jobs) / all, .t = (double)ended(jobs), .t_end = all};
}

static json_t *sentence(const char *format, int64_t count, const int64_t jobs[JOB_STATE_COUNT], const char *first,
                        const char *detail) {
  return json_sprintf(format, (long long)count, (long long)ended(jobs), first, detail ? detail : "");
}

char *sweep_error(const int64_t jobs[JOB_STATE_COUNT], const char *first, const char *detail) {
  json_t *error =
      json_pack("{s:s, s:o}", "code", "jobs_failed", "detail",
                sentence("%lld of %lld jobs failed; the first, %s: %s", jobs[JOB_FAILED], jobs, first, detail));
  char *text = error ? store_json_text(error) : NULL;
  json_decref(error);
  return text;
}

char *sweep_warnings(const char *own, const int64_t jobs[JOB_STATE_COUNT], int64_t warned, const char *first,
                     const char *detail) {
  json_t *list = own ? json_loads(own, 0, NULL) : json_array();
  json_t *more = json_pack("{s:s, s:o, s:s}", "code", "jobs_warned", "detail",
                           sentence("%lld of %lld jobs have warnings; the first, %s: %s", warned, jobs, first, detail),
                           "pointer", "");
  bool made = list && more && json_array_append(list, more) == 0;
  char *text = made ? store_json_text(list) : NULL;
  json_decref(more);
  json_decref(list);
  return text;
}
