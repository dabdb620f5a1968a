// The picture of a path of equilibria: its channel against a displacement.
#ifndef TENDRIL_CLIENT_LOAD_CURVE_H
#define TENDRIL_CLIENT_LOAD_CURVE_H

#include "plot/canvas/canvas.h"
#include "plot/recording.h"

/// Fills a panel that has no curves yet: stable parts of the path, unstable ones dashed, limit and branch points. The
/// displacement is that of the place where the channel's load acts, along it; otherwise the one of all recorded
/// points (else the coordinate) that moves farthest.
/// @param held  receives what the panel points into, for the caller to free
/// @return false when the result is no path, or holds no displacement
bool load_curve_fill(panel *p, const recording *r, double **held);

#endif
