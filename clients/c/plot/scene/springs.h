// Springs and dampers between points, as coils and bars.
#ifndef TENDRIL_CLIENT_SPRINGS_H
#define TENDRIL_CLIENT_SPRINGS_H

#include "plot/recording.h"
#include "plot/scene/solid.h"

/// Makes room for the ends that springs have in the world.
void springs_grow(const recording *r, box *b);
/// Those of the model whose ends the recording holds, at a sample; `wire`: radius of the wire, m.
void springs_draw(const recording *r, scene *solid, size_t sample, double wire);

#endif
