// Convex solids that are rounded: a core, and all that is within `rounding` of it.
//
// A ball of radius r whose centre is x is  d = r + rounding - distance(x)  deep in such a solid. The distance from the
// core is C1 outside of it, and its second derivative is that of the nearest feature: of a face 0, of an edge
// (1 - e e^T - n n^T) / distance, of a corner (1 - n n^T) / distance. Within the core it is negative, from the nearest
// face: what has come that deep is still pushed out, by a force that turns where another face is nearer.
#ifndef TENDRIL_ELEMENT_CORE_H
#define TENDRIL_ELEMENT_CORE_H

#include "math/lanes.h"
#include "tendril/spec.h"

typedef enum td_core_kind { TD_CORE_BOX, TD_CORE_CYLINDER, TD_CORE_MESH } td_core_kind;

/// A face of a mesh: n.x <= at within; its corners go round it, seen from outside against the clock.
typedef struct td_core_face {
  double n[3], at;
  int first, count; ///< indices into td_core.corner
} td_core_face;

/// An edge of a mesh: its ends, and the faces beside it.
typedef struct td_core_edge {
  int point[2], face[2];
} td_core_edge;

typedef struct td_core {
  td_core_kind kind;
  td_se3 pose;      ///< its middle and axes in the link's frame; of a mesh the identity and `middle` at 0
  double half[3];   ///< m: box; cylinder: radius, radius, half its length, along z; mesh: of the box about it
  double middle[3]; ///< of the box about it, in `pose`
  double rounding;  ///< m
  int face_count, edge_count, point_count; ///< mesh
  const td_core_face *face;
  const int *corner; ///< of faces, one behind the other: indices into `point`
  const td_core_edge *edge;
  const double (*point)[3];
} td_core;

/// How a point lies before a core: its distance from the core, m (negative: within), the unit normal there, away from
/// the core, and how that turns as the point moves, dn/dx (symmetric).
typedef struct td_core_near {
  double distance, n[3], bend[9];
  int edge; ///< of a box, where an edge of it is nearest: along which of its axes
} td_core_near;

/// x [3] in the link's frame; so are n and bend. O(1); of a mesh O(its edges). No allocation.
void td_core_near_at(const td_core *core, const double x[3], td_core_near *out);

/// How a touch changes, TD_LANES ways side by side: the distance, the normal, and where the nearest point of the core
/// moves in it.
typedef struct td_core_way {
  td_vec distance, n[3], slide[3];
} td_core_way;
/// way [3]: of x against the core's material at its point nearest to x; turn [3] of the core. All in the axes of `near`.
/// O(1).
void td_core_follow(const td_core_near *near, const td_vec way[3], const td_vec turn[3], td_core_way *out);

#endif
