// Shared by sensitivity.c, which carries derivatives of equilibria forward, and cotangent.c, which pulls them back.
#ifndef TENDRIL_STATICS_SENSITIVITY_PARTS_H
#define TENDRIL_STATICS_SENSITIVITY_PARTS_H

#include "parameter/parameters.h"
#include "statics/statics.h"
#include "tendril/sensitivity.h"

struct td_sensitivity {
  td_statics solver;
  td_workspace *ws;
  const td_parameters *parameters; ///< NULL: none of the numbers is the model's
  td_parameter_workspace *by;
  size_t np, of_model;     ///< of_model: td_parameters_count
  size_t *column;          ///< [np] which column of the parameters a number has, of_model: none
  td_state at;             ///< of the equilibrium at work
  bool dependent;          ///< rows of loops depend on each other there
  double *lambda;          ///< [c] at it, loops' multipliers as the solver has them
  double *force, *rows;    ///< [n][of_model] r_p, [r][of_model] e_p
  double *still, *moved;   ///< [r][of_model] A_p v, A_p w
  double *v, *w, *turning; ///< [n], [n], [r][n] d(A w)/dq
  double *A;               ///< [r][n] of a neighbour
  double *Bu, *Iu;         ///< [n][m]
  double *C;               ///< [n][n] of r = … - C drates
  double *scale, *inverse; ///< [d], [d][d]
  double *dq, *f, *c, *x;  ///< [n], [n], [r], [d] of a column
  double *mu, *turn;       ///< [c], [r]
  double *scratch;         ///< [3][2 n + 3 r]
};

/// The equilibrium: matrices, the right-hand sides of all numbers of the model and, where `inputs`, their columns, and
/// the factors of K. Statuses as of td_statics_sensitivity.
TD_NODISCARD td_status td_sensitivity_begin(td_sensitivity *s, const td_equilibrium *at, bool inputs, td_error *err);
/// Whether rows that depend on each other part with what s->c asks of them: they cannot all be met, or grow in number
/// with number k of the model (of_model: with none).
bool td_sensitivity_parts(td_sensitivity *s, size_t k);
td_status td_sensitivity_tell_parted(const td_sensitivity *s, size_t k, td_error *err);
td_status td_sensitivity_tell_singular(double condition, td_error *err);

#endif
