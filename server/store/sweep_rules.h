// What a sweep is, and says, by what its jobs are. Every kind of rows asks here, in the change that moves a job of it.
//
//   queued until one of its jobs runs; ended when all of them have: succeeded if all did, cancelled if some were and
//   none failed, or if its cancel was asked for and reached one; else failed.
#ifndef SERVER_STORE_SWEEP_RULES_H
#define SERVER_STORE_SWEEP_RULES_H

#include "store/rows.h"

typedef struct sweep_now {
  job_state state;
  bool cancel;                   ///< was asked for
  int64_t jobs[JOB_STATE_COUNT]; ///< by state, after the change
} sweep_now;

/// The state that it has from now on. At least one job; a state that is terminal stays.
job_state sweep_next_state(const sweep_now *now);
/// Its progress, counted in jobs.
store_progress sweep_progress(const int64_t jobs[JOB_STATE_COUNT]);
/// Its error when it has failed: how many, and the first of them (JSON, to be freed; NULL without memory). `detail`
/// NULL: none is known.
char *sweep_error(const int64_t jobs[JOB_STATE_COUNT], const char *first, const char *detail);
/// Its own warnings (NULL: none) and one more, that `warned` of its jobs have some, and the first of them (as above).
char *sweep_warnings(const char *own, const int64_t jobs[JOB_STATE_COUNT], int64_t warned, const char *first,
                     const char *detail);

#endif
