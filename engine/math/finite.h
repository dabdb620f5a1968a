// Is every number of an array finite?
#ifndef TENDRIL_MATH_FINITE_H
#define TENDRIL_MATH_FINITE_H

#include "tendril/status.h"

/// TD_NONFINITE when one of x [count] is not finite. O(count), eight at a time.
TD_NODISCARD td_status td_all_finite(const double *x, int count);

#endif
