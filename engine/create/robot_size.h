// How large a robot is, and the rests of springs and tendons beside that.
#ifndef TENDRIL_CREATE_ROBOT_SIZE_H
#define TENDRIL_CREATE_ROBOT_SIZE_H

#include "model/workspace.h"

/// Largest distance of a node from the first one, m, by the poses in ws.
double td_robot_size(const td_model *m, const td_workspace *ws);
/// Warns of rests given for springs and tendons driven by length (length [tendons] at q = 0) that millimetres would
/// explain.
void td_warn_of_odd_rests(td_model *m, const td_model_spec *spec, const td_workspace *ws, const double *length);
/// Warns of obstacles that a robot with a root that stays cannot reach. Overwrites poses and twists.
void td_warn_of_far_obstacles(td_model *m, const td_model_spec *spec, td_workspace *ws);

#endif
