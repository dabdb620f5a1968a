// How many points integrate a reduced body: what its document says, or enough for its measures, widths and modes.
//
// Defaults keep the error of mass and stiffness at rest below 0.1 %, as far as the format's bounds allow.
#ifndef TENDRIL_ELEMENT_REDUCED_POINTS_H
#define TENDRIL_ELEMENT_REDUCED_POINTS_H

#include "tendril/spec.h"

enum { TD_AXIS_POINTS_MOST = 64, TD_RADIUS_POINTS_MOST = 32, TD_ANGLE_POINTS_MOST = 64 };

/// Gauss points on [0, L] of bodies with a backbone.
int td_reduced_s_points(const td_reduced_spec *spec);
/// Points along the radius of sections that deform.
int td_reduced_r_points(const td_reduced_spec *spec);
/// Points around sections that deform: angle (rad) and weight (sum 1) of each, TD_ANGLE_POINTS_MOST at most; returns
/// their number. pcc_variable_radius: Gauss's on the turn, or by default on each half of it, where its bumps meet; lvp:
/// (i + 1/2) 2 pi / n.
int td_reduced_angles(const td_reduced_spec *spec, double *angle, double *weight);
/// Gauss points of a box along x, y, z.
void td_reduced_box_points(const td_reduced_spec *spec, int side[3]);
/// Gauss points of a mesh along each direction of an element. The default is found by trial: with one more, masses and
/// stiffnesses of the modes at rest stay the same. Cost: O(modes^2) at some thousand points; no allocation.
int td_reduced_mesh_points(const td_reduced_spec *spec);

#endif
