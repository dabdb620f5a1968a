// Runs a dynamics job and keeps what it reports.
#ifndef TENDRIL_TEST_RECORDING_H
#define TENDRIL_TEST_RECORDING_H

#include "tendril/run.h"

typedef struct recording {
  size_t count, row; ///< samples, doubles per sample
  size_t room;       ///< samples allocated
  double *t, *rows;  ///< [count], [count][row]
  td_run_statistics statistics;
  td_status status;
  td_error error;
  double checkpoint_dt, keep_at; ///< in: checkpoints; the one at keep_at is kept
  void *checkpoint;
  size_t checkpoint_size;
  size_t step_limit; ///< in: cancels after so many steps when > 0
  td_step_taken *steps;
  size_t step_count, step_room;
  const struct recording *again; ///< in: whose steps are taken again, NULL: none
} recording;

/// A job of `t_end` seconds from `q` (NULL: zero) with the method's defaults; the caller adds the rest.
td_dynamics_spec recording_job(const td_model *model, td_method method, double t_end, const double *q);
/// Runs from the start, or from `resume`'s checkpoint when not NULL. recording_free afterwards.
void recording_run(recording *r, const td_model *model, const td_dynamics_spec *spec, const recording *resume);
/// As recording_run, failing the test unless the run succeeds.
void recording_ok(recording *r, const td_model *model, const td_dynamics_spec *spec);
/// A run that goes on from its checkpoint at `keep_at`, one of those every `checkpoint_dt`, ends after as
/// many steps with the same bits.
void recording_goes_on(const td_model *model, const td_dynamics_spec *spec, double checkpoint_dt, double keep_at);
/// The last sample.
const double *recording_last(const recording *r);
void recording_free(recording *r);

#endif
