// Strips: what rods, backbones of reduced bodies and joints of several coordinates are to the passes over the tree
// (body.h).
#ifndef TENDRIL_BODY_ROD_STRIP_H
#define TENDRIL_BODY_ROD_STRIP_H

#include "body/body.h"

/// sqrt(3)/12, the commutator's weight in a 4th-order Magnus step.
#define TD_MAGNUS 0.14433756729740644

/// What hangs on the ends of as many intervals as there are lanes, and beyond them.
typedef struct td_lane_composite {
  td_vec F[6], M[TD_INERTIA_SIZE], B[TD_ANGULAR_MAP_SIZE], N[TD_ANGULAR_MAP_SIZE];
} td_lane_composite;
typedef struct td_lane_full {
  td_vec M[TD_MATRIX6], B[TD_MATRIX6], N[TD_MATRIX6];
} td_lane_full;

/// As in td_body_row.
void td_strip_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep);
void td_strip_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out);
void td_strip_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what);
void td_strip_jacobian(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J);

/// Fills ws->tables of a strip from its motion (level acceleration; for M alone of poses, and then twist columns s and
/// U only).
void td_strip_tables(td_workspace *ws, const td_element *e, td_columns what);
/// The same of as many intervals as there are lanes: those of one state, or one of as many states (batch/). `full` holds
/// the general maps, NULL: the lean ones of w.
void td_interval_tables(const td_motion *o, const td_lane_composite *w, const td_lane_full *full, td_columns what,
                        td_tables *t);
/// J [6][n] += the columns of one interval, from ws->tables of the strip.
void td_strip_interval_jacobian(const td_model *m, const td_workspace *ws, const td_element *e, int interval,
                                double *J);

#endif
