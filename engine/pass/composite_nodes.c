// What every node carries and what acts on it: bodies, then the kinds of force that act on bodies.
#include "pass/composite_nodes.h"
#include <assert.h>

static void add_forces(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  for (int i = 0; i < m->body_force_count; i++) {
    const td_force *f = m->body_force[i];
    bool asked = pass->level != TD_COMPOSITE_MASS && (f->kind == 0 || (f->kind & pass->kinds));
    if (asked || f->inertial) f->on_nodes(m, ws, pass);
  }
}

void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                        td_composite_level level) {
  assert(td_holds(ws, TD_HOLDS_POSES));
  assert(level == TD_COMPOSITE_MASS || (gravity && td_holds(ws, TD_HOLDS_TWISTS | TD_HOLDS_ACCELERATIONS)));
  td_composite_clear_to(m, ws, level);
  ws->world_forces = m->world_forces;
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->nodes) (*row)->nodes(m, ws, gravity, level);
  add_forces(m, ws, &(td_force_pass){.u = u, .gravity = gravity, .kinds = forces, .level = level});
}

void td_composite_between(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->body_force_count; i++)
    if (m->body_force[i]->between) m->body_force[i]->between(m, ws);
}
