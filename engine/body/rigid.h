// Rigid inertias: those of rigid bodies and of the sections of rods.
#ifndef TENDRIL_BODY_RIGID_H
#define TENDRIL_BODY_RIGID_H

#include "pass/composite.h"

/// F, M, B of every node's own inertia, as far as `level` asks, from its pose, twist and acceleration.
void td_rigid_nodes(const td_model *m, td_workspace *ws, td_composite_level level);

#endif
