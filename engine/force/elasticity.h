// The linear part of what joints and bodies resist with.
#ifndef TENDRIL_FORCE_ELASTICITY_H
#define TENDRIL_FORCE_ELASTICITY_H

#include "force/force.h"

/// Stiffness and damping of joints and bodies at q = 0, qd = 0, with the sign of what adds to tau: ws->dtau_dq and
/// ws->dtau_dqd [n][ld] become -K and -D. Constant over a run: linear laws have no other.
void td_elasticity_at_rest(const td_model *m, td_workspace *ws);

#endif
