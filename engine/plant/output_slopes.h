// Derivatives of the rows that runs and equilibria report, by everything that they depend on.
//
// A row is a function of (q, qd, u), of the accelerations of prescribed joints, and of the numbers of the model. All of
// them count as independent here: who knows how they follow a number multiplies (a run's tangents, dq of an
// equilibrium), and who has a cotangent of a row multiplies from the left.
#ifndef TENDRIL_PLANT_OUTPUT_SLOPES_H
#define TENDRIL_PLANT_OUTPUT_SLOPES_H

#include "plant/output.h"
#include "tendril/parameters.h"

/// Each may be NULL (u not with controllers). Row-major, row = number of the row, column = variable.
typedef struct td_output_slopes {
  double *q, *qd; ///< [row][n]
  double *u;      ///< [row][m] of inputs of which none answers to the state
  double *a;      ///< [row][prescribed] of accelerations of prescribed joints, in the order of their coordinates
  double *p;      ///< [row][np] of the numbers of the model
} td_output_slopes;

/// Scratch for one thread.
typedef struct td_output_differentiator td_output_differentiator;
/// @param output      borrowed, with its model
/// @param plant       borrowed: the robot whose rows are differentiated
/// @param parameters  borrowed; NULL: none
TD_NODISCARD td_status td_output_differentiator_create(const td_output *output, td_plant *plant,
                                                       const td_parameters *parameters,
                                                       td_output_differentiator **differentiator);
void td_output_differentiator_destroy(td_output_differentiator *differentiator);

/// Derivatives of the row at (t, y [2n]), the plant's t_side, inputs and controllers held: those of a controller enter
/// `q` and `qd` with its channels' (du/dq, du/dqd).
/// q, qd, u, tendons, qdd and lambda by formulas; the rest by five-point differences (error about 1e-11 of the field).
/// Energies must be affine in numbers of the model that are called linear.
/// @param wanted  [row]: fields of whose numbers all are 0 here stay 0; NULL: all are wanted
/// @param field   the index of the field at work, also after a failure; may be NULL
/// @return as td_output_fill
/// Cost: O(n) fills of each field that goes by differences and, of numbers of the model, one or four each; O(n^3) of
/// qdd and lambda. No allocation.
TD_NODISCARD td_status td_output_slopes_at(td_output_differentiator *differentiator, double t, const double *y,
                                           const double *wanted, const td_output_slopes *out, size_t *field);

#endif
