// What each node and everything beyond it exerts: wrenches, inertias, Coriolis maps, summed towards the root.
#ifndef TENDRIL_ALGORITHM_COMPOSITE_H
#define TENDRIL_ALGORITHM_COMPOSITE_H

#include "model/workspace.h"

/// What to compute: wrench F; inertia M; the maps B and N of derivatives (all of them).
typedef enum td_composite_level { TD_COMPOSITE_WRENCH, TD_COMPOSITE_MASS, TD_COMPOSITE_ALL } td_composite_level;

/// Which forces enter id beside inertia, gravity and buoyancy.
enum { TD_FORCE_LOADS = 1, TD_FORCE_CONTACT = 2, TD_FORCE_DRAG = 4, TD_FORCE_ALL = 7 };

/// Everything to zero: no mass, no wrench.
void td_composite_clear(const td_model *m, td_workspace *ws);
/// Own values of every node from poses, twists and accelerations (MASS: from poses alone). `forces` says which of TD_FORCE_… act
/// (loads with inputs u, NULL: zero); `gravity` [3] as it entered A: buoyancy and the added mass's missing weight follow it.
void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                        td_composite_level level);
/// Sums them over subtrees: composite[k] becomes node k and all beyond it.
void td_composite_sum(const td_model *m, td_workspace *ws, td_composite_level level);
/// Adds a world-frame wrench (moment about `point`, force) that acts on a node from outside: F -= W, N += its stiffness.
void td_composite_apply(td_composite *c, const double moment[3], const double force[3], const double point[3]);
/// What M holds displaces fluid that pushes with -lift [3] per kg, in F already: N += M ad_(0, lift), its stiffness.
void td_composite_lift(td_composite *c, const double lift[3]);
/// generalized [n] = J^T F of the summed composites: what id is made of.
void td_composite_project(const td_model *m, td_workspace *ws, double *generalized);
/// World position of a point given in a node's frame, relative to ws->origin.
void td_node_point(const td_workspace *ws, int node, const double local[3], double world[3]);

#endif
