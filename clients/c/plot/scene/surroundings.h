// What the robot touches: the model's contact geometry, and where its water ends.
#ifndef TENDRIL_CLIENT_SURROUNDINGS_H
#define TENDRIL_CLIENT_SURROUNDINGS_H

#include "plot/canvas/place.h"

/// Enlarges the robot's bounds by what will be drawn around it.
void surroundings_grow(const json_t *model, box *bounds);
/// The water's surface where it crosses `bounds`; cylinders and planes as far as `bounds` reach: hollow ones as wire,
/// solid ones as bodies. `wire`: radius of a line.
void surroundings_draw(scene *s, const json_t *model, const box *bounds, double wire);

#endif
