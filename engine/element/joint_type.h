// What a joint moves, by its type: all of it follows from its line in spec.h (td_joint_moves).
#ifndef TENDRIL_ELEMENT_JOINT_TYPE_H
#define TENDRIL_ELEMENT_JOINT_TYPE_H

#include "tendril/spec.h"

/// The component of a twist, wx wy wz vx vy vz in the frame of td_joint_moves, that coordinate `c` of a joint moves.
int td_joint_component(td_joint_type type, int c);
/// Twists Phi [dof][6] of a joint's coordinates at rest, in the joint's frame.
void td_joint_twists(const td_joint_spec *joint, double twist[6][6]);
/// True when the joint has an axis: what it moves is not the same in every direction.
bool td_joint_has_axis(td_joint_type type);

#endif
