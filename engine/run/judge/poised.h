// Where a run stood the longest: what buckles there grows out of next to nothing.
#ifndef TENDRIL_RUN_JUDGE_POISED_H
#define TENDRIL_RUN_JUDGE_POISED_H

#include "estimate/resolution/resolution.h"
#include "run/run.h"

/// Asks whether more functions would have let it go earlier (td_resolution_look_at_growth). Cost: kinematics at the
/// times of the trace, and one matrix K of the larger model.
void td_poised_look(td_simulation *run, td_resolution *resolution);

#endif
