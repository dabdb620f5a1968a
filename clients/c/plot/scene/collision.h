// What bodies touch with, which may be another shape than what is drawn of them.
#ifndef TENDRIL_CLIENT_COLLISION_H
#define TENDRIL_CLIENT_COLLISION_H

#include "plot/canvas/canvas.h"
#include "plot/scene/robot.h"

/// Makes a box hold what a link touches with at one sample.
void collision_grow(const track *k, size_t sample, box *b);
/// The outline of what a link touches with, through which everything else is seen; nothing for links without one.
void collision_draw(cairo_t *c, const track *k, size_t sample, const view *eye);

#endif
