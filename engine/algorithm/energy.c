// Energy of a state.
//   kinetic = sum V^T M V / 2,  elastic = q^T K q / 2 + joint springs + tendons driven by length + springs,  gravitational = -sum m g.p  (m less displaced fluid)
#include "algorithm/composite_nodes.h"
#include "algorithm/dynamics.h"
#include "algorithm/external.h"
#include "force/spring.h"
#include "force/tension.h"
#include "pass/kinematics.h"
#include <math.h>

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
  *energy = (td_energy){.elastic = elastic_of(model, q)};
  for (const td_body_row *const *row = model->bodies; *row; row++)
    if ((*row)->elastic) energy->elastic += (*row)->elastic(model, q);
  if (model->spring_count || model->length_count) add_stretched(model, ws, state->u, tendons, energy);
  for (const td_body_row *const *row = model->bodies; *row; row++)
    if ((*row)->weigh) (*row)->weigh(model, ws, &energy->kinetic, &energy->gravitational);
  double moving; // the added mass, and what moves within bodies
  td_external_energy(model, ws, &moving, &energy->contact);
  for (const td_body_row *const *row = model->bodies; *row; row++)
    if ((*row)->kinetic) moving += (*row)->kinetic(model, ws);
  energy->kinetic += moving;
  double values[4] = {energy->kinetic, energy->elastic, energy->gravitational, energy->contact};
  return td_all_finite(values, 4);
}
