// The robot of a result whose job kept q and no poses, as a server places it: poses of all links at every row.
#ifndef TENDRIL_CLIENT_REBUILT_H
#define TENDRIL_CLIENT_REBUILT_H

#include "plot/recording.h"

/// Whether links can be placed from what the result holds: q, and the model of every row.
bool recording_rebuildable(const recording *r);
/// Asks for the poses of all links at every row, in batches, and keeps them as if the job had recorded them. Rows
/// without a solution are NaN. After an error nothing is kept; TENDRIL_INVALID: so many poses are no picture's.
tendril_status recording_rebuild(recording *r, tendril_client *client, tendril_error *err);

#endif
