// Where bodies touch, and what acts there: field contact_place, as balls and arrows.
#ifndef TENDRIL_CLIENT_TOUCHING_H
#define TENDRIL_CLIENT_TOUCHING_H

#include "plot/recording.h"
#include "plot/scene/solid.h"

/// N, 0: nothing touches, or the places were not recorded.
typedef struct touching_scale {
  double most;    ///< the largest force of a place in all samples
  double longest; ///< which has the longest arrow, as have larger ones: an impact does not make what holds small
} touching_scale;
touching_scale touching_most(const recording *r);
/// Balls of `radius` at the places of a sample, and arrows along their forces: of `length` where they are of `longest` or
/// more.
void touching_draw(const recording *r, scene *solid, size_t sample, double radius, double length, double longest);

#endif
