// Energy of a state: what bodies have, and what the kinds of force that act store (force/force.h).
//   kinetic = sum V^T M V / 2,  gravitational = -sum m g.p  (m less displaced fluid);  elastic, contact, magnetic and that
//   of added mass: of the forces.
#include "math/finite.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <stddef.h>

static const struct {
  const char *name;
  size_t at;
} PARTS[TD_ENERGY_PARTS] = {{"kinetic", offsetof(td_energy, kinetic)},
                            {"elastic", offsetof(td_energy, elastic)},
                            {"gravitational", offsetof(td_energy, gravitational)},
                            {"contact", offsetof(td_energy, contact)},
                            {"magnetic", offsetof(td_energy, magnetic)}};

int td_energy_count(const td_model *model) { return model->energy_count; }

const char *td_energy_name(int part) { return part >= 0 && part < TD_ENERGY_PARTS ? PARTS[part].name : NULL; }

double td_energy_part(const td_energy *energy, int part) {
  assert(part >= 0 && part < TD_ENERGY_PARTS);
  return *(const double *)((const char *)energy + PARTS[part].at);
}

static void add_forces(const td_model *m, td_workspace *ws, const td_state *state, td_energy *energy) {
  for (int i = 0; i < m->body_force_count; i++)
    if (m->body_force[i]->energy) m->body_force[i]->energy(m, ws, state->q, state->u, energy);
  for (int i = 0; i < m->tau_force_count; i++)
    if (m->tau_force[i]->energy) m->tau_force[i]->energy(m, ws, state->q, state->u, energy);
}

td_status td_energy_at(const td_model *model, td_workspace *ws, const double *q, const double *qd, td_energy *energy) {
  return td_state_energy(model, ws, &(td_state){.q = q, .qd = qd}, energy);
}

td_status td_state_energy(const td_model *model, td_workspace *ws, const td_state *state, td_energy *energy) {
  double within = 0, values[TD_ENERGY_PARTS];
  td_kinematics(model, ws, state->q, state->qd ? state->qd : ws->zero, NULL, model->gravity, TD_LEVEL_TWIST);
  td_composite_nodes(model, ws, NULL, 0, NULL, TD_COMPOSITE_MASS);
  *energy = (td_energy){0};
  for (const td_body_row *const *row = model->bodies; *row; row++) {
    if ((*row)->weigh) (*row)->weigh(model, ws, &energy->kinetic, &energy->gravitational);
    if ((*row)->kinetic) within += (*row)->kinetic(model, ws);
  }
  energy->kinetic += within;
  add_forces(model, ws, state, energy);
  for (int i = 0; i < TD_ENERGY_PARTS; i++) values[i] = td_energy_part(energy, i);
  return td_all_finite(values, TD_ENERGY_PARTS);
}
