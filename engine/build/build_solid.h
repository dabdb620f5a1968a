// Solids that touch each other: proxies of rods, of shapes, of lines without end.
#ifndef TENDRIL_BUILD_BUILD_SOLID_H
#define TENDRIL_BUILD_BUILD_SOLID_H

#include "element/collision.h"
#include "element/contact.h"
#include "model/block.h"
#include "model/model.h"

/// m, at computational point k.
double td_solid_rod_radius(const td_rod *rod, int k);
/// points: it may touch cores.
void td_solid_add_rod(td_model *m, const td_rod *rod, bool points);
/// A shape that hangs on a node (0: the world). thin: m, of what it meets where that is thinnest.
TD_NODISCARD td_status td_solid_add_shape(td_model *m, int node, const td_collision_spec *c, bool points, double thin);
/// A cylinder without end that stands in the world.
void td_solid_add_line(td_model *m, const td_obstacle *o);
/// How many proxies a shape has, at the most.
int td_solid_proxies(const td_collision_spec *c, double thin);
/// coarse_contact, where what it meets may pass between points of its edges. link: or -1 - contact of a box.
void td_solid_warn_of_thin(td_model *m, const td_collision_spec *c, int link, double thin);

#endif
