// Columns of all that moves a frame of a node: those of its element and of its ancestors.
#ifndef TENDRIL_PASS_PATH_COLUMNS_H
#define TENDRIL_PASS_PATH_COLUMNS_H

#include "model/workspace.h"

/// out [rows][ld] += sign W, W [rows][6], times the six kept rows from `row` (TD_ROW_…) on, of all columns that move
/// the frame.
void td_path_columns(const td_model *m, const td_workspace *ws, const td_loop_frame *f, int row, double sign, int rows,
                     const double *W, int ld, double *out);

#endif
