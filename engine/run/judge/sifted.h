// What a cutoff takes out of the motion on the way, joint by joint and body by body.
#ifndef TENDRIL_RUN_JUDGE_SIFTED_H
#define TENDRIL_RUN_JUDGE_SIFTED_H

#include "integrate/integrator.h"
#include "run/judge/guard.h"

/// Arrays [n] of a run, entry i that of the joint's coordinate or body that begins there.
typedef struct td_sifted {
  double *lost;   ///< twice the energy that steps took out of modes beyond the cutoff, J
  double *rate;   ///< sum over steps of v^T M v, v: errors of velocity in modes beyond the cutoff, J
  double *size;   ///< the same of q: the square of their frequency is rate / size
  double *moving; ///< largest qd^T M qd of its own
} td_sifted;

/// Takes note of a step that ended at y. `scratch` [4 n]. O(n^2) at most, nothing without a cutoff.
void td_sifted_note(td_sifted *sifted, const td_plant *plant, const td_integrator *method, const td_stepper *stepper,
                    double h, const double *y, double *scratch);
/// Appends `unresolved_modes` where a coordinate of a joint, or a body, has lost more than 5 % of its largest energy
/// that way; y [2n] the last state.
void td_sifted_tell(const td_sifted *sifted, const td_plant *plant, const td_dynamics_spec *spec, const double *y,
                    const td_guard *guard, td_run_statistics *statistics);

#endif
