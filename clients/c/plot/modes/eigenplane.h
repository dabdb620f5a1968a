// A linearisation as a picture: eigenvalues in the complex plane, and its slowest modes in words.
#ifndef TENDRIL_CLIENT_EIGENPLANE_H
#define TENDRIL_CLIENT_EIGENPLANE_H

#include "plot/canvas/canvas.h"
#include "plot/modes/spectrum.h"

/// Crosses swing, rings do not, what is right of the dashed line grows; states from dark to bright.
void eigenplane_draw(cairo_t *c, rect place, const recording *r, const spectrum *list, size_t count);
/// How high the table of the last state's modes is where there is room for `most`.
double modes_height(const spectrum *last, double most);
/// Its slowest modes: how often they swing, how damped they are, how long they last, and what moves most in them.
void modes_draw(cairo_t *c, rect place, const recording *r, const spectrum *last);

#endif
