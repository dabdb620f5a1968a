// Inverse dynamics: forward pass of twists and accelerations, backward sums of wrenches, projection on the columns.
//   id = sum over bodies of J^T F,  gravity as an acceleration of the root.  O(points); no 6xn matrix is formed.
// With the mass matrix (MID): its columns from the same motion and composites.
#include "algorithm/composite.h"
#include "algorithm/dynamics.h"
#include "algorithm/kinematics.h"
#include <math.h>

td_status td_all_finite(const double *x, int count) {
  td_vec lanes = td_splat(0); // a NaN or infinity anywhere makes a sum of 0 x not zero
  double sum = 0;
  int i = 0;
  for (; i + TD_LANES <= count; i += TD_LANES) lanes += 0 * *(const td_vecu *)(x + i);
  for (; i < count; i++) sum += 0 * x[i];
  for (int l = 0; l < TD_LANES; l++) sum += lanes[l];
  return sum == 0 ? TD_OK : TD_NONFINITE;
}

void td_id_parts(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                 const double *u, unsigned forces, const double *gravity, double *id) {
  td_kinematics(m, ws, q, qd ? qd : ws->zero, qdd ? qdd : ws->zero, gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(m, ws, u, forces, gravity, TD_COMPOSITE_WRENCH);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, id);
}

td_status td_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                              const double *qdd, const double *u, double *id) {
  td_id_parts(model, ws, q, qd, qdd, u, TD_FORCE_ALL, model->gravity, id);
  return td_all_finite(id, model->n);
}

td_status td_mass_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                   const double *qdd, const double *u, double *id, double *mass) {
  td_status status = td_inverse_dynamics(model, ws, q, qd, qdd, u, id);
  if (status) return status;
  td_mass_columns(model, ws);
  td_unpad(model, ws->mass, mass);
  return td_all_finite(mass, model->n * model->n);
}
