// Whole passes over the tree: out to the tips with poses, twists and accelerations, back with wrenches and inertias,
// then to the coordinates.
#include "pass/whole_pass.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"

void td_id_parts(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                 const double *u, unsigned forces, const double *gravity, double *id) {
  td_kinematics(m, ws, q, qd ? qd : ws->zero, qdd ? qdd : ws->zero, gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, u, forces, gravity, TD_COMPOSITE_WRENCH);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, id);
}

void td_mass_padded(const td_model *m, td_workspace *ws, const double *q) {
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  td_composite_nodes(m, ws, NULL, 0, NULL, TD_COMPOSITE_MASS);
  td_composite_sum(m, ws, TD_COMPOSITE_MASS);
  td_columns_of(m, ws, TD_COLUMNS_MASS);
}

void td_kept_columns(const td_model *m, td_workspace *ws, const double *q) {
  bool held = ws->steady_q && ws->poses_of == q && td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_COLUMNS);
  if (!held) td_mass_padded(m, ws, q);
}

void td_id_derivatives_padded(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                              const double *u, td_columns what) {
  td_kinematics(m, ws, q, qd ? qd : ws->zero, qdd ? qdd : ws->zero, m->gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, u, TD_FORCE_ALL, m->gravity, TD_COMPOSITE_ALL);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_composite_project(m, ws, ws->id);
  td_columns_of(m, ws, what);
  if (what & TD_COLUMNS_SLOPES) td_composite_between(m, ws);
}
