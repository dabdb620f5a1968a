// Derivatives of A and B by the numbers of a job, along the line on which the state moves with a number.
#ifndef TENDRIL_LINEARIZE_SLOPES_H
#define TENDRIL_LINEARIZE_SLOPES_H

#include "tendril/linearize.h"

/// Scratch of one thread.
typedef struct td_linearize_line {
  const td_model *model;
  const td_variables *by;
  td_parameter_workspace *neighbours; ///< NULL: no number is the model's
  td_workspace *ws;
  size_t n, m, np;
  size_t *column;                   ///< [np] of the model's numbers, SIZE_MAX: it is none
  td_linearize_slopes out;          ///< what is asked for, all of it in `block`
  double *dq, *dqd, *dqdd, *du;     ///< [n][np], [m][np]: how the state moves
  double *dA, *dB;                  ///< [2n][2n][np], [2n][m][np]
  double *q, *qd, *qdd, *u, *A, *B; ///< of a state beside the one at work
  double *first_A, *first_B;        ///< of the first of a line
  double *kinks, *taut;             ///< [td_kinks_count], [tendons][2] of the state at work
} td_linearize_line;

TD_NODISCARD td_status td_linearize_line_init(td_linearize_line *l, const td_model *model, const td_variables *by);
void td_linearize_line_fini(td_linearize_line *l);
/// dA and dB at a state that moves by dq, dqd, dqdd and du; NaN in the column of a number that these are NaN in, or
/// beside which there is no A.
/// @return true when all are finite
bool td_linearize_line_at(td_linearize_line *l, const td_state *state);
/// du = derivatives of the inputs at t = 0; rates [n][np] (may be NULL) those of prescribed coordinates' rates.
/// @return TD_NO_MEMORY
TD_NODISCARD td_status td_linearize_line_inputs(td_linearize_line *l, const double *q, const double *qd,
                                                const double *u, double *rates);

#endif
