// Inverse dynamics: forward pass of twists and accelerations, backward sums of wrenches, projection on the columns.
//   id = sum over bodies of J^T F,  gravity as an acceleration of the root.  O(points); no 6xn matrix is formed.
// With the mass matrix (MID): its columns from the same motion and composites.
#include "math/finite.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <assert.h>

td_status td_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                              const double *qdd, const double *u, double *id) {
  assert(id && id != q && id != qd && id != qdd);
  td_id_parts(model, ws, q, qd, qdd, u, TD_FORCE_ALL, model->gravity, id);
  return td_all_finite(id, model->n);
}

td_status td_mass_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                   const double *qdd, const double *u, double *id, double *mass) {
  td_status status = td_inverse_dynamics(model, ws, q, qd, qdd, u, id);
  if (status) return status;
  td_columns_of(model, ws, TD_COLUMNS_MASS);
  td_unpad(model, ws->mass, mass);
  return td_all_finite(mass, model->n * model->n);
}
