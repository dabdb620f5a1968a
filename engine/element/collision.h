// What rigid bodies touch with: spheres whose hull the body is. A shape is a row.
//
// Against what does not bulge towards the body (a plane, a tube from inside) the deepest point of the hull is that of
// one of the spheres, so that they are all that is needed.
#ifndef TENDRIL_ELEMENT_COLLISION_H
#define TENDRIL_ELEMENT_COLLISION_H

#include "element/core.h"

enum { TD_RIM_POINTS = 24 };
/// Radius of sharp edges between bodies, of half of what the body measures where it is thinnest.
#define TD_ROUNDED 0.1

typedef struct td_collision_row {
  const char *name; ///< the document's word
  double (*radius)(const td_collision_spec *c);
  double (*half)(const td_collision_spec *c);
  size_t (*count)(const td_collision_spec *c);
  void (*centre)(const td_collision_spec *c, size_t i, double out[3]); ///< in `pose`
} td_collision_row;

#define TD_COLLISION_ROW(word, row) extern const td_collision_row td_collision_##row;
TD_COLLISIONS(TD_COLLISION_ROW)

/// What a body touches with: its `collision`, or where that says nothing its shape, a sphere or a box. false: nothing
/// that could touch.
bool td_collision_of(const td_rigid_spec *rigid, td_collision_spec *out);
/// A rigid body that touches an obstacle of this type as bodies touch each other: what bulges may meet a hull between the
/// spheres, so that only single ones meet it by those.
bool td_collision_by_shape(const td_body_spec *body, td_contact_type obstacle);
/// Spheres; their radius, m; half of what the body measures where it is thinnest, m.
size_t td_collision_count(const td_collision_spec *c);
double td_collision_radius(const td_collision_spec *c);
double td_collision_half(const td_collision_spec *c);
/// The body as a core and its rounding, but for the faces of a mesh (element/mesh.h); false: balls and capsules, which
/// have none. O(1).
bool td_collision_core(const td_collision_spec *c, td_core *core);
/// Centre of sphere i in the link's frame, m.
void td_collision_centre(const td_collision_spec *c, size_t i, double out[3]);

#endif
