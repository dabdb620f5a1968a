// Jacobian of a node.
#ifndef TENDRIL_PASS_JACOBIAN_H
#define TENDRIL_PASS_JACOBIAN_H

#include "model/workspace.h"

/// World Jacobian columns of one node: J [6][n] (twist of the node's frame, world frame about ws->origin), 0 off its
/// path. Needs poses and motion in ws; overwrites ws->tables. Not for hot paths.
void td_node_jacobian(const td_model *m, td_workspace *ws, int node, double *J);

#endif
