// Strips inside the backward passes: projection of wrenches, tables of derivative columns.
#ifndef TENDRIL_BODY_ROD_STRIP_H
#define TENDRIL_BODY_ROD_STRIP_H

#include "body/body.h"
#include "model/workspace.h"

/// sqrt(3)/12, the commutator's weight in a 4th-order Magnus step.
#define TD_MAGNUS 0.14433756729740644

/// Poses, twists and accelerations of a strip's nodes from those of its start, as far as `level` asks.
void td_strip_kinematics(td_workspace *ws, const td_element *e, const double *q, const double *qd, const double *qdd,
                         td_level level);
/// out [e->n] = J^T of the composite wrenches beyond each interval (ws->composite[].F, world frame).
void td_strip_project(const td_workspace *ws, const td_element *e, double *out);

/// Fills ws->tables of a strip from its motion (level acceleration; twist columns s and U only when mass_only).
void td_strip_tables(td_workspace *ws, const td_element *e, int mass_only);
/// The strip's own block and ancestor blocks of the matrices asked for, and its slots (strip_columns.c).
void td_strip_columns(const td_model *m, td_workspace *ws, const td_element *e, int mass_only);

#endif
