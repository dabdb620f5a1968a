// Where a reduced body leaves what its kinematics can represent.
#ifndef TENDRIL_WHY_SHAPE_H
#define TENDRIL_WHY_SHAPE_H

#include "body/body.h"

/// True when every section is valid at q [n]; otherwise the fault is filled. Curvatures are taken `margin` times as
/// large (1: as they are; more: also what is about to leave). O(particles), allocates nothing, needs no workspace.
bool td_shape_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault);
/// Writes `body "NAME" at s = … m bends beyond …` (without a full stop) when that is so, else "". Returns the link, -1.
int td_shape_explain(const td_model *m, const double *q, double margin, char *text, size_t size);

#endif
