#include "model/mass_factor.h"
#include "math/cholesky.h"
#include "math/tree_cholesky.h"

td_status td_mass_factor(const td_model *m, const double *M, double *U) {
  return m->tree ? td_tree_factor(m->tree, m->ld, M, m->ld, U) : td_spd_factor(m->n, m->ld, M, m->ld, U);
}

bool td_mass_above(const td_model *m, const double *M, const double *U, double least) {
  return m->tree ? td_tree_above(m->tree, m->ld, M, m->ld, U, least) : td_spd_above(m->n, m->ld, M, m->ld, U, least);
}

void td_mass_forward(const td_model *m, const double *U, double *x) {
  if (m->tree)
    td_tree_forward(m->tree, m->ld, U, x);
  else
    td_spd_forward(m->n, m->ld, U, x);
}

void td_mass_backward(const td_model *m, const double *U, double *x) {
  if (m->tree)
    td_tree_backward(m->tree, m->ld, U, x);
  else
    td_spd_backward(m->n, m->ld, U, x);
}

void td_mass_solve(const td_model *m, const double *U, double *x) {
  td_mass_forward(m, U, x);
  td_mass_backward(m, U, x);
}

void td_mass_forward_many(const td_model *m, const double *U, int columns, int ldx, double *X) {
  if (m->tree)
    td_tree_forward_many(m->tree, m->ld, U, columns, ldx, X);
  else
    td_spd_forward_many(m->n, m->ld, U, columns, ldx, X);
}

void td_mass_backward_many(const td_model *m, const double *U, int columns, int ldx, double *X) {
  if (m->tree)
    td_tree_backward_many(m->tree, m->ld, U, columns, ldx, X);
  else
    td_spd_backward_many(m->n, m->ld, U, columns, ldx, X);
}

// Dense: block by block, which stay in the cache.
void td_mass_solve_many(const td_model *m, const double *U, int columns, int ldx, double *X) {
  if (!m->tree) {
    td_spd_solve_many(m->n, m->ld, U, columns, ldx, X);
    return;
  }
  td_tree_forward_many(m->tree, m->ld, U, columns, ldx, X);
  td_tree_backward_many(m->tree, m->ld, U, columns, ldx, X);
}
