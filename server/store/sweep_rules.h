// What a sweep is, and says, by what its jobs are. Every kind of rows asks here, in the change that moves a job of it.
//
//   queued until one of its jobs runs; ended when all of them have: succeeded if all did, cancelled if some were and
//   none failed, or if its cancel was asked for and reached one; else failed.
#ifndef SERVER_STORE_SWEEP_RULES_H
#define SERVER_STORE_SWEEP_RULES_H

#include "store/rows.h"
#include <jansson.h>
#include <stdbool.h>

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

typedef struct sweep_warned { ///< what its jobs warn of; zeros: nothing
  int64_t jobs;               ///< that have warnings
  int64_t alike;              ///< of these, those that have one of the worst code
  char first[ID_SIZE];        ///< of them
  json_t *worst;              ///< its warning of that code
} sweep_warned;

/// Counts the next job, in the order of the sweep: its warnings as its row has them, the worst first. False when they
/// cannot be read.
bool sweep_warned_add(sweep_warned *warned, const char *job, const char *warnings);
void sweep_warned_fini(sweep_warned *warned);
/// Its own warnings (NULL: none), and those that its jobs (at least one) have warnings: the worst code of all jobs
/// stands first where it is of a worse rank than what the sweep says itself, so that a sweep has the rank of its worst
/// job; `jobs_warned` stands last. As above.
char *sweep_warnings(const char *own, const int64_t jobs[JOB_STATE_COUNT], const sweep_warned *warned);

#endif
