// What each node and everything beyond it exerts: wrenches, inertias, Coriolis maps, summed towards the root.
#ifndef TENDRIL_PASS_COMPOSITE_H
#define TENDRIL_PASS_COMPOSITE_H

#include "body/body.h"
#include "lie/vec3.h"
#include "model/workspace.h"
#include <string.h>

/// Everything to zero: no mass, no wrench.
void td_composite_clear(const td_model *m, td_workspace *ws);
/// The same as far as `level` goes: B and N, most of the memory, are whatever they were where it leaves them alone.
void td_composite_clear_to(const td_model *m, td_workspace *ws, td_composite_level level);
/// Sums them over subtrees: composite[k] becomes node k and all beyond it.
void td_composite_sum(const td_model *m, td_workspace *ws, td_composite_level level);
/// generalized [n] = J^T F of the summed composites: what id is made of.
void td_composite_project(const td_model *m, td_workspace *ws, double *generalized);
/// Adds a world-frame wrench (moment about `point`, force) that acts on a node from outside: F -= W, N += its
/// stiffness.
void td_composite_apply(td_composite *c, const double moment[3], const double force[3], const double point[3]);
/// What M holds displaces fluid that pushes with -lift [3] per kg, in F already: N += M ad_(0, lift), its stiffness.
void td_composite_lift(td_composite *c, const double lift[3]);
/// V.M V / 2 of an inertia M (m; first moment; xx xy xz yy yz zz), J.
double td_inertia_kinetic(const double M[TD_INERTIA_SIZE], const double V[6]);
/// What the particles on a node weigh (`displaced` kg of fluid by kg of them carry) and, frozen, move: their mass is in
/// the node's own composite, which is not summed yet.
void td_composite_weigh(const td_model *m, const td_workspace *ws, int node, double displaced, double *kinetic,
                        double *gravitational);
/// World position of a point given in a node's frame, relative to ws->origin.
void td_node_point(const td_workspace *ws, int node, const double local[3], double world[3]);
/// The same relative to the world's own origin.
void td_node_place(const td_workspace *ws, int node, const double local[3], double world[3]);

/// v [3]: velocity of point p (world axes about the origin) of a node.
static inline void td_point_velocity(const td_workspace *ws, int node, const double *p, double *v) {
  memcpy(v, ws->V[node] + 3, 3 * sizeof *v);
  td_vec3_cross_add(ws->V[node], p, v);
}

#endif
