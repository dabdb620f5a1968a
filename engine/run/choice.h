// Which method a run takes where the job leaves it open, by the modes of the robot at the start.
#ifndef TENDRIL_RUN_CHOICE_H
#define TENDRIL_RUN_CHOICE_H

#include "plant/spectrum.h"

/// Completes `resolved` (td_integrator_resolve): its method by what the rows serve, and its cutoff. Notes method,
/// choice, cutoff and spectrum in the plant's statistics. A function of model and spec alone: a run that goes on from a
/// checkpoint chooses the same.
void td_choose(td_plant *plant, const td_dynamics_spec *spec, td_integrator_spec *resolved);
/// rad/s: the cutoff with which what moves at the start, and what drives, would be resolved.
double td_choice_wanted(const td_run_statistics *statistics);
/// Appends `unresolved_modes` for a coordinate that a run has lost motion of, at about w rad/s: `share` of its largest
/// energy.
void td_choice_tell_lost(const td_model *model, int coordinate, double w, double share, td_run_statistics *statistics);
/// Appends `unresolved_modes` where the cutoff is below modes that one coordinate or body moves in at the start, or
/// that inputs drive.
/// @return whether it did
bool td_choice_tell(const td_model *model, td_run_statistics *statistics);

#endif
