// The factor of a robot's mass matrix, M = U^T U: dense, or that of a tree where the robot branches. Rows of U^-T x come
// in the order of M in both, so that inner products of such vectors are the same.
#ifndef TENDRIL_MODEL_MASS_FACTOR_H
#define TENDRIL_MODEL_MASS_FACTOR_H

#include "model/model.h"
#include "tendril/status.h"

/// U [n][ld] of M [n][ld], whole. TD_SINGULAR when a pivot is not positive.
TD_NODISCARD td_status td_mass_factor(const td_model *m, const double *M, double *U);
/// As td_spd_above.
bool td_mass_above(const td_model *m, const double *M, const double *U, double least);
/// x = U^-T x and x = U^-1 x, in place; both: M^-1 x.
void td_mass_forward(const td_model *m, const double *U, double *x);
void td_mass_backward(const td_model *m, const double *U, double *x);
void td_mass_solve(const td_model *m, const double *U, double *x);
/// Of `columns` of X [n][ldx], as td_spd_solve_many asks for them.
void td_mass_forward_many(const td_model *m, const double *U, int columns, int ldx, double *X);
void td_mass_backward_many(const td_model *m, const double *U, int columns, int ldx, double *X);
void td_mass_solve_many(const td_model *m, const double *U, int columns, int ldx, double *X);

#endif
