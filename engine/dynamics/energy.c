// Energy of a state: what bodies have, and what the kinds of force that act store (force/force.h).
//   kinetic = sum V^T M V / 2,  gravitational = -sum m g.p  (m less displaced fluid);  all others, and the kinetic of
//   added mass: of the forces.
#include "math/finite.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <stddef.h>

_Static_assert(sizeof(td_energy) == (TD_ENERGY_KINDS + 1) * sizeof(double), "kinds by number are those by name");

#define ENERGY_WORD(kind, word) #word,
static const char *const WORDS[TD_ENERGY_KINDS] = {TD_ENERGIES(ENERGY_WORD)};

const char *td_energy_name(td_energy_kind kind) { return (unsigned)kind < TD_ENERGY_KINDS ? WORDS[kind] : NULL; }

int td_energy_count(const td_model *model) { return model->energy_count; }

td_energy_kind td_energy_kind_of(const td_model *model, int i) {
  assert(i >= 0 && i < model->energy_count);
  return (td_energy_kind)model->energy_kind[i];
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
  double within = 0;
  td_kinematics(model, ws, state->q, state->qd ? state->qd : ws->zero, NULL, model->gravity, TD_LEVEL_TWIST);
  td_composite_nodes(model, ws, NULL, 0, NULL, TD_COMPOSITE_MASS);
  *energy = (td_energy){0};
  for (const td_body_row *const *row = model->bodies; *row; row++) {
    if ((*row)->weigh) (*row)->weigh(model, ws, &energy->kinetic, &energy->gravitational);
    if ((*row)->kinetic) within += (*row)->kinetic(model, ws);
  }
  energy->kinetic += within;
  add_forces(model, ws, state, energy);
  return td_all_finite(energy->of, TD_ENERGY_KINDS);
}
