// What the forces of water share: maps of a body's td_fluid in the world frame.
#ifndef TENDRIL_FORCE_WATER_WATER_MAP_H
#define TENDRIL_FORCE_WATER_WATER_MAP_H

#include "force/world_map.h"
#include "lie/spatial.h"
#include "model/workspace.h"
#include "pass/composite.h"
#include <string.h>

/// world [6][6]: a map G of the body ([3][3] when f->linear, else [6][6]) about its reference point, now at p, turned
/// and shifted to the origin.
static inline void td_water_map(const td_workspace *ws, const td_fluid *f, const double *G, const double *p,
                                double *world) {
  double turned[TD_MATRIX6];
  memset(world, 0, TD_MATRIX6 * sizeof *world);
  if (f->linear) {
    td_turn(ws->pose[f->node].R, G, turned);
    td_add_point_map(turned, p, world);
  } else {
    td_turn_map(ws->pose[f->node].R, G, turned);
    td_add_body_map(turned, p, world);
  }
}

/// out [6] = G x
static inline void td_water_times(const double *G, const double *x, double *out) {
  for (int i = 0; i < 6; i++) out[i] = td_dot6(G + 6 * i, x);
}

/// Kinetic energy of a body's added mass where it is wet, J. Needs poses and V.
static inline double td_water_kinetic(const td_workspace *ws, const td_fluid *f) {
  const td_se3 *g = &ws->pose[f->node];
  double p[3], v[3], eta[6], momentum[6] = {0};
  td_node_point(ws, f->node, f->point, p);
  td_point_velocity(ws, f->node, p, v);
  td_mat3_tvec(g->R, ws->V[f->node], eta);
  td_mat3_tvec(g->R, v, eta + 3);
  if (f->linear)
    td_mat3_vec(f->added, eta + 3, momentum + 3);
  else
    td_water_times(f->added, eta, momentum);
  return 0.5 * td_dot6(eta, momentum);
}

#endif
