// A controlled run that ends far from where its reference wanted it.
#ifndef TENDRIL_RUN_JUDGE_MISSED_REFERENCE_H
#define TENDRIL_RUN_JUDGE_MISSED_REFERENCE_H

#include "run/run.h"

/// Warns (`reference_missed`) of each controller that acts at the end of the run, and whose reference stands still
/// there, but not the robot at it: an output (of a law with feedback), or a tip, that is farther off than a quarter of
/// the way that the reference asked for; of a reference that still moves than a half. Costs nothing without
/// controllers, else a forward pass for each tip. Allocates; without memory it says nothing.
void td_missed_reference_tell(td_simulation *run);

#endif
