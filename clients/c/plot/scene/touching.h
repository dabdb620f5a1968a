// Where bodies touch, and what acts there: field contact_place, as balls and arrows.
#ifndef TENDRIL_CLIENT_TOUCHING_H
#define TENDRIL_CLIENT_TOUCHING_H

#include "plot/recording.h"
#include "plot/scene/solid.h"

/// N: the largest force of a place in all samples; 0: nothing touches, or the places were not recorded.
double touching_most(const recording *r);
/// Balls of `radius` at the places of a sample, and arrows along their forces; one of a force of 1 N is `length` long.
void touching_draw(const recording *r, scene *solid, size_t sample, double radius, double length);

#endif
