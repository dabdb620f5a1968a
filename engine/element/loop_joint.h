// What a loop's joint holds fixed between its two frames: what it does not move (td_joint_moves).
#ifndef TENDRIL_ELEMENT_LOOP_JOINT_H
#define TENDRIL_ELEMENT_LOOP_JOINT_H

#include "tendril/spec.h"

/// The coordinate axis (0 … 2) along which `axis` points, either way; -1 when it is skew.
int td_principal_axis(const double axis[3]);
/// rows [count][6]: covectors on log(g_B^-1 g_A), which the joint holds at 0, in the order wx wy wz vx vy vz; returns
/// count. The joint's axis must be principal. Helical: the row v_a - pitch w_a stands at v_a's place. `component`:
/// index of each row in that order.
int td_loop_joint_rows(const td_joint_spec *joint, double rows[6][6], int component[6]);
/// True when the joint leaves a rotation free.
bool td_loop_joint_turns(td_joint_type type);
/// True when the motions it leaves free are a group (all but universal): where e = 0, A qd = 0 keeps it so.
bool td_loop_joint_is_group(td_joint_type type);
/// True when e holds turn and slide together (helical) and therefore jumps where the turn passes half a turn.
bool td_loop_joint_winds(const td_joint_spec *joint);

#endif
