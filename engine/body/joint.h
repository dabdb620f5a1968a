// Joints of one coordinate and of none.
#ifndef TENDRIL_BODY_JOINT_H
#define TENDRIL_BODY_JOINT_H

#include "body/body.h"
#include "model/workspace.h"

/// Pose, twist and acceleration of the end of a FIXED or SCREW element, as far as `level` asks.
void td_fixed_kinematics(td_workspace *ws, const td_element *e, td_level level);
void td_screw_kinematics(const td_model *m, td_workspace *ws, const td_element *e, const double *q, const double *qd,
                         const double *qdd, td_level level);
/// Own entry, slots and ws->own of a SCREW.
void td_screw_columns(const td_model *m, td_workspace *ws, const td_element *e, int mass_only);

#endif
