// A run that ends where nothing pushes it, at an equilibrium that any real robot leaves.
#ifndef TENDRIL_RUN_JUDGE_BALANCED_H
#define TENDRIL_RUN_JUDGE_BALANCED_H

#include "run/run.h"

/// Warns (`unstable` at /initial/q) of a run that ended at rest within rounding of an unstable equilibrium that it had
/// the time to leave: it is there by symmetry alone. Not of runs that rounding has begun to push off (a pendulum from
/// pi), nor of controlled runs, whose controller may hold it. Costs nothing unless the run ends at rest, then one
/// solution of its statics. Allocates; without memory it says nothing.
void td_balanced_tell(td_simulation *run);

#endif
