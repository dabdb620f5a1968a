// Displaced fluid pushes against gravity at the centre of mass of a rigid body and of each Gauss point of a backbone;
// particles of reduced bodies feel it in their own sums (slice.c, ritz.c). At a surface: immersed.c.
#include "force/force_table.h"
#include "force/water/immersed.h"
#include "pass/composite.h"
#include <assert.h>

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  static const double ZERO[3] = {0};
  const double *gravity = pass->gravity;
  assert(gravity && pass->level != TD_COMPOSITE_MASS);
  for (int k = 1; k < m->node_count; k++) {
    const td_inertia *in = m->node[k].inertia < 0 ? NULL : &m->inertia[m->node[k].inertia];
    if (!in || !(in->displaced > 0)) continue;
    double force[3] = {-in->displaced * gravity[0], -in->displaced * gravity[1], -in->displaced * gravity[2]}, point[3];
    td_node_point(ws, k, in->com, point);
    if (m->water.has_surface)
      td_immersed_lift(m, ws, k, in->displaced, gravity, point, pass->level);
    else
      td_composite_apply(&ws->composite[k], ZERO, force, point);
  }
}

static unsigned acts(const td_model *m) {
  bool any = false;
  for (int i = 0; i < m->inertia_count; i++) any |= m->inertia[i].displaced > 0;
  for (int i = 0; i < m->slice_count; i++) any |= m->slice[i].displaced > 0;
  for (int i = 0; i < m->ritz_count; i++) any |= m->ritz[i].displaced > 0;
  if (!any) return 0;
  return m->water.has_surface ? TD_ACTS_IN_WORLD | TD_ACTS_BY_MAPS : TD_ACTS_IN_WORLD;
}

const td_force td_force_buoyancy = {.name = "buoyancy", .acts = acts, .on_nodes = on_nodes};
