// States at which loops are open and no small motion brings their ends nearer at first order: how they are left.
#ifndef TENDRIL_CLOSURE_STATIONARY_H
#define TENDRIL_CLOSURE_STATIONARY_H

#include "closure/projection.h"

/// Is the gradient of |e|^2 nothing beside e and G = de/dq, as they stand in p?
bool td_is_stationary(const td_projection *p, const double *e);

/// q [n] in place: from a stationary point of |e|^2 along a direction of negative curvature, as far as |e| falls.
/// `whole`: all bodies keep shapes that they can take. TD_NOT_CONVERGED: there is no such direction. 2 n evaluations of
/// loops, O(n^3); allocates.
TD_NODISCARD td_status td_leave_stationary(td_projection *p, bool whole, double *q);

#endif
