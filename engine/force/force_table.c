// The table of forces, in the order in which they are added: a new kind is its file, its row there, and a line here.
//
// Sums of doubles depend on their order, so that this one is kept: on bodies what water does, contacts, loads and what
// lifts; on coordinates what actuators do, elasticity and damping, what tendons' laws and springs between points add.
#include "force/force_table.h"
#include "tendril/dynamics.h"
#include <assert.h>

static const td_force *const TABLE[] = {
    &td_force_added_mass, &td_force_drag,       &td_force_immersed, &td_force_contact,  &td_force_load,
    &td_force_buoyancy,   &td_force_tendon,     &td_force_joint,    &td_force_pressure, &td_force_magnetism,
    &td_force_elasticity, &td_force_tendon_law, &td_force_spring,
};
enum { ROWS = sizeof TABLE / sizeof *TABLE };
_Static_assert((int)ROWS <= (int)TD_FORCE_ROWS, "a model's lists hold all rows");

td_status td_forces_freeze(td_model *m, const td_model_spec *spec) {
  unsigned needs = 0;
  assert(m->body_force_count == 0 && m->tau_force_count == 0); // once
  m->energy_count = TD_ENERGY_ALWAYS;
  for (int i = 0; i < ROWS; i++) {
    td_status status = TABLE[i]->build ? TABLE[i]->build(m, spec) : TD_OK;
    if (status) return status;
    unsigned acts = TABLE[i]->acts(m);
    if (!acts) continue;
    assert((TABLE[i]->on_nodes != NULL) != (TABLE[i]->add != NULL)); // in ID or in tau
    if (TABLE[i]->on_nodes) m->body_force[m->body_force_count++] = TABLE[i];
    if (TABLE[i]->add) m->tau_force[m->tau_force_count++] = TABLE[i];
    if (TABLE[i]->actuates) m->actuating_count++;
    assert(!TABLE[i]->actuates || m->actuating_count == m->tau_force_count); // they stand first
    if (TABLE[i]->energies > m->energy_count) m->energy_count = TABLE[i]->energies;
    needs |= acts;
  }
  if (needs & TD_ACTS_IN_WORLD) m->world_forces = 1;
  if (needs & TD_ACTS_BY_MAPS) m->full_maps = 1;
  if (needs & (TD_ACTS_BY_MAPS | TD_ACTS_WIDE_ROWS)) m->wide_rows = 1;
  if (needs & TD_ACTS_DRIVEN) m->driven_energy = 1;
  return TD_OK;
}
