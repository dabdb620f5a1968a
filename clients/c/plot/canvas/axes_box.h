// A box of axes around bodies in space.
#ifndef TENDRIL_CLIENT_AXES_BOX_H
#define TENDRIL_CLIENT_AXES_BOX_H

#include "plot/canvas/canvas.h"
#include "plot/scene/scene.h"

/// Draws the far faces with their grid; axes whose bit (1 x, 2 y, 4 z) is in `labelled` get values and a name (m).
void axes_box_draw(cairo_t *c, const box *bounds, const view *eye, unsigned labelled);

#endif
