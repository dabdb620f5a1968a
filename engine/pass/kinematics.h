// Forward passes over the tree: poses, twists, accelerations in the world frame.
#ifndef TENDRIL_PASS_KINEMATICS_H
#define TENDRIL_PASS_KINEMATICS_H

#include "body/body.h"
#include "model/workspace.h"

/// Fills pose, and V, A as far as `level` asks, of all nodes and the motion of all strips.
/// q, qd, qdd [n], the latter two read as far as `level` asks; gravity [3] enters A of the root as -gravity.
/// Poses and twists that ws holds of arrays that are steady (td_steady_begin) are not computed again; all others are.
void td_kinematics(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                   const double *gravity, td_level level);

#endif
