// Springs and dampers along the line between two points of the robot or the world.
//
//   r = p_b - p_a,  d = sqrt(r.r + e^2),  n = r / d,  T = stiffness (d - rest - u) + damping n.r';  force T n on a, -T
// n on b.
// e = 1e-9 m gives the line a direction where the points meet: nothing changes beyond rounding at distances that robots
// have, a spring
// of rest 0 is stiffness r exactly, and every derivative exists. Energy stiffness (d - rest - u)^2 / 2.
#ifndef TENDRIL_FORCE_SPRING_H
#define TENDRIL_FORCE_SPRING_H

#include "model/workspace.h"

/// Largest entry of what any one spring exerts at rest.
double td_spring_scale(const td_model *m, td_workspace *ws, const double *q, const double *u);
/// Distance of a spring's ends, m; poses in ws.
double td_spring_length(const td_workspace *ws, const td_spring *spring);

#endif
