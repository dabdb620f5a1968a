// Strips: what rods, backbones of reduced bodies and joints of several coordinates are to the passes over the tree
// (body.h).
#ifndef TENDRIL_BODY_ROD_STRIP_H
#define TENDRIL_BODY_ROD_STRIP_H

#include "body/body.h"

/// sqrt(3)/12, the commutator's weight in a 4th-order Magnus step.
#define TD_MAGNUS 0.14433756729740644

/// As in td_body_row.
void td_strip_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep);
void td_strip_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out);
void td_strip_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what);
void td_strip_jacobian(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J);

/// Fills ws->tables of a strip from its motion (level acceleration; for M alone of poses, and then twist columns s and
/// U only).
void td_strip_tables(td_workspace *ws, const td_element *e, td_columns what);
/// J [6][n] += the columns of one interval, from ws->tables of the strip.
void td_strip_interval_jacobian(const td_model *m, const td_workspace *ws, const td_element *e, int interval,
                                double *J);

#endif
