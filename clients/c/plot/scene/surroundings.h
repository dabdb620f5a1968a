// What the robot touches: the model's contact geometry, and where its water ends.
#ifndef TENDRIL_CLIENT_SURROUNDINGS_H
#define TENDRIL_CLIENT_SURROUNDINGS_H

#include "plot/canvas/place.h"

/// Enlarges the robot's bounds by what will be drawn around it.
void surroundings_grow(const json_t *model, box *bounds);
/// The water's surface where it crosses `bounds`; cylinders and planes as far as `bounds` reach; of bodies the edges, as
/// wire. `wire`: radius of a line.
void surroundings_draw(scene *s, const json_t *model, const box *bounds, double wire);
/// The faces of bodies (boxes, balls, cylinders), to be seen through: scene_cover. False where there are none.
bool surroundings_panes(scene *s, const json_t *model, const box *bounds);

#endif
