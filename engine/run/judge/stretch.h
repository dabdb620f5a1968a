// How far springs stretch, beside how far the coordinates go that stretch them.
#ifndef TENDRIL_RUN_JUDGE_STRETCH_H
#define TENDRIL_RUN_JUDGE_STRETCH_H

#include "plant/plant.h"

/// range [2 springs]: least and largest length of each, m; before any state.
void td_stretch_start(const td_model *model, double *range);
/// Takes note of the state whose poses are in the workspace. O(springs).
void td_stretch_note(const td_plant *plant, double *range);
/// Appends `small_motion` where a spring stretched by less than the relative tolerance leaves uncertain of the
/// coordinates that stretch it. Allocates; O(n) forward passes at y [2n], time t, where there are springs.
/// @param reach  [n] largest of each coordinate
void td_stretch_tell(td_plant *plant, const td_integrator_spec *used, double t, const double *y, const double *reach,
                     const double *range, td_run_statistics *statistics);

#endif
