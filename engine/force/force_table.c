// The table of forces: what acts in a model is found once, when it is frozen.
#include "force/force_table.h"
#include "tendril/dynamics.h"
#include <assert.h>

#define ENTRY(row) &td_force_##row,
static const td_force *const TABLE[TD_FORCE_COUNT] = {TD_FORCES(ENTRY)};
_Static_assert((int)TD_FORCE_COUNT <= (int)TD_FORCE_ROWS, "a model's lists hold all rows");
_Static_assert((int)TD_ENERGY_KINDS <= (int)TD_ENERGY_ROWS, "a model's list holds all kinds of energy");

// Every kind of energy but those of forces that do not act.
static void list_energies(td_model *m) {
  unsigned of_rows = 0, of_acting = 0;
  for (int i = 0; i < TD_FORCE_COUNT; i++) of_rows |= TABLE[i]->energies;
  for (int i = 0; i < m->body_force_count; i++) of_acting |= m->body_force[i]->energies;
  for (int i = 0; i < m->tau_force_count; i++) of_acting |= m->tau_force[i]->energies;
  assert(of_rows >> TD_ENERGY_KINDS == 0 && m->energy_count == 0);
  for (unsigned kind = 0; kind < TD_ENERGY_KINDS; kind++)
    if (!(of_rows & ~of_acting & 1u << kind)) m->energy_kind[m->energy_count++] = (int)kind;
}

td_status td_forces_freeze(td_model *m, const td_model_spec *spec) {
  unsigned needs = 0;
  assert(m->body_force_count == 0 && m->tau_force_count == 0); // once
  for (int i = 0; i < TD_FORCE_COUNT; i++) {
    td_status status = TABLE[i]->build ? TABLE[i]->build(m, spec) : TD_OK;
    if (status) return status;
    unsigned acts = TABLE[i]->acts(m);
    if (!acts) continue;
    assert((TABLE[i]->on_nodes != NULL) != (TABLE[i]->add != NULL)); // in ID or in tau
    if (TABLE[i]->on_nodes) m->body_force[m->body_force_count++] = TABLE[i];
    if (TABLE[i]->add) m->tau_force[m->tau_force_count++] = TABLE[i];
    if (TABLE[i]->actuates) m->actuating_count++;
    assert(!TABLE[i]->actuates || m->actuating_count == m->tau_force_count); // they stand first
    needs |= acts;
  }
  if (needs & TD_ACTS_IN_WORLD) m->world_forces = 1;
  if (needs & TD_ACTS_BY_MAPS) m->full_maps = 1;
  if (needs & (TD_ACTS_BY_MAPS | TD_ACTS_WIDE_ROWS)) m->wide_rows = 1;
  if (needs & TD_ACTS_DRIVEN) m->driven_energy = 1;
  list_energies(m);
  return TD_OK;
}
