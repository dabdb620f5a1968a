// The whole picture of a result.
#ifndef TENDRIL_CLIENT_FIGURE_H
#define TENDRIL_CLIENT_FIGURE_H

#include "plot/shapes.h"

/// Writes a PNG of the robot's shapes (when poses were recorded) and a column of curves. False after a line on error.
bool figure_write(const recording *r, const shapes_style *style, const char *path);

#endif
