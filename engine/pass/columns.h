// Matrices column by column, from the composites and the motion that a workspace holds.
#ifndef TENDRIL_PASS_COLUMNS_H
#define TENDRIL_PASS_COLUMNS_H

#include "body/body.h"

/// Matrices [n][ld]: ws->mass (MASS), ws->did_dq and ws->did_dqd (SLOPES); what is not asked for is left alone. Columns
/// of what children, loops and springs hang on: J, and R, Q, Y for slopes. Needs poses and summed composites; slopes
/// need twists, accelerations and all maps of the composites, too.
void td_columns_of(const td_model *m, td_workspace *ws, td_columns what);
/// Copies a padded [n][ld] matrix to [n][n].
void td_unpad(const td_model *m, const double *padded, double *out);

#endif
