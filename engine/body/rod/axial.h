// The stretch of rods along the normal of their sections, xi_x = Phi q + xi_x*, at the points where it is looked at.
#ifndef TENDRIL_BODY_ROD_AXIAL_H
#define TENDRIL_BODY_ROD_AXIAL_H

#include "model/model.h"

/// The coordinates of q [n] that stretch the rod, [axial->count]; NULL: none does.
const double *td_axial_coordinates(const td_model *m, int rod, const double *q);
/// sum_c reach_c |q_c| >= |xi_x - xi_x*| at every point.
double td_axial_bound(const td_axial *a, const double *coordinates);
/// xi_x - xi_x* at point k.
double td_axial_added(const td_axial *a, const double *coordinates, int k);
/// xi_x* and the axial stiffness EA, N, at the point with this abscissa (0 to 1).
void td_axial_law(const td_rod *rod, double s, double *rest, double *EA);

#endif
