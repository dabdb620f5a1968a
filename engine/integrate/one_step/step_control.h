// Step size control of Newmark's family: the local error from the last states, and the size it suggests.
#ifndef TENDRIL_INTEGRATE_ONE_STEP_STEP_CONTROL_H
#define TENDRIL_INTEGRATE_ONE_STEP_STEP_CONTROL_H

#include "integrate/sieve.h"

enum { TD_CONTROL_PAST = 3 };

/// The last accepted states, newest first; only the free coordinates and their rates are looked at.
typedef struct td_step_control {
  double t[TD_CONTROL_PAST + 1];
  double *y[TD_CONTROL_PAST + 1]; ///< [2n] each; one more than is looked at, for td_step_control_pop
  int count, before;              ///< states that are known, now and ahead of the last push
} td_step_control;

/// Doubles of its arrays, which the caller provides.
size_t td_step_control_size(int n);
void td_step_control_assign(td_step_control *c, int n, double *memory);

/// Adds the state at t.
void td_step_control_push(td_step_control *c, int n, double t, const double *y);
/// Takes the last td_step_control_push back, once.
void td_step_control_pop(td_step_control *c);

/// Local error of the step to (t, y) in units of the tolerance (1 is allowed): RMS over free coordinates and rates of
/// h^3 y''' / 6, y''' the third divided difference of the last four states; with fewer states the second or first one,
/// which overestimates. `dy` [2n]: rates at the start of the step; `rate_steps` > 0: rates count by what they move in
/// so many steps; `noise`: what Newton may leave in rates, not an error of the step; `sieve`: what modes count for.
double td_step_control_error(const td_step_control *c, const td_plant *p, const td_integrator_spec *spec, double t,
                             const double *y, const double *dy, double rate_steps, double noise, const td_sieve *sieve);
/// RMS of rates in units of the tolerance: its inverse is a time in which nothing changes by more than that.
double td_step_control_pace(const td_plant *p, const td_integrator_spec *spec, const double *y, const double *dy);
/// Factor for the next step after an error; `rejected`: it must shrink.
double td_step_control_factor(const td_step_control *c, double error, bool rejected);

#endif
