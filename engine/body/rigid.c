// Newton-Euler wrenches of rigid inertias (rigid bodies, and the sections of a rod at its Gauss points), in the world
// frame.
//
// A body of mass m, first moment h = m c and inertia I about the origin has momentum L = I w + h x v, P = m v + w x h
// and needs
//   F = (I wd + h x vd + w x L + v x P,  m vd - h x wd + w x P).
// dF/dV along the rate dV/dq seen from the body is B = (B11, -2 P^) acting on the angular part alone,
//   B11 = -L^ + w^ I - I w^ + 2 (h.v) 1 - h v^T - v h^T.
#include "body/body.h"
#include "element/water.h"
#include "lie/spatial.h"
#include "pass/composite.h"

// I_world = R I_c R^T + m (c.c 1 - c c^T), M = (m, m c, I).
TD_INLINE void world_inertia(const td_inertia *in, const td_se3 *g, double M[TD_INERTIA_SIZE]) {
  const double *R = g->R, *J = in->inertia, m = in->mass;
  double c[3], RJ[9];
  td_mat3_vec(R, in->com, c);
  for (int i = 0; i < 3; i++) c[i] += g->p[i];
  for (int i = 0; i < 3; i++) {
    const double *r = R + 3 * i;
    RJ[3 * i] = r[0] * J[0] + r[1] * J[1] + r[2] * J[2];
    RJ[3 * i + 1] = r[0] * J[1] + r[1] * J[3] + r[2] * J[4];
    RJ[3 * i + 2] = r[0] * J[2] + r[1] * J[4] + r[2] * J[5];
  }
  M[0] = m;
  for (int i = 0; i < 3; i++) M[1 + i] = m * c[i];
  double cc = m * td_vec3_dot(c, c);
  M[4] = td_vec3_dot(RJ, R) + cc - m * c[0] * c[0];
  M[5] = td_vec3_dot(RJ, R + 3) - m * c[0] * c[1];
  M[6] = td_vec3_dot(RJ, R + 6) - m * c[0] * c[2];
  M[7] = td_vec3_dot(RJ + 3, R + 3) + cc - m * c[1] * c[1];
  M[8] = td_vec3_dot(RJ + 3, R + 6) - m * c[1] * c[2];
  M[9] = td_vec3_dot(RJ + 6, R + 6) + cc - m * c[2] * c[2];
}

// B11 and 2 P of one body.
TD_INLINE void coriolis_map(const double *M, const double *V, const double *momentum, double *B) {
  const double *w = V, *v = V + 3, *h = M + 1, *L = momentum, *P = momentum + 3;
  const double I[9] = {M[4], M[5], M[6], M[5], M[7], M[8], M[6], M[8], M[9]};
  double wI[9];
  for (int j = 0; j < 3; j++) {
    double column[3] = {I[j], I[3 + j], I[6 + j]}, turned[3];
    td_vec3_cross(w, column, turned);
    for (int i = 0; i < 3; i++) wI[3 * i + j] = turned[i];
  }
  double hv = 2 * td_vec3_dot(h, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[3 * i + j] = wI[3 * i + j] + wI[3 * j + i] - h[i] * v[j] - v[i] * h[j]; // -I w^ = (w^ I)^T
  for (int i = 0; i < 3; i++) B[4 * i] += hv, B[9 + i] = 2 * P[i];
  B[1] += L[2], B[2] -= L[1], B[3] -= L[2], B[5] += L[0], B[6] += L[1], B[7] -= L[0];
}

TD_INLINE void rigid_node(td_workspace *ws, int node, const td_inertia *in, td_composite_level level) {
  td_composite *c = &ws->composite[node];
  double momentum[6];
  world_inertia(in, &ws->pose[node], c->M);
  if (level == TD_COMPOSITE_MASS) return;
  const double *V = ws->V[node];
  td_inertia_times_scalar(c->M, ws->A[node], ws->A[node] + 3, c->F);
  td_inertia_times_scalar(c->M, V, V + 3, momentum);
  td_cobracket_add(V, momentum, c->F);
  if (level == TD_COMPOSITE_ALL) coriolis_map(c->M, V, momentum, c->B);
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
