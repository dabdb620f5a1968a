// Matrices column by column, from the composites and the motion that a workspace holds.
#ifndef TENDRIL_PASS_COLUMNS_H
#define TENDRIL_PASS_COLUMNS_H

#include "model/workspace.h"

/// ws->mass [n][ld], and columns J of what children, loops and springs hang on. Needs poses and summed composites.
void td_mass_columns(const td_model *m, td_workspace *ws);
/// ws->did_dq, ws->did_dqd, ws->mass [n][ld], and columns J, R, Q, Y. Needs twists and accelerations, too, and all maps of the composites.
void td_derivative_columns(const td_model *m, td_workspace *ws);
/// Copies a padded [n][ld] matrix to [n][n].
void td_unpad(const td_model *m, const double *padded, double *out);

#endif
