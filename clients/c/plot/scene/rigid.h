// Rigid bodies as solids.
#ifndef TENDRIL_CLIENT_RIGID_H
#define TENDRIL_CLIENT_RIGID_H

#include "plot/canvas/place.h"

/// Draws a rigid body (its `body` in the document) whose link frame is `f`: its shape, or the solid that has its mass
/// and inertia. False when the document says neither.
bool rigid_draw(scene *s, const json_t *body, const frame *f, colour paint);
/// Radius of a ball around the centre of mass that holds the drawn body; 0 without one.
double rigid_reach(const json_t *body);

#endif
