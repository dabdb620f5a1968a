// Slices: particles of sections that deform, hung on a node of a backbone. Their local fields p = rest + phi q act like
// coordinates of a small body at the node; the map phi folds them into the columns of the strip.
#ifndef TENDRIL_BODY_SECTION_SLICE_H
#define TENDRIL_BODY_SECTION_SLICE_H

#include "pass/composite.h"

/// Local fields and their rates of all slices of a strip.
void td_slice_fields(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep);
/// Evaluates all slices: wrench, inertia and Coriolis map into the composites of their nodes, the rest into ws->slice.
/// `gravity` as it entered A.
void td_slice_nodes(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level);
/// out [e->n] += phi^T pi.
void td_slice_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out);
/// Kinetic energy beyond that of the frozen section: sum (U p').V + p'^T m p' / 2, J. After td_slice_nodes at MASS,
/// needs V.
double td_slice_kinetic(const td_model *m, const td_workspace *ws);

/// As in td_body_row: section_valid.c, section_surface.c.
bool td_section_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault);
int td_section_skin(const td_model *m, const td_element *e, int *rings);
void td_section_surface(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *at);

#endif
