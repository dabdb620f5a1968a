// Newton-Euler wrenches of rigid inertias (rigid bodies, and the sections of a rod at its Gauss points), in the world
// frame.
//
// A body of mass m, first moment h = m c and inertia I about the origin has momentum L = I w + h x v, P = m v + w x h
// and needs
//   F = (I wd + h x vd + w x L + v x P,  m vd - h x wd + w x P).
#include "body/body.h"
#include "body/rigid_maps.h"
#include "element/water.h"
#include "lie/spatial.h"
#include "pass/composite.h"

TD_INLINE void rigid_node(td_workspace *ws, int node, const td_inertia *in, td_composite_level level) {
  td_composite *c = &ws->composite[node];
  double momentum[6];
  td_world_inertia_scalar(in, ws->pose[node].R, ws->pose[node].p, c->M);
  if (level == TD_COMPOSITE_MASS) return;
  const double *V = ws->V[node];
  td_inertia_times_scalar(c->M, ws->A[node], ws->A[node] + 3, c->F);
  td_inertia_times_scalar(c->M, V, V + 3, momentum);
  td_cobracket_add(V, momentum, c->F);
  if (level == TD_COMPOSITE_ALL) td_coriolis_map_scalar(c->M, V, momentum, c->B);
}

static void rigid_nodes(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level) {
  (void)gravity;
  for (int k = 1; k < m->node_count; k++)
    if (m->node[k].inertia >= 0) rigid_node(ws, k, &m->inertia[m->node[k].inertia], level);
}

// Gravity is along z where there is a surface: what stands above it is not lifted.
static double weight_of(const td_model *m, const td_workspace *ws, int node, const td_inertia *in, double energy) {
  double com[3];
  td_node_point(ws, node, in->com, com);
  for (int i = 0; i < 3; i++) energy -= (in->mass - in->displaced) * m->gravity[i] * (com[i] + ws->origin[i]);
  if (!(in->displaced > 0) || !m->water.has_surface) return energy;
  double z = com[2] + ws->origin[2];
  return energy + in->displaced * m->gravity[2] * (td_water_wet_height(&m->water, z) - z);
}

static void rigid_weigh(const td_model *m, const td_workspace *ws, double *kinetic, double *gravitational) {
  for (int k = 1; k < m->node_count; k++) {
    if (m->node[k].inertia < 0) continue;
    *gravitational = weight_of(m, ws, k, &m->inertia[m->node[k].inertia], *gravitational);
    *kinetic += td_inertia_kinetic(ws->composite[k].M, ws->V[k]);
  }
}

const td_body_row td_body_rigid = {.name = "rigid", .nodes = rigid_nodes, .weigh = rigid_weigh};
