// Energy of a state.
//   kinetic = sum V^T M V / 2,  elastic = q^T K q / 2 + joint springs + tendons driven by length + springs,  gravitational = -sum m g.p  (m less displaced fluid)
#include "algorithm/composite_nodes.h"
#include "algorithm/dynamics.h"
#include "algorithm/external.h"
#include "algorithm/kinematics.h"
#include "algorithm/spring.h"
#include "algorithm/tension.h"
#include "body/ritz/ritz.h"
#include "body/section/section_elasticity.h"
#include "body/section/slice.h"
#include "lie/vec3.h"
#include <math.h>

static double kinetic_of(const double *M, const double *V) {
  double Iw[3] = {M[4] * V[0] + M[5] * V[1] + M[6] * V[2], M[5] * V[0] + M[7] * V[1] + M[8] * V[2],
                  M[6] * V[0] + M[8] * V[1] + M[9] * V[2]};
  double hv[3];
  td_vec3_cross(M + 1, V + 3, hv); // w.(h x v) appears twice
  return 0.5 * td_vec3_dot(V, Iw) + td_vec3_dot(V, hv) + 0.5 * M[0] * td_vec3_dot(V + 3, V + 3);
}

static double elastic_of(const td_model *m, const double *q) {
  double energy = 0;
  for (int i = 0; i < m->n; i++) energy += 0.5 * m->joint_stiffness[i] * pow(q[i] - m->joint_rest[i], 2);
  for (int r = 0; r < m->rod_count; r++) {
    const td_rod *rod = &m->rod[r];
    const double *block = rod->stiffness, *x = q + m->element[rod->element].coordinate;
    for (int g = 0; g < rod->group_count; g++)
      for (int i = 0; i < rod->group[g].count; i++)
        for (int j = 0; j < rod->group[g].count; j++)
          energy += 0.5 * *block++ * x[rod->group[g].first + i] * x[rod->group[g].first + j];
    int n = rod->coupling ? m->element[rod->element].n : 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) energy += 0.5 * rod->coupling[i * n + j] * x[i] * x[j];
  }
  return energy;
}

// What the particles on a node weigh (`displaced` kg of fluid by kg of them carry) and, frozen, move: their mass is in the node's
// own composite.
static void add_particles(const td_model *m, const td_workspace *ws, int node, double displaced, td_energy *energy) {
  const double *M = ws->composite[node].M;
  for (int k = 0; k < 3; k++)
    energy->gravitational -= (1 - displaced) * m->gravity[k] * (M[1 + k] + M[0] * ws->origin[k]);
  energy->kinetic += kinetic_of(M, ws->V[node]);
}

// What inputs stretch: tendons driven by length and springs with a channel; and springs without.
static void add_stretched(const td_model *m, td_workspace *ws, const double *u, double tendons, td_energy *energy) {
  double springs, driven;
  td_spring_energy(m, ws, u, &springs, &driven);
  energy->elastic += tendons + springs;
  energy->driven = tendons + driven;
}

td_status td_energy_at(const td_model *model, td_workspace *ws, const double *q, const double *qd, td_energy *energy) {
  return td_state_energy(model, ws, &(td_state){.q = q, .qd = qd}, energy);
}

td_status td_state_energy(const td_model *model, td_workspace *ws, const td_state *state, td_energy *energy) {
  const double *q = state->q, *qd = state->qd;
  double tendons = td_tension_energy(model, ws, q, state->u);
  td_kinematics(model, ws, q, qd ? qd : ws->zero, NULL, model->gravity, TD_LEVEL_TWIST);
  td_composite_nodes(model, ws, NULL, 0, NULL, TD_COMPOSITE_MASS);
  *energy = (td_energy){.elastic = elastic_of(model, q) + td_section_energy(model, q) + td_ritz_energy(model, q)};
  if (model->spring_count || model->length_count) add_stretched(model, ws, state->u, tendons, energy);
  for (int k = 1; k < model->node_count; k++) {
    if (model->node[k].inertia < 0) continue;
    const td_inertia *in = &model->inertia[model->node[k].inertia];
    double com[3];
    td_node_point(ws, k, in->com, com);
    for (int i = 0; i < 3; i++)
      energy->gravitational -= (in->mass - in->displaced) * model->gravity[i] * (com[i] + ws->origin[i]);
    if (in->displaced > 0 &&
        model->water.has_surface) { // gravity is along z: what stands above the surface is not lifted
      double z = com[2] + ws->origin[2];
      energy->gravitational += in->displaced * model->gravity[2] * (td_water_wet_height(&model->water, z) - z);
    }
    energy->kinetic += kinetic_of(ws->composite[k].M, ws->V[k]);
  }
  for (int i = 0; i < model->slice_count; i++)
    add_particles(model, ws, model->slice[i].node, model->slice[i].displaced, energy);
  for (int i = 0; i < model->solid_count; i++)
    add_particles(model, ws, model->solid[i].node, model->solid[i].displaced, energy);
  double added;
  td_external_energy(model, ws, &added, &energy->contact);
  energy->kinetic += added + td_slice_kinetic(model, ws) + td_ritz_kinetic(model, ws);
  double values[4] = {energy->kinetic, energy->elastic, energy->gravitational, energy->contact};
  return td_all_finite(values, 4);
}
