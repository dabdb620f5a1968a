// The robot at several instants in one picture, with a box of axes and a scale of time.
#ifndef TENDRIL_CLIENT_SHAPES_H
#define TENDRIL_CLIENT_SHAPES_H

#include "plot/canvas.h"
#include "plot/recording.h"

typedef enum shapes_layout { SHAPES_AUTO, SHAPES_TOGETHER, SHAPES_APART } shapes_layout;

typedef struct shapes_style {
  shapes_layout layout;
  long instants;             ///< how many shapes
  double azimuth, elevation; ///< of the eye, degrees
  const char *link;          ///< whose tip leaves the trace, NULL: the last rod
} shapes_style;

void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style);

#endif
