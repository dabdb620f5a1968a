// Joints whose angle nobody sees: a rotor that is the same from all sides.
#ifndef TENDRIL_RUN_JUDGE_SECOND_UNSEEN_TURN_H
#define TENDRIL_RUN_JUDGE_SECOND_UNSEEN_TURN_H

#include "model/model.h"

/// Whether the angle of a revolute joint changes nothing that can be seen or felt but itself: all that it carries is
/// rigid, has its centre of mass on the axis and one inertia about all axes across it, and no spring, tendon, loop,
/// fluid, magnet, or force that turns along or acts beside the axis. Of such a rotor where it stands is no matter, only
/// how far it has turned. O(nodes^2) at worst, no allocation.
bool td_turns_unseen(const td_model *model, const td_element *joint);

#endif
