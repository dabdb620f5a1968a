// What the curves of a result stand over: time, a number, or what was raised from problem to problem.
#ifndef TENDRIL_CLIENT_AXIS_H
#define TENDRIL_CLIENT_AXIS_H

#include "plot/curves/maker.h"

/// Fills x, next, x_label and log_x of the list.
void axis_choose(maker *m);

#endif
