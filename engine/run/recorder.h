// Who follows a run from map to map: its starts, steps, samples and changes of chart, in their order. What a recorder
// does leaves the run's bits alone: it reads the run's arrays and computes in a workspace of its own.
#ifndef TENDRIL_RUN_RECORDER_H
#define TENDRIL_RUN_RECORDER_H

#include "run/run.h"

typedef struct td_recorder { // every member; a status other than TD_OK ends the run with it
  void *context;
  /// The run stands at run->state.t with run->y, at t = 0 or as a checkpoint had it (`resumed`).
  td_status (*begun)(void *context, td_simulation *run, bool resumed, td_error *err);
  /// The method has been started at run->state.t; `carried`: it goes on with what it knew.
  td_status (*started)(void *context, td_simulation *run, bool carried, td_error *err);
  /// A step from `before` to run->state.t was accepted.
  td_status (*stepped)(void *context, td_simulation *run, double before, td_error *err);
  /// Sample `index` was reported at t: `inside` the last step, at a state between its ends, or at run->y (whose rates
  /// were put on the loops: td_plant_settle_rates).
  td_status (*sampled)(void *context, td_simulation *run, size_t index, double t, bool inside, td_error *err);
  /// run->y was rewritten by a change of chart.
  td_status (*rewritten)(void *context, td_simulation *run, td_error *err);
} td_recorder;

/// td_dynamics_run, followed by a recorder.
TD_NODISCARD td_status td_dynamics_run_recorded(const td_model *model, const td_dynamics_spec *spec,
                                                const td_run_hooks *hooks, td_recorder *recorder, const void *resume,
                                                size_t resume_size, td_run_statistics *statistics, td_error *err);

#endif
