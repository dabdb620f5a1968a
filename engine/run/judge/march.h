// Are equal steps fine enough for the motion they follow? The energy of an oscillation closes at any step of Newmark's
// method while its phase runs away; this is the account of that.
#ifndef TENDRIL_RUN_JUDGE_MARCH_H
#define TENDRIL_RUN_JUDGE_MARCH_H

#include "integrate/integrator.h"

enum { TD_MARCH_PAST = TD_MOST_ORDER + 3, TD_MARCH_BANDS = 2, TD_MARCH_BLOCK = 8 };

#define TD_MARCH_TOLERANCE 0.02 // of the speed: errors of the steps that add up to more are said

typedef struct td_march_band { // sqrt(J)
  double error;                ///< what local errors of velocity have added up to and damping has not taken away
  double worst, worst_t;       ///< its largest value and when, s
  double sum, most;            ///< the same without a bound; its largest value
  double peak, square[2];      ///< largest local error, sums of squares of it and of its difference from step to step
} td_march_band;

typedef struct td_march_account { // part of a checkpoint
  td_march_band band[TD_MARCH_BANDS];
  double kinetic;  ///< J, largest
  uint64_t looked; ///< steps
} td_march_account;

typedef struct td_march_past {
  int count;               ///< of the velocities known in this segment
  double t[TD_MARCH_PAST]; ///< newest first
  double *v[TD_MARCH_PAST];
} td_march_past;

typedef struct td_march {
  int order;       ///< of the method, 0: its steps are not equal, nothing is done
  double constant; ///< of its local error: c h^(order + 1) times the derivative of that order
  double h;        ///< of the last step
  td_march_past past[TD_MARCH_BANDS];
  int in_block, blocks;
  double *block, *mean; ///< [n] sum of the positions of a block of steps so far, mean of the one before
  double *error;        ///< [n]
  double *force[4];     ///< [n] scratch
} td_march;

/// Allocates where the method takes equal steps. False: no memory.
bool td_march_init(td_march *march, int n, const td_integrator_spec *spec);
void td_march_fini(td_march *march);
/// A segment starts: what is known is forgotten.
void td_march_start(td_march *march);
/// After a step from `before` to t, y [2n] there.
/// @param kinetic  J, over it
/// @param lost     J, that damping took in it
/// @param struck   something touches: `strike.h` judges these steps
/// Cost: O(n); in every step of short runs and every fourth of long ones two energies and the forces. No allocation.
void td_march_note(td_march *march, td_march_account *account, td_plant *plant, double before, double t,
                   const double *y, double kinetic, double lost, bool struck);
/// Appends `coarse_step` to statistics->warnings where the errors add up to more than TD_MARCH_TOLERANCE.
/// @param least  J: motion of less kinetic energy is rounding
/// @return TD_OK, or TD_INCONSISTENT with the warning in `err`
TD_NODISCARD td_status td_march_judge(const td_march *march, const td_march_account *account,
                                      const td_integrator_spec *used, double least, td_run_statistics *statistics,
                                      td_error *err);

#endif
