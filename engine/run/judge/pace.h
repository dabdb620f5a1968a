// Is a run getting anywhere? Counts of steps only, so that the answer does not depend on the machine.
#ifndef TENDRIL_RUN_JUDGE_PACE_H
#define TENDRIL_RUN_JUDGE_PACE_H

#include "plant/plant.h"

typedef struct td_pace { // part of a checkpoint
  uint64_t steps;        ///< in the window at hand
  double since;          ///< its first time
  int slow, many; ///< windows in a row in which the run headed for too many steps, and for more than worth a word
} td_pace;

/// After each step to t. A run that has headed for more than a million steps for some tens of thousands of them is
/// warned of, with the mode that it resolves; it fails when it heads for more than it may. y [2n].
TD_NODISCARD td_status td_pace_check(td_pace *pace, td_plant *plant, const td_integrator_spec *spec, double t,
                                     double t_end, const double *y, td_error *err);

/// Steps that a run may take: max_steps or its default.
double td_pace_most_steps(const td_plant *plant, const td_integrator_spec *spec);

/// The longest step that follows inputs of `rate` Hz: TD_STEPS_A_PERIOD of them to a period, unless that makes more
/// steps than a run of t_end may take by half, or a million.
#define TD_STEPS_A_PERIOD 4
double td_pace_longest_step(const td_plant *plant, const td_integrator_spec *spec, double rate, double t_end);

#endif
