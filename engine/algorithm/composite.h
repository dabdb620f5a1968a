// What each node and everything beyond it exerts: wrenches, inertias, Coriolis maps, summed towards the root.
#ifndef TENDRIL_ALGORITHM_COMPOSITE_H
#define TENDRIL_ALGORITHM_COMPOSITE_H

#include "model/workspace.h"

/// What to compute: wrench F; inertia M; the maps B and N of derivatives (all of them).
typedef enum td_composite_level { TD_COMPOSITE_WRENCH, TD_COMPOSITE_MASS, TD_COMPOSITE_ALL } td_composite_level;

/// Own values of every node from poses, twists and accelerations (MASS: from poses alone). `loads`: include loads with
/// inputs u (NULL: zero); `buoyancy` [3]: gravity that displaced fluid takes away.
void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, int loads, const double *buoyancy,
                        td_composite_level level);
/// Sums them over subtrees: composite[k] becomes node k and all beyond it.
void td_composite_sum(const td_model *m, td_workspace *ws, td_composite_level level);
/// Adds a world-frame wrench (moment about `point`, force) that acts on a node from outside: F -= W, N += its stiffness.
void td_composite_apply(td_composite *c, const double moment[3], const double force[3], const double point[3]);
/// generalized [n] = J^T F of the summed composites: what id is made of.
void td_composite_project(const td_model *m, td_workspace *ws, double *generalized);
/// World position of a point given in a node's frame, relative to ws->origin.
void td_node_point(const td_workspace *ws, int node, const double local[3], double world[3]);

#endif
