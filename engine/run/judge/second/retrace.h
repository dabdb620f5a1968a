// What the errors of all steps have come to at the end: a run whose errors may add up is gone through once more, by a
// better method or by the same at a looser tolerance, and held against that. It asks nothing of the model: joints of
// any kind, water, contact, controllers.
#ifndef TENDRIL_RUN_JUDGE_SECOND_RETRACE_H
#define TENDRIL_RUN_JUDGE_SECOND_RETRACE_H

#include "integrate/integrator.h"
#include "run/judge/second/trace.h"

#define TD_RETRACE_TOLERANCE                                                                                           \
  3e-3 // of the motion: errors of runs under error control that add up to more are said, or to 10 rtol

typedef struct td_retrace_account { // part of a checkpoint
  double steps, most;               ///< steps whose errors damping has not taken away yet; their largest number
  double damped;                    ///< e-folds by which damping has taken differences away
  double turned;                    ///< rad, the largest angle of a hinge
  double tumbled;                   ///< rad, how far a joint that is not driven was turned from its start
  int bounces;                      ///< times that all contacts of a robot that touched let go again
  int rows;                         ///< of the trace, filled
} td_retrace_account;

/// After a step to y [2n]: `lost` J that damping took in it of `kinetic` J. Adds q [n] at the times of the
/// trace [td_retrace_rows(n)][n] that it passed; `scratch` [2n].
void td_retrace_note(td_retrace_account *account, const td_plant *plant, const td_integrator *method,
                     td_stepper *stepper, double t, double t_end, const double *y, double kinetic, double lost,
                     double *trace, double *scratch);
/// Whether errors may have come to more than anybody would overlook.
/// @param size  coordinates and rows of loops
bool td_retrace_wanted(const td_retrace_account *account, const td_integrator_spec *used,
                       const td_run_statistics *statistics, int size);
/// What part of all the work a run is, as far as can be told when so much of its time (0 to 1) has passed: 1 where no
/// second run is to be expected.
double td_retrace_share(const td_retrace_account *account, const td_integrator_spec *used,
                        const td_run_statistics *statistics, int size, double passed);
/// Where a check stands after that part of a second or a third (`finer`) run by `other`: 0 to 1.
double td_retrace_part(const td_integrator_spec *used, const td_integrator_spec *other, bool finer, double part);
/// The job of the second run, or of a third one, by better means in any case.
void td_retrace_spec(const td_dynamics_spec *spec, const td_run_statistics *first, const td_integrator_spec *used,
                     bool finer, td_dynamics_spec *out);
/// Whether something may be off as far as a second run by looser means can tell: a third one is asked then.
bool td_retrace_doubts(const td_plant *plant, const td_integrator_spec *used, const td_integrator_spec *other,
                       double t_end, const double *ours, const double *theirs);
/// Appends a warning to statistics->warnings where a joint or a soft body is off by more than TD_RETRACE_TOLERANCE of
/// how far it moves (of equal steps TD_MARCH_TOLERANCE): `sensitive_motion` where neighbours part exponentially, else
/// `accumulated_error`, or `coarse_step`.
/// @param ours, theirs  [td_retrace_rows(n)][n] traces of both runs
/// @return TD_OK, or TD_INCONSISTENT with the warning in `err`
TD_NODISCARD td_status td_retrace_judge(const td_plant *plant, const td_integrator_spec *used,
                                        const td_integrator_spec *other, double t_end, const double *ours,
                                        const double *theirs, td_run_statistics *statistics, td_error *err);

#endif
