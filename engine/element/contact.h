// Obstacles that spheres touch: how deep a sphere is in, which way it is pushed, how the surface curves.
// A type is a row.
#ifndef TENDRIL_ELEMENT_CONTACT_H
#define TENDRIL_ELEMENT_CONTACT_H

#include "element/core.h"

/// An obstacle fixed in the world.
typedef struct td_obstacle {
  td_contact_type type;
  double origin[3], axis[3]; ///< a point of the axis or plane, the centre; unit axis of a cylinder, normal of a plane
  double radius;             ///< cylinder, sphere, m; of a box half of its shortest edge
  td_core core;              ///< box; its `pose` is in the world
  double stiffness, exponent;
} td_obstacle;

/// How deep a sphere is in, the unit push n, and the curvature c of the level sets, dn/dp = c (1 - e e^T - n n^T): e a
/// direction in which they are straight, or 0.
typedef struct td_touch_geometry {
  double depth, n[3], curvature, straight[3];
} td_touch_geometry;

/// A type of obstacle.
typedef struct td_obstacle_row {
  const char *name;        ///< the document's word
  bool axis, radius, size; ///< which measures it has
  bool across;             ///< it is straight along the axis; else where `measure` says
  void (*measure)(const td_obstacle *obstacle, const double centre[3], double radius, td_touch_geometry *out);
} td_obstacle_row;

#define TD_OBSTACLE_ROW(word, row) extern const td_obstacle_row td_obstacle_##row;
TD_CONTACTS(TD_OBSTACLE_ROW)

/// One sphere against one obstacle: f = k depth^p n.
typedef struct td_touch {
  bool pressed;     ///< false: nothing but the depth is set
  double depth;     ///< m; not positive: apart
  double force[3];  ///< N, on the sphere, world axes, at its centre
  double slope[9];  ///< df/dposition of the centre, N/m, symmetric
  double potential; ///< k depth^(p+1) / (p+1), J
} td_touch;

/// Distance of a point from the axis (or the centre), m, and the direction away from it: 0 on it, where there is none.
double td_obstacle_distance(const td_obstacle *obstacle, const double point[3], bool from_axis, double away[3]);
void td_obstacle_of(const td_contact_spec *spec, td_obstacle *obstacle);
/// How a sphere lies before an obstacle.
void td_obstacle_measure(const td_obstacle *obstacle, const double centre[3], double radius, td_touch_geometry *out);
/// out [3] = dn/dp x: how the push turns where the sphere's centre moves by x.
void td_obstacle_turn(const td_touch_geometry *at, const double x[3], double out[3]);
/// The law k d^p with its derivative, N/m, and its integral, J.
typedef struct td_press {
  double push, steep, potential;
} td_press;
/// @param about  NULL, or the side of the surface whose law it is, as derivatives by differences go across it: the
///               quadratic polynomial about a depth *about > 0, at any depth; INFINITY: of that side, which at an
///               exponent of 1 is k d at any depth; not positive: apart
/// @return false: it does not touch, `press` is left alone. O(1).
bool td_press_at(const td_obstacle *obstacle, double depth, const double *about, td_press *press);
/// @param centre [3] world position of the sphere's centre (m)   @param radius  of the sphere (m)
/// A sphere centred on a cylinder's axis or a sphere's centre has no direction to go: force and slope 0. No allocation,
/// O(1). Source: Hertz; Mathew2025 (57)-(61) with the force inward.
void td_touch_at(const td_obstacle *obstacle, const double centre[3], double radius, td_touch *touch);
/// The same by the law of one side of the surface (td_press_at).
void td_touch_about(const td_obstacle *obstacle, const double centre[3], double radius, double about, td_touch *touch);

#endif
