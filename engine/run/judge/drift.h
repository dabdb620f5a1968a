// How far the errors of a run under error control have carried what nothing holds: a tolerance bounds each step, and an
// error of momentum that no spring and no damping takes back grows into a path, linearly in time.
#ifndef TENDRIL_RUN_JUDGE_DRIFT_H
#define TENDRIL_RUN_JUDGE_DRIFT_H

#include "integrate/integrator.h"

enum { TD_DRIFT_MOST = 6 };

#define TD_DRIFT_TOLERANCE 0.03 // of how far the coordinate gets: errors that add up to more are said

typedef struct td_drift_coordinate {
  int coordinate;
  double start, reach;   ///< rad or m: where it was first, how far it got from there
  double rate;           ///< 1/s at which damping takes its momentum away
  double momentum, path; ///< errors so far
  double worst, worst_t; ///< largest |path| and when
} td_drift_coordinate;

typedef struct td_drift_account { // part of a checkpoint
  bool known;                     ///< they have been looked for
  int count;
  uint64_t steps;
  td_drift_coordinate at[TD_DRIFT_MOST];
} td_drift_account;

typedef struct td_drift {
  bool on;         ///< there may be such coordinates, and steps are controlled
  double *y, *tau; ///< [2n], [n]
  double *v, *a;   ///< [n] a velocity and an acceleration in which forces of every kind show
  double *other;   ///< [n]
  double *rows;    ///< [rows][n]
} td_drift;

/// Allocates where the run can have such coordinates. False: no memory.
bool td_drift_init(td_drift *drift, const td_plant *plant, const td_integrator_spec *spec);
void td_drift_fini(td_drift *drift);
/// A segment starts at (t, y [2n]): the first time the coordinates are found, later those that something holds now are
/// left out.
void td_drift_start(const td_drift *drift, td_drift_account *account, td_plant *plant, double t, const double *y);
/// After a step from t0 to t1. Cost, with such coordinates only: about ten inverse dynamics. No allocation.
void td_drift_note(const td_drift *drift, td_drift_account *account, td_plant *plant, const td_integrator *method,
                   td_stepper *stepper, double t0, double t1);
/// Appends `accumulated_error` to statistics->warnings where a path is off by more than TD_DRIFT_TOLERANCE of how far
/// it got.
/// @param reach  [n] largest of each coordinate
/// @return TD_OK, or TD_INCONSISTENT with the warning in `err`
TD_NODISCARD td_status td_drift_judge(const td_drift *drift, const td_drift_account *account, const td_plant *plant,
                                      const td_integrator_spec *used, const double *reach,
                                      td_run_statistics *statistics, td_error *err);

/// Which tolerances would make an error so many times smaller, in words.
void td_drift_advise(const td_integrator_spec *used, double times, char *text, size_t size);

#endif
