// The robot at several instants in one picture, with a box of axes and a scale of time.
#ifndef TENDRIL_CLIENT_SHAPES_H
#define TENDRIL_CLIENT_SHAPES_H

#include "plot/scene/stage.h"

void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style);

#endif
