// What a job sets moving faster than any robot moves.
#ifndef TENDRIL_INPUT_ODD_SPEED_H
#define TENDRIL_INPUT_ODD_SPEED_H

#include "spec/place.h"
#include "tendril/run.h"

/// Warns (`odd_input`) of initial velocities and of prescribed joints. Allocates: not for hot paths.
void td_speeds_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
