// Mass properties of a rigid body: as given, or those of a homogeneous solid.
#ifndef TENDRIL_ELEMENT_RIGID_SHAPE_H
#define TENDRIL_ELEMENT_RIGID_SHAPE_H

#include "tendril/spec.h"

typedef struct td_mass_properties {
  double mass;       ///< kg
  double com[3];     ///< centre of mass in the link frame, m
  double inertia[9]; ///< about the centre of mass in link axes, symmetric, kg m^2
} td_mass_properties;

/// Of a spec that td_spec_check has accepted. Shapes are centred (centroid) at `com`. Box: edges along the link's axes.
/// Cylinder, prism: about/along their `axis`; the polygon's two coordinates are measured along e1, e2 of td_axis_plane.
void td_rigid_mass_properties(const td_rigid_spec *rigid, td_mass_properties *out);

/// kg/m^3 for buoyancy: `body_density`, or that of the shape; 0: not known, no buoyancy.
double td_rigid_density(const td_rigid_spec *rigid);

/// The unit axis and unit vectors e1, e2 of the plane normal to it. x, y, z and their negatives: the other two
/// coordinate axes in cyclic order (x: y, z; y: z, x; z: x, y), so that a negative axis makes a left-handed frame; a
/// skew axis: e1 = normalised(k x axis), k the first coordinate axis with abs(component) < 0.9, e2 = axis x e1. `axis`
/// has any length but 0.
void td_axis_plane(const double axis[3], double unit[3], double e1[3], double e2[3]);

/// Area and signed first and second moments of a polygon [count][2] about its centroid; area > 0 whatever the
/// orientation.
typedef struct td_polygon_moments {
  double area, centroid[2], xx, yy, xy; ///< xx = int x^2 dA about the centroid …
} td_polygon_moments;
void td_polygon_moments_of(const double *polygon, size_t count, td_polygon_moments *out);

#endif
