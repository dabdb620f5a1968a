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

/// elastic [n], damping [n] += forces of springs and of dampers (may be one array). qd, u NULL: zero. Overwrites poses
/// and composites.
void td_spring_forces(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      double *elastic, double *damping);
/// ws->dtau_dq, ws->dtau_dqd += their derivatives. Overwrites composites, columns and the matrices of id.
void td_spring_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u);
/// Columns of dtau_du [n][channels] of springs with a channel.
void td_spring_inputs(const td_model *m, td_workspace *ws, const double *q, double *dtau_du);
/// Largest entry of what any one spring exerts at rest.
double td_spring_scale(const td_model *m, td_workspace *ws, const double *q, const double *u);
/// J stored in all springs, and of that in those with a channel; poses of q in ws.
void td_spring_energy(const td_model *m, const td_workspace *ws, const double *u, double *all, double *driven);
/// W of the stored forces of springs with a channel.
double td_spring_power(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u);
/// Distance of a spring's ends, m; poses in ws.
double td_spring_length(const td_workspace *ws, const td_spring *spring);

#endif
