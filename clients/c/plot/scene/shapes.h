// The robot at several instants in one picture, with a box of axes and a scale of time.
#ifndef TENDRIL_CLIENT_SHAPES_H
#define TENDRIL_CLIENT_SHAPES_H

#include "plot/scene/stage.h"

/// Whether there is anything to draw: a link at its places, or where tips were in many rows.
bool shapes_exist(const recording *r);
void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style);

#endif
