// Matrices column by column: ancestor blocks common to joints and strips, and the columns of one-coordinate joints.
#ifndef TENDRIL_ALGORITHM_COLUMNS_H
#define TENDRIL_ALGORITHM_COLUMNS_H

#include "model/workspace.h"
#include <stdbool.h>

/// The blocks between an element's columns (ws->own) and all its ancestors' (ws->slot), both above and below the diagonal.
void td_ancestor_blocks(const td_model *m, td_workspace *ws, const td_element *e, int mass_only);
/// Own entry, slots and ws->own of a SCREW.
void td_screw_columns(const td_model *m, td_workspace *ws, const td_element *e, int mass_only);

#endif
