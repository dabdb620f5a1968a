// The mass matrix: composite inertias against the columns of their elements and of all ancestors (composite rigid body
// algorithm).
#include "math/finite.h"
#include "pass/columns.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"

td_status td_mass_matrix(const td_model *model, td_workspace *ws, const double *q, double *mass) {
  td_mass_padded(model, ws, q);
  td_unpad(model, ws->mass, mass);
  return td_all_finite(mass, model->n * model->n);
}
