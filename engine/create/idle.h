// What moves nothing: loads and tendons whose generalized force is 0 wherever the robot is.
#ifndef TENDRIL_CREATE_IDLE_H
#define TENDRIL_CREATE_IDLE_H

#include "model/workspace.h"

enum { TD_IDLE_LOOKS = 3 };

/// q [n] of look 0 … TD_IDLE_LOOKS - 1: configurations as general as any.
void td_idle_look(const td_model *m, int look, double *q);
/// True when u of this channel, a load's or a tendon's, has no generalized force at any look: what it works on is
/// locked. False for all other channels, and where there is not enough memory. q, out [n]: scratch. O(points) a look,
/// no allocation but for tendons.
bool td_channel_is_idle(const td_model *m, td_workspace *ws, int channel, double *q, double *out);
/// Warns of loads and tendons that move nothing, and obstacles out of reach, of a model that is being created: it is no
/// one else's yet.
void td_warn_of_idle_parts(td_model *m, const td_model_spec *spec);

#endif
