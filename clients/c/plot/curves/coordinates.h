// Panels of coordinates and of what holds them: q, qd, multipliers.
#ifndef TENDRIL_CLIENT_COORDINATES_H
#define TENDRIL_CLIENT_COORDINATES_H

#include "plot/curves/maker.h"

/// A panel for each unit: angles and slides of joints, curvatures and stretches of rods, other shapes. What stays at
/// rounding beside the others is left out, and the panel says so; where all do, it is drawn as the line that it is.
bool coordinates_make(maker *m);
bool coordinates_rates(maker *m);
/// Forces and moments that loops and prescribed joints carry, and how far loops are open.
bool coordinates_multipliers(maker *m);
bool coordinates_loop_error(maker *m);

#endif
