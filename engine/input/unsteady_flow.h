// Inputs that make the fluid's velocity change, whose own acceleration the equations leave out.
#ifndef TENDRIL_INPUT_UNSTEADY_FLOW_H
#define TENDRIL_INPUT_UNSTEADY_FLOW_H

#include "model/model.h"
#include "spec/place.h"
#include "tendril/run.h"

/// Warns (`unsteady_flow` at the fastest input) where the fluid accelerates so that what this exerts, (rho V + added
/// mass) dU/dt, is more than a quarter of the drag that it makes on the robot at rest. Jumps of steps count for
/// nothing. Of checked inputs; allocates, and says nothing without memory.
void td_unsteady_flow_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
