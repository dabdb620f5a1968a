// Jacobians of all points of a link.
#ifndef TENDRIL_DYNAMICS_LINK_JACOBIANS_H
#define TENDRIL_DYNAMICS_LINK_JACOBIANS_H

#include "model/workspace.h"

/// J [points][6][n] as td_node_jacobian gives them. O(points n), ancestors of the first point besides. Overwrites
/// ws->tables.
void td_link_jacobians(const td_model *m, td_workspace *ws, int link, double *J);

#endif
