// What the errors of all steps have come to at the end: a run whose errors may add up is gone through once more, by a better method or by
// the same at a looser tolerance, and held against that. It asks nothing of the model: joints of any kind, water, contact, controllers.
#ifndef TENDRIL_SOLVE_RETRACE_H
#define TENDRIL_SOLVE_RETRACE_H

#include "solve/integrator.h"

enum { TD_RETRACE_ROWS = 48 };

typedef struct td_retrace_account { // part of a checkpoint
  double steps, most;               ///< steps whose errors damping has not taken away yet; their largest number
  int rows;                         ///< of the trace, filled
} td_retrace_account;

/// After a step: `lost` J that damping took in it of `kinetic` J. Adds q [n] at the times of the trace [TD_RETRACE_ROWS][n] that it passed;
/// `scratch` [2n].
void td_retrace_note(td_retrace_account *account, const td_integrator *method, td_stepper *stepper, double t,
                     double t_end, int n, double kinetic, double lost, double *trace, double *scratch);
/// Whether errors may have come to more than anybody would overlook.
bool td_retrace_wanted(const td_retrace_account *account, const td_integrator_spec *used, uint64_t steps);
/// The job of the second run. `field`: storage of its fields.
void td_retrace_spec(const td_dynamics_spec *spec, const td_run_statistics *first, const td_integrator_spec *used,
                     td_dynamics_spec *out);
/// Appends `accumulated_error` to statistics->warnings where a joint or a soft body is off by more than TD_DRIFT_TOLERANCE of how far it moves.
/// @param ours, theirs  [TD_RETRACE_ROWS][n] traces of both runs
/// @return TD_OK, or TD_INCONSISTENT with the warning in `err`
TD_NODISCARD td_status td_retrace_judge(const td_plant *plant, const td_integrator_spec *used,
                                        const td_integrator_spec *other, double t_end, const double *ours,
                                        const double *theirs, td_run_statistics *statistics, td_error *err);

#endif
